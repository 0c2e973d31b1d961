// A world from a seed, the adapter between it and the controller, and the faults. See controller_simulation.h.

#include "simulation/controller_simulation.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/rng.h"
#include "controller/controller.h"
#include "simulation/controller_invariants.h"
#include "simulation/memory_disk.h"
#include "simulation/message_queue.h"
#include "simulation/world_areas.h"

enum {
  ROBOTS_MAX = FW_CONTROLLER_SIMULATION_ROBOTS_MAX,
  RANDOM_ROBOTS_MAX = 12,  // of a world from the seed
  GOALS_MAX = 256,
  SIDE_MAX = FW_CONTROLLER_SIMULATION_SIDE_MAX,
  SOURCES = 2,      // of closures
  CONTROLLERS = 2,  // at once
  // Stages of the quiet phase: see begin_stage.
  STAGE_SEED = 0,    // the planner of the seed
  STAGE_BUDGET = 1,  // hca with more time
  STAGE_ONE = 2,     // one goal is left
  STAGE_SEARCH = 3,  // a complete planner
  STAGE_ALONE = 4,   // the other robots are taken away
  STAGE_COUNT = 5,
  TRIES_PER_STAGE = 4,
};

static const int64_t MS_NS = 1000000;
static const int64_t STEP_NS = 50000000;
static const int64_t SECOND_NS = 1000000000;
static const double CELL = 0.5;  // metres
// Progress is judged against a fresh controller's plan: see the header.
static const char * const JOURNAL = "journal";
static const int64_t SYNC_NS = 1000000000;  // of journals that are synced at intervals
static const double PROGRESS_SECONDS = 60.0;
static const double PROGRESS_FACTOR = 3.0;
static const double QUIET_SECONDS_MAX = 1500.0;
static const double LEAVE_SECONDS = 120.0;     // of quiet, in which robots leave keepouts
static const int64_t KEEPOUT_NS = 3000000000;  // within which nobody begins to drive into a new keepout any more

typedef struct sim_robot_t {
  bool is_present;  // on the floor and listed
  char name[16];
  char footprint[128];
  fw_controller_robot_t definition;
  fw_path_robot_t body;
  fw_release_queue_t releases;
  // What it held when the power failed: the next controller knows it from its journal, and sends it again.
  fw_pose_t lost[FW_PATH_ROBOT_POSES_MAX];
  int32_t lost_count;
  int64_t report_ns;  // between two reports
  int64_t next_report_ns;
  fw_pose_t reported;  // the last one, for robots that report on change
  double noise;        // metres
  double pace;
  int64_t stop_until_ns;
  int64_t silent_until_ns;
  int64_t strayed_ns;  // when it was last pushed
  int64_t centred_ns;  // when it was last at the centre of a cell
  bool is_leaving;     // it was in a keepout then
  bool is_kept_in;     // a part of it is in a keepout
  fw_robot_service_t service;
  int64_t service_until_ns;
} sim_robot_t;

typedef enum client_state_t {
  CLIENT_WAITING,
  CLIENT_UNSURE,  // the controller was killed before it answered
  CLIENT_ACCEPTED,
  CLIENT_DONE,
} client_state_t;

// A goal as its client knows it. Where the next controller does not know it, it is sent again until it has ended.
typedef struct client_goal_t {
  client_state_t state;
  int32_t robot;
  uint64_t id;
  int64_t due_ns;  // when the request arrives
  bool is_bad;     // it must be rejected
  fw_goal_request_t request;
} client_goal_t;

// Where a controller process is killed.
typedef enum sim_kill_t {
  KILL_NONE,
  KILL_IN_DISK_CALL,     // at a call of the disk, with any prefix of a write
  KILL_BEFORE_EVENTS,    // after an update: nobody hears of it
  KILL_BEFORE_RELEASES,  // clients have heard of it, robots have not
  KILL_IN_RELEASES,      // some robots have
  KILL_COUNT,
} sim_kill_t;

// One controller process and its adapter.
typedef struct sim_controller_t {
  fw_controller_t controller;
  fw_memory_disk_t * disk;  // outlives the process
  bool is_running;
  sim_kill_t kill;
  int32_t kill_after;  // releases, with KILL_IN_RELEASES
  bool is_dead;        // killed, and not buried yet
  bool loses_power;    // when it is killed
  int64_t taken_ns;    // when the events before the last update were taken
  bool has_rival;
  int64_t rival_ns;              // when it will know of its rival; 0: it does, or has none
  bool is_leader;                // clients send their goals to it
  int64_t sent[ROBOTS_MAX + 4];  // revision, by slot
  int32_t sent_to[ROBOTS_MAX + 4];
  int64_t solve_ns;  // when the answer is due; 0: none is
  bool fails;
  int64_t releases_since_ns;
  int32_t releases_count;
} sim_controller_t;

typedef enum sim_fault_t {
  FAULT_SLOW,
  FAULT_STOP,
  FAULT_BREAK,
  FAULT_SILENCE,
  FAULT_PUSH,
  FAULT_TELEPORT,
  FAULT_GARBAGE,
  FAULT_JOIN,
  FAULT_LEAVE,
  FAULT_HOLD,
  FAULT_OUT_OF_SERVICE,
  FAULT_PAUSE,
  FAULT_MAP,
  FAULT_FRAME,
  FAULT_OBSTACLES,
  FAULT_CLOSURE,
  FAULT_PLANNER,
  FAULT_SETTINGS,
  FAULT_CLOCK,
  FAULT_KILL,
  FAULT_POWER,
  FAULT_DISK,
  FAULT_MEMORY,
  FAULT_RIVAL,
  FAULT_SOLVE_FAILS,
  FAULT_SOLVE_LATE,
  FAULT_REPLAN,
  FAULT_CANCEL,
  FAULT_COUNT,
} sim_fault_t;

typedef struct sim_t {
  const fw_controller_simulation_options_t * options;
  fw_controller_simulation_result_t * result;
  fw_rng_t rng;
  bool has_failed;  // no memory

  // The world.
  fw_map_frame_t frame;
  bool is_free[SIDE_MAX * SIDE_MAX];  // as built
  uint8_t cost[SIDE_MAX * SIDE_MAX];  // the same for the observer
  uint16_t rules[SIDE_MAX * SIDE_MAX];
  fw_grid_t grid;
  fw_world_areas_t areas;
  fw_rng_t area_rng;         // of the areas alone: a world without areas is the same as if there were none anywhere
  int32_t keepout_permille;  // changes of keepouts per step
  int64_t keepout_ns;        // when the last one came
  bool is_walled[SIDE_MAX * SIDE_MAX];  // by a change of the map
  int32_t extra_columns;                // of the map that is published
  int32_t map_ratio;                    // map cells per planning cell
  fw_point_t obstacles[8];
  int32_t obstacle_count;
  fw_timed_waypoint_t closures[SOURCES][2];
  int32_t closure_counts[SOURCES];
  sim_robot_t robots[ROBOTS_MAX];
  int32_t robot_count;
  client_goal_t goals[GOALS_MAX];
  int32_t goal_count;

  int64_t now_ns;    // of the world
  int64_t clock_ns;  // the controllers' time is now_ns + this
  fw_network_options_t network;
  fw_pose_queue_t poses[CONTROLLERS];
  fw_controller_settings_t settings;
  bool can_move_otherwise;  // the planner knows speeds, footprints and headings
  sim_controller_t controllers[CONTROLLERS];
  bool has_journal;
  fw_controller_sync_t journal_sync;
  int32_t leader_index;  // of the controller that leads, or that will after its restart
  int64_t restart_ns;    // when the leader comes back; 0: it runs
  int64_t leading_ns;    // since when it leads
  int64_t rival_end_ns;  // when the second controller, or the first, ends
  int64_t promote_ns;    // when the second one learns that it is alone
  bool is_paused;
  int64_t pause_until_ns;
  int64_t repair_ns;  // when map, obstacles and closures are as built again

  uint32_t faults;  // which kinds this seed has
  int32_t fault_permille;
  int32_t goal_permille;
  bool has_exact_goals;
  bool is_quiet;

  int64_t heap_failures;
  int64_t told_ns;  // of the controller that was killed: since when the ends of goals may be told again
  int64_t died_ns;  // when it was
  bool has_lost;    // the power failed, and with it the end of the journal

  // Progress in the quiet phase.
  int32_t stage;
  int64_t stage_ns;  // since when
  int64_t reached_when_judged;
  int64_t judged_ns;  // 0: not yet
  int64_t next_judge_ns;
  int32_t judge_tries;
  double plan_seconds;
  bool has_searched;  // the fresh controller's planner came to its end
  bool leads_out;     // its plan leads a robot out of a keepout
  bool is_proved;     // there is no plan

  fw_controller_invariants_t invariants;
  int32_t log_lines;  // in this update
} sim_t;

// ---- random numbers, trace, hash

static int32_t below(sim_t * sim, int32_t bound) { return fw__rng_below(&sim->rng, bound); }
static double uniform(sim_t * sim, double low, double high)
{
  return low + (high - low) * (double)(fw__rng_next(&sim->rng) >> 11) * 0x1p-53;
}
static int64_t seconds_between(sim_t * sim, double low, double high)
{
  return (int64_t)(uniform(sim, low, high) * 1e3) * MS_NS;
}

static void trace(const sim_t * sim, const char * format, ...) FW_PRINTF(2, 3);
static void trace(const sim_t * sim, const char * format, ...)
{
  if (sim->options->trace == NULL) {
    return;
  }
  char text[512];
  const int32_t at = snprintf(text, sizeof text, "%8.2f ", (double)sim->now_ns * 1e-9);
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text + at, sizeof text - (size_t)at, format, arguments);
  va_end(arguments);
  sim->options->trace(sim->options->context, text);
}

// FNV-1a.
static void hash_bytes(sim_t * sim, const void * bytes, size_t size)
{
  const unsigned char * at = bytes;
  for (size_t k = 0; k < size; ++k) {
    sim->result->hash = (sim->result->hash ^ at[k]) * UINT64_C(0x100000001b3);
  }
}

static void hash_number(sim_t * sim, double value) { hash_bytes(sim, &value, sizeof value); }

// ---- the observer

static fw_point_t in_cells(const sim_t * sim, fw_point_t point) { return fw__raster_coordinates(&sim->frame, point); }

static void observe_pose(const sim_t * sim, int32_t robot)
{
  const fw_simulation_observer_t * observer = sim->options->observer;
  if (observer != NULL) {
    const fw_pose_t pose = sim->robots[robot].body.pose;
    const fw_pose_t cells = {in_cells(sim, pose.point), pose.yaw - sim->frame.yaw};
    observer->on_pose(observer->context, robot, (double)sim->now_ns * 1e-9, cells);
  }
}

static void observe_goal(const sim_t * sim, int32_t robot, fw_point_t point)
{
  const fw_simulation_observer_t * observer = sim->options->observer;
  if (observer != NULL) {
    observer->on_goal(observer->context, robot, (double)sim->now_ns * 1e-9, in_cells(sim, point));
  }
}

static void observe_arrival(const sim_t * sim, int32_t robot)
{
  const fw_simulation_observer_t * observer = sim->options->observer;
  if (observer != NULL) {
    observer->on_arrival(observer->context, robot, (double)sim->now_ns * 1e-9);
  }
}

static int64_t clock_now(const sim_t * sim) { return sim->now_ns + sim->clock_ns; }

static sim_controller_t * leader(sim_t * sim)
{
  for (int32_t k = 0; k < CONTROLLERS; ++k) {
    if (sim->controllers[k].is_running && sim->controllers[k].is_leader) {
      return &sim->controllers[k];
    }
  }
  return NULL;
}

// ---- the map

static bool * cell_at(sim_t * sim, int32_t x, int32_t y) { return &sim->is_free[y * sim->frame.width + x]; }

static void fill(sim_t * sim, bool is_free)
{
  for (int32_t k = 0; k < sim->frame.width * sim->frame.height; ++k) {
    sim->is_free[k] = is_free;
  }
}

static void make_corridors(sim_t * sim)
{
  fill(sim, false);
  const int32_t width = sim->frame.width, height = sim->frame.height;
  for (int32_t y = 1; y < height; y += 3) {
    for (int32_t x = 0; x < width; ++x) {
      *cell_at(sim, x, y) = true;
      if (below(sim, 4) == 0) {  // a bay
        *cell_at(sim, x, y - 1) = true;
      }
    }
    const int32_t x = below(sim, width - 1);
    for (int32_t k = y; k < height && k < y + 3; ++k) {  // two wide, to the next one
      *cell_at(sim, x, k) = true;
      *cell_at(sim, x + 1, k) = true;
    }
  }
}

static void make_rooms(sim_t * sim)
{
  fill(sim, true);
  const int32_t width = sim->frame.width, height = sim->frame.height;
  const int32_t side = 4 + below(sim, 3);
  for (int32_t x = side; x < width - 1; x += side + 1) {
    for (int32_t y = 0; y < height; ++y) {
      *cell_at(sim, x, y) = false;
    }
    for (int32_t k = 0; k < 2; ++k) {
      *cell_at(sim, x, below(sim, height)) = true;
    }
  }
  for (int32_t y = side; y < height - 1; y += side + 1) {
    for (int32_t x = 0; x < width; ++x) {
      *cell_at(sim, x, y) = *cell_at(sim, x, y) && x % (side + 1) == side / 2;
    }
  }
}

static void make_floor(sim_t * sim, int32_t blocked_percent)
{
  fill(sim, true);
  for (int32_t k = 0; k < sim->frame.width * sim->frame.height; ++k) {
    sim->is_free[k] = below(sim, 100) >= blocked_percent;
  }
}

// Walls off everything but the largest connected part.
static void keep_largest_part(sim_t * sim)
{
  const int32_t width = sim->frame.width, count = width * sim->frame.height;
  int32_t part[SIDE_MAX * SIDE_MAX] = {0}, sizes[SIDE_MAX * SIDE_MAX + 1] = {0}, stack[SIDE_MAX * SIDE_MAX];
  int32_t parts = 0, best = 0;
  for (int32_t first = 0; first < count; ++first) {
    if (!sim->is_free[first] || part[first] != 0) {
      continue;
    }
    int32_t depth = 0;
    parts += 1;
    part[first] = parts;
    stack[depth++] = first;
    while (depth > 0) {
      const int32_t cell = stack[--depth];
      const int32_t next[4] = {
        cell % width > 0 ? cell - 1 : cell, cell % width < width - 1 ? cell + 1 : cell,
        cell >= width ? cell - width : cell, cell + width < count ? cell + width : cell};
      sizes[parts] += 1;
      for (int32_t k = 0; k < 4; ++k) {
        if (sim->is_free[next[k]] && part[next[k]] == 0) {
          part[next[k]] = parts;
          stack[depth++] = next[k];
        }
      }
    }
    best = sizes[parts] > sizes[best] ? parts : best;
  }
  for (int32_t k = 0; k < count; ++k) {
    sim->is_free[k] = sim->is_free[k] && part[k] == best;
  }
}

static void make_map(sim_t * sim)
{
  sim->frame = (fw_map_frame_t){
    .resolution = CELL,
    .width = 6 + below(sim, 15),
    .height = 6 + below(sim, 9),
  };
  if (below(sim, 3) == 0) {
    sim->frame.origin = (fw_point_t){uniform(sim, -20.0, 20.0), uniform(sim, -20.0, 20.0)};
    sim->frame.yaw = below(sim, 2) == 0 ? uniform(sim, -3.0, 3.0) : 0.0;
  }
  sim->map_ratio = 1 + below(sim, 2);
  switch (below(sim, 4)) {
    case 0:
      make_corridors(sim);
      break;
    case 1:
      make_rooms(sim);
      break;
    case 2:
      make_floor(sim, 0);
      break;
    default:
      make_floor(sim, 5 + below(sim, 20));
      break;
  }
  keep_largest_part(sim);
}

static int32_t random_free_cell(sim_t * sim)
{
  const int32_t count = sim->frame.width * sim->frame.height;
  int32_t cell = below(sim, count);
  for (int32_t k = 0; k < count && !sim->is_free[cell]; ++k) {
    cell = (cell + 1) % count;
  }
  return cell;
}

// ---- calls of the controller, in which allocations may fail

static void begin_call(sim_t * sim)
{
  const bool fails = !sim->is_quiet && (sim->faults >> FAULT_MEMORY & 1) != 0 && below(sim, 15) == 0;
  fw__heap_begin_faults(
    fails ? 1 + below(sim, below(sim, 2) == 0 ? 4 : 40) : 0, below(sim, 4) == 0 ? 1 + below(sim, 60) : 1);
}

// True if an allocation failed in the call.
static bool end_call(sim_t * sim)
{
  const int64_t failures = fw__heap_end_faults().failures;
  sim->heap_failures += failures;
  if (failures > 0) {
    trace(sim, "no memory for %lld allocations", (long long)failures);
  }
  return failures > 0;
}

// Calls until the call works, or fails for another reason than memory.
#define CALL(sim, ret, call) \
  do {                       \
    begin_call(sim);         \
    (ret) = (call);          \
  } while (end_call(sim) && (ret) != FW_RET_OK)

static void send_map(sim_t * sim, sim_controller_t * controller)
{
  enum { VALUES_MAX = 4 * SIDE_MAX * (SIDE_MAX + 4) };
  int8_t values[VALUES_MAX];
  const int32_t ratio = sim->map_ratio;
  const int32_t width = (sim->frame.width + sim->extra_columns) * ratio, height = sim->frame.height * ratio;
  FW_ASSERT(width * height <= VALUES_MAX);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      const int32_t column = x / ratio, cell = y / ratio * sim->frame.width + column;
      const bool is_free = column < sim->frame.width && sim->is_free[cell] && !sim->is_walled[cell];
      values[y * width + x] = is_free ? 0 : 100;
    }
  }
  const fw_occupancy_map_t map = {
    .width = width,
    .height = height,
    .resolution = CELL / ratio,
    .origin = {sim->frame.origin, sim->frame.yaw},
    .values = values,
  };
  fw_error_t error = {0};
  fw_ret_t ret;
  CALL(sim, ret, fw_controller_set_map(&controller->controller, &map, clock_now(sim), &error));
  if (ret != FW_RET_OK) {
    fw__controller_invariants_fail(&sim->invariants, "a good map is refused: %s", error.text);
  }
}

static void send_areas(sim_t * sim, sim_controller_t * controller)
{
  fw_error_t error = {0};
  fw_ret_t ret;
  if (sim->areas.count == 0) {
    return;
  }
  CALL(sim, ret, fw__world_areas_send(&sim->areas, &controller->controller, clock_now(sim), &error));
  if (ret != FW_RET_OK) {
    fw__controller_invariants_fail(&sim->invariants, "good areas are refused: %s", error.text);
  }
}

static void send_obstacles(sim_t * sim, sim_controller_t * controller)
{
  const fw_obstacle_cells_t obstacles = {0.6 * CELL, 0.6 * CELL, sim->obstacles, sim->obstacle_count};
  fw_error_t error = {0};
  fw_ret_t ret;
  CALL(sim, ret, fw_controller_set_obstacles(&controller->controller, &obstacles, clock_now(sim), &error));
  if (ret != FW_RET_OK) {
    fw__controller_invariants_fail(&sim->invariants, "good obstacles are refused: %s", error.text);
  }
}

static void send_closures(sim_t * sim, sim_controller_t * controller, int32_t source)
{
  fw_error_t error = {0};
  fw_ret_t ret;
  CALL(
    sim, ret,
    fw_controller_set_closures(
      &controller->controller, source, sim->closures[source], sim->closure_counts[source], clock_now(sim), &error));
  if (ret != FW_RET_OK) {
    fw__controller_invariants_fail(&sim->invariants, "good closures are refused: %s", error.text);
  }
}

// ---- robots

static void set_shape(sim_t * sim, sim_robot_t * robot)
{
  static const char * const shapes[] = {"2x1", "1x2", "2x2", "0,0;1,0;0,1", "3x1"};
  static const fw_offset_t cells[][4] = {
    {{0, 0}, {1, 0}},
    {{0, 0}, {0, 1}},
    {{0, 0}, {1, 0}, {0, 1}, {1, 1}},
    {{0, 0}, {1, 0}, {0, 1}},
    {{-1, 0}, {0, 0}, {1, 0}}};
  static const int32_t counts[] = {2, 2, 4, 3, 3};
  robot->body.cell_count = 1;
  robot->body.cells[0] = (fw_offset_t){0, 0};
  if (sim->can_move_otherwise && below(sim, 4) == 0) {
    const int32_t shape = below(sim, 5);
    (void)snprintf(robot->footprint, sizeof robot->footprint, "%s", shapes[shape]);
    robot->body.cell_count = counts[shape];
    memcpy(robot->body.cells, cells[shape], (size_t)counts[shape] * sizeof robot->body.cells[0]);
  }
}

static bool is_cell_free(const sim_t * sim, fw_point_t point)
{
  const fw_cell_t cell = fw__map_frame_cell(&sim->frame, point);
  return cell != FW_CELL_NONE && sim->is_free[cell] && !sim->is_walled[cell];
}

// Could a robot be put there: on free floor, apart from the others and from where they may drive?
static bool is_place_for(const sim_t * sim, const sim_robot_t * robot)
{
  for (int32_t c = 0; c < robot->body.cell_count; ++c) {
    const fw_point_t disc = fw__path_robot_disc(&robot->body, c);
    if (!is_cell_free(sim, disc)) {
      return false;
    }
    for (int32_t k = 0; k < sim->robot_count; ++k) {
      const sim_robot_t * other = &sim->robots[k];
      if (other == robot || !other->is_present) {
        continue;
      }
      const double reach = 1.05 * CELL * (1.0 + (other->body.cell_count > 1 ? 2.3 : 0.0));
      bool is_near = fw__path_robot_distance_ahead(&other->body, disc) < reach;
      for (int32_t m = 0; m < other->releases.count; ++m) {
        for (int32_t w = 0; w < other->releases.messages[m].count; ++w) {
          const fw_point_t at = other->releases.messages[m].waypoints[w].point;
          is_near = is_near || hypot(at.x - disc.x, at.y - disc.y) < reach;
        }
      }
      for (int32_t m = 0; m < other->lost_count; ++m) {
        const fw_point_t at = other->lost[m].point;
        is_near = is_near || hypot(at.x - disc.x, at.y - disc.y) < reach;
      }
      if (is_near) {
        return false;
      }
    }
  }
  return true;
}

// Puts a robot on the floor. False if there is no place.
static bool place_robot(sim_t * sim, sim_robot_t * robot, double off_centre)
{
  for (int32_t tries = 0; tries < 60; ++tries) {
    fw_point_t point = fw__map_frame_point(&sim->frame, random_free_cell(sim));
    point.x += uniform(sim, -off_centre, off_centre);
    point.y += uniform(sim, -off_centre, off_centre);
    const int32_t heading = robot->body.has_heading ? 2 * below(sim, 4) : 0;
    robot->body.pose = (fw_pose_t){point, fw__map_frame_yaw(&sim->frame, heading)};
    robot->body.count = 0;
    if (is_place_for(sim, robot)) {
      return true;
    }
  }
  return false;
}

static bool add_robot(sim_t * sim)
{
  if (sim->robot_count >= (sim->options->problem == NULL ? RANDOM_ROBOTS_MAX : ROBOTS_MAX)) {
    return false;
  }
  sim_robot_t * robot = &sim->robots[sim->robot_count];
  *robot = (sim_robot_t){.pace = 1.0};
  (void)snprintf(robot->name, sizeof robot->name, "r%d", sim->robot_count);
  set_shape(sim, robot);
  const int32_t ticks = sim->can_move_otherwise && below(sim, 3) == 0 ? 1 + below(sim, 4) : 1;
  // On diagonal headings the discs of a larger body are not in the middle of cells, where diagonal moves pass them.
  const bool can_turn = sim->settings.connectivity == 4 || robot->body.cell_count == 1;
  const int32_t turn = sim->can_move_otherwise && can_turn && below(sim, 3) == 0 ? 1 + below(sim, 3) : 0;
  robot->body.has_heading = turn > 0;
  robot->body.cell_size = CELL;
  robot->body.give_up = 0.76 * CELL;
  robot->body.speed = sim->settings.speed * uniform(sim, 0.8, 1.25) / ticks;
  robot->body.turn_rate = uniform(sim, 0.8, 3.0);
  robot->noise = 0.02 * CELL * (double)below(sim, 2);
  robot->report_ns = (1 + below(sim, 4)) * STEP_NS;
  robot->next_report_ns = sim->now_ns;
  robot->definition = (fw_controller_robot_t){
    .name = robot->name,
    .footprint = robot->footprint,
    .priority = below(sim, 3),
    .ticks_per_move = ticks,
    .turn_ticks = turn,
    .sweeps_sides = below(sim, 4) == 0 && sim->can_move_otherwise,
  };
  if (!place_robot(sim, robot, below(sim, 3) == 0 ? 0.2 * CELL : 0.0)) {
    return false;
  }
  robot->is_present = true;
  fw__controller_invariants_forget_release(&sim->invariants, sim->robot_count);
  sim->robot_count += 1;
  return true;
}

static void send_robots(sim_t * sim, sim_controller_t * controller)
{
  fw_controller_robot_t list[ROBOTS_MAX];
  int32_t count = 0;
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    if (sim->robots[k].is_present) {
      list[count++] = sim->robots[k].definition;
    }
  }
  fw_error_t error = {0};
  fw_ret_t ret;
  CALL(sim, ret, fw_controller_set_robots(&controller->controller, list, count, clock_now(sim), &error));
  if (ret != FW_RET_OK) {
    fw__controller_invariants_fail(&sim->invariants, "a good list of robots is refused: %s", error.text);
  }
}

static void report_pose(sim_t * sim, int32_t index)
{
  sim_robot_t * robot = &sim->robots[index];
  const bool is_garbage = !sim->is_quiet && (sim->faults >> FAULT_GARBAGE & 1) != 0 && below(sim, 40) == 0;
  fw_pose_message_t message = {.due_ns = sim->now_ns, .robot = index};
  message.report.pose = robot->body.pose;
  message.report.pose.point.x += uniform(sim, -0.7, 0.7) * robot->noise;
  message.report.pose.point.y += uniform(sim, -0.7, 0.7) * robot->noise;
  message.report.stamp_ns = clock_now(sim);
  message.report.deviation = below(sim, 2) * 0.01;
  if (is_garbage) {
    switch (below(sim, 6)) {
      case 0:
        message.report.pose.point.x = NAN;
        break;
      case 1:
        message.report.pose.yaw = INFINITY;
        break;
      case 2:
        message.report.stamp_ns -= 3600 * SECOND_NS;
        message.report.pose.point.x += 3.0;
        break;
      case 3:
        message.report.stamp_ns += 3600 * SECOND_NS;
        message.report.pose.point.y -= 3.0;
        break;
      case 4:
        message.report.deviation = 1e12;
        message.report.pose.point.x -= 3.0;
        break;
      default:
        message.report.deviation = NAN;
        message.report.pose.point.y += 3.0;
        break;
    }
  }
  robot->reported = robot->body.pose;
  for (int32_t k = 0; k < CONTROLLERS; ++k) {
    if (sim->controllers[k].is_running) {
      fw__pose_queue_send(&sim->poses[k], &message, &sim->network, &sim->rng);
    }
  }
}

static void drive_robots(sim_t * sim)
{
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    sim_robot_t * robot = &sim->robots[k];
    if (!robot->is_present) {
      continue;
    }
    const fw_release_message_t * release;
    while ((release = fw__release_queue_first(&robot->releases, sim->now_ns)) != NULL) {
      fw__path_robot_take(&robot->body, release->waypoints, release->count);
      if (below(sim, 100) < sim->network.repeat_percent) {
        fw__path_robot_take(&robot->body, release->waypoints, release->count);
      }
      fw__release_queue_pop(&robot->releases);
    }
    if (sim->now_ns >= robot->stop_until_ns) {
      fw__path_robot_drive(&robot->body, (double)STEP_NS * 1e-9, robot->pace);
    }
    hash_bytes(sim, &robot->body.pose, sizeof robot->body.pose);
    observe_pose(sim, k);
    const fw_pose_t now = robot->body.pose, last = robot->reported;
    const bool has_moved = now.point.x != last.point.x || now.point.y != last.point.y || now.yaw != last.yaw;
    const bool wants_report = !sim->settings.poses_are_on_change || has_moved;
    if (sim->now_ns >= robot->next_report_ns && sim->now_ns >= robot->silent_until_ns && wants_report) {
      robot->next_report_ns = sim->now_ns + robot->report_ns;
      report_pose(sim, k);
    }
    sim->has_failed = sim->has_failed || robot->releases.has_failed;
  }
}

// ---- controllers and their adapter

static void take_log(void * context, fw_log_level_t level, const char * text)
{
  sim_t * sim = context;
  static const char * const levels[] = {"debug", "info", "warn", "error"};
  sim->log_lines += level == FW_LOG_DEBUG ? 0 : 1;
  trace(sim, "  %s: %s", levels[level], text);
}

static fw_controller_options_t make_options(sim_t * sim, const fw_journal_io_t * io)
{
  static const char * const names[SOURCES] = {"door_0", "door_1"};
  fw_controller_options_t options = fw_controller_options_default();
  options.settings = sim->settings;
  options.worker = FW_CONTROLLER_WORKER_CALLER;
  options.closure_names = names;
  options.closure_count = SOURCES;
  options.log = take_log;
  options.context = sim;
  options.journal = sim->has_journal ? JOURNAL : NULL;
  options.journal_sync = sim->journal_sync;
  options.journal_sync_seconds = (double)SYNC_NS * 1e-9;
  options.journal_io = io;
  return options;
}

// A second controller cannot use the journal of the first.
static void check_journal_is_locked(sim_t * sim, const sim_controller_t * other)
{
  const fw_journal_io_t io = fw__memory_disk_io(other->disk);
  const fw_controller_options_t options = make_options(sim, &io);
  fw_controller_t controller = {0};
  fw_error_t error = {0};
  if (fw_controller_init(&controller, &options, &error) != FW_RET_FILE) {
    fw__controller_invariants_fail(&sim->invariants, "two controllers use one journal");
    fw_controller_fini(&controller);
  }
}

// False if nothing more may be said to it: it is dead, or its settings are refused.
static bool init_controller(sim_t * sim, sim_controller_t * controller)
{
  fw_memory_disk_t * disk = controller->disk;
  *controller = (sim_controller_t){.disk = disk};
  memset(controller->sent_to, -1, sizeof controller->sent_to);
  const fw_journal_io_t io = fw__memory_disk_io(disk);
  const fw_controller_options_t options = make_options(sim, &io);
  fw_error_t error = {0};
  fw_ret_t ret;
  CALL(sim, ret, fw_controller_init(&controller->controller, &options, &error));
  if (ret != FW_RET_OK) {
    fw__controller_invariants_fail(&sim->invariants, "a controller cannot begin: %s", error.text);
    return false;
  }
  controller->is_running = true;
  controller->taken_ns = sim->now_ns;
  return true;
}

static void start_controller(sim_t * sim, int32_t index)
{
  sim_controller_t * controller = &sim->controllers[index];
  fw_error_t error = {0};
  if (!init_controller(sim, controller)) {
    return;
  }
  sim->poses[index].count = 0;
  const bool has_areas_first = sim->areas.count > 0 && fw__rng_below(&sim->area_rng, 2) == 0;
  if (has_areas_first) {
    send_areas(sim, controller);
  }
  if (below(sim, 2) == 0) {
    send_map(sim, controller);
    send_robots(sim, controller);
  } else {
    send_robots(sim, controller);
    send_map(sim, controller);
  }
  if (!has_areas_first) {
    send_areas(sim, controller);
  }
  send_obstacles(sim, controller);
  for (int32_t k = 0; k < SOURCES; ++k) {
    if (sim->closure_counts[k] > 0) {
      send_closures(sim, controller, k);
    }
  }
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    const int32_t slot = fw_controller_find_robot(&controller->controller, sim->robots[k].name);
    const fw_ret_t ret = slot < 0 ? FW_RET_OK
                                  : fw_controller_set_service(
                                      &controller->controller, slot, sim->robots[k].service, clock_now(sim), &error);
    if (ret != FW_RET_OK) {
      fw__controller_invariants_fail(&sim->invariants, "a service is refused: %s", error.text);
    }
    if (sim->settings.poses_are_on_change) {  // latched poses
      sim->robots[k].reported.yaw = NAN;
    }
  }
  fw_controller_set_paused(&controller->controller, sim->is_paused);
}

// Clients notice that nobody works on their goals, and send them again.
static void send_goals_again(sim_t * sim)
{
  fw__controller_invariants_forget_goals(&sim->invariants);
  for (int32_t k = 0; k < sim->goal_count; ++k) {
    client_goal_t * goal = &sim->goals[k];
    if (goal->state == CLIENT_ACCEPTED || goal->state == CLIENT_UNSURE) {
      goal->state = CLIENT_WAITING;
      goal->request.is_queued = true;
      goal->due_ns = sim->now_ns;
    }
    goal->id = 0;  // the next controller counts from 1
  }
}

// The power of the whole site fails, with a journal that is not synced each time: robots stand, and hold nothing.
static void stop_robots(sim_t * sim)
{
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    sim_robot_t * robot = &sim->robots[k];
    const fw_watched_release_t * last = &sim->invariants.releases[k];
    if (last->count > 0) {
      memcpy(robot->lost, last->path, (size_t)last->count * sizeof robot->lost[0]);
      robot->lost_count = last->count;
    }
    robot->body.count = 0;
    robot->silent_until_ns = 0;
    fw__release_queue_fini(&robot->releases);
    fw__controller_invariants_forget_release(&sim->invariants, k);
  }
}

// kill -9: nothing is said to anybody, and nothing more reaches the disk.
static void end_controller(sim_t * sim, sim_controller_t * controller)
{
  controller->disk->is_stopped = true;
  fw_controller_fini(&controller->controller);
  if (controller->loses_power) {
    fw__memory_disk_lose_power(controller->disk, uniform(sim, 0.0, 1.0));
  } else {
    fw__memory_disk_restart(controller->disk);
  }
  controller->is_running = false;
  controller->is_dead = false;
  controller->kill = KILL_NONE;
  if (controller->is_leader && !sim->has_journal) {
    send_goals_again(sim);
  }
}

// An empty disk for a controller that has nothing to do with the last one.
static void replace_disk(sim_controller_t * controller)
{
  fw__memory_disk_delete(controller->disk);
  controller->disk = fw__memory_disk_new();
}

static void begin_leading(sim_t * sim, int32_t index)
{
  sim->controllers[index].is_leader = true;
  sim->leader_index = index;
  sim->leading_ns = sim->now_ns;
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    fw__controller_invariants_forget_release(&sim->invariants, k);
  }
}

// Does the controller have this goal, or will it end it because its robot has left?
static bool has_goal(const sim_controller_t * controller, uint64_t id)
{
  if (fw__restart_has_goal(controller->controller.impl, id)) {
    return true;
  }
  const fw_controller_fleet_t * fleet = &controller->controller.impl->fleet;
  for (int32_t k = 0; k < fleet->count; ++k) {
    for (int32_t g = 0; g < fleet->robots[k].goal_count; ++g) {
      if (fleet->robots[k].goals[g].id == id) {
        return true;
      }
    }
  }
  return false;
}

static client_goal_t * find_client_goal(sim_t * sim, uint64_t id)
{
  for (int32_t k = 0; k < sim->goal_count; ++k) {
    if (sim->goals[k].state == CLIENT_ACCEPTED && sim->goals[k].id == id) {
      return &sim->goals[k];
    }
  }
  return NULL;
}

// Is the end of the goal in the controller's queue of events?
static bool is_told_again(const sim_controller_t * controller, uint64_t id)
{
  const fw_goal_events_t * events = &controller->controller.impl->events;
  for (int32_t k = 0; k < events->count; ++k) {
    if (fw__goal_events_at(events, k)->id == id && fw__goal_event_is_end(fw__goal_events_at(events, k))) {
      return true;
    }
  }
  return false;
}

// Clients that were not answered ask whether the goal is known.
static void settle_unsure_goals(sim_t * sim, const sim_controller_t * controller)
{
  for (int32_t k = 0; k < sim->goal_count; ++k) {
    client_goal_t * goal = &sim->goals[k];
    if (goal->state == CLIENT_UNSURE) {
      // It may be known and have ended already, since its robot is out of service.
      const bool is_known = has_goal(controller, goal->id) || is_told_again(controller, goal->id);
      goal->state = is_known ? CLIENT_ACCEPTED : CLIENT_WAITING;
      if (goal->state == CLIENT_ACCEPTED && fw__controller_invariants_find_goal(&sim->invariants, goal->id) == NULL) {
        sim->result->goals_accepted += 1;
        fw__controller_invariants_add_goal(&sim->invariants, goal->id, goal->robot, sim->now_ns);
      }
    }
  }
}

// The power failed before the journal was synced: what happened since the last sync may not have happened.
static void settle_lost_goals(sim_t * sim, const sim_controller_t * controller)
{
  // A sync is due with the first commit after the interval, and updates may be late.
  const int64_t synced_ns =
    sim->journal_sync == FW_CONTROLLER_SYNC_INTERVAL ? sim->died_ns - SYNC_NS - SECOND_NS : INT64_MIN;
  for (int32_t k = 0; k < sim->invariants.goal_count; ++k) {
    fw_watched_goal_t * goal = &sim->invariants.goals[k];
    const bool is_live = has_goal(controller, goal->id);
    const bool is_untold = is_told_again(controller, goal->id);
    if (synced_ns > 0 && goal->state != FW_WATCHED_ENDED && goal->accepted_ns < synced_ns && !is_live && !is_untold) {
      fw__controller_invariants_fail(
        &sim->invariants, "goal %llu was accepted %.1f s before the power failed, and is lost",
        (unsigned long long)goal->id, (double)(sim->died_ns - goal->accepted_ns) * 1e-9);
    }
    if (synced_ns > 0 && goal->state == FW_WATCHED_ENDED && goal->ended_ns < synced_ns && is_live) {
      fw__controller_invariants_fail(
        &sim->invariants, "goal %llu ended %.1f s before the power failed, and lives again",
        (unsigned long long)goal->id, (double)(sim->died_ns - goal->ended_ns) * 1e-9);
    }
    goal->may_repeat = true;
    if (is_live) {
      goal->state = FW_WATCHED_ACCEPTED;
      goal->may_skip_active = true;
    } else {
      goal->is_doubtful = true;
      goal->end = goal->state == FW_WATCHED_ENDED ? goal->end : FW_GOAL_CANCELLED;
      goal->state = FW_WATCHED_ENDED;
    }
  }
  for (int32_t k = 0; k < sim->goal_count; ++k) {
    client_goal_t * goal = &sim->goals[k];
    if (goal->state == CLIENT_UNSURE) {
      continue;  // see settle_unsure_goals
    }
    if (goal->id != 0 && goal->state != CLIENT_WAITING && has_goal(controller, goal->id)) {
      goal->state = CLIENT_ACCEPTED;
    } else if (goal->state == CLIENT_ACCEPTED) {
      goal->state = CLIENT_WAITING;
      goal->request.is_queued = true;
    }
  }
}

// The leader comes back with its journal.
static void resume_leading(sim_t * sim, int32_t index, int64_t told_ns, bool has_lost)
{
  sim_controller_t * controller = &sim->controllers[index];
  controller->is_leader = true;
  sim->leading_ns = sim->now_ns;
  fw__controller_invariants_restart_goals(&sim->invariants, told_ns);
  if (has_lost) {
    settle_lost_goals(sim, controller);
    for (int32_t k = 0; k < sim->robot_count; ++k) {
      const int32_t slot = fw_controller_find_robot(&controller->controller, sim->robots[k].name);
      const fw_pose_report_t report = {.pose = sim->robots[k].body.pose, .stamp_ns = clock_now(sim)};
      fw_error_t error = {0};
      if (
        slot >= 0 && sim->robots[k].is_present &&
        fw_controller_report_pose(&controller->controller, slot, &report, clock_now(sim), &error) != FW_RET_OK) {
        fw__controller_invariants_fail(&sim->invariants, "a good pose is refused: %s", error.text);
      }
    }
  }
  settle_unsure_goals(sim, controller);
  fw__controller_invariants_allow_void(&sim->invariants, -1);
}

static int32_t robot_of_slot(const sim_t * sim, const sim_controller_t * controller, int32_t slot)
{
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    if (sim->robots[k].is_present && fw_controller_find_robot(&controller->controller, sim->robots[k].name) == slot) {
      return k;
    }
  }
  return -1;
}

static void deliver_poses(sim_t * sim, int32_t index)
{
  sim_controller_t * controller = &sim->controllers[index];
  fw_pose_message_t message;
  while (fw__pose_queue_take(&sim->poses[index], sim->now_ns, &message)) {
    const int32_t slot = fw_controller_find_robot(&controller->controller, sim->robots[message.robot].name);
    fw_error_t error = {0};
    if (slot >= 0 && sim->robots[message.robot].is_present) {
      const fw_ret_t ret =
        fw_controller_report_pose(&controller->controller, slot, &message.report, clock_now(sim), &error);
      const bool is_bad = !isfinite(message.report.pose.point.x) || !isfinite(message.report.pose.yaw) ||
                          !(message.report.deviation <= 1.0);
      if (is_bad && ret == FW_RET_OK) {
        fw__controller_invariants_fail(&sim->invariants, "a pose that is garbage is taken");
      }
    }
  }
}

static void deliver_goals(sim_t * sim, sim_controller_t * controller)
{
  for (int32_t k = 0; k < sim->goal_count; ++k) {
    client_goal_t * goal = &sim->goals[k];
    if (goal->state != CLIENT_WAITING || goal->due_ns > sim->now_ns) {
      continue;
    }
    const int32_t slot = sim->robots[goal->robot].is_present
                           ? fw_controller_find_robot(&controller->controller, sim->robots[goal->robot].name)
                           : -1;
    const uint64_t next_id = controller->controller.impl->fleet.goals_seen + 1;
    fw_error_t error = {0};
    begin_call(sim);
    const fw_ret_t ret = slot < 0 ? FW_RET_NOT_FOUND
                                  : fw_controller_request_goal(
                                      &controller->controller, slot, &goal->request, clock_now(sim), &goal->id, &error);
    if (end_call(sim) && ret != FW_RET_OK) {
      continue;  // its client tries again
    }
    if (controller->disk->is_stopped) {
      goal->state = CLIENT_UNSURE;
      goal->id = next_id;
      return;
    }
    goal->state = ret == FW_RET_OK ? CLIENT_ACCEPTED : CLIENT_DONE;
    if (ret == FW_RET_OK) {
      trace(
        sim, "goal %llu of r%d: (%.2f, %.2f)%s", (unsigned long long)goal->id, goal->robot, goal->request.pose.point.x,
        goal->request.pose.point.y, goal->request.is_queued ? ", queued" : "");
      sim->result->goals_accepted += 1;
      fw__controller_invariants_add_goal(&sim->invariants, goal->id, goal->robot, sim->now_ns);
    }
    if (goal->is_bad && ret == FW_RET_OK) {
      fw__controller_invariants_fail(&sim->invariants, "an impossible goal is accepted");
    }
    hash_number(sim, (double)ret);
  }
}

// Are all cells around one free, so that a robot can reach any pose in it?
static bool has_room_around(const sim_t * sim, fw_cell_t cell)
{
  const int32_t width = sim->frame.width, height = sim->frame.height;
  bool has_room = cell % width > 0 && cell % width < width - 1 && cell / width > 0 && cell / width < height - 1;
  for (int32_t k = 0; has_room && k < 9; ++k) {
    const fw_cell_t at = cell + (k / 3 - 1) * width + k % 3 - 1;
    has_room =
      sim->is_free[at] && !sim->is_walled[at] && !fw__world_areas_keep_out(&sim->areas, at % width, at / width);
  }
  return has_room;
}

// A robot whose goal is reached is there, unless it was pushed away since.
static void check_reached(sim_t * sim, const client_goal_t * goal)
{
  const sim_robot_t * robot = &sim->robots[goal->robot];
  const fw_cell_t cell = fw__map_frame_cell(&sim->frame, goal->request.pose.point);
  if (robot->body.has_strayed || sim->now_ns < robot->strayed_ns + 3 * SECOND_NS || cell == FW_CELL_NONE) {
    return;
  }
  const bool is_exact = has_room_around(sim, cell) && robot->body.cell_count == 1;
  const fw_point_t at = robot->body.pose.point, centre = fw__map_frame_point(&sim->frame, cell);
  const fw_point_t exact = goal->request.pose.point;
  double off = hypot(exact.x - at.x, exact.y - at.y);
  off = is_exact ? off : fmin(off, hypot(centre.x - at.x, centre.y - at.y));
  const double off_max = !is_exact ? 0.45 * CELL : sim->settings.goal_tolerance + 0.1 * CELL;
  if (off > off_max) {
    fw__controller_invariants_fail(
      &sim->invariants, "goal %llu is reported as reached, and robot %d is %.3f m from it",
      (unsigned long long)goal->id, goal->robot, off);
  }
}

// A goal that was accepted when the controller was killed, and has ended before its client could ask.
static void settle_unheard_goal(sim_t * sim, uint64_t id)
{
  for (int32_t k = 0; k < sim->goal_count && fw__controller_invariants_find_goal(&sim->invariants, id) == NULL; ++k) {
    client_goal_t * goal = &sim->goals[k];
    if (goal->id == id && goal->state == CLIENT_WAITING) {
      goal->state = CLIENT_ACCEPTED;
      sim->result->goals_accepted += 1;
      fw__controller_invariants_add_goal(&sim->invariants, id, goal->robot, sim->now_ns);
      sim->invariants.goals[sim->invariants.goal_count - 1].may_skip_active = true;
    }
  }
}

static void take_events(sim_t * sim, sim_controller_t * controller)
{
  fw_goal_event_t event;
  while (fw_controller_next_event(&controller->controller, &event)) {
    settle_unheard_goal(sim, event.id);
    client_goal_t * goal = find_client_goal(sim, event.id);
    hash_number(sim, (double)event.kind);
    hash_number(sim, (double)event.id);
    fw__controller_invariants_check_event(
      &sim->invariants, &event, event.robot < 0 ? -1 : robot_of_slot(sim, controller, event.robot), sim->now_ns);
    trace(
      sim, "goal %llu is %s%s%s", (unsigned long long)event.id, fw_goal_event_kind_name(event.kind),
      event.text[0] == '\0' ? "" : ": ", event.text);
    if (goal != NULL && event.kind == FW_GOAL_ACTIVE) {
      observe_goal(sim, goal->robot, goal->request.pose.point);
    }
    if (goal == NULL || event.kind == FW_GOAL_ACCEPTED || event.kind == FW_GOAL_ACTIVE) {
      continue;
    }
    if (event.kind == FW_GOAL_REACHED) {
      observe_arrival(sim, goal->robot);
      sim->result->goals_reached += 1;
      if (event.text[0] == '\0') {  // not told again after a restart, when the robot has driven on
        check_reached(sim, goal);
      }
    }
    goal->state = CLIENT_DONE;
  }
}

static void send_releases(sim_t * sim, sim_controller_t * controller)
{
  if (sim->now_ns >= controller->releases_since_ns + SECOND_NS) {
    controller->releases_since_ns = sim->now_ns;
    controller->releases_count = 0;
  }
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    sim_robot_t * robot = &sim->robots[k];
    const int32_t slot = robot->is_present ? fw_controller_find_robot(&controller->controller, robot->name) : -1;
    if (slot < 0) {
      continue;
    }
    const fw_controller_robot_status_t status =
      fw_controller_robot_status(&controller->controller, slot, clock_now(sim));
    if (controller->is_leader) {
      fw__controller_invariants_check_goals(&sim->invariants, k, &status);
      fw__controller_invariants_note_state(&sim->invariants, k, &status.execution);
    }
    const fw_controller_path_t path = fw_controller_released_path(&controller->controller, slot);
    const bool is_sent = controller->sent[slot] == path.revision && controller->sent_to[slot] == k;
    if (controller->has_rival || is_sent || path.revision == 0) {
      continue;  // the rules of an adapter: whoever has a rival sends nothing, and nobody what is not a release yet
    }
    if (controller->kill == KILL_IN_RELEASES && controller->kill_after-- <= 0) {
      controller->is_dead = true;
      return;
    }
    controller->sent[slot] = path.revision;
    controller->sent_to[slot] = k;
    robot->lost_count = 0;
    controller->releases_count += 1;
    sim->result->releases += 1;
    hash_number(sim, (double)path.count);
    for (int32_t w = 0; w < path.count; ++w) {
      hash_number(sim, path.waypoints[w].point.x);
      hash_number(sim, path.waypoints[w].point.y);
    }
    if (path.count > 0) {
      trace(
        sim, "release to r%d at (%.3f, %.3f)%s, %s %d %d %d %d: %d poses, (%.2f, %.2f) to (%.2f, %.2f)", k,
        robot->body.pose.point.x, robot->body.pose.point.y, robot->body.has_strayed ? ", strayed" : "",
        fw_execution_state_name(status.execution.state), status.execution.reached, status.execution.stop_at,
        status.execution.released, status.execution.end, path.count, path.waypoints[0].point.x,
        path.waypoints[0].point.y, path.waypoints[path.count - 1].point.x, path.waypoints[path.count - 1].point.y);
    } else {
      trace(
        sim, "release to r%d at (%.3f, %.3f)%s: stay", k, robot->body.pose.point.x, robot->body.pose.point.y,
        robot->body.has_strayed ? ", strayed" : "");
    }
    if (controller->is_leader) {
      const fw_area_site_t site = {&sim->areas, &robot->body, &controller->controller.impl->escapes};
      fw__controller_invariants_check_areas(&sim->invariants, k, &path, &site);
      fw__controller_invariants_check_release(&sim->invariants, k, &path, &robot->body);
    } else if (path.count > 0) {
      fw__controller_invariants_fail(
        &sim->invariants, "the second controller releases %d poses to robot %d", path.count, k);
    } else {
      fw__controller_invariants_forget_release(&sim->invariants, k);  // "stay", before it knew of the first
    }
    const int64_t delay_ns = (int64_t)below(sim, (int32_t)(sim->network.release_delay_ns / MS_NS) + 1) * MS_NS;
    fw__release_queue_send(&robot->releases, &path, sim->now_ns + delay_ns);
  }
  if (controller->releases_count > 20 * 2 * sim->robot_count + 20) {
    fw__controller_invariants_fail(
      &sim->invariants, "%d releases in a second for %d robots", controller->releases_count, sim->robot_count);
  }
}

static void solve(sim_t * sim, sim_controller_t * controller)
{
  if (fw_controller_wants_solve(&controller->controller) && controller->solve_ns == 0) {
    const bool is_late = !sim->is_quiet && (sim->faults >> FAULT_SOLVE_LATE & 1) != 0 && below(sim, 5) == 0;
    controller->solve_ns = sim->now_ns + (is_late ? seconds_between(sim, 0.5, 6.0) : below(sim, 4) * STEP_NS);
    controller->fails = !sim->is_quiet && (sim->faults >> FAULT_SOLVE_FAILS & 1) != 0 && below(sim, 5) == 0;
  }
  if (controller->solve_ns != 0 && sim->now_ns >= controller->solve_ns) {
    controller->solve_ns = 0;
    sim->result->solves += 1;
    begin_call(sim);
    fw_controller_solve(&controller->controller, controller->fails);
    (void)end_call(sim);
  }
}

// One update of the controller, with the work that it does.
static void update(sim_t * sim, sim_controller_t * controller)
{
  fw_controller_t * self = &controller->controller;
  const fw_execution_t * graph = &self->impl->execution.graph;
  const int64_t rounds = fw_controller_status(self, clock_now(sim)).rounds;
  const bool was_on = self->impl->execution.is_on;
  const int64_t retimed = was_on ? fw_execution_stats(graph).retimed : 0, disk_calls = controller->disk->calls;
  sim->log_lines = 0;
  begin_call(sim);
  (void)fw_controller_update(self, clock_now(sim));
  const fw_heap_faults_t heap = fw__heap_end_faults();
  sim->heap_failures += heap.failures;
  if (heap.failures > 0) {
    trace(sim, "no memory for %lld allocations in an update", (long long)heap.failures);
  }
  if (fw_controller_status(self, clock_now(sim)).rounds > rounds + 1) {
    fw__controller_invariants_fail(&sim->invariants, "more than one round in an update");
  }
  const bool is_on = self->impl->execution.is_on;
  const fw_execution_stats_t stats = is_on ? fw_execution_stats(graph) : (fw_execution_stats_t){0};
  const fw_update_work_t work = {
    .allocations = heap.calls,
    .disk_calls = controller->disk->calls - disk_calls,
    .retimed = was_on && is_on ? stats.retimed - retimed : 0,
    .waypoints = stats.waypoints,
    .log_lines = sim->log_lines,
    .robots = sim->robot_count,
  };
  fw__controller_invariants_check_work(&sim->invariants, &work);
  sim->invariants.has_rings = sim->invariants.has_rings || stats.rings > 0;
}

// What was not written is forgotten by a restart, and that is said: a controller is not killed meanwhile.
static void spare(sim_controller_t * controller)
{
  if (controller->kill == KILL_IN_DISK_CALL) {
    controller->disk->fault_at = 0;
  }
  controller->kill = KILL_NONE;
}

static void update_controller(sim_t * sim, int32_t index)
{
  sim_controller_t * controller = &sim->controllers[index];
  deliver_poses(sim, index);
  if (controller->is_leader) {
    deliver_goals(sim, controller);
  }
  if (controller->disk->is_stopped) {
    controller->is_dead = true;
    return;
  }
  solve(sim, controller);
  const int64_t before_ns = sim->now_ns;
  update(sim, controller);
  if (!controller->disk->is_stopped && fw_controller_status(&controller->controller, 0).journal_fault[0] != '\0') {
    spare(controller);
  }
  controller->is_dead = controller->disk->is_stopped || controller->kill == KILL_BEFORE_EVENTS;
  if (controller->is_dead) {
    return;
  }
  controller->taken_ns = before_ns;
  if (controller->is_leader) {
    take_events(sim, controller);
  }
  controller->is_dead = controller->kill == KILL_BEFORE_RELEASES;
  if (!controller->is_dead) {
    send_releases(sim, controller);
  }
}

// ---- goals

static void add_goal(sim_t * sim)
{
  if (sim->goal_count == GOALS_MAX) {
    return;
  }
  const int32_t robot = below(sim, sim->robot_count);
  client_goal_t * goal = &sim->goals[sim->goal_count];
  *goal = (client_goal_t){.robot = robot, .due_ns = sim->now_ns + seconds_between(sim, 0.0, 0.3)};
  fw_cell_t cell = random_free_cell(sim);
  for (int32_t tries = 0; tries < 20; ++tries) {  // mostly not where another robot is to stay
    bool is_taken = false;
    for (int32_t k = 0; k < sim->goal_count; ++k) {
      is_taken = is_taken || (sim->goals[k].robot != robot &&
                              fw__map_frame_cell(&sim->frame, sim->goals[k].request.pose.point) == cell);
    }
    if (!is_taken) {
      break;
    }
    cell = random_free_cell(sim);
  }
  goal->request.pose = (fw_pose_t){fw__map_frame_point(&sim->frame, cell), NAN};
  // In half of the runs some goals are exact poses anywhere in their cells.
  const double beside = sim->has_exact_goals && below(sim, 3) == 0 ? 0.49 : 0.1;
  goal->request.pose.point.x += uniform(sim, -beside, beside) * CELL;
  goal->request.pose.point.y += beside > 0.1 ? uniform(sim, -beside, beside) * CELL : 0.0;
  goal->request.is_queued = below(sim, 3) != 0;
  if (below(sim, 30) == 0) {
    goal->is_bad = true;
    goal->request.pose.point.y = below(sim, 2) == 0 ? NAN : 1e6;
  }
  sim->goal_count += 1;
}

// ---- faults

static int32_t random_robot(sim_t * sim)
{
  int32_t robot = below(sim, sim->robot_count);
  for (int32_t k = 0; k < sim->robot_count && !sim->robots[robot].is_present; ++k) {
    robot = (robot + 1) % sim->robot_count;
  }
  return robot;
}

static void each_controller(sim_t * sim, void (*send)(sim_t * sim, sim_controller_t * controller))
{
  for (int32_t k = 0; k < CONTROLLERS; ++k) {
    if (sim->controllers[k].is_running) {
      send(sim, &sim->controllers[k]);
    }
  }
}

static void send_settings(sim_t * sim, sim_controller_t * controller)
{
  fw_error_t error = {0};
  if (fw_controller_set_settings(&controller->controller, &sim->settings, clock_now(sim), &error) != FW_RET_OK) {
    fw__controller_invariants_fail(&sim->invariants, "good settings are refused: %s", error.text);
  }
}

static void send_services(sim_t * sim, sim_controller_t * controller)
{
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    const int32_t slot =
      sim->robots[k].is_present ? fw_controller_find_robot(&controller->controller, sim->robots[k].name) : -1;
    fw_error_t error = {0};
    if (
      slot >= 0 && fw_controller_set_service(
                     &controller->controller, slot, sim->robots[k].service, clock_now(sim), &error) != FW_RET_OK) {
      fw__controller_invariants_fail(&sim->invariants, "a service is refused: %s", error.text);
    }
  }
  fw_controller_set_paused(&controller->controller, sim->is_paused);
}

static void send_clock(sim_t * sim, sim_controller_t * controller)
{
  fw_controller_restart_clock(&controller->controller, clock_now(sim));
}

// Is a point so far inside the map that poses measured there are inside too? Nobody can plan for a robot outside of it.
static bool is_well_inside(const sim_t * sim, fw_point_t point)
{
  static const double corners[4][2] = {{-0.05, -0.05}, {0.05, -0.05}, {-0.05, 0.05}, {0.05, 0.05}};
  bool is_inside = true;
  for (int32_t k = 0; k < 4; ++k) {
    const fw_point_t at = {point.x + corners[k][0], point.y + corners[k][1]};
    is_inside = is_inside && fw__map_frame_cell(&sim->frame, at) != FW_CELL_NONE;
  }
  return is_inside;
}

static void push(sim_t * sim, int32_t index, bool far)
{
  sim_robot_t * robot = &sim->robots[index];
  fw_pose_t pose = robot->body.pose;
  if (far) {
    pose.point = fw__map_frame_point(&sim->frame, random_free_cell(sim));
    pose.yaw += robot->body.has_heading ? uniform(sim, -3.0, 3.0) : 0.0;
  }
  const fw_point_t before = pose.point;
  pose.point.x += uniform(sim, -0.6, 0.6) * CELL;
  pose.point.y += uniform(sim, -0.6, 0.6) * CELL;
  pose.point = is_well_inside(sim, pose.point) ? pose.point : before;
  fw__path_robot_push(&robot->body, pose);
  robot->strayed_ns = sim->now_ns;
  fw__controller_invariants_allow_void(&sim->invariants, index);
  trace(sim, "r%d is %s to (%.3f, %.3f)", index, far ? "carried" : "pushed", pose.point.x, pose.point.y);
}

// Highest random weight (rendezvous hashing): the planner whose name has the largest hash with the number. A planner
// that is added to the registry takes its share of the numbers, and all others keep their planner. So the worlds of
// most seeds stay as they were.
static const fw_planner_def_t * draw_planner(uint64_t number)
{
  const fw_planner_def_t * drawn = NULL;
  uint64_t highest = 0;
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    const fw_planner_def_t * def = fw_planner_def_at(i);
    fw_rng_t rng = fw__rng(number);
    for (const char * c = def->name; *c != '\0'; ++c) {
      rng.state = fw__rng_next(&rng) + (uint64_t)(unsigned char)*c;
    }
    const uint64_t weight = fw__rng_next(&rng);
    if (drawn == NULL || weight > highest) {
      drawn = def;
      highest = weight;
    }
  }
  return drawn;
}

static void choose_planner(sim_t * sim, const char * name)
{
  fw_planner_choice_t * choice = &sim->settings.planner;
  *choice =
    (fw_planner_choice_t){.threads = 1, .seed = sim->options->seed, .memory_max_bytes = (size_t)256 * 1024 * 1024};
  (void)fw__name_copy(choice->name, name);
}

// Does the planner know speeds, footprints, headings, and closures?
static bool knows_bodies(const char * planner)
{
  static const fw_offset_t cells[] = {{0, 0}, {1, 0}};
  static const fw_closure_t door = {.cell = 3, .from = 50, .to = 60};
  uint8_t cost[4] = {1, 1, 1, 1};
  const fw_grid_t grid = {.width = 4, .height = 1, .cost = cost};
  fw_robot_t robot = {
    .start = 0, .goal = 1, .ticks_per_move = 2, .turn_ticks = 1, .footprint = cells, .footprint_count = 2};
  const fw_problem_t problem = {
    .grid = &grid, .robots = &robot, .robot_count = 1, .connectivity = 4, .closures = &door, .closure_count = 1};
  fw_planner_t self = {0};
  fw_plan_t plan;
  const fw_budget_t budget = {.expansions_max = 1000};
  const bool knows = fw_planner_init(&self, planner, NULL, NULL) == FW_RET_OK &&
                     fw_planner_solve(&self, &problem, &budget, &plan, NULL) == FW_RET_OK;
  fw_planner_fini(&self);
  return knows;
}

static bool has_rules(const sim_t * sim)
{
  return fw__world_areas_have(&sim->areas, FW_AREA_ONE_WAY) || fw__world_areas_have(&sim->areas, FW_AREA_NO_WAITING);
}

static void change_planner(sim_t * sim)
{
  const fw_planner_def_t * def = draw_planner(fw__rng_next(&sim->rng));
  if ((sim->can_move_otherwise && !knows_bodies(def->name)) || (has_rules(sim) && !def->has_rules)) {
    return;
  }
  choose_planner(sim, def->name);
  trace(sim, "planner %s", sim->settings.planner.name);
  each_controller(sim, send_settings);
}

static void change_settings(sim_t * sim)
{
  static const double ahead[] = {0.0, 0.5, 1.0, 2.0, 5.0};
  if (below(sim, 2) == 0) {
    sim->settings.release_ahead = ahead[below(sim, 5)];
  } else {
    sim->settings.stopped_timeout = 3.0 + below(sim, 4);
  }
  trace(sim, "release_ahead %g, stopped_timeout %g", sim->settings.release_ahead, sim->settings.stopped_timeout);
  fw__controller_invariants_allow_void(&sim->invariants, -1);
  each_controller(sim, send_settings);
}

static void change_closure(sim_t * sim)
{
  const int32_t source = below(sim, SOURCES);
  const fw_point_t at = fw__map_frame_point(&sim->frame, random_free_cell(sim));
  const int64_t from_ns = clock_now(sim) + seconds_between(sim, 0.0, 10.0);
  const int64_t to_ns = from_ns + seconds_between(sim, 1.0, 15.0);
  sim->closures[source][0] = (fw_timed_waypoint_t){from_ns, at, NAN};
  sim->closures[source][1] = (fw_timed_waypoint_t){to_ns, at, NAN};
  sim->closure_counts[source] = below(sim, 3) == 0 ? 0 : 2;
  trace(
    sim, "door_%d %s (%.2f, %.2f)", source, sim->closure_counts[source] == 0 ? "stays open" : "will close", at.x, at.y);
  for (int32_t k = 0; k < CONTROLLERS; ++k) {
    if (sim->controllers[k].is_running) {
      send_closures(sim, &sim->controllers[k], source);
    }
  }
}

// The second controller. As the adapter of the node does, it looks for others before it plans, and meanwhile it tells
// robots to stay; then it is told of the first, or, if that one has ended, after a while that it is alone.
static void start_rival(sim_t * sim)
{
  sim_controller_t * first = leader(sim);
  const int32_t index = 1 - sim->leader_index;
  sim_controller_t * second = &sim->controllers[index];
  if (first == NULL || first->kill != KILL_NONE || second->is_running || sim->promote_ns != 0) {
    return;
  }
  if (sim->has_journal && below(sim, 2) == 0 && first->disk->fault_at == 0) {
    check_journal_is_locked(sim, first);
  }
  trace(sim, "a second controller starts");
  replace_disk(second);
  start_controller(sim, index);
  if (!second->is_running) {
    return;
  }
  fw_controller_set_not_ready(&second->controller, "looking for other controllers of these robots");
  second->rival_ns = sim->now_ns + seconds_between(sim, 0.0, 2.0);
  sim->rival_end_ns = sim->now_ns + seconds_between(sim, 1.0, 15.0);
}

static void tell_of_rival(sim_t * sim, sim_controller_t * controller)
{
  trace(sim, "the second controller knows of the first");
  controller->rival_ns = 0;
  controller->has_rival = true;
  fw_controller_set_rival(&controller->controller, "the first controller");
  fw_controller_set_not_ready(&controller->controller, NULL);
}

static void end_rivalry(sim_t * sim)
{
  const bool elder_ends = below(sim, 2) == 0;
  for (int32_t k = 0; k < CONTROLLERS; ++k) {
    sim_controller_t * controller = &sim->controllers[k];
    if (!controller->is_running || controller->is_leader != elder_ends) {
      continue;
    }
    trace(sim, "the %s controller is killed", elder_ends ? "first" : "second");
    controller->is_leader = false;
    end_controller(sim, controller);
    if (elder_ends) {  // the other one does not know its journal
      send_goals_again(sim);
    }
  }
  sim->rival_end_ns = 0;
  sim->promote_ns = elder_ends ? sim->now_ns + seconds_between(sim, 0.2, 2.0) : 0;
}

static void promote(sim_t * sim)
{
  sim->promote_ns = 0;
  for (int32_t k = 0; k < CONTROLLERS; ++k) {
    sim_controller_t * controller = &sim->controllers[k];
    if (controller->is_running) {
      trace(sim, "the second controller is alone");
      if (!controller->has_rival) {  // it was still looking
        tell_of_rival(sim, controller);
      }
      controller->has_rival = false;
      begin_leading(sim, k);
      fw_controller_set_rival(&controller->controller, NULL);
    }
  }
}

// Chooses where the leader is killed; it happens with its next update.
static void kill_leader(sim_t * sim, bool loses_power)
{
  sim_controller_t * controller = leader(sim);
  if (controller == NULL || sim->rival_end_ns != 0 || controller->kill != KILL_NONE) {
    return;
  }
  if (
    fw_controller_status(&controller->controller, clock_now(sim)).journal_fault[0] != '\0' ||
    controller->disk->fault_at != 0) {
    return;  // see spare
  }
  controller->loses_power = loses_power;
  controller->kill = (sim_kill_t)(1 + below(sim, KILL_COUNT - 1));
  controller->kill_after = below(sim, 4);
  if (!sim->has_journal && controller->kill == KILL_IN_DISK_CALL) {
    controller->kill = KILL_BEFORE_EVENTS;
  }
  if (controller->kill == KILL_IN_DISK_CALL) {
    static const fw_disk_fault_t stops[] = {
      FW_DISK_STOPS_BEFORE, FW_DISK_STOPS_HALFWAY, FW_DISK_STOPS_HALFWAY, FW_DISK_STOPS_AFTER};
    controller->disk->fault = stops[below(sim, 4)];
    controller->disk->fault_at = controller->disk->calls + 1 + below(sim, 12);
    controller->disk->torn_bytes = below(sim, below(sim, 2) == 0 ? 40 : 1000);
  }
  trace(sim, "kill -9 (%d)%s", (int)controller->kill, loses_power ? ", without power" : "");
}

// Controllers that were killed in this step.
static void bury_dead(sim_t * sim)
{
  for (int32_t k = 0; k < CONTROLLERS; ++k) {
    sim_controller_t * controller = &sim->controllers[k];
    if (!controller->is_running || !(controller->is_dead || controller->disk->is_stopped)) {
      continue;
    }
    trace(sim, "the controller is dead");
    sim->told_ns = controller->taken_ns;
    sim->died_ns = sim->now_ns;
    sim->has_lost = controller->loses_power && sim->journal_sync != FW_CONTROLLER_SYNC_EACH && sim->has_journal;
    end_controller(sim, controller);
    controller->is_leader = false;
    if (sim->has_lost) {
      stop_robots(sim);
    }
    sim->result->kills += 1;
    sim->restart_ns = sim->is_quiet ? sim->now_ns : sim->now_ns + seconds_between(sim, 0.05, 5.0);
  }
}

static void restart_leader(sim_t * sim)
{
  trace(sim, "the controller starts again");
  sim->restart_ns = 0;
  start_controller(sim, sim->leader_index);
  if (!sim->controllers[sim->leader_index].is_running) {
    return;
  }
  if (sim->has_journal) {
    resume_leading(sim, sim->leader_index, sim->told_ns, sim->has_lost);
  } else {
    begin_leading(sim, sim->leader_index);
  }
}

static void fail_disk(sim_t * sim)
{
  const sim_controller_t * controller = leader(sim);
  if (controller != NULL && controller->kill == KILL_NONE && sim->has_journal) {
    controller->disk->fault = FW_DISK_FAILS;
    controller->disk->fault_at = controller->disk->calls + 1;
    controller->disk->fault_calls = 1 + below(sim, 60);
    trace(sim, "the disk fails for %lld calls", (long long)controller->disk->fault_calls);
  }
}

static void join(sim_t * sim)
{
  if (add_robot(sim)) {
    const sim_robot_t * robot = &sim->robots[sim->robot_count - 1];
    trace(sim, "r%d joins at (%.3f, %.3f)", sim->robot_count - 1, robot->body.pose.point.x, robot->body.pose.point.y);
    sim->robots[sim->robot_count - 1].silent_until_ns =
      below(sim, 3) == 0 && !sim->settings.poses_are_on_change ? sim->now_ns + seconds_between(sim, 0.0, 15.0) : 0;
    each_controller(sim, send_robots);
  }
}

static void leave(sim_t * sim, int32_t index)
{
  int32_t present = 0;
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    present += sim->robots[k].is_present ? 1 : 0;
  }
  if (present > 2) {
    trace(sim, "r%d leaves", index);
    sim->robots[index].is_present = false;
    fw__release_queue_fini(&sim->robots[index].releases);
    each_controller(sim, send_robots);
  }
}

static void change_map(sim_t * sim)
{
  if (below(sim, 2) == 0) {
    memset(sim->is_walled, 0, sizeof sim->is_walled);
  } else {
    const int32_t cell = random_free_cell(sim);
    sim->is_walled[cell] = true;
    const fw_point_t at = fw__map_frame_point(&sim->frame, cell);
    trace(sim, "a wall at (%.2f, %.2f)", at.x, at.y);
  }
  sim->repair_ns = sim->now_ns + seconds_between(sim, 5.0, 30.0);
  each_controller(sim, send_map);
}

static void change_obstacles(sim_t * sim)
{
  sim->obstacle_count = below(sim, 5);
  for (int32_t k = 0; k < sim->obstacle_count; ++k) {
    sim->obstacles[k] = fw__map_frame_point(&sim->frame, random_free_cell(sim));
    trace(sim, "an obstacle at (%.2f, %.2f)", sim->obstacles[k].x, sim->obstacles[k].y);
  }
  sim->repair_ns = sim->now_ns + seconds_between(sim, 5.0, 30.0);
  each_controller(sim, send_obstacles);
}

static void change_service(sim_t * sim, int32_t index, fw_robot_service_t service)
{
  sim->robots[index].service = service;
  sim->robots[index].service_until_ns = sim->now_ns + seconds_between(sim, 1.0, 20.0);
  trace(sim, "r%d: service %d", index, (int)service);
  each_controller(sim, send_services);
}

static void jump_clock(sim_t * sim)
{
  const int64_t by_ns = seconds_between(sim, -500.0, 500.0);
  sim->clock_ns += clock_now(sim) + by_ns > 100 * SECOND_NS ? by_ns : 0;
  trace(sim, "the clock jumps by %.3f s", (double)by_ns * 1e-9);
  fw__controller_invariants_allow_void(&sim->invariants, -1);
  each_controller(sim, send_clock);
}

static void cancel_goal(sim_t * sim)
{
  sim_controller_t * controller = leader(sim);
  if (controller == NULL) {
    return;
  }
  const int32_t robot = random_robot(sim);
  for (int32_t k = 0; k < sim->goal_count; ++k) {
    fw_error_t error = {0};
    if (
      sim->goals[k].robot == robot && sim->goals[k].state == CLIENT_ACCEPTED &&
      fw_controller_cancel_goal(&controller->controller, sim->goals[k].id, clock_now(sim), &error) != FW_RET_OK) {
      // Its end is in the queue of events.
    }
    if (sim->goals[k].robot == robot && below(sim, 2) == 0) {
      break;
    }
  }
  if (below(sim, 3) == 0) {
    const int32_t slot = fw_controller_find_robot(&controller->controller, sim->robots[robot].name);
    fw_controller_cancel_goals(&controller->controller, slot, clock_now(sim));
  }
}

static void inject(sim_t * sim, sim_fault_t fault)
{
  const int32_t index = random_robot(sim);
  sim_robot_t * robot = &sim->robots[index];
  sim->result->faults += 1;
  switch (fault) {
    case FAULT_SLOW:
      robot->pace = uniform(sim, 0.1, 1.0);
      trace(sim, "r%d drives at %.0f %%", index, 100.0 * robot->pace);
      break;
    case FAULT_STOP:
    case FAULT_BREAK:
      robot->stop_until_ns = sim->now_ns + seconds_between(sim, 0.5, fault == FAULT_STOP ? 8.0 : 60.0);
      trace(sim, "r%d stops for %.1f s", index, (double)(robot->stop_until_ns - sim->now_ns) * 1e-9);
      break;
    case FAULT_SILENCE:
      if (sim->settings.poses_are_on_change) {
        break;  // where silence means that a robot stands, no pose may be lost
      }
      robot->silent_until_ns = sim->now_ns + seconds_between(sim, 0.5, 25.0);
      trace(sim, "r%d is silent for %.1f s", index, (double)(robot->silent_until_ns - sim->now_ns) * 1e-9);
      break;
    case FAULT_PUSH:
    case FAULT_TELEPORT:
      push(sim, index, fault == FAULT_TELEPORT);
      break;
    case FAULT_JOIN:
      join(sim);
      break;
    case FAULT_LEAVE:
      leave(sim, index);
      break;
    case FAULT_HOLD:
      change_service(sim, index, FW_ROBOT_ON_HOLD);
      break;
    case FAULT_OUT_OF_SERVICE:
      change_service(sim, index, FW_ROBOT_OUT_OF_SERVICE);
      break;
    case FAULT_PAUSE:
      sim->is_paused = true;
      sim->pause_until_ns = sim->now_ns + seconds_between(sim, 0.5, 10.0);
      trace(sim, "pause");
      each_controller(sim, send_services);
      break;
    case FAULT_MAP:
      change_map(sim);
      break;
    case FAULT_FRAME:
      sim->extra_columns = (sim->extra_columns + 1) % 3;
      trace(sim, "%d more columns", sim->extra_columns);
      fw__controller_invariants_allow_void(&sim->invariants, -1);
      each_controller(sim, send_map);
      break;
    case FAULT_OBSTACLES:
      change_obstacles(sim);
      break;
    case FAULT_CLOSURE:
      change_closure(sim);
      break;
    case FAULT_PLANNER:
      change_planner(sim);
      break;
    case FAULT_SETTINGS:
      change_settings(sim);
      break;
    case FAULT_CLOCK:
      jump_clock(sim);
      break;
    case FAULT_KILL:
      kill_leader(sim, false);
      break;
    case FAULT_POWER:
      kill_leader(sim, true);
      break;
    case FAULT_DISK:
      fail_disk(sim);
      break;
    case FAULT_RIVAL:
      start_rival(sim);
      break;
    case FAULT_REPLAN:
      if (leader(sim) != NULL) {
        fw_controller_replan(&leader(sim)->controller);
      }
      break;
    case FAULT_CANCEL:
      cancel_goal(sim);
      break;
    case FAULT_GARBAGE:
    case FAULT_MEMORY:
    case FAULT_SOLVE_FAILS:
    case FAULT_SOLVE_LATE:
    case FAULT_COUNT:
      break;
  }
}

static void put_keepout(sim_t * sim, fw_world_area_t * area, bool is_there)
{
  sim->keepout_ns = is_there && !area->is_there ? sim->now_ns : sim->keepout_ns;
  area->is_there = is_there;
  trace(
    sim, "the keepout of %d x %d cells at cell (%d, %d) %s", area->width, area->height, area->x, area->y,
    is_there ? "comes" : "goes");
}

static void change_keepout(sim_t * sim)
{
  fw_rng_t * rng = &sim->area_rng;
  if (sim->areas.count == 0 || fw__rng_below(rng, 1000) >= sim->keepout_permille) {
    return;
  }
  fw_world_area_t * area = &sim->areas.items[fw__rng_below(rng, sim->areas.count)];
  if (area->kind == FW_AREA_KEEPOUT) {
    put_keepout(sim, area, !area->is_there);
    sim->result->faults += 1;
    each_controller(sim, send_areas);
  }
}

static void inject_random(sim_t * sim)
{
  if (below(sim, 1000) >= sim->fault_permille) {
    return;
  }
  const int32_t first = below(sim, FAULT_COUNT);
  for (int32_t k = 0; k < FAULT_COUNT; ++k) {
    const int32_t fault = (first + k) % FAULT_COUNT;
    if ((sim->faults >> fault & 1) != 0) {
      // What stops the whole fleet is rare.
      const bool is_rare = fault == FAULT_POWER || fault == FAULT_RIVAL || fault == FAULT_CLOCK ||
                           fault == FAULT_FRAME || fault == FAULT_SETTINGS || fault == FAULT_LEAVE;
      if (!is_rare || below(sim, 3) == 0) {
        inject(sim, (sim_fault_t)fault);
      }
      return;
    }
  }
}

static void repair_world(sim_t * sim)
{
  sim->repair_ns = 0;
  memset(sim->is_walled, 0, sizeof sim->is_walled);
  sim->obstacle_count = 0;
  each_controller(sim, send_map);
  each_controller(sim, send_obstacles);
}

// What ends by itself.
static void end_faults(sim_t * sim)
{
  bury_dead(sim);
  if (sim->restart_ns != 0 && sim->now_ns >= sim->restart_ns) {
    restart_leader(sim);
  }
  for (int32_t k = 0; k < CONTROLLERS; ++k) {
    sim_controller_t * controller = &sim->controllers[k];
    if (controller->is_running && controller->rival_ns != 0 && sim->now_ns >= controller->rival_ns) {
      tell_of_rival(sim, controller);
    }
  }
  if (sim->rival_end_ns != 0 && sim->now_ns >= sim->rival_end_ns) {
    end_rivalry(sim);
  }
  if (sim->promote_ns != 0 && sim->now_ns >= sim->promote_ns) {
    promote(sim);
  }
  if (sim->repair_ns != 0 && sim->now_ns >= sim->repair_ns) {
    repair_world(sim);
  }
  if (sim->is_paused && sim->now_ns >= sim->pause_until_ns) {
    sim->is_paused = false;
    trace(sim, "resume");
    each_controller(sim, send_services);
  }
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    if (sim->robots[k].service != FW_ROBOT_IN_SERVICE && sim->now_ns >= sim->robots[k].service_until_ns) {
      change_service(sim, k, FW_ROBOT_IN_SERVICE);
    }
  }
}

// ---- the quiet phase

static bool is_near_another(const sim_t * sim, const sim_robot_t * robot)
{
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    const sim_robot_t * other = &sim->robots[k];
    if (other != robot && other->is_present && fw__path_robot_distance(&robot->body, &other->body) < 1.1 * CELL) {
      return true;
    }
  }
  return false;
}

// Is a robot where it can be planned for: on free floor?
static bool is_on_floor(const sim_t * sim, const sim_robot_t * robot)
{
  for (int32_t c = 0; c < robot->body.cell_count; ++c) {
    if (!is_cell_free(sim, fw__path_robot_disc(&robot->body, c))) {
      return false;
    }
  }
  return true;
}

// One keepout of three is there to stay.
static void settle_keepouts(sim_t * sim)
{
  for (int32_t k = 0; k < sim->areas.count; ++k) {
    if (sim->areas.items[k].kind == FW_AREA_KEEPOUT) {
      put_keepout(sim, &sim->areas.items[k], sim->keepout_permille > 0 && fw__rng_below(&sim->area_rng, 3) == 0);
    }
  }
  each_controller(sim, send_areas);
}

// Everything is repaired; people put robots that have strayed where there is room.
static void begin_quiet(sim_t * sim)
{
  trace(sim, "quiet");
  sim->is_quiet = true;
  sim->network.loss_percent = 0;
  sim->network.late_percent = 0;
  sim->extra_columns = 0;
  fw__controller_invariants_allow_void(&sim->invariants, -1);
  memset(sim->closure_counts, 0, sizeof sim->closure_counts);
  for (int32_t k = 0; k < CONTROLLERS; ++k) {
    if (!sim->controllers[k].disk->is_stopped) {
      sim->controllers[k].disk->fault_at = 0;
      sim->controllers[k].kill = KILL_NONE;
    }
    for (int32_t s = 0; sim->controllers[k].is_running && s < SOURCES; ++s) {
      send_closures(sim, &sim->controllers[k], s);
    }
  }
  repair_world(sim);
  settle_keepouts(sim);
  if (sim->rival_end_ns != 0) {
    sim->rival_end_ns = sim->now_ns;
  }
  sim->restart_ns = sim->restart_ns != 0 ? sim->now_ns : 0;
  sim->promote_ns = sim->promote_ns != 0 ? sim->now_ns : 0;
  sim->is_paused = false;
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    sim_robot_t * robot = &sim->robots[k];
    robot->service = FW_ROBOT_IN_SERVICE;
    robot->pace = 1.0;
    robot->stop_until_ns = 0;
    robot->silent_until_ns = 0;
    robot->reported.yaw = NAN;
    if (robot->is_present && robot->body.has_strayed && (is_near_another(sim, robot) || !is_on_floor(sim, robot))) {
      const sim_robot_t before = *robot;
      if (!place_robot(sim, robot, 0.0)) {
        *robot = before;
        robot->is_present = false;
        fw__release_queue_fini(&robot->releases);
      }
      trace(sim, "r%d is put at (%.3f, %.3f)", k, robot->body.pose.point.x, robot->body.pose.point.y);
      robot->strayed_ns = sim->now_ns;
    }
  }
  each_controller(sim, send_robots);
  each_controller(sim, send_services);
}

static int32_t goals_left(const sim_t * sim)
{
  int32_t left = 0;
  for (int32_t k = 0; k < sim->goal_count; ++k) {
    left += sim->goals[k].state != CLIENT_DONE ? 1 : 0;
  }
  return left;
}

// Is the robot inside a keepout, and does the path end outside?
static bool leads_out(const sim_t * sim, const char * name, fw_controller_path_t path)
{
  bool is_led = false;
  for (int32_t k = 0; sim->areas.count > 0 && path.count > 0 && k < sim->robot_count; ++k) {
    const sim_robot_t * robot = &sim->robots[k];
    if (!robot->is_present || strcmp(robot->name, name) != 0) {
      continue;
    }
    const fw_timed_waypoint_t end = path.waypoints[path.count - 1];
    fw_path_robot_t after = robot->body;
    after.pose = (fw_pose_t){end.point, isnan(end.yaw) ? robot->body.pose.yaw : end.yaw};
    is_led = fw__world_areas_touch(&sim->areas, &robot->body) && !fw__world_areas_touch(&sim->areas, &after);
  }
  return is_led;
}

// The duration of the plan that a fresh controller makes of the same facts; negative if it finds none for all robots.
static double plan_afresh(sim_t * sim)
{
  fw_controller_t fresh = {0};
  fw_controller_options_t options = fw_controller_options_default();
  options.settings = sim->settings;
  options.settings.poses_are_on_change = true;  // they are told once
  options.worker = FW_CONTROLLER_WORKER_INLINE;
  fw_error_t error = {0};
  if (fw_controller_init(&fresh, &options, &error) != FW_RET_OK) {
    return -1.0;
  }
  sim_controller_t shell = {.controller = fresh, .is_running = true};
  const int64_t clock_ns = sim->clock_ns;
  send_map(sim, &shell);
  send_areas(sim, &shell);
  send_robots(sim, &shell);
  for (int32_t step = 0; step < 12; ++step) {
    for (int32_t k = 0; k < sim->robot_count; ++k) {
      const int32_t slot = sim->robots[k].is_present ? fw_controller_find_robot(&fresh, sim->robots[k].name) : -1;
      const fw_cell_t cell = fw__map_frame_cell(&sim->frame, sim->robots[k].body.pose.point);
      fw_pose_report_t report = {.pose = sim->robots[k].body.pose};
      if (slot < 0) {
        continue;
      }
      if (cell != FW_CELL_NONE) {  // a robot beside the centre of its cell would only be sent there
        report.pose.point = fw__map_frame_point(&sim->frame, cell);
      }
      if (fw_controller_report_pose(&fresh, slot, &report, clock_now(sim), &error) != FW_RET_OK) {
        break;
      }
      const int32_t real =
        leader(sim) == NULL ? -1 : fw_controller_find_robot(&leader(sim)->controller, sim->robots[k].name);
      const uint64_t id =
        real < 0 ? 0 : fw_controller_robot_status(&leader(sim)->controller, real, clock_now(sim)).goal;
      const client_goal_t * goal = id == 0 ? NULL : find_client_goal(sim, id);
      if (
        goal != NULL && step == 0 &&
        fw_controller_request_goal(&fresh, slot, &goal->request, clock_now(sim), NULL, &error) != FW_RET_OK) {
        break;
      }
    }
    (void)fw_controller_update(&fresh, clock_now(sim));
    sim->clock_ns += 100 * MS_NS;
  }
  const fw_controller_status_t found = fw_controller_status(&fresh, clock_now(sim));
  sim->is_proved = sim->stage == STAGE_SEARCH && found.rounds > 0 && found.outcome == FW_OUTCOME_UNSOLVABLE &&
                   fw_planner_def_find(sim->settings.planner.name)->is_complete;
  sim->has_searched = found.rounds > 0 && found.stop == FW_STOP_DONE;
  sim->leads_out = false;
  double seconds = found.outcome == FW_OUTCOME_SOLVED && found.rounds > 0 ? 0.0 : -1.0;
  if (seconds < 0.0) {
    trace(sim, "a fresh controller finds no plan: outcome %d, stop %d", (int)found.outcome, (int)found.stop);
  }
  for (int32_t k = 0; seconds >= 0.0 && k < fw_controller_robot_count(&fresh); ++k) {
    const fw_controller_robot_status_t status = fw_controller_robot_status(&fresh, k, clock_now(sim));
    const fw_controller_path_t path = fw_controller_timed_path(&fresh, k);
    const bool is_approaching = fresh.impl->fleet.robots[k].old_release.is_there;  // the exact pose of its goal
    const bool has_plan = status.fault == FW_FAULT_NONE && (path.count > 0 || is_approaching);
    if (!has_plan) {
      trace(sim, "a fresh controller has no plan for %s: %s", status.name, status.fault_text);
    }
    sim->leads_out = sim->leads_out || leads_out(sim, status.name, path);
    if (!has_plan) {
      seconds = -1.0;
    } else if (path.count > 0) {
      seconds = fmax(seconds, (double)(path.waypoints[path.count - 1].stamp_ns - clock_now(sim)) * 1e-9);
    }
  }
  sim->clock_ns = clock_ns;
  fw_controller_fini(&fresh);
  return seconds;
}

// Is there a robot whose plan was not found within the planner's budget?
static bool lacks_budget(sim_t * sim)
{
  const sim_controller_t * controller = leader(sim);
  for (int32_t k = 0; controller != NULL && k < fw_controller_robot_count(&controller->controller); ++k) {
    if (fw_controller_robot_status(&controller->controller, k, clock_now(sim)).fault == FW_FAULT_TIMEOUT) {
      return true;
    }
  }
  return false;
}

// What the robots do, for a person who looks at a failure.
static void trace_robots(sim_t * sim)
{
  static const char * const states[] = {"waits to be sent", "was not answered", "is accepted", "has ended"};
  for (int32_t k = 0; k < sim->robot_count && leader(sim) != NULL; ++k) {
    const fw_controller_t * controller = &leader(sim)->controller;
    const int32_t slot = fw_controller_find_robot(controller, sim->robots[k].name);
    if (slot < 0) {
      continue;
    }
    const fw_controller_robot_status_t status = fw_controller_robot_status(controller, slot, clock_now(sim));
    const fw_pose_t pose = sim->robots[k].body.pose;
    trace(
      sim, "r%d at (%.3f, %.3f, %.2f)%s, seen at (%.3f, %.3f): %s, %s, %d %d %d %d, wait %d for %d, goal %llu, %s", k,
      pose.point.x, pose.point.y, pose.yaw, sim->robots[k].body.has_strayed ? " strayed" : "", status.pose.point.x,
      status.pose.point.y, fw_robot_state_name(status.state), fw_execution_state_name(status.execution.state),
      status.execution.reached, status.execution.stop_at, status.execution.released, status.execution.end,
      (int)status.execution.wait, status.execution.other, (unsigned long long)status.goal, status.fault_text);
    const fw_path_robot_t * body = &sim->robots[k].body;
    if (body->count > 0) {
      trace(
        sim, "  holds %d poses, is at %d + %.2f, end (%.2f, %.2f)", body->count, body->leg, body->share,
        body->path[body->count - 1].point.x, body->path[body->count - 1].point.y);
    }
  }
  for (int32_t k = 0; k < sim->goal_count; ++k) {
    const client_goal_t * goal = &sim->goals[k];
    if (goal->state != CLIENT_DONE) {
      trace(
        sim, "goal %llu of r%d at (%.2f, %.2f) %s", (unsigned long long)goal->id, goal->robot,
        goal->request.pose.point.x, goal->request.pose.point.y, states[goal->state]);
    }
  }
}

static fw_offset_t cell_offset(const sim_t * sim, fw_cell_t cell)
{
  return (fw_offset_t){cell % sim->frame.width, cell / sim->frame.width};
}

// Do the areas let a body move between two places beside each other? Out of a keepout it may drive anywhere.
static bool areas_allow(const sim_t * sim, const fw_path_robot_t * from, const fw_path_robot_t * to)
{
  if (sim->areas.count == 0 || fw__world_areas_touch(&sim->areas, from)) {
    return true;
  }
  const fw_cell_t a = fw__map_frame_cell(&sim->frame, from->pose.point);
  const fw_cell_t b = fw__map_frame_cell(&sim->frame, to->pose.point);
  return !fw__world_areas_touch(&sim->areas, to) &&
         !fw__world_areas_forbid(&sim->areas, cell_offset(sim, a), cell_offset(sim, b));
}

// Could the robot get there if it were alone? Its body may have any heading in each cell, and corners may be cut: if
// even that does not help, there is no way.
static bool is_reachable_alone(const sim_t * sim, const sim_robot_t * robot, fw_cell_t goal)
{
  const int32_t width = sim->frame.width, height = sim->frame.height;
  bool is_seen[SIDE_MAX * SIDE_MAX] = {false};
  int32_t queue[SIDE_MAX * SIDE_MAX];
  int32_t count = 0;
  const fw_cell_t start = fw__map_frame_cell(&sim->frame, robot->body.pose.point);
  if (start == FW_CELL_NONE || goal == FW_CELL_NONE) {
    return false;
  }
  queue[count++] = start;
  is_seen[start] = true;
  for (int32_t k = 0; k < count && !is_seen[goal]; ++k) {
    fw_path_robot_t here = robot->body;
    here.pose.point = fw__map_frame_point(&sim->frame, queue[k]);
    for (int32_t d = 0; d < 9; ++d) {
      const int32_t dx = d % 3 - 1, dy = d / 3 - 1, x = queue[k] % width + dx, y = queue[k] / width + dy;
      const bool is_move = sim->settings.connectivity == 8 || dx == 0 || dy == 0;
      if (!is_move || x < 0 || y < 0 || x >= width || y >= height || is_seen[y * width + x]) {
        continue;
      }
      bool fits = false;
      for (int32_t turn = 0; turn < (robot->body.has_heading ? 8 : 1) && !fits; ++turn) {
        fw_path_robot_t there = robot->body;
        there.pose = (fw_pose_t){
          fw__map_frame_point(&sim->frame, y * width + x), robot->body.pose.yaw + turn * 0.7853981633974483};
        fits = areas_allow(sim, &here, &there);
        for (int32_t c = 0; c < there.cell_count; ++c) {
          fits = fits && is_cell_free(sim, fw__path_robot_disc(&there, c));
        }
      }
      if (fits) {
        is_seen[y * width + x] = true;
        queue[count++] = y * width + x;
      }
    }
  }
  return is_seen[goal];
}

// Does another robot stand there without a goal? It may be moved aside, but returns: the goal is taken.
static bool is_taken(sim_t * sim, const client_goal_t * goal)
{
  const fw_cell_t cell = fw__map_frame_cell(&sim->frame, goal->request.pose.point);
  if (cell == FW_CELL_NONE || leader(sim) == NULL) {
    return false;
  }
  fw_path_robot_t there = sim->robots[goal->robot].body;
  there.pose.point = fw__map_frame_point(&sim->frame, cell);
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    const int32_t slot = fw_controller_find_robot(&leader(sim)->controller, sim->robots[k].name);
    if (k == goal->robot || !sim->robots[k].is_present || slot < 0) {
      continue;
    }
    const bool is_idle = fw_controller_robot_status(&leader(sim)->controller, slot, clock_now(sim)).goal == 0;
    if (is_idle && fw__path_robot_distance(&there, &sim->robots[k].body) < 0.99 * CELL) {
      return true;
    }
  }
  return false;
}

static bool can_be_reached(sim_t * sim, const client_goal_t * goal)
{
  const fw_cell_t cell = fw__map_frame_cell(&sim->frame, goal->request.pose.point);
  if (!is_reachable_alone(sim, &sim->robots[goal->robot], cell) || is_taken(sim, goal)) {
    return false;
  }
  const fw_offset_t at = cell_offset(sim, cell);
  return (fw__world_areas_rules(&sim->areas, at.dx, at.dy) & FW_RULE_NO_WAITING) == 0 &&
         !fw__world_areas_keep_out(&sim->areas, at.dx, at.dy);
}

// Is every goal that is left taken, or one that its robot cannot reach even if it were alone?
static bool is_hopeless(sim_t * sim)
{
  for (int32_t k = 0; k < sim->goal_count; ++k) {
    if (sim->goals[k].state != CLIENT_DONE && can_be_reached(sim, &sim->goals[k])) {
      return false;
    }
  }
  return true;
}

// People give up all goals but one, and with them the places where robots are to stay.
static void give_up_goals(sim_t * sim)
{
  sim_controller_t * controller = leader(sim);
  const client_goal_t * kept = NULL;
  for (int32_t k = 0; controller != NULL && k < sim->goal_count; ++k) {
    client_goal_t * goal = &sim->goals[k];
    fw_error_t error = {0};
    if (goal->state == CLIENT_DONE) {
      continue;
    }
    if (kept == NULL && goal->state == CLIENT_ACCEPTED && can_be_reached(sim, goal)) {
      kept = goal;
    } else if (goal->state == CLIENT_ACCEPTED) {
      (void)!fw_controller_cancel_goal(&controller->controller, goal->id, clock_now(sim), &error);
    } else {
      goal->state = CLIENT_DONE;
    }
  }
  for (int32_t k = 0; controller != NULL && k < sim->robot_count; ++k) {
    const int32_t slot = fw_controller_find_robot(&controller->controller, sim->robots[k].name);
    if (slot >= 0 && (kept == NULL || kept->robot != k)) {
      fw_controller_cancel_goals(&controller->controller, slot, clock_now(sim));
    }
  }
}

// People take away all robots without a goal.
static void take_others_away(sim_t * sim)
{
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    bool has_one = false;
    for (int32_t g = 0; g < sim->goal_count; ++g) {
      has_one = has_one || (sim->goals[g].robot == k && sim->goals[g].state != CLIENT_DONE);
    }
    if (!has_one && sim->robots[k].is_present) {
      sim->robots[k].is_present = false;
      fw__release_queue_fini(&sim->robots[k].releases);
    }
  }
  each_controller(sim, send_robots);
}

// Does the search of is_reachable_alone know exactly where the robot can drive?
static bool is_plain(const sim_t * sim, const sim_robot_t * robot)
{
  return sim->settings.connectivity == 4 && robot->body.cell_count == 1;
}

// The last stage is over without a plan. A robot of one cell that is alone must find one: the goal is reachable.
static void judge_alone(sim_t * sim)
{
  for (int32_t k = 0; k < sim->goal_count; ++k) {
    const client_goal_t * goal = &sim->goals[k];
    if (goal->state != CLIENT_DONE && can_be_reached(sim, goal) && is_plain(sim, &sim->robots[goal->robot])) {
      fw__controller_invariants_fail(
        &sim->invariants, "robot %d is alone, and there is no plan to its goal, which is reachable", goal->robot);
    }
    const bool is_plain_one = is_plain(sim, &sim->robots[goal->robot]);
    sim->is_proved = sim->is_proved || (goal->state != CLIENT_DONE && !is_plain_one && sim->has_searched);
  }
}

// The planner of the seed has found no plan for all robots within its budget for a while. Another one may, with more;
// and if not, one goal alone is easier, or without other robots in the way.
static bool begin_stage(sim_t * sim, int32_t stage)
{
  sim->stage = stage;
  sim->stage_ns = sim->now_ns;
  sim->judged_ns = 0;
  sim->judge_tries = 0;
  sim->next_judge_ns = sim->now_ns + SECOND_NS;
  trace(sim, "stage %d of the quiet phase", stage);
  if (stage == STAGE_COUNT) {
    judge_alone(sim);
  }
  if (stage == STAGE_COUNT || is_hopeless(sim)) {
    return false;
  }
  const char * complete = has_rules(sim) ? "od_id" : "lazy_sat";
  const bool searches = stage == STAGE_SEARCH && (!sim->can_move_otherwise || knows_bodies(complete));
  choose_planner(sim, searches ? complete : "hca");
  sim->settings.expansions_max = stage == STAGE_BUDGET ? 30000 : 100000;
  each_controller(sim, send_settings);
  if (stage == STAGE_ONE) {
    give_up_goals(sim);
  }
  if (stage == STAGE_ALONE) {
    take_others_away(sim);
  }
  return true;
}

// False if the run is over: a goal should have been reached, or nothing more can be said.
static bool judge_progress(sim_t * sim)
{
  const fw_controller_simulation_result_t * result = sim->result;
  if (sim->judged_ns != 0 && result->goals_reached > sim->reached_when_judged) {
    sim->judged_ns = 0;
    sim->next_judge_ns = sim->now_ns;
    sim->judge_tries = 0;
  }
  const double since = (double)(sim->now_ns - sim->judged_ns) * 1e-9;
  if (sim->judged_ns != 0 && since > PROGRESS_SECONDS + PROGRESS_FACTOR * sim->plan_seconds) {
    if (lacks_budget(sim) && sim->stage < STAGE_COUNT - 1) {
      return begin_stage(sim, sim->stage + 1);
    }
    if (plan_afresh(sim) >= 0.0) {
      fw__controller_invariants_fail(
        &sim->invariants, "no goal was reached for %.0f s of quiet, where a fresh plan takes %.0f s; %d goals are left",
        since, sim->plan_seconds, goals_left(sim));
      return false;
    }
    sim->judged_ns = 0;
  }
  bool is_waiting = false;  // a goal that was not sent yet is not in the fresh plan
  for (int32_t k = 0; k < sim->goal_count; ++k) {
    is_waiting = is_waiting || sim->goals[k].state == CLIENT_WAITING || sim->goals[k].state == CLIENT_UNSURE;
  }
  if (sim->judged_ns == 0 && sim->now_ns >= sim->next_judge_ns && !is_waiting) {
    sim->next_judge_ns = sim->now_ns + 3 * SECOND_NS;
    sim->plan_seconds = plan_afresh(sim);
    sim->judge_tries += 1;
    if (sim->plan_seconds >= 0.0) {
      sim->judged_ns = sim->now_ns;
      sim->reached_when_judged = result->goals_reached;
    }
  }
  return sim->judged_ns != 0 || sim->judge_tries <= TRIES_PER_STAGE || begin_stage(sim, sim->stage + 1);
}

// ---- a run

static void make_settings(sim_t * sim)
{
  static const double ahead[] = {0.0, 0.5, 1.0, 2.0, 5.0};
  fw_controller_settings_t settings = fw_controller_settings_default();
  settings.planning_resolution = CELL;
  settings.connectivity = below(sim, 3) == 0 ? 8 : 4;
  settings.robust_ticks = below(sim, 5) == 0 ? 0 : 1 + below(sim, 2);
  settings.release_ahead = ahead[below(sim, 5)];
  settings.waypoint_tolerance = below(sim, 3) == 0 ? 0.02 + 0.01 * below(sim, 4) : 0.0;
  settings.odom_timeout = below(sim, 5) == 0 ? 2.0 : 1.0;
  settings.stopped_timeout = 3.0 + below(sim, 3);
  settings.horizon = 8 + below(sim, 10);
  settings.expansions_max = 1000 + 1000 * below(sim, 4);
  settings.poses_are_on_change = below(sim, 8) == 0;
  sim->settings = settings;
  choose_planner(sim, draw_planner(sim->options->seed)->name);
  sim->can_move_otherwise = below(sim, 2) == 0 && knows_bodies(sim->settings.planner.name);
  // Above 0.12 the controller lets diagonals cover the cells beside them, which not every planner knows.
  const bool has_diagonals = settings.connectivity == 8;
  sim->settings.robot_radius =
    (has_diagonals ? 0.10 : 0.12) + 0.01 * below(sim, has_diagonals && !sim->can_move_otherwise ? 3 : 9);
  sim->invariants.radius = sim->settings.robot_radius;
}

static void make_network(sim_t * sim)
{
  sim->network = (fw_network_options_t){
    .loss_percent = below(sim, 3) == 0 ? below(sim, 40) : 0,
    .repeat_percent = below(sim, 3) == 0 ? below(sim, 30) : 0,
    .pose_delay_ns = below(sim, 100) * MS_NS,
    .late_percent = below(sim, 4) == 0 ? below(sim, 10) : 0,
    .late_ns = 1000 * MS_NS,
    .release_delay_ns = below(sim, 300) * MS_NS,
  };
  if (sim->settings.poses_are_on_change) {  // then the last pose must arrive
    sim->network.loss_percent = 0;
    sim->network.late_percent = 0;
  }
}

// The caller's world: its grid, robots and goals. False with an error if a robot has too large a footprint.
static bool add_robots_of_problem(sim_t * sim, const fw_problem_t * problem, fw_error_t * error)
{
  for (int32_t k = 0; k < problem->robot_count; ++k) {
    const fw_robot_t * given = &problem->robots[k];
    sim_robot_t * robot = &sim->robots[sim->robot_count++];
    *robot = (sim_robot_t){.pace = 1.0, .is_present = true, .report_ns = 2 * STEP_NS};
    (void)snprintf(robot->name, sizeof robot->name, "r%d", k);
    if (given->footprint_count > FW_PATH_ROBOT_CELLS_MAX) {
      return fw__refuse(error, "the simulation has robots of up to %d cells", (int)FW_PATH_ROBOT_CELLS_MAX);
    }
    size_t at = 0;
    for (int32_t c = 0; c < given->footprint_count; ++c) {
      robot->body.cells[c] = given->footprint[c];
      at += (size_t)snprintf(
        robot->footprint + at, sizeof robot->footprint - at, "%s%d,%d", c == 0 ? "" : ";", given->footprint[c].dx,
        given->footprint[c].dy);
    }
    const int32_t ticks = given->ticks_per_move == 0 ? 1 : given->ticks_per_move;
    robot->body.cell_count = given->footprint_count > 0 ? given->footprint_count : 1;
    robot->body.has_heading = given->turn_ticks > 0;
    robot->body.cell_size = CELL;
    robot->body.give_up = 0.76 * CELL;
    robot->body.speed = sim->settings.speed * uniform(sim, 0.8, 1.25) / ticks;
    robot->body.turn_rate = 2.0;
    robot->body.pose = (fw_pose_t){
      fw__map_frame_point(&sim->frame, given->start), fw__map_frame_yaw(&sim->frame, (int32_t)given->heading)};
    robot->definition = (fw_controller_robot_t){
      .name = robot->name,
      .footprint = robot->footprint,
      .priority = given->priority,
      .ticks_per_move = ticks,
      .turn_ticks = given->turn_ticks,
      .sweeps_sides = given->sweeps_sides,
    };
    fw__controller_invariants_forget_release(&sim->invariants, k);
    sim->goals[sim->goal_count++] =
      (client_goal_t){.robot = k, .request.pose = {fw__map_frame_point(&sim->frame, given->goal), NAN}};
  }
  return true;
}

static bool make_world_of_problem(sim_t * sim, const fw_problem_t * problem, fw_error_t * error)
{
  sim->map_ratio = 1;
  sim->frame = (fw_map_frame_t){.resolution = CELL, .width = problem->grid->width, .height = problem->grid->height};
  for (int32_t k = 0; k < fw_grid_cell_count(problem->grid); ++k) {
    sim->is_free[k] = problem->grid->cost[k] != 0;
  }
  sim->areas.frame = sim->frame;
  if (!fw__world_areas_add_grid(&sim->areas, problem->grid)) {
    return fw__refuse(error, "the simulation has only rules of one-way and no-waiting areas");
  }
  sim->settings = fw_controller_settings_default();
  sim->settings.planning_resolution = CELL;
  sim->settings.connectivity = problem->connectivity == 8 ? 8 : 4;
  sim->settings.robust_ticks = problem->robust_ticks;
  sim->settings.robot_radius = sim->settings.connectivity == 8 ? 0.12 : 0.2;
  sim->settings.expansions_max = 1000000;
  choose_planner(sim, sim->options->planner);
  sim->can_move_otherwise = true;
  sim->invariants.radius = sim->settings.robot_radius;
  return add_robots_of_problem(sim, problem, error);
}

// One world of three has areas.
static void make_areas(sim_t * sim)
{
  if (sim->options->has_no_areas || fw__rng_below(&sim->area_rng, 3) != 0) {
    return;
  }
  sim->areas.frame = sim->frame;
  sim->keepout_permille = 2 + fw__rng_below(&sim->area_rng, 20);
  const bool knows_rules = fw_planner_def_find(sim->settings.planner.name)->has_rules;
  fw__world_areas_add_random(&sim->areas, &sim->area_rng, knows_rules);
}

static void make_random_world(sim_t * sim)
{
  make_map(sim);
  make_settings(sim);
  make_network(sim);
  // Swarm testing: each seed has some kinds of faults, so that no kind hides what others show.
  sim->faults = (uint32_t)fw__rng_next(&sim->rng);
  sim->faults &= below(sim, 2) == 0 ? (uint32_t)fw__rng_next(&sim->rng) : ~UINT32_C(0);
  sim->faults = below(sim, 10) == 0 ? 0 : sim->faults;
  sim->has_journal = below(sim, 5) != 0;
  sim->journal_sync = (fw_controller_sync_t)below(sim, 3);
  sim->fault_permille = 5 + below(sim, 40);
  sim->goal_permille = 10 + below(sim, 60);
  sim->has_exact_goals = below(sim, 2) == 0;
  const int32_t wanted = 2 + below(sim, 9);
  for (int32_t k = 0; k < wanted; ++k) {
    (void)add_robot(sim);
  }
  make_areas(sim);
}

// False with an error if the caller's world is not supported.
static bool make_world(sim_t * sim, fw_error_t * error)
{
  const fw_problem_t * problem = sim->options->problem;
  sim->clock_ns = 1000 * SECOND_NS;
  sim->invariants.nearest = INFINITY;
  if (problem == NULL) {
    make_random_world(sim);
  } else {
    if (!make_world_of_problem(sim, problem, error)) {
      return false;
    }
    make_network(sim);
    sim->faults = (uint32_t)fw__rng_next(&sim->rng);
    sim->has_journal = below(sim, 5) != 0;
    sim->journal_sync = (fw_controller_sync_t)below(sim, 3);
    sim->fault_permille = 5 + below(sim, 20);
  }
  sim->faults = sim->options->has_no_faults ? 0 : sim->faults;
  return true;
}

// The grid for the observer; it belongs to the simulation.
static void observe_world(sim_t * sim)
{
  const fw_simulation_observer_t * observer = sim->options->observer;
  if (observer == NULL) {
    return;
  }
  for (int32_t k = 0; k < sim->frame.width * sim->frame.height; ++k) {
    const int32_t x = k % sim->frame.width, y = k / sim->frame.width;
    sim->cost[k] = (uint8_t)(sim->is_free[k] ? fw__world_areas_cost(&sim->areas, x, y) : 0);
    sim->rules[k] = fw__world_areas_rules(&sim->areas, x, y);
  }
  sim->grid =
    (fw_grid_t){.width = sim->frame.width, .height = sim->frame.height, .cost = sim->cost, .rules = sim->rules};
  observer->on_world(observer->context, &sim->grid, sim->invariants.radius / CELL);
}

// A robot that obeys does not begin to drive into a keepout that has been there for a while. One that is on its way out
// and finds an obstacle before the next centre of a cell has nowhere to go but back.
static void check_keepout(sim_t * sim, int32_t index)
{
  sim_robot_t * robot = &sim->robots[index];
  const fw_cell_t cell = fw__map_frame_cell(&sim->frame, robot->body.pose.point);
  const fw_point_t at = robot->body.pose.point;
  const fw_point_t centre = cell == FW_CELL_NONE ? at : fw__map_frame_point(&sim->frame, cell);
  const bool was_kept_in = robot->is_kept_in;
  robot->is_kept_in = robot->is_present && fw__world_areas_touch(&sim->areas, &robot->body);
  const int64_t since_ns = sim->keepout_ns > sim->leading_ns ? sim->keepout_ns : sim->leading_ns;
  const bool is_late = robot->centred_ns > since_ns + KEEPOUT_NS && robot->centred_ns > robot->strayed_ns + KEEPOUT_NS;
  const bool is_heard = sim->now_ns > robot->silent_until_ns + KEEPOUT_NS && leader(sim) != NULL;
  const bool begins = robot->is_kept_in && !was_kept_in && !robot->is_leaving;
  if (begins && is_late && is_heard && !robot->body.has_strayed) {
    fw__controller_invariants_fail(
      &sim->invariants, "robot %d drives into a keepout at (%.3f, %.3f), and obeyed", index, at.x, at.y);
  }
  if (hypot(centre.x - at.x, centre.y - at.y) < 0.05 * CELL) {
    robot->centred_ns = sim->now_ns;
    robot->is_leaving = robot->is_kept_in;
  }
}

static void check_world(sim_t * sim)
{
  const fw_path_robot_t * bodies[ROBOTS_MAX];
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    const fw_path_robot_t * body = &sim->robots[k].body;
    bodies[k] = sim->robots[k].is_present ? body : NULL;
  }
  fw__controller_invariants_check_overlaps(&sim->invariants, bodies, sim->robot_count);
  for (int32_t k = 0; sim->areas.count > 0 && k < sim->robot_count; ++k) {
    check_keepout(sim, k);
  }
}

// Is a robot left in a keepout, although it could leave and a fresh controller has a plan for it?
static bool is_left_inside(sim_t * sim)
{
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    const sim_robot_t * robot = &sim->robots[k];
    if (sim->areas.count > 0 && robot->is_present && fw__world_areas_touch(&sim->areas, &robot->body)) {
      return true;
    }
  }
  return false;
}

// Robots without a goal leave keepouts as well, if a fresh controller would lead them out: where there is no room for
// them they stay. False if the run is over.
static bool judge_leaving(sim_t * sim, int64_t quiet_ns)
{
  if (quiet_ns < (int64_t)(LEAVE_SECONDS * 1e9)) {
    return true;
  }
  if (!lacks_budget(sim) && plan_afresh(sim) >= 0.0 && sim->leads_out) {
    fw__controller_invariants_fail(
      &sim->invariants, "a robot is still in a keepout after %.0f s of quiet", LEAVE_SECONDS);
  }
  return false;
}

// One step of the world. False if the run is over.
static bool step(sim_t * sim, int64_t fault_end_ns)
{
  sim->now_ns += STEP_NS;
  if (!sim->is_quiet) {
    inject_random(sim);
    change_keepout(sim);
    if (below(sim, 1000) < sim->goal_permille) {
      add_goal(sim);
    }
    if (sim->now_ns >= fault_end_ns) {
      begin_quiet(sim);
    }
  }
  end_faults(sim);
  for (int32_t k = 0; k < CONTROLLERS; ++k) {
    const bool is_late = !sim->is_quiet && below(sim, 20) == 0;  // the process is busy
    if (sim->controllers[k].is_running && !sim->controllers[k].disk->is_stopped && !is_late) {
      update_controller(sim, k);
    }
  }
  drive_robots(sim);
  check_world(sim);
  if (sim->is_quiet) {
    const int64_t quiet_ns = sim->now_ns - fault_end_ns;
    // A planner that plans window by window may repeat windows for ever.
    const bool goes_on = fw_planner_def_find(sim->settings.planner.name)->goes_on;
    if (quiet_ns >= (int64_t)(QUIET_SECONDS_MAX * 1e9)) {
      return false;
    }
    if (goals_left(sim) == 0) {
      return is_left_inside(sim) && judge_leaving(sim, quiet_ns);
    }
    return goes_on ? quiet_ns <= 30 * SECOND_NS || begin_stage(sim, STAGE_BUDGET) : judge_progress(sim);
  }
  return true;
}

// The map and its areas, for a person who looks at a failure.
static void trace_world(const sim_t * sim)
{
  for (int32_t y = 0; y < sim->frame.height; ++y) {
    char row[SIDE_MAX + 1] = {0};
    for (int32_t x = 0; x < sim->frame.width; ++x) {
      row[x] = sim->is_free[y * sim->frame.width + x] ? '.' : '#';
    }
    trace(sim, "%s", row);
  }
  for (int32_t k = 0; k < sim->areas.count; ++k) {
    const fw_world_area_t * area = &sim->areas.items[k];
    trace(
      sim, "area %s: %d x %d cells at cell (%d, %d), direction %d/16, cost %d", fw_area_kind_name(area->kind),
      area->width, area->height, area->x, area->y, area->direction, area->cost);
  }
}

// False with an error if the world is not supported.
static bool run(sim_t * sim, fw_error_t * error)
{
  const double fault_seconds = sim->options->fault_seconds > 0.0 ? sim->options->fault_seconds : 60.0;
  const int64_t fault_end_ns = (int64_t)(fault_seconds * 1e9);
  if (!make_world(sim, error)) {
    return false;
  }
  observe_world(sim);
  trace(
    sim, "seed %llu: %d x %d cells, %d robots, planner %s, connectivity %d, robust_ticks %d",
    (unsigned long long)sim->options->seed, sim->frame.width, sim->frame.height, sim->robot_count,
    sim->settings.planner.name, sim->settings.connectivity, sim->settings.robust_ticks);
  trace_world(sim);
  (void)snprintf(sim->result->planner, sizeof sim->result->planner, "%s", sim->settings.planner.name);
  if (sim->robot_count == 0) {
    return true;
  }
  start_controller(sim, 0);
  begin_leading(sim, 0);
  while (sim->invariants.failure[0] == '\0' && !sim->has_failed && step(sim, fault_end_ns)) {}
  return true;
}

fw_ret_t fw__controller_simulation_run(
  const fw_controller_simulation_options_t * options, fw_controller_simulation_result_t * result, fw_error_t * error)
{
  const fw_problem_t * problem = options->problem;
  *result = (fw_controller_simulation_result_t){.hash = UINT64_C(0xcbf29ce484222325)};
  if (
    problem != NULL &&
    (problem->robot_count > ROBOTS_MAX || problem->grid->width > SIDE_MAX || problem->grid->height > SIDE_MAX)) {
    return fw__error(
      error, FW_RET_UNSUPPORTED, "the simulation has room for %d robots and %d x %d cells, not %d and %d x %d",
      ROBOTS_MAX, SIDE_MAX, SIDE_MAX, problem->robot_count, problem->grid->width, problem->grid->height);
  }
  if (
    problem != NULL && fw_grid_has_rules(problem->grid) && fw_planner_def_find(options->planner) != NULL &&
    !fw_planner_def_find(options->planner)->has_rules) {
    return fw__error(
      error, FW_RET_UNSUPPORTED, "planner %s does not support one-way or no-waiting areas; hca and whca do",
      options->planner);
  }
  sim_t * sim = calloc(1, sizeof *sim);
  if (sim == NULL) {
    return fw__error_memory(error);
  }
  sim->options = options;
  sim->result = result;
  sim->rng = fw__rng(options->seed * UINT64_C(0x9e3779b97f4a7c15) + 12345);
  sim->area_rng = fw__rng(options->seed * UINT64_C(0xd1342543de82ef95) + 67890);
  for (int32_t k = 0; k < CONTROLLERS; ++k) {
    sim->controllers[k].disk = fw__memory_disk_new();
  }
  const bool is_supported = run(sim, error);
  result->robots = sim->robot_count;
  result->areas = sim->areas.count;
  result->heap_failures = sim->heap_failures;
  result->seconds = (double)sim->now_ns * 1e-9;
  result->nearest = sim->invariants.nearest;
  result->goals_left = goals_left(sim);
  result->has_judged_progress = result->goals_left == 0 || sim->judged_ns != 0 || is_hopeless(sim) || sim->is_proved;
  if (sim->invariants.failure[0] != '\0') {
    (void)snprintf(
      result->failure, sizeof result->failure, "seed %llu, at %.2f s: %s", (unsigned long long)options->seed,
      result->seconds, sim->invariants.failure);
    trace_robots(sim);
    trace(sim, "FAILED: %s", sim->invariants.failure);
  }
  const bool has_failed = sim->has_failed || sim->areas.has_failed;
  for (int32_t k = 0; k < CONTROLLERS; ++k) {
    if (sim->controllers[k].is_running) {
      fw_controller_fini(&sim->controllers[k].controller);
    }
    fw__memory_disk_delete(sim->controllers[k].disk);
  }
  for (int32_t k = 0; k < sim->robot_count; ++k) {
    fw__release_queue_fini(&sim->robots[k].releases);
  }
  fw__world_areas_fini(&sim->areas);
  free(sim);
  if (!is_supported) {
    return FW_RET_UNSUPPORTED;
  }
  return has_failed ? fw__error_memory(error) : FW_RET_OK;
}
