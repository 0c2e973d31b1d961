// PIBT: one tick of all robots. Order of the file: the order of robots, corridors (swap), candidates, the step.

#include "planner/rtaa/pibt.h"

#include "base/assert.h"
#include "base/rng.h"

static bool is_on_goal(const fw_pibt_t * pibt, int32_t robot)
{
  return pibt->cells[robot] == pibt->problem->robots[robot].goal;
}

// 24 bits that depend on the seed, the tick, the robot and `salt`, below 16.
static uint64_t random_bits(const fw_pibt_t * pibt, int32_t robot, int32_t salt)
{
  fw_rng_t rng =
    fw__rng(pibt->seed ^ ((uint64_t)(uint32_t)robot << 36) ^ ((uint64_t)(uint32_t)pibt->now << 4) ^ (uint64_t)salt);
  return fw__rng_next(&rng) >> 40;
}

fw_cell_t fw__pibt_neighbour(const fw_grid_t * grid, fw_cell_t cell, int32_t heading)
{
  static const int32_t dx[FW_HEADING_COUNT] = {1, 1, 0, -1, -1, -1, 0, 1};
  static const int32_t dy[FW_HEADING_COUNT] = {0, 1, 1, 1, 0, -1, -1, -1};
  FW_ASSERT(heading >= 0 && heading < FW_HEADING_COUNT);
  const int32_t x = fw_grid_x(grid, cell), y = fw_grid_y(grid, cell);
  const int32_t to_x = x + dx[heading], to_y = y + dy[heading];
  if (!fw_grid_is_free(grid, to_x, to_y) || !fw_grid_is_free(grid, to_x, y) || !fw_grid_is_free(grid, x, to_y)) {
    return FW_CELL_NONE;
  }
  return fw_grid_cell(grid, to_x, to_y);
}

// ---- the order in which robots choose -------------------------------------------------------------------------------
//
// Robots under way come before robots on their goals, higher priorities before lower ones, and among equals those that
// are under way for longer. A robot that arrives falls behind all that have not, so that every robot comes first
// eventually. A robot that is first but cannot move, because it blocks the exit of those in front of it, falls behind
// its equals after `patience` ticks: then they choose, and it is pushed. Each order is made from the last one by a
// stable counting sort, so that the past need not be counted.

// At the beginning.
static bool is_before(const fw_pibt_t * pibt, int32_t robot, int32_t other)
{
  const fw_robot_t * robots = pibt->problem->robots;
  if (robots[robot].priority != robots[other].priority) {
    return robots[robot].priority > robots[other].priority;
  }
  if (pibt->seniority[robot] != pibt->seniority[other]) {
    return pibt->seniority[robot] < pibt->seniority[other];
  }
  return robot < other;
}

// By falling priority, then seniority, then index. Equal priorities have one rank.
void fw__pibt_order_begin(fw_pibt_t * pibt)
{
  const fw_robot_t * robots = pibt->problem->robots;
  const int32_t count = pibt->problem->robot_count;
  for (int32_t r = 0; r < count; ++r) {
    pibt->order[r] = r;
  }
  for (int32_t gap = count / 2; gap > 0; gap /= 2) {  // shell sort; indices differ, so that there are no ties
    for (int32_t i = gap; i < count; ++i) {
      const int32_t robot = pibt->order[i];
      int32_t at = i;
      for (; at >= gap; at -= gap) {
        const int32_t other = pibt->order[at - gap];
        if (!is_before(pibt, robot, other)) {
          break;
        }
        pibt->order[at] = other;
      }
      pibt->order[at] = robot;
    }
  }
  pibt->rank_count = 0;
  for (int32_t i = 0; i < count; ++i) {
    const bool is_new = i == 0 || robots[pibt->order[i]].priority != robots[pibt->order[i - 1]].priority;
    pibt->rank_count += is_new ? 1 : 0;
    pibt->rank[pibt->order[i]] = pibt->rank_count - 1;
  }
}

// Classes in the order: under way, by rank, and behind those of a rank the ones without patience; robots that yield;
// robots on their goals, by rank.
static int32_t class_of(const fw_pibt_t * pibt, int32_t robot)
{
  if (is_on_goal(pibt, robot)) {
    return 2 * pibt->rank_count + 1 + pibt->rank[robot];
  }
  if (pibt->yields_until[robot] > pibt->now) {
    return 2 * pibt->rank_count;
  }
  return 2 * pibt->rank[robot] + (pibt->blocked[robot] > pibt->patience ? 1 : 0);
}

static void update_order(fw_pibt_t * pibt)
{
  const int32_t count = pibt->problem->robot_count;
  const int32_t class_count = 3 * pibt->rank_count + 1;
  for (int32_t i = 0; i <= class_count; ++i) {
    pibt->class_ends[i] = 0;
  }
  for (int32_t r = 0; r < count; ++r) {
    ++pibt->class_ends[class_of(pibt, r) + 1];
  }
  for (int32_t i = 0; i < class_count; ++i) {
    pibt->class_ends[i + 1] += pibt->class_ends[i];
  }
  for (int32_t i = 0; i < count; ++i) {
    const int32_t robot = pibt->order[i];
    pibt->sorted[pibt->class_ends[class_of(pibt, robot)]++] = robot;
  }
  for (int32_t r = 0; r < count; ++r) {
    if (pibt->blocked[r] > pibt->patience) {
      pibt->blocked[r] = 0;
      ++pibt->demotions;
    }
  }
  int32_t * order = pibt->order;
  pibt->order = pibt->sorted;
  pibt->sorted = order;
}

// ---- corridors: swap ------------------------------------------------------------------------------------------------
//
// Two robots in a corridor that want to pass each other: pushing would only drive one of them to its dead end. The one
// that chooses first looks along the corridor in both directions. If the other could be pushed only to where the first
// one wants to go, and there is a junction behind the first, it goes back to that junction instead and pulls the other
// along; there one of them gets out of the way. With robust ticks no robot can be pulled along, so that the one that
// goes back yields until the other can have followed. The swap operation of K. Okumura, Improving LaCAM for Scalable
// Eventually Optimal Multi-Agent Pathfinding, IJCAI 2023.

enum { CORRIDOR_MAX = 1024 };  // cells that are looked at

// The distance that is left for the robot, as far as it is known.
static uint32_t estimate(const fw_pibt_t * pibt, int32_t robot, fw_cell_t cell)
{
  return pibt->estimate != NULL ? pibt->estimate(pibt->estimate_context, robot, cell)
                                : fw_batch_estimate(pibt->batch, robot, cell);
}

// The heading of the first move of the path that the robot's last episode has found; -1 if there is none.
static int32_t first_move(const fw_pibt_t * pibt, int32_t robot)
{
  uint8_t path[FW_LOOKAHEAD_MAX];
  return pibt->estimate == NULL && fw_batch_way(pibt->batch, robot, path) > 0 ? path[0] : -1;
}

// Neighbours of a cell except one; `last` is one of them.
static int32_t count_exits(const fw_pibt_t * pibt, fw_cell_t cell, fw_cell_t without, fw_cell_t * last)
{
  int32_t exits = 0;
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; heading += pibt->problem->connectivity == 4 ? 2 : 1) {
    const fw_cell_t next = fw__pibt_neighbour(&pibt->known, cell, heading);
    if (next != FW_CELL_NONE && next != without) {
      *last = next;
      ++exits;
    }
  }
  return exits;
}

// A dead end whose robot is on its goal is no place to get out of the way.
static bool is_occupied_dead_end(const fw_pibt_t * pibt, fw_cell_t cell, fw_cell_t mouth)
{
  const int32_t robot = pibt->standing[cell];
  fw_cell_t unused;
  return robot >= 0 && is_on_goal(pibt, robot) && count_exits(pibt, cell, mouth, &unused) == 0;
}

// Neighbours of `cell` where a robot that comes from `from` can go on to; `next` is one of them.
static int32_t count_passable(const fw_pibt_t * pibt, fw_cell_t cell, fw_cell_t from, fw_cell_t * next)
{
  int32_t passable = 0;
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; heading += pibt->problem->connectivity == 4 ? 2 : 1) {
    const fw_cell_t to = fw__pibt_neighbour(&pibt->known, cell, heading);
    if (to != FW_CELL_NONE && to != from && !is_occupied_dead_end(pibt, to, cell)) {
      *next = to;
      ++passable;
    }
  }
  return passable;
}

// A robot that pushes another along a corridor, from the cells where both are or will be.
typedef struct push_t {
  int32_t robot;
  int32_t other;
  fw_cell_t from;  // of the robot
  fw_cell_t to;    // of the other one
} push_t;

// Whether the robot gets to where it wants to be without passing a junction, and the other one wants to go back.
static bool has_to_swap(const fw_pibt_t * pibt, push_t push)
{
  const int32_t robot = push.robot;
  fw_cell_t from = push.from, to = push.to;
  for (int32_t step = 0; step < CORRIDOR_MAX && estimate(pibt, robot, to) < estimate(pibt, robot, from); ++step) {
    fw_cell_t next = to;
    const int32_t passable = count_passable(pibt, to, from, &next);
    if (passable >= 2) {
      return false;
    }
    if (passable == 0) {
      break;
    }
    from = to;
    to = next;
  }
  return estimate(pibt, push.other, from) < estimate(pibt, push.other, to) &&
         ((from == pibt->problem->robots[robot].goal && pibt->problem->robust_ticks == 0) ||
          estimate(pibt, robot, to) < estimate(pibt, robot, from));
}

// The number of cells to the first junction behind a robot that is on `back`, seen from `front`; -1 if there is none.
static int32_t find_junction(const fw_pibt_t * pibt, fw_cell_t back, fw_cell_t front)
{
  fw_cell_t from = front, to = back;
  for (int32_t step = 0; step < CORRIDOR_MAX && to != front; ++step) {
    fw_cell_t next = to;
    const int32_t passable = count_passable(pibt, to, from, &next);
    if (passable != 1) {
      return passable > 1 ? step : -1;
    }
    from = to;
    to = next;
  }
  return -1;
}

// A robot on the cell that `robot` wants with which it should go back to a junction; -1 for none. Or a robot beside it
// that would have to change places with it on its next cell: that one is let past before.
static int32_t find_swap_partner(const fw_pibt_t * pibt, int32_t robot, fw_cell_t wanted)
{
  const fw_cell_t here = pibt->cells[robot];
  const int32_t other = pibt->standing[wanted];
  if (wanted == here) {
    return -1;
  }
  if (
    other >= 0 && pibt->next[other] == FW_CELL_NONE && has_to_swap(pibt, (push_t){robot, other, here, wanted}) &&
    find_junction(pibt, here, wanted) >= 0) {
    return other;
  }
  if (pibt->problem->robust_ticks > 0) {
    return -1;  // nobody can be pulled along
  }
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; heading += pibt->problem->connectivity == 4 ? 2 : 1) {
    const fw_cell_t beside = fw__pibt_neighbour(&pibt->known, here, heading);
    const int32_t behind = beside != FW_CELL_NONE && beside != wanted ? pibt->standing[beside] : -1;
    if (
      behind >= 0 && has_to_swap(pibt, (push_t){behind, robot, here, wanted}) &&
      find_junction(pibt, here, wanted) >= 0) {
      return behind;
    }
  }
  return -1;
}

// The ticks for which `robot` lets all others choose first when no robot can be pulled along.
static fw_tick_t yield_ticks(const fw_pibt_t * pibt, int32_t robot, int32_t other)
{
  const int32_t cells =
    find_junction(pibt, pibt->cells[robot], pibt->cells[other]) + 4;  // to the junction, aside, and past it
  return 2 * (1 + pibt->problem->robust_ticks) * cells;
}

// ---- candidates -----------------------------------------------------------------------------------------------------

enum { CANDIDATES_MAX = FW_HEADING_COUNT + 1 };

// A robot that is choosing its next cell, on a stack: the one below pushes it.
typedef struct fw_pibt_choice_t {
  int32_t robot;
  int32_t pusher;  // the robot from which it inherits its priority; -1 for none
  int32_t count;
  int32_t at;       // the next candidate to try
  int32_t partner;  // pulled along to where the robot is if it gets its first candidate; -1 for none
  fw_cell_t candidates[CANDIDATES_MAX];
} fw_pibt_choice_t;

enum { RANK_BITS = (1 << 26) - 1 };  // of a score, below the distance

// Smaller is better: the first move of the path that the episode found; else the distance that is left; then cells
// without a robot; then random bits, which keep two robots from dodging each other in the same way forever.
static uint64_t score(const fw_pibt_t * pibt, int32_t robot, fw_cell_t cell, int32_t heading)
{
  const uint64_t left = estimate(pibt, robot, cell) + pibt->problem->grid->cost[cell];
  const bool is_taken =
    cell != pibt->cells[robot] && (pibt->standing[cell] >= 0 || pibt->free_from[cell] > pibt->now + 1);
  return (left << 26) | ((uint64_t)(is_taken ? 1 : 0) << 25) | random_bits(pibt, robot, heading);
}

// Larger is better: the distance that is left for the partner from a cell; then to stay; the partner's own cell is
// last.
static uint32_t swap_score(const fw_pibt_t * pibt, const fw_pibt_choice_t * choice, fw_cell_t cell)
{
  if (cell == pibt->cells[choice->partner]) {
    return 0;
  }
  return cell == pibt->cells[choice->robot] ? 1 : estimate(pibt, choice->partner, cell) + 2;
}

// Back to a junction, and there to the side that the partner does not want.
static void sort_for_swap(const fw_pibt_t * pibt, fw_pibt_choice_t * choice)
{
  for (int32_t i = 1; i < choice->count; ++i) {
    const fw_cell_t cell = choice->candidates[i];
    const uint32_t value = swap_score(pibt, choice, cell);
    int32_t at = i;
    for (; at > 0 && swap_score(pibt, choice, choice->candidates[at - 1]) < value; --at) {
      choice->candidates[at] = choice->candidates[at - 1];
    }
    choice->candidates[at] = cell;
  }
}

// Fills in candidates, best first, and the partner of a swap.
static void choose_candidates(const fw_pibt_t * pibt, int32_t robot, fw_pibt_choice_t * choice)
{
  const fw_cell_t here = pibt->cells[robot];
  const bool has_arrived = is_on_goal(pibt, robot);
  const int32_t path_heading = has_arrived ? -1 : first_move(pibt, robot);
  uint64_t scores[CANDIDATES_MAX];
  choice->count = 0;
  const int32_t step = pibt->problem->connectivity == 4 ? 2 : 1;
  for (int32_t heading = 0; heading <= FW_HEADING_COUNT; heading += step) {
    const bool is_stay = heading == FW_HEADING_COUNT;
    const fw_cell_t cell = is_stay ? here : fw__pibt_neighbour(&pibt->known, here, heading);
    if (cell == FW_CELL_NONE) {
      continue;
    }
    uint64_t value = is_stay && has_arrived ? 0 : score(pibt, robot, cell, heading);
    if (heading == path_heading) {
      value &= RANK_BITS;  // before all others, whatever the distance
    }
    FW_ASSERT(choice->count < CANDIDATES_MAX);
    int32_t at = choice->count++;
    for (; at > 0 && scores[at - 1] > value; --at) {
      scores[at] = scores[at - 1];
      choice->candidates[at] = choice->candidates[at - 1];
    }
    scores[at] = value;
    choice->candidates[at] = cell;
  }
  choice->partner = find_swap_partner(pibt, robot, choice->candidates[0]);
  if (choice->partner >= 0) {
    sort_for_swap(pibt, choice);
  }
}

// ---- the step -------------------------------------------------------------------------------------------------------

// Ticks between two new prices for a robot that has returned to its goal, and between two validations of the state.
enum { REPRICE_TICKS = 64, VALIDATE_TICKS = 64 };

// Sets the cost of the goal cell of a robot that has come to rest there or was pushed off. While the robot is there,
// the cell costs others more, so that their paths lead around it where the detour is short. The extra cost is random,
// and its maximum rises each time the robot has to leave: no fixed price is right everywhere, and one that is too high
// would cut off what lies behind the cell.
static void set_price(fw_pibt_t * pibt, int32_t robot, bool is_there)
{
  const fw_cell_t cell = pibt->problem->robots[robot].goal;
  int32_t cost = pibt->problem->grid->cost[cell];
  if (is_there) {
    const uint64_t most = (uint64_t)pibt->parked * (uint64_t)pibt->arrivals[robot];
    cost += (int32_t)(random_bits(pibt, robot, FW_HEADING_COUNT + 1) % (most < UINT8_MAX ? most + 1 : UINT8_MAX));
  }
  if (
    pibt->parked > 0 &&
    fw_batch_set_cost(pibt->batch, cell, (uint8_t)(cost < UINT8_MAX ? cost : UINT8_MAX), NULL) != FW_RET_OK) {
    pibt->has_failed = true;
  }
}

// The robot will be on the cell.
static void claim(fw_pibt_t * pibt, int32_t robot, fw_cell_t cell)
{
  FW_ASSERT(cell != FW_CELL_NONE);
  pibt->next[robot] = cell;
  pibt->claimed[cell] = robot;
}

static void unclaim(fw_pibt_t * pibt, int32_t robot)
{
  if (pibt->claimed[pibt->next[robot]] == robot) {
    pibt->claimed[pibt->next[robot]] = -1;
  }
  pibt->next[robot] = FW_CELL_NONE;
}

// A robot beside a diagonal move crosses it on the other diagonal of the same four cells.
static bool crosses(const fw_pibt_t * pibt, fw_cell_t from, fw_cell_t to)
{
  const fw_grid_t * grid = pibt->problem->grid;
  const int32_t across = fw_grid_x(grid, to) - fw_grid_x(grid, from);
  const int32_t down = (fw_grid_y(grid, to) - fw_grid_y(grid, from)) * grid->width;
  if (across == 0 || down == 0) {
    return false;
  }
  const int32_t one = pibt->standing[from + down], other = pibt->standing[from + across];
  return (one >= 0 && pibt->next[one] == from + across) || (other >= 0 && pibt->next[other] == from + down);
}

typedef enum verdict_t {
  TAKE,   // the cell is free
  PUSH,   // a robot is there that has not chosen
  WAIT,   // the cell will be free in a while
  LEAVE,  // the cell cannot be had
} verdict_t;

// Whether the robot can have a candidate.
static verdict_t judge(const fw_pibt_t * pibt, const fw_pibt_choice_t * choice, fw_cell_t cell)
{
  const fw_cell_t here = pibt->cells[choice->robot];
  const bool is_pushed = choice->pusher >= 0;
  if (cell == here) {
    return is_pushed || pibt->claimed[here] >= 0 ? LEAVE : TAKE;  // claimed by a robot that must go there
  }
  if (pibt->claimed[cell] >= 0 || (is_pushed && cell == pibt->cells[choice->pusher]) || crosses(pibt, here, cell)) {
    return LEAVE;
  }
  const int32_t other = pibt->standing[cell];
  if (other < 0) {
    return pibt->free_from[cell] <= pibt->now + 1 ? TAKE : is_pushed ? LEAVE : WAIT;
  }
  if (pibt->next[other] == FW_CELL_NONE) {
    return PUSH;
  }
  if (pibt->next[other] == here) {
    return LEAVE;
  }
  return pibt->problem->robust_ticks == 0 ? TAKE : is_pushed ? LEAVE : WAIT;
}

// The robot has got its candidate. If it goes back to a junction it pulls its partner along, unless something keeps
// that.
static void pull_partner(fw_pibt_t * pibt, const fw_pibt_choice_t * choice)
{
  const fw_cell_t here = pibt->cells[choice->robot];
  const int32_t partner = choice->partner;
  if (partner < 0 || choice->at != 1 || pibt->next[choice->robot] == here || pibt->next[partner] != FW_CELL_NONE) {
    return;
  }
  ++pibt->swaps;
  if (pibt->problem->robust_ticks > 0) {
    pibt->yields_until[choice->robot] = pibt->now + yield_ticks(pibt, choice->robot, partner);
  } else if (pibt->claimed[here] < 0 && !crosses(pibt, pibt->cells[partner], here)) {
    claim(pibt, partner, here);
  }
}

// Continues the choice on top of the stack. Returns the new depth; if it is smaller, `has_cell` says whether the robot
// got a cell to leave to (or need not leave).
static int32_t try_candidates(fw_pibt_t * pibt, int32_t depth, bool * has_cell)
{
  FW_ASSERT(depth > 0 && depth <= pibt->problem->robot_count);
  fw_pibt_choice_t * choice = &pibt->choices[depth - 1];
  while (choice->at < choice->count) {
    const fw_cell_t cell = choice->candidates[choice->at++];
    const verdict_t verdict = judge(pibt, choice, cell);
    if (verdict == LEAVE) {
      continue;
    }
    const bool is_robust = pibt->problem->robust_ticks > 0;
    claim(pibt, choice->robot, verdict == WAIT || (verdict == PUSH && is_robust) ? pibt->cells[choice->robot] : cell);
    if (verdict != PUSH) {
      pull_partner(pibt, choice);
      *has_cell = true;
      return depth - 1;
    }
    FW_ASSERT(depth < pibt->problem->robot_count);      // every robot is on the stack once at most
    fw_pibt_choice_t * pushed = &pibt->choices[depth];  // priority inheritance
    *pushed = (fw_pibt_choice_t){.robot = pibt->standing[cell], .pusher = choice->robot, .partner = -1};
    choose_candidates(pibt, pushed->robot, pushed);
    ++pibt->pushes;
    return depth + 1;
  }
  pibt->is_stuck = pibt->is_stuck || (choice->pusher < 0 && pibt->claimed[pibt->cells[choice->robot]] >= 0);
  claim(pibt, choice->robot, pibt->cells[choice->robot]);
  *has_cell = choice->pusher < 0;
  return depth - 1;
}

// A shortcut: the best candidate is known before all are scored, the first move of the path, or to stay on the goal.
static bool choose_at_once(fw_pibt_t * pibt, int32_t robot)
{
  const fw_pibt_choice_t choice = {.robot = robot, .pusher = -1, .partner = -1};
  fw_cell_t cell = pibt->cells[robot];
  if (!is_on_goal(pibt, robot)) {
    const int32_t heading = first_move(pibt, robot);
    cell = heading >= 0 ? fw__pibt_neighbour(&pibt->known, cell, heading) : FW_CELL_NONE;
  }
  const bool is_free = cell != FW_CELL_NONE && judge(pibt, &choice, cell) == TAKE;
  if (is_free) {
    claim(pibt, robot, cell);
  }
  return is_free;
}

// A robot chooses, and all robots that it pushes. The loop ends: each robot is put on the stack once at most, and each
// iteration takes a candidate from a choice.
static void choose(fw_pibt_t * pibt, int32_t robot)
{
  if (choose_at_once(pibt, robot)) {
    return;
  }
  pibt->choices[0] = (fw_pibt_choice_t){.robot = robot, .pusher = -1, .partner = -1};
  choose_candidates(pibt, robot, &pibt->choices[0]);
  int32_t depth = 1;
  while (depth > 0) {
    bool has_cell = false;
    const int32_t before = depth;
    depth = try_candidates(pibt, depth, &has_cell);
    while (depth < before && depth > 0 && has_cell) {  // those below get the cells that they want
      pull_partner(pibt, &pibt->choices[--depth]);
    }
    if (depth < before && depth > 0) {
      unclaim(pibt, pibt->choices[depth - 1].robot);  // backtracking: it tries its next candidate
    }
  }
}

void fw__pibt_place(fw_pibt_t * pibt, const fw_cell_t * cells, const int32_t * order)
{
  const int32_t count = pibt->problem->robot_count;
  for (int32_t r = 0; r < count; ++r) {
    pibt->standing[pibt->cells[r]] = -1;
    if (pibt->next[r] != FW_CELL_NONE) {
      pibt->claimed[pibt->next[r]] = -1;
    }
  }
  for (int32_t r = 0; r < count; ++r) {
    pibt->cells[r] = cells[r];
    pibt->standing[cells[r]] = r;
    pibt->next[r] = FW_CELL_NONE;
    pibt->order[r] = order[r];
  }
  pibt->is_stuck = false;
}

bool fw__pibt_demand(fw_pibt_t * pibt, int32_t robot, fw_cell_t cell)
{
  const fw_pibt_choice_t choice = {.robot = robot, .pusher = -1, .partner = -1};
  const verdict_t verdict = judge(pibt, &choice, cell);
  const bool is_free = verdict == TAKE || (verdict == PUSH && pibt->problem->robust_ticks == 0);
  if (is_free) {
    claim(pibt, robot, cell);
  }
  return is_free;
}

bool fw__pibt_may_move(const fw_pibt_t * pibt, int32_t robot, fw_cell_t to)
{
  return !crosses(pibt, pibt->cells[robot], to);
}

bool fw__pibt_propose(fw_pibt_t * pibt)
{
  const int32_t count = pibt->problem->robot_count;
  for (int32_t i = 0; i < count && !pibt->is_stuck; ++i) {
    if (pibt->next[pibt->order[i]] == FW_CELL_NONE) {
      choose(pibt, pibt->order[i]);
    }
  }
  return !pibt->is_stuck;
}

// All robots go to `next`.
static void move_all(fw_pibt_t * pibt)
{
  const int32_t count = pibt->problem->robot_count;
  for (int32_t r = 0; r < count; ++r) {
    const bool is_waiting = pibt->next[r] == pibt->cells[r];
    pibt->claimed[pibt->next[r]] = -1;
    if (!is_waiting) {
      pibt->free_from[pibt->cells[r]] = pibt->now + 1 + pibt->problem->robust_ticks;
      pibt->standing[pibt->cells[r]] = -1;
    }
    pibt->blocked[r] = is_waiting && !is_on_goal(pibt, r) ? pibt->blocked[r] + 1 : 0;
    pibt->waits += pibt->blocked[r] > 0 ? 1 : 0;
  }
  for (int32_t r = 0; r < count; ++r) {
    const fw_cell_t goal = pibt->problem->robots[r].goal;
    const bool was_there = pibt->cells[r] == goal, is_there = pibt->next[r] == goal;
    if (pibt->next[r] != pibt->cells[r]) {
      fw_batch_set_cell(pibt->batch, r, pibt->next[r]);
      pibt->cells[r] = pibt->next[r];
      pibt->standing[pibt->cells[r]] = r;
      pibt->arrivals[r] += is_there ? 1 : 0;
    }
    const bool is_due = is_there && pibt->arrivals[r] > 1 && (pibt->now + r) % REPRICE_TICKS == 0;
    if (was_there != is_there || is_due) {
      set_price(pibt, r, is_there);
    }
  }
  ++pibt->now;
}

void fw__pibt_step(fw_pibt_t * pibt)
{
  const int32_t count = pibt->problem->robot_count;
  update_order(pibt);
  FW_ASSERT(pibt->now % VALIDATE_TICKS != 0 || fw__pibt_validate(pibt));
  for (int32_t r = 0; r < count; ++r) {
    pibt->next[r] = FW_CELL_NONE;
  }
  for (int32_t i = 0; i < count; ++i) {
    if (pibt->next[pibt->order[i]] == FW_CELL_NONE) {
      choose(pibt, pibt->order[i]);
    }
  }
  move_all(pibt);
}

// Whether a move to a cell beside, or none at all, is free on the known map.
static bool can_move(const fw_pibt_t * pibt, fw_cell_t from, fw_cell_t to)
{
  const fw_grid_t * grid = &pibt->known;
  const int32_t x = fw_grid_x(grid, to), y = fw_grid_y(grid, to);
  return from == to || (fw_grid_is_free(grid, x, y) && fw_grid_is_free(grid, x, fw_grid_y(grid, from)) &&
                        fw_grid_is_free(grid, fw_grid_x(grid, from), y));
}

bool fw__pibt_follow(fw_pibt_t * pibt, const fw_cell_t * cells)
{
  const int32_t count = pibt->problem->robot_count;
  for (int32_t r = 0; r < count; ++r) {
    if (!can_move(pibt, pibt->cells[r], cells[r])) {
      return false;
    }
  }
  update_order(pibt);
  for (int32_t r = 0; r < count; ++r) {
    pibt->next[r] = cells[r];
  }
  move_all(pibt);
  return true;
}

// ---- init -----------------------------------------------------------------------------------------------------------

void fw__pibt_init(fw_pibt_t * pibt, const fw_pibt_options_t * options)
{
  const fw_problem_t * problem = options->problem;
  fw_arena_t * arena = options->arena;
  const size_t count = (size_t)problem->robot_count;
  const size_t cells = (size_t)fw_grid_cell_count(problem->grid);
  *pibt = (fw_pibt_t){
    .problem = problem,
    .batch = options->batch,
    .estimate = options->estimate,
    .estimate_context = options->estimate_context,
    .known = fw_batch_known(options->batch),
    .arena = arena,
    .seed = options->seed,
    .patience = options->patience,
    .parked = options->parked,
  };
  pibt->order = fw__arena_allocate(arena, count, sizeof(*pibt->order));
  pibt->sorted = fw__arena_allocate(arena, count, sizeof(*pibt->sorted));
  pibt->rank = fw__arena_allocate(arena, count, sizeof(*pibt->rank));
  pibt->seniority = fw__arena_allocate_zeroed(arena, count, sizeof(*pibt->seniority));
  pibt->blocked = fw__arena_allocate_zeroed(arena, count, sizeof(*pibt->blocked));
  pibt->yields_until = fw__arena_allocate_zeroed(arena, count, sizeof(*pibt->yields_until));
  pibt->class_ends = fw__arena_allocate(arena, count * 3 + 2, sizeof(*pibt->class_ends));
  pibt->cells = fw__arena_allocate(arena, count, sizeof(*pibt->cells));
  pibt->next = fw__arena_allocate(arena, count, sizeof(*pibt->next));
  pibt->standing = fw__arena_allocate(arena, cells, sizeof(*pibt->standing));
  pibt->claimed = fw__arena_allocate(arena, cells, sizeof(*pibt->claimed));
  pibt->free_from = fw__arena_allocate_zeroed(arena, cells, sizeof(*pibt->free_from));
  pibt->arrivals = fw__arena_allocate_zeroed(arena, count, sizeof(*pibt->arrivals));
  pibt->choices = fw__arena_allocate(arena, count, sizeof(*pibt->choices));
  if (fw__arena_has_failed(arena)) {
    pibt->has_failed = true;
    return;
  }
  for (size_t cell = 0; cell < cells; ++cell) {
    pibt->standing[cell] = -1;
    pibt->claimed[cell] = -1;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    pibt->cells[r] = problem->robots[r].start;
    pibt->next[r] = FW_CELL_NONE;
    FW_ASSERT(pibt->standing[pibt->cells[r]] < 0);  // no two robots start on one cell
    pibt->standing[pibt->cells[r]] = r;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    pibt->arrivals[r] = is_on_goal(pibt, r) ? 1 : 0;
    if (pibt->arrivals[r] > 0) {
      set_price(pibt, r, true);
    }
  }
}

void fw__pibt_leave_goal(fw_pibt_t * pibt, int32_t robot)
{
  if (is_on_goal(pibt, robot)) {
    set_price(pibt, robot, false);
  }
  pibt->arrivals[robot] = 0;
}

void fw__pibt_take_goal(fw_pibt_t * pibt, int32_t robot)
{
  pibt->arrivals[robot] = is_on_goal(pibt, robot) ? 1 : 0;
  if (pibt->arrivals[robot] > 0) {
    set_price(pibt, robot, true);
  }
}

bool fw__pibt_have_arrived(const fw_pibt_t * pibt)
{
  for (int32_t r = 0; r < pibt->problem->robot_count; ++r) {
    if (!is_on_goal(pibt, r)) {
      return false;
    }
  }
  return true;
}

bool fw__pibt_validate(const fw_pibt_t * pibt)
{
  const int32_t count = pibt->problem->robot_count;
  int32_t standing = 0;
  int64_t sum = 0;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(pibt->problem->grid); ++cell) {
    standing += pibt->standing[cell] >= 0 ? 1 : 0;
    if (pibt->claimed[cell] >= 0) {
      return false;
    }
  }
  for (int32_t r = 0; r < count; ++r) {
    if (pibt->standing[pibt->cells[r]] != r) {
      return false;
    }
    sum += pibt->order[r];
  }
  return standing == count && sum == (int64_t)count * (count - 1) / 2;
}
