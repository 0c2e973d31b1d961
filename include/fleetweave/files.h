// Maps, scenarios, closures and plans as files, and maps from a seed.
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
FW_MUST_USE fw_ret_t
fw_grid_read(fw_grid_t * grid, const char * path, const fw_allocator_t * allocator, fw_error_t * error);
FW_MUST_USE fw_ret_t fw_grid_write(const fw_grid_t * grid, FILE * stream, fw_error_t * error);

// A list of robots; what a MovingAI .scen holds.
typedef struct fw_scenario_t {
  fw_robot_t * robots;
  int32_t robot_count;
  fw_allocator_t allocator;
} fw_scenario_t;

// The first `robot_count` robots of a MovingAI .scen (-1: all). Fails if the file has fewer, or if its map has another
// size than `grid`.
FW_MUST_USE fw_ret_t fw_scenario_read(
  fw_scenario_t * scenario, const char * path, const fw_grid_t * grid, int32_t robot_count,
  const fw_allocator_t * allocator, fw_error_t * error);
FW_MUST_USE fw_ret_t fw_scenario_write(
  const fw_scenario_t * scenario, const fw_grid_t * grid, const char * map_name, FILE * stream, fw_error_t * error);
void fw_scenario_fini(fw_scenario_t * scenario);

// A list of closures, for a problem to borrow.
typedef struct fw_closures_t {
  fw_closure_t * closures;
  int32_t closure_count;
  fw_allocator_t allocator;
} fw_closures_t;

// Closures as text: a line `x y from to` for each, first and last tick included; `-` or `forever` in place of `to` is for
// ever. `#` begins a comment. Cells outside `grid` are an error that names the line.
FW_MUST_USE fw_ret_t fw_closures_read(
  fw_closures_t * closures, const char * path, const fw_grid_t * grid, const fw_allocator_t * allocator,
  fw_error_t * error);
void fw_closures_fini(fw_closures_t * closures);

// Makes a grid from a line such as "warehouse:161x63,seed=1". Kinds and their keys (all take seed=N):
//   open:WxH
//   random:WxH,obstacles=20        per cent of blocked cells
//   warehouse:WxH,shelf=10,aisle=1,lane=3
//                                  shelves `shelf` cells long and 2 deep, aisles between, lanes along the sides
//   rooms:WxH,room=8               square rooms with one random door in each wall
//   maze:WxH,corridor=1            a perfect maze with corridors that wide
// The same line gives the same grid on every machine. The error lists the kinds or the keys.
FW_MUST_USE fw_ret_t
fw_grid_make(fw_grid_t * grid, const char * line, const fw_allocator_t * allocator, fw_error_t * error);
// The kinds with their keys, for a help text: static, one per line.
const char * fw_grid_make_help(void);

// Random robots: distinct starts, distinct goals, each goal reachable from its start. Fails if the grid is too small.
FW_MUST_USE fw_ret_t fw_scenario_make(
  fw_scenario_t * scenario, const fw_grid_t * grid, int32_t robot_count, uint64_t seed,
  const fw_allocator_t * allocator, fw_error_t * error);

// Plans as text: `agents=`, `map_file=`, `solver=`, `solved=`, `soc=`, `makespan=`, `starts=`, `goals=`, `solution=`,
// then a line per tick `t:(x,y),(x,y),…,`.
typedef struct fw_plan_file_t {
  char map_file[256];  // as written; not opened
  char solver[64];
  bool is_solved;
  fw_cell_t * starts;  // `robot_count` of each; cells of the grid that the file was read for
  fw_cell_t * goals;
  fw_path_t * paths;  // all of one length
  int32_t robot_count;
  fw_allocator_t allocator;
} fw_plan_file_t;

FW_MUST_USE fw_ret_t fw_plan_write(
  const fw_problem_t * problem, const fw_plan_t * plan, const char * map_file, const char * solver, FILE * stream,
  fw_error_t * error);
// `grid` gives the width for cells; positions outside it are an error that names the line.
FW_MUST_USE fw_ret_t fw_plan_read(
  fw_plan_file_t * file, const char * path, const fw_grid_t * grid, const fw_allocator_t * allocator,
  fw_error_t * error);
void fw_plan_file_fini(fw_plan_file_t * file);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__FILES_H_
