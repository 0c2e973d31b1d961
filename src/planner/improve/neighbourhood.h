// Neighbourhoods: which robots plan again together (the "destroy" step of large neighbourhood search).
//
// A rule finds robots that are likely to gain by planning again without each other's paths. Which rule, and how many
// robots, is drawn by what each choice has gained per expansion lately (adaptive large neighbourhood search: S. Ropke
// and D. Pisinger 2006; for paths J. Li et al. 2021).

#ifndef PLANNER__IMPROVE__NEIGHBOURHOOD_H_
#define PLANNER__IMPROVE__NEIGHBOURHOOD_H_

#include "base/rng.h"
#include "planner/fleet.h"
#include "spacetime/reservations.h"

typedef enum fw_neighbourhood_rule_t {
  FW_NEIGHBOURHOOD_WALK,      // a late robot, and the robots that it meets on random walks that would be earlier
  FW_NEIGHBOURHOOD_BLOCKERS,  // a late robot, the robots on its shortest paths, and those that cross its goal later
  FW_NEIGHBOURHOOD_AREA,      // robots that pass about the same place at about the same time
  FW_NEIGHBOURHOOD_RANDOM,    // any robots
  FW_NEIGHBOURHOOD_RULES,
} fw_neighbourhood_rule_t;

enum {
  FW_NEIGHBOURHOOD_SIZES = 4,  // 2, 4, 8 and 16 robots
  FW_NEIGHBOURHOOD_MAX = 16,
  FW_NEIGHBOURHOOD_ARMS = FW_NEIGHBOURHOOD_RULES * FW_NEIGHBOURHOOD_SIZES,
};

// The plan that is improved, as the rules see it.
typedef struct fw_neighbourhood_plan_t {
  fw_fleet_t * fleet;
  const fw_reservations_t * table;  // with all paths
  const fw_path_t * paths;          // by robot
  const int64_t * costs;            // by robot: of its path
  const int64_t * least;            // by robot: of its path if it were alone
  fw_meter_t * meter;               // counts the places that a rule looks at
} fw_neighbourhood_plan_t;

typedef struct fw_neighbourhood_t {
  int32_t arm;  // the choice of rule and size: rule * FW_NEIGHBOURHOOD_SIZES + size
  int32_t robots[FW_NEIGHBOURHOOD_MAX];
  int32_t count;
  int64_t expanded;  // by the rule
} fw_neighbourhood_t;

typedef struct fw_neighbourhoods_t {
  fw_neighbourhood_plan_t plan;
  fw_rng_t rng;
  bool * is_taken;  // by robot: in a neighbourhood of the present batch
  int32_t * queue;  // of the places of an area
  uint32_t * seen;  // by place: the number of the area that it was seen for last
  uint32_t areas;
  int64_t gains[FW_NEIGHBOURHOOD_ARMS];    // in cost, scaled; older ones count less
  int64_t efforts[FW_NEIGHBOURHOOD_ARMS];  // in expansions, scaled in the same way
  int64_t counts[FW_NEIGHBOURHOOD_ARMS];   // neighbourhoods, scaled in the same way
} fw_neighbourhoods_t;

// `plan` stays borrowed. False when there is no memory.
bool fw__neighbourhoods_init(
  fw_neighbourhoods_t * self, fw_arena_t * arena, const fw_neighbourhood_plan_t * plan, uint64_t seed);
// Begins a batch of neighbourhoods that have no robot in common.
void fw__neighbourhoods_begin(fw_neighbourhoods_t * self);
// Draws a neighbourhood: robots by falling priority, in random order among equal ones. False if it found none.
bool fw__neighbourhoods_draw(fw_neighbourhoods_t * self, fw_neighbourhood_t * drawn);
// Notes what a neighbourhood has gained, and how many expansions that took.
void fw__neighbourhoods_note(fw_neighbourhoods_t * self, int32_t arm, int64_t gain, int64_t expanded);

#endif  // PLANNER__IMPROVE__NEIGHBOURHOOD_H_
