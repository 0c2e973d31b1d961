// Pursuit, taking a release: what a new line has in common with the one that the robot is on. See pursuit.h.

#include <math.h>

#include "motion/pursuit.h"

static const double SAME_PLACE = 0.01;  // metres
static const double SAME_YAW = 0.01;    // radians

static bool are_one_place(const fw_pose_t * one, const fw_pose_t * other)
{
  return fw__pose_distance(one, other) <= SAME_PLACE;
}

static bool are_alike(const fw_pose_t * one, const fw_pose_t * other)
{
  return are_one_place(one, other) && fabs(fw__turn_between(one->yaw, other->yaw)) <= SAME_YAW;
}

// Without waits. Of several points on one place in a row, each that looks another way stays.
static fw_ret_t append_without_waits(fw_track_t * line, const fw_track_t * release)
{
  for (int32_t i = 0; i < release->count; ++i) {
    const bool is_wait = i > 0 && are_alike(&line->points[line->count - 1].pose, &release->points[i].pose);
    if (!is_wait && fw__track_append(line, release->points[i]) != FW_RET_OK) {
      return FW_RET_BAD_ALLOC;
    }
  }
  return FW_RET_OK;
}

// Does `next` go on from point `from` of `line`, as far as both reach? Ways are compared by their places: where a line
// ends a robot may look another way than where it drives on.
static bool goes_on_from(const fw_track_t * line, int32_t from, const fw_track_t * next)
{
  for (int32_t i = 0; i < next->count && from + i < line->count; ++i) {
    if (!are_one_place(&line->points[from + i].pose, &next->points[i].pose)) {
      return false;
    }
  }
  return true;
}

// The point of the present line where the new one begins: the latest that was passed, else the first to come; -1: none.
static int32_t find_beginning(const fw_pursuit_t * pursuit, const fw_track_t * next)
{
  for (int32_t from = pursuit->place.index; from >= 0 && from < pursuit->line.count; --from) {
    if (goes_on_from(&pursuit->line, from, next)) {
      return from;
    }
  }
  for (int32_t from = pursuit->place.index + 1; from < pursuit->line.count; ++from) {
    if (goes_on_from(&pursuit->line, from, next)) {
      return from;
    }
  }
  return -1;
}

// The first of the places of a line that are nearest to the robot: it may pass there again later.
static fw_track_place_t find_first_nearest(const fw_track_t * line, const fw_pose_t * pose)
{
  fw_track_place_t best = {0};
  double best_distance = fw__pose_distance(&line->points[0].pose, pose);
  for (int32_t i = 0; i + 1 < line->count; ++i) {
    const fw_pose_t *one = &line->points[i].pose, *two = &line->points[i + 1].pose;
    const double dx = two->x - one->x, dy = two->y - one->y, square = dx * dx + dy * dy;
    const double along = square > 0.0 ? ((pose->x - one->x) * dx + (pose->y - one->y) * dy) / square : 0.0;
    const double fraction = fmin(fmax(along, 0.0), 1.0);
    const double distance = hypot(one->x + fraction * dx - pose->x, one->y + fraction * dy - pose->y);
    if (distance < best_distance - 0.1 * SAME_PLACE) {
      best = fraction < 1.0 ? (fw_track_place_t){i, fraction} : (fw_track_place_t){i + 1, 0.0};
      best_distance = distance;
    }
  }
  return best;
}

// From where the robot is to the line, and on.
static fw_ret_t join(fw_pursuit_t * pursuit, const fw_pose_t * pose, double tolerance)
{
  const fw_track_t * next = &pursuit->spare;
  const fw_track_place_t meet = find_first_nearest(next, pose);
  const fw_track_point_t at = fw__track_at(next, meet);
  fw__track_clear(&pursuit->line);
  pursuit->place = (fw_track_place_t){0};
  if (
    fw__pose_distance(&at.pose, pose) > tolerance &&
    fw__track_append(&pursuit->line, (fw_track_point_t){.pose = *pose}) != FW_RET_OK) {
    return FW_RET_BAD_ALLOC;
  }
  if (meet.fraction > 0.0 && fw__track_append(&pursuit->line, at) != FW_RET_OK) {
    return FW_RET_BAD_ALLOC;
  }
  const int32_t first = meet.fraction > 0.0 ? meet.index + 1 : meet.index;
  return fw__track_append_range(&pursuit->line, next, first, next->count);
}

// What is left of the old line until the new one begins stays in front of it.
static fw_ret_t splice(fw_pursuit_t * pursuit, int32_t beginning)
{
  fw_track_t * line = &pursuit->line;
  const int32_t first = pursuit->place.index < beginning ? pursuit->place.index : beginning;
  for (int32_t i = first; i < beginning; ++i) {
    line->points[i - first] = line->points[i];
  }
  line->count = beginning - first;
  pursuit->place.index -= first;
  return fw__track_append_range(line, &pursuit->spare, 0, pursuit->spare.count);
}

fw_ret_t fw__pursuit_take(
  fw_pursuit_t * pursuit, const fw_track_t * release, const fw_pose_t * pose, const fw_pursuit_options_t * options)
{
  fw__track_clear(&pursuit->spare);
  pursuit->is_at_end = false;
  if (append_without_waits(&pursuit->spare, release) != FW_RET_OK) {
    return FW_RET_BAD_ALLOC;
  }
  if (release->count == 0) {
    fw__track_clear(&pursuit->line);
    pursuit->place = (fw_track_place_t){0};
    return FW_RET_OK;
  }
  const int32_t beginning = find_beginning(pursuit, &pursuit->spare);
  return beginning >= 0 ? splice(pursuit, beginning) : join(pursuit, pose, options->tolerance);
}
