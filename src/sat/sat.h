// A solver of clauses over yes-or-no variables that can be asked again and again, with more clauses and under
// assumptions.
//
// J. Marques-Silva, K. Sakallah, GRASP: A Search Algorithm for Propositional Satisfiability, IEEE Trans. Computers 1999
// (clauses learned from conflicts, backjumping); M. Moskewicz et al., Chaff: Engineering an Efficient SAT Solver, DAC
// 2001 (two watched literals, activity); N. Eén, N. Sörensson, An Extensible SAT-solver, SAT 2003 (assumptions, cores);
// G. Audemard, L. Simon, Predicting Learnt Clauses Quality in Modern SAT Solvers, IJCAI 2009 (which clauses to keep).
//
// A literal is 2 * variable, or one more for "not". All numbers are integers and ties go to the smaller variable: the
// same calls give the same answers on every machine.

#ifndef SAT__SAT_H_
#define SAT__SAT_H_

#include "base/arena.h"
#include "base/meter.h"

typedef enum fw_sat_answer_t {
  FW_SAT_YES,        // the model is set
  FW_SAT_NO,         // the core is set
  FW_SAT_UNDECIDED,  // after as many conflicts as were allowed
  FW_SAT_STOPPED,    // the meter says why
} fw_sat_answer_t;

// A clause that is watched by a literal. One of two literals is not kept anywhere else.
typedef struct fw_sat_watch_t {
  int32_t reference;  // FW_SAT_PAIR: a clause of two, the blocker is the other one
  int32_t blocker;    // if this literal of the clause is true, there is nothing to do
} fw_sat_watch_t;

typedef struct fw_sat_watches_t {
  fw_sat_watch_t * items;
  int32_t count;
  int32_t capacity;
} fw_sat_watches_t;

// Why a variable is set: a clause, FW_SAT_NO_REASON, or one literal that has become false (see fw__sat_pair).
typedef struct fw_sat_cause_t {
  int32_t reason;
  int32_t level;
} fw_sat_cause_t;

typedef struct fw_sat_variable_t {
  uint64_t activity;
  int32_t place;  // in the heap, -1 if it is not in it
  int32_t cold;   // its number among those that have to be set, -1: it may stay open
  bool phase;     // what it was last
  bool is_in_model;
} fw_sat_variable_t;

typedef struct fw_sat_list_t {
  int32_t * items;
  int32_t count;
  int32_t capacity;
} fw_sat_list_t;

// Says which of the variables that may stay open to set next, when all others are set and nothing fails: a literal, or -1
// when the rest can stay open (it is false in the model). Asked again after each step.
typedef struct fw_sat_chooser_t {
  int32_t (*choose)(void * state);
  void * state;
} fw_sat_chooser_t;

typedef struct fw_sat_t {
  fw_arena_t * arena;
  fw_meter_t * meter;
  fw_sat_chooser_t chooser;
  fw_sat_variable_t * variables;
  fw_sat_cause_t * causes;
  bool * is_seen;
  int32_t variable_count;
  int32_t variable_capacity[3];
  int8_t * values;             // by literal: 1 true, -1 false, 0 open
  fw_sat_watches_t * watches;  // by literal: what to look at when it becomes false
  int32_t literal_capacity[2];
  // Clauses of three or more, one after another: length, quality (0: given, never forgotten), the literals.
  fw_sat_list_t clauses;
  int32_t learned_count;
  int32_t learned_max;
  // What has been set, in order, and where each level begins.
  fw_sat_list_t trail;
  fw_sat_list_t levels;
  int32_t looked_at;  // of the trail
  fw_sat_list_t heap;
  uint64_t activity_step;
  fw_sat_list_t cold;     // variables that have to be set
  int32_t cold_from;      // those before this one are set, or have been in a conflict and are in the heap
  fw_sat_list_t learned;  // the clause that is learned
  fw_sat_list_t stack;    // of its making
  fw_sat_list_t seen;
  uint32_t * level_stamps;
  int32_t stamp_capacity;
  uint32_t stamp;
  int32_t failed[2];   // the pair that fails
  fw_sat_list_t core;  // assumptions that cannot all be kept
  int64_t conflicts;
  int64_t turns;          // how often it has gone back
  bool is_contradiction;  // by the clauses alone
} fw_sat_t;

static inline int32_t fw__sat_not(int32_t literal) { return literal ^ 1; }

void fw__sat_init(fw_sat_t * sat, fw_arena_t * arena, fw_meter_t * meter);
// The number of a new variable, first tried as `phase`; -1 when there is no memory. One that may stay open is set when it
// follows, when it has been in a conflict, or when the chooser says so.
int32_t fw__sat_add_variable(fw_sat_t * sat, bool phase);
int32_t fw__sat_add_open_variable(fw_sat_t * sat);
// At least one of the literals is true. False when there is no memory.
bool fw__sat_add_clause(fw_sat_t * sat, const int32_t * literals, int32_t count);

typedef struct fw_sat_query_t {
  const int32_t * assumptions;
  int32_t count;
  int64_t conflicts_max;  // 0 for any number
} fw_sat_query_t;
fw_sat_answer_t fw__sat_solve(fw_sat_t * sat, const fw_sat_query_t * query);

// In the last model.
static inline bool fw__sat_is_true(const fw_sat_t * sat, int32_t literal)
{
  return sat->variables[literal >> 1].is_in_model == ((literal & 1) == 0);
}

// ---- inside ---------------------------------------------------------------------------------------------------------

enum { FW_SAT_HEADER = 2 };
// In place of the reference of a clause. Below FW_SAT_PAIR: one literal stands for it.
enum { FW_SAT_NO_REASON = -1, FW_SAT_NO_MEMORY = -2, FW_SAT_PAIR = -3 };

// The reason of a literal that is in a clause of two with `other`, and back.
static inline int32_t fw__sat_pair(int32_t other) { return FW_SAT_PAIR - 1 - other; }
static inline int32_t fw__sat_other(int32_t reason) { return FW_SAT_PAIR - 1 - reason; }

static inline int32_t fw__sat_size(const fw_sat_t * sat, int32_t reference) { return sat->clauses.items[reference]; }
static inline int32_t fw__sat_quality(const fw_sat_t * sat, int32_t reference)
{
  return sat->clauses.items[reference + 1];
}
static inline int32_t * fw__sat_literals(const fw_sat_t * sat, int32_t reference)
{
  return &sat->clauses.items[reference + FW_SAT_HEADER];
}
static inline int32_t fw__sat_level(const fw_sat_t * sat) { return sat->levels.count; }

// The literals of a reason or of what fails, with or without the one that is set by it.
typedef struct fw_sat_span_t {
  const int32_t * items;
  int32_t count;
  int32_t other;
} fw_sat_span_t;
static inline void fw__sat_why(const fw_sat_t * sat, int32_t reason, fw_sat_span_t * span)
{
  span->items = reason >= 0 ? fw__sat_literals(sat, reason) : reason == FW_SAT_PAIR ? sat->failed : &span->other;
  span->count = reason >= 0 ? fw__sat_size(sat, reason) : reason == FW_SAT_PAIR ? 2 : 1;
  span->other = fw__sat_other(reason);
}

// False when there is no memory.
bool fw__sat_list_reserve(fw_arena_t * arena, fw_sat_list_t * list, int32_t more);
static inline bool fw__sat_list_push(fw_arena_t * arena, fw_sat_list_t * list, int32_t item)
{
  if (list->count == list->capacity && !fw__sat_list_reserve(arena, list, 1)) {
    return false;
  }
  list->items[list->count++] = item;
  return true;
}

// sat_trail.c: what is set, what follows from it.
void fw__sat_set(fw_sat_t * sat, int32_t literal, int32_t reason);
bool fw__sat_watch(fw_sat_t * sat, int32_t reference);
bool fw__sat_watch_pair(fw_sat_t * sat, int32_t one, int32_t two);
int32_t fw__sat_propagate(fw_sat_t * sat);  // a clause that fails, or FW_SAT_PAIR; FW_SAT_NO_REASON; FW_SAT_NO_MEMORY
void fw__sat_go_back(fw_sat_t * sat, int32_t level);
bool fw__sat_begin_level(fw_sat_t * sat);

// sat_order.c: which variable next.
bool fw__sat_order_add(fw_sat_t * sat, int32_t variable, bool is_cold);
void fw__sat_order_put(fw_sat_t * sat, int32_t variable);  // back
int32_t fw__sat_order_take(fw_sat_t * sat);                // an open one, -1 if none has to be set
void fw__sat_order_bump(fw_sat_t * sat, int32_t variable);
void fw__sat_order_decay(fw_sat_t * sat);

// sat_learn.c: why a clause failed. Goes back, adds what it learned and sets what follows. False when there is no memory.
bool fw__sat_learn(fw_sat_t * sat, int32_t conflict);
// Why a clause fails at the first level (or, if `conflict` is FW_SAT_NO_REASON, an assumption cannot be kept): the assumptions of it.
bool fw__sat_find_core(fw_sat_t * sat, int32_t conflict, int32_t assumption);

// sat_forget.c: at level 0, drops what is worth least. False when there is no memory.
bool fw__sat_forget(fw_sat_t * sat);

#endif  // SAT__SAT_H_
