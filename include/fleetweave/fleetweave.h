// Fleetweave: timed, collision-free paths for a fleet of robots on one grid.
//
// This is the header a user reads. The whole library in one breath:
//
//   fw_grid_t grid = {0};                                   // space
//   fw_grid_read(&grid, "hall.map", NULL, &error);          // <fleetweave/files.h>
//   fw_robot_t robots[] = {{.start = 0, .goal = 9}, {.start = 9, .goal = 0}};
//   fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 4};
//
//   fw_planner_t planner = {0};
//   fw_planner_init(&planner, "hca", NULL, &error);         // any name of `fleetweave list`
//   fw_plan_t plan = {0};
//   fw_planner_solve(&planner, &problem, NULL, &plan, &error);
//   // plan.outcome, plan.paths[robot].cells[tick]
//   fw_planner_fini(&planner);
//
// Rules that hold everywhere:
// - Inputs are borrowed for the length of the call. Outputs that are views (fw_plan_t) stay valid until the next
//   solve or the planner's fini. Only `*_init` and calls that say so own memory, and `*_fini` gives it back;
//   `{0}` is an empty object and may be passed to `*_fini`.
// - A return code says whether the call worked. "No path" and "out of time" are answers, found in the plan.
// - Nothing prints, exits, or keeps global state. Objects are not locked: use each from one thread at a time.
// - Same problem, same parameters, same seed and same count budget give the same bytes, for any number of threads.
//   Only a deadline, a cancellation or a failing allocation makes the clock part of the answer.
// - `error` may be NULL wherever it is asked for; where it is not, a failing call fills it.

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
#define FW_API __attribute__((visibility("default")))  // exported by the shared library; all else is hidden
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

typedef int32_t fw_cell_t;  // y * width + x, row 0 first; FW_CELL_NONE is no cell
typedef int32_t fw_tick_t;  // discrete time, from 0 at the start of a plan
typedef int64_t fw_cost_t;

#define FW_CELL_NONE ((fw_cell_t)-1)
#define FW_TICK_MAX ((fw_tick_t)0x3fffffff)  // "for ever"; far from overflow when ticks are added
#define FW_GRID_SIDE_MAX 16384               // cells along one side of a grid
#define FW_ROBOT_COUNT_MAX 1000000
#define FW_TICKS_PER_MOVE_MAX 8
#define FW_ROBUST_TICKS_MAX 16

// ---------------------------------------------------------------------------------------------------------------------
// Return codes and errors
// ---------------------------------------------------------------------------------------------------------------------

typedef enum fw_ret_t {
  FW_RET_OK = 0,
  FW_RET_ERROR = 1,              // something inside failed
  FW_RET_BAD_ALLOC = 10,         // the allocator returned NULL (numbers as in rcl)
  FW_RET_INVALID_ARGUMENT = 11,  // the caller's data is wrong: error.text says what, and for which robot
  FW_RET_NOT_FOUND = 12,         // no planner, parameter or file of that name
  FW_RET_FILE = 13,              // a file cannot be read, written or understood
  FW_RET_UNSUPPORTED = 14,       // a correct problem that this planner does not handle (say, footprints)
} fw_ret_t;

// What is wrong with a robot, in the numbers of Nav2's planner server.
typedef enum fw_fault_t {
  FW_FAULT_NONE = 0,
  FW_FAULT_INVALID = 200,  // any other bad value
  FW_FAULT_START_OUTSIDE = 203,
  FW_FAULT_GOAL_OUTSIDE = 204,
  FW_FAULT_START_OCCUPIED = 205,
  FW_FAULT_GOAL_OCCUPIED = 206,
  FW_FAULT_TIMEOUT = 207,
  FW_FAULT_NO_VALID_PATH = 208,
} fw_fault_t;

typedef struct fw_error_t {
  fw_fault_t fault;
  int32_t robot;   // the robot concerned, -1 if none
  fw_cell_t cell;  // the cell concerned, FW_CELL_NONE if none
  char text[256];  // one line for a person, without a newline
} fw_error_t;

// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------

// Where memory comes from. Used in few large blocks; a planner that has warmed up asks for none.
typedef struct fw_allocator_t {
  void * (*allocate)(size_t size_bytes, void * state);  // NULL when there is none; aligned as malloc
  void (*deallocate)(void * pointer, void * state);     // NULL is fine
  void * state;
} fw_allocator_t;

FW_API fw_allocator_t fw_allocator_default(void);  // malloc and free

// ---------------------------------------------------------------------------------------------------------------------
// Space: the grid
// ---------------------------------------------------------------------------------------------------------------------

// One byte of cost per cell: 0 blocked, 1 open floor, more is less liked. Cost is a preference between ways; a move
// takes the same number of ticks on every cell. A grid over memory of your own is `{.width, .height, .cost}`: fini
// leaves that memory alone.
typedef struct fw_grid_t {
  int32_t width;
  int32_t height;
  uint8_t * cost;
  fw_allocator_t allocator;  // owner of `cost`; zero for borrowed memory
} fw_grid_t;

// All cells blocked. `allocator` may be NULL for the default one.
FW_API FW_MUST_USE fw_ret_t
fw_grid_init(fw_grid_t * grid, int32_t width, int32_t height, const fw_allocator_t * allocator, fw_error_t * error);
FW_API void fw_grid_fini(fw_grid_t * grid);

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

// ---------------------------------------------------------------------------------------------------------------------
// Problem: who is where, and wants to go where
// ---------------------------------------------------------------------------------------------------------------------

typedef struct fw_offset_t {
  int32_t dx;
  int32_t dy;
} fw_offset_t;

// Which way a robot faces, in eighths of a turn clockwise from east (the direction of +x; south is +y). The odd ones are
// for connectivity 8 alone.
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

FW_API const char * fw_heading_name(int32_t heading);  // "east", "south-east", …; "unknown" outside 0 to 7

typedef struct fw_robot_t {
  fw_cell_t start;
  fw_cell_t goal;
  int32_t priority;        // larger goes first; equal falls back to the planner's order, then to the index
  int32_t ticks_per_move;  // speed: 1 to FW_TICKS_PER_MOVE_MAX, 0 is read as 1; a diagonal takes the same time
  // Cells that the robot covers, as offsets from its own. NULL and 0: its own cell. A set that is given must have (0, 0).
  const fw_offset_t * footprint;
  int32_t footprint_count;
  // 0: the robot has no heading, moves in any direction and keeps its footprint as it is. 1 to FW_TICKS_PER_MOVE_MAX: it
  // has a heading, moves straight ahead only, and takes that many ticks to turn on the spot by one step: a quarter turn
  // for connectivity 4, an eighth for 8. Its footprint, given for heading east, turns with it: by quarters exactly,
  // (dx, dy) to (-dy, dx) for each; at the headings between it covers the cells whose centre, turned back by an eighth,
  // lies in a cell of the footprint (at the quarter before). It may end on its goal with any heading.
  int32_t turn_ticks;
  int32_t heading;    // at the start, a fw_heading_t; 0 for a robot without
  bool sweeps_sides;  // on a diagonal move it covers the two cells beside it as well, those of each footprint cell
  int32_t id;         // who it is from one solve to the next; see `since`. 0 or more; all 0: the index says it
  // A robot that is under way when the plan begins, on a motion of more than one tick: it arrives on `start`, with
  // `heading`, at tick `arrives`, which is less than the ticks of that motion, and comes from `from` with `from_heading`.
  // Until then it can do nothing else. 0: it stands on its start, and the other two mean nothing.
  fw_tick_t arrives;
  fw_cell_t from;
  int32_t from_heading;
} fw_robot_t;

// A reservation that is no robot's: a door, a lift, somebody else's robot. Nobody may cover `cell` on the ticks from
// `from` to `to`, both included; entering it at `to` + 1 is allowed. FW_TICK_MAX in `to`: for ever.
typedef struct fw_closure_t {
  fw_cell_t cell;
  fw_tick_t from;
  fw_tick_t to;
} fw_closure_t;

// Conflicts between two robots, by the cells of their footprints:
// - both on one cell at a tick;
// - one leaves a cell that the other enters while the other leaves the cell that the one enters (swap);
// - two diagonal moves that cross between the same four cells.
// Entering a cell in the tick in which another leaves it is allowed (following, and the rotation of a ring), unless
// `robust_ticks` k > 0: then a cell stays reserved for k ticks after it was left. Use k >= 1 for real robots.
// What a robot covers while it moves from tick t to t + s, or turns from t to t + s:
// - the footprint that it leaves on the ticks t + 1 to t + s - 1 (none if s is 1: it is left at once);
// - the footprint at the end on t + 1 to t + s;
// - on a diagonal of a robot that sweeps its sides, the side cells on t + 1 to t + s;
// - on a turn, on t + 1 to t + s, every cell that a disc of one cell's diameter in place of each of its cells reaches into
//   on its way around the robot's own centre, but for the cells on which that disc begins and ends.
// All these are free of other robots, robust ticks included, of closures, and of obstacles. A diagonal needs both side
// cells free of obstacles even if they are not swept, unless the problem lets robots cut corners. Swaps and crossings
// are those of the footprints at the listed places. A robot on its goal stays there and goes on blocking it.
// Closures may overlap each other and lie on obstacles. They are walls in time only: a diagonal that does not sweep its
// sides may pass a closed side cell, and nothing need keep `robust_ticks` from closures (the planners that there are do).
typedef struct fw_problem_t {
  const fw_grid_t * grid;
  const fw_robot_t * robots;
  int32_t robot_count;
  int32_t connectivity;  // 4 or 8; 0 is read as 4
  // A diagonal needs nothing but its end free of obstacles: robots pass between two that touch at a corner, as in some
  // papers (Standley 2010). Two robots still may not cross on diagonals, nor swap. For connectivity 8 and robots of one
  // cell that have no heading and sweep no sides; they may take several ticks per move.
  bool cuts_corners;
  int32_t robust_ticks;  // 0 to FW_ROBUST_TICKS_MAX
  const fw_closure_t * closures;
  int32_t closure_count;
  // Rolling use, for fleets that never end: goals change, robots come and go, and the plan is made a little further with
  // each solve. Planners that have no use for these two ignore them and plan anew, to the end.
  // `horizon`: 0 for a plan until everybody has arrived. Else that many ticks are enough: the outcome is "partial" as
  // long as not all arrive, with `safe_until` not before the horizon unless the budget ran out. Robots may share goals
  // then; they take turns.
  // `since`: 0 for a new story. Else that many ticks of this planner's last plan have been driven, and each robot of the
  // same id is where that plan has it (fw_robot_advance; others are new, or have been moved by hand, and those that are not there any
  // more are gone). The planner may go on from what it had: only robots that are new, have a new goal or are at the end
  // of their window plan again. If the map or the rules have changed it plans anew.
  fw_tick_t horizon;
  fw_tick_t since;
} fw_problem_t;

// Checks everything that a planner relies on: grid sides, connectivity, every robot's start and goal inside the grid
// and on free floor with its whole footprint, on the way for one that is under way (a robot with a heading: at its goal with one of its headings), no two
// robots overlapping at the start or at their goals (a robot with a heading has only its own cell there for certain), no
// closure over a robot's start at tick 0, values in range. `fw_planner_solve` calls it first. FW_RET_INVALID_ARGUMENT names the robot
// and the cell in `error`. A goal that is closed for ever is no error: the plan's outcome says what comes of it.
FW_API FW_MUST_USE fw_ret_t fw_problem_check(const fw_problem_t * problem, fw_error_t * error);

// ---------------------------------------------------------------------------------------------------------------------
// Plan: the answer
// ---------------------------------------------------------------------------------------------------------------------

// cells[t] is where the robot is at tick t, for 0 <= t < length; afterwards it stays on the last cell. A robot that
// takes s ticks for a move is listed on the cell that it leaves until it arrives: it departs s ticks before arrival. In
// the same way a robot that turns is listed with the old heading until the turn is complete, and one that is under way
// at tick 0 on what it comes from until it arrives.
typedef struct fw_path_t {
  const fw_cell_t * cells;
  int32_t length;            // at least 1
  const uint8_t * headings;  // by tick, as the cells; NULL for a robot without heading
} fw_path_t;

static inline fw_cell_t fw_path_at(const fw_path_t * path, fw_tick_t tick)
{
  return path->cells[tick < path->length ? tick : path->length - 1];
}
// East for a robot without heading.
static inline int32_t fw_path_heading(const fw_path_t * path, fw_tick_t tick)
{
  return path->headings == NULL ? 0 : path->headings[tick < path->length ? tick : path->length - 1];
}

// Puts the robot where its path has it at a tick, for the next problem of a rolling fleet: its start and heading, and
// where it comes from if it is under way then (`arrives`, `from`, `from_heading`).
FW_API void fw_robot_advance(fw_robot_t * robot, const fw_path_t * path, fw_tick_t tick);

typedef enum fw_outcome_t {
  FW_OUTCOME_NONE = 0,
  FW_OUTCOME_SOLVED,      // every robot reaches its goal and stays there
  FW_OUTCOME_PARTIAL,     // not all arrive; safe up to safe_until
  FW_OUTCOME_UNSOLVABLE,  // proved: no plan exists (at least one robot cannot reach its goal, or a full search ended)
} fw_outcome_t;

typedef enum fw_stop_t {
  FW_STOP_DONE = 0,  // the planner had nothing more to do
  FW_STOP_DEADLINE,
  FW_STOP_EXPANSIONS,
  FW_STOP_CANCELLED,
  FW_STOP_MEMORY,
} fw_stop_t;

// A planner's own number, for people who look closer ("orders tried", "promotions").
typedef struct fw_counter_t {
  const char * name;  // static text, words with underscores
  int64_t value;
} fw_counter_t;

#define FW_COUNTERS_MAX 12

typedef struct fw_stats_t {
  // Every tick costs 1, but for waiting on one's own goal (a turn there costs). Of a robot that does not arrive, the
  // ticks that its path lists.
  fw_cost_t sum_of_costs;
  fw_cost_t lower_bound;  // no plan can have a smaller sum of costs; 0 if the planner ended before it knew
  fw_tick_t makespan;     // the tick at which the last robot arrives or has turned for good
  int64_t expanded;       // search nodes taken from open lists, all searches together
  int64_t elapsed_ns;
  int64_t first_plan_ns;     // from the call until the first complete plan, 0 if there was none
  size_t memory_peak_bytes;  // the planner's own memory, at its highest
  fw_counter_t counters[FW_COUNTERS_MAX];
  int32_t counter_count;
} fw_stats_t;

// A view: `paths` belongs to the planner. There is always a path for each robot, at worst one that waits at the start;
// where a start closes later, even that is safe only up to the tick before.
typedef struct fw_plan_t {
  fw_outcome_t outcome;
  fw_stop_t stop;
  fw_tick_t safe_until;  // collision-free up to and including this tick; FW_TICK_MAX when solved. Execute no further.
  const fw_path_t * paths;
  int32_t robot_count;
  // By robot: robots with one number were planned together, the others apart. NULL where the planner does not say.
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
  size_t memory_max_bytes;  // for all that the planner holds
  int32_t threads;          // 1 or more; changes the time, never the answer
  uint64_t seed;
} fw_planner_options_t;

FW_API fw_planner_options_t fw_planner_options_default(void);  // malloc, 2 GiB, 1 thread, seed 0

// What one solve may use up. `{0}` is no limit. Asked every few hundred expansions.
typedef struct fw_budget_t {
  int64_t deadline_ns;                 // on fw_clock_now_ns() or the clock below, 0 for none
  int64_t expansions_max;              // 0 for none; the budget of tests, since it gives the same answer every time
  bool (*is_cancelled)(void * state);  // NULL for never; called from the thread that solves
  void * cancel_state;
  int64_t (*now_ns)(void * state);  // another clock for the deadline, which must not go back; NULL: fw_clock_now_ns()
  void * now_state;
} fw_budget_t;

FW_API int64_t fw_clock_now_ns(void);  // monotonic

struct fw_planner_def_t;  // <fleetweave/planner_def.h>
struct fw__planner_t;

typedef struct fw_planner_t {
  struct fw__planner_t * impl;
} fw_planner_t;

// `options` may be NULL for the defaults. FW_RET_NOT_FOUND lists the names there are.
FW_API FW_MUST_USE fw_ret_t
fw_planner_init(fw_planner_t * planner, const char * name, const fw_planner_options_t * options, fw_error_t * error);
FW_API void fw_planner_fini(fw_planner_t * planner);

// Parameters of the planner's table, as text ("16", "true", "octile"). A value that does not fit changes nothing.
FW_API FW_MUST_USE fw_ret_t
fw_planner_set(fw_planner_t * planner, const char * parameter, const char * value, fw_error_t * error);
// The present value as text, into `text`; FW_RET_NOT_FOUND if there is no such parameter.
FW_API FW_MUST_USE fw_ret_t
fw_planner_get(const fw_planner_t * planner, const char * parameter, char * text, size_t text_size, fw_error_t * error);
FW_API const struct fw_planner_def_t * fw_planner_definition(const fw_planner_t * planner);

// Plans. `budget` may be NULL for none. Returns FW_RET_OK whenever there is an answer, whatever its outcome; the plan
// is a view until the next solve. On any other return `plan` is `{0}`. Where the outcome is "unsolvable" because of one
// robot, `error` names it although the call returns FW_RET_OK (fault FW_FAULT_NO_VALID_PATH).
// A planner may be used for one problem after another; the answers do not depend on those before unless the problem goes
// on from them (`since`).
FW_API FW_MUST_USE fw_ret_t fw_planner_solve(
  fw_planner_t * planner, const fw_problem_t * problem, const fw_budget_t * budget, fw_plan_t * plan,
  fw_error_t * error);

// ---------------------------------------------------------------------------------------------------------------------
// Check: is this plan what it says? Written apart from the planners and sharing no code with them.
// ---------------------------------------------------------------------------------------------------------------------

typedef enum fw_conflict_kind_t {
  FW_CONFLICT_NONE = 0,
  FW_CONFLICT_SHAPE,     // not as many paths as robots, an empty path, or one without the headings of its robot
  FW_CONFLICT_START,     // a path that does not begin at the robot's start, with its heading, or does not arrive there
  FW_CONFLICT_OBSTACLE,  // outside the grid, or on a blocked cell
  FW_CONFLICT_MOVE,  // a jump, a diagonal where there is none, a cut corner, a move that is too fast or not straight
                     // ahead, a turn that is too fast, too far or against an obstacle
  FW_CONFLICT_CELL,  // two robots on one cell, on the way included
  FW_CONFLICT_SWAP,  // two robots exchange cells
  FW_CONFLICT_CROSSING,  // two diagonals cross
  FW_CONFLICT_ROBUST,    // a cell entered less than robust_ticks after it was left
  FW_CONFLICT_GOAL,      // a complete plan whose path does not end on the goal
  FW_CONFLICT_CLOSED,    // a robot on a cell while it is closed
} fw_conflict_kind_t;

typedef struct fw_conflict_t {
  fw_conflict_kind_t kind;
  int32_t robot;  // the robot concerned, of two the one with the smaller index
  int32_t other;  // the other robot, -1 if none
  fw_tick_t tick;
  fw_cell_t cell;
} fw_conflict_t;

// Looks at ticks 0 to `until` and finds the earliest conflict; kind FW_CONFLICT_NONE means that there is none.
// `until` = FW_TICK_MAX looks at the whole plan for ever and also asks that every robot ends on its goal.
FW_API FW_MUST_USE fw_ret_t fw_check_paths(
  const fw_problem_t * problem, const fw_path_t * paths, int32_t path_count, fw_tick_t until,
  const fw_allocator_t * allocator, fw_conflict_t * conflict, fw_error_t * error);

// The same for a plan up to its safe_until.
FW_API FW_MUST_USE fw_ret_t fw_check_plan(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_allocator_t * allocator, fw_conflict_t * conflict,
  fw_error_t * error);

FW_API const char * fw_conflict_kind_name(fw_conflict_kind_t kind);
// "robots 3 and 5 swap cells (4,7) and (5,7) between ticks 11 and 12", without a newline.
FW_API void fw_conflict_describe(
  const fw_problem_t * problem, const fw_conflict_t * conflict, char * text, size_t text_size);

// Sum of costs and makespan of some paths, as in fw_stats_t.
FW_API fw_cost_t fw_paths_sum_of_costs(const fw_problem_t * problem, const fw_path_t * paths);
FW_API fw_tick_t fw_paths_makespan(const fw_path_t * paths, int32_t path_count);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__FLEETWEAVE_H_
