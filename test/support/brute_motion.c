// Optimal costs of small problems of robots with headings, sweeps and several ticks per move.

#include "support/brute_motion.h"

#include "support/test.h"
#include "support/rotated.h"

enum {
  POSES = BRUTE_MOTION_CELLS_MAX * 8,
  MOTIONS = 9,  // the wait, then the motions
  STATES = POSES * MOTIONS * 4,
  STEPS_MAX = 10,
  COST_MAX = 400,
};

// One tick of one robot. Sets of cells and of corners are bits.
typedef struct step_t {
  int32_t to;
  int32_t cost;
  uint32_t covered;  // at its end
  uint32_t left;     // the footprint where the robot was listed before, and where it is after
  uint32_t entered;
  uint32_t corners[2];  // that a diagonal goes through, by its slope
} step_t;

// A robot's states, numbered as they are found: standing at a pose, or some ticks into a motion from it.
typedef struct machine_t {
  const fw_problem_t * problem;
  const fw_robot_t * robot;
  int32_t number_of[STATES];  // -1: not found
  int32_t key_of[STATES];
  int32_t count;
  step_t steps[STATES][STEPS_MAX];
  int32_t step_count[STATES];
} machine_t;

typedef struct motion_t {
  fw_offset_t by;
  int32_t heading;  // after it
  int32_t ticks;
} motion_t;

// ---- one robot ------------------------------------------------------------------------------------------------------

// The cells as bits; false if one is blocked or outside.
static bool gather(const machine_t * m, fw_offset_t at, const fw_offset_t * cells, int32_t count, uint32_t * bits)
{
  const fw_grid_t * grid = m->problem->grid;
  for (int32_t i = 0; i < count; ++i) {
    if (!fw_grid_is_free(grid, at.dx + cells[i].dx, at.dy + cells[i].dy)) {
      return false;
    }
    *bits |= UINT32_C(1) << fw_grid_cell(grid, at.dx + cells[i].dx, at.dy + cells[i].dy);
  }
  return true;
}

static bool footprint(const machine_t * m, fw_offset_t at, int32_t heading, uint32_t * bits)
{
  fw_offset_t cells[ROTATED_MAX];
  const int32_t count = rotated_list(m->robot, heading, cells);
  *bits = 0;
  return gather(m, at, cells, count, bits);
}

static int32_t list_motions(const machine_t * m, int32_t heading, motion_t * motions)
{
  const int32_t step = m->problem->connectivity == 8 ? 1 : 2;
  const int32_t speed = m->robot->ticks_per_move > 0 ? m->robot->ticks_per_move : 1;
  int32_t count = 0;
  motions[count++] = (motion_t){.heading = heading, .ticks = 1};
  if (m->robot->turn_ticks > 0) {
    motions[count++] = (motion_t){rotated_ahead(heading), heading, speed};
    motions[count++] = (motion_t){{0, 0}, (heading + step) % 8, m->robot->turn_ticks};
    motions[count++] = (motion_t){{0, 0}, (heading + 8 - step) % 8, m->robot->turn_ticks};
    return count;
  }
  for (int32_t direction = 0; direction < 8; direction += step) {
    motions[count++] = (motion_t){rotated_ahead(direction), heading, speed};
  }
  return count;
}

static int32_t number(machine_t * m, int32_t pose, int32_t motion, int32_t done)
{
  const int32_t key = (pose * MOTIONS + motion) * 4 + done;
  if (m->number_of[key] < 0) {
    m->number_of[key] = m->count;
    m->key_of[m->count++] = key;
  }
  return m->number_of[key];
}

// The corners between four cells that the footprint goes through.
static uint32_t corners_of(const machine_t * m, fw_offset_t at, int32_t heading, fw_offset_t by)
{
  fw_offset_t cells[ROTATED_MAX];
  const int32_t count = rotated_list(m->robot, heading, cells);
  uint32_t bits = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t x = at.dx + cells[i].dx + (by.dx > 0 ? 1 : 0);
    const int32_t y = at.dy + cells[i].dy + (by.dy > 0 ? 1 : 0);
    bits |= UINT32_C(1) << (y * (m->problem->grid->width + 1) + x);
  }
  return bits;
}

// The tick of a motion that comes after `done` ticks of it.
static void add_step(machine_t * m, int32_t state, int32_t index, motion_t motion, int32_t done)
{
  const fw_grid_t * grid = m->problem->grid;
  const int32_t pose = m->key_of[state] / 4 / MOTIONS;
  const int32_t heading = pose % 8;
  const fw_offset_t at = {fw_grid_x(grid, pose / 8), fw_grid_y(grid, pose / 8)};
  const fw_offset_t to = {at.dx + motion.by.dx, at.dy + motion.by.dy};
  const bool is_diagonal = motion.by.dx != 0 && motion.by.dy != 0;
  uint32_t old = 0, new = 0, swept = 0, side = 0;
  fw_offset_t cells[ROTATED_MAX];
  const int32_t count = rotated_sweeps(m->robot, heading, motion.heading, motion.by, cells);
  if (
    !footprint(m, at, heading, &old) || !footprint(m, to, motion.heading, &new) ||
    !gather(m, at, cells, count, &swept) ||
    (is_diagonal && !m->problem->cuts_corners &&
     (!footprint(m, (fw_offset_t){to.dx, at.dy}, heading, &side) ||
      !footprint(m, (fw_offset_t){at.dx, to.dy}, heading, &side)))) {
    return;
  }
  const bool is_arriving = done + 1 == motion.ticks;
  const int32_t end = fw_grid_cell(grid, to.dx, to.dy) * 8 + motion.heading;
  const bool is_listed_on_goal = pose / 8 == m->robot->goal && (!is_arriving || end / 8 == m->robot->goal);
  step_t * step = &m->steps[state][m->step_count[state]++];
  *step = (step_t){
    .to = is_arriving ? number(m, end, 0, 0) : number(m, pose, index, done + 1),
    .cost = is_listed_on_goal && motion.heading == heading ? 0 : 1,
    .covered = new | swept | (is_arriving ? 0 : old),
    .left = old,
    .entered = is_arriving ? new : old,
  };
  if (is_diagonal) {
    step->corners[motion.by.dx == motion.by.dy ? 1 : 0] = corners_of(m, at, heading, motion.by);
  }
}

// Standing on its start, or some ticks into the motion that leads there.
static void add_first(machine_t * m)
{
  const fw_robot_t * robot = m->robot;
  const fw_grid_t * grid = m->problem->grid;
  const int32_t heading = robot->turn_ticks > 0 ? robot->heading : 0;
  if (robot->arrives == 0) {
    (void)number(m, robot->start * 8 + heading, 0, 0);
    return;
  }
  const int32_t from_heading = robot->turn_ticks > 0 ? robot->from_heading : 0;
  motion_t motions[MOTIONS];
  const int32_t count = list_motions(m, from_heading, motions);
  for (int32_t i = 1; i < count; ++i) {
    const bool is_it = motions[i].heading == heading &&
                       fw_grid_x(grid, robot->from) + motions[i].by.dx == fw_grid_x(grid, robot->start) &&
                       fw_grid_y(grid, robot->from) + motions[i].by.dy == fw_grid_y(grid, robot->start);
    if (is_it) {
      (void)number(m, robot->from * 8 + from_heading, i, motions[i].ticks - robot->arrives);
    }
  }
  assert_int_equal(m->count, 1);
}

static void build(machine_t * m, const fw_problem_t * problem, int32_t robot)
{
  m->problem = problem;
  m->robot = &problem->robots[robot];
  m->count = 0;
  memset(m->number_of, 0xff, sizeof(m->number_of));
  memset(m->step_count, 0, sizeof(m->step_count));
  add_first(m);
  for (int32_t state = 0; state < m->count; ++state) {
    const int32_t done = m->key_of[state] % 4;
    const int32_t index = m->key_of[state] / 4 % MOTIONS;
    motion_t motions[MOTIONS];
    const int32_t count = list_motions(m, m->key_of[state] / 4 / MOTIONS % 8, motions);
    for (int32_t i = done == 0 ? 0 : index; i < (done == 0 ? count : index + 1); ++i) {
      add_step(m, state, i, motions[i], done);
    }
  }
}

static bool is_done(const machine_t * m, int32_t state)
{
  return m->key_of[state] % (4 * MOTIONS) == 0 && m->key_of[state] / 4 / MOTIONS / 8 == m->robot->goal;
}

// ---- both -----------------------------------------------------------------------------------------------------------

static bool collide(const step_t * a, const step_t * b)
{
  return (a->covered & b->covered) != 0 || ((a->left & b->entered) != 0 && (b->left & a->entered) != 0) ||
         ((a->corners[0] & b->corners[1]) | (a->corners[1] & b->corners[0])) != 0;
}

typedef struct joint_t {
  int32_t * cost;  // by joint state, -1: not reached
  int32_t * next;  // by entry
  int32_t * state;
  int32_t head[COST_MAX];
  int32_t used;
  int32_t room;
} joint_t;

static void push(joint_t * joint, int32_t state, int32_t cost)
{
  if (joint->cost[state] >= 0 && joint->cost[state] <= cost) {
    return;
  }
  assert_in_range(cost, 0, COST_MAX - 1);
  assert_in_range(joint->used, 0, joint->room - 1);
  joint->cost[state] = cost;
  joint->state[joint->used] = state;
  joint->next[joint->used] = joint->head[cost];
  joint->head[cost] = joint->used++;
}

static void expand(joint_t * joint, const machine_t * a, const machine_t * b, int32_t state)
{
  const int32_t i = state / b->count;
  const int32_t j = state % b->count;
  for (int32_t p = 0; p < a->step_count[i]; ++p) {
    for (int32_t q = 0; q < b->step_count[j]; ++q) {
      const step_t * s = &a->steps[i][p];
      const step_t * t = &b->steps[j][q];
      if (!collide(s, t)) {
        push(joint, s->to * b->count + t->to, joint->cost[state] + s->cost + t->cost);
      }
    }
  }
}

static fw_cost_t search(joint_t * joint, const machine_t * a, const machine_t * b)
{
  push(joint, 0, 0);
  for (int32_t cost = 0; cost < COST_MAX; ++cost) {
    while (joint->head[cost] >= 0) {
      const int32_t at = joint->head[cost];
      const int32_t state = joint->state[at];
      joint->head[cost] = joint->next[at];
      if (joint->cost[state] != cost) {
        continue;
      }
      if (is_done(a, state / b->count) && is_done(b, state % b->count)) {
        return cost;
      }
      expand(joint, a, b, state);
    }
  }
  return -1;
}

// In place of a second robot: one with a single state that covers nothing.
static void build_nobody(machine_t * m, const fw_robot_t * robot)
{
  m->robot = robot;
  m->count = 1;
  m->key_of[0] = robot->goal * 8 * MOTIONS * 4;
  m->steps[0][0] = (step_t){0};
  m->step_count[0] = 1;
}

fw_cost_t brute_motion_solve(const fw_problem_t * problem)
{
  static machine_t machines[BRUTE_MOTION_ROBOTS_MAX];
  assert_in_range(problem->robot_count, 1, BRUTE_MOTION_ROBOTS_MAX);
  assert_in_range(fw_grid_cell_count(problem->grid), 1, BRUTE_MOTION_CELLS_MAX);
  assert_true(problem->robust_ticks == 0 && problem->closure_count == 0);
  build(&machines[0], problem, 0);
  if (problem->robot_count == 2) {
    build(&machines[1], problem, 1);
  } else {
    build_nobody(&machines[1], machines[0].robot);
  }
  const int32_t states = machines[0].count * machines[1].count;
  joint_t joint = {.room = 8 * states + 1};
  joint.cost = malloc((size_t)states * sizeof(*joint.cost));
  joint.next = malloc((size_t)joint.room * sizeof(*joint.next));
  joint.state = malloc((size_t)joint.room * sizeof(*joint.state));
  assert_true(joint.cost != NULL && joint.next != NULL && joint.state != NULL);
  memset(joint.cost, 0xff, (size_t)states * sizeof(*joint.cost));
  memset(joint.head, 0xff, sizeof(joint.head));
  const fw_cost_t cost = search(&joint, &machines[0], &machines[1]);
  free(joint.cost);
  free(joint.next);
  free(joint.state);
  return cost;
}
