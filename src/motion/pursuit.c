// Pursuit: speed and turn rate for a robot on its line. See pursuit.h.

#include "motion/pursuit.h"

#include <math.h>

static const double NO_MOVE = 1e-6;    // metres; two points nearer than this are a turn on the spot
static const double STANDS = 0.02;     // metres per second; slower than this a robot may turn on the spot
static const double BACK_SPEED = 0.1;  // metres per second, for what it has overshot
static const double REST = 2.0;        // tolerances; a robot that has stopped stays until it is farther away than this

// The robot as its leg sees it.
typedef struct leg_t {
  double length;
  double yaw;    // of the leg
  double along;  // metres from its beginning
  double aside;  // metres to the left of it
} leg_t;

fw_pursuit_options_t fw__pursuit_options_default(void)
{
  return (fw_pursuit_options_t){
    .limits = {.speed = 1.0, .turn_rate = 2.0, .acceleration = 1.0, .turn_acceleration = 6.0},
    .deceleration = 1.0,
    .lookahead = 0.3,
    .corner = 0.3,
    .heading_tolerance = 0.05,
    .tolerance = 0.02,
    .reaction = 0.15,
  };
}

void fw__pursuit_fini(fw_pursuit_t * pursuit)
{
  fw__track_fini(&pursuit->line);
  fw__track_fini(&pursuit->spare);
  *pursuit = (fw_pursuit_t){0};
}

static leg_t leg_at(const fw_track_t * line, int32_t index, const fw_pose_t * pose)
{
  const fw_pose_t *one = &line->points[index].pose, *two = &line->points[index + 1].pose;
  const double length = fw__pose_distance(one, two);
  const double yaw = length > NO_MOVE ? atan2(two->y - one->y, two->x - one->x) : two->yaw;
  const double dx = pose->x - one->x, dy = pose->y - one->y;
  return (leg_t){
    .length = length,
    .yaw = yaw,
    .along = length > NO_MOVE ? dx * cos(yaw) + dy * sin(yaw) : 0.0,
    .aside = length > NO_MOVE ? dy * cos(yaw) - dx * sin(yaw) : hypot(dx, dy),
  };
}

// Must the robot stop at the end of leg `index`? `leg` is that leg.
static bool ends_with_stop(const fw_track_t * line, int32_t index, const leg_t * leg, double corner)
{
  if (index + 2 >= line->count) {
    return true;
  }
  const leg_t next = leg_at(line, index + 1, &line->points[index + 1].pose);
  return leg->length <= NO_MOVE || next.length <= NO_MOVE || fabs(fw__turn_between(leg->yaw, next.yaw)) > corner;
}

// Moves the place on over all legs that are done. The last one never is: it is held.
static leg_t advance(fw_pursuit_t * pursuit, const fw_pose_t * pose, const fw_pursuit_options_t * options)
{
  const fw_track_t * line = &pursuit->line;
  leg_t leg = leg_at(line, pursuit->place.index, pose);
  while (pursuit->place.index + 2 < line->count) {
    const bool is_turn = leg.length <= NO_MOVE;
    const bool stops = ends_with_stop(line, pursuit->place.index, &leg, options->corner);
    const bool is_done = is_turn ? fabs(fw__turn_between(pose->yaw, leg.yaw)) <= options->heading_tolerance
                                 : leg.length - leg.along <= (stops ? options->tolerance : 0.0);
    if (!is_done) {
      break;
    }
    ++pursuit->place.index;
    leg = leg_at(line, pursuit->place.index, pose);
  }
  pursuit->place.fraction = leg.length > NO_MOVE ? fmin(fmax(leg.along / leg.length, 0.0), 1.0) : 0.0;
  return leg;
}

// To the next corner or the end.
static double distance_to_stop(const fw_pursuit_t * pursuit, const leg_t * leg, double corner)
{
  const fw_track_t * line = &pursuit->line;
  double distance = leg->length - leg->along;
  leg_t last = *leg;
  for (int32_t i = pursuit->place.index; !ends_with_stop(line, i, &last, corner); ++i) {
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

// On the spot, once it stands.
static fw_twist_t turn(const fw_pursuit_t * pursuit, double angle, const fw_pursuit_options_t * options)
{
  const double brake = options->limits.turn_acceleration > 0.0 ? options->limits.turn_acceleration : 1e3;
  const double rate = fmin(options->limits.turn_rate, speed_that_stops(fabs(angle), brake, options->reaction));
  return (fw_twist_t){.turn_rate = fabs(pursuit->last.speed) <= STANDS ? copysign(rate, angle) : 0.0};
}

static fw_twist_t drive(const leg_t * leg, double angle, double left, const fw_pursuit_options_t * options)
{
  const double curvature = 2.0 * sin(angle) / hypot(options->lookahead, leg->aside);
  double speed = fmin(options->limits.speed, speed_that_stops(left, options->deceleration, options->reaction));
  speed = fmin(speed, options->limits.turn_rate / fmax(fabs(curvature), 1e-6));
  return (fw_twist_t){speed, speed * curvature};
}

// Within tolerance of the end it stands and looks as it should; what it has overshot it backs up.
static fw_twist_t hold(
  fw_pursuit_t * pursuit, const fw_pose_t * pose, double left, const fw_pursuit_options_t * options)
{
  if (left < -REST * options->tolerance) {
    const double speed = speed_that_stops(-left, options->deceleration, options->reaction);
    return (fw_twist_t){.speed = -fmin(BACK_SPEED, speed)};
  }
  const double yaw = pursuit->line.points[pursuit->line.count - 1].pose.yaw;
  const double angle = fw__turn_between(pose->yaw, yaw);
  pursuit->is_turning = fabs(angle) > (pursuit->is_turning ? 1.0 : REST) * options->heading_tolerance;
  return pursuit->is_turning ? turn(pursuit, angle, options) : (fw_twist_t){0};
}

static fw_twist_t decide(
  fw_pursuit_t * pursuit, const fw_pose_t * pose, const fw_pursuit_options_t * options, fw_pursuit_answer_t * answer)
{
  const leg_t leg = advance(pursuit, pose, options);
  const bool is_last = pursuit->place.index + 2 >= pursuit->line.count;
  const double left = distance_to_stop(pursuit, &leg, options->corner);
  const double rest = pursuit->is_at_end ? REST * options->tolerance : options->tolerance;
  answer->off_line = hypot(leg.aside, fmax(fmax(-leg.along, leg.along - leg.length), 0.0));
  pursuit->is_at_end = is_last && (leg.length <= NO_MOVE || left <= rest);
  if (pursuit->is_at_end) {
    return hold(pursuit, pose, left, options);
  }
  // At a point on the leg, or on how it would go on, so that it is never too near to steer by.
  const double angle = leg.length <= NO_MOVE
                         ? fw__turn_between(pose->yaw, leg.yaw)
                         : fw__turn_between(pose->yaw, leg.yaw + atan2(-leg.aside, options->lookahead));
  const double bound = pursuit->is_turning || leg.length <= NO_MOVE ? options->heading_tolerance : options->corner;
  pursuit->is_turning = fabs(angle) > bound;
  return pursuit->is_turning ? turn(pursuit, angle, options) : drive(&leg, angle, left, options);
}

fw_pursuit_answer_t fw__pursuit_step(
  fw_pursuit_t * pursuit, const fw_pose_t * pose, double seconds, const fw_pursuit_options_t * options)
{
  const fw_track_t * line = &pursuit->line;
  const fw_twist_t last = pursuit->last;
  fw_pursuit_answer_t answer = {0};
  fw_twist_t wanted = {0};
  if (line->count > 1) {
    wanted = decide(pursuit, pose, options, &answer);
  } else if (line->count == 1) {
    answer.off_line = fw__pose_distance(pose, &line->points[0].pose);
    wanted = hold(pursuit, pose, 0.0, options);
  }
  // Up as softly as the limits say; down as much as it takes, which the profile keeps within the deceleration.
  fw_twist_limits_t limits = options->limits;
  if (fabs(wanted.speed) < fabs(last.speed)) {
    limits.acceleration = limits.acceleration > 0.0 ? 2.0 * fmax(limits.acceleration, options->deceleration) : 0.0;
  }
  answer.is_at_end = line->count <= 1 || pursuit->is_at_end;
  answer.twist = fw__twist_toward(last, wanted, seconds, &limits);
  pursuit->last = answer.twist;
  return answer;
}
