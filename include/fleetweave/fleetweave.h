// Fleetweave: timed, collision-free paths for a fleet of robots on one grid.
//
// This is the main header. A complete use of the library:
//
//   fw_grid_t grid = {0};                                   // space
//   fw_grid_read(&grid, "hall.map", NULL, &error);          // <fleetweave/files.h>
//   fw_robot_t robots[] = {{.start = 0, .goal = 9}, {.start = 9, .goal = 0}};
//   fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 4};
//
//   fw_planner_t planner = {0};
//   fw_planner_init(&planner, "hca", NULL, &error);         // a name from `fleetweave list`
//   fw_plan_t plan = {0};
//   fw_planner_solve(&planner, &problem, NULL, &plan, &error);
//   // plan.outcome, plan.paths[robot].cells[tick]
//   fw_planner_fini(&planner);
//
// Rules that apply to every function:
// - Inputs are borrowed for the duration of the call. Outputs that are views (fw_plan_t) stay valid until the planner's
//   next solve or its fini. Only `*_init` and functions that say so allocate memory, and `*_fini` releases it.
//   `{0}` is an empty object and may be passed to `*_fini`.
// - The return code says whether the call worked. "No path" and "out of time" are not errors: they are results,
//   reported in the plan.
// - The library never prints, never exits and keeps no global state. Objects are not locked: use each object from one
//   thread at a time. Different objects may be used from different threads.
// - The same problem, parameters, seed and expansion budget give the same result, byte for byte, for any number of
//   threads. Only a deadline, a cancellation or a failed allocation makes the result depend on time.
// - Every `error` argument may be NULL. If it is not NULL, a call that fails fills it.
// - A planner of your own can be compiled in your project and run by the library: <fleetweave/planner_def.h>.

#ifndef FLEETWEAVE__FLEETWEAVE_H_
#define FLEETWEAVE__FLEETWEAVE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FLEETWEAVE_VERSION "0.1.0"

#if defined(__GNUC__) || defined(__clang__)
#define FW_API __attribute__((visibility("default")))  // exported by the shared library; other symbols are hidden
#define FW_MUST_USE __attribute__((warn_unused_result))
#define FW_PRINTF(text_at, first_at) __attribute__((format(printf, text_at, first_at)))
#else
#define FW_API
#define FW_MUST_USE
#define FW_PRINTF(text_at, first_at)
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Numbers
// ---------------------------------------------------------------------------------------------------------------------

typedef int32_t fw_cell_t;  // y * width + x, with row 0 at the top; FW_CELL_NONE means no cell
typedef int32_t fw_tick_t;  // discrete time; a plan starts at tick 0
typedef int64_t fw_cost_t;

#define FW_CELL_NONE ((fw_cell_t)-1)
#define FW_TICK_MAX ((fw_tick_t)0x3fffffff)  // stands for "forever"; two of them can be added without overflow
#define FW_GRID_SIDE_MAX 16384               // cells along one side of a grid
#define FW_ROBOT_COUNT_MAX 1000000
#define FW_TICKS_PER_MOVE_MAX 8
#define FW_ROBUST_TICKS_MAX 16

// ---------------------------------------------------------------------------------------------------------------------
// Return codes and errors
// ---------------------------------------------------------------------------------------------------------------------

typedef enum fw_ret_t {
  FW_RET_OK = 0,
  FW_RET_ERROR = 1,              // internal failure
  FW_RET_BAD_ALLOC = 10,         // the allocator returned NULL (the values 10 and 11 are those of rcl)
  FW_RET_INVALID_ARGUMENT = 11,  // the caller's data is invalid: error.text says what is wrong, and for which robot
  FW_RET_NOT_FOUND = 12,         // no planner, parameter or file has that name
  FW_RET_FILE = 13,              // a file cannot be read, written or parsed
  FW_RET_UNSUPPORTED = 14,       // a valid problem that this planner does not handle (for example, footprints)
  FW_RET_NO_DEVICE = 15,         // a GPU that the caller requires (backend `cuda`) cannot be used: error.text says why
} fw_ret_t;

// What is wrong with a robot. The values are the error codes of Nav2's planner server.
typedef enum fw_fault_t {
  FW_FAULT_NONE = 0,
  FW_FAULT_INVALID = 200,  // any other invalid value
  FW_FAULT_FRAME = 202,    // not in the frame of the map
  FW_FAULT_START_OUTSIDE = 203,
  FW_FAULT_GOAL_OUTSIDE = 204,
  FW_FAULT_START_OCCUPIED = 205,
  FW_FAULT_GOAL_OCCUPIED = 206,
  FW_FAULT_TIMEOUT = 207,
  FW_FAULT_NO_VALID_PATH = 208,
} fw_fault_t;

typedef struct fw_error_t {
  fw_fault_t fault;
  int32_t robot;   // index of the robot at fault, -1 if none
  fw_cell_t cell;  // the cell at fault, FW_CELL_NONE if none
  char text[256];  // one line for a person to read, without a newline
} fw_error_t;

// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------

// The source of all memory. The library allocates few, large blocks; a planner whose arenas have grown to the size of
// its problems allocates nothing more.
typedef struct fw_allocator_t {
  void * (*allocate)(size_t size_bytes, void * state);  // NULL on failure; aligned like malloc
  void (*deallocate)(void * pointer, void * state);     // `pointer` may be NULL
  void * state;
} fw_allocator_t;

FW_API fw_allocator_t fw_allocator_default(void);  // malloc and free

// ---------------------------------------------------------------------------------------------------------------------
// Space: the grid
// ---------------------------------------------------------------------------------------------------------------------

// One byte of cost per cell: 0 is blocked, 1 is open floor, larger values are floor that robots avoid. Cost is only a
// preference between paths: a move takes the same number of ticks on every cell. To use memory of your own, fill in
// `{.width, .height, .cost}`; fini does not release that memory.
//
// `rules` are the traffic rules of the cells, NULL if there are none. They apply to a robot by its own cell, whatever
// its footprint covers besides:
// - Bits 0 to 7 (FW_RULE_ONE_WAY of a heading): no robot moves in that direction from this cell or to it, unless it was
//   in that motion at the beginning of the plan.
// - FW_RULE_NO_WAITING: a robot may drive and turn here, but not stand. Exceptions: a robot that has not left its start
//   yet, and a robot on its goal. So a goal here is refused unless the robot is there already (fw_problem_check).
// <fleetweave/files.h> reads them from a file of areas. Planners without `has_rules` in their definition refuse a grid
// that has any (FW_RET_UNSUPPORTED).
typedef struct fw_grid_t {
  int32_t width;
  int32_t height;
  uint8_t * cost;
  uint16_t * rules;
  fw_allocator_t allocator;  // the one that `cost` and `rules` come from; zero if the memory is borrowed
} fw_grid_t;

#define FW_RULE_ONE_WAY(heading) ((uint16_t)(1U << (heading)))  // a fw_heading_t: the direction that is forbidden
#define FW_RULE_NO_WAITING ((uint16_t)(1U << 8))

// Starts with all cells blocked. `allocator` may be NULL for fw_allocator_default().
FW_API FW_MUST_USE fw_ret_t
fw_grid_init(fw_grid_t * grid, int32_t width, int32_t height, const fw_allocator_t * allocator, fw_error_t * error);
FW_API void fw_grid_fini(fw_grid_t * grid);
// Gives a grid rules, all 0, if it has none. Not for a grid of borrowed memory.
FW_API FW_MUST_USE fw_ret_t fw_grid_init_rules(fw_grid_t * grid, fw_error_t * error);
// Whether any cell has a rule.
FW_API bool fw_grid_has_rules(const fw_grid_t * grid);

static inline bool fw_grid_contains(const fw_grid_t * grid, int32_t x, int32_t y)
{
  return x >= 0 && y >= 0 && x < grid->width && y < grid->height;
}
static inline fw_cell_t fw_grid_cell(const fw_grid_t * grid, int32_t x, int32_t y) { return y * grid->width + x; }
static inline int32_t fw_grid_x(const fw_grid_t * grid, fw_cell_t cell) { return cell % grid->width; }
static inline int32_t fw_grid_y(const fw_grid_t * grid, fw_cell_t cell) { return cell / grid->width; }
static inline int32_t fw_grid_cell_count(const fw_grid_t * grid) { return grid->width * grid->height; }
static inline bool fw_grid_is_free(const fw_grid_t * grid, int32_t x, int32_t y)
{
  return fw_grid_contains(grid, x, y) && grid->cost[fw_grid_cell(grid, x, y)] != 0;
}
// Whether a robot may stand on the cell, apart from its start and its goal.
static inline bool fw_grid_allows_waiting(const fw_grid_t * grid, fw_cell_t cell)
{
  return grid->rules == NULL || (grid->rules[cell] & FW_RULE_NO_WAITING) == 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Problem: the robots, their starts and their goals
// ---------------------------------------------------------------------------------------------------------------------

typedef struct fw_offset_t {
  int32_t dx;
  int32_t dy;
} fw_offset_t;

// The direction that a robot faces, in eighths of a turn clockwise from east (east is +x, south is +y). The odd values
// (diagonals) occur with connectivity 8 only.
typedef enum fw_heading_t {
  FW_HEADING_EAST = 0,
  FW_HEADING_SOUTH_EAST,
  FW_HEADING_SOUTH,
  FW_HEADING_SOUTH_WEST,
  FW_HEADING_WEST,
  FW_HEADING_NORTH_WEST,
  FW_HEADING_NORTH,
  FW_HEADING_NORTH_EAST,
} fw_heading_t;
#define FW_HEADING_COUNT 8

FW_API const char * fw_heading_name(int32_t heading);  // "east", "south-east", …; "unknown" if not in 0 to 7

typedef struct fw_robot_t {
  fw_cell_t start;
  fw_cell_t goal;
  // Robots of larger priority go first; among equal priorities, the planner's own order and then the index decide. Any
  // value is allowed.
  int32_t priority;
  int32_t ticks_per_move;  // 1 to FW_TICKS_PER_MOVE_MAX; 0 means 1. A diagonal move takes the same time
  // The cells that the robot covers, as offsets from its own cell. NULL and 0: its own cell only. A footprint must
  // contain (0, 0).
  const fw_offset_t * footprint;
  int32_t footprint_count;
  // 0: the robot has no heading. It moves in any direction and its footprint never turns.
  //
  // 1 to FW_TICKS_PER_MOVE_MAX: the robot has a heading and only moves straight ahead. Turning on the spot by one step
  // (a quarter turn with connectivity 4, an eighth with 8) takes this many ticks. The footprint is given for heading
  // east and turns with the robot: each quarter turn maps (dx, dy) to (-dy, dx). At a diagonal heading the robot covers
  // the cells whose centre, turned back by an eighth, lies in a cell of the footprint at the quarter turn before. The
  // robot may arrive at its goal with any heading.
  int32_t turn_ticks;
  int32_t heading;    // at the start, a fw_heading_t; 0 for a robot without heading
  bool sweeps_sides;  // a diagonal move also covers the two cells beside it, for each cell of the footprint
  int32_t id;         // identifies the robot across solves (see `since`), 0 or more; if all are 0, the index does
  // For a robot that is in motion when the plan begins (a motion of more than one tick): it arrives at `start`, with
  // `heading`, at tick `arrives`, and comes from cell `from` with `from_heading`. `arrives` is less than the duration
  // of the motion, which cannot be interrupted. 0: the robot stands on its start, and the other two are ignored.
  fw_tick_t arrives;
  fw_cell_t from;
  int32_t from_heading;
} fw_robot_t;

// Keeps a cell free of robots for some time: a door, a lift, a robot that is not part of the fleet. No robot may cover
// `cell` on the ticks from `from` to `to`, both included; entering it at tick `to` + 1 is allowed. A `to` of
// FW_TICK_MAX closes it forever.
typedef struct fw_closure_t {
  fw_cell_t cell;
  fw_tick_t from;
  fw_tick_t to;
} fw_closure_t;

// Two robots are in conflict, by the cells of their footprints, when
// - both cover one cell at the same tick (vertex conflict);
// - one leaves a cell that the other enters, while the other leaves the cell that the first enters (swap or edge
//   conflict);
// - two diagonal moves cross between the same four cells.
// A robot may enter a cell in the tick in which another leaves it (following, and the rotation of a ring), unless
// `robust_ticks` k > 0: then a cell stays reserved for k ticks after it was left. Use k >= 1 for real robots.
//
// A robot that moves from tick t to t + s, or turns from t to t + s, covers
// - the footprint that it leaves, on the ticks t + 1 to t + s - 1 (none if s is 1: the robot has left them one tick
//   after departure);
// - the footprint where it ends, on t + 1 to t + s;
// - on a diagonal, if it sweeps its sides, the cells beside the move, on t + 1 to t + s;
// - on a turn, on t + 1 to t + s, every cell that is touched when each cell of the footprint, as a disc of one cell's
//   diameter, travels around the robot's centre; the cells on which a disc starts and ends are not counted here.
// All these cells must be free of other robots (robust ticks included), of closures, and of obstacles. A diagonal
// needs both side cells free of obstacles even if they are not swept, unless the problem allows cutting corners. Swaps
// and crossings are judged by the footprints at the ends of the move. A robot on its goal stays there and keeps
// blocking it.
//
// Closures may overlap each other and may lie on obstacles. They forbid covering a cell, nothing else: a diagonal that
// does not sweep its sides may pass beside a closed cell, and a plan need not keep `robust_ticks` from closures (the
// planners of this library do).
typedef struct fw_problem_t {
  const fw_grid_t * grid;
  const fw_robot_t * robots;
  int32_t robot_count;
  int32_t connectivity;  // 4 or 8; 0 means 4
  // A diagonal move only needs its end to be free of obstacles, so that robots pass between two obstacles that touch
  // at a corner, as in some papers (Standley 2010). Crossing diagonals and swaps are still forbidden. Requires
  // connectivity 8 and robots of one cell without heading that sweep no sides; they may take several ticks per move.
  bool cuts_corners;
  int32_t robust_ticks;  // 0 to FW_ROBUST_TICKS_MAX
  const fw_closure_t * closures;
  int32_t closure_count;
  // Rolling horizon, for fleets that run without end: goals change, robots come and go, and each solve extends the plan
  // by some ticks. Planners without `goes_on` in their definition ignore both fields and always plan anew, to the end.
  //
  // `horizon`: 0 for a plan until all robots have arrived. Otherwise a plan of this many ticks is enough: the outcome
  // is "partial" while not all robots arrive, and `safe_until` is not before the horizon unless the budget ran out.
  // Robots may share goals in this mode; they take turns.
  //
  // `since`: 0 starts from nothing. Otherwise this many ticks of the planner's previous plan have been executed, and
  // each robot with the same id is where that plan puts it at this tick (use fw_robot_advance). Robots that are
  // somewhere else count as new ones, and robots whose id is missing have left. The planner may then start warm, from
  // its previous plan: only robots that are new, that have a new goal or that are near the end of their window plan
  // again. If the map or the rules have changed, it plans anew.
  fw_tick_t horizon;
  fw_tick_t since;
} fw_problem_t;

// Checks everything that a planner relies on:
// - the sides of the grid, the connectivity, and that every value is in its range;
// - each robot's start and goal lie in the grid, and its whole footprint there is on free floor, as is the motion of a
//   robot that is under way (a robot with a heading: at its goal with at least one heading);
// - no goal is on a cell with FW_RULE_NO_WAITING, unless it is the robot's start;
// - no two robots overlap at their starts or at their goals (of a robot with a heading, only its own cell at the goal
//   counts);
// - no closure covers a robot's start at tick 0.
// `fw_planner_solve` calls it first. On FW_RET_INVALID_ARGUMENT `error` names the robot and the cell. A goal that is
// closed forever is not an error: the plan's outcome reports it.
FW_API FW_MUST_USE fw_ret_t fw_problem_check(const fw_problem_t * problem, fw_error_t * error);

// ---------------------------------------------------------------------------------------------------------------------
// Plan: the result
// ---------------------------------------------------------------------------------------------------------------------

// cells[t] is the robot's cell at tick t, for 0 <= t < length; after that it stays on the last cell. A robot that
// takes s ticks for a move is listed on the cell that it leaves until it arrives: it departs s ticks before its
// arrival. In the same way, a robot that turns is listed with its old heading until the turn is complete, and a robot
// that is in motion at tick 0 is listed with `from` and `from_heading` until it arrives.
typedef struct fw_path_t {
  const fw_cell_t * cells;
  int32_t length;            // at least 1
  const uint8_t * headings;  // by tick, like `cells`; NULL for a robot without heading
} fw_path_t;

static inline fw_cell_t fw_path_at(const fw_path_t * path, fw_tick_t tick)
{
  return path->cells[tick < path->length ? tick : path->length - 1];
}
// The heading at a tick; east for a robot without heading.
static inline int32_t fw_path_heading(const fw_path_t * path, fw_tick_t tick)
{
  return path->headings == NULL ? 0 : path->headings[tick < path->length ? tick : path->length - 1];
}

// Moves the robot to where its path puts it at `tick`, for the next problem of a rolling horizon: sets its start and
// heading and, if it is in motion at that tick, `arrives`, `from` and `from_heading`.
FW_API void fw_robot_advance(fw_robot_t * robot, const fw_path_t * path, fw_tick_t tick);

typedef enum fw_outcome_t {
  FW_OUTCOME_NONE = 0,
  FW_OUTCOME_SOLVED,      // every robot reaches its goal and stays there
  FW_OUTCOME_PARTIAL,     // not all robots arrive; free of conflicts up to safe_until
  FW_OUTCOME_UNSOLVABLE,  // proved: no plan exists (a robot cannot reach its goal, or a complete search ended)
} fw_outcome_t;

typedef enum fw_stop_t {
  FW_STOP_DONE = 0,  // the planner finished
  FW_STOP_DEADLINE,
  FW_STOP_EXPANSIONS,
  FW_STOP_CANCELLED,
  FW_STOP_MEMORY,
} fw_stop_t;

// A number that a planner reports about its own work, for example "orders_tried".
typedef struct fw_counter_t {
  const char * name;  // static text, words joined by underscores
  int64_t value;
} fw_counter_t;

#define FW_COUNTERS_MAX 12
#define FW_DEVICE_NAME_SIZE 64
#define FW_DEVICE_NOTE_SIZE 192

typedef struct fw_stats_t {
  // Every tick costs 1, except waiting on the robot's own goal (turning there costs). For a robot that does not arrive:
  // the ticks that its path lists.
  fw_cost_t sum_of_costs;
  fw_cost_t lower_bound;  // no plan has a smaller sum of costs; 0 if the planner does not know one
  fw_tick_t makespan;     // the tick of the last robot's last motion
  int64_t expanded;       // search nodes expanded, over all searches
  int64_t elapsed_ns;
  int64_t first_plan_ns;     // from the call to the first complete plan; 0 if there was none
  size_t memory_peak_bytes;  // the peak of the planner's own memory
  fw_counter_t counters[FW_COUNTERS_MAX];
  int32_t counter_count;
  // Of planners that can use a GPU (`rtaa`), else "":
  char backend[16];                  // where the plan was computed last: "cpu" or "cuda"
  char device[FW_DEVICE_NAME_SIZE];  // the GPU's name, "" for the CPU
  // One line, else "": of planners that can use a GPU, why it was not used, or where the CPU took over; of `ca`, `hca`
  // and `whca` with strict priorities, which robot would have to give way for the plan to be solved.
  char note[FW_DEVICE_NOTE_SIZE];
} fw_stats_t;

// A view: `paths` and `groups` belong to the planner. Every robot has a path, at worst one that waits at its start;
// where a start closes later, waiting there is safe up to the tick before only.
typedef struct fw_plan_t {
  fw_outcome_t outcome;
  fw_stop_t stop;
  // Free of conflicts up to and including this tick; FW_TICK_MAX for a solved plan. Do not execute the plan beyond it.
  fw_tick_t safe_until;
  const fw_path_t * paths;
  int32_t robot_count;
  // By robot: robots with the same number were planned jointly. NULL if the planner does not report it.
  const int32_t * groups;
  fw_stats_t stats;
} fw_plan_t;

FW_API const char * fw_outcome_name(fw_outcome_t outcome);  // "solved", "partial", "unsolvable"
FW_API const char * fw_stop_name(fw_stop_t stop);           // "done", "deadline", "expansions", "cancelled", "memory"

// ---------------------------------------------------------------------------------------------------------------------
// Planner
// ---------------------------------------------------------------------------------------------------------------------

typedef struct fw_planner_options_t {
  fw_allocator_t allocator;
  size_t memory_max_bytes;  // limit for all memory of the planner together; SIZE_MAX: none
  int32_t threads;          // 1 or more; changes the run time, never the result
  uint64_t seed;
} fw_planner_options_t;

FW_API fw_planner_options_t fw_planner_options_default(void);  // malloc, 2 GiB, 1 thread, seed 0

// Limits of one solve; `{0}` is no limit. Clock and callback are queried every few hundred expansions.
typedef struct fw_budget_t {
  int64_t deadline_ns;                 // absolute, on fw_clock_now_ns() or on `now_ns`; 0 for none
  int64_t expansions_max;              // 0 for none; unlike a deadline it gives the same result every time
  bool (*is_cancelled)(void * state);  // NULL: never; called from the thread that solves
  void * cancel_state;
  int64_t (*now_ns)(void * state);  // another clock for the deadline, which must never go back; NULL: fw_clock_now_ns()
  void * now_state;
} fw_budget_t;

FW_API int64_t fw_clock_now_ns(void);  // the monotonic clock

struct fw_planner_def_t;  // <fleetweave/planner_def.h>
struct fw_planner_impl_t;

typedef struct fw_planner_t {
  struct fw_planner_impl_t * impl;
} fw_planner_t;

// A planner of the library by its name. `options` may be NULL for the defaults. With FW_RET_NOT_FOUND, `error` lists
// the names that exist.
FW_API FW_MUST_USE fw_ret_t
fw_planner_init(fw_planner_t * planner, const char * name, const fw_planner_options_t * options, fw_error_t * error);
// A planner by its definition, which may be your own (<fleetweave/planner_def.h>). `def` and everything that it points
// to must outlive the planner. FW_RET_INVALID_ARGUMENT if the definition is incomplete (fw_planner_def_check).
FW_API FW_MUST_USE fw_ret_t fw_planner_init_with(
  fw_planner_t * planner, const struct fw_planner_def_t * def, const fw_planner_options_t * options,
  fw_error_t * error);
FW_API void fw_planner_fini(fw_planner_t * planner);

// Sets a parameter of the planner from text ("16", "true", "octile"). An invalid value changes nothing.
FW_API FW_MUST_USE fw_ret_t
fw_planner_set(fw_planner_t * planner, const char * parameter, const char * value, fw_error_t * error);
// Writes the current value as text into `text`. FW_RET_NOT_FOUND if the planner has no such parameter.
FW_API FW_MUST_USE fw_ret_t
fw_planner_get(const fw_planner_t * planner, const char * parameter, char * text, size_t text_size, fw_error_t * error);
FW_API const struct fw_planner_def_t * fw_planner_definition(const fw_planner_t * planner);

// Plans. `budget` may be NULL for no limit. Returns FW_RET_OK whenever there is a plan, whatever its outcome; the plan
// is a view until the next solve. On any other return `plan` is `{0}`. If the outcome is "unsolvable" because of one
// robot, `error` names that robot (fault FW_FAULT_NO_VALID_PATH) although the call returns FW_RET_OK.
//
// One planner may solve one problem after another; the results are independent of each other unless the problem
// continues the previous one (`since`).
FW_API FW_MUST_USE fw_ret_t fw_planner_solve(
  fw_planner_t * planner, const fw_problem_t * problem, const fw_budget_t * budget, fw_plan_t * plan,
  fw_error_t * error);

// ---------------------------------------------------------------------------------------------------------------------
// Check: validates plans. Shares no code with the planners, so that it finds their mistakes.
// ---------------------------------------------------------------------------------------------------------------------

typedef enum fw_conflict_kind_t {
  FW_CONFLICT_NONE = 0,
  FW_CONFLICT_SHAPE,     // the number of paths is not that of the robots, a path is empty, or lacks headings
  FW_CONFLICT_START,     // a path does not begin with the robot's start and heading, or with its motion under way
  FW_CONFLICT_OBSTACLE,  // a robot outside the grid or on a blocked cell
  FW_CONFLICT_MOVE,      // a jump, a forbidden diagonal, a cut corner, a move that is too fast or not straight ahead,
                         // a turn that is too fast, too far or against an obstacle
  FW_CONFLICT_CELL,      // two robots on one cell, during motions included
  FW_CONFLICT_SWAP,      // two robots exchange cells
  FW_CONFLICT_CROSSING,  // two diagonal moves cross
  FW_CONFLICT_ROBUST,    // a cell entered less than robust_ticks after it was left
  FW_CONFLICT_GOAL,      // a path of a complete plan does not end on the goal
  FW_CONFLICT_CLOSED,    // a robot on a cell while it is closed
  FW_CONFLICT_ONE_WAY,   // a move in a direction that a rule of the grid forbids
  FW_CONFLICT_WAIT,      // a robot stands where a rule of the grid forbids waiting
} fw_conflict_kind_t;

typedef struct fw_conflict_t {
  fw_conflict_kind_t kind;
  int32_t robot;  // the robot, or the one with the smaller index of two
  int32_t other;  // the other robot, -1 if none
  fw_tick_t tick;
  fw_cell_t cell;
} fw_conflict_t;

// Finds the earliest conflict on the ticks 0 to `until`; kind FW_CONFLICT_NONE means that there is none. An `until` of
// FW_TICK_MAX checks the whole plan forever and requires that every robot ends on its goal.
FW_API FW_MUST_USE fw_ret_t fw_check_paths(
  const fw_problem_t * problem, const fw_path_t * paths, int32_t path_count, fw_tick_t until,
  const fw_allocator_t * allocator, fw_conflict_t * conflict, fw_error_t * error);

// The same for a plan, up to its safe_until.
FW_API FW_MUST_USE fw_ret_t fw_check_plan(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_allocator_t * allocator, fw_conflict_t * conflict,
  fw_error_t * error);

FW_API const char * fw_conflict_kind_name(fw_conflict_kind_t kind);
// Writes a sentence such as "robots 3 and 5 swap cells (4,7) and (5,7) between ticks 11 and 12", without a newline.
FW_API void fw_conflict_describe(
  const fw_problem_t * problem, const fw_conflict_t * conflict, char * text, size_t text_size);

// Sum of costs and makespan of paths, as in fw_stats_t.
FW_API fw_cost_t fw_paths_sum_of_costs(const fw_problem_t * problem, const fw_path_t * paths);
FW_API fw_tick_t fw_paths_makespan(const fw_path_t * paths, int32_t path_count);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__FLEETWEAVE_H_
