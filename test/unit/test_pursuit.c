// Pursuit: a unicycle with limits, latency and noise follows released lines, cuts no corner and stops at their ends.

#include "motion/pursuit.h"

#include <math.h>

#include "base/rng.h"
#include "support/test.h"

static const double QUARTER = 1.57079632679489661923;
static const double STEP = 0.02;  // seconds, of the body; poses come every POSE_STEPS

enum { POSE_STEPS = 3, STALE_STEPS = 3, HISTORY = 8 };

static const fw_pursuit_options_t OPTIONS = {
  .limits = {.speed = 1.0, .turn_rate = 2.0, .acceleration = 1.0, .turn_acceleration = 6.0},
  .deceleration = 1.0,
  .lookahead = 0.3,
  .corner = 0.3,
  .heading_tolerance = 0.05,
  .tolerance = 0.02,
  .reaction = 0.15,
};

// A body that executes what it was told some steps ago, and is measured with noise.
typedef struct drive_t {
  fw_pursuit_t pursuit;
  fw_pursuit_options_t options;
  fw_polyline_t release;
  fw_pose2d_t pose;
  double stood;  // seconds without a move and without a turn
  fw_twist_t twist;
  fw_twist_t told[HISTORY];
  double noise;
  double seconds;
  double off_line_max;  // of the true pose
  double jerk_max;      // largest change of speed in a step
  fw_pursuit_command_t command;
  fw_rng_t rng;
  int64_t steps;
} drive_t;

static drive_t drive_at(double x, double y, double yaw)
{
  return (drive_t){.options = OPTIONS, .pose = {x, y, yaw}, .rng = fw__rng(7)};
}

static void end(drive_t * drive)
{
  fw__pursuit_fini(&drive->pursuit);
  fw__polyline_fini(&drive->release);
}

static double uniform(drive_t * drive) { return (double)(fw__rng_next(&drive->rng) >> 11) * 0x1p-52 - 1.0; }

static void add(drive_t * drive, double x, double y, double yaw)
{
  fw__polyline_append(&drive->release, (fw_polyline_point_t){.pose = {x, y, yaw}});
  assert_false(drive->release.has_failed);
}

static void take(drive_t * drive)
{
  assert_int_equal(fw__pursuit_set_path(&drive->pursuit, &drive->release, &drive->pose, &drive->options), FW_RET_OK);
}

static double off_line(const drive_t * drive)
{
  double best = INFINITY;
  const fw_polyline_t * line = &drive->pursuit.line;
  for (int32_t i = 0; i < line->count; ++i) {
    const fw_pose2d_t *one = &line->points[i].pose, *two = &line->points[i + 1 < line->count ? i + 1 : i].pose;
    const double dx = two->x - one->x, dy = two->y - one->y, square = dx * dx + dy * dy;
    double along = square > 0 ? ((drive->pose.x - one->x) * dx + (drive->pose.y - one->y) * dy) / square : 0;
    along = fmin(fmax(along, 0), 1);
    best = fmin(best, hypot(drive->pose.x - one->x - along * dx, drive->pose.y - one->y - along * dy));
  }
  return best;
}

static void step(drive_t * drive)
{
  if (drive->steps % POSE_STEPS == 0) {
    fw_pose2d_t seen = drive->pose;
    seen.x += drive->noise * uniform(drive);
    seen.y += drive->noise * uniform(drive);
    drive->command = fw__pursuit_step(&drive->pursuit, &seen, POSE_STEPS * STEP, &drive->options);
  }
  drive->told[drive->steps % HISTORY] = drive->command.twist;
  const fw_twist_t told = drive->told[(drive->steps + HISTORY - STALE_STEPS) % HISTORY];
  const fw_twist_limits_t body = {.speed = 2, .turn_rate = 4, .acceleration = 2.5, .turn_acceleration = 12};
  const double before = drive->twist.speed;
  drive->twist = fw__twist_toward(drive->twist, told, STEP, &body);
  drive->jerk_max = fmax(drive->jerk_max, fabs(drive->twist.speed - before));
  drive->pose = fw__pose2d_after(drive->pose, drive->twist, STEP);
  drive->off_line_max = fmax(drive->off_line_max, off_line(drive));
  drive->seconds += STEP;
  drive->stood +=
    hypot(drive->twist.speed, drive->twist.sideways) < 0.02 && fabs(drive->twist.turn_rate) < 0.05 ? STEP : 0;
  ++drive->steps;
}

static bool stands(fw_twist_t twist) { return twist.speed == 0 && twist.turn_rate == 0 && twist.sideways == 0; }

static bool has_come(const drive_t * drive)
{
  return drive->command.is_at_end && stands(drive->twist) && stands(drive->command.twist);
}

static void run(drive_t * drive, double bound)
{
  for (const double end_seconds = drive->seconds + bound; drive->seconds < end_seconds;) {
    step(drive);
    if (has_come(drive) && drive->steps % POSE_STEPS == 1) {
      return;
    }
  }
  fail_msg("not at the end after %g s: at %g, %g", drive->seconds, drive->pose.x, drive->pose.y);
}

static void assert_at(const drive_t * drive, double x, double y, double within)
{
  const fw_pose2d_t goal = {x, y, 0};
  if (fw__pose2d_distance(&drive->pose, &goal) > within) {
    fail_msg("at %g, %g instead of %g, %g", drive->pose.x, drive->pose.y, x, y);
  }
}

static void it_drives_a_straight_line_and_stops_at_its_end(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0, 0, 0);
  for (int32_t i = 0; i <= 8; ++i) {
    add(&drive, 0.5 * i, 0, 0);
  }
  take(&drive);
  double farthest = 0, fastest = 0;
  for (int32_t i = 0; i < 500; ++i) {
    step(&drive);
    farthest = fmax(farthest, drive.pose.x);
    fastest = fmax(fastest, drive.twist.speed);
  }
  assert_true(has_come(&drive));
  assert_at(&drive, 4, 0, 0.025);
  assert_true(farthest < 4.02);
  assert_true(fastest > 0.9 && fastest <= 1.0);
  assert_true(drive.off_line_max < 0.021);
  end(&drive);
}

static void it_stops_and_turns_at_a_corner_rather_than_cut_it(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0, 0, 0);
  add(&drive, 0, 0, 0);
  add(&drive, 2, 0, QUARTER);
  add(&drive, 2, 2, -QUARTER);
  add(&drive, 2, 1, -QUARTER);  // and half of the way back
  take(&drive);
  run(&drive, 30);
  assert_at(&drive, 2, 1, 0.03);
  assert_true(drive.off_line_max < OPTIONS.tolerance);
  assert_true(fabs(fw__shortest_angular_distance(drive.pose.yaw, -QUARTER)) < 0.12);
  end(&drive);
}

// Braking, turning and starting overlap: a corner takes little longer than its turn. Yet the line is kept.
static void a_corner_costs_less_than_its_parts_one_after_the_other(void ** state)
{
  (void)state;
  drive_t straight = drive_at(0, 0, 0), bent = drive_at(0, 0, 0);
  add(&straight, 0, 0, 0);
  add(&straight, 8, 0, 0);
  take(&straight);
  run(&straight, 30);
  add(&bent, 0, 0, 0);
  add(&bent, 2, 0, QUARTER);
  add(&bent, 2, 2, QUARTER);
  add(&bent, 4, 2, 0);
  add(&bent, 4, 4, QUARTER);
  take(&bent);
  run(&bent, 30);
  assert_at(&bent, 4, 4, 0.03);
  assert_true(bent.off_line_max < OPTIONS.tolerance);
  // One after the other: 1 s to brake and 1 s to start instead of 1 s at full speed, and a turn at 2 rad/s with 1/3 s
  // to gather speed, its braking included.
  const double one_after_the_other = 1.0 + QUARTER / 2.0 + 1.0 / 3.0;
  const double corner = (bent.seconds - straight.seconds) / 3;
  if (corner > one_after_the_other - 0.1) {
    fail_msg("a corner costs %g s", corner);
  }
  assert_true(bent.stood < 0.5);  // at the end alone
  end(&straight);
  end(&bent);
}

static void the_end_has_the_exact_pose_and_yaw(void ** state)
{
  (void)state;
  for (int32_t k = 0; k < 2 * 8; ++k) {
    drive_t drive = drive_at(0, 0, 0);
    drive.options.is_holonomic = k >= 8;
    const double yaw = -3.0 + 0.8 * (k % 8);
    add(&drive, 0, 0, 0);
    add(&drive, 1.3, 0, 0);
    add(&drive, 1.3, 0, yaw);
    take(&drive);
    run(&drive, 20);
    assert_at(&drive, 1.3, 0, drive.options.tolerance);
    const double error = fabs(fw__shortest_angular_distance(drive.pose.yaw, yaw));
    if (error > drive.options.heading_tolerance) {
      fail_msg("yaw %g instead of %g", drive.pose.yaw, yaw);
    }
    end(&drive);
  }
}

static void a_holonomic_robot_goes_sideways_and_keeps_its_line(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0, 0, 0);
  drive.options.is_holonomic = true;
  add(&drive, 0, 0, 0);
  add(&drive, 0, 2, 0);
  add(&drive, -2, 2, 0);
  take(&drive);
  double turned = 0, fastest = 0;
  while (!has_come(&drive) && drive.seconds < 20) {
    step(&drive);
    turned = fmax(turned, fabs(drive.pose.yaw));
    fastest = fmax(fastest, hypot(drive.twist.speed, drive.twist.sideways));
  }
  assert_at(&drive, -2, 2, 0.025);
  assert_true(turned < 0.01);
  assert_true(fastest > 0.9 && fastest <= 1.01);
  assert_true(drive.off_line_max < OPTIONS.tolerance);
  end(&drive);
}

static void a_holonomic_robot_turns_as_it_goes(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0, 0, QUARTER);
  drive.options.is_holonomic = true;
  drive.noise = 0.003;
  for (int32_t k = 0; k <= 4; ++k) {
    add(&drive, k, 0, 0);
  }
  add(&drive, 4, 3, QUARTER);
  take(&drive);
  run(&drive, 20);
  assert_at(&drive, 4, 3, 0.03);
  assert_true(drive.off_line_max < 0.05);
  assert_true(fabs(fw__shortest_angular_distance(drive.pose.yaw, QUARTER)) <= OPTIONS.heading_tolerance);
  assert_true(drive.seconds < 10.5);
  // Pushed aside, it comes back without a manoeuvre.
  drive.pose.x += 0.1;
  for (int32_t i = 0; i < 150; ++i) {
    step(&drive);
  }
  assert_at(&drive, 4, 3, 0.035);
  end(&drive);
}

static void it_turns_first_when_it_looks_the_other_way(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0, 0, 3.0);
  add(&drive, 0, 0, 0);
  add(&drive, 1, 0, 0);
  take(&drive);
  double behind = 0;
  while (!has_come(&drive) && drive.seconds < 20) {
    step(&drive);
    behind = fmin(behind, drive.pose.x);
  }
  assert_at(&drive, 1, 0, 0.025);
  assert_true(behind > -0.005);
  end(&drive);
}

static void a_release_that_goes_on_is_not_noticed(void ** state)
{
  (void)state;
  drive_t once = drive_at(0, 0, 0), grown = drive_at(0, 0, 0);
  for (int32_t i = 0; i <= 12; ++i) {
    add(&once, 0.5 * i, 0, 0);
  }
  take(&once);
  run(&once, 30);
  int32_t known = 0;
  for (int32_t i = 0; i <= 4; ++i) {
    add(&grown, 0.5 * i, 0, 0);
  }
  take(&grown);
  double slowest = INFINITY;
  while (grown.seconds < 30 && !(has_come(&grown) && known == 12)) {
    step(&grown);
    // Two metres ahead, written anew from the waypoint that was passed last, as the planner does.
    const int32_t passed = (int32_t)floor(grown.pose.x / 0.5 + 0.01);
    if (passed + 4 > known && known < 12 && passed >= 0) {
      known = passed + 4 < 12 ? passed + 4 : 12;
      fw__polyline_clear(&grown.release);
      for (int32_t i = passed; i <= known; ++i) {
        add(&grown, 0.5 * i, 0, 0);
      }
      take(&grown);
    }
    slowest = grown.pose.x > 1 && grown.pose.x < 4 ? fmin(slowest, grown.twist.speed) : slowest;
  }
  assert_at(&grown, 6, 0, 0.025);
  assert_true(slowest > 0.95);
  assert_true(fabs(grown.seconds - once.seconds) < 0.2);
  assert_true(grown.jerk_max <= once.jerk_max + 0.001);
  end(&once);
  end(&grown);
}

static void it_goes_there_and_back_on_one_line(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0, 0, 0);
  add(&drive, 0, 0, 0);
  add(&drive, 0.5, 0, 0);
  add(&drive, 0.5, 0, 0);  // a wait
  add(&drive, 0, 0, 0);
  add(&drive, 0, 0.5, 0);
  take(&drive);
  double farthest = 0;
  while (!has_come(&drive) && drive.seconds < 30) {
    step(&drive);
    farthest = fmax(farthest, drive.pose.x);
    if (drive.steps == 150) {  // the same once more, under way: nothing is skipped
      take(&drive);
    }
  }
  assert_at(&drive, 0, 0.5, 0.03);
  assert_true(farthest > 0.47 && farthest < 0.53);
  end(&drive);
}

static void a_line_that_begins_at_the_next_waypoint_is_joined_there(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0, 0, 0);
  add(&drive, 0, 0, 0);
  add(&drive, 1, 0, 0);
  take(&drive);
  while (drive.pose.x < 0.9) {
    step(&drive);
  }
  // The planner takes it to be there already, and goes on to the left.
  fw__polyline_clear(&drive.release);
  add(&drive, 1, 0, QUARTER);
  add(&drive, 1, 1, QUARTER);
  take(&drive);
  run(&drive, 20);
  assert_at(&drive, 1, 1, 0.03);
  assert_true(drive.off_line_max < 0.03);
  end(&drive);
}

static void turns_on_the_spot_are_taken_in_their_order(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0, 0, 0);
  add(&drive, 0, 0, 0);
  add(&drive, 0, 0, -QUARTER);  // the way round is given, although the other one is as short
  add(&drive, 0, 0, -2 * QUARTER);
  add(&drive, -0.5, 0, -2 * QUARTER);
  take(&drive);
  double least = 0, most = 0;
  while (!has_come(&drive) && drive.seconds < 20) {
    step(&drive);
    if (drive.pose.x > -0.1 && fabs(drive.pose.yaw) < 3) {
      least = fmin(least, drive.pose.yaw);
      most = fmax(most, drive.pose.yaw);
    }
  }
  assert_at(&drive, -0.5, 0, 0.03);
  assert_true(least < -2.5 && most < 0.1);
  end(&drive);
}

// The way back is nearer to the robot than the turns that come before it.
static void a_new_path_is_not_joined_behind_turns_that_were_not_made(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0.97, 0, 0);
  add(&drive, 1, 0, 0);
  add(&drive, 1, 0, -QUARTER);
  add(&drive, 1, 0, 2 * QUARTER);
  add(&drive, 0, 0, 2 * QUARTER);
  take(&drive);
  double least = 0, most = 0;
  while (!has_come(&drive) && drive.seconds < 20) {
    step(&drive);
    least = fmin(least, drive.pose.yaw);
    most = fmax(most, drive.pose.x > 0.9 && fabs(drive.pose.yaw) < 3 ? drive.pose.yaw : 0);
  }
  assert_at(&drive, 0, 0, 0.03);
  assert_true(least < -2.5 && most < 0.1);
  end(&drive);
}

// Who was started again in the middle of a path goes on where its heading is.
static void a_path_is_joined_behind_turns_that_were_made(void ** state)
{
  (void)state;
  drive_t drive = drive_at(1, 0, 2 * QUARTER);
  add(&drive, 1, 0, 0);
  add(&drive, 1, 0, QUARTER);
  add(&drive, 1, 0, 2 * QUARTER);
  add(&drive, 0, 0, 2 * QUARTER);
  take(&drive);
  while (!has_come(&drive) && drive.seconds < 20) {
    step(&drive);
    assert_true(fabs(drive.pose.yaw) > 3);
  }
  assert_at(&drive, 0, 0, 0.03);
  end(&drive);
}

// For a body that needs room to turn: not before the place that the plan has for it.
static void a_planned_turn_does_not_begin_early(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0, 0, 0);
  add(&drive, 0, 0, 0);
  add(&drive, 1, 0, 0);
  add(&drive, 1, 0, QUARTER);
  add(&drive, 1, 1, QUARTER);
  take(&drive);
  while (!has_come(&drive) && drive.seconds < 20) {
    step(&drive);
    if (fabs(drive.pose.yaw) > 0.02 && drive.pose.y < 0.05) {
      assert_true(fabs(drive.pose.x - 1) <= OPTIONS.tolerance);
    }
  }
  assert_at(&drive, 1, 1, 0.03);
  end(&drive);
}

static void an_empty_release_stops_it_softly(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0, 0, 0);
  add(&drive, 0, 0, 0);
  add(&drive, 5, 0, 0);
  take(&drive);
  for (int32_t i = 0; i < 100; ++i) {
    step(&drive);
  }
  assert_true(drive.twist.speed > 0.9);
  fw__polyline_clear(&drive.release);
  take(&drive);
  const double x = drive.pose.x;
  run(&drive, 3);
  assert_true(drive.pose.x - x > 0.1 && drive.pose.x - x < 0.6);
  end(&drive);
}

static void a_robot_beside_its_line_comes_to_it(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0.1, 0.12, 0);
  add(&drive, 0, 0, 0);  // only this: the middle of its cell
  take(&drive);
  run(&drive, 20);
  assert_at(&drive, 0, 0, 0.04);
  end(&drive);

  drive = drive_at(1.2, 0.3, 2);
  add(&drive, 0, 0, 0);
  add(&drive, 3, 0, 0);
  take(&drive);
  run(&drive, 20);
  assert_at(&drive, 3, 0, 0.04);
  end(&drive);
}

static void what_was_overshot_is_driven_back(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0, 0, 0);
  add(&drive, 0, 0, 0);
  add(&drive, 1, 0, 0);
  take(&drive);
  run(&drive, 20);
  drive.pose.x = 1.08;  // pushed
  for (int32_t i = 0; i < 200; ++i) {
    step(&drive);
  }
  assert_at(&drive, 1, 0, 0.05);
  assert_true(has_come(&drive));
  end(&drive);
}

// Ways over a grid in random steps, with a release that grows as the robot goes, under noise.
// A planner that was started again releases (0,0) to (1,0) when its predecessor had released up to (3,0).
static void a_release_that_ends_before_the_robot_is_driven_back_to(void ** state)
{
  (void)state;
  drive_t drive = drive_at(0, 0, 0);
  for (int32_t x = 0; x <= 3; ++x) {
    add(&drive, x, 0, 0);
  }
  take(&drive);
  for (int32_t i = 0; i < 1000 && drive.pose.x < 1.5; ++i) {
    step(&drive);
  }
  assert_true(drive.pursuit.position.index == 1);
  fw__polyline_clear(&drive.release);
  add(&drive, 0, 0, 0);
  add(&drive, 1, 0, 0);
  take(&drive);
  assert_true(drive.pursuit.position.index + 1 < drive.pursuit.line.count);
  run(&drive, 60);
  assert_at(&drive, 1, 0, 0.06);
  // And one point only, behind it.
  fw__polyline_clear(&drive.release);
  add(&drive, 0, 0, 0);
  take(&drive);
  assert_true(drive.pursuit.position.index < drive.pursuit.line.count);
  step(&drive);
  end(&drive);
}

static void random_paths_are_followed_within_what_cells_have_to_spare(void ** state)
{
  (void)state;
  const int32_t dx[] = {1, 0, -1, 0}, dy[] = {0, 1, 0, -1};
  double worst = 0;
  for (int32_t round = 0; round < test_rounds(20); ++round) {
    drive_t drive = drive_at(0, 0, 0);
    drive.rng = fw__rng((uint64_t)round);
    drive.noise = round % 2 == 0 ? 0 : 0.01;
    fw_polyline_t path = {0};
    fw_pose2d_t at = {0, 0, 0};
    fw__polyline_append(&path, (fw_polyline_point_t){.pose = at});
    for (int32_t i = 0; i < 30; ++i) {
      const int32_t move = fw__rng_below(&drive.rng, 5);
      if (move < 4) {
        at.x += 0.5 * dx[move];
        at.y += 0.5 * dy[move];
        at.yaw = move * QUARTER;
      }
      fw__polyline_append(&path, (fw_polyline_point_t){.pose = at});
    }
    int32_t first = 0, last = 0;
    while (last < path.count - 1 || !has_come(&drive)) {
      assert_true(drive.seconds < 200);
      const bool is_near = fw__pose2d_distance(&drive.pose, &path.points[last].pose) < 0.05;
      if (
        drive.steps % 10 == 0 && last < path.count - 1 && (is_near || fw__rng_below(&drive.rng, 4) == 0) &&
        last - first < 6) {
        ++last;
      }
      while (first < last && fw__pose2d_distance(&drive.pose, &path.points[first + 1].pose) < 0.05) {
        ++first;  // as the planner sees it: a waypoint that is reached is behind
      }
      if (drive.steps % 10 == 0) {
        fw__polyline_clear(&drive.release);
        fw__polyline_append_range(&drive.release, &path, first, last + 1);
        take(&drive);
      }
      step(&drive);
    }
    assert_at(&drive, at.x, at.y, 0.05);
    worst = fmax(worst, drive.off_line_max);
    fw__polyline_fini(&path);
    end(&drive);
  }
  assert_true(worst < 0.05);
}

static void an_arc_ends_where_many_small_steps_do(void ** state)
{
  (void)state;
  const fw_twist_t twist = {.speed = 0.7, .turn_rate = -1.3, .sideways = 0.4};
  const fw_pose2d_t start = {1, 2, 0.4};
  const fw_pose2d_t once = fw__pose2d_after(start, twist, 1.5);
  fw_pose2d_t often = start;
  for (int32_t i = 0; i < 1500; ++i) {
    often = fw__pose2d_after(often, twist, 0.001);
  }
  assert_true(fw__pose2d_distance(&once, &often) < 1e-9);
  assert_true(fabs(fw__shortest_angular_distance(once.yaw, often.yaw)) < 1e-9);
}

static void limits_hold(void ** state)
{
  (void)state;
  const fw_twist_limits_t limits = {.speed = 1, .turn_rate = 2, .acceleration = 0.5, .turn_acceleration = 0};
  fw_twist_t twist = {0};
  twist = fw__twist_toward(twist, (fw_twist_t){.speed = 9, .turn_rate = -9}, 0.1, &limits);
  assert_true(fabs(twist.speed - 0.05) < 1e-12 && twist.turn_rate == -2);
  twist = fw__twist_toward(twist, (fw_twist_t){.speed = 9, .turn_rate = -9}, 10, &limits);
  assert_true(twist.speed == 1);
}

static void a_polyline_whose_times_decrease_is_found(void ** state)
{
  (void)state;
  fw_polyline_t line = {0};
  assert_true(fw__polyline_validate(&line));
  for (int64_t i = 0; i < 100; ++i) {
    fw__polyline_append(&line, (fw_polyline_point_t){.time_ns = i / 2});
  }
  assert_false(line.has_failed);
  assert_true(fw__polyline_validate(&line));
  line.points[50].time_ns = 7;
  assert_false(fw__polyline_validate(&line));
  line.points[50].time_ns = 25;
  assert_true(fw__polyline_validate(&line));
  line.count = line.capacity + 1;
  assert_false(fw__polyline_validate(&line));
  fw__polyline_fini(&line);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(it_drives_a_straight_line_and_stops_at_its_end),
    cmocka_unit_test(it_stops_and_turns_at_a_corner_rather_than_cut_it),
    cmocka_unit_test(a_corner_costs_less_than_its_parts_one_after_the_other),
    cmocka_unit_test(the_end_has_the_exact_pose_and_yaw),
    cmocka_unit_test(a_holonomic_robot_goes_sideways_and_keeps_its_line),
    cmocka_unit_test(a_holonomic_robot_turns_as_it_goes),
    cmocka_unit_test(it_turns_first_when_it_looks_the_other_way),
    cmocka_unit_test(a_release_that_goes_on_is_not_noticed),
    cmocka_unit_test(it_goes_there_and_back_on_one_line),
    cmocka_unit_test(a_line_that_begins_at_the_next_waypoint_is_joined_there),
    cmocka_unit_test(turns_on_the_spot_are_taken_in_their_order),
    cmocka_unit_test(a_new_path_is_not_joined_behind_turns_that_were_not_made),
    cmocka_unit_test(a_path_is_joined_behind_turns_that_were_made),
    cmocka_unit_test(a_planned_turn_does_not_begin_early),
    cmocka_unit_test(an_empty_release_stops_it_softly),
    cmocka_unit_test(a_robot_beside_its_line_comes_to_it),
    cmocka_unit_test(what_was_overshot_is_driven_back),
    cmocka_unit_test(a_release_that_ends_before_the_robot_is_driven_back_to),
    cmocka_unit_test(random_paths_are_followed_within_what_cells_have_to_spare),
    cmocka_unit_test(an_arc_ends_where_many_small_steps_do),
    cmocka_unit_test(limits_hold),
    cmocka_unit_test(a_polyline_whose_times_decrease_is_found),
  };
  return TEST_RUN(tests);
}
