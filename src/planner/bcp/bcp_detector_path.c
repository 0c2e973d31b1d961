// Paths in the CollisionDetector: the cells, edges and corners that a robot takes on its way, tick by tick.

#include "planner/bcp/bcp_detector.h"

enum { CELL_BITS = 28 };

typedef enum kind_t { KIND_CELL, KIND_EDGE, KIND_CORNER } kind_t;

// Cells have 28 bits, corners 29.
static uint64_t name_place(kind_t kind, int64_t a, int64_t b)
{
  return (uint64_t)kind << 60 | (uint64_t)b << (CELL_BITS + 1) | (uint64_t)a;
}

static uint64_t name_edge(fw_cell_t a, fw_cell_t b)
{
  return a < b ? name_place(KIND_EDGE, a, b) : name_place(KIND_EDGE, b, a);
}

// A robot at a place from tick to tick, for its own cell `at`.
typedef struct stay_t {
  int32_t robot;
  uint64_t place;
  fw_cell_t at;
  fw_tick_t from;
  fw_tick_t to;
} stay_t;

// `robust` ticks more as a trace. A motion that is under way at tick 0 has begun before.
static bool put_stay(fw_bcp_detector_t * detector, stay_t stay, int32_t robust)
{
  const fw_tick_t end = stay.to < detector->known - robust ? stay.to + robust : detector->known;
  fw_bcp_entry_t entry = {.robot = stay.robot, .at = stay.at};
  for (fw_tick_t tick = stay.from > 0 ? stay.from : 0; tick <= end; ++tick) {
    entry.tick = tick;
    entry.is_trace = tick > stay.to;
    if (!fw__bcp_detector_put(detector, stay.place, entry)) {
      return false;
    }
  }
  return true;
}

static bool put_cell(fw_bcp_detector_t * detector, stay_t stay, fw_cell_t cell)
{
  stay.place = name_place(KIND_CELL, cell, 0);
  return put_stay(detector, stay, detector->bodies->problem->robust_ticks);
}

static bool put_first(fw_bcp_detector_t * detector, stay_t stay, fw_footprint_t footprint)
{
  const int32_t width = detector->bodies->problem->grid->width;
  for (int32_t i = 0; i < footprint.count; ++i) {
    if (!put_cell(detector, stay, stay.at + footprint.cells[i].dy * width + footprint.cells[i].dx)) {
      return false;
    }
  }
  return true;
}

// A motion on its way: from pose to pose, departing at a tick.
typedef struct leg_t {
  int32_t robot;
  const fw_body_t * body;
  const fw_motion_t * motion;
  fw_grid_pose_t from;
  fw_grid_pose_t to;
  fw_tick_t depart;
  fw_tick_t stands_to;  // after it, until the next departure
} leg_t;

static bool put_sweeps(fw_bcp_detector_t * detector, const leg_t * leg)
{
  const int32_t width = detector->bodies->problem->grid->width;
  for (int32_t i = 0; i < leg->motion->sweep_count; ++i) {
    const fw_swept_cell_t * sweep = &leg->motion->sweeps[i];
    const bool is_end = i < leg->body->footprints[leg->to.heading].count;
    const stay_t stay = {
      .robot = leg->robot,
      .at = leg->to.cell,
      .from = leg->depart + sweep->from,
      .to = is_end ? leg->stands_to : leg->depart + sweep->to,
    };
    if (!put_cell(detector, stay, leg->from.cell + sweep->dy * width + sweep->dx)) {
      return false;
    }
  }
  return true;
}

// Slower motions that swap are two robots on one cell already.
static bool put_edges(fw_bcp_detector_t * detector, const leg_t * leg)
{
  const int32_t width = detector->bodies->problem->grid->width;
  const fw_footprint_t left = leg->body->footprints[leg->from.heading];
  const fw_footprint_t entered = leg->body->footprints[leg->to.heading];
  stay_t stay = {.robot = leg->robot, .at = leg->to.cell, .from = leg->depart + 1, .to = leg->depart + 1};
  for (int32_t i = 0; i < left.count; ++i) {
    const fw_cell_t a = leg->from.cell + left.cells[i].dy * width + left.cells[i].dx;
    for (int32_t j = 0; j < entered.count; ++j) {
      const fw_cell_t b = leg->to.cell + entered.cells[j].dy * width + entered.cells[j].dx;
      stay.place = name_edge(a, b);
      if (a != b && !put_stay(detector, stay, 0)) {
        return false;
      }
    }
  }
  return true;
}

// A diagonal goes through the corner that its four cells share, for each cell of the footprint.
static bool put_corners(fw_bcp_detector_t * detector, const leg_t * leg)
{
  const fw_grid_t * grid = detector->bodies->problem->grid;
  const fw_footprint_t footprint = leg->body->footprints[leg->from.heading];
  stay_t stay = {
    .robot = leg->robot,
    .at = leg->to.cell,
    .from = leg->depart > 0 ? leg->depart + 1 : 1,
    .to = leg->depart + leg->motion->ticks,
  };
  for (int32_t i = 0; i < footprint.count; ++i) {
    const int32_t x = fw_grid_x(grid, leg->from.cell) + footprint.cells[i].dx + (leg->motion->dx > 0);
    const int32_t y = fw_grid_y(grid, leg->from.cell) + footprint.cells[i].dy + (leg->motion->dy > 0);
    stay.place = name_place(KIND_CORNER, (int64_t)y * (grid->width + 1) + x, 0);
    if (!put_stay(detector, stay, 0)) {
      return false;
    }
  }
  return true;
}

static bool put_leg(fw_bcp_detector_t * detector, const leg_t * leg)
{
  const bool can_swap = leg->motion->ticks == 1;
  const bool is_diagonal = leg->motion->dx != 0 && leg->motion->dy != 0;
  return put_sweeps(detector, leg) && (!can_swap || put_edges(detector, leg)) &&
         (!is_diagonal || put_corners(detector, leg));
}

bool fw__bcp_detector_set(fw_bcp_detector_t * detector, int32_t robot, const fw_path_t * path)
{
  fw__bcp_detector_remove(detector, robot);
  const fw_body_t * body = detector->bodies->of[robot];
  for (int32_t at = 0, next; at < path->length; at = next) {
    for (next = at + 1; next < path->length && !fw__path_arrives(path, next); ++next) {}
    const fw_tick_t stands_to = next == path->length ? FW_TICK_MAX : next - fw__path_motion_ticks(path, next, body);
    const fw_grid_pose_t here = fw__path_pose(path, at);
    if (at == 0) {
      const stay_t stay = {.robot = robot, .at = here.cell, .to = stands_to};
      if (!put_first(detector, stay, body->footprints[here.heading])) {
        return false;
      }
      continue;
    }
    const fw_grid_pose_t before = fw__path_pose(path, at - 1);
    const fw_motion_t * motion = fw__body_motion(body, detector->bodies->problem->grid, before, here);
    const leg_t leg = {robot, body, motion, before, here, at - motion->ticks, stands_to};
    if (!put_leg(detector, &leg)) {
      return false;
    }
  }
  return true;
}
