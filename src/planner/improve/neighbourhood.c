// Neighbourhoods: the rules that find robots, and the choice between rules.

#include "planner/improve/neighbourhood.h"

#include <string.h>

#include "base/assert.h"

enum {
  WALKS_MAX = 10,         // random walks, or shortest paths, of one robot
  AREA_PLACES_MAX = 400,  // places of an area
  SCALE = 1 << 10,        // of gains and efforts
  MEMORY = 64,            // a notice counts half after about 44 more
  SHARE_LEAST = 128,      // each arm has at least about this part of the expansions
  EFFORT_FIRST = 2000,    // expansions: what an arm is believed to have spent before its first notice
};

bool fw__neighbourhoods_init(
  fw_neighbourhoods_t * self, fw_arena_t * arena, const fw_neighbourhood_plan_t * plan, uint64_t seed)
{
  const fw_moves_t * places = plan->fleet->places;
  *self = (fw_neighbourhoods_t){.plan = *plan, .rng = fw__rng(seed)};
  self->is_taken = fw__arena_allocate_zeroed(arena, (size_t)plan->fleet->problem->robot_count, sizeof(*self->is_taken));
  self->queue = fw__arena_allocate(arena, (size_t)AREA_PLACES_MAX, sizeof(*self->queue));
  self->seen = fw__arena_allocate_zeroed(arena, (size_t)places->node_count, sizeof(*self->seen));
  for (int32_t i = 0; i < FW_NEIGHBOURHOOD_ARMS; ++i) {
    self->gains[i] = SCALE;
    self->efforts[i] = (int64_t)EFFORT_FIRST * SCALE;
    self->counts[i] = SCALE;
  }
  return self->is_taken != NULL && self->queue != NULL && self->seen != NULL;
}

void fw__neighbourhoods_begin(fw_neighbourhoods_t * self)
{
  memset(self->is_taken, 0, (size_t)self->plan.fleet->problem->robot_count * sizeof(*self->is_taken));
}

// ---- the choice of a rule -------------------------------------------------------------------------------------------

// Gain per expansion, in millionths.
static int64_t rate_of(const fw_neighbourhoods_t * self, int32_t arm)
{
  return 1 + self->gains[arm] * 1000000 / (self->efforts[arm] + 1);
}

// Draws an arm. Its share of the expansions is proportional to its rate, so that arms whose neighbourhoods take longer
// are drawn less often.
static int32_t draw_arm(fw_neighbourhoods_t * self)
{
  int64_t rates = 0, sum = 0;
  int64_t weights[FW_NEIGHBOURHOOD_ARMS];
  for (int32_t i = 0; i < FW_NEIGHBOURHOOD_ARMS; ++i) {
    rates += rate_of(self, i);
  }
  for (int32_t i = 0; i < FW_NEIGHBOURHOOD_ARMS; ++i) {
    const int64_t each = self->efforts[i] / (self->counts[i] + 1) + 1;
    weights[i] = (rate_of(self, i) + rates / SHARE_LEAST + 1) * SCALE / each + 1;
    sum += weights[i];
  }
  int64_t at = (int64_t)(fw__rng_next(&self->rng) % (uint64_t)sum);
  int32_t arm = 0;
  for (; arm < FW_NEIGHBOURHOOD_ARMS - 1 && at >= weights[arm]; ++arm) {
    at -= weights[arm];
  }
  return arm;
}

void fw__neighbourhoods_note(fw_neighbourhoods_t * self, int32_t arm, int64_t gain, int64_t expanded)
{
  FW_ASSERT(arm >= 0 && arm < FW_NEIGHBOURHOOD_ARMS && gain >= 0 && expanded >= 0);
  self->gains[arm] += gain * SCALE - self->gains[arm] / MEMORY;
  self->efforts[arm] += expanded * SCALE - self->efforts[arm] / MEMORY;
  self->counts[arm] += SCALE - self->counts[arm] / MEMORY;
}

// ---- robots ---------------------------------------------------------------------------------------------------------

// What a rule looks for.
typedef struct wanted_t {
  fw_neighbourhood_t * drawn;
  int32_t size;
} wanted_t;

static bool is_full(const wanted_t * wanted) { return wanted->drawn->count == wanted->size; }

// Adds an owner of a place, if it is a robot that is in no neighbourhood yet.
static void add_robot(fw_neighbourhoods_t * self, const wanted_t * wanted, int32_t owner)
{
  if (fw__reservations_is_robot(self->plan.table, owner) && !self->is_taken[owner] && !is_full(wanted)) {
    self->is_taken[owner] = true;
    wanted->drawn->robots[wanted->drawn->count++] = owner;
  }
}

// A robot that could be earlier, the more likely the later it is; -1 if there is none.
static int32_t draw_late(fw_neighbourhoods_t * self)
{
  const int32_t count = self->plan.fleet->problem->robot_count;
  int64_t sum = 0;
  for (int32_t r = 0; r < count; ++r) {
    sum += self->is_taken[r] ? 0 : self->plan.costs[r] - self->plan.least[r];
  }
  if (sum <= 0) {
    return -1;
  }
  int64_t at = (int64_t)(fw__rng_next(&self->rng) % (uint64_t)sum);
  for (int32_t r = 0; r < count; ++r) {
    at -= self->is_taken[r] ? 0 : self->plan.costs[r] - self->plan.least[r];
    if (at < 0) {
      return r;
    }
  }
  return -1;
}

static int32_t node_of_path(const fw_neighbourhoods_t * self, int32_t robot, fw_tick_t tick)
{
  const fw_path_t * path = &self->plan.paths[robot];
  const int32_t at = tick < path->length ? tick : path->length - 1;
  return fw__moves_node(self->plan.fleet->moves[robot], fw__path_pose(path, at));
}

// The least time or cost from a node of the robot to its goal; more than any path if there is none, or if the meter has
// stopped.
static int64_t left_of(const fw_neighbourhoods_t * self, int32_t robot, int32_t node)
{
  const int32_t distance = fw__distance_get(fw__fleet_distance(self->plan.fleet, robot), node, self->plan.meter);
  return distance == FW_DISTANCE_NONE ? INT32_MAX : fw__fleet_ticks(self->plan.fleet, robot, distance);
}

// The robots that cover a cell of the robot's footprint at a pose and a tick.
static void add_owners(
  fw_neighbourhoods_t * self, const wanted_t * wanted, int32_t robot, const fw_timed_stand_t * stand)
{
  const fw_fleet_t * fleet = self->plan.fleet;
  const fw_footprint_t footprint = fw__fleet_footprint(fleet, robot, stand->pose.heading);
  const fw_grid_t * grid = fleet->problem->grid;
  for (int32_t i = 0; i < footprint.count; ++i) {
    const fw_cell_t cell = stand->pose.cell + footprint.cells[i].dy * grid->width + footprint.cells[i].dx;
    const fw_timeline_t * row = &self->plan.table->rows[fleet->places->node_of[cell]];
    for (int32_t at = fw__timeline_find(row, stand->from); at < row->count && row->intervals[at].from <= stand->to;
         ++at) {
      add_robot(self, wanted, row->intervals[at].robot);
    }
  }
}

// ---- rules ----------------------------------------------------------------------------------------------------------

// One random walk from a tick of the robot's path, on motions with which it could still arrive earlier than now.
static void walk(fw_neighbourhoods_t * self, const wanted_t * wanted, int32_t robot)
{
  const fw_fleet_t * fleet = self->plan.fleet;
  const fw_moves_t * moves = fleet->moves[robot];
  const fw_tick_t begin = fleet->problem->robots[robot].arrives;
  const int32_t length = self->plan.paths[robot].length;
  fw_tick_t tick = length > begin + 1 ? begin + fw__rng_below(&self->rng, length - 1 - begin) : begin;
  int32_t node = node_of_path(self, robot, tick);
  while (!is_full(wanted) && !fw__meter_add(self->plan.meter, 1)) {
    const int32_t * next = fw__moves_successors(moves, node);
    const fw_motion_t * motions = fleet->bodies.of[robot]->motions[fw__moves_pose(moves, node).heading];
    int32_t choice = -1, choices = 0;
    fw_tick_t choice_ticks = 1;
    for (int32_t d = -1; d < moves->degree; ++d) {  // -1: a wait
      const int32_t to = d < 0 ? node : next[d];
      const fw_tick_t ticks = d < 0 ? 1 : motions[d].ticks;
      if (to >= 0 && tick + ticks + left_of(self, robot, to) < self->plan.costs[robot] + begin) {
        if (fw__rng_below(&self->rng, ++choices) == 0) {
          choice = to;
          choice_ticks = ticks;
        }
      }
    }
    if (choice < 0) {
      return;
    }
    node = choice;
    const fw_timed_stand_t stand = {robot, fw__moves_pose(moves, node), tick + 1, tick + choice_ticks};
    tick += choice_ticks;
    add_owners(self, wanted, robot, &stand);
    if (moves->cell_of[node] == fleet->problem->robots[robot].goal) {
      return;
    }
  }
}

static void draw_walks(fw_neighbourhoods_t * self, const wanted_t * wanted)
{
  const int32_t robot = draw_late(self);
  add_robot(self, wanted, robot);
  for (int32_t i = 0; i < WALKS_MAX && robot >= 0 && !is_full(wanted); ++i) {
    walk(self, wanted, robot);
  }
}

// One shortest path from the robot's start at the earliest tick, drawn at random, and its goal from then on.
static void descend(fw_neighbourhoods_t * self, const wanted_t * wanted, int32_t robot)
{
  const fw_fleet_t * fleet = self->plan.fleet;
  const fw_robot_t * shape = &fleet->problem->robots[robot];
  const fw_moves_t * moves = fleet->moves[robot];
  fw_tick_t tick = shape->arrives;
  int32_t node = node_of_path(self, robot, tick);
  while (!is_full(wanted) && moves->cell_of[node] != shape->goal && !fw__meter_add(self->plan.meter, 1)) {
    const int32_t * next = fw__moves_successors(moves, node);
    const fw_motion_t * motions = fleet->bodies.of[robot]->motions[fw__moves_pose(moves, node).heading];
    int64_t nearest = INT64_MAX;
    int32_t choice = -1, choices = 0;
    fw_tick_t choice_ticks = 1;
    for (int32_t d = 0; d < moves->degree; ++d) {
      const int64_t left = next[d] >= 0 ? motions[d].ticks + left_of(self, robot, next[d]) : INT64_MAX;
      choices = left < nearest ? 0 : choices;
      if (left < INT32_MAX && left <= nearest && fw__rng_below(&self->rng, ++choices) == 0) {
        choice = next[d];
        choice_ticks = motions[d].ticks;
      }
      nearest = left < nearest ? left : nearest;
    }
    if (choice < 0 || tick > shape->arrives + 2 * self->plan.costs[robot]) {
      return;  // distances over clusters need not lead down
    }
    node = choice;
    const fw_timed_stand_t stand = {robot, fw__moves_pose(moves, node), tick + 1, tick + choice_ticks};
    tick += choice_ticks;
    add_owners(self, wanted, robot, &stand);
  }
  const fw_timed_stand_t stand = {robot, fw__moves_pose(moves, node), tick, FW_TICK_MAX};
  add_owners(self, wanted, robot, &stand);
}

// The shortest paths of a late robot; then those of the robots that are found on them, until there are enough.
static void draw_blockers(fw_neighbourhoods_t * self, const wanted_t * wanted)
{
  add_robot(self, wanted, draw_late(self));
  for (int32_t i = 0; i < WALKS_MAX && wanted->drawn->count > 0 && !is_full(wanted); ++i) {
    const int32_t among = i < WALKS_MAX / 2 ? 1 : wanted->drawn->count;
    descend(self, wanted, wanted->drawn->robots[fw__rng_below(&self->rng, among)]);
  }
}

// The robots that pass a place at about that time: the reserved interval there, and those before and after it.
static void add_passing(fw_neighbourhoods_t * self, const wanted_t * wanted, int32_t place, fw_tick_t tick)
{
  const fw_timeline_t * row = &self->plan.table->rows[place];
  const int32_t at = fw__timeline_find(row, tick);
  for (int32_t i = at > 0 ? at - 1 : 0; i < row->count && i <= at + 1; ++i) {
    add_robot(self, wanted, row->intervals[i].robot);
  }
}

// Places around a random one on the way of a random robot, breadth-first.
static void draw_area(fw_neighbourhoods_t * self, const wanted_t * wanted)
{
  const fw_fleet_t * fleet = self->plan.fleet;
  const fw_moves_t * places = fleet->places;
  const int32_t robot = fw__rng_below(&self->rng, fleet->problem->robot_count);
  const fw_path_t * path = &self->plan.paths[robot];
  const fw_tick_t tick = fw__rng_below(&self->rng, path->length);
  ++self->areas;
  self->queue[0] = places->node_of[path->cells[tick]];
  self->seen[self->queue[0]] = self->areas;
  int32_t count = 1;
  for (int32_t at = 0; at < count && !is_full(wanted) && !fw__meter_add(self->plan.meter, 1); ++at) {
    add_passing(self, wanted, self->queue[at], tick);
    const int32_t * next = fw__moves_successors(places, self->queue[at]);
    for (int32_t d = 0; d < places->degree; ++d) {
      if (next[d] >= 0 && self->seen[next[d]] != self->areas && count < AREA_PLACES_MAX) {
        self->seen[next[d]] = self->areas;
        self->queue[count++] = next[d];
      }
    }
  }
}

static void draw_random(fw_neighbourhoods_t * self, const wanted_t * wanted)
{
  add_robot(self, wanted, draw_late(self));
  for (int32_t i = 0; i < 2 * wanted->size; ++i) {
    add_robot(self, wanted, fw__rng_below(&self->rng, self->plan.fleet->problem->robot_count));
  }
}

// Robots by falling priority; a random order among equal ones.
static void put_in_order(fw_neighbourhoods_t * self, fw_neighbourhood_t * drawn)
{
  const fw_robot_t * robots = self->plan.fleet->problem->robots;
  fw__rng_shuffle(&self->rng, drawn->robots, drawn->count);
  for (int32_t i = 1; i < drawn->count; ++i) {
    const int32_t robot = drawn->robots[i];
    int32_t at = i;
    for (; at > 0 && robots[drawn->robots[at - 1]].priority < robots[robot].priority; --at) {
      drawn->robots[at] = drawn->robots[at - 1];
    }
    drawn->robots[at] = robot;
  }
}

bool fw__neighbourhoods_draw(fw_neighbourhoods_t * self, fw_neighbourhood_t * drawn)
{
  static void (*const rules[FW_NEIGHBOURHOOD_RULES])(fw_neighbourhoods_t *, const wanted_t *) = {
    [FW_NEIGHBOURHOOD_WALK] = draw_walks,
    [FW_NEIGHBOURHOOD_BLOCKERS] = draw_blockers,
    [FW_NEIGHBOURHOOD_AREA] = draw_area,
    [FW_NEIGHBOURHOOD_RANDOM] = draw_random,
  };
  drawn->arm = draw_arm(self);
  drawn->count = 0;
  const wanted_t wanted = {.drawn = drawn, .size = 2 << (drawn->arm % FW_NEIGHBOURHOOD_SIZES)};
  const int64_t before = self->plan.meter->expanded;
  rules[drawn->arm / FW_NEIGHBOURHOOD_SIZES](self, &wanted);
  drawn->expanded = self->plan.meter->expanded - before;
  put_in_order(self, drawn);
  return drawn->count > 0;
}
