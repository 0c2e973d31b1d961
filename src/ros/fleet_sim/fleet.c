// Fleet: moves all simulated robots and finds arrivals and overlaps. See fleet.h.

#include "ros/fleet_sim/fleet.h"

#include <math.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/error.h"

static const double EIGHTH = 0.78539816339744831;  // of a full turn, in radians
static const double AT_HEADING = 0.02;             // eighths; a yaw nearer than this to a heading has that heading
static const double TOUCHING = 1e-6;               // metres; discs that only touch do not overlap

fw_ret_t sim_fleet_init(sim_fleet_t * fleet, const sim_fleet_options_t * options, fw_error_t * error)
{
  const size_t count = (size_t)options->robot_count;
  *fleet = (sim_fleet_t){
    .options = *options,
    .robots = calloc(count, sizeof(*fleet->robots)),
    .by_x = calloc(count, sizeof(*fleet->by_x)),
  };
  if (fleet->robots == NULL || fleet->by_x == NULL) {
    sim_fleet_fini(fleet);
    return fw__error_memory(error);
  }
  for (int32_t k = 0; k < options->robot_count; ++k) {
    fleet->by_x[k] = k;
  }
  return FW_RET_OK;
}

void sim_fleet_fini(sim_fleet_t * fleet)
{
  for (int32_t i = 0; fleet->robots != NULL && i < fleet->options.robot_count; ++i) {
    sim_driver_fini(&fleet->robots[i].driver);
  }
  free(fleet->robots);
  free(fleet->by_x);
  free(fleet->overlapping.items);
  free(fleet->found.items);
  free(fleet->events);
  *fleet = (sim_fleet_t){0};
}

fw_pose2d_t sim_fleet_to_map(const sim_fleet_options_t * options, fw_pose2d_t pose)
{
  const fw_pose2d_t * origin = &options->origin;
  const double along = cos(origin->yaw), across = sin(origin->yaw);
  return (fw_pose2d_t){
    .x = origin->x + pose.x * along - pose.y * across,
    .y = origin->y + pose.x * across + pose.y * along,
    .yaw = origin->yaw + pose.yaw,
  };
}

fw_pose2d_t sim_fleet_to_grid(const sim_fleet_options_t * options, fw_pose2d_t pose)
{
  const fw_pose2d_t * origin = &options->origin;
  const double along = cos(origin->yaw), across = sin(origin->yaw);
  const double x = pose.x - origin->x, y = pose.y - origin->y;
  return (fw_pose2d_t){
    .x = x * along + y * across,
    .y = y * along - x * across,
    .yaw = pose.yaw - origin->yaw,
  };
}

void sim_fleet_set_goal(sim_fleet_t * fleet, int32_t robot, double x, double y)
{
  FW_ASSERT(robot >= 0 && robot < fleet->options.robot_count);
  fleet->robots[robot].goal = (fw_pose2d_t){.x = x, .y = y};
  fleet->robots[robot].has_goal = true;
}

// When there is no memory the event is dropped and the fleet remembers.
static void add_event(sim_fleet_t * fleet, sim_event_t event)
{
  if (fleet->event_count == fleet->event_capacity) {
    const int32_t capacity = fleet->event_capacity == 0 ? 64 : 2 * fleet->event_capacity;
    sim_event_t * events = realloc(fleet->events, (size_t)capacity * sizeof(*events));
    if (events == NULL) {
      fleet->has_failed = true;
      return;
    }
    fleet->events = events;
    fleet->event_capacity = capacity;
  }
  FW_ASSERT(fleet->event_count < fleet->event_capacity);
  fleet->events[fleet->event_count++] = event;
}

static void find_arrivals(sim_fleet_t * fleet)
{
  for (int32_t i = 0; i < fleet->options.robot_count; ++i) {
    sim_fleet_robot_t * robot = &fleet->robots[i];
    if (
      !robot->has_goal || !robot->is_placed ||
      fw__pose2d_distance(&robot->driver.pose, &robot->goal) > fleet->options.goal_tolerance) {
      continue;
    }
    robot->has_goal = false;
    ++fleet->arrivals;
    add_event(fleet, (sim_event_t){.kind = SIM_EVENT_ARRIVAL, .robot = i, .other = -1});
  }
}

// The discs of a robot around its centre: on the cells that it covers at its heading; while it turns, on those of
// heading 0, rotated by its yaw. Headings are those of the grid, which may be turned in the map frame.
typedef struct stance_t {
  const fw_offset_t * cells;
  int32_t count;
  double cosine;  // of the rotation, times the size of a cell
  double sine;
} stance_t;

static stance_t stance_of(const sim_fleet_options_t * options, const sim_fleet_robot_t * robot)
{
  FW_ASSERT(robot->footprint != NULL);
  const double cell = options->cell_size;
  const double yaw =
    robot->has_heading ? fw__shortest_angular_distance(options->origin.yaw, robot->driver.pose.yaw) : 0.0;
  const double nearest = round(yaw / EIGHTH);
  const bool is_turning =
    robot->has_heading && (robot->driver.turn_rate != 0.0 || fabs(yaw / EIGHTH - nearest) > AT_HEADING);
  const int32_t heading =
    is_turning ? 0 : (((int32_t)nearest % FW_HEADING_COUNT) + FW_HEADING_COUNT) % FW_HEADING_COUNT;
  return (stance_t){
    .cells = robot->footprint->cells[heading],
    .count = robot->footprint->counts[heading],
    .cosine = cell * cos(options->origin.yaw + (is_turning ? yaw : 0.0)),
    .sine = cell * sin(options->origin.yaw + (is_turning ? yaw : 0.0)),
  };
}

static fw_pose2d_t disc_at(const stance_t * stance, int32_t index)
{
  const double x = (double)stance->cells[index].dx, y = (double)stance->cells[index].dy;
  return (fw_pose2d_t){.x = x * stance->cosine - y * stance->sine, .y = x * stance->sine + y * stance->cosine};
}

static bool discs_overlap(const sim_fleet_t * fleet, int32_t one, int32_t two, double near)
{
  const sim_fleet_robot_t *a = &fleet->robots[one], *b = &fleet->robots[two];
  const double dx = b->driver.pose.x - a->driver.pose.x, dy = b->driver.pose.y - a->driver.pose.y;
  const double cell = fleet->options.cell_size;
  const double reach = near + (double)(a->footprint->reach + b->footprint->reach) * cell * 1.5;
  if (dx * dx + dy * dy >= reach * reach) {
    return false;
  }
  const stance_t of_a = stance_of(&fleet->options, a), of_b = stance_of(&fleet->options, b);
  for (int32_t k = 0; k < of_a.count * of_b.count; ++k) {
    const fw_pose2d_t from = disc_at(&of_a, k % of_a.count), to = disc_at(&of_b, k / of_a.count);
    const double x = dx + to.x - from.x, y = dy + to.y - from.y;
    if (x * x + y * y < near * near) {
      return true;
    }
  }
  return false;
}

// Keeps the order of robots by x. From step to step it hardly changes.
static void sort_by_x(sim_fleet_t * fleet)
{
  for (int32_t k = 1; k < fleet->options.robot_count; ++k) {
    const int32_t robot = fleet->by_x[k];
    const double x = fleet->robots[robot].driver.pose.x;
    int32_t at = k;
    for (; at > 0 && fleet->robots[fleet->by_x[at - 1]].driver.pose.x > x; --at) {
      fleet->by_x[at] = fleet->by_x[at - 1];
    }
    fleet->by_x[at] = robot;
  }
}

static void add_pair(sim_fleet_t * fleet, int32_t one, int32_t other)
{
  sim_pairs_t * pairs = &fleet->found;
  if (pairs->count == pairs->capacity) {
    const int32_t capacity = pairs->capacity == 0 ? 64 : 2 * pairs->capacity;
    int32_t(*items)[2] = realloc(pairs->items, (size_t)capacity * sizeof *items);
    if (items == NULL) {
      fleet->has_failed = true;
      return;
    }
    pairs->items = items;
    pairs->capacity = capacity;
  }
  pairs->items[pairs->count][0] = one < other ? one : other;
  pairs->items[pairs->count++][1] = one < other ? other : one;
}

static int compare_pairs(const void * a, const void * b)
{
  const int32_t *one = a, *other = b;
  return one[0] != other[0] ? (one[0] > other[0]) - (one[0] < other[0]) : (one[1] > other[1]) - (one[1] < other[1]);
}

// The pairs that overlap now, in order. Only robots that are near each other along x are compared.
static void find_pairs(sim_fleet_t * fleet, double near)
{
  const int32_t count = fleet->options.robot_count;
  int32_t reach = 0;
  fleet->found.count = 0;
  sort_by_x(fleet);
  for (int32_t k = 0; k < count; ++k) {
    const int32_t one = fleet->robots[k].footprint->reach;
    reach = one > reach ? one : reach;
  }
  const double reach_x = near + 2.0 * (double)reach * fleet->options.cell_size * 1.5;
  for (int32_t k = 0; k < count; ++k) {
    const sim_fleet_robot_t * one = &fleet->robots[fleet->by_x[k]];
    for (int32_t next = k + 1; next < count; ++next) {
      const sim_fleet_robot_t * other = &fleet->robots[fleet->by_x[next]];
      if (other->driver.pose.x - one->driver.pose.x >= reach_x) {
        break;
      }
      if (one->is_placed && other->is_placed && discs_overlap(fleet, fleet->by_x[k], fleet->by_x[next], near)) {
        add_pair(fleet, fleet->by_x[k], fleet->by_x[next]);
      }
    }
  }
  if (fleet->found.count > 1) {
    qsort(fleet->found.items, (size_t)fleet->found.count, sizeof fleet->found.items[0], compare_pairs);
  }
}

static void find_overlaps(sim_fleet_t * fleet)
{
  const double near = 2.0 * fleet->options.radius - TOUCHING;
  if (near <= 0.0) {
    return;
  }
  find_pairs(fleet, near);
  const sim_pairs_t before = fleet->overlapping;
  int32_t old = 0;
  for (int32_t k = 0; k < fleet->found.count; ++k) {
    const int32_t * pair = fleet->found.items[k];
    while (old < before.count && compare_pairs(before.items[old], pair) < 0) {
      ++old;
    }
    if (old == before.count || compare_pairs(before.items[old], pair) != 0) {
      ++fleet->overlaps;
      add_event(fleet, (sim_event_t){.kind = SIM_EVENT_OVERLAP, .robot = pair[0], .other = pair[1]});
    }
  }
  fleet->overlapping = fleet->found;
  fleet->found = before;
}

static fw_ret_t move_by_driver(sim_fleet_t * fleet, sim_fleet_robot_t * robot, const sim_step_t * step)
{
  const fw_ret_t ret = sim_driver_step(&robot->driver, step, &fleet->options.driver_limits);
  const double late = sim_driver_late_seconds(&robot->driver, step->now_ns);
  fleet->late_max_seconds = late > fleet->late_max_seconds ? late : fleet->late_max_seconds;
  return ret;
}

static void move_by_commands(const sim_fleet_t * fleet, sim_fleet_robot_t * robot, const sim_step_t * step)
{
  sim_driver_t * driver = &robot->driver;
  const fw_pose2d_t before = driver->pose;
  driver->pose = sim_diff_drive_step(&robot->diff_drive, before, step, &fleet->options.diff_drive);
  driver->speed = robot->diff_drive.twist.speed;
  driver->sideways = robot->diff_drive.twist.sideways;
  driver->turn_rate = robot->diff_drive.twist.turn_rate;
  driver->distance += fw__pose2d_distance(&before, &driver->pose);
}

fw_ret_t sim_fleet_step(sim_fleet_t * fleet, int64_t now_ns, double seconds, fw_error_t * error)
{
  fleet->event_count = 0;
  for (int32_t i = 0; i < fleet->options.robot_count; ++i) {
    sim_fleet_robot_t * robot = &fleet->robots[i];
    const sim_step_t step = {
      .now_ns = now_ns, .seconds = seconds, .speed_factor = robot->speed_factor * robot->fault_factor};
    if (fleet->options.mover == SIM_MOVER_CMD_VEL) {
      move_by_commands(fleet, robot, &step);
    } else if (fleet->options.mover == SIM_MOVER_PATH && move_by_driver(fleet, robot, &step) != FW_RET_OK) {
      return fw__error_memory(error);
    }
  }
  find_arrivals(fleet);
  find_overlaps(fleet);
  return fleet->has_failed ? fw__error_memory(error) : FW_RET_OK;
}
