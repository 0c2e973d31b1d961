// Planner definitions: how a planner describes itself, and how to add one.
//
// A planner is one fw_planner_def_t: a name, a table of parameters and a `solve` function. There are two ways to use
// it.
//
// In the library: one file below src/planner and one line in src/planner/registry.c. The command line, the ROS
// parameters, the property tests and the golden results walk the registry, so the planner is offered and tested as soon
// as it is listed.
//
// In your own project: pass the definition to fw_planner_init_with. The planner then has parameters, budgets, memory
// limits and checked problems like any other, and fw_check_plan checks its plans. It needs only the functions of the
// public headers:
//
//   static fw_ret_t solve(fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan,
//                         fw_error_t * error)
//   {
//     fw_path_t * paths = fw_planner_allocate(context, (size_t)problem->robot_count, sizeof(*paths));
//     ...
//     if (fw_planner_expand(context, 1)) { return fw_planner_wait_all(context, problem, plan, error); }
//     ...
//   }
//   static const fw_planner_def_t mine = {.name = "mine", .summary = "...", .paper = "...", .solve = solve};
//   fw_planner_init_with(&planner, &mine, NULL, &error);
//
// test/consumer is a complete example. Definitions are passed directly instead of being registered under a name,
// because a table of registered planners would be global state: its order would depend on who registers first, and it
// would need a lock.

#ifndef FLEETWEAVE__PLANNER_DEF_H_
#define FLEETWEAVE__PLANNER_DEF_H_

#include "fleetweave/fleetweave.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Parameters
// ---------------------------------------------------------------------------------------------------------------------

typedef enum fw_parameter_type_t {
  FW_PARAMETER_INTEGER = 0,
  FW_PARAMETER_BOOLEAN,  // value 0 or 1; as text "true" or "false"
  FW_PARAMETER_CHOICE,   // value is an index into `choices`; as text the word
} fw_parameter_type_t;

typedef struct fw_parameter_def_t {
  const char * name;  // lower-case letters, digits and underscores
  fw_parameter_type_t type;
  int64_t initial;               // within min and max
  int64_t min;                   // 0 for booleans and choices
  int64_t max;                   // 1 for booleans; the last index of `choices`
  const char * const * choices;  // FW_PARAMETER_CHOICE: max + 1 words; NULL for other types
  const char * help;             // one sentence: meaning, unit, and what special values mean
  const char * in_fleet;         // what fw_controller_t and planner_node begin with, as text; NULL: `initial`
} fw_parameter_def_t;

#define FW_PARAMETERS_MAX 24
// The number of entries of a parameter table, which must be an array and not a pointer.
#define FW_PARAMETER_COUNT(table) ((int32_t)(sizeof(table) / sizeof((table)[0])))

// Converts text to a value and back. An invalid text leaves `value` unchanged; `error` says what is allowed, for
// example "window must be between 1 and 64, not 0".
FW_API FW_MUST_USE fw_ret_t
fw_parameter_parse(const fw_parameter_def_t * parameter, const char * text, int64_t * value, fw_error_t * error);
FW_API void fw_parameter_format(const fw_parameter_def_t * parameter, int64_t value, char * text, size_t text_size);

// ---------------------------------------------------------------------------------------------------------------------
// Context: what the library provides to a planner
// ---------------------------------------------------------------------------------------------------------------------

struct fw_arena_t;
struct fw_meter_t;

// Passed to every function of a planner; one for each fw_planner_t, at the same address for its whole life.
typedef struct fw_planner_context_t {
  const int64_t * parameters;  // current values, in the order of the parameter table
  uint64_t seed;               // the only source of randomness
  int32_t threads;             // how many threads `solve` may use, at least 1; must not change the result
  void * state;                // the planner's own data, set by `init`; NULL before
  // For the planners of the library. Others use the functions below.
  struct fw_arena_t * keep;
  struct fw_arena_t * scratch;
  struct fw_meter_t * meter;
} fw_planner_context_t;

// Memory for `count` items of `size_bytes`, zeroed and aligned for any type; NULL if there is none, or if the caller's
// limit is reached. There is nothing to free.
// - fw_planner_allocate: valid until the next solve begins. The usual place for the paths of a plan.
// - fw_planner_allocate_kept: valid until the planner's fini, for `state`. Every call takes more memory: do not call it
//   in each solve.
FW_API void * fw_planner_allocate(fw_planner_context_t * context, size_t count, size_t size_bytes);
FW_API void * fw_planner_allocate_kept(fw_planner_context_t * context, size_t count, size_t size_bytes);

// Counts `count` expanded search nodes. True if the budget is exhausted: stop then, and return the best plan found so
// far. Call it at least once per expansion of a search, from the thread that `solve` runs on.
FW_API FW_MUST_USE bool fw_planner_expand(fw_planner_context_t * context, int64_t count);
// Why to stop; FW_STOP_DONE while the budget is not exhausted. This is the value for `plan->stop`.
FW_API fw_stop_t fw_planner_stop(const fw_planner_context_t * context);

// The plan to return if there is no better one: all robots wait at their starts. Fills outcome (partial), stop,
// safe_until and paths. FW_RET_BAD_ALLOC if there is no memory for it.
FW_API FW_MUST_USE fw_ret_t
fw_planner_wait_all(fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error);

// ---------------------------------------------------------------------------------------------------------------------
// Definition
// ---------------------------------------------------------------------------------------------------------------------

typedef struct fw_planner_def_t {
  const char * name;                      // lower-case letters, digits and underscores
  const char * summary;                   // one line
  const char * paper;                     // author, title, year; "" for a planner without
  const fw_parameter_def_t * parameters;  // NULL if there are none
  int32_t parameter_count;                // at most FW_PARAMETERS_MAX; FW_PARAMETER_COUNT(parameters)
  bool is_optimal;       // a solved plan that was not stopped (FW_STOP_DONE) has the least sum of costs
  bool may_delay_first;  // the robot of highest priority may have to wait for robots that cannot make way in time
  // Uses `horizon` and `since` of a problem: plans a window, and the next one from there. The controller asks planners
  // that are anytime as well for whole plans instead.
  bool goes_on;
  bool is_anytime;   // improves its plan until the budget is exhausted; a solved plan may have another stop than done
  bool is_complete;  // without a budget it solves every solvable problem and proves the others unsolvable
  bool has_rules;    // keeps the rules of the grid; if not, the library refuses grids that have any

  // May be NULL. Whether the planner can work with these values here, each of which is in its range: for example,
  // whether there is a GPU that they require. fw_planner_set refuses a value with which it fails.
  fw_ret_t (*check)(const int64_t * parameters, fw_error_t * error);

  // May be NULL. Called once, by fw_planner_init_with; may set `state`.
  fw_ret_t (*init)(fw_planner_context_t * context, fw_error_t * error);

  // Plans. The problem has been checked (fw_problem_check) and normalised: `ticks_per_move`, `connectivity` and
  // `footprint_count` are never 0, `footprint` is never NULL, and closures are sorted by cell and time and disjoint.
  // `plan` is `{0}` at the beginning. To fill in: outcome, stop, safe_until and a path for each robot; if known,
  // stats.lower_bound, stats.first_plan_ns, stats.counters and groups. The library computes the other statistics.
  // Everything that the plan points to must stay valid until the next solve.
  //
  // `error` is never NULL, and empty at the beginning. A function that fails writes what is wrong into error->text;
  // otherwise the library writes a general text.
  //
  // If memory runs out, return FW_RET_OK with the best plan there is and FW_STOP_MEMORY, or else FW_RET_BAD_ALLOC.
  fw_ret_t (*solve)(fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error);

  // May be NULL. Called by fw_planner_fini, also after an `init` that failed.
  void (*fini)(fw_planner_context_t * context);
} fw_planner_def_t;

// Checks a definition: names, texts, functions and the parameter table. FW_RET_INVALID_ARGUMENT says what is wrong.
// fw_planner_init_with calls it first.
FW_API FW_MUST_USE fw_ret_t fw_planner_def_check(const fw_planner_def_t * def, fw_error_t * error);

// The planners of the library, in the order of src/planner/registry.c.
FW_API int32_t fw_planner_def_count(void);
FW_API const fw_planner_def_t * fw_planner_def_at(int32_t index);        // NULL if out of range
FW_API const fw_planner_def_t * fw_planner_def_find(const char * name);  // NULL if there is no planner of that name

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__PLANNER_DEF_H_
