// Restart: a controller that is killed at any moment continues with its journal. Goals are known, each ends once, and
// nobody is released to where a robot may still drive by an earlier release.

#include "base/heap.h"
#include "support/memory_disk.h"
#include "test_controller_scene.h"

// ---- a scene with a disk --------------------------------------------------------------------------------------------

enum { LOGS_MAX = 16 };

typedef struct world_t {
  scene_t scene;
  disk_t * disk;
  fw_journal_io_t io;
  char logs[LOGS_MAX][256];  // the last errors and warnings
  int32_t log_count;
} world_t;

static void keep_log(void * context, fw_log_level_t level, const char * text)
{
  world_t * world = context;
  if (level >= FW_LOG_WARN) {
    (void)snprintf(world->logs[world->log_count++ % LOGS_MAX], sizeof world->logs[0], "%s", text);
  }
}

static bool has_logged(const world_t * world, const char * text)
{
  for (int32_t k = 0; k < LOGS_MAX; ++k) {
    if (strstr(world->logs[k], text) != NULL) {
      return true;
    }
  }
  return false;
}

static void make_world(world_t * world)
{
  memset(world, 0, sizeof *world);
  world->scene = scene_make();
  world->disk = disk_new();
  world->io = disk_io(world->disk);
  world->scene.options.journal = "journal";
  world->scene.options.journal_io = &world->io;
  world->scene.options.log = keep_log;
  world->scene.options.context = world;
}

static void end_world(world_t * world)
{
  scene_end(&world->scene);
  disk_delete(world->disk);
}

static void stop_controller(world_t * world)
{
  world->disk->is_stopped = true;  // nothing more reaches the disk
  fw_controller_fini(&world->scene.controller);
  for (int32_t k = 0; k < SCENE_ROBOTS_MAX; ++k) {
    world->scene.robots[k].revision = 0;
    world->scene.robots[k].has_reported = false;
  }
}

// As kill -9. Robots keep driving what they hold.
static void kill_controller(world_t * world)
{
  stop_controller(world);
  disk_restart(world->disk);
}

static void start_controller(world_t * world)
{
  scene_t * scene = &world->scene;
  assert_int_equal(fw_controller_init(&scene->controller, &scene->options, &scene->error), FW_RET_OK);
  assert_int_equal(scene_send_robots(scene), FW_RET_OK);
  assert_int_equal(scene_send_map(scene), FW_RET_OK);
}

static void restart_controller(world_t * world)
{
  kill_controller(world);
  start_controller(world);
}

// Robots drive while there is no controller.
static void drive_alone(world_t * world, double seconds)
{
  scene_t * scene = &world->scene;
  const int64_t end_ns = scene->now_ns + (int64_t)(seconds * 1e9);
  while (scene->now_ns < end_ns) {
    scene->now_ns += SCENE_STEP_NS;
    for (int32_t k = 0; k < SCENE_ROBOTS_MAX; ++k) {
      if (scene->robots[k].is_there && !scene->robots[k].is_broken) {
        scene_drive(&scene->robots[k], scene->speed * (double)SCENE_STEP_NS * 1e-9);
      }
    }
    scene_check_distances(scene);
  }
}

// One step during which a robot hears nothing: it keeps driving what it holds.
static void step_deaf(world_t * world, char name)
{
  static scene_robot_t held;
  scene_robot_t * robot = scene_robot(&world->scene, name);
  held = *robot;
  scene_step(&world->scene);
  memcpy(robot->path, held.path, sizeof robot->path);
  robot->count = held.count;
}

static const fw_controlled_robot_t * inside(const scene_t * scene, char name)
{
  return &scene->controller.impl->fleet.robots[scene_slot(scene, name)];
}

// ---- the corridor of a silent robot ---------------------------------------------------------------------------------

static void nobody_drives_through_a_silent_robot_after_a_restart(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "c....######", "###########", "a....b.....");
  scene_run(scene, 2.0);
  scene_robot(scene, 'b')->is_silent = true;
  scene_run(scene, 3.0);
  const uint64_t a = scene_goal(scene, 'a', 10, 2), c = scene_goal(scene, 'c', 4, 0);
  scene_run(scene, 1.0);
  restart_controller(&world);
  scene_run(scene, 60.0);
  assert_int_equal(scene_status(scene, 'a').goal, a);
  assert_int_equal(scene_ends(scene, a), 0);
  assert_true(scene_robot(scene, 'a')->at.x < scene_place(4.5, 0).x);
  // Others do not wait for it: its place is known.
  assert_false(scene_status(scene, 'b').has_pose);
  assert_int_equal(scene_count(scene, c, FW_GOAL_REACHED), 1);
  // Once it is heard and out of the way, everything goes on.
  scene_robot(scene, 'b')->is_silent = false;
  const uint64_t b = scene_goal(scene, 'b', 10, 2);
  scene_run(scene, 20.0);
  assert_int_equal(scene_count(scene, b, FW_GOAL_REACHED), 1);
  (void)scene_goal(scene, 'b', 9, 2);
  assert_int_equal(scene_ends(scene, a), 0);
  end_world(&world);
}

// Without its place nothing is released at all.
static void a_robot_that_the_journal_does_not_know_is_waited_for(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "a....b.....");
  scene_robot(scene, 'b')->is_silent = true;
  const uint64_t a = scene_goal(scene, 'a', 10, 0);
  scene_run(scene, 3.0);
  restart_controller(&world);
  scene_run(scene, 30.0);
  assert_int_equal(scene_released(scene, 'a').count, 0);
  assert_int_equal(scene_status(scene, 'a').goal, a);
  assert_non_null(strstr(fw_controller_status(&scene->controller, scene->now_ns).not_ready, "pose"));
  end_world(&world);
}

// ---- many robots ----------------------------------------------------------------------------------------------------

static uint64_t next_random(uint64_t * state)
{
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}

static const char * const HALL[] = {
  "a.b.c.d.e.f.", "..#...#...#.", "............", "g.h.i.j.k.l.", "..#...#...#.",
  "............", "m.n.o.p.q.r.", "..#...#...#.", "............", "s.t.u.v.w.x.",
};
enum { HALL_HEIGHT = 10, HALL_WIDTH = 12, HALL_ROBOTS = 24 };

// Gives each robot a goal of its own.
static void send_hall_goals(scene_t * scene, uint64_t * random, uint64_t ids[HALL_ROBOTS])
{
  bool is_taken[HALL_HEIGHT * HALL_WIDTH] = {false};
  for (int32_t k = 0; k < HALL_ROBOTS; ++k) {
    int32_t cell;
    do {
      cell = (int32_t)(next_random(random) % (HALL_HEIGHT * HALL_WIDTH));
    } while (is_taken[cell] || scene->values[cell] != 0);
    is_taken[cell] = true;
    ids[k] = scene_goal(scene, (char)('a' + k), cell % HALL_WIDTH, cell / HALL_WIDTH);
  }
}

// How many of the goals have ended. The end of one is told again if the caller took it just before a kill.
static int32_t count_ended(const scene_t * scene, const uint64_t * ids, int32_t count)
{
  int32_t ended = 0;
  for (int32_t k = 0; k < count; ++k) {
    const int32_t ends = scene_ends(scene, ids[k]);
    assert_int_equal(scene_count(scene, ids[k], FW_GOAL_REACHED), ends);
    ended += ends > 0 ? 1 : 0;
  }
  return ended;
}

static void many_robots_continue_after_kills_at_any_moment(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  int32_t kills_of_all = 0, moving_of_all = 0;
  for (int32_t seed = 1; seed <= test_rounds(60); ++seed) {
    uint64_t random = (uint64_t)seed, ids[HALL_ROBOTS];
    make_world(&world);
    scene->options.settings.expansions_max = 300000;
    scene_begin(scene, HALL, HALL_HEIGHT);
    scene_run(scene, 2.0);
    send_hall_goals(scene, &random, ids);
    int32_t kills = 0, moving = 0;
    for (int32_t step = 0; step < 3000 && count_ended(scene, ids, HALL_ROBOTS) < HALL_ROBOTS; ++step) {
      scene_step(scene);
      if (kills < 8 && next_random(&random) % 30 == 0) {
        ++kills;
        for (int32_t k = 0; k < HALL_ROBOTS; ++k) {
          moving += scene->robots[k].count > 1 ? 1 : 0;
        }
        kill_controller(&world);
        drive_alone(&world, (double)(next_random(&random) % 20) * 0.1);
        start_controller(&world);
        for (int32_t k = 0; k < HALL_ROBOTS; ++k) {
          const uint64_t goal = scene_status(scene, (char)('a' + k)).goal;
          assert_true(scene_ends(scene, ids[k]) > 0 ? goal == 0 : goal == ids[k]);
        }
      }
    }
    for (int32_t k = 0; k < HALL_ROBOTS; ++k) {
      if (scene_count(scene, ids[k], FW_GOAL_REACHED) < 1) {
        fail_msg(
          "seed %d: goal of %c is not reached: %s", seed, 'a' + k, scene_status(scene, (char)('a' + k)).fault_text);
      }
      assert_int_equal(scene_count(scene, ids[k], FW_GOAL_ACCEPTED), 1);
    }
    kills_of_all += kills;
    moving_of_all += moving;
    end_world(&world);
  }
  assert_true(kills_of_all >= 60 && moving_of_all > 300);
}

// A robot whose follower ended with the controller stands somewhere on its release, and gets it again.
static void followers_that_restart_too_continue(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  uint64_t random = 77, ids[HALL_ROBOTS];
  make_world(&world);
  scene->options.settings.expansions_max = 300000;
  scene_begin(scene, HALL, HALL_HEIGHT);
  scene_run(scene, 2.0);
  send_hall_goals(scene, &random, ids);
  for (int32_t round = 0; round < 6; ++round) {
    scene_run(scene, 3.3);
    kill_controller(&world);
    for (int32_t k = 0; k < HALL_ROBOTS; ++k) {
      scene->robots[k].count = k % 2 == 0 ? 0 : scene->robots[k].count;
    }
    start_controller(&world);
  }
  scene_run(scene, 120.0);
  assert_int_equal(count_ended(scene, ids, HALL_ROBOTS), HALL_ROBOTS);
  end_world(&world);
}

// ---- a kill at every update -----------------------------------------------------------------------------------------

typedef enum killing_t {
  KILL_BETWEEN,  // the robots have what was released
  KILL_UNHEARD,  // the journal has releases and ends of goals that nobody has heard of
  KILL_BEFORE,   // the update was not committed, and nobody has heard of it
  KILL_COUNT,
} killing_t;

static void make_swap(world_t * world, uint64_t ids[4])
{
  scene_t * scene = &world->scene;
  make_world(world);
  SCENE(scene, "a....#....b", ".....d.....", "c....#.....");
  scene_run(scene, 1.0);
  ids[0] = scene_goal(scene, 'a', 8, 1);
  ids[1] = scene_goal(scene, 'b', 0, 0);
  ids[2] = scene_goal(scene, 'd', 3, 1);
  ids[3] = scene_queue_goal(scene, 'a', 10, 2);
}

static void a_kill_at_every_update_changes_nothing_but_time(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  for (int32_t killing = 0; killing < KILL_COUNT; ++killing) {
    for (int32_t at = 0; at < 240; at += killing == KILL_BETWEEN ? 2 : 5) {
      uint64_t ids[4];
      make_swap(&world, ids);
      for (int32_t step = 0; step < at; ++step) {
        scene_step(scene);
      }
      if (killing != KILL_BETWEEN) {
        world.disk->is_stopped = killing == KILL_BEFORE;
        (void)fw_controller_update(&scene->controller, scene->now_ns + 1);
      }
      restart_controller(&world);
      scene_take_events(scene);  // ends that nobody has heard of
      assert_int_equal(
        count_ended(scene, ids, 4) + (scene_status(scene, 'a').goal != 0 ? 1 : 0) +
          scene_status(scene, 'a').goals_left + (scene_status(scene, 'b').goal != 0 ? 1 : 0) +
          (scene_status(scene, 'd').goal != 0 ? 1 : 0),
        4);
      for (int32_t step = 0; step < 1500 && count_ended(scene, ids, 4) < 4; ++step) {
        scene_step(scene);
      }
      for (int32_t k = 0; k < 4; ++k) {
        if (scene_count(scene, ids[k], FW_GOAL_REACHED) < 1) {
          fail_msg("killed (%d) at update %d: goal %d is not reached", killing, at, k);
        }
      }
      end_world(&world);
    }
  }
}

// With every prefix of the last write.
static void a_write_that_is_torn_anywhere_loses_nothing_that_was_confirmed(void ** state)
{
  (void)state;
  static world_t world;
  static uint8_t bytes[1 << 20];
  scene_t * scene = &world.scene;
  uint64_t ids[4];
  make_swap(&world, ids);
  scene_run(scene, 2.0);
  size_t before = 0, after = 0;
  for (int32_t step = 0; step < 100 && after <= before + 40; ++step) {  // a write with a release
    before = disk_content(world.disk, "journal")->size;
    scene_step(scene);
    after = disk_content(world.disk, "journal")->size;
  }
  assert_in_range(after, before + 40, sizeof bytes);
  memcpy(bytes, disk_content(world.disk, "journal")->bytes, after);
  end_world(&world);
  for (size_t size = before; size <= after; ++size) {
    make_swap(&world, ids);
    scene_end(scene);
    disk_restart(world.disk);
    disk_put(world.disk, "journal", bytes, size);
    start_controller(&world);
    assert_true(has_logged(&world, "cut") == (size > before && size < after));
    assert_int_equal(scene_status(scene, 'a').goal, ids[0]);
    assert_int_equal(scene_status(scene, 'a').goals_left, 1);
    assert_int_equal(scene_status(scene, 'b').goal, ids[1]);
    assert_true(inside(scene, 'a')->old_release.is_there && inside(scene, 'a')->old_release.has_place);
    end_world(&world);
  }
}

// The disk stops at every call of a short run, and every write is torn after every number of bytes. What was accepted
// before lives or has ended, and everything is reached in the end.
static void run_killed_at_call(int64_t call, disk_fault_t fault, int64_t torn, bool * is_over, size_t * size)
{
  static world_t world;
  scene_t * scene = &world.scene;
  uint64_t ids[3];
  make_world(&world);
  world.disk->fault = fault;
  world.disk->torn_bytes = torn;
  SCENE(scene, "a...", "..b.");
  scene_run(scene, 1.0);
  ids[0] = scene_goal(scene, 'a', 2, 0);
  ids[1] = scene_queue_goal(scene, 'a', 3, 1);
  ids[2] = scene_goal(scene, 'b', 0, 0);
  world.disk->fault_at = world.disk->calls + call;
  for (int32_t step = 0; step < 120 && !world.disk->is_stopped; ++step) {
    scene->now_ns += SCENE_STEP_NS;
    for (int32_t k = 0; k < 2; ++k) {
      scene_drive(&scene->robots[k], scene->speed * (double)SCENE_STEP_NS * 1e-9);
      const fw_pose_report_t report = {.pose = {scene->robots[k].at, 0.0}, .stamp_ns = scene->now_ns};
      assert_int_equal(scene_report(scene, (char)('a' + k), report), FW_RET_OK);
    }
    scene_check_distances(scene);
    (void)fw_controller_update(&scene->controller, scene->now_ns);
    if (!world.disk->is_stopped) {  // otherwise nobody hears of it
      fw_controller_solve(&scene->controller, false);
      scene_take_events(scene);
      scene_read_releases(scene);
    }
  }
  *is_over = !world.disk->is_stopped;
  *size = disk_content(world.disk, "journal")->size;
  restart_controller(&world);
  scene_take_events(scene);
  for (int32_t k = 0; k < 3; ++k) {
    bool is_live = false;
    for (int32_t r = 0; r < 2; ++r) {
      const fw_controlled_robot_t * robot = inside(scene, (char)('a' + r));
      for (int32_t g = 0; g < robot->goal_count; ++g) {
        is_live = is_live || robot->goals[g].id == ids[k];
      }
    }
    assert_true(is_live != (scene_ends(scene, ids[k]) > 0));
  }
  for (int32_t step = 0; step < 1000 && count_ended(scene, ids, 3) < 3; ++step) {
    scene_step(scene);
  }
  assert_int_equal(count_ended(scene, ids, 3), 3);
  end_world(&world);
}

static void a_kill_at_every_call_and_byte_loses_nothing(void ** state)
{
  (void)state;
  const bool is_long = test_rounds(1) > 1;
  int32_t calls = 0, runs = 0;
  bool is_over = false;
  for (int64_t call = 1; !is_over; call += is_long ? 1 : 2) {
    size_t size = 0, last_size = SIZE_MAX;
    run_killed_at_call(call, DISK_STOPS_BEFORE, -1, &is_over, &size);
    run_killed_at_call(call, DISK_STOPS_AFTER, -1, &is_over, &size);
    for (int64_t torn = 0; size != last_size; torn += is_long ? 1 : 7) {  // up to all but one byte
      last_size = size;
      run_killed_at_call(call, DISK_STOPS_HALFWAY, torn, &is_over, &size);
      ++runs;
    }
    ++calls;
  }
  print_message("%d calls, %d torn writes\n", calls, runs);
  assert_true(calls > 50 && runs > calls);
}

// ---- ends of goals --------------------------------------------------------------------------------------------------

// The end of a goal is in the journal before anybody hears of it. Whoever did not, because the controller was killed,
// hears of it from the next one; whoever did, does not once the next update was written.
static void an_end_that_nobody_heard_is_told_again(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "a....", "b....");
  scene_run(scene, 2.0);
  const uint64_t a = scene_goal(scene, 'a', 4, 0), b = scene_goal(scene, 'b', 4, 1);
  scene_until_ended(scene, a, 20.0);
  scene_until_ended(scene, b, 20.0);
  const uint64_t c = scene_goal(scene, 'a', 0, 0), d = scene_goal(scene, 'b', 0, 1);
  scene_step(scene);
  restart_controller(&world);
  scene_step(scene);
  assert_int_equal(scene_ends(scene, a), 1);  // the update after it was told has noted that
  assert_int_equal(scene_ends(scene, b), 1);
  // c is replaced and d cancelled, and nobody takes the events.
  uint64_t e = 0;
  assert_int_equal(scene_send_goal(scene, 'a', scene_goal_at(2, 0), &e), FW_RET_OK);
  assert_int_equal(fw_controller_cancel_goal(&scene->controller, d, scene->now_ns, &scene->error), FW_RET_OK);
  restart_controller(&world);
  assert_int_equal(scene_status(scene, 'a').goal, e);
  assert_int_equal(scene_ends(scene, c) + scene_ends(scene, d), 0);
  restart_controller(&world);  // neither heard it from the second one
  scene_step(scene);
  assert_int_equal(scene_count(scene, c, FW_GOAL_REPLACED), 1);
  assert_int_equal(scene_count(scene, d, FW_GOAL_CANCELLED), 1);
  scene_step(scene);
  restart_controller(&world);
  scene_run(scene, 20.0);
  assert_int_equal(scene_ends(scene, c), 1);
  assert_int_equal(scene_ends(scene, d), 1);
  assert_int_equal(scene_count(scene, e, FW_GOAL_REACHED), 1);
  end_world(&world);
}

// A kill right after the caller has taken an event: it is told twice, with one id and one kind.
static void an_end_that_was_just_heard_may_be_told_twice(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "a....");
  scene_run(scene, 2.0);
  const uint64_t a = scene_goal(scene, 'a', 4, 0);
  scene_until_ended(scene, a, 20.0);
  restart_controller(&world);
  scene_step(scene);
  assert_int_equal(scene_count(scene, a, FW_GOAL_REACHED), 2);
  assert_int_equal(scene_ends(scene, a), 2);
  scene_step(scene);
  restart_controller(&world);
  scene_step(scene);
  assert_int_equal(scene_ends(scene, a), 2);
  end_world(&world);
}

// The goals of a robot that leaves end too. After a restart without it, the event names no robot.
static void the_end_by_leaving_is_told_again(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "a....", "b....");
  scene_run(scene, 2.0);
  const uint64_t a = scene_goal(scene, 'a', 4, 0);
  scene_robot(scene, 'a')->is_listed = scene_robot(scene, 'a')->is_there = false;
  assert_int_equal(scene_send_robots(scene), FW_RET_OK);
  restart_controller(&world);
  fw_goal_event_t event;
  assert_true(fw_controller_next_event(&scene->controller, &event));
  assert_true(event.kind == FW_GOAL_CANCELLED && event.id == a && event.robot == -1);
  assert_false(fw_controller_next_event(&scene->controller, &event));
  end_world(&world);
}

// With every prefix of the journal as a kill can leave it: each goal lives, or its end is told, or both were never
// written.
static void every_prefix_of_the_journal_ends_each_goal(void ** state)
{
  (void)state;
  static world_t world;
  static uint8_t bytes[1 << 20];
  static size_t accepted_at[4];
  scene_t * scene = &world.scene;
  uint64_t ids[4];
  make_world(&world);
  SCENE(scene, "a...", "b...");
  scene_run(scene, 1.0);
  ids[0] = scene_goal(scene, 'a', 3, 0);
  accepted_at[0] = disk_content(world.disk, "journal")->size;
  ids[1] = scene_queue_goal(scene, 'a', 1, 0);
  accepted_at[1] = disk_content(world.disk, "journal")->size;
  ids[2] = scene_goal(scene, 'b', 3, 1);
  accepted_at[2] = disk_content(world.disk, "journal")->size;
  scene_run(scene, 1.0);
  ids[3] = scene_goal(scene, 'b', 2, 1);  // replaces the one before
  accepted_at[3] = disk_content(world.disk, "journal")->size;
  scene_run(scene, 8.0);
  const size_t whole = disk_content(world.disk, "journal")->size;
  assert_in_range(whole, accepted_at[3], sizeof bytes);
  memcpy(bytes, disk_content(world.disk, "journal")->bytes, whole);
  int32_t told[4] = {0}, live[4] = {0};
  for (size_t size = accepted_at[0]; size <= whole; size += test_rounds(1) > 1 ? 1 : 3) {
    fw_controller_fini(&scene->controller);
    disk_restart(world.disk);
    disk_put(world.disk, "journal", bytes, size);
    scene->event_count = 0;
    start_controller(&world);
    scene_take_events(scene);
    for (int32_t k = 0; k < 4; ++k) {
      bool is_live = false;
      for (int32_t r = 0; r < scene->controller.impl->fleet.count; ++r) {
        const fw_controlled_robot_t * robot = &scene->controller.impl->fleet.robots[r];
        for (int32_t g = 0; g < robot->goal_count; ++g) {
          is_live = is_live || robot->goals[g].id == ids[k];
        }
      }
      const int32_t ends = scene_ends(scene, ids[k]);
      if (size >= accepted_at[k] && size < whole) {
        // Its end is told again, or was taken by the caller, which an update after it has written.
        assert_true((is_live ? 1 : 0) + ends <= 1);
        if (!is_live && ends == 0) {
          assert_int_equal(live[k], 2);
        }
      }
      told[k] += ends;
      live[k] = ends > 0 ? 2 : live[k];
    }
  }
  for (int32_t k = 0; k < 4; ++k) {
    assert_true(told[k] > 0);
  }
  end_world(&world);
}

// A robot that the journal knows, and that was taken off the list while there was no controller: its goals end.
static void the_goals_of_a_robot_that_left_meanwhile_end(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "a....", "b....");
  scene_run(scene, 2.0);
  const uint64_t a = scene_goal(scene, 'a', 4, 0), next = scene_queue_goal(scene, 'a', 0, 0);
  kill_controller(&world);
  scene_robot(scene, 'a')->is_listed = scene_robot(scene, 'a')->is_there = false;
  start_controller(&world);
  scene_run(scene, 30.0);
  assert_int_equal(scene_ends(scene, a) + scene_ends(scene, next), 0);  // it may be found later
  scene_run(scene, 40.0);
  assert_int_equal(scene_count(scene, a, FW_GOAL_CANCELLED), 1);
  assert_int_equal(scene_count(scene, next, FW_GOAL_CANCELLED), 1);
  restart_controller(&world);
  scene_run(scene, 70.0);
  assert_int_equal(scene_ends(scene, a) + scene_ends(scene, next), 2);
  end_world(&world);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// Each allocation of the restart fails in turn: goals and places are known as soon as there is memory again, and nobody
// is released through a silent robot before.
static void a_restart_without_memory_loses_nothing(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  bool has_failed = true;
  int64_t at = 0;
  for (at = 1; has_failed; ++at) {
    assert_in_range(at, 1, 1000);
    make_world(&world);
    scene->options.settings.expansions_max = 2000;  // a cannot pass b
    SCENE(scene, "a....b.....");
    scene_run(scene, 2.0);
    scene_robot(scene, 'b')->is_silent = true;
    const uint64_t b = scene_goal(scene, 'b', 5, 0), a = scene_goal(scene, 'a', 10, 0);
    const uint64_t next = scene_queue_goal(scene, 'a', 0, 0);
    scene_run(scene, 3.0);
    kill_controller(&world);
    assert_int_equal(fw_controller_init(&scene->controller, &scene->options, &scene->error), FW_RET_OK);
    fw__heap_begin_faults(at, 3);
    fw_ret_t ret = scene_send_robots(scene);
    has_failed = fw__heap_end_faults().failures > 0;
    ret = ret == FW_RET_OK ? ret : scene_send_robots(scene);
    assert_int_equal(ret, FW_RET_OK);
    assert_int_equal(scene_send_map(scene), FW_RET_OK);
    scene_run(scene, 20.0);
    assert_int_equal(scene_status(scene, 'a').goal, a);
    assert_int_equal(scene_status(scene, 'a').goals_left, 1);
    assert_true(scene_ends(scene, b) > 0 || scene_status(scene, 'b').goal == b);
    assert_int_equal(scene_ends(scene, a) + scene_ends(scene, next), 0);
    assert_true(scene_robot(scene, 'a')->at.x < scene_place(4.5, 0).x);
    end_world(&world);
  }
  assert_true(at > 5);
}

// ---- single robots --------------------------------------------------------------------------------------------------

// b drives on, out of sight, to the end of what it held; a must wait for it outside of that.
static void what_a_robot_held_stays_reserved_until_it_reports(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  scene->options.settings.release_ahead = 10.0;
  SCENE(scene, "###a#####", "b........", "###.#####", "###.#####");
  scene_run(scene, 2.0);
  const uint64_t b = scene_goal(scene, 'b', 8, 1);
  scene_run(scene, 1.5);
  assert_true(scene_release_ends_at(scene, 'b', 8, 1));
  const uint64_t a = scene_goal(scene, 'a', 3, 3);
  kill_controller(&world);
  scene_robot(scene, 'b')->is_silent = true;
  drive_alone(&world, 1.0);
  start_controller(&world);
  assert_int_equal(scene_status(scene, 'a').goal, a);
  for (int32_t step = 0; step < 300; ++step) {
    scene_step(scene);
    assert_false(scene_release_has(scene, 'a', 3, 1));
  }
  assert_int_equal(scene_ends(scene, a), 0);
  scene_robot(scene, 'b')->is_silent = false;
  scene_until_ended(scene, a, 20.0);
  assert_int_equal(scene_count(scene, a, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_count(scene, b, FW_GOAL_REACHED), 1);
  end_world(&world);
}

// A robot that the journal knows, of one cell or of three, was carried onto the path of another while there was no
// controller.
static void an_old_release_is_not_told_again_through_a_robot_that_was_carried_there(void ** state)
{
  (void)state;
  static const char * const footprints[] = {"", "3x1"};
  static world_t world;
  scene_t * scene = &world.scene;
  for (int32_t k = 0; k < TEST_COUNT(footprints); ++k) {
    make_world(&world);
    scene->options.settings.release_ahead = 0.0;  // the whole path
    scene_robot(scene, 'b')->footprint = footprints[k];
    SCENE(scene, "a.........", "..........", "..........", ".b........");
    (void)scene_goal(scene, 'a', 9, 0);
    scene_run(scene, 2.0);
    assert_true(scene_release_ends_at(scene, 'a', 9, 0));
    kill_controller(&world);
    scene_robot(scene, 'a')->is_broken = true;
    scene_robot(scene, 'b')->at = scene_place(6, 0);
    start_controller(&world);
    scene_run(scene, 1.0);
    assert_false(scene_release_has(scene, 'a', 6, 0));
    end_world(&world);
  }
}

// Its release is cut short before an obstacle, and the controller is killed before the robot hears of it: the robot may
// drive on where it was led before.
static void what_was_cut_short_stays_reserved(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  scene->options.settings.release_ahead = 0.0;  // the whole path
  SCENE(scene, "a.........", "..........");
  (void)scene_goal(scene, 'a', 9, 0);
  scene_run(scene, 2.0);
  assert_true(scene_release_ends_at(scene, 'a', 9, 0));
  scene_block(scene, (const double[][2]){{6, 0}}, 1);
  step_deaf(&world, 'a');
  assert_true(scene_release_ends_at(scene, 'a', 5, 0));
  scene_robot(scene, 'a')->is_silent = true;
  restart_controller(&world);
  scene_run(scene, 1.0);
  const fw_controlled_robot_t * robot = inside(scene, 'a');
  assert_true(robot->old_release.is_there);
  const fw_timed_path_t * held = &robot->old_release.path;
  assert_true(scene_distance(held->waypoints[held->count - 1].point, scene_place(9, 0)) < 1e-6);
  // It is not sent there again while the obstacle is on its path.
  scene_block(scene, (const double[][2]){{6, 0}}, 1);
  scene_robot(scene, 'a')->is_silent = false;
  scene_run(scene, 0.5);
  assert_false(scene_release_has(scene, 'a', 6, 0));
  end_world(&world);
}

// A keepout came onto the path of a robot, of one cell or of two, and cut its release short. After a restart it is not
// sent in again.
static void an_old_release_is_not_told_again_into_a_keepout(void ** state)
{
  (void)state;
  static const char * const footprints[] = {"", "2x1"};
  static world_t world;
  scene_t * scene = &world.scene;
  for (int32_t k = 0; k < TEST_COUNT(footprints); ++k) {
    const double left = 6.0 * SCENE_CELL, right = 8.0 * SCENE_CELL;
    const fw_point_t corners[] = {{left, 0.0}, {right, 0.0}, {right, SCENE_CELL}, {left, SCENE_CELL}};
    const fw_area_t keepout = {.kind = FW_AREA_KEEPOUT, .name = "office", .points = corners, .point_count = 4};
    make_world(&world);
    scene->options.settings.release_ahead = 0.0;  // the whole path
    scene_robot(scene, 'a')->footprint = footprints[k];
    SCENE(scene, "a..........", "...........");
    const uint64_t a = scene_goal(scene, 'a', 9, 0);
    scene_run(scene, 2.0);
    assert_true(scene_release_ends_at(scene, 'a', 9, 0));
    scene_robot(scene, 'a')->is_broken = true;
    assert_int_equal(fw_controller_set_areas(&scene->controller, &keepout, 1, scene->now_ns, NULL), FW_RET_OK);
    scene_step(scene);
    assert_false(scene_release_has(scene, 'a', 6, 0));
    restart_controller(&world);
    assert_int_equal(fw_controller_set_areas(&scene->controller, &keepout, 1, scene->now_ns, NULL), FW_RET_OK);
    for (int32_t step = 0; step < 20; ++step) {
      scene_step(scene);
      assert_false(scene_release_has(scene, 'a', 6, 0));
    }
    scene_robot(scene, 'a')->is_broken = false;
    scene_until_ended(scene, a, 40.0);
    assert_int_equal(scene_count(scene, a, FW_GOAL_REACHED), 1);
    end_world(&world);
  }
}

// Where there is another way, a does not wait.
static void others_plan_around_what_a_robot_held(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  scene->options.settings.release_ahead = 10.0;
  SCENE(scene, "...a.....", "b........", ".........");
  scene_run(scene, 2.0);
  (void)scene_goal(scene, 'b', 6, 1);
  scene_run(scene, 1.5);
  assert_true(scene_release_ends_at(scene, 'b', 6, 1));
  const uint64_t a = scene_goal(scene, 'a', 3, 2);
  kill_controller(&world);
  scene_robot(scene, 'b')->is_silent = true;
  start_controller(&world);
  scene_until_ended(scene, a, 40.0);
  assert_int_equal(scene_count(scene, a, FW_GOAL_REACHED), 1);
  end_world(&world);
}

// What a robot has left is free before it is at the end of its old release.
static void what_is_behind_a_robot_is_free(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  scene->options.settings.release_ahead = 50.0;
  SCENE(scene, "###a####################", "b.......................", "###.####################");
  scene_run(scene, 2.0);
  const uint64_t b = scene_goal(scene, 'b', 23, 1);
  scene_run(scene, 1.5);
  const uint64_t a = scene_goal(scene, 'a', 3, 2);
  restart_controller(&world);
  scene_until_ended(scene, a, 30.0);
  assert_int_equal(scene_ends(scene, b), 0);
  assert_true(inside(scene, 'b')->old_release.is_there);
  scene_until_ended(scene, b, 60.0);
  end_world(&world);
}

// It was carried away meanwhile: it must not be sent across the floor to its old path.
static void a_robot_that_is_elsewhere_is_told_to_stay(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "b........", ".........", ".........", "....a....");
  scene_run(scene, 2.0);
  const uint64_t b = scene_goal(scene, 'b', 8, 0);
  scene_run(scene, 2.0);
  kill_controller(&world);
  scene_robot(scene, 'b')->at = scene_place(4, 2);
  scene_robot(scene, 'b')->count = 0;
  start_controller(&world);
  const fw_point_t at = scene_robot(scene, 'b')->at;
  scene_run(scene, 1.0);
  assert_true(scene_distance(at, scene_robot(scene, 'b')->at) < 1e-9);
  assert_int_equal(scene_released(scene, 'b').count, 0);
  assert_true(has_logged(&world, "b is not on the path"));
  scene_until_ended(scene, b, 30.0);
  assert_int_equal(scene_count(scene, b, FW_GOAL_REACHED), 1);
  end_world(&world);
}

// b was carried into the way of a, which has a plan already, while nobody heard of it.
static void a_robot_that_turns_up_in_the_way_is_an_obstacle(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  scene->options.worker = FW_CONTROLLER_WORKER_CALLER;
  SCENE(scene, "b.............", "#############.", "a.............");
  scene_run(scene, 2.0);
  scene_robot(scene, 'b')->is_silent = true;
  restart_controller(&world);
  const uint64_t a = scene_goal(scene, 'a', 12, 2);
  scene_run(scene, 2.0);
  assert_true(fw_controller_timed_path(&scene->controller, 0).count > 10);
  scene->answer_after = -1;  // the planner takes its time
  scene_robot(scene, 'b')->at = scene_place(9, 2);
  scene_robot(scene, 'b')->is_silent = false;
  for (int32_t step = 0; step < 200; ++step) {
    scene_robot(scene, 'b')->at.x += step % 2 == 0 ? 0.08 : -0.08;  // it is never still
    scene_step(scene);
    assert_false(scene_release_has(scene, 'a', 9, 2));
  }
  assert_int_equal(scene_ends(scene, a), 0);
  end_world(&world);
}

// The journal has a release that a has not heard of, and c is put there while there is no controller. To tell a of it
// would be a new release, which needs to know where everybody is.
static void an_old_release_is_not_told_again_through_a_newcomer(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  for (int32_t is_silent = 0; is_silent < 2; ++is_silent) {
    make_world(&world);
    scene->options.settings.release_ahead = 10.0;
    SCENE(scene, "a.......", "b.......");
    scene_run(scene, 2.0);
    scene_robot(scene, 'a')->is_broken = true;  // it hears nothing and stands
    const uint64_t a = scene_goal(scene, 'a', 7, 0);
    for (int32_t step = 0; step < 5; ++step) {
      step_deaf(&world, 'a');
    }
    assert_true(scene_release_ends_at(scene, 'a', 7, 0));
    kill_controller(&world);
    scene_robot(scene, 'a')->is_broken = false;
    scene_robot(scene, 'c')->is_listed = scene_robot(scene, 'c')->is_there = true;
    scene_robot(scene, 'c')->at = scene_place(4, 0);
    scene_robot(scene, 'c')->is_silent = is_silent != 0;
    start_controller(&world);
    scene_run(scene, 4.0);  // which checks distances
    assert_true(scene_robot(scene, 'a')->at.x < scene_place(3, 0).x);
    scene_robot(scene, 'c')->is_silent = false;
    scene_until_ended(scene, a, 60.0);
    assert_int_equal(scene_count(scene, a, FW_GOAL_REACHED), 1);
    end_world(&world);
  }
}

// It stands on its old path and does not drive: after stopped_timeout it is told to stay, and then it is an obstacle.
static void a_robot_that_has_stopped_gives_its_old_release_back(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  scene->options.settings.release_ahead = 10.0;
  SCENE(scene, "######a##", "b........", "######.##");
  scene_run(scene, 2.0);
  const uint64_t b = scene_goal(scene, 'b', 8, 1);
  scene_run(scene, 2.0);
  assert_true(scene_release_ends_at(scene, 'b', 8, 1));
  const uint64_t a = scene_goal(scene, 'a', 6, 2);
  scene_robot(scene, 'b')->is_broken = true;
  restart_controller(&world);
  scene_run(scene, 4.5);
  assert_true(inside(scene, 'b')->old_release.is_there && !inside(scene, 'b')->old_release.is_void);
  assert_int_equal(scene_ends(scene, a), 0);
  scene_run(scene, 1.0);
  assert_true(inside(scene, 'b')->old_release.is_void);
  assert_int_equal(scene_released(scene, 'b').count, 0);
  scene_run(scene, 2.0);
  assert_false(inside(scene, 'b')->old_release.is_there);
  scene_robot(scene, 'b')->is_broken = false;
  scene_until_ended(scene, b, 60.0);
  scene_run(scene, 20.0);
  assert_int_equal(scene_count(scene, a, FW_GOAL_REACHED), 1);
  end_world(&world);
}

// ---- other ends of plans --------------------------------------------------------------------------------------------

// b has not heard that it is to stay, and drives on.
static void a_time_jump_keeps_released_space_reserved(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  scene->options.settings.release_ahead = 10.0;
  SCENE(scene, "######a##", "b........", "######.##");
  scene_run(scene, 2.0);
  const uint64_t b = scene_goal(scene, 'b', 8, 1);
  scene_run(scene, 1.0);
  const uint64_t a = scene_goal(scene, 'a', 6, 2);
  scene->now_ns -= INT64_C(500000000000);
  fw_controller_restart_clock(&scene->controller, scene->now_ns);
  for (int32_t step = 0; step < 100; ++step) {
    const double x = scene_robot(scene, 'b')->at.x;
    if (x < scene_place(7, 1).x) {
      assert_false(scene_release_has(scene, 'a', 6, 1));
    }
    step_deaf(&world, 'b');
  }
  assert_true(scene_is_at(scene, 'b', 8, 1));
  scene_run(scene, 60.0);
  assert_int_equal(scene_count(scene, a, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_count(scene, b, FW_GOAL_REACHED), 1);
  end_world(&world);
}

// One that hears it stops, and goes on later.
static void a_time_jump_stops_robots(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "b........");
  scene_run(scene, 2.0);
  const uint64_t b = scene_goal(scene, 'b', 8, 0);
  scene_run(scene, 2.0);
  scene->now_ns -= INT64_C(500000000000);
  fw_controller_restart_clock(&scene->controller, scene->now_ns);
  scene_step(scene);
  assert_int_equal(scene_robot(scene, 'b')->count, 0);
  scene_until_ended(scene, b, 30.0);
  end_world(&world);
}

// b drives unheard by the release of another controller, which has ended. Nobody knows where that leads.
static void after_a_rival_robots_must_be_reported_standing(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "b........", "a........");
  scene_run(scene, 2.0);
  fw_controller_set_rival(&scene->controller, "another");
  scene_run(scene, 1.0);
  scene_robot_t * b = scene_robot(scene, 'b');
  b->path[0] = scene_place(0, 0);
  b->path[1] = scene_place(4, 0);
  b->path[2] = scene_place(4, 1);
  b->count = 3;
  b->is_silent = true;
  fw_controller_set_rival(&scene->controller, NULL);
  const uint64_t a = scene_goal(scene, 'a', 8, 1);
  for (int32_t step = 0; step < 200; ++step) {
    step_deaf(&world, 'b');
    assert_int_equal(scene_released(scene, 'a').count, 0);
  }
  b->is_silent = false;
  scene_until_ended(scene, a, 60.0);
  assert_int_equal(scene_count(scene, a, FW_GOAL_REACHED), 1);
  end_world(&world);
}

// Other settings need another graph. b is so slow that it still drives when it is not waited for any more.
static void a_replaced_graph_keeps_released_space_reserved(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  scene->options.settings.release_ahead = 50.0;
  SCENE(scene, "###################a##", "b.....................", "###################.##");
  scene_run(scene, 2.0);
  scene->speed = 0.2;
  const uint64_t b = scene_goal(scene, 'b', 21, 1);
  scene_run(scene, 1.0);
  fw_controller_settings_t settings = scene->options.settings;
  settings.speed = 0.4;
  assert_int_equal(fw_controller_set_settings(&scene->controller, &settings, scene->now_ns, &scene->error), FW_RET_OK);
  const uint64_t a = scene_goal(scene, 'a', 19, 2);
  for (int32_t step = 0; step < 400; ++step) {
    scene_step(scene);
    assert_false(scene_release_has(scene, 'a', 19, 1));
  }
  assert_true(inside(scene, 'b')->old_release.is_there);
  assert_true(scene_robot(scene, 'b')->count > 1);  // it was not stopped
  scene_run(scene, 60.0);
  assert_int_equal(scene_count(scene, a, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_count(scene, b, FW_GOAL_REACHED), 1);
  end_world(&world);
}

// An obstacle or a keepout that comes onto an old release while the robot drives it stops the robot, as in the graph.
static void an_obstacle_that_comes_onto_an_old_release_stops_the_robot(void ** state)
{
  (void)state;
  const double left = 38.0 * SCENE_CELL, right = 39.0 * SCENE_CELL;
  const fw_point_t corners[] = {{left, 0.0}, {right, 0.0}, {right, SCENE_CELL}, {left, SCENE_CELL}};
  const fw_area_t keepout = {.kind = FW_AREA_KEEPOUT, .name = "office", .points = corners, .point_count = 4};
  const fw_point_t centre = scene_place(38, 0);
  const fw_obstacle_cells_t obstacle = {.width = 0.3, .height = 0.3, .centres = &centre, .count = 1};
  for (int32_t k = 0; k < 2; ++k) {
    static world_t world;
    scene_t * scene = &world.scene;
    make_world(&world);
    scene->options.settings.release_ahead = 50.0;
    SCENE(scene, "b.......................................", "........................................");
    scene_run(scene, 2.0);
    scene->speed = 0.2;
    const uint64_t b = scene_goal(scene, 'b', 39, 0);
    scene_run(scene, 1.0);
    assert_true(scene_release_has(scene, 'b', 38, 0));
    fw_controller_settings_t settings = scene->options.settings;
    settings.speed = 0.4;
    assert_int_equal(fw_controller_set_settings(&scene->controller, &settings, scene->now_ns, NULL), FW_RET_OK);
    for (int32_t step = 0; step < 600 && !inside(scene, 'b')->old_release.is_there; ++step) {
      scene_step(scene);
    }
    scene_run(scene, 1.0);
    assert_true(inside(scene, 'b')->old_release.is_there && scene_release_has(scene, 'b', 38, 0));
    const fw_ret_t ret = k == 0 ? fw_controller_set_obstacles(&scene->controller, &obstacle, scene->now_ns, NULL)
                                : fw_controller_set_areas(&scene->controller, &keepout, 1, scene->now_ns, NULL);
    assert_int_equal(ret, FW_RET_OK);
    for (int32_t step = 0; step < 10; ++step) {
      scene_step(scene);
    }
    assert_false(scene_release_has(scene, 'b', 38, 0));
    scene_until_ended(scene, b, 200.0);
    assert_int_equal(scene_count(scene, b, FW_GOAL_REACHED), 1);
    end_world(&world);
  }
}

// ---- the journal itself ---------------------------------------------------------------------------------------------

static void service_and_pause_outlive_a_restart(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "a....", "b....", "c....");
  scene_run(scene, 1.0);
  assert_int_equal(
    fw_controller_set_service(&scene->controller, 1, FW_ROBOT_ON_HOLD, scene->now_ns, &scene->error), FW_RET_OK);
  assert_int_equal(
    fw_controller_set_service(&scene->controller, 2, FW_ROBOT_OUT_OF_SERVICE, scene->now_ns, &scene->error), FW_RET_OK);
  const uint64_t b = scene_goal(scene, 'b', 4, 1), a = scene_goal(scene, 'a', 4, 0);
  fw_controller_set_paused(&scene->controller, true);
  restart_controller(&world);
  scene_run(scene, 20.0);
  assert_int_equal(scene_status(scene, 'a').service, FW_ROBOT_IN_SERVICE);
  assert_int_equal(scene_status(scene, 'b').service, FW_ROBOT_ON_HOLD);
  assert_int_equal(scene_status(scene, 'c').service, FW_ROBOT_OUT_OF_SERVICE);
  assert_true(scene_is_at(scene, 'a', 0, 0));
  fw_controller_set_paused(&scene->controller, false);
  scene_until_ended(scene, a, 20.0);
  assert_true(scene_is_at(scene, 'b', 0, 1));
  assert_int_equal(
    fw_controller_set_service(&scene->controller, 1, FW_ROBOT_IN_SERVICE, scene->now_ns, &scene->error), FW_RET_OK);
  scene_until_ended(scene, b, 20.0);
  restart_controller(&world);  // nothing of it comes back
  assert_int_equal(scene_status(scene, 'b').service, FW_ROBOT_IN_SERVICE);
  assert_int_equal(scene_status(scene, 'a').goal, 0);
  const uint64_t next = scene_goal(scene, 'a', 0, 0);
  assert_true(next > a && next > b);
  end_world(&world);
}

// With a journal that is not synced, a power failure takes goals with it. Their ids are not given to others.
static void an_id_is_given_once_whatever_is_lost(void ** state)
{
  (void)state;
  static const fw_controller_sync_t policies[] = {
    FW_CONTROLLER_SYNC_EACH, FW_CONTROLLER_SYNC_INTERVAL, FW_CONTROLLER_SYNC_NEVER};
  for (int32_t k = 0; k < TEST_COUNT(policies); ++k) {
    static world_t world;
    scene_t * scene = &world.scene;
    make_world(&world);
    scene->options.journal_sync = policies[k];
    scene->options.journal_sync_seconds = 3600.0;
    SCENE(scene, "a.........");
    uint64_t last = 0;
    for (int32_t life = 0; life < 4; ++life) {
      for (int32_t n = 0; n < 3; ++n) {
        const uint64_t id = scene_goal(scene, 'a', 9 - n, 0);
        assert_true(id > last);
        last = id;
        if (n != life) {
          scene_run(scene, 0.5);
        }
      }
      stop_controller(&world);
      disk_lose_power(world.disk, 0.0);
      start_controller(&world);
    }
    end_world(&world);
  }
}

static void the_whole_goal_outlives_a_restart(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "a....");
  uint64_t ids[3];
  const fw_goal_request_t requests[] = {
    {.pose = {scene_place(4.1, 0), 1.25}, .position_tolerance = 0.3},
    {.pose = {scene_place(2, 0), NAN}},
    {.pose = {scene_place(1, 0), -0.5}},
  };
  assert_int_equal(
    fw_controller_request_goals(&scene->controller, 0, requests, 3, scene->now_ns, ids, &scene->error), FW_RET_OK);
  assert_int_equal(fw_controller_cancel_goal(&scene->controller, ids[1], scene->now_ns, &scene->error), FW_RET_OK);
  restart_controller(&world);
  const fw_controlled_robot_t * robot = inside(scene, 'a');
  assert_int_equal(robot->goal_count, 2);
  assert_int_equal(robot->goals[0].id, ids[0]);
  assert_int_equal(robot->goals[1].id, ids[2]);
  assert_true(robot->goals[0].pose.point.x == requests[0].pose.point.x && robot->goals[0].pose.yaw == 1.25);
  assert_true(robot->goals[0].position_tolerance == 0.3);
  assert_true(robot->has_goal && robot->goal.x == requests[0].pose.point.x);
  end_world(&world);
}

static void a_robot_that_has_left_is_forgotten(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "a....", "b....");
  scene_run(scene, 1.0);
  const uint64_t a = scene_goal(scene, 'a', 4, 0), b = scene_goal(scene, 'b', 4, 1);
  scene_robot(scene, 'b')->is_listed = false;
  assert_int_equal(scene_send_robots(scene), FW_RET_OK);
  scene_take_events(scene);
  assert_int_equal(scene_count(scene, b, FW_GOAL_CANCELLED), 1);
  kill_controller(&world);
  scene_robot(scene, 'b')->is_listed = true;
  start_controller(&world);
  assert_int_equal(scene_status(scene, 'a').goal, a);
  assert_int_equal(scene_status(scene, 'b').goal, 0);
  assert_false(inside(scene, 'b')->old_release.is_there);
  // One that is not listed again is remembered for a while: it may be discovered late.
  for (int32_t seconds = 30; seconds <= 90; seconds += 60) {
    const uint64_t goal = scene_goal(scene, 'b', 3, 1);
    kill_controller(&world);
    scene_robot(scene, 'b')->is_listed = false;
    start_controller(&world);
    scene_run(scene, (double)seconds);
    scene_robot(scene, 'b')->is_listed = true;
    assert_int_equal(scene_send_robots(scene), FW_RET_OK);
    assert_int_equal(scene_status(scene, 'b').goal, seconds < 60 ? goal : 0);
  }
  end_world(&world);
}

static void without_a_journal_nothing_is_known(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  for (int32_t k = 0; k < 2; ++k) {
    make_world(&world);
    scene->options.journal = k == 0 ? NULL : "";
    SCENE(scene, "a....");
    scene_run(scene, 1.0);
    (void)scene_goal(scene, 'a', 4, 0);
    assert_int_equal(world.disk->calls, 0);
    restart_controller(&world);
    assert_int_equal(scene_status(scene, 'a').goal, 0);
    assert_string_equal(fw_controller_status(&scene->controller, scene->now_ns).journal_fault, "");
    end_world(&world);
  }
}

static void a_journal_that_cannot_be_used_is_refused(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "a....");
  fw_controller_t second = {0};
  fw_error_t error = {0};
  assert_int_equal(fw_controller_init(&second, &scene->options, &error), FW_RET_FILE);
  assert_non_null(strstr(error.text, "journal"));
  assert_null(second.impl);
  kill_controller(&world);
  disk_put(world.disk, "journal", (const uint8_t *)"a letter to my aunt in Aachen", 29);
  assert_int_equal(fw_controller_init(&second, &scene->options, &error), FW_RET_FILE);
  assert_null(second.impl);
  assert_int_equal(disk_content(world.disk, "journal")->bytes[0], 'a');
  scene->options.journal_sync = (fw_controller_sync_t)7;
  assert_int_equal(fw_controller_init(&second, &scene->options, &error), FW_RET_INVALID_ARGUMENT);
  disk_delete(world.disk);
}

// A full disk does not stop the fleet, and is told of once.
static void a_disk_that_fails_is_told_of_and_tried_again(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "a.........");
  scene_run(scene, 1.0);
  const int32_t logs = world.log_count;
  world.disk->fault = DISK_FAILS;
  world.disk->fault_at = world.disk->calls + 1;
  world.disk->fault_calls = INT64_MAX / 2;
  const uint64_t a = scene_goal(scene, 'a', 9, 0);
  assert_non_null(strstr(fw_controller_status(&scene->controller, scene->now_ns).journal_fault, "journal"));
  scene_run(scene, 5.0);
  assert_true(scene_robot(scene, 'a')->at.x > scene_place(2, 0).x);
  assert_in_range(world.log_count - logs, 1, 4);
  world.disk->fault_at = 0;
  scene_step(scene);
  assert_string_equal(fw_controller_status(&scene->controller, scene->now_ns).journal_fault, "");
  restart_controller(&world);
  assert_int_equal(scene_status(scene, 'a').goal, a);
  scene_until_ended(scene, a, 30.0);
  end_world(&world);
}

// Releases may be missing from it: all robots must report first.
static void a_damaged_journal_gives_goals_and_no_places(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "a....", "b....");
  const uint64_t a = scene_goal(scene, 'a', 4, 0), b = scene_goal(scene, 'b', 3, 1);
  scene_run(scene, 4.0);
  kill_controller(&world);
  const content_t * content = disk_content(world.disk, "journal");
  content->bytes[content->size * 3 / 4] ^= 1;
  scene_robot(scene, 'b')->is_silent = true;
  for (int32_t k = 0; k < 2; ++k) {  // the second start knows no more than the first
    start_controller(&world);
    if (k == 0) {
      assert_true(has_logged(&world, "outdated"));
    }
    assert_int_equal(scene_status(scene, 'a').goal, a);
    assert_int_equal(scene_status(scene, 'b').goal, b);
    scene_run(scene, 10.0);
    assert_int_equal(scene_released(scene, 'a').count, 0);
    assert_non_null(strstr(fw_controller_status(&scene->controller, scene->now_ns).not_ready, "pose"));
    if (k == 0) {
      kill_controller(&world);
    }
  }
  scene_robot(scene, 'b')->is_silent = false;
  scene_until_ended(scene, a, 30.0);
  end_world(&world);
}

// The journal grows with what happens, not with time, and is compacted.
static void the_journal_is_bounded(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  make_world(&world);
  SCENE(scene, "a....");
  scene_run(scene, 5.0);
  const size_t size = disk_content(world.disk, "journal")->size;
  scene_run(scene, 60.0);
  assert_int_equal(disk_content(world.disk, "journal")->size, size);
  for (int32_t k = 0; k < 40; ++k) {
    scene_until_ended(scene, scene_goal(scene, 'a', k % 2 == 0 ? 4 : 0, 0), 20.0);
  }
  assert_in_range(disk_content(world.disk, "journal")->size, size, 40000);
  end_world(&world);
}

// ---- reserved cells -------------------------------------------------------------------------------------------------

static void mark_cell(void * context, fw_cell_t cell) { ((bool *)context)[cell] = true; }

// An old release reserves at least what the dependency graph had reserved for the same robot, for any shape.
static void old_releases_reserve_what_the_graph_reserved(void ** state)
{
  (void)state;
  static world_t world;
  scene_t * scene = &world.scene;
  int32_t checked = 0;
  for (int32_t connectivity = 4; connectivity <= 8; connectivity += 4) {
    make_world(&world);
    scene->options.settings.connectivity = connectivity;
    scene_robot(scene, 'b')->footprint = "3x1";
    scene_robot(scene, 'b')->turn_ticks = 1;
    scene_robot(scene, 'c')->footprint = "2x2";
    scene_robot(scene, 'b')->is_ignored = scene_robot(scene, 'c')->is_ignored = true;
    SCENE(
      scene, "a............", ".............", ".............", "....b........", ".............", ".............",
      "..........c..", ".............", ".............");
    const uint64_t ids[] = {scene_goal(scene, 'a', 12, 8), scene_goal(scene, 'b', 6, 7), scene_goal(scene, 'c', 1, 1)};
    for (int32_t step = 0; step < 600 && count_ended(scene, ids, 3) < 3; ++step) {
      scene_step(scene);
      const fw_controller_impl_t * controller = scene->controller.impl;
      for (int32_t k = 0; k < controller->fleet.count; ++k) {
        const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
        if (!fw__fleet_execution_has(&controller->execution, k) || robot->released.count == 0) {
          continue;
        }
        bool is_reserved[13 * 9] = {false};
        fw_cell_t held[13 * 9];
        const int32_t count = fw_execution_held(&controller->execution.graph, k, held, 13 * 9);
        const fw_old_release_t release = {.is_there = true, .path = robot->released};
        const fw_reserved_space_t space = {&release, &robot->body, controller->settings.robot_radius};
        const fw_raster_visitor_t visitor = {.visit = mark_cell, .context = is_reserved};
        fw__reserved_space_visit_cells(&space, &controller->map.frame, visitor);
        for (int32_t c = 0; c < count; ++c) {
          if (!is_reserved[held[c]]) {
            fail_msg("%s: cell %d is held and not reserved", robot->name, held[c]);
          }
          ++checked;
        }
      }
    }
    end_world(&world);
  }
  assert_true(checked > 500);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nobody_drives_through_a_silent_robot_after_a_restart),
    cmocka_unit_test(a_robot_that_the_journal_does_not_know_is_waited_for),
    cmocka_unit_test(many_robots_continue_after_kills_at_any_moment),
    cmocka_unit_test(followers_that_restart_too_continue),
    cmocka_unit_test(a_kill_at_every_update_changes_nothing_but_time),
    cmocka_unit_test(a_write_that_is_torn_anywhere_loses_nothing_that_was_confirmed),
    cmocka_unit_test(a_kill_at_every_call_and_byte_loses_nothing),
    cmocka_unit_test(an_end_that_nobody_heard_is_told_again),
    cmocka_unit_test(an_end_that_was_just_heard_may_be_told_twice),
    cmocka_unit_test(the_end_by_leaving_is_told_again),
    cmocka_unit_test(every_prefix_of_the_journal_ends_each_goal),
    cmocka_unit_test(the_goals_of_a_robot_that_left_meanwhile_end),
    cmocka_unit_test(a_restart_without_memory_loses_nothing),
    cmocka_unit_test(what_a_robot_held_stays_reserved_until_it_reports),
    cmocka_unit_test(what_was_cut_short_stays_reserved),
    cmocka_unit_test(an_old_release_is_not_told_again_into_a_keepout),
    cmocka_unit_test(an_old_release_is_not_told_again_through_a_robot_that_was_carried_there),
    cmocka_unit_test(others_plan_around_what_a_robot_held),
    cmocka_unit_test(what_is_behind_a_robot_is_free),
    cmocka_unit_test(a_robot_that_is_elsewhere_is_told_to_stay),
    cmocka_unit_test(a_robot_that_turns_up_in_the_way_is_an_obstacle),
    cmocka_unit_test(an_old_release_is_not_told_again_through_a_newcomer),
    cmocka_unit_test(a_robot_that_has_stopped_gives_its_old_release_back),
    cmocka_unit_test(a_time_jump_keeps_released_space_reserved),
    cmocka_unit_test(a_time_jump_stops_robots),
    cmocka_unit_test(after_a_rival_robots_must_be_reported_standing),
    cmocka_unit_test(a_replaced_graph_keeps_released_space_reserved),
    cmocka_unit_test(an_obstacle_that_comes_onto_an_old_release_stops_the_robot),
    cmocka_unit_test(service_and_pause_outlive_a_restart),
    cmocka_unit_test(an_id_is_given_once_whatever_is_lost),
    cmocka_unit_test(the_whole_goal_outlives_a_restart),
    cmocka_unit_test(a_robot_that_has_left_is_forgotten),
    cmocka_unit_test(without_a_journal_nothing_is_known),
    cmocka_unit_test(a_journal_that_cannot_be_used_is_refused),
    cmocka_unit_test(a_disk_that_fails_is_told_of_and_tried_again),
    cmocka_unit_test(a_damaged_journal_gives_goals_and_no_places),
    cmocka_unit_test(the_journal_is_bounded),
    cmocka_unit_test(old_releases_reserve_what_the_graph_reserved),
  };
  return TEST_RUN(tests);
}
