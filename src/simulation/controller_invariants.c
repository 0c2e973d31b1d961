// See controller_invariants.h.

#include "simulation/controller_invariants.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

static const double NEAR = 1e-6;  // metres
static const double BESIDE_CELLS = 0.2;

void fw__controller_invariants_fail(fw_controller_invariants_t * invariants, const char * format, ...)
{
  if (invariants->failure[0] != '\0') {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(invariants->failure, sizeof invariants->failure, format, arguments);
  va_end(arguments);
}

// ---- robots

void fw__controller_invariants_check_overlaps(
  fw_controller_invariants_t * invariants, const fw_path_robot_t * const * robots, int32_t count)
{
  FW_ASSERT(count <= FW_INVARIANT_ROBOTS_MAX);
  for (int32_t a = 0; a < count; ++a) {
    for (int32_t b = 0; b < a; ++b) {
      bool * overlap = &invariants->overlap[a][b];
      if (robots[a] == NULL || robots[b] == NULL) {
        *overlap = false;
        continue;
      }
      const double gap = fw__path_robot_distance(robots[a], robots[b]) - 2.0 * invariants->radius;
      const bool obey = !robots[a]->has_strayed && !robots[b]->has_strayed && !invariants->has_rings;
      invariants->pairs += 1;
      if (gap >= -NEAR) {
        invariants->nearest = obey && !*overlap ? fmin(invariants->nearest, gap) : invariants->nearest;
        *overlap = false;
      } else if (!*overlap && obey) {
        fw__controller_invariants_fail(
          invariants,
          "robots %d and %d overlap by %.3f m, at (%.3f, %.3f) and (%.3f, %.3f), and both obeyed their releases", b, a,
          -gap, robots[b]->pose.point.x, robots[b]->pose.point.y, robots[a]->pose.point.x, robots[a]->pose.point.y);
      } else {
        *overlap = true;
      }
    }
  }
}

// ---- releases

void fw__controller_invariants_allow_void(fw_controller_invariants_t * invariants, int32_t robot)
{
  for (int32_t k = 0; k < FW_INVARIANT_ROBOTS_MAX; ++k) {
    if (k == robot || robot < 0) {
      invariants->releases[k].may_be_void = true;
      invariants->releases[k].was_void = false;
    }
  }
}

void fw__controller_invariants_forget_release(fw_controller_invariants_t * invariants, int32_t robot)
{
  invariants->releases[robot].count = 0;
  fw__controller_invariants_allow_void(invariants, robot);
}

void fw__controller_invariants_note_state(
  fw_controller_invariants_t * invariants, int32_t robot, const fw_execution_status_t * status)
{
  const bool is_short = status->state == FW_EXECUTION_OBSTRUCTED || status->state == FW_EXECUTION_WITHDRAWN ||
                        status->stop_at < status->released;
  invariants->releases[robot].is_short = is_short;
  invariants->releases[robot].may_shrink = invariants->releases[robot].may_shrink || is_short;
}

static bool passes(const fw_controller_path_t * path, fw_pose_t pose, bool has_heading)
{
  for (int32_t k = 0; k < path->count; ++k) {
    const fw_timed_waypoint_t * at = &path->waypoints[k];
    const bool is_turned = has_heading && !isnan(at->yaw) && !isnan(pose.yaw) &&
                           fabs(remainder(at->yaw - pose.yaw, 6.283185307179586)) > 1e-3;
    if (hypot(at->point.x - pose.point.x, at->point.y - pose.point.y) <= NEAR && !is_turned) {
      return true;
    }
  }
  return false;
}

// A robot that stands where its release ends loses nothing by "stay".
static bool is_near_end(const fw_watched_release_t * watched, const fw_path_robot_t * body)
{
  const fw_point_t end = watched->path[watched->count - 1].point;
  return hypot(end.x - body->pose.point.x, end.y - body->pose.point.y) <= 0.3 * body->cell_size;
}

// How far a robot is from the path that it was given, in metres.
static double off_path(const fw_watched_release_t * watched, fw_point_t point)
{
  double nearest = INFINITY;
  for (int32_t k = 0; k < watched->count; ++k) {
    const fw_point_t a = watched->path[k].point, b = watched->path[k + 1 < watched->count ? k + 1 : k].point;
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    const double along = square > 0.0 ? ((point.x - a.x) * dx + (point.y - a.y) * dy) / square : 0.0;
    const double share = fmin(fmax(along, 0.0), 1.0);
    nearest = fmin(nearest, hypot(a.x + share * dx - point.x, a.y + share * dy - point.y));
  }
  return nearest;
}

void fw__controller_invariants_check_release(
  fw_controller_invariants_t * invariants, int32_t robot, const fw_controller_path_t * path,
  const fw_path_robot_t * body)
{
  fw_watched_release_t * watched = &invariants->releases[robot];
  if (path->count == 0) {
    // A robot that was told to stay on a motion begins beside its next path. If it does not drive, it is planned for
    // where it stands.
    const bool is_beside = off_path(watched, body->pose.point) > BESIDE_CELLS * body->cell_size;
    const bool is_at_end = watched->count > 0 && is_near_end(watched, body);
    if (watched->count > 0 && !watched->may_be_void && !body->has_strayed && !is_beside && !is_at_end) {
      fw__controller_invariants_fail(
        invariants, "robot %d obeyed, and is told to stay: its release of %d poses is void", robot, watched->count);
    }
    watched->was_void = true;
  } else {
    const bool was_cut = watched->count > 0 && !passes(path, watched->path[watched->count - 1], body->has_heading);
    // One that was carried past its end, onto its plan, goes on from there.
    if (was_cut && !watched->may_shrink && !watched->was_void && !body->has_strayed) {
      fw__controller_invariants_fail(
        invariants, "the release of robot %d shrinks: it ended at (%.3f, %.3f), and the next one does not pass there",
        robot, watched->path[watched->count - 1].point.x, watched->path[watched->count - 1].point.y);
    }
    double nearest = INFINITY;
    for (int32_t k = 0; k < path->count; ++k) {
      nearest = fmin(
        nearest,
        hypot(path->waypoints[k].point.x - body->pose.point.x, path->waypoints[k].point.y - body->pose.point.y));
    }
    if (watched->count == 0 && nearest > 1.5 * body->cell_size && !body->has_strayed) {
      fw__controller_invariants_fail(
        invariants, "the release of robot %d begins %.3f m from it, at (%.3f, %.3f)", robot, nearest,
        path->waypoints[0].point.x, path->waypoints[0].point.y);
    }
    if (watched->was_void) {
      watched->may_be_void = false;
      watched->was_void = false;
    }
    watched->may_shrink = watched->is_short;  // the robot may be past its end already
  }
  watched->count = 0;
  for (int32_t k = 0; k < path->count && k < FW_PATH_ROBOT_POSES_MAX; ++k) {
    watched->path[watched->count++] = (fw_pose_t){path->waypoints[k].point, path->waypoints[k].yaw};
  }
}

// ---- areas

// Had the robot been released this motion before?
static bool is_committed(const fw_watched_release_t * watched, fw_point_t from, fw_point_t to)
{
  bool is_there = false;
  for (int32_t k = 0; k + 1 < watched->count && !is_there; ++k) {
    const fw_point_t a = watched->path[k].point, b = watched->path[k + 1].point;
    is_there = hypot(a.x - from.x, a.y - from.y) <= NEAR && hypot(b.x - to.x, b.y - to.y) <= NEAR;
  }
  return is_there;
}

// Is the robot between the two ends of the motion?
static bool is_on_motion(const fw_path_robot_t * body, fw_point_t from, fw_point_t to)
{
  const fw_watched_release_t motion = {.path = {{from, 0.0}, {to, 0.0}}, .count = 2};
  const fw_point_t at = body->pose.point;
  return off_path(&motion, at) < BESIDE_CELLS * body->cell_size &&
         hypot(at.x - from.x, at.y - from.y) > 0.05 * body->cell_size;
}

// The motion of a path that is nearest to the robot; those before it are behind the robot, which never drives back.
static int32_t motion_of(const fw_path_robot_t * body, const fw_controller_path_t * path)
{
  int32_t motion = 0;
  double nearest = INFINITY;
  for (int32_t k = 0; k + 1 < path->count; ++k) {
    const fw_watched_release_t one = {
      .path = {{path->waypoints[k].point, 0.0}, {path->waypoints[k + 1].point, 0.0}}, .count = 2};
    const double off = off_path(&one, body->pose.point);
    motion = off <= nearest + NEAR ? k : motion;
    nearest = fmin(nearest, off);
  }
  return motion;
}

static bool is_centre(const fw_map_frame_t * frame, fw_cell_t cell, fw_point_t point)
{
  const fw_point_t centre = cell == FW_CELL_NONE ? point : fw__map_frame_point(frame, cell);
  return cell != FW_CELL_NONE && hypot(centre.x - point.x, centre.y - point.y) <= NEAR;
}

// Does a way out of a keepout lead against a one-way area at this cell? Then all may drive so there; see escape.h.
static bool is_lifted(const fw_escapes_t * escapes, fw_cell_t cell)
{
  bool is_lifted = false;
  for (int32_t k = 0; k < escapes->lifted_count; ++k) {
    is_lifted = is_lifted || escapes->lifted[k].cell == cell;
  }
  return is_lifted;
}

// Between the centres of two cells; elsewhere a robot comes from where it stands, and no cell is left or entered.
static bool goes_against(const fw_area_site_t * site, fw_point_t from, fw_point_t to)
{
  const fw_world_areas_t * areas = site->areas;
  const fw_map_frame_t * frame = &areas->frame;
  const fw_cell_t a = fw__map_frame_cell(frame, from), b = fw__map_frame_cell(frame, to);
  if (
    a == b || !is_centre(frame, a, from) || !is_centre(frame, b, to) || is_lifted(site->escapes, a) ||
    is_lifted(site->escapes, b)) {
    return false;
  }
  const fw_offset_t one = {a % frame->width, a / frame->width}, two = {b % frame->width, b / frame->width};
  return fw__world_areas_forbid(areas, one, two);
}

void fw__controller_invariants_check_areas(
  fw_controller_invariants_t * invariants, int32_t robot, const fw_controller_path_t * path,
  const fw_area_site_t * site)
{
  const fw_watched_release_t * watched = &invariants->releases[robot];
  const bool is_inside = site->areas->count > 0 && fw__world_areas_touch(site->areas, site->body);
  for (int32_t k = motion_of(site->body, path); site->areas->count > 0 && k + 1 < path->count; ++k) {
    const fw_timed_waypoint_t from = path->waypoints[k], to = path->waypoints[k + 1];
    fw_path_robot_t before = *site->body, after = *site->body;
    before.pose = (fw_pose_t){from.point, isnan(from.yaw) ? site->body->pose.yaw : from.yaw};
    after.pose = (fw_pose_t){to.point, isnan(to.yaw) ? site->body->pose.yaw : to.yaw};
    if (is_committed(watched, from.point, to.point) || is_on_motion(site->body, from.point, to.point)) {
      continue;
    }
    const bool was_inside = fw__world_areas_touch(site->areas, &before);
    if (!was_inside && goes_against(site, from.point, to.point)) {
      fw__controller_invariants_fail(
        invariants, "robot %d is released against a one-way area, from (%.3f, %.3f) to (%.3f, %.3f)", robot,
        from.point.x, from.point.y, to.point.x, to.point.y);
    }
    if (!was_inside && !is_inside && fw__world_areas_touch(site->areas, &after)) {
      fw__controller_invariants_fail(
        invariants, "robot %d is released into a keepout, from (%.3f, %.3f) to (%.3f, %.3f)", robot, from.point.x,
        from.point.y, to.point.x, to.point.y);
    }
  }
}

// ---- goals

void fw__controller_invariants_forget_goals(fw_controller_invariants_t * invariants) { invariants->goal_count = 0; }

fw_watched_goal_t * fw__controller_invariants_find_goal(fw_controller_invariants_t * invariants, uint64_t id)
{
  for (int32_t k = 0; k < invariants->goal_count; ++k) {
    if (invariants->goals[k].id == id) {
      return &invariants->goals[k];
    }
  }
  return NULL;
}

void fw__controller_invariants_add_goal(
  fw_controller_invariants_t * invariants, uint64_t id, int32_t robot, int64_t now_ns)
{
  if (fw__controller_invariants_find_goal(invariants, id) != NULL) {
    fw__controller_invariants_fail(invariants, "two goals have the id %llu", (unsigned long long)id);
  } else if (invariants->goal_count < FW_INVARIANT_GOALS_MAX) {
    int32_t at = invariants->goal_count++;
    for (; at > 0 && invariants->goals[at - 1].id > id; --at) {
      invariants->goals[at] = invariants->goals[at - 1];
    }
    invariants->goals[at] = (fw_watched_goal_t){.id = id, .robot = robot, .accepted_ns = now_ns};
  }
}

void fw__controller_invariants_restart_goals(fw_controller_invariants_t * invariants, int64_t told_ns)
{
  for (int32_t k = 0; k < invariants->goal_count; ++k) {
    fw_watched_goal_t * goal = &invariants->goals[k];
    goal->was_activated = false;
    goal->may_skip_active = goal->may_skip_active || goal->state == FW_WATCHED_ACCEPTED;
    goal->may_repeat = goal->state == FW_WATCHED_ENDED && goal->ended_ns >= told_ns;
  }
}

// The end of a goal that has ended already: fine if nobody may know yet that it was told.
static void check_repeated_end(
  fw_controller_invariants_t * invariants, fw_watched_goal_t * goal, const fw_goal_event_t * event)
{
  const bool is_same = event->kind == goal->end || goal->is_doubtful;
  if (!goal->may_repeat || !is_same) {
    fw__controller_invariants_fail(
      invariants, "goal %llu has ended (%s), and is %s again", (unsigned long long)event->id,
      fw_goal_event_kind_name(goal->end), fw_goal_event_kind_name(event->kind));
  }
  goal->may_repeat = goal->is_doubtful;
}

void fw__controller_invariants_check_event(
  fw_controller_invariants_t * invariants, const fw_goal_event_t * event, int32_t slot_robot, int64_t now_ns)
{
  fw_watched_goal_t * goal = fw__controller_invariants_find_goal(invariants, event->id);
  const unsigned long long id = event->id;
  if (goal == NULL) {
    fw__controller_invariants_fail(
      invariants, "an event (%s) of goal %llu, which was never accepted", fw_goal_event_kind_name(event->kind), id);
    return;
  }
  if (goal->robot != slot_robot && slot_robot >= 0) {
    fw__controller_invariants_fail(
      invariants, "goal %llu of robot %d is reported for robot %d", id, goal->robot, slot_robot);
  }
  if (goal->state == FW_WATCHED_ENDED) {
    check_repeated_end(invariants, goal, event);
    return;
  }
  if (event->kind == FW_GOAL_ACTIVE && goal->was_activated) {
    fw__controller_invariants_fail(invariants, "goal %llu becomes active twice", id);
  }
  if (event->kind == FW_GOAL_REACHED && goal->state != FW_WATCHED_ACTIVE && !goal->may_skip_active) {
    fw__controller_invariants_fail(invariants, "goal %llu is reached and was never active", id);
  }
  if (event->kind == FW_GOAL_ACTIVE) {
    goal->state = FW_WATCHED_ACTIVE;
    goal->was_activated = true;
  } else if (event->kind != FW_GOAL_ACCEPTED) {
    goal->state = FW_WATCHED_ENDED;
    goal->end = event->kind;
    goal->ended_ns = now_ns;
  }
}

void fw__controller_invariants_check_goals(
  fw_controller_invariants_t * invariants, int32_t robot, const fw_controller_robot_status_t * status)
{
  int32_t live = 0;
  uint64_t first = 0;
  for (int32_t k = 0; k < invariants->goal_count; ++k) {
    const fw_watched_goal_t * goal = &invariants->goals[k];
    if (goal->robot == robot && goal->state != FW_WATCHED_ENDED) {
      first = live == 0 ? goal->id : first;
      live += 1;
    }
  }
  const int32_t shown = (status->goal != 0 ? 1 : 0) + status->goals_left;
  if (live != shown || first != status->goal) {
    fw__controller_invariants_fail(
      invariants,
      "robot %d has %d goals that have not ended, the first is %llu; the controller shows %d, the first %llu", robot,
      live, (unsigned long long)first, shown, (unsigned long long)status->goal);
  }
}

// ---- work

void fw__controller_invariants_check_work(fw_controller_invariants_t * invariants, const fw_update_work_t * work)
{
  const struct {
    const char * name;
    int64_t count, most;
  } rows[] = {
    {"log lines", work->log_lines, 10 + 6 * work->robots},
    {"allocations", work->allocations, 100 + 40 * work->robots},
    {"disk calls", work->disk_calls, 20},
    {"computed times", work->retimed, 20 * (work->waypoints + 10)},
  };
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
    if (rows[k].count > rows[k].most) {
      fw__controller_invariants_fail(
        invariants, "%lld %s in one update, for %lld robots and %lld waypoints", (long long)rows[k].count, rows[k].name,
        (long long)work->robots, (long long)work->waypoints);
    }
  }
}
