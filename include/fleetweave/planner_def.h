// What a new planner fills in: one file in src/planner with one definition, and one line in registry.c. The command
// line's list, the ROS parameters, the property tests and the golden results walk that registry, so a planner is
// offered and tested the moment it is listed.

#ifndef FLEETWEAVE__PLANNER_DEF_H_
#define FLEETWEAVE__PLANNER_DEF_H_

#include "fleetweave/fleetweave.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fw_parameter_type_t {
  FW_PARAMETER_INTEGER = 0,
  FW_PARAMETER_BOOLEAN,  // 0 and 1; "true" and "false" as text
  FW_PARAMETER_CHOICE,   // an index into `choices`; the word as text
} fw_parameter_type_t;

typedef struct fw_parameter_def_t {
  const char * name;
  fw_parameter_type_t type;
  int64_t initial;
  int64_t min;
  int64_t max;
  const char * const * choices;  // FW_PARAMETER_CHOICE: max + 1 words
  const char * help;             // one sentence; unit and meaning of special values
} fw_parameter_def_t;

enum { FW_PARAMETERS_MAX = 16 };

struct fw_arena_t;  // base/arena.h
struct fw_meter_t;  // base/meter.h

// Handed to each call of a planner.
typedef struct fw_planner_context_t {
  struct fw_arena_t * keep;     // lives as long as the planner
  struct fw_arena_t * scratch;  // emptied before each solve; the plan's paths live here
  struct fw_meter_t * meter;    // counts expansions and says when to stop
  const int64_t * parameters;   // values in the order of the table
  uint64_t seed;
  int32_t threads;
  void * state;  // the planner's own, set by init
} fw_planner_context_t;

typedef struct fw_planner_def_t {
  const char * name;
  const char * summary;  // one line
  const char * paper;    // author, title, year
  const fw_parameter_def_t * parameters;
  int32_t parameter_count;
  bool is_optimal;       // a solved plan has the least sum of costs; only one with FW_STOP_DONE if there was a limit
  bool may_delay_first;  // the robot of the highest priority may have to wait where others cannot make way in time
  bool goes_on;          // has a use for `horizon` and `since` of a problem: plans a window, and the next from there
  bool is_complete;      // with an unlimited budget it solves whatever can be solved, and proves what cannot
  // May be NULL. Called once; makes `state` in `keep`.
  fw_ret_t (*init)(fw_planner_context_t * context, fw_error_t * error);
  // The problem has been checked and normalised: ticks_per_move, connectivity and footprint_count are never 0.
  // Fills outcome, stop, safe_until, paths (in scratch), lower_bound, first_plan_ns and counters; the caller fills the
  // rest. A planner that runs out of memory (the caller's limit or the allocator) answers with FW_RET_OK, the best it
  // has and FW_STOP_MEMORY if it can, with FW_RET_BAD_ALLOC if it cannot.
  fw_ret_t (*solve)(fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error);
  void (*fini)(fw_planner_context_t * context);  // may be NULL
} fw_planner_def_t;

FW_API int32_t fw_planner_def_count(void);
FW_API const fw_planner_def_t * fw_planner_def_at(int32_t index);        // NULL if out of range
FW_API const fw_planner_def_t * fw_planner_def_find(const char * name);  // NULL if unknown

// Text to value and back, with the reason in `error` ("window must be between 1 and 64, not 0").
FW_API FW_MUST_USE fw_ret_t
fw_parameter_parse(const fw_parameter_def_t * parameter, const char * text, int64_t * value, fw_error_t * error);
FW_API void fw_parameter_format(const fw_parameter_def_t * parameter, int64_t value, char * text, size_t text_size);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__PLANNER_DEF_H_
