// Guide paths: flows, the search around them, and what robots wish next.

#include "planner/lacam/guidance.h"

#include <string.h>

#include "base/assert.h"

// The cost of a move on floor of cost 1, and what it costs more for each path that makes the opposite move, or that
// enters the place. Paths beyond COUNTED cost nothing more. The paper pays for a place half of the paths through it, in
// moves, and multiplies the flows of both directions; that sends robots farther around than it helps.
enum { MOVE = 8, OPPOSITE = 4, LOAD = 1, COUNTED = 64 };
// A robot that was pushed off its path looks for it among its neighbours, this far ahead and back on the path; after
// OFF_MAX ticks it gets a new one.
enum { LOOK_AHEAD = 4, LOOK_BACK = 2, OFF_MAX = 3 };

bool fw__guidance_init(fw_guidance_t * guidance, fw_arena_t * arena, const fw_moves_t * moves, int32_t robot_count)
{
  const size_t count = (size_t)robot_count, places = (size_t)moves->node_count, degree = (size_t)moves->degree;
  *guidance = (fw_guidance_t){.moves = moves, .robot_count = robot_count};
  guidance->paths = fw__arena_allocate(arena, count, sizeof(*guidance->paths));
  guidance->at = fw__arena_allocate_zeroed(arena, count, sizeof(*guidance->at));
  guidance->goals = fw__arena_allocate(arena, count, sizeof(*guidance->goals));
  guidance->off = fw__arena_allocate_zeroed(arena, count, sizeof(*guidance->off));
  guidance->wishes = fw__arena_allocate(arena, count, sizeof(*guidance->wishes));
  guidance->flows = fw__arena_allocate_zeroed(arena, places * degree, sizeof(*guidance->flows));
  guidance->loads = fw__arena_allocate_zeroed(arena, places, sizeof(*guidance->loads));
  guidance->costs = fw__arena_allocate(arena, places, sizeof(*guidance->costs));
  guidance->parents = fw__arena_allocate(arena, places, sizeof(*guidance->parents));
  guidance->stamps = fw__arena_allocate_zeroed(arena, places, sizeof(*guidance->stamps));
  fw__bucket_queue_init(&guidance->open, arena);
  if (fw__arena_has_failed(arena)) {
    return false;
  }
  for (int32_t r = 0; r < robot_count; ++r) {
    guidance->paths[r] = fw__list(arena);
    guidance->goals[r] = -1;
  }
  return true;
}

// ---- flows ----------------------------------------------------------------------------------------------------------

// The motion from a place to its neighbour.
static int32_t motion_to(const fw_moves_t * moves, int32_t from, int32_t to)
{
  const int32_t * next = fw__moves_successors(moves, from);
  int32_t motion = 0;
  while (next[motion] != to) {
    ++motion;
    FW_ASSERT(motion < moves->degree);
  }
  return motion;
}

// Adds `change` to the flows of a robot's path from index `from` to `to`.
static void count_path(fw_guidance_t * guidance, int32_t robot, int32_t from, int32_t to, int32_t change)
{
  const int32_t * path = guidance->paths[robot].items;
  FW_ASSERT(from >= 0 && (from >= to || to < guidance->paths[robot].count));
  for (int32_t i = from; i < to; ++i) {
    const int32_t motion = motion_to(guidance->moves, path[i], path[i + 1]);
    guidance->flows[path[i] * guidance->moves->degree + motion] += change;
    guidance->loads[path[i + 1]] += change;
  }
}

static void drop_path(fw_guidance_t * guidance, int32_t robot)
{
  count_path(guidance, robot, guidance->at[robot], guidance->paths[robot].count - 1, -1);
  guidance->paths[robot].count = 0;
  guidance->at[robot] = guidance->off[robot] = 0;
  guidance->goals[robot] = -1;
}

bool fw__guidance_validate(const fw_guidance_t * guidance)
{
  int64_t flow = 0, load = 0, ahead = 0;
  for (int32_t place = 0; place < guidance->moves->node_count; ++place) {
    load += guidance->loads[place];
    for (int32_t d = 0; d < guidance->moves->degree; ++d) {
      const int32_t own = guidance->flows[place * guidance->moves->degree + d];
      if (own < 0) {
        return false;
      }
      flow += own;
    }
  }
  for (int32_t r = 0; r < guidance->robot_count; ++r) {
    const int32_t count = guidance->paths[r].count;
    ahead += count > 0 ? count - 1 - guidance->at[r] : 0;
  }
  return flow == ahead && load == ahead;
}

// ---- the search -----------------------------------------------------------------------------------------------------

// What a move costs besides its length.
static int32_t traffic(const fw_guidance_t * guidance, int32_t from, int32_t to)
{
  const int32_t * next = fw__moves_successors(guidance->moves, to);
  int32_t opposite = 0;
  for (int32_t d = 0; d < guidance->moves->degree; ++d) {
    opposite = next[d] == from ? guidance->flows[to * guidance->moves->degree + d] : opposite;
  }
  const int32_t load = guidance->loads[to];
  return OPPOSITE * (opposite < COUNTED ? opposite : COUNTED) + LOAD * (load < COUNTED ? load : COUNTED);
}

// The least cost that is left, without traffic. -1 if it is not known: the meter has stopped.
static int64_t least(const fw_pibt_generator_t * pibt, int32_t robot, int32_t place)
{
  const int32_t distance = fw__pibt_distance(pibt, robot, place);
  return distance == FW_DISTANCE_NONE ? -1 : (int64_t)distance * MOVE;
}

// Writes the path that ends on `goal` from the parents. False when there is no memory.
static bool take_path(fw_guidance_t * guidance, int32_t robot, int32_t start, int32_t goal)
{
  int32_t length = 1;
  for (int32_t place = goal; place != start; place = guidance->parents[place]) {
    ++length;
    FW_ASSERT(length <= guidance->moves->node_count);
  }
  fw_list_t * path = &guidance->paths[robot];
  FW_ASSERT(path->count == 0);
  if (!fw__list_reserve(path, length)) {
    return false;
  }
  path->count = length;
  for (int32_t place = goal, i = length - 1; i >= 0; place = guidance->parents[place], --i) {
    path->items[i] = place;
  }
  guidance->goals[robot] = goal;
  count_path(guidance, robot, 0, length - 1, 1);
  return true;
}

// A new guide path, for at most `expansions_max` expansions. Returns how many it took; the robot has no path if that
// was too few, or without memory (the meter has stopped then).
static int64_t search(
  fw_guidance_t * guidance, const fw_pibt_generator_t * pibt, int32_t robot, int32_t start, int64_t expansions_max)
{
  const fw_moves_t * moves = guidance->moves;
  const int32_t goal = pibt->goals[robot];
  const bool is_weighted = pibt->fields[robot]->is_weighted;
  int64_t expanded = 0;
  drop_path(guidance, robot);
  ++guidance->searches;
  ++guidance->stamp;
  fw__bucket_queue_clear(&guidance->open);
  guidance->costs[start] = 0;
  guidance->parents[start] = -1;
  guidance->stamps[start] = guidance->stamp;
  bool has_room =
    least(pibt, robot, start) >= 0 && fw__bucket_queue_push(&guidance->open, least(pibt, robot, start), start, 0);
  int32_t place = -1, cost = 0;
  int64_t key = 0;
  while (has_room && expanded < expansions_max && fw__bucket_queue_pop(&guidance->open, &place, &cost, &key)) {
    if (cost != guidance->costs[place]) {
      continue;  // a shorter way was found
    }
    if (place == goal) {
      has_room = take_path(guidance, robot, start, goal);
      break;
    }
    ++expanded;
    const int32_t * next = fw__moves_successors(moves, place);
    for (int32_t d = 0; d < moves->degree && has_room; ++d) {
      if (next[d] < 0) {
        continue;
      }
      const int32_t base = MOVE * (is_weighted ? fw__moves_cost(moves, next[d]) : 1);
      const int32_t through = cost + base + traffic(guidance, place, next[d]);
      if (guidance->stamps[next[d]] == guidance->stamp && guidance->costs[next[d]] <= through) {
        continue;
      }
      const int64_t left = least(pibt, robot, next[d]);
      if (left < 0) {
        continue;
      }
      guidance->costs[next[d]] = through;
      guidance->parents[next[d]] = place;
      guidance->stamps[next[d]] = guidance->stamp;
      has_room = fw__bucket_queue_push(&guidance->open, through + left, next[d], through);
    }
  }
  if (!has_room && !fw__meter_has_stopped(pibt->meter)) {
    fw__meter_stop(pibt->meter, FW_STOP_MEMORY);
  }
  return expanded + 1;
}

// ---- following ------------------------------------------------------------------------------------------------------

// Takes the robot along its path: where it is, or off it.
static void follow(fw_guidance_t * guidance, int32_t robot, int32_t place)
{
  const fw_list_t * path = &guidance->paths[robot];
  const int32_t at = guidance->at[robot];
  for (int32_t i = at + LOOK_AHEAD < path->count ? at + LOOK_AHEAD : path->count - 1; i >= 0 && i >= at - LOOK_BACK;
       --i) {
    if (path->items[i] == place) {
      count_path(guidance, robot, at, i, -1);
      count_path(guidance, robot, i, at, 1);
      guidance->at[robot] = i;
      guidance->off[robot] = 0;
      return;
    }
  }
  ++guidance->off[robot];
}

// The next place of the path; for a robot beside its path, the last of its neighbours that is on it.
static int32_t wish_of(const fw_guidance_t * guidance, int32_t robot, int32_t place)
{
  const fw_list_t * path = &guidance->paths[robot];
  const int32_t at = guidance->at[robot];
  if (path->count == 0) {
    return -1;
  }
  if (path->items[at] == place) {
    return at + 1 < path->count ? path->items[at + 1] : place;
  }
  const int32_t * next = fw__moves_successors(guidance->moves, place);
  for (int32_t i = at + LOOK_AHEAD < path->count ? at + LOOK_AHEAD : path->count - 1; i >= 0 && i >= at - LOOK_BACK;
       --i) {
    for (int32_t d = 0; d < guidance->moves->degree; ++d) {
      if (next[d] >= 0 && next[d] == path->items[i]) {
        return next[d];
      }
    }
  }
  return -1;
}

void fw__guidance_update(
  fw_guidance_t * guidance, const fw_pibt_generator_t * pibt, const int32_t * places, int64_t expansions_max)
{
  const int32_t count = guidance->robot_count;
  int64_t left = expansions_max;
  for (int32_t r = 0; r < count; ++r) {
    if (guidance->paths[r].count > 0 && guidance->goals[r] != pibt->goals[r]) {
      drop_path(guidance, r);
    }
    if (guidance->paths[r].count > 0) {
      follow(guidance, r, places[r]);
    }
  }
  // First who has no path or has lost it, then the others in turn.
  for (int32_t i = 0; i < count && left > 0 && !fw__meter_has_stopped(pibt->meter); ++i) {
    const int32_t r = (guidance->next_robot + i) % count;
    if (guidance->paths[r].count == 0 || guidance->off[r] > OFF_MAX) {
      left -= search(guidance, pibt, r, places[r], left);
    }
  }
  for (int32_t i = 0; i < count && left > 0 && !fw__meter_has_stopped(pibt->meter); ++i) {
    const int32_t r = guidance->next_robot;
    guidance->next_robot = (r + 1) % count;
    left -= search(guidance, pibt, r, places[r], left);
  }
  (void)fw__meter_add(pibt->meter, expansions_max - left);
  for (int32_t r = 0; r < count; ++r) {
    guidance->wishes[r] = wish_of(guidance, r, places[r]);
  }
  FW_ASSERT(fw__guidance_validate(guidance));
}
