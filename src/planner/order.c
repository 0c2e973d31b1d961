// The order in which robots plan: sorting by priority and rule, moving one robot forward, and shuffling.

#include "planner/order.h"

#include <string.h>

#include "base/assert.h"

int32_t fw__order_priority(const fw_order_t * order, int32_t robot)
{
  const int32_t priority = order->fleet->problem->robots[robot].priority;
  return priority > order->floor ? priority : order->floor;
}

// Robots fall in priority, so that the floor is that of the last one.
bool fw__order_raise_floor(fw_order_t * order)
{
  int32_t robot = order->fleet->problem->robot_count - 1;
  const int32_t lowest = fw__order_priority(order, order->robots[robot]);
  while (robot >= 0 && fw__order_priority(order, order->robots[robot]) == lowest) {
    --robot;
  }
  if (robot < 0) {
    return false;
  }
  order->floor = fw__order_priority(order, order->robots[robot]);
  FW_ASSERT(fw__order_validate(order));
  return true;
}

// What the rule compares: the length of the path, or the Manhattan distance.
static int32_t length_of(const fw_order_t * order, fw_order_rule_t rule, int32_t robot)
{
  const fw_problem_t * problem = order->fleet->problem;
  const fw_robot_t * shape = &problem->robots[robot];
  return rule == FW_ORDER_MANHATTAN ? fw__grid_distance(problem->grid, 4, shape->start, shape->goal)
                                    : order->fleet->lengths[robot];
}

// The order of two robots: priority, rule, index.
static bool goes_before(const fw_order_t * order, fw_order_rule_t rule, int32_t a, int32_t b)
{
  if (fw__order_priority(order, a) != fw__order_priority(order, b)) {
    return fw__order_priority(order, a) > fw__order_priority(order, b);
  }
  const int32_t x = length_of(order, rule, a);
  const int32_t y = length_of(order, rule, b);
  if (rule != FW_ORDER_INDEX && x != y) {
    return rule == FW_ORDER_LONGEST ? x > y : x < y;
  }
  return a < b;
}

// Bottom-up merge sort: stable, without recursion, and with the same result on every platform.
bool fw__order_init(fw_order_t * order, fw_arena_t * arena, const fw_fleet_t * fleet, fw_order_rule_t rule)
{
  const int32_t count = fleet->problem->robot_count;
  *order = (fw_order_t){.fleet = fleet, .floor = INT32_MIN};
  int32_t * from = fw__arena_allocate(arena, (size_t)count, sizeof(*from));
  int32_t * to = fw__arena_allocate(arena, (size_t)count, sizeof(*to));
  if (from == NULL || to == NULL) {
    return false;
  }
  for (int32_t i = 0; i < count; ++i) {
    from[i] = i;
  }
  for (int32_t width = 1; width < count; width *= 2) {
    for (int32_t left = 0; left < count; left += 2 * width) {
      const int32_t middle = left + width < count ? left + width : count;
      const int32_t right = left + 2 * width < count ? left + 2 * width : count;
      int32_t i = left;
      int32_t j = middle;
      for (int32_t k = left; k < right; ++k) {
        const bool takes_left = i < middle && (j >= right || !goes_before(order, rule, from[j], from[i]));
        to[k] = takes_left ? from[i++] : from[j++];
      }
    }
    int32_t * swap = from;
    from = to;
    to = swap;
  }
  order->robots = from;
  FW_ASSERT(fw__order_validate(order));
  return true;
}

void fw__order_put_first(fw_order_t * order, int32_t robot)
{
  int32_t position = 0;
  while (order->robots[position] != robot) {
    ++position;
    FW_ASSERT(position < order->fleet->problem->robot_count);
  }
  int32_t first = position;
  while (first > 0 && fw__order_priority(order, order->robots[first - 1]) == fw__order_priority(order, robot)) {
    --first;
  }
  memmove(order->robots + first + 1, order->robots + first, (size_t)(position - first) * sizeof(*order->robots));
  order->robots[first] = robot;
}

void fw__order_shuffle(fw_order_t * order, fw_rng_t * rng)
{
  const int32_t count = order->fleet->problem->robot_count;
  for (int32_t first = 0; first < count;) {
    int32_t end = first + 1;
    while (end < count &&
           fw__order_priority(order, order->robots[end]) == fw__order_priority(order, order->robots[first])) {
      ++end;
    }
    fw__rng_shuffle(rng, order->robots + first, end - first);
    first = end;
  }
  FW_ASSERT(fw__order_validate(order));
}

bool fw__order_validate(const fw_order_t * order)
{
  int64_t sum = 0;
  const int32_t count = order->fleet->problem->robot_count;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t robot = order->robots[i];
    if (
      robot < 0 || robot >= count ||
      (i > 0 && fw__order_priority(order, order->robots[i - 1]) < fw__order_priority(order, robot))) {
      return false;
    }
    sum += robot;
  }
  return sum == (int64_t)count * (count - 1) / 2;
}
