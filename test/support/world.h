// Random small problems from a number: the same number, the same world.

#ifndef SUPPORT__WORLD_H_
#define SUPPORT__WORLD_H_

#include "base/rng.h"
#include "fleetweave/fleetweave.h"

enum { WORLD_ROBOTS_MAX = 24, WORLD_CLOSURES_MAX = 12 };

// What a world may have beyond single cells, one tick per move, uniform floor, equal priorities and k = 0.
enum {
  WORLD_PLAIN = 0,
  WORLD_DIAGONALS = 1,
  WORLD_ROBUST = 2,
  WORLD_PRIORITIES = 4,
  WORLD_SPEEDS = 8,
  WORLD_SHAPES = 16,  // 2x1, 2x2 and L
  WORLD_COSTS = 32,
  WORLD_ALL = 63,
  WORLD_CLOSURES = 64,   // some for ever; drawn last, so that the rest of the world is the same without
  WORLD_HEADINGS = 128,  // two robots in three turn, in 1 to 3 ticks; shapes of 3x1 and 3x3 too
  WORLD_SWEEPS = 256,    // half of them sweep their sides
  WORLD_MOTION = WORLD_ALL | WORLD_HEADINGS | WORLD_SWEEPS,
  WORLD_UNDER_WAY = 512,  // some of the slow ones are under way at tick 0
  WORLD_ONE_CELL = 39,    // all but shapes and speeds, which optimal planners refuse
  WORLD_CORNERS = 1024,   // 8-connected, and corners may be cut; not with shapes, headings and sweeps
};

typedef struct world_t {
  fw_grid_t grid;
  fw_robot_t robots[WORLD_ROBOTS_MAX];
  fw_closure_t closures[WORLD_CLOSURES_MAX];
  fw_problem_t problem;  // points into this struct: do not copy it
  char text[200];        // for a failing test's message
} world_t;

// A map of a random kind (open, random, rooms, maze, warehouse) with sides of 5 to 14 and 1 to `robots_max` robots.
void world_make(world_t * world, uint64_t number, int32_t features, int32_t robots_max);
// The same on a given grid, which the world then owns.
void world_settle(world_t * world, fw_grid_t grid, fw_rng_t * rng, int32_t features, int32_t robots_max);
void world_fini(world_t * world);

// A grid of the given sides with about `blocked` per cent of cells blocked and, with `has_costs`, costs of 1 to 5.
fw_grid_t world_grid(fw_rng_t * rng, int32_t width, int32_t height, int32_t blocked, bool has_costs);

// A legal path on the grid alone, for robots of any shape and speed: random moves and waits for about `ticks` ticks.
// Returns its length; at most `capacity`.
int32_t world_walk(const fw_problem_t * problem, int32_t robot, fw_rng_t * rng, fw_cell_t * cells, int32_t capacity);
// The same for robots with headings too. Fills the arrays that `path` points to; its headings stay NULL for those
// without.
typedef struct world_walk_t {
  fw_cell_t * cells;
  uint8_t * headings;
  int32_t capacity;
} world_walk_t;
fw_path_t world_walk_body(const fw_problem_t * problem, int32_t robot, fw_rng_t * rng, world_walk_t room);

#endif  // SUPPORT__WORLD_H_
