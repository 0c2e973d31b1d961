// Maps, scenarios, fleets, closures and plans as files, and maps from a seed.
//
// Texts are those of the MovingAI benchmark (.map, .scen) and of public plan visualisers (plans). Readers take what
// people have: any line ending, blank lines, a missing last newline; an error names the file, the line and what was
// expected there.

#ifndef FLEETWEAVE__FILES_H_
#define FLEETWEAVE__FILES_H_

#include <stdio.h>

#include "fleetweave/fleetweave.h"

#ifdef __cplusplus
extern "C" {
#endif

// MovingAI .map. '.', 'G' and 'S' are floor, all else is blocked. `allocator` may be NULL.
FW_API FW_MUST_USE fw_ret_t
fw_grid_read(fw_grid_t * grid, const char * path, const fw_allocator_t * allocator, fw_error_t * error);
FW_API FW_MUST_USE fw_ret_t fw_grid_write(const fw_grid_t * grid, FILE * stream, fw_error_t * error);

// A list of robots; what a MovingAI .scen holds.
typedef struct fw_scenario_t {
  fw_robot_t * robots;
  int32_t robot_count;
  fw_allocator_t allocator;
} fw_scenario_t;

// The first `robot_count` robots of a MovingAI .scen (-1: all). Fails if the file has fewer, or if its map has another
// size than `grid`.
FW_API FW_MUST_USE fw_ret_t fw_scenario_read(
  fw_scenario_t * scenario, const char * path, const fw_grid_t * grid, int32_t robot_count,
  const fw_allocator_t * allocator, fw_error_t * error);
FW_API FW_MUST_USE fw_ret_t fw_scenario_write(
  const fw_scenario_t * scenario, const fw_grid_t * grid, const char * map_name, FILE * stream, fw_error_t * error);
FW_API void fw_scenario_fini(fw_scenario_t * scenario);

// Properties of robots as text, for scenarios have starts and goals only. A line names robots, `3`, `0-9` or `*` for all,
// then properties with spaces between, named as in fw_robot_t; later lines win, `#` begins a comment:
//
//   *    ticks_per_move=2
//   0-9  priority=2 footprint=2x2 turn_ticks=1 heading=east sweeps_sides=true
//
// footprint is `WxH`, W cells from west to east and H from north to south for heading east, around the robot's own in the
// middle (of an even side the western or northern one of the two in the middle); or a list `dx,dy;dx,dy;…` that has
// 0,0. heading is a name of fw_heading_name, or its number.
typedef struct fw_fleet_file_t {
  struct fw_fleet_cells_t * cells;  // the footprints, which the robots borrow
  fw_allocator_t allocator;
} fw_fleet_file_t;

// Gives the properties to `robots`, whose other fields stay. Robots that are not there are passed over, so that a file
// serves fleets of any size. An error names the line; the robots then have no footprints.
FW_API FW_MUST_USE fw_ret_t fw_fleet_file_read(
  fw_fleet_file_t * file, const char * path, fw_robot_t * robots, int32_t robot_count, const fw_allocator_t * allocator,
  fw_error_t * error);
FW_API void fw_fleet_file_fini(fw_fleet_file_t * file);

// A list of closures, for a problem to borrow.
typedef struct fw_closures_t {
  fw_closure_t * closures;
  int32_t closure_count;
  fw_allocator_t allocator;
} fw_closures_t;

// Closures as text: a line `x y from to` for each, first and last tick included; `-` or `forever` in place of `to` is for
// ever. `#` begins a comment. Cells outside `grid` are an error that names the line.
FW_API FW_MUST_USE fw_ret_t fw_closures_read(
  fw_closures_t * closures, const char * path, const fw_grid_t * grid, const fw_allocator_t * allocator,
  fw_error_t * error);
FW_API void fw_closures_fini(fw_closures_t * closures);

// Makes a grid from a line such as "warehouse:161x63,seed=1". Kinds and their keys (all take seed=N):
//   open:WxH
//   random:WxH,obstacles=20        per cent of blocked cells
//   warehouse:WxH,shelf=10,aisle=1,lane=3
//                                  shelves `shelf` cells long and 2 deep, aisles between, lanes along the sides
//   rooms:WxH,room=8               square rooms with one random door in each wall
//   maze:WxH,corridor=1            a perfect maze with corridors that wide
// The same line gives the same grid on every machine. The error lists the kinds or the keys.
FW_API FW_MUST_USE fw_ret_t
fw_grid_make(fw_grid_t * grid, const char * line, const fw_allocator_t * allocator, fw_error_t * error);
// The kinds with their keys, for a help text: static, one per line.
FW_API const char * fw_grid_make_help(void);

// Random robots: distinct starts, distinct goals, each goal reachable from its start. Fails if the grid is too small.
FW_API FW_MUST_USE fw_ret_t fw_scenario_make(
  fw_scenario_t * scenario, const fw_grid_t * grid, int32_t robot_count, uint64_t seed,
  const fw_allocator_t * allocator, fw_error_t * error);
// The same by the rules of a problem: as many robots as it has, on its grid. Where corners may be cut, goals can be
// reached by diagonals alone. Its robots are not looked at.
FW_API FW_MUST_USE fw_ret_t fw_scenario_make_for(
  fw_scenario_t * scenario, const fw_problem_t * problem, uint64_t seed, const fw_allocator_t * allocator,
  fw_error_t * error);

// Other random starts and goals for robots that have footprints or headings: nobody overlaps at the start or at the
// goals, and each goal can be reached from its start alone on the map, by the rules of `problem`: its grid, connectivity,
// and whether corners may be cut. FW_RET_INVALID_ARGUMENT if no room was found in some hundred tries for a robot.
FW_API FW_MUST_USE fw_ret_t
fw_scenario_place(fw_scenario_t * scenario, const fw_problem_t * problem, uint64_t seed, fw_error_t * error);

// Plans as text: `agents=`, `map_file=`, `solver=`, `solved=`, `soc=`, `makespan=`, `starts=`, `goals=`, `solution=`,
// then a line per tick `t:(x,y),(x,y),…,`. Where robots have headings there is one more line before `solution=`, which
// other tools pass over like any key that they do not know: `headings=` with a word and a comma for each robot, a digit
// 0 to 7 (fw_heading_t) for each tick, or `-` for a robot without. The line `cuts_corners=1` is there if the problem lets
// robots cut corners, and so is 8-connected.
typedef struct fw_plan_file_t {
  char map_file[256];  // as written; not opened
  char solver[64];
  bool is_solved;
  bool cuts_corners;
  fw_cell_t * starts;  // `robot_count` of each; cells of the grid that the file was read for
  fw_cell_t * goals;
  fw_path_t * paths;  // all of one length; with headings where the file has them
  int32_t robot_count;
  fw_allocator_t allocator;
} fw_plan_file_t;

FW_API FW_MUST_USE fw_ret_t fw_plan_write(
  const fw_problem_t * problem, const fw_plan_t * plan, const char * map_file, const char * solver, FILE * stream,
  fw_error_t * error);
// `grid` gives the width for cells; positions outside it are an error that names the line.
FW_API FW_MUST_USE fw_ret_t fw_plan_read(
  fw_plan_file_t * file, const char * path, const fw_grid_t * grid, const fw_allocator_t * allocator,
  fw_error_t * error);
FW_API void fw_plan_file_fini(fw_plan_file_t * file);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__FILES_H_
