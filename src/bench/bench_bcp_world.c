// The worlds of `bench bcp`. The paper shows its maps in pictures alone; these are ours:
//
//   row  1      .  H' .      the hero's goal, above the block
//   row  2..4   a  a  a      a block of 3x3: where units begin
//   ...
//   row 10..12  a' a' a'     a block of 3x3: where they go, each eight rows down
//   row 11      .  H  .      the hero, in the middle of it

#include "bench/bench_bcp.h"

enum { MIDDLE = CLI_BCP_SIDE / 2, TOP = 2, BOTTOM = 10, HERO_GOAL = 1, HERO_START = 11 };

static fw_cell_t cell_at(int32_t x, int32_t y) { return y * CLI_BCP_SIDE + x; }

static void clear(cli_bcp_world_t * world)
{
  *world = (cli_bcp_world_t){.grid = {.width = CLI_BCP_SIDE, .height = CLI_BCP_SIDE}};
  for (int32_t i = 0; i < CLI_BCP_SIDE * CLI_BCP_SIDE; ++i) {
    world->cost[i] = 1;
  }
  world->grid.cost = world->cost;
  world->problem = (fw_problem_t){.grid = &world->grid, .robots = world->robots, .connectivity = 8, .robust_ticks = 1};
}

// Units at random places of one block, going to the same places of the other.
static void add_block(cli_bcp_world_t * world, int32_t units, bool goes_down, fw_rng_t * rng)
{
  int32_t places[CLI_BCP_BLOCK];
  for (int32_t i = 0; i < CLI_BCP_BLOCK; ++i) {
    places[i] = i;
  }
  fw__rng_shuffle(rng, places, CLI_BCP_BLOCK);
  for (int32_t i = 0; i < units; ++i) {
    const int32_t x = MIDDLE - 1 + places[i] % 3;
    const fw_cell_t upper = cell_at(x, TOP + places[i] / 3);
    const fw_cell_t lower = cell_at(x, BOTTOM + places[i] / 3);
    world->robots[world->problem.robot_count++] =
      (fw_robot_t){.start = goes_down ? upper : lower, .goal = goes_down ? lower : upper};
  }
}

static void add_hero(cli_bcp_world_t * world, int32_t x, int32_t y)
{
  world->robots[world->problem.robot_count++] =
    (fw_robot_t){.start = cell_at(x, y), .goal = cell_at(MIDDLE, HERO_GOAL), .priority = 1};
}

void cli_bcp_make_rescue(cli_bcp_world_t * world, int32_t units, fw_rng_t * rng)
{
  clear(world);
  add_hero(world, MIDDLE, HERO_START);
  add_block(world, units, true, rng);
}

void cli_bcp_make_flight(cli_bcp_world_t * world, fw_rng_t * rng)
{
  clear(world);
  const int32_t x = MIDDLE - 3 + fw__rng_below(rng, 7);
  const int32_t y = HERO_START - 1 + fw__rng_below(rng, 3);
  add_hero(world, x, y);
  add_block(world, CLI_BCP_BLOCK, true, rng);
}

void cli_bcp_make_groups(cli_bcp_world_t * world, int32_t units, fw_rng_t * rng)
{
  clear(world);
  add_block(world, units / 2, true, rng);
  add_block(world, units - units / 2, false, rng);
}
