// Reading polygons, and the cells that they cover. See metres.h.

#include "controller/metres.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/heap.h"
#include "world/footprint.h"

static const double EIGHTH_TURN = 0.78539816339744831;
// A turn is followed in steps of at least this way: a hull that reaches into a cell for less is not noticed.
static const double SWEEP_CELLS = 0.001;
// A robot that needs this much less than a whole number of ticks more is not charged another one: 0.7 / 0.1 is
// 6.999..., and 0.6 / 0.2 is 3.000...
static const double TICK_SHARE = 1e-6;

// ---- reading

static bool is_digit(char sign) { return sign >= '0' && sign <= '9'; }

// [sign] digits [. digits] [e exponent]. Not strtod, which reads by the locale of the program.
static bool read_number(const char ** cursor, double * value)
{
  const char * at = *cursor + strspn(*cursor, " \t\n");
  const bool is_negative = *at == '-';
  at += *at == '-' || *at == '+' ? 1 : 0;
  double digits = 0.0;
  int32_t places = 0, exponent = 0;
  bool any = false, is_behind_point = false;
  for (; is_digit(*at) || (*at == '.' && !is_behind_point); ++at) {
    is_behind_point = is_behind_point || *at == '.';
    if (*at != '.') {
      any = true;
      digits = 10.0 * digits + (double)(*at - '0');
      places += is_behind_point ? 1 : 0;
    }
  }
  if (any && (*at == 'e' || *at == 'E')) {
    const bool is_small = at[1] == '-';
    at += at[1] == '-' || at[1] == '+' ? 2 : 1;
    any = is_digit(*at);
    for (; is_digit(*at); ++at) {
      exponent = exponent < 1000 ? 10 * exponent + (*at - '0') : exponent;
    }
    exponent = is_small ? -exponent : exponent;
  }
  const int32_t power = exponent - places;
  const double magnitude = power < 0 ? digits / pow(10.0, -power) : digits * pow(10.0, power);
  *cursor = at;
  *value = is_negative ? -magnitude : magnitude;
  return any && isfinite(*value);
}

static bool skip(const char ** cursor, char sign)
{
  const char * at = *cursor + strspn(*cursor, " \t\n");
  const bool is_there = *at == sign;
  *cursor = is_there ? at + 1 : at;
  return is_there;
}

// "[[x, y], ...]"
static bool read_corners(fw_hull_t * hull, const char * text, fw_error_t * reason)
{
  const char * at = text;
  bool is_good = skip(&at, '[');
  for (bool has_more = is_good; has_more;) {
    fw_point_t corner;
    if (hull->count == FW_HULL_CORNERS_MAX) {
      return fw__refuse(reason, "footprint_m has more than %d corners", FW_HULL_CORNERS_MAX);
    }
    is_good =
      skip(&at, '[') && read_number(&at, &corner.x) && skip(&at, ',') && read_number(&at, &corner.y) && skip(&at, ']');
    has_more = is_good && skip(&at, ',');
    if (is_good && fmax(fabs(corner.x), fabs(corner.y)) > FW_HULL_METRES_MAX) {
      return fw__refuse(
        reason, "footprint_m: the corner (%g, %g) is farther than %g m from the robot's base", corner.x, corner.y,
        FW_HULL_METRES_MAX);
    }
    if (is_good) {
      hull->corners[hull->count++] = corner;
    }
  }
  is_good = is_good && skip(&at, ']');
  at += strspn(at, " \t\n");
  if (!is_good || *at != '\0') {
    return fw__refuse(
      reason, "footprint_m must be [[x, y], [x, y], ...] with finite numbers in metres, not '%.60s'", text);
  }
  return hull->count >= 3 ||
         fw__refuse(reason, "footprint_m has %d corners; it must have at least 3", (int)hull->count);
}

static double cross(fw_point_t a, fw_point_t b, fw_point_t c)
{
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static int compare_points(const void * one, const void * two)
{
  const fw_point_t *a = one, *b = two;
  const int by_x = (a->x > b->x) - (a->x < b->x);
  return by_x != 0 ? by_x : (a->y > b->y) - (a->y < b->y);
}

// Andrew's monotone chain: the lower side from left to right, then the upper one back.
static void take_hull(fw_hull_t * hull)
{
  fw_point_t points[FW_HULL_CORNERS_MAX];
  fw_point_t chain[2 * FW_HULL_CORNERS_MAX];
  const int32_t given = hull->count;
  int32_t count = 0;
  memcpy(points, hull->corners, sizeof points);
  qsort(points, (size_t)given, sizeof points[0], compare_points);
  for (int32_t pass = 0; pass < 2; ++pass) {
    const int32_t first = count;
    for (int32_t k = 0; k < given; ++k) {
      const fw_point_t point = points[pass == 0 ? k : given - 1 - k];
      while (count >= first + 2 && cross(chain[count - 2], chain[count - 1], point) <= 0.0) {
        --count;
      }
      chain[count++] = point;
    }
    --count;  // it begins the other side
  }
  hull->count = count;
  memcpy(hull->corners, chain, (size_t)(count > FW_HULL_CORNERS_MAX ? 0 : count) * sizeof chain[0]);
}

static bool check_hull(fw_hull_t * hull, fw_error_t * reason)
{
  double area = 0.0, outside = -INFINITY;
  for (int32_t k = 0; k < hull->count; ++k) {
    const fw_point_t a = hull->corners[k], b = hull->corners[(k + 1) % hull->count];
    area += 0.5 * (a.x * b.y - a.y * b.x);
    outside = fmax(outside, -cross(a, b, (fw_point_t){0}) / fmax(hypot(b.x - a.x, b.y - a.y), 1e-12));
    hull->radius = fmax(hull->radius, hypot(a.x, a.y));
  }
  if (hull->count < 3 || area < 1e-6) {
    return fw__refuse(reason, "footprint_m has no area: its corners lie on a line");
  }
  return outside <= 1e-6 ||
         fw__refuse(
           reason,
           "footprint_m does not contain the robot's base (0, 0): it is %g m outside; poses are those of the base",
           outside);
}

bool fw__hulls_get(fw_hulls_t * hulls, const char * text, fw_hull_t ** hull, fw_error_t * reason)
{
  for (*hull = hulls->first; *hull != NULL; *hull = (*hull)->next) {
    if (strcmp((*hull)->text, text) == 0) {
      return true;
    }
  }
  const size_t size = strlen(text) + 1;
  fw_hull_t * made = fw__calloc(1, sizeof *made + size);
  if (made == NULL) {
    return fw__refuse(reason, "out of memory");
  }
  memcpy(made->text, text, size);
  bool is_good = read_corners(made, text, reason);
  if (is_good) {
    take_hull(made);
    is_good = check_hull(made, reason);
  }
  if (!is_good) {
    free(made);
    return false;
  }
  made->next = hulls->first;
  hulls->first = made;
  *hull = made;
  return true;
}

void fw__hulls_fini(fw_hulls_t * hulls)
{
  for (fw_hull_t * hull = hulls->first; hull != NULL;) {
    fw_hull_t * next = hull->next;
    free(hull);
    hull = next;
  }
  *hulls = (fw_hulls_t){0};
}

// ---- distances

// From a point to a square of half side `half` around (0, 0).
static double point_distance(fw_point_t point, double half)
{
  return hypot(fmax(fabs(point.x) - half, 0.0), fmax(fabs(point.y) - half, 0.0));
}

// Whether a line meets that square: it is clipped by one pair of sides after the other.
static bool line_meets(fw_point_t a, fw_point_t b, double half)
{
  const double from[2] = {a.x, a.y}, by[2] = {b.x - a.x, b.y - a.y};
  double low = 0.0, high = 1.0;
  for (int32_t axis = 0; axis < 2; ++axis) {
    if (by[axis] == 0.0) {
      high = fabs(from[axis]) <= half ? high : -1.0;
      continue;
    }
    const double one = (-half - from[axis]) / by[axis], two = (half - from[axis]) / by[axis];
    low = fmax(low, fmin(one, two));
    high = fmin(high, fmax(one, two));
  }
  return low <= high;
}

double fw__hull_distance(const fw_hull_t * hull, fw_pose_t pose, fw_hull_square_t square)
{
  const double c = cos(pose.yaw), s = sin(pose.yaw);
  const double half = (0.5 - FW_HULL_TOUCH) * square.side;
  fw_point_t corners[FW_HULL_CORNERS_MAX];  // around the centre of the square
  bool contains_centre = true;
  double least = INFINITY;
  for (int32_t k = 0; k < hull->count; ++k) {
    const fw_point_t at = hull->corners[k];
    corners[k] = (fw_point_t){
      pose.point.x + c * at.x - s * at.y - square.centre.x, pose.point.y + s * at.x + c * at.y - square.centre.y};
  }
  for (int32_t k = 0; k < hull->count; ++k) {
    const fw_point_t a = corners[k], b = corners[(k + 1) % hull->count];
    contains_centre = contains_centre && cross(a, b, (fw_point_t){0}) >= 0.0;
    if (line_meets(a, b, half)) {
      return 0.0;
    }
    least = fmin(least, point_distance(a, half));
    for (int32_t corner = 0; corner < 4; ++corner) {
      const fw_point_t at = {corner % 2 == 0 ? -half : half, corner / 2 == 0 ? -half : half};
      least = fmin(least, fw__point_line_distance(at, a, b));
    }
  }
  return contains_centre ? 0.0 : least;
}

// ---- cells

enum { SIDE = 2 * FW_HULL_REACH_MAX + 1, CELLS_MAX = SIDE * SIDE };

// Cells around the robot's own one.
typedef struct cell_set_t {
  bool marks[CELLS_MAX];
} cell_set_t;

static bool * mark_of(cell_set_t * set, fw_offset_t cell)
{
  const bool is_inside = abs(cell.dx) <= FW_HULL_REACH_MAX && abs(cell.dy) <= FW_HULL_REACH_MAX;
  return is_inside ? &set->marks[(cell.dy + FW_HULL_REACH_MAX) * SIDE + cell.dx + FW_HULL_REACH_MAX] : NULL;
}

static fw_offset_t cell_at(int32_t index)
{
  return (fw_offset_t){index % SIDE - FW_HULL_REACH_MAX, index / SIDE - FW_HULL_REACH_MAX};
}

static void add_cell(void * context, fw_offset_t cell)
{
  bool * mark = mark_of(context, cell);
  if (mark != NULL) {
    *mark = true;
  }
}

static double distance_of(const fw_hull_t * hull, double resolution, fw_offset_t cell, double yaw)
{
  const fw_hull_square_t square = {{cell.dx * resolution, cell.dy * resolution}, resolution};
  return fw__hull_distance(hull, (fw_pose_t){.yaw = yaw}, square);
}

// Whether the hull touches a cell while it turns. No point of it moves farther than its radius times the turn, so that
// it can be turned by its distance from the cell before it can touch it (conservative advancement).
static bool touches_in_turn(const fw_hull_t * hull, double resolution, fw_offset_t cell, fw_turn_t turn)
{
  const double end = turn.to * EIGHTH_TURN;
  const double least = SWEEP_CELLS * resolution;
  for (double yaw = turn.from * EIGHTH_TURN; yaw < end;) {
    const double distance = distance_of(hull, resolution, cell, yaw);
    if (distance <= 0.0) {
      return true;
    }
    yaw += fmax(distance, least) / hull->radius;
  }
  return distance_of(hull, resolution, cell, end) <= 0.0;
}

// What a hull touches: standing at headings 0 and 1, and in turns from 0 to 1, 1 to 2, or 0 to 2.
typedef struct touched_t {
  cell_set_t heading[2];
  cell_set_t turns[2];
  fw_turn_t turn[2];
  int32_t turn_count;
} touched_t;

static void find_touched(touched_t * touched, const fw_hull_t * hull, const fw_body_scale_t * scale)
{
  const bool has_diagonals = scale->connectivity == 8;
  const int32_t reach = (int32_t)ceil(hull->radius / scale->resolution + scale->clearance) + 1;
  touched->turn_count = has_diagonals ? 2 : 1;
  touched->turn[0] = (fw_turn_t){0, has_diagonals ? 1 : 2};
  touched->turn[1] = (fw_turn_t){1, 2};
  for (int32_t k = 0; k < CELLS_MAX; ++k) {
    const fw_offset_t cell = cell_at(k);
    if (abs(cell.dx) > reach || abs(cell.dy) > reach) {
      continue;
    }
    touched->heading[0].marks[k] =
      distance_of(hull, scale->resolution, cell, 0.0) <= scale->clearance * scale->resolution;
    touched->heading[1].marks[k] = has_diagonals && distance_of(hull, scale->resolution, cell, EIGHTH_TURN) <= 0.0;
    for (int32_t turn = 0; turn < touched->turn_count; ++turn) {
      touched->turns[turn].marks[k] = touches_in_turn(hull, scale->resolution, cell, touched->turn[turn]);
    }
  }
}

// Cells of a set, in ascending order. Returns their number.
static int32_t list_cells(const cell_set_t * set, fw_offset_t * cells)
{
  int32_t count = 0;
  for (int32_t k = 0; k < CELLS_MAX; ++k) {
    if (set->marks[k]) {
      cells[count++] = cell_at(k);
    }
  }
  return count;
}

// The footprint and all cells that planners derive from it for a heading or a turn.
typedef struct derived_t {
  cell_set_t footprint;
  cell_set_t covered;
  fw_offset_t cells[CELLS_MAX];
  int32_t count;
  fw_offset_t turned[CELLS_MAX * FW_ROTATED_CELLS_MAX];
} derived_t;

static void add_heading(derived_t * derived, int32_t heading)
{
  const fw_footprint_t footprint = {derived->cells, derived->count};
  const int32_t count =
    fw__footprint_rotate_into(footprint, heading, derived->turned, CELLS_MAX * FW_ROTATED_CELLS_MAX);
  for (int32_t k = 0; k < count; ++k) {
    add_cell(&derived->covered, derived->turned[k]);
  }
}

// Turns a cell back, to the cell of the footprint whose turned one contains it.
static fw_offset_t turn_back(fw_offset_t cell, int32_t heading)
{
  if (heading % 2 == 0) {
    return fw__offset_rotate(cell, 4 - heading / 2);
  }
  FW_ASSERT(heading == 1);
  const double root = sqrt(0.5);
  return (fw_offset_t){
    (int32_t)lround(root * (double)(cell.dx + cell.dy)), (int32_t)lround(root * (double)(cell.dy - cell.dx))};
}

// Adds to the footprint what must be covered and is not. True if anything was added. A cell that has no place in the
// footprint is out of reach, which the caller has excluded.
static bool add_missing(derived_t * derived, const cell_set_t * needed, int32_t heading)
{
  bool any = false;
  for (int32_t k = 0; k < CELLS_MAX; ++k) {
    if (needed->marks[k] && !derived->covered.marks[k]) {
      bool * mark = mark_of(&derived->footprint, turn_back(cell_at(k), heading));
      any = any || (mark != NULL && !*mark);
      if (mark != NULL) {
        *mark = true;
      }
    }
  }
  return any;
}

static void list_footprint(derived_t * derived)
{
  derived->count = list_cells(&derived->footprint, derived->cells);
  derived->covered = (cell_set_t){0};
}

// Grows the footprint until the cells that planners make of it contain all that the hull touches. Ends, since there are
// finitely many cells and each pass but the last adds one.
static void grow_footprint(derived_t * derived, const touched_t * touched)
{
  bool is_growing = true;
  for (int32_t pass = 0; is_growing && pass < CELLS_MAX; ++pass) {
    list_footprint(derived);
    add_heading(derived, 1);
    is_growing = add_missing(derived, &touched->heading[1], 1);
    for (int32_t turn = 0; turn < touched->turn_count; ++turn) {
      list_footprint(derived);
      add_heading(derived, touched->turn[turn].from);
      add_heading(derived, touched->turn[turn].to);
      for (int32_t k = 0; k < derived->count; ++k) {
        fw__footprint_visit_swept(derived->cells[k], touched->turn[turn], add_cell, &derived->covered);
      }
      is_growing = add_missing(derived, &touched->turns[turn], touched->turn[turn].from == 0 ? 0 : 2) || is_growing;
    }
  }
}

// The cells that the disc around the base touches.
static void cover_disc(cell_set_t * footprint, const fw_hull_t * hull, const fw_body_scale_t * scale)
{
  for (int32_t k = 0; k < CELLS_MAX; ++k) {
    const fw_offset_t cell = cell_at(k);
    const double distance = point_distance((fw_point_t){cell.dx, cell.dy}, 0.5 - FW_HULL_TOUCH);
    footprint->marks[k] = distance <= hull->radius / scale->resolution + scale->clearance;
  }
}

// As the text of a footprint in cells, which identifies it.
static const fw_rotated_footprint_t * make_outline(
  derived_t * derived, fw_rotated_footprints_t * outlines, fw_error_t * reason)
{
  enum { CELL_TEXT = 16 };
  const fw_rotated_footprint_t * outline = NULL;
  fw_error_t error = {0};
  list_footprint(derived);
  const size_t size = (size_t)derived->count * CELL_TEXT + 1;
  char * text = fw__calloc(size, 1);
  if (text == NULL) {
    (void)fw__refuse(reason, "out of memory");
    return NULL;
  }
  size_t at = 0;
  for (int32_t k = 0; k < derived->count && derived->count > 1; ++k) {
    const fw_offset_t cell = derived->cells[k];
    at += (size_t)snprintf(text + at, size - at, "%s%d,%d", k == 0 ? "" : ";", (int)cell.dx, (int)cell.dy);
  }
  if (fw__rotated_footprints_get(outlines, text, &outline, &error) != FW_RET_OK) {
    (void)fw__refuse(reason, "%s", error.text);
    outline = NULL;
  }
  free(text);
  return outline;
}

static bool scales_are_equal(const fw_body_scale_t * a, const fw_body_scale_t * b)
{
  return a->resolution == b->resolution && a->clearance == b->clearance && a->connectivity == b->connectivity;
}

// The limit is on the hull, not on the cells, so that what it needs in turns is within reach, too.
static bool check_reach(const fw_hull_t * hull, const fw_body_scale_t * scale, fw_error_t * reason)
{
  const double cells = hull->radius / scale->resolution + scale->clearance;
  return cells <= FW_HULL_REACH_MAX - 2 ||
         fw__refuse(
           reason,
           "footprint_m reaches %g m, %.1f planning cells of %g m, from the robot's base; 0 to %d cells are possible",
           hull->radius, cells, scale->resolution, FW_HULL_REACH_MAX - 2);
}

bool fw__hull_cover(
  fw_hull_t * hull, const fw_body_scale_t * scale, bool has_heading, fw_rotated_footprints_t * outlines,
  fw_error_t * reason)
{
  if (!scales_are_equal(&hull->scale, scale)) {
    hull->outlines[0] = hull->outlines[1] = NULL;
    hull->scale = *scale;
  }
  if (hull->outlines[has_heading] != NULL) {
    return true;
  }
  if (!check_reach(hull, scale, reason)) {
    return false;
  }
  derived_t * derived = fw__calloc(1, sizeof *derived);
  touched_t * touched = fw__calloc(1, sizeof *touched);
  if (derived == NULL || touched == NULL) {
    (void)fw__refuse(reason, "out of memory");
  } else {
    if (fw__hull_fits_one_cell(hull, scale->resolution)) {
      *mark_of(&derived->footprint, (fw_offset_t){0, 0}) = true;
    } else if (has_heading) {
      find_touched(touched, hull, scale);
      derived->footprint = touched->heading[0];
      grow_footprint(derived, touched);
    } else {
      cover_disc(&derived->footprint, hull, scale);
    }
    hull->outlines[has_heading] = make_outline(derived, outlines, reason);
  }
  free(touched);
  free(derived);
  return hull->outlines[has_heading] != NULL;
}

// ---- times

static int32_t ticks_of(const fw_body_scale_t * scale, double seconds)
{
  const double ticks = ceil(seconds / scale->tick_seconds - TICK_SHARE);
  return ticks < 1.0 ? 1 : (int32_t)fmin(ticks, 1e9);
}

int32_t fw__ticks_of_speed(const fw_body_scale_t * scale, double speed)
{
  return ticks_of(scale, scale->step_metres / speed);
}

int32_t fw__ticks_of_turn(const fw_body_scale_t * scale, double seconds)
{
  return ticks_of(scale, scale->connectivity == 8 ? 0.5 * seconds : seconds);
}

// ---- a robot as it is described

void fw__robot_shapes_fini(fw_robot_shapes_t * shapes)
{
  fw__rotated_footprints_fini(&shapes->outlines);
  fw__hulls_fini(&shapes->hulls);
}

static bool check_units(const fw_controller_robot_t * robot, fw_error_t * reason)
{
  const bool has_polygon = robot->footprint_m != NULL && robot->footprint_m[0] != '\0';
  const bool has_cells = robot->footprint != NULL && robot->footprint[0] != '\0';
  if (!(robot->speed >= 0.0 && robot->speed <= 100.0)) {
    return fw__refuse(reason, "speed must be between 0 and 100 m/s, not %g", robot->speed);
  }
  if (!(robot->turn_seconds >= 0.0 && robot->turn_seconds <= 3600.0)) {
    return fw__refuse(reason, "turn_seconds must be between 0 and 3600 s, not %g", robot->turn_seconds);
  }
  if (
    robot->ticks_per_move < 0 || robot->ticks_per_move > FW_TICKS_PER_MOVE_MAX || robot->turn_ticks < 0 ||
    robot->turn_ticks > FW_TICKS_PER_MOVE_MAX) {
    return fw__refuse(
      reason, "ticks_per_move (%d) and turn_ticks (%d) must be between 0 and %d", robot->ticks_per_move,
      robot->turn_ticks, FW_TICKS_PER_MOVE_MAX);
  }
  const char * metres = has_polygon ? "footprint_m" : robot->speed > 0.0 ? "speed" : "turn_seconds";
  const char * cells = has_cells ? "footprint" : robot->ticks_per_move > 1 ? "ticks_per_move" : "turn_ticks";
  const bool is_in_metres = has_polygon || robot->speed > 0.0 || robot->turn_seconds > 0.0;
  const bool is_in_cells = has_cells || robot->ticks_per_move > 1 || robot->turn_ticks > 0;
  return !(is_in_metres && is_in_cells) ||
         fw__refuse(
           reason, "it has %s and %s: give it in metres and seconds, or in cells and ticks, not both", metres, cells);
}

bool fw__robot_shape_read(
  fw_robot_shape_t * shape, const fw_controller_robot_t * robot, fw_robot_shapes_t * shapes, fw_error_t * reason)
{
  fw_error_t cause = {0};
  *shape = (fw_robot_shape_t){
    .speed = robot->speed,
    .turn_seconds = robot->turn_seconds,
    .ticks_per_move = robot->ticks_per_move == 0 ? 1 : robot->ticks_per_move,
    .turn_ticks = robot->turn_ticks,
    .sweeps_sides = robot->sweeps_sides,
  };
  if (!check_units(robot, reason)) {
    return false;
  }
  if (robot->footprint_m != NULL && robot->footprint_m[0] != '\0') {
    return fw__hulls_get(&shapes->hulls, robot->footprint_m, &shape->hull, reason);
  }
  const char * footprint = robot->footprint == NULL ? "" : robot->footprint;
  return fw__rotated_footprints_get(&shapes->outlines, footprint, &shape->outline, &cause) == FW_RET_OK ||
         fw__refuse(reason, "%s", cause.text);
}

static bool convert_times(
  const fw_robot_shape_t * shape, const fw_body_scale_t * scale, fw_robot_body_t * body, fw_error_t * reason)
{
  const int32_t move = shape->speed > 0.0 ? fw__ticks_of_speed(scale, shape->speed) : shape->ticks_per_move;
  const int32_t turn = shape->turn_seconds > 0.0 ? fw__ticks_of_turn(scale, shape->turn_seconds) : shape->turn_ticks;
  if (move > FW_TICKS_PER_MOVE_MAX) {
    return fw__refuse(
      reason,
      "speed %g m/s is %d ticks of %g s per move of %g m, and 1 to %d are possible: raise it to %.3g, or lower the "
      "fleet's speed",
      shape->speed, move, scale->tick_seconds, scale->step_metres, FW_TICKS_PER_MOVE_MAX,
      scale->step_metres / scale->tick_seconds / FW_TICKS_PER_MOVE_MAX);
  }
  if (turn > FW_TICKS_PER_MOVE_MAX) {
    return fw__refuse(
      reason,
      "turn_seconds %g is %d ticks of %g s per %s turn, and 1 to %d are possible: lower it, or the fleet's speed",
      shape->turn_seconds, turn, scale->tick_seconds, scale->connectivity == 8 ? "eighth" : "quarter",
      FW_TICKS_PER_MOVE_MAX);
  }
  body->ticks_per_move = move;
  body->turn_ticks = turn;
  return true;
}

bool fw__robot_shape_convert(
  const fw_robot_shape_t * shape, const fw_body_scale_t * scale, fw_robot_shapes_t * shapes, fw_robot_body_t * body,
  fw_error_t * reason)
{
  const bool has_heading = shape->turn_seconds > 0.0 || shape->turn_ticks > 0;
  *body = (fw_robot_body_t){
    .outline = shape->outline,
    .ticks_per_move = shape->ticks_per_move,
    .turn_ticks = shape->turn_seconds > 0.0 ? 1 : shape->turn_ticks,
    .sweeps_sides = shape->sweeps_sides,
  };
  if (shape->hull != NULL && scale == NULL) {
    fw_error_t cause = {0};
    return fw__rotated_footprints_get(&shapes->outlines, "", &body->outline, &cause) == FW_RET_OK ||
           fw__refuse(reason, "%s", cause.text);
  }
  if (shape->hull != NULL) {
    if (!fw__hull_cover(shape->hull, scale, has_heading, &shapes->outlines, reason)) {
      return false;
    }
    body->outline = shape->hull->outlines[has_heading];
    const bool is_large = !fw__hull_fits_one_cell(shape->hull, scale->resolution);
    body->hull = is_large ? shape->hull : NULL;
    // A hull may fill its cells, so that it reaches into those beside a diagonal.
    body->sweeps_sides = shape->sweeps_sides || (is_large && scale->connectivity == 8);
  }
  return scale == NULL || convert_times(shape, scale, body, reason);
}
