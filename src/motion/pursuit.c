// Pursuit: a pure-pursuit controller for a robot on its released path. See pursuit.h.

#include "motion/pursuit.h"

#include <math.h>

#include "base/assert.h"

static const double NO_MOVE = 1e-6;  // metres; two points nearer than this are a turn on the spot
static const double HEADING_METRES =
  1.0;                                    // what a radian counts as where headings matter: bodies sweep about that much
static const double ABOUT_AS_NEAR = 0.3;  // metres; of places that differ by more, the nearest one counts
static const double STANDS = 0.02;        // metres per second; slower than this a robot may turn on the spot
static const double BACK_SPEED = 0.1;     // metres per second, to back up after an overshoot
static const double REST = 2.0;           // hysteresis: a robot that has stopped stays within this many tolerances
static const double SPARE = 0.2;          // part of the tolerance for overlaps; the rest is for delays and noise
static const double OVERLAP = 0.9;        // part of `corner`: the most of a turn that overlaps with a stop or a start
static const double SAME_PLACE = 0.01;    // metres; points of an old and a new path nearer than this are the same
static const double SAME_YAW = 0.01;      // radians

// One segment of the line ("leg"), and the robot relative to it.
typedef struct pursuit_leg_t {
  double length;
  double yaw;    // direction of the leg; of a turn on the spot, the heading to turn to
  double along;  // metres from its beginning: the along-track distance
  double aside;  // metres to the left of it: the cross-track error
} pursuit_leg_t;

void fw__pursuit_fini(fw_pursuit_t * pursuit)
{
  fw__polyline_fini(&pursuit->line);
  fw__polyline_fini(&pursuit->spare);
  *pursuit = (fw_pursuit_t){0};
}

static pursuit_leg_t leg_at(const fw_polyline_t * line, int32_t index, const fw_pose2d_t * pose)
{
  FW_ASSERT(index >= 0 && index + 1 < line->count);
  const fw_pose2d_t *one = &line->points[index].pose, *two = &line->points[index + 1].pose;
  const double length = fw__pose2d_distance(one, two);
  const double yaw = length > NO_MOVE ? atan2(two->y - one->y, two->x - one->x) : two->yaw;
  const double dx = pose->x - one->x, dy = pose->y - one->y;
  return (pursuit_leg_t){
    .length = length,
    .yaw = yaw,
    .along = length > NO_MOVE ? dx * cos(yaw) + dy * sin(yaw) : 0.0,
    .aside = length > NO_MOVE ? dy * cos(yaw) - dx * sin(yaw) : hypot(dx, dy),
  };
}

// Must the robot stop at the end of leg `index`? `leg` is that leg.
static bool ends_with_stop(const fw_polyline_t * line, int32_t index, const pursuit_leg_t * leg, double corner)
{
  if (index + 2 >= line->count) {
    return true;
  }
  const pursuit_leg_t next = leg_at(line, index + 1, &line->points[index + 1].pose);
  return leg->length <= NO_MOVE || next.length <= NO_MOVE ||
         fabs(fw__shortest_angular_distance(leg->yaw, next.yaw)) > corner;
}

// Moves the position over all legs that are done. The last one never is: the robot holds its end.
static pursuit_leg_t advance(fw_pursuit_t * pursuit, const fw_pose2d_t * pose, const fw_pursuit_options_t * options)
{
  const fw_polyline_t * line = &pursuit->line;
  pursuit_leg_t leg = leg_at(line, pursuit->position.index, pose);
  while (pursuit->position.index + 2 < line->count) {
    const bool is_turn = leg.length <= NO_MOVE;
    const bool stops = ends_with_stop(line, pursuit->position.index, &leg, options->corner);
    const bool is_done = is_turn ? fabs(fw__shortest_angular_distance(pose->yaw, leg.yaw)) <= options->heading_tolerance
                                 : leg.length - leg.along <= (stops ? options->tolerance : 0.0);
    if (!is_done) {
      break;
    }
    ++pursuit->position.index;
    leg = leg_at(line, pursuit->position.index, pose);
  }
  pursuit->position.fraction = leg.length > NO_MOVE ? fmin(fmax(leg.along / leg.length, 0.0), 1.0) : 0.0;
  return leg;
}

// Metres to the next corner or the end.
static double distance_to_stop(const fw_pursuit_t * pursuit, const pursuit_leg_t * leg, double corner)
{
  const fw_polyline_t * line = &pursuit->line;
  double distance = leg->length - leg->along;
  pursuit_leg_t last = *leg;
  for (int32_t i = pursuit->position.index; !ends_with_stop(line, i, &last, corner); ++i) {
    last = leg_at(line, i + 1, &line->points[i + 1].pose);
    distance += last.length;
  }
  return distance;
}

// The highest speed v from which one stops within `distance`: v reaction + v^2 / (2 deceleration) = distance.
static double speed_that_stops(double distance, double deceleration, double reaction)
{
  if (distance <= 0.0) {
    return 0.0;
  }
  return deceleration * (sqrt(reaction * reaction + 2.0 * distance / deceleration) - reaction);
}

// How far a stop and the turn after it, or a turn and the start after it, may overlap. Braking at a over the last T
// seconds while the turn begins at an angular acceleration b takes the robot a b T^4 / 24 aside, which is allowed to be
// SPARE of the tolerance. The same holds for a start.
typedef struct pursuit_overlap_t {
  double distance;  // metres before a corner at which its turn begins
  double angle;     // radians before the end of a turn at which the robot starts
} pursuit_overlap_t;

static pursuit_overlap_t find_overlap(const fw_pursuit_options_t * options)
{
  const double linear = fmax(options->limits.acceleration, options->deceleration);
  const double angular = options->limits.turn_acceleration;
  if (angular <= 0.0) {
    return (pursuit_overlap_t){0};
  }
  const double by_space = sqrt(sqrt(24.0 * SPARE * options->tolerance / (linear * angular)));
  const double seconds = fmin(by_space, sqrt(2.0 * OVERLAP * options->corner / angular));
  return (pursuit_overlap_t){
    .distance = 0.5 * options->deceleration * seconds * seconds,
    .angle = 0.5 * angular * seconds * seconds,
  };
}

// The rate at which a turn by this angle can still be stopped in time.
static double turn_rate(double angle, const fw_pursuit_options_t * options)
{
  const double brake = options->limits.turn_acceleration > 0.0 ? options->limits.turn_acceleration : 1e3;
  const double rate = fmin(options->limits.turn_rate, speed_that_stops(fabs(angle), brake, options->reaction));
  return copysign(rate, angle);
}

// Turns on the spot. It may begin while the robot still rolls, if what it rolls is within the tolerance.
static fw_twist_t turn(const fw_pursuit_t * pursuit, double angle, const fw_pursuit_options_t * options)
{
  const double slow = fmax(STANDS, speed_that_stops(options->tolerance, options->deceleration, options->reaction));
  const bool may_turn = options->is_holonomic || fabs(pursuit->last.speed) <= slow;
  return (fw_twist_t){.turn_rate = may_turn ? turn_rate(angle, options) : 0.0};
}

static fw_twist_t drive(const pursuit_leg_t * leg, double angle, double left, const fw_pursuit_options_t * options)
{
  const double curvature = 2.0 * sin(angle) / hypot(options->lookahead, leg->aside);
  double speed = fmin(options->limits.speed, speed_that_stops(left, options->deceleration, options->reaction));
  speed = fmin(speed, options->limits.turn_rate / fmax(fabs(curvature), 1e-6));
  return (fw_twist_t){.speed = speed, .turn_rate = speed * curvature};
}

// Velocities along a direction and to the left of it, as seen from a robot with this heading.
static fw_twist_t seen_from(double yaw, double direction, double along, double aside)
{
  const double c = cos(direction - yaw), s = sin(direction - yaw);
  return (fw_twist_t){.speed = along * c - aside * s, .sideways = along * s + aside * c};
}

// A holonomic robot on a leg: along it, back to it, and turning to the heading of the path.
static fw_twist_t slide(
  const fw_pursuit_t * pursuit, const pursuit_leg_t * leg, const fw_pose2d_t * pose, double left,
  const fw_pursuit_options_t * options)
{
  const double back =
    fmin(options->limits.speed, speed_that_stops(fabs(leg->aside), options->deceleration, options->reaction));
  const double limit = sqrt(options->limits.speed * options->limits.speed - back * back);
  const double along = fmin(limit, speed_that_stops(left, options->deceleration, options->reaction));
  const double yaw = pursuit->line.points[pursuit->position.index].pose.yaw;
  fw_twist_t twist = seen_from(pose->yaw, leg->yaw, along, copysign(back, -leg->aside));
  twist.turn_rate = turn_rate(fw__shortest_angular_distance(pose->yaw, yaw), options);
  return twist;
}

// Turns to the final heading: exactly when it arrives; later small errors are left alone.
static double turn_at_end(
  fw_pursuit_t * pursuit, const fw_pose2d_t * pose, bool arrives, const fw_pursuit_options_t * options)
{
  const double yaw = pursuit->line.points[pursuit->line.count - 1].pose.yaw;
  const double angle = fw__shortest_angular_distance(pose->yaw, yaw);
  pursuit->is_turning = fabs(angle) > (pursuit->is_turning || arrives ? 1.0 : REST) * options->heading_tolerance;
  return pursuit->is_turning ? turn(pursuit, angle, options).turn_rate : 0.0;
}

// At the end a holonomic robot goes straight to the exact position.
static fw_twist_t settle(const fw_pursuit_t * pursuit, const fw_pose2d_t * pose, const fw_pursuit_options_t * options)
{
  const fw_pose2d_t * goal = &pursuit->line.points[pursuit->line.count - 1].pose;
  const double distance = fw__pose2d_distance(pose, goal);
  const double speed = fmin(
    options->limits.speed, speed_that_stops(distance - options->tolerance, options->deceleration, options->reaction));
  return seen_from(pose->yaw, atan2(goal->y - pose->y, goal->x - pose->x), speed, 0.0);
}

// Within tolerance of the end: stand with the final heading; back up after an overshoot.
static fw_twist_t hold(
  fw_pursuit_t * pursuit, const fw_pose2d_t * pose, double left, const fw_pursuit_options_t * options)
{
  const bool arrives = !pursuit->is_at_end;
  pursuit->is_at_end = true;
  fw_twist_t twist = {0};
  if (options->is_holonomic) {
    twist = settle(pursuit, pose, options);
  } else if (left < -REST * options->tolerance) {
    const double speed = speed_that_stops(-left, options->deceleration, options->reaction);
    return (fw_twist_t){.speed = -fmin(BACK_SPEED, speed)};
  }
  twist.turn_rate = turn_at_end(pursuit, pose, arrives, options);
  return twist;
}

// The turn at the corner that ends this leg, from the present heading; 0: there is none. Turns on the spot that are in
// the plan are for bodies that need room for them: they do not begin before their place.
static double turn_ahead(
  const fw_pursuit_t * pursuit, const pursuit_leg_t * leg, const fw_pose2d_t * pose,
  const fw_pursuit_options_t * options)
{
  const fw_polyline_t * line = &pursuit->line;
  const int32_t next_index = pursuit->position.index + 1;
  if (leg->length <= NO_MOVE || next_index + 1 >= line->count) {
    return 0.0;
  }
  const pursuit_leg_t next = leg_at(line, next_index, pose);
  const bool is_corner = next.length > NO_MOVE && ends_with_stop(line, pursuit->position.index, leg, options->corner);
  return is_corner ? fw__shortest_angular_distance(pose->yaw, next.yaw) : 0.0;
}

// The heading error above which a robot turns on the spot rather than drive. After a turn it starts before the turn is
// complete.
static double turn_bound(
  const fw_pursuit_t * pursuit, const pursuit_leg_t * leg, const pursuit_overlap_t * overlap,
  const fw_pursuit_options_t * options)
{
  if (leg->length <= NO_MOVE) {
    return options->heading_tolerance;
  }
  return pursuit->is_turning ? fmax(options->heading_tolerance, overlap->angle) : options->corner;
}

static fw_twist_t decide(
  fw_pursuit_t * pursuit, const fw_pose2d_t * pose, const fw_pursuit_options_t * options,
  fw_pursuit_command_t * command)
{
  const pursuit_leg_t leg = advance(pursuit, pose, options);
  const bool is_last = pursuit->position.index + 2 >= pursuit->line.count;
  const double left = distance_to_stop(pursuit, &leg, options->corner);
  const double near = pursuit->is_at_end ? REST * options->tolerance : options->tolerance;
  command->off_line = hypot(leg.aside, fmax(fmax(-leg.along, leg.along - leg.length), 0.0));
  if (is_last && (leg.length <= NO_MOVE || left <= near)) {
    return hold(pursuit, pose, left, options);
  }
  pursuit->is_at_end = false;
  if (options->is_holonomic && leg.length > NO_MOVE) {
    pursuit->is_turning = false;
    return slide(pursuit, &leg, pose, left, options);
  }
  const pursuit_overlap_t overlap = find_overlap(options);
  const double ahead = turn_ahead(pursuit, &leg, pose, options);
  if (!pursuit->is_turning && ahead != 0.0 && left <= overlap.distance && fabs(leg.aside) <= options->tolerance) {
    const double speed = speed_that_stops(left, options->deceleration, options->reaction);
    const bool may_turn = fabs(fw__shortest_angular_distance(leg.yaw, pose->yaw)) <= 2.0 * options->corner;
    return (fw_twist_t){
      .speed = fmin(options->limits.speed, speed), .turn_rate = may_turn ? turn_rate(ahead, options) : 0.0};
  }
  // Steers at a point on the leg or on its extension, so that the point is never too near.
  const double angle = leg.length <= NO_MOVE
                         ? fw__shortest_angular_distance(pose->yaw, leg.yaw)
                         : fw__shortest_angular_distance(pose->yaw, leg.yaw + atan2(-leg.aside, options->lookahead));
  pursuit->is_turning = fabs(angle) > turn_bound(pursuit, &leg, &overlap, options);
  return pursuit->is_turning ? turn(pursuit, angle, options) : drive(&leg, angle, left, options);
}

// A holonomic robot keeps its velocity over the ground while it turns. Wheels that cannot go sideways turn with it.
static fw_twist_t turned(fw_twist_t twist, double angle)
{
  fw_twist_t result = seen_from(0.0, angle, twist.speed, twist.sideways);
  result.turn_rate = twist.turn_rate;
  return result;
}

fw_pursuit_command_t fw__pursuit_step(
  fw_pursuit_t * pursuit, const fw_pose2d_t * pose, double seconds, const fw_pursuit_options_t * options)
{
  FW_ASSERT(options->lookahead > 0.0 && options->deceleration > 0.0 && seconds >= 0.0);
  const fw_polyline_t * line = &pursuit->line;
  const fw_twist_t last = options->is_holonomic ? turned(pursuit->last, pursuit->last_yaw - pose->yaw) : pursuit->last;
  fw_pursuit_command_t command = {0};
  fw_twist_t wanted = {0};
  if (line->count > 1) {
    wanted = decide(pursuit, pose, options, &command);
  } else if (line->count == 1) {
    command.off_line = fw__pose2d_distance(pose, &line->points[0].pose);
    wanted = hold(pursuit, pose, 0.0, options);
  }
  // Accelerates within the limits; brakes as much as needed, which the speed profile keeps within the deceleration.
  fw_twist_limits_t limits = options->limits;
  if (hypot(wanted.speed, wanted.sideways) < hypot(last.speed, last.sideways)) {
    limits.acceleration = limits.acceleration > 0.0 ? 2.0 * fmax(limits.acceleration, options->deceleration) : 0.0;
  }
  command.is_at_end = line->count <= 1 || pursuit->is_at_end;
  command.twist = fw__twist_toward(last, wanted, seconds, &limits);
  pursuit->last = command.twist;
  pursuit->last_yaw = pose->yaw;
  return command;
}

// ---- a new path: what it has in common with the line that the robot is on

static bool are_at_one_place(const fw_pose2d_t * one, const fw_pose2d_t * other)
{
  return fw__pose2d_distance(one, other) <= SAME_PLACE;
}

static bool are_alike(const fw_pose2d_t * one, const fw_pose2d_t * other)
{
  return are_at_one_place(one, other) && fabs(fw__shortest_angular_distance(one->yaw, other->yaw)) <= SAME_YAW;
}

// Appends a released path without its waits. Of consecutive points at one place, each with another heading is kept.
static void append_without_waits(fw_polyline_t * line, const fw_polyline_t * release)
{
  for (int32_t i = 0; i < release->count; ++i) {
    const bool is_wait = line->count > 0 && are_alike(&line->points[line->count - 1].pose, &release->points[i].pose);
    if (!is_wait) {
      fw__polyline_append(line, release->points[i]);
    }
  }
}

// Does `next` continue from point `from` of `line`, as far as both reach? Only positions are compared: at the end of a
// line a robot may have another heading than where the line goes on.
static bool goes_on_from(const fw_polyline_t * line, int32_t from, const fw_polyline_t * next)
{
  for (int32_t i = 0; i < next->count && from + i < line->count; ++i) {
    if (!are_at_one_place(&line->points[from + i].pose, &next->points[i].pose)) {
      return false;
    }
  }
  return true;
}

// The point of the present line where the new one begins: the latest that was passed, else the first ahead; -1: none.
static int32_t find_beginning(const fw_pursuit_t * pursuit, const fw_polyline_t * next)
{
  for (int32_t from = pursuit->position.index; from >= 0 && from < pursuit->line.count; --from) {
    if (goes_on_from(&pursuit->line, from, next)) {
      return from;
    }
  }
  for (int32_t from = pursuit->position.index + 1; from < pursuit->line.count; ++from) {
    if (goes_on_from(&pursuit->line, from, next)) {
      return from;
    }
  }
  return -1;
}

// A turn on the spot that a path has, for a body that needs room to turn.
static bool is_turn(const fw_polyline_t * line, int32_t leg)
{
  return fw__pose2d_distance(&line->points[leg].pose, &line->points[leg + 1].pose) <= NO_MOVE;
}

static bool has_turns(const fw_polyline_t * line)
{
  bool has = false;
  for (int32_t i = 0; !has && i + 1 < line->count; ++i) {
    has = is_turn(line, i);
  }
  return has;
}

// The position of a leg, or of the line's last point, that is nearest to the robot; `distance` is how far it is.
static fw_polyline_position_t find_nearest_of_leg(
  const fw_polyline_t * line, int32_t leg, const fw_pose2d_t * pose, double * distance)
{
  const bool is_end = leg + 1 == line->count;
  const fw_pose2d_t *one = &line->points[leg].pose, *two = &line->points[is_end ? leg : leg + 1].pose;
  const double dx = two->x - one->x, dy = two->y - one->y, square = dx * dx + dy * dy;
  const double along = square > 0.0 ? ((pose->x - one->x) * dx + (pose->y - one->y) * dy) / square : 0.0;
  const double fraction = fmin(fmax(along, 0.0), 1.0);
  *distance = hypot(one->x + fraction * dx - pose->x, one->y + fraction * dy - pose->y);
  return fraction < 1.0 ? (fw_polyline_position_t){leg, fraction} : (fw_polyline_position_t){leg + 1, 0.0};
}

// The first of the positions of a line that are nearest to the robot: the line may pass there again later. Where the
// line has turns on the spot, the heading decides between positions that are about equally near, so that no turn is
// left out that the robot has not made.
static fw_polyline_position_t find_first_nearest(const fw_polyline_t * line, const fw_pose2d_t * pose)
{
  const double radian = has_turns(line) ? HEADING_METRES : 0.0;
  double nearest = INFINITY, distance = 0.0, least = INFINITY;
  for (int32_t leg = 0; leg < line->count; ++leg) {
    (void)find_nearest_of_leg(line, leg, pose, &distance);
    nearest = fmin(nearest, distance);
  }
  fw_polyline_position_t best = {0};
  for (int32_t leg = 0; leg < line->count; ++leg) {
    const fw_polyline_position_t position = find_nearest_of_leg(line, leg, pose, &distance);
    const double turn = fabs(fw__shortest_angular_distance(pose->yaw, line->points[leg].pose.yaw));
    const double weight = distance + radian * turn;
    if (distance <= nearest + ABOUT_AS_NEAR && weight < least - 0.1 * SAME_PLACE) {
      best = position;
      least = weight;
    }
  }
  return best;
}

// The line from the robot to the nearest position of the new path, and along it.
static void join(fw_pursuit_t * pursuit, const fw_pose2d_t * pose, double tolerance)
{
  const fw_polyline_t * next = &pursuit->spare;
  const fw_polyline_position_t meet = find_first_nearest(next, pose);
  const fw_polyline_point_t at = fw__polyline_at(next, meet);
  fw__polyline_clear(&pursuit->line);
  pursuit->position = (fw_polyline_position_t){0};
  if (fw__pose2d_distance(&at.pose, pose) > tolerance) {
    fw__polyline_append(&pursuit->line, (fw_polyline_point_t){.pose = *pose});
  }
  if (meet.fraction > 0.0) {
    fw__polyline_append(&pursuit->line, at);
  }
  const int32_t first = meet.fraction > 0.0 ? meet.index + 1 : meet.index;
  fw__polyline_append_range(&pursuit->line, next, first, next->count);
}

// The new path begins at point `beginning` of the present line: what is left of the line until there stays in front.
static void splice(fw_pursuit_t * pursuit, int32_t beginning)
{
  fw_polyline_t * line = &pursuit->line;
  const int32_t first = pursuit->position.index < beginning ? pursuit->position.index : beginning;
  FW_ASSERT(first >= 0 && beginning < line->count);
  for (int32_t i = first; i < beginning; ++i) {
    line->points[i - first] = line->points[i];
  }
  line->count = beginning - first;
  pursuit->position.index -= first;
  fw__polyline_append_range(line, &pursuit->spare, 0, pursuit->spare.count);
  // A planner that was started again may release less than its predecessor had: then the robot is past the new end.
  const int32_t last_leg = line->count > 1 ? line->count - 2 : 0;
  if (pursuit->position.index > last_leg) {
    pursuit->position.index = last_leg;
  }
}

fw_ret_t fw__pursuit_set_path(
  fw_pursuit_t * pursuit, const fw_polyline_t * release, const fw_pose2d_t * pose, const fw_pursuit_options_t * options)
{
  fw__polyline_clear(&pursuit->spare);
  pursuit->is_at_end = false;
  append_without_waits(&pursuit->spare, release);
  if (pursuit->spare.has_failed) {
    return FW_RET_BAD_ALLOC;
  }
  if (release->count == 0) {
    fw__polyline_clear(&pursuit->line);
    pursuit->position = (fw_polyline_position_t){0};
    return FW_RET_OK;
  }
  const int32_t beginning = find_beginning(pursuit, &pursuit->spare);
  FW_ASSERT(beginning < pursuit->line.count);
  if (beginning >= 0) {
    splice(pursuit, beginning);
  } else {
    join(pursuit, pose, options->tolerance);
  }
  return pursuit->line.has_failed ? FW_RET_BAD_ALLOC : FW_RET_OK;
}
