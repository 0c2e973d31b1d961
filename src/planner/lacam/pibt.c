// PIBT as a generator of configurations. Order of the file: the order of robots, corridors (swap), candidates, the
// step.

#include "planner/lacam/pibt.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/error.h"

enum { CANDIDATES_MAX = FW_HEADING_COUNT + 1 };

// A robot that is choosing its next place, on a stack: the one below pushes it.
typedef struct fw_pibt_frame_t {
  int32_t robot;
  int32_t pusher;   // the robot from which it inherits its priority; -1 for none
  int32_t partner;  // pulled along to where the robot is if it gets its first candidate; -1 for none
  int32_t count;
  int32_t at;  // the next candidate to try
  int32_t candidates[CANDIDATES_MAX];
} fw_pibt_frame_t;

fw_ret_t fw__pibt_check_bodies(const fw_problem_t * problem, fw_error_t * error)
{
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    const char * what = robot->footprint_count > 1                          ? "covers more than one cell"
                        : robot->ticks_per_move > 1                         ? "takes more than one tick per move"
                        : robot->turn_ticks > 0                             ? "has a heading"
                        : robot->sweeps_sides && problem->connectivity == 8 ? "sweeps its sides"
                                                                            : NULL;
    if (what != NULL) {
      (void)fw__error_at(
        error, (fw_error_detail_t){FW_FAULT_INVALID, r, robot->start},
        "robot %d %s: this planner handles only robots of one cell, with one tick per move and no heading", r, what);
      return FW_RET_UNSUPPORTED;
    }
  }
  return FW_RET_OK;
}

// ---- the order in which robots choose -------------------------------------------------------------------------------

// By falling priority, then falling key, then index.
static bool is_before(const fw_pibt_generator_t * pibt, const int32_t * keys, int32_t one, int32_t other)
{
  const fw_robot_t * robots = pibt->problem->robots;
  if (robots[one].priority != robots[other].priority) {
    return robots[one].priority > robots[other].priority;
  }
  if (keys != NULL && keys[one] != keys[other]) {
    return keys[one] > keys[other];
  }
  return one < other;
}

void fw__pibt_order_first(const fw_pibt_generator_t * pibt, const int32_t * keys, int32_t * order)
{
  const int32_t count = pibt->problem->robot_count;
  for (int32_t r = 0; r < count; ++r) {
    order[r] = r;
  }
  for (int32_t gap = count / 2; gap > 0; gap /= 2) {  // shell sort; indices differ, so that there are no ties
    for (int32_t i = gap; i < count; ++i) {
      const int32_t robot = order[i];
      int32_t at = i;
      for (; at >= gap && is_before(pibt, keys, robot, order[at - gap]); at -= gap) {
        order[at] = order[at - gap];
      }
      order[at] = robot;
    }
  }
}

// Classes: must leave; under way, by rank; on its goal, by rank.
static int32_t class_of(const fw_pibt_generator_t * pibt, int32_t robot, int32_t place, fw_tick_t tick)
{
  if (place >= 0 && !fw__escape_allows(&pibt->escape, place, tick + 1)) {
    return 0;
  }
  return 1 + pibt->ranks[robot] + (place == pibt->goals[robot] ? pibt->rank_count : 0);
}

void fw__pibt_order_next(fw_pibt_generator_t * pibt, const fw_pibt_turn_t * turn, int32_t * order)
{
  const int32_t count = pibt->problem->robot_count;
  const int32_t class_count = 2 * pibt->rank_count + 1;
  int32_t * ends = pibt->class_ends;
  for (int32_t i = 0; i <= class_count; ++i) {
    ends[i] = 0;
  }
  for (int32_t r = 0; r < count; ++r) {
    ++ends[class_of(pibt, r, turn->places[r], turn->tick) + 1];
  }
  for (int32_t i = 0; i < class_count; ++i) {
    ends[i + 1] += ends[i];
  }
  for (int32_t i = 0; i < count; ++i) {
    const int32_t robot = turn->before[i];
    order[ends[class_of(pibt, robot, turn->places[robot], turn->tick)]++] = robot;
  }
}

// ---- init -----------------------------------------------------------------------------------------------------------

// Equal priorities have one rank. Needs an array of robots, which is given back as any order.
static void rank_priorities(fw_pibt_generator_t * pibt, int32_t * order)
{
  const fw_robot_t * robots = pibt->problem->robots;
  pibt->rank_count = 0;
  fw__pibt_order_first(pibt, NULL, order);
  for (int32_t i = 0; i < pibt->problem->robot_count; ++i) {
    const bool is_new = i == 0 || robots[order[i]].priority != robots[order[i - 1]].priority;
    pibt->rank_count += is_new ? 1 : 0;
    pibt->ranks[order[i]] = pibt->rank_count - 1;
  }
}

bool fw__pibt_generator_init(fw_pibt_generator_t * pibt, fw_arena_t * arena, fw_fleet_t * fleet, fw_meter_t * meter)
{
  const fw_problem_t * problem = fleet->problem;
  const size_t count = (size_t)problem->robot_count, places = (size_t)fleet->places->node_count;
  *pibt = (fw_pibt_generator_t){.problem = problem, .moves = fleet->places, .meter = meter, .swaps = true};
  pibt->is_slow = problem->robust_ticks > 0 && !fw__pibt_has_schedule(problem);
  pibt->has_rotations = problem->robust_ticks == 0;
  pibt->rows = fw__pibt_rows(problem);
  pibt->fields = fw__arena_allocate(arena, count, sizeof(fw_distance_t *));
  pibt->goals = fw__arena_allocate(arena, count, sizeof(*pibt->goals));
  pibt->ranks = fw__arena_allocate(arena, count, sizeof(*pibt->ranks));
  pibt->class_ends = fw__arena_allocate(arena, 2 * count + 2, sizeof(*pibt->class_ends));
  pibt->holders = fw__arena_allocate(arena, places, sizeof(*pibt->holders));
  pibt->claimed = fw__arena_allocate(arena, places, sizeof(*pibt->claimed));
  pibt->frames = fw__arena_allocate(arena, count, sizeof(*pibt->frames));
  int32_t * order = fw__arena_allocate(arena, count, sizeof(*order));
  if (
    pibt->fields == NULL || pibt->goals == NULL || pibt->ranks == NULL || pibt->class_ends == NULL ||
    pibt->holders == NULL || pibt->claimed == NULL || pibt->frames == NULL || order == NULL ||
    !fw__escape_init(&pibt->escape, arena, fleet->places, problem)) {
    return false;
  }
  for (size_t i = 0; i < places; ++i) {
    pibt->holders[i] = pibt->claimed[i] = -1;
  }
  fw__pibt_generator_update(pibt, fleet, order);
  return true;
}

void fw__pibt_generator_update(fw_pibt_generator_t * pibt, const fw_fleet_t * fleet, int32_t * order)
{
  for (int32_t r = 0; r < pibt->problem->robot_count; ++r) {
    const bool is_there = fw__fleet_has_robot(fleet, r);
    pibt->fields[r] = is_there ? fw__fleet_distance(fleet, r) : NULL;
    pibt->goals[r] = is_there ? fleet->places->node_of[pibt->problem->robots[r].goal] : -1;
  }
  rank_priorities(pibt, order);
}

void fw__pibt_step_by_ticks(fw_pibt_generator_t * pibt)
{
  const int32_t robust_ticks = pibt->problem->robust_ticks;
  pibt->is_slow = robust_ticks > 0;
  pibt->has_rotations = robust_ticks == 0;
  pibt->rows = robust_ticks > 1 ? robust_ticks : 1;
}

// ---- pairs of moves -------------------------------------------------------------------------------------------------

// The motion that leads from place to place, -1 if they are the same.
static int32_t find_motion(const fw_pibt_generator_t * pibt, int32_t from, int32_t to)
{
  const int32_t * next = fw__moves_successors(pibt->moves, from);
  for (int32_t d = 0; d < pibt->moves->degree; ++d) {
    if (next[d] == to) {
      return d;
    }
  }
  FW_ASSERT(from == to);
  return -1;
}

// Whether a robot that has chosen moves from one of the places to the other, on the diagonal that crosses this move.
static bool crosses(const fw_pibt_generator_t * pibt, int32_t from, int32_t to)
{
  if (pibt->moves->degree <= 4) {
    return false;
  }
  const int32_t motion = find_motion(pibt, from, to);
  if (motion < 4) {
    return false;
  }
  const int32_t one = fw__moves_beside(pibt->moves, from, motion - 4);
  const int32_t other = fw__moves_beside(pibt->moves, from, (motion - 3) % 4);
  if (one < 0 || other < 0) {
    return false;
  }
  const int32_t robot = pibt->holders[one], second = pibt->holders[other];
  return (robot >= 0 && pibt->now[robot] == one && pibt->next[robot] == other) ||
         (second >= 0 && pibt->now[second] == other && pibt->next[second] == one);
}

bool fw__pibt_moves_agree(const fw_pibt_generator_t * pibt, fw_pibt_move_t one, fw_pibt_move_t other)
{
  if (
    one.to == other.to ||
    (pibt->is_slow ? one.to == other.from || one.from == other.to : one.to == other.from && one.from == other.to)) {
    return false;
  }
  if (pibt->moves->degree <= 4) {
    return true;
  }
  const int32_t motion = find_motion(pibt, one.from, one.to);
  if (motion < 4) {
    return true;
  }
  const int32_t left = fw__moves_beside(pibt->moves, one.from, motion - 4);
  const int32_t right = fw__moves_beside(pibt->moves, one.from, (motion - 3) % 4);
  return !(other.from == left && other.to == right) && !(other.from == right && other.to == left);
}

// The robot that stands on a place, -1 for none.
static int32_t standing(const fw_pibt_generator_t * pibt, int32_t place)
{
  const int32_t robot = pibt->holders[place];
  return robot >= 0 && pibt->now[robot] == place ? robot : -1;
}

// Whether the robot's move to a place completes a rotation, where that is forbidden: robots that have chosen follow
// each other from there to where it is itself.
static bool closes_ring(const fw_pibt_generator_t * pibt, int32_t robot, int32_t place)
{
  if (pibt->has_rotations) {
    return false;
  }
  int32_t at = standing(pibt, place);
  for (int32_t i = 0; i < pibt->problem->robot_count && at >= 0 && at != robot; ++i) {
    const int32_t next = pibt->next[at];
    at = next < 0 || next == pibt->now[at] ? -1 : standing(pibt, next);
  }
  return at == robot;
}

// ---- corridors: swap ------------------------------------------------------------------------------------------------
//
// Two robots in a corridor that want to pass each other: pushing would only drive one of them to the end of it. The one
// that chooses first looks along the corridor in both directions. If it could push the other only to where it wants to
// be itself, and there is a junction behind it, it goes back to that junction and pulls the other along; there one of
// them gets out of the way.

static int32_t count_neighbours(const fw_pibt_generator_t * pibt, int32_t place)
{
  const int32_t * next = fw__moves_successors(pibt->moves, place);
  int32_t count = 0;
  for (int32_t d = 0; d < pibt->moves->degree; ++d) {
    count += next[d] >= 0 ? 1 : 0;
  }
  return count;
}

// Neighbours of `place` where a robot that comes from `from` can go on to; `onward` is one of them. A dead end whose
// robot is on its goal there is none.
static int32_t count_exits(const fw_pibt_generator_t * pibt, int32_t place, int32_t from, int32_t * onward)
{
  const int32_t * next = fw__moves_successors(pibt->moves, place);
  int32_t exits = 0;
  for (int32_t d = 0; d < pibt->moves->degree; ++d) {
    if (next[d] < 0 || next[d] == from) {
      continue;
    }
    const int32_t robot = standing(pibt, next[d]);
    if (robot >= 0 && pibt->goals[robot] == next[d] && count_neighbours(pibt, next[d]) == 1) {
      continue;
    }
    *onward = next[d];
    ++exits;
  }
  return exits;
}

// Two places of a corridor, one beside the other.
typedef struct corridor_t {
  int32_t pusher;
  int32_t puller;
} corridor_t;

// Whether a robot at `at.pusher` that pushes another one from `at.puller` on gets to where it wants to be without
// passing a junction, against the other one's wish.
static bool is_swap_required(const fw_pibt_generator_t * pibt, int32_t pusher, int32_t puller, corridor_t at)
{
  for (int32_t step = 0; step < pibt->moves->node_count; ++step) {
    if (fw__pibt_distance(pibt, pusher, at.puller) >= fw__pibt_distance(pibt, pusher, at.pusher)) {
      break;
    }
    int32_t onward = -1;
    const int32_t exits = count_exits(pibt, at.puller, at.pusher, &onward);
    if (exits >= 2) {
      return false;
    }
    if (exits == 0) {
      break;
    }
    at = (corridor_t){.pusher = at.puller, .puller = onward};
  }
  const int32_t left = fw__pibt_distance(pibt, pusher, at.pusher);
  return fw__pibt_distance(pibt, puller, at.pusher) < fw__pibt_distance(pibt, puller, at.puller) &&
         (left == 0 || fw__pibt_distance(pibt, pusher, at.puller) < left);
}

// Whether there is a junction behind `at.puller`, seen from `at.pusher`.
static bool is_swap_possible(const fw_pibt_generator_t * pibt, corridor_t at)
{
  const int32_t begin = at.pusher;
  for (int32_t step = 0; step < pibt->moves->node_count && at.puller != begin; ++step) {
    int32_t onward = -1;
    const int32_t exits = count_exits(pibt, at.puller, at.pusher, &onward);
    if (exits != 1) {
      return exits >= 2;
    }
    at = (corridor_t){.pusher = at.puller, .puller = onward};
  }
  return false;
}

// The robot with which `robot`, which wants to go to `wanted`, has to exchange places; -1 for none. The robot goes back
// then. It also does so to clear the way for one behind it that has to pass it.
static int32_t find_partner(const fw_pibt_generator_t * pibt, int32_t robot, int32_t wanted)
{
  const int32_t here = pibt->now[robot];
  if (!pibt->swaps || pibt->is_slow || wanted == here) {
    return -1;
  }
  const int32_t other = standing(pibt, wanted);
  if (
    other >= 0 && pibt->next[other] < 0 &&
    is_swap_required(pibt, robot, other, (corridor_t){.pusher = here, .puller = wanted}) &&
    is_swap_possible(pibt, (corridor_t){.pusher = wanted, .puller = here})) {
    return other;
  }
  const int32_t * next = fw__moves_successors(pibt->moves, here);
  for (int32_t d = 0; d < pibt->moves->degree; ++d) {
    const int32_t behind = next[d] < 0 || next[d] == wanted ? -1 : standing(pibt, next[d]);
    if (
      behind >= 0 && is_swap_required(pibt, behind, robot, (corridor_t){.pusher = here, .puller = wanted}) &&
      is_swap_possible(pibt, (corridor_t){.pusher = wanted, .puller = here})) {
      return behind;
    }
  }
  return -1;
}

// ---- candidates -----------------------------------------------------------------------------------------------------

// Fills in the neighbours and the own place: what the robot wishes, then nearest to the goal first, ties at random.
static void rank_candidates(fw_pibt_generator_t * pibt, fw_pibt_frame_t * frame)
{
  const int32_t here = pibt->now[frame->robot];
  const int32_t * next = fw__moves_successors(pibt->moves, here);
  const int32_t wish = pibt->wishes != NULL ? pibt->wishes[frame->robot] : -1;
  uint64_t keys[CANDIDATES_MAX];
  frame->count = 0;
  for (int32_t d = 0; d <= pibt->moves->degree; ++d) {
    const int32_t place = d < pibt->moves->degree ? next[d] : here;
    if (place < 0) {
      continue;
    }
    const uint64_t distance = (uint64_t)(uint32_t)fw__pibt_distance(pibt, frame->robot, place);
    const uint64_t key = place == wish ? 0 : distance << 32 | fw__rng_next(&pibt->rng) >> 32;
    FW_ASSERT(frame->count < CANDIDATES_MAX);
    int32_t at = frame->count++;
    for (; at > 0 && keys[at - 1] > key; --at) {
      keys[at] = keys[at - 1];
      frame->candidates[at] = frame->candidates[at - 1];
    }
    keys[at] = key;
    frame->candidates[at] = place;
  }
  frame->partner = wish < 0 || pibt->swaps_wishes ? find_partner(pibt, frame->robot, frame->candidates[0]) : -1;
  for (int32_t i = 0; frame->partner >= 0 && i < frame->count / 2; ++i) {  // farthest first
    const int32_t place = frame->candidates[i];
    frame->candidates[i] = frame->candidates[frame->count - 1 - i];
    frame->candidates[frame->count - 1 - i] = place;
  }
}

// ---- the step -------------------------------------------------------------------------------------------------------

static void claim(fw_pibt_generator_t * pibt, int32_t robot, int32_t place)
{
  FW_ASSERT(place >= 0);
  pibt->next[robot] = place;
  pibt->claimed[place] = robot;
}

static void unclaim(fw_pibt_generator_t * pibt, int32_t robot)
{
  if (pibt->next[robot] >= 0 && pibt->claimed[pibt->next[robot]] == robot) {
    pibt->claimed[pibt->next[robot]] = -1;
  }
  pibt->next[robot] = -1;
}

typedef enum verdict_t {
  TAKE,    // the place is free
  PUSH,    // a robot is there that has not chosen
  WAIT,    // the place will be free later
  REFUSE,  // the place cannot be had
} verdict_t;

// Whether the robot can have a candidate.
static verdict_t judge(const fw_pibt_generator_t * pibt, const fw_pibt_frame_t * frame, int32_t place)
{
  const int32_t here = pibt->now[frame->robot];
  if (pibt->claimed[place] >= 0 || !fw__escape_allows(&pibt->escape, place, pibt->tick + 1)) {
    return REFUSE;
  }
  if (place == here) {
    return frame->pusher >= 0 ? REFUSE : TAKE;
  }
  const int32_t holder = pibt->holders[place];
  if (holder >= 0 && holder != frame->robot) {
    const bool is_open = pibt->next[holder] < 0 && pibt->now[holder] == place;
    if (pibt->is_slow) {
      // The robot stays and lets the other go first.
      const bool can_stay = pibt->claimed[here] < 0 && fw__escape_allows(&pibt->escape, here, pibt->tick + 1);
      return !can_stay ? REFUSE : is_open ? PUSH : frame->pusher >= 0 ? REFUSE : WAIT;
    }
    if (pibt->next[holder] == here || crosses(pibt, here, place) || closes_ring(pibt, frame->robot, place)) {
      return REFUSE;
    }
    return is_open ? PUSH : TAKE;
  }
  return crosses(pibt, here, place) ? REFUSE : TAKE;
}

// The robot has got its first candidate and goes back to a junction: its partner follows, unless something keeps it.
static void pull_partner(fw_pibt_generator_t * pibt, const fw_pibt_frame_t * frame)
{
  const int32_t here = pibt->now[frame->robot], partner = frame->partner;
  if (
    partner < 0 || frame->at != 1 || pibt->next[frame->robot] == here || pibt->next[partner] >= 0 ||
    pibt->next[frame->robot] == pibt->now[partner] || pibt->claimed[here] >= 0 ||
    !fw__escape_allows(&pibt->escape, here, pibt->tick + 1) || crosses(pibt, pibt->now[partner], here) ||
    closes_ring(pibt, partner, here)) {
    return;
  }
  ++pibt->swap_count;
  claim(pibt, partner, here);
}

// Continues the choice on top of the stack. Returns the new depth; if it is smaller, `has_left` says whether the robot
// makes room (or need not).
static int32_t try_candidates(fw_pibt_generator_t * pibt, int32_t depth, bool * has_left)
{
  FW_ASSERT(depth > 0 && depth <= pibt->problem->robot_count);
  fw_pibt_frame_t * frame = &pibt->frames[depth - 1];
  const int32_t here = pibt->now[frame->robot];
  while (frame->at < frame->count) {
    const int32_t place = frame->candidates[frame->at++];
    const verdict_t verdict = judge(pibt, frame, place);
    if (verdict == REFUSE) {
      continue;
    }
    const bool waits = verdict == WAIT || (verdict == PUSH && pibt->is_slow);
    claim(pibt, frame->robot, waits ? here : place);
    if (verdict != PUSH) {
      pull_partner(pibt, frame);
      *has_left = true;
      return depth - 1;
    }
    FW_ASSERT(depth < pibt->problem->robot_count);  // every robot is on the stack once at most
    fw_pibt_frame_t * pushed = &pibt->frames[depth];
    *pushed = (fw_pibt_frame_t){.robot = pibt->holders[place], .pusher = frame->robot, .partner = -1};
    rank_candidates(pibt, pushed);
    ++pibt->pushes;
    return depth + 1;
  }
  // The robot stays. Whoever pushes it has claimed its place and has to look for another one.
  const int32_t claimer = pibt->claimed[here];
  if ((claimer >= 0 && claimer != frame->pusher) || !fw__escape_allows(&pibt->escape, here, pibt->tick + 1)) {
    pibt->has_failed = true;
    pibt->failed_robot = frame->robot;
  } else {
    claim(pibt, frame->robot, here);
  }
  *has_left = frame->pusher < 0;
  return depth - 1;
}

// The robot chooses, and those that it pushes.
static void choose(fw_pibt_generator_t * pibt, int32_t robot)
{
  int32_t depth = 1;
  pibt->frames[0] = (fw_pibt_frame_t){.robot = robot, .pusher = -1, .partner = -1};
  rank_candidates(pibt, &pibt->frames[0]);
  while (depth > 0 && !pibt->has_failed) {
    bool has_left = false;
    const int32_t below = try_candidates(pibt, depth, &has_left);
    if (below < depth && below > 0 && !pibt->has_failed) {
      fw_pibt_frame_t * pusher = &pibt->frames[below - 1];
      if (has_left) {  // the pusher has its place, and so on down the stack
        pull_partner(pibt, pusher);
        depth = below - 1;
        for (; depth > 0; --depth) {
          pull_partner(pibt, &pibt->frames[depth - 1]);
        }
        continue;
      }
      unclaim(pibt, pusher->robot);
    }
    depth = below;
  }
}

// Enters the robots whose places are given. False if these collide.
static bool fix_robots(fw_pibt_generator_t * pibt, const fw_pibt_request_t * request)
{
  for (int32_t i = 0; i < request->fixed_count; ++i) {
    const int32_t robot = request->fixed_robots[i], place = request->fixed_places[i], here = pibt->now[robot];
    const int32_t holder = pibt->holders[place];
    const bool is_held = holder >= 0 && holder != robot;
    if (
      pibt->claimed[place] >= 0 || !fw__escape_allows(&pibt->escape, place, pibt->tick + 1) ||
      (is_held && (pibt->is_slow || pibt->next[holder] == here || closes_ring(pibt, robot, place))) ||
      crosses(pibt, here, place)) {
      return false;
    }
    claim(pibt, robot, place);
  }
  return true;
}

bool fw__pibt_generate(fw_pibt_generator_t * pibt, const fw_pibt_request_t * request, int32_t * next)
{
  const int32_t count = pibt->problem->robot_count;
  const int32_t rows = pibt->rows;
  pibt->now = request->places;
  pibt->next = next;
  pibt->tick = request->tick;
  pibt->has_failed = false;
  pibt->failed_robot = -1;
  for (int32_t row = 0; row < rows; ++row) {
    for (int32_t r = 0; r < count; ++r) {
      if (request->places[row * count + r] >= 0) {
        pibt->holders[request->places[row * count + r]] = r;
      }
    }
  }
  for (int32_t r = 0; r < count; ++r) {
    next[r] = -1;
  }
  pibt->has_failed = !fix_robots(pibt, request);
  for (int32_t i = 0; i < count && !pibt->has_failed; ++i) {
    if (next[request->order[i]] < 0 && request->places[request->order[i]] >= 0) {
      choose(pibt, request->order[i]);
    }
  }
  for (int32_t i = 0; i < rows * count; ++i) {
    if (request->places[i] >= 0) {
      pibt->holders[request->places[i]] = -1;
    }
  }
  for (int32_t r = 0; r < count; ++r) {
    if (next[r] >= 0) {
      pibt->claimed[next[r]] = -1;
    }
  }
  return !pibt->has_failed;
}
