// Files (maps, scenarios, fleets, closures, plans) and generators (maps and scenarios from a seed).
//
// The formats are those of the MovingAI benchmark (.map, .scen) and of public plan visualisers (plans). Readers accept
// any line ending, blank lines and a missing last newline. An error names the file, the line and what was expected
// there.
//
// Every reader and generator initialises an object that the caller releases with its `_fini`; on failure there is
// nothing to release. `allocator` may be NULL for the default one; it is copied. `error` may be NULL. All functions are
// thread-safe for different objects.

#ifndef FLEETWEAVE__FILES_H_
#define FLEETWEAVE__FILES_H_

#include <stdio.h>

#include "fleetweave/fleetweave.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads a MovingAI .map: '.', 'G' and 'S' become free cells of cost 1, all other characters blocked cells. Release with
// fw_grid_fini.
FW_API FW_MUST_USE fw_ret_t
fw_grid_read(fw_grid_t * grid, const char * path, const fw_allocator_t * allocator, fw_error_t * error);
// The same with a cost for each character, by its number as an unsigned char: 0 blocked, 1 open floor, up to 255.
FW_API FW_MUST_USE fw_ret_t fw_grid_read_terrain(
  fw_grid_t * grid, const char * path, const uint8_t costs[256], const fw_allocator_t * allocator, fw_error_t * error);
// The costs of fw_grid_read.
FW_API void fw_terrain_default(uint8_t costs[256]);
// Writes a MovingAI .map with '.' for free and '@' for blocked cells. Costs other than 0 and 1 are lost.
FW_API FW_MUST_USE fw_ret_t fw_grid_write(const fw_grid_t * grid, FILE * stream, fw_error_t * error);

// A list of robots with starts and goals, as in a MovingAI .scen.
typedef struct fw_scenario_t {
  fw_robot_t * robots;
  int32_t robot_count;
  fw_allocator_t allocator;
} fw_scenario_t;

// Reads the first `robot_count` robots of a MovingAI .scen (-1: all). It is an error if the file has fewer, or was
// written for a map of another size than `grid`.
FW_API FW_MUST_USE fw_ret_t fw_scenario_read(
  fw_scenario_t * scenario, const char * path, const fw_grid_t * grid, int32_t robot_count,
  const fw_allocator_t * allocator, fw_error_t * error);
// Writes a MovingAI .scen: starts and goals only. `map_name` is written into each line.
FW_API FW_MUST_USE fw_ret_t fw_scenario_write(
  const fw_scenario_t * scenario, const fw_grid_t * grid, const char * map_name, FILE * stream, fw_error_t * error);
FW_API void fw_scenario_fini(fw_scenario_t * scenario);

// A fleet file has the properties of robots that a scenario lacks. A line names robots (`3`, `0-9`, or `*` for all),
// then properties separated by spaces, named as in fw_robot_t. Later lines override earlier ones; `#` begins a comment:
//
//   *    ticks_per_move=2
//   0-9  priority=2 footprint=2x2 turn_ticks=1 heading=east sweeps_sides=true
//
// footprint is `WxH`: W cells from west to east and H from north to south, for heading east, around the robot's own
// cell in the middle (for an even side, the western or northern one of the two in the middle); or a list
// `dx,dy;dx,dy;…` that contains 0,0. heading is a name from fw_heading_name, or its number.
typedef struct fw_fleet_file_t {
  struct fw_fleet_cells_t * cells;  // the footprints, which the robots borrow until fini
  fw_allocator_t allocator;
} fw_fleet_file_t;

// Sets the properties in `robots` and leaves their other fields unchanged. A line about a robot that is not among the
// `robot_count` robots is an error. After an error, which names the line, the robots have no footprints.
FW_API FW_MUST_USE fw_ret_t fw_fleet_file_read(
  fw_fleet_file_t * file, const char * path, fw_robot_t * robots, int32_t robot_count, const fw_allocator_t * allocator,
  fw_error_t * error);
FW_API void fw_fleet_file_fini(fw_fleet_file_t * file);

// A list of closures, which a problem can borrow.
typedef struct fw_closures_t {
  fw_closure_t * closures;
  int32_t closure_count;
  fw_allocator_t allocator;
} fw_closures_t;

// Reads closures: a line `x y from to` for each, with the first and the last closed tick; `-` or `forever` in place of
// `to` means forever. `#` begins a comment. A cell outside `grid` is an error that names the line.
FW_API FW_MUST_USE fw_ret_t fw_closures_read(
  fw_closures_t * closures, const char * path, const fw_grid_t * grid, const fw_allocator_t * allocator,
  fw_error_t * error);
FW_API void fw_closures_fini(fw_closures_t * closures);

// Generates a grid from a line such as "warehouse:161x63,seed=1". The kinds, their keys and the default values (every
// kind also takes seed=N):
//   open:WxH
//   random:WxH,obstacles=20        `obstacles` per cent of the cells are blocked
//   warehouse:WxH,shelf=10,aisle=1,lane=3
//                                  shelves `shelf` cells long and 2 deep, aisles between them, lanes along the sides
//   rooms:WxH,room=8               square rooms with sides of `room` cells and one random door in each wall
//   maze:WxH,corridor=1            a perfect maze with corridors `corridor` cells wide
// The same line gives the same grid on every machine. An error lists the kinds or the keys. Release with fw_grid_fini.
FW_API FW_MUST_USE fw_ret_t
fw_grid_make(fw_grid_t * grid, const char * line, const fw_allocator_t * allocator, fw_error_t * error);
// The kinds with their keys for a help text: a static string of several lines.
FW_API const char * fw_grid_make_help(void);

// Generates random robots of one cell: distinct starts, distinct goals, each goal reachable from its start. It is an
// error if there are more robots than free cells.
FW_API FW_MUST_USE fw_ret_t fw_scenario_make(
  fw_scenario_t * scenario, const fw_grid_t * grid, int32_t robot_count, uint64_t seed,
  const fw_allocator_t * allocator, fw_error_t * error);
// The same for the grid, the number of robots and the rules of a problem: with `cuts_corners`, a goal may be reachable
// by diagonals alone. The array of robots is not read.
FW_API FW_MUST_USE fw_ret_t fw_scenario_make_for(
  fw_scenario_t * scenario, const fw_problem_t * problem, uint64_t seed, const fw_allocator_t * allocator,
  fw_error_t * error);

// Draws new random starts and goals for the robots of a scenario, which may have footprints and headings: no overlaps
// at the starts or at the goals, and each goal reachable from its start by a robot alone, by the rules of `problem`
// (its grid, connectivity and cuts_corners). FW_RET_INVALID_ARGUMENT if a few hundred tries found no room for a robot.
FW_API FW_MUST_USE fw_ret_t
fw_scenario_place(fw_scenario_t * scenario, const fw_problem_t * problem, uint64_t seed, fw_error_t * error);

// A plan file has the lines `agents=`, `map_file=`, `solver=`, `solved=`, `soc=`, `makespan=`, `starts=`, `goals=`,
// `solution=`, then a line per tick `t:(x,y),(x,y),…,`. If robots have headings, there is a line `headings=` before
// `solution=`, which other tools ignore like any key that they do not know: for each robot a word and a comma, with a
// digit 0 to 7 (fw_heading_t) for each tick, or `-` for a robot without heading. The line `cuts_corners=1` is present
// if the problem lets robots cut corners; it is then 8-connected.
typedef struct fw_plan_file_t {
  char map_file[256];  // as written in the file; it is not opened
  char solver[64];
  bool is_solved;
  bool cuts_corners;
  fw_cell_t * starts;  // by robot: cells of the grid that was given to fw_plan_read
  fw_cell_t * goals;   // by robot
  fw_path_t * paths;   // by robot: all of one length; with headings where the file has them
  int32_t robot_count;
  fw_allocator_t allocator;
} fw_plan_file_t;

// Writes a plan. `map_file` and `solver` are written as given.
FW_API FW_MUST_USE fw_ret_t fw_plan_write(
  const fw_problem_t * problem, const fw_plan_t * plan, const char * map_file, const char * solver, FILE * stream,
  fw_error_t * error);
// Reads a plan. Positions become cells of `grid`; a position outside it is an error that names the line.
FW_API FW_MUST_USE fw_ret_t fw_plan_read(
  fw_plan_file_t * file, const char * path, const fw_grid_t * grid, const fw_allocator_t * allocator,
  fw_error_t * error);
FW_API void fw_plan_file_fini(fw_plan_file_t * file);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__FILES_H_
