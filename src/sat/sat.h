// A CDCL SAT solver (conflict-driven clause learning), incremental: more variables and clauses can be added between
// calls, and each call solves under assumptions.
//
// What it has, and where it comes from:
// - conflict analysis to the first unique implication point and backjumping: J. Marques-Silva, K. Sakallah, GRASP: A
//   Search Algorithm for Propositional Satisfiability, IEEE Trans. Computers 1999;
// - two watched literals and VSIDS activities: M. Moskewicz et al., Chaff: Engineering an Efficient SAT Solver,
//   DAC 2001;
// - assumptions and unsatisfiable cores: N. Eén, N. Sörensson, An Extensible SAT-solver, SAT 2003;
// - phase saving: K. Pipatsrisawat, A. Darwiche, A Lightweight Component Caching Scheme for Satisfiability Solvers,
//   SAT 2007;
// - deletion of learnt clauses by LBD (literal block distance): G. Audemard, L. Simon, Predicting Learnt Clauses
//   Quality in Modern SAT Solvers, IJCAI 2009;
// - clause minimisation: N. Sörensson, A. Biere, Minimizing Learned Clauses, SAT 2009;
// - Luby restarts: M. Luby, A. Sinclair, D. Zuckerman, Optimal Speedup of Las Vegas Algorithms, 1993.
//
// Ours are optional variables: they may stay unassigned (false) in a model. They are assigned only by propagation,
// after they have been in a conflict, or when the caller's decider chooses them. A formula that is built lazily (lazy
// clause generation) thus has many variables that a search never touches. The decider is nearest to `cb_decide` of
// IPASIR-UP.
//
// A literal is 2 * variable, or 2 * variable + 1 for its negation. All numbers are integers and ties go to the smaller
// variable: the same calls give the same results on every machine.
//
// Memory comes from an arena. Failure is sticky: when it has run out, every later call says so and the solver must be
// initialised again.

#ifndef SAT__SAT_H_
#define SAT__SAT_H_

#include "base/list.h"
#include "base/meter.h"

typedef enum fw_sat_result_t {
  FW_SAT_SATISFIABLE,    // the model is set
  FW_SAT_UNSATISFIABLE,  // the core is set
  FW_SAT_UNKNOWN,        // conflicts_max was reached
  FW_SAT_STOPPED,        // the meter says why: budget or memory
} fw_sat_result_t;

// An entry of a watch list: a clause to visit when the literal becomes false.
typedef struct fw_sat_watch_t {
  int32_t clause;   // an index into `clauses`, or FW_SAT_BINARY: the clause is (literal, blocker) and stored only here
  int32_t blocker;  // another literal of the clause; while it is true, the clause needs no visit
} fw_sat_watch_t;

typedef struct fw_sat_watch_list_t {
  fw_sat_watch_t * items;
  int32_t count;
  int32_t capacity;
} fw_sat_watch_list_t;

// In place of the index of a clause.
enum { FW_SAT_NO_CLAUSE = -1, FW_SAT_BINARY = -2 };

// How an assigned variable got its value.
typedef struct fw_sat_assignment_t {
  // The clause that propagated it, FW_SAT_NO_CLAUSE for a decision, an assumption or a unit, or less than FW_SAT_BINARY
  // for the other literal of a binary clause.
  int32_t reason;
  int32_t level;  // decision level
} fw_sat_assignment_t;

typedef struct fw_sat_variable_t {
  uint64_t activity;       // VSIDS; 0: never in a conflict
  int32_t heap_index;      // -1: not in the heap
  int32_t required_index;  // in `required`, -1: optional
  bool phase;              // the value it had last, or should be tried first
  bool is_in_model;        // its value in the last model
} fw_sat_variable_t;

// Decides on optional variables when all others are assigned without a conflict: returns an unassigned literal, or -1
// when the rest may stay unassigned. Called again after each decision.
typedef struct fw_sat_decider_t {
  int32_t (*choose)(void * state);
  void * state;
} fw_sat_decider_t;

typedef struct fw_sat_query_t {
  const int32_t * assumptions;  // literals
  int32_t count;
  int64_t conflicts_max;  // 0 for no limit
} fw_sat_query_t;

typedef enum fw_sat_clause_kind_t {
  FW_SAT_CLAUSE_GIVEN,    // by fw__sat_add_clause
  FW_SAT_CLAUSE_LEARNT,   // follows from the ones before it by unit propagation (RUP)
  FW_SAT_CLAUSE_DELETED,  // a learnt one, with its literals in any order
} fw_sat_clause_kind_t;

struct fw_sat_t;
// Hears everything that a solver is given, learns, deletes and answers, in order. The learnt and deleted clauses before
// an answer "unsatisfiable" are its proof in the DRAT format, once the core is added to the given clauses. For tests,
// which compare it with another solver and check its proofs.
typedef struct fw_sat_observer_t {
  void (*on_init)(void * state);
  void (*on_clause)(void * state, fw_sat_clause_kind_t kind, const int32_t * literals, int32_t count);
  void (*on_answer)(void * state, const struct fw_sat_t * sat, const fw_sat_query_t * query, fw_sat_result_t result);
  void * state;
} fw_sat_observer_t;

// Embedded by value in its users. They may set `decider`, and read `values`, `variables[].phase`, `core` and the
// counts; the rest is private to sat.c.
typedef struct fw_sat_t {
  fw_arena_t * arena;
  fw_meter_t * meter;
  fw_sat_decider_t decider;
  const fw_sat_observer_t * observer;  // NULL: none
  int8_t * values;                     // by literal: 1 true, -1 false, 0 unassigned
  fw_list_t core;                      // assumptions that contradict the clauses, after FW_SAT_UNSATISFIABLE
  int64_t conflicts;                   // so far
  int64_t backjump_count;              // so far: while it is unchanged, no variable has become unassigned
  bool is_contradiction;               // the clauses are unsatisfiable without assumptions
  bool has_failed;                     // memory has run out
  fw_sat_variable_t * variables;       // by variable
  fw_sat_assignment_t * assignments;   // by variable, valid while it is assigned
  bool * is_seen;                      // by variable: a mark of conflict analysis, all false between conflicts
  int32_t variable_count;
  int32_t variable_capacity[3];
  fw_sat_watch_list_t * watches;  // by literal: the clauses to visit when it becomes false
  int32_t literal_capacity[2];
  // Clauses that had three or more literals when they were added, one after another: size, LBD (0: not learnt), the
  // literals.
  fw_list_t clauses;
  int32_t learnt_count;
  int32_t learnt_max;  // deletion starts above it
  fw_list_t trail;     // assigned literals, in order
  fw_list_t levels;    // by decision level - 1: where it begins on the trail
  int32_t propagated;  // trail[0 .. propagated) has been propagated
  fw_list_t heap;      // of variables with activity, the most active on top; holds all that are unassigned
  uint64_t activity_step;
  fw_list_t required;      // the variables that must be assigned in a model, by number
  int32_t required_from;   // required[0 .. required_from) are assigned or have activity
  fw_list_t learnt;        // scratch: the clause that is being learnt
  fw_list_t stack;         // scratch of its minimisation
  fw_list_t seen;          // scratch: the variables with is_seen
  fw_list_t level_stamps;  // scratch of the LBD, by decision level
  int32_t stamp;
  int32_t told_count;          // trail[0 .. told_count) has been told to the observer as unit clauses
  int32_t binary_conflict[2];  // the binary clause that is in conflict
} fw_sat_t;

static inline int32_t fw__sat_not(int32_t literal) { return literal ^ 1; }

// `arena` and `meter` are borrowed. Everything stays in the arena until its reset; there is no fini.
void fw__sat_init(fw_sat_t * sat, fw_arena_t * arena, fw_meter_t * meter);
// Solvers that are initialised from now on have this observer, which is borrowed; NULL: none. Not for several threads.
void fw__sat_observe(const fw_sat_observer_t * observer);
// Adds a variable that is first tried with the value `phase`. Returns its number, -1 when there is no memory.
int32_t fw__sat_add_variable(fw_sat_t * sat, bool phase);
// Adds a variable that may stay unassigned, and is then false in the model.
int32_t fw__sat_add_optional_variable(fw_sat_t * sat);
// Adds a clause: at least one of the literals is true. Between calls of solve only. False when there is no memory.
bool fw__sat_add_clause(fw_sat_t * sat, const int32_t * literals, int32_t count);
// Counts one unit of the meter per propagation round.
fw_sat_result_t fw__sat_solve(fw_sat_t * sat, const fw_sat_query_t * query);

// The value of a literal in the last model.
static inline bool fw__sat_model_is_true(const fw_sat_t * sat, int32_t literal)
{
  FW_ASSERT(literal >= 0 && literal >> 1 < sat->variable_count);
  return sat->variables[literal >> 1].is_in_model == ((literal & 1) == 0);
}

// Whether the solver's data agrees with itself, in time linear in its size: values, trail and decision levels; each
// clause in `clauses` is watched by exactly its first two literals, each binary clause by both; a watched literal
// that is false belongs to a satisfied clause; the order and the positions of the heap. Between calls of solve.
bool fw__sat_validate(const fw_sat_t * sat);

#endif  // SAT__SAT_H_
