// The journal: what was committed is there after a restart, whatever was killed, cut, damaged, full or out of memory in
// between.
//
// Most tests run on a disk in memory that can fail or stop at any call. It knows which bytes and names were synced, so
// that a power failure can be played, too.

#include "controller/restart/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/memory_disk.h"
#include "support/tally.h"
#include "support/test.h"

enum { HEADER_BYTES = 16, FRAME_BYTES = 24, STEPS = 24 };

// ---- states as text -------------------------------------------------------------------------------------------------

typedef struct state_text_t {
  char text[16 * 1024];
  size_t size;
} state_text_t;

static void add_text(state_text_t * out, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int count = vsnprintf(out->text + out->size, sizeof(out->text) - out->size, format, arguments);
  va_end(arguments);
  assert_in_range(count, 0, sizeof(out->text) - out->size - 1);
  out->size += (size_t)count;
}

static void add_waypoint(state_text_t * out, fw_journal_waypoint_t at)
{
  add_text(out, " (%a %a %a)", at.x, at.y, at.yaw);
}

static state_text_t describe(const fw_journal_t * journal)
{
  state_text_t out = {.size = 0};
  add_text(
    &out, "next %" PRIu64 " paused %d told %" PRIu64, fw__journal_next_goal_id(journal),
    fw__journal_is_paused(journal) ? 1 : 0, fw__journal_told(journal));
  for (int32_t i = 0; i < fw__journal_untold_count(journal); ++i) {
    const fw_journal_untold_t * untold = fw__journal_untold_at(journal, i);
    add_text(
      &out, " untold %s %" PRIu64 " %d %" PRIu32, untold->robot, untold->end.id, (int)untold->end.outcome,
      untold->end.code);
  }
  add_text(&out, "\n");
  for (int32_t i = 0; i < fw__journal_robot_count(journal); ++i) {
    const fw_journal_robot_t * robot = fw__journal_robot_at(journal, i);
    assert_ptr_equal(robot, fw__journal_find(journal, robot->name));
    add_text(&out, "%s flags %" PRIu32 " pose", robot->name, robot->flags);
    if (robot->has_pose) {
      add_waypoint(&out, robot->pose.at);
      add_text(&out, " at %" PRId64, robot->pose.stamp_ns);
    }
    add_text(
      &out, " ended %" PRIu64 " %d %" PRIu32, robot->last_end.id, (int)robot->last_end.outcome, robot->last_end.code);
    for (int32_t g = 0; g < robot->goal_count; ++g) {
      const fw_journal_goal_t * goal = &robot->goals[g];
      add_text(&out, " goal %" PRIu64 " order %" PRIu64 " flags %" PRIu32, goal->id, goal->order, goal->flags);
      add_waypoint(&out, goal->pose);
      add_text(&out, " within %a %a", goal->position_tolerance, goal->yaw_tolerance);
    }
    add_text(&out, " release");
    for (int32_t w = 0; w < robot->waypoint_count; ++w) {
      add_waypoint(&out, robot->waypoints[w]);
    }
    add_text(&out, "\n");
  }
  return out;
}

// ---- a script of changes --------------------------------------------------------------------------------------------

static fw_journal_pose_t pose_at(double x, double y)
{
  return (fw_journal_pose_t){.at = {.x = x, .y = y, .yaw = x / 7}, .stamp_ns = (int64_t)(x * 1e9)};
}

static fw_journal_goal_t goal_of(uint64_t id, uint64_t order)
{
  return (fw_journal_goal_t){
    .id = id,
    .order = order,
    .pose = {.x = (double)id / 3, .y = -(double)order, .yaw = 0.1},
    .position_tolerance = 0.25,
    .yaw_tolerance = INFINITY,
    .flags = (uint32_t)id % 2};
}

static fw_ret_t worse(fw_ret_t a, fw_ret_t b) { return a != FW_RET_OK ? a : b; }

// The changes before commit number n; may be repeated. FW_RET_BAD_ALLOC if one of them had no memory: the others were
// made.
static fw_ret_t change(fw_journal_t * journal, int32_t n)
{
  static const char * const names[] = {"b", "a", "fork/lift 3", "zz", "m"};
  const char * name = names[n % 5];
  const fw_journal_pose_t pose = pose_at(n + 0.5, n);
  fw_journal_waypoint_t waypoints[8];
  for (int32_t i = 0; i < 8; ++i) {
    waypoints[i] = (fw_journal_waypoint_t){.x = n + i, .y = i / 8.0, .yaw = -0.0};
  }
  const fw_journal_goal_t goal = goal_of((uint64_t)n + 1, (uint64_t)(n % 7 == 0 ? 0 : n));
  fw_ret_t ret = FW_RET_OK;
  if (n % 3 != 2) {
    ret = worse(ret, fw__journal_put_goal(journal, name, &goal, NULL));
  }
  ret = worse(ret, fw__journal_set_pose(journal, name, &pose, NULL));
  ret = worse(ret, fw__journal_set_pose(journal, names[(n + 1) % 5], &pose, NULL));
  if (n % 2 == 0) {
    const fw_journal_release_t release = {.waypoints = waypoints, .count = n % 9};
    ret = worse(ret, fw__journal_set_release(journal, name, release, NULL));
  }
  if (n % 4 == 3) {
    ret = worse(ret, fw__journal_set_flags(journal, name, (uint32_t)n % 4, NULL));
    fw__journal_set_paused(journal, n % 8 == 3);
  }
  if (n % 5 == 4) {
    const fw_journal_end_t end = {.id = (uint64_t)n - 3, .outcome = FW_JOURNAL_FAILED, .code = 208};
    const fw_ret_t ended = fw__journal_end_goal(journal, names[(n - 4) % 5], end, NULL);
    assert_true(ended == FW_RET_OK || ended == FW_RET_NOT_FOUND);
  }
  // Ends have numbers; one that is there already is not added again.
  const fw_journal_end_t untold = {.id = (uint64_t)n + 1, .outcome = FW_JOURNAL_REACHED, .code = (uint32_t)n};
  for (int32_t k = 0; fw__journal_told(journal) + (uint64_t)fw__journal_untold_count(journal) <= (uint64_t)n; ++k) {
    if (k > n) {
      ret = worse(ret, FW_RET_BAD_ALLOC);
      break;
    }
    ret = worse(ret, fw__journal_add_untold(journal, name, untold, NULL));
  }
  if (n % 3 == 1) {
    fw__journal_raise_told(journal, (uint64_t)n - (uint64_t)n % 4);
  }
  if (n % 6 == 5) {
    fw__journal_forget(journal, names[(n + 2) % 5]);
  }
  return ret;
}

static fw_journal_options_t options_of(const fw_journal_io_t * io)
{
  return (fw_journal_options_t){.path = "j", .io = io, .compact_above_bytes = 1 << 20};
}

static void open_journal(fw_journal_t * journal, const fw_journal_options_t * options, fw_journal_recovery_t * recovery)
{
  fw_error_t error = {.text = ""};
  const fw_ret_t ret = fw__journal_init(journal, options, recovery, &error);
  assert_string_equal(error.text, "");
  assert_int_equal(ret, FW_RET_OK);
  assert_true(fw__journal_validate(journal));
}

static void commit(fw_journal_t * journal, int64_t now_ns)
{
  fw_error_t error = {.text = ""};
  const fw_ret_t ret = fw__journal_commit(journal, now_ns, &error);
  assert_string_equal(error.text, "");
  assert_int_equal(ret, FW_RET_OK);
}

// The script without faults: the states after each commit (0: the empty journal) and the file without compaction.
typedef struct script_t {
  state_text_t states[STEPS + 1];
  size_t sizes[STEPS + 1];
  content_t file;
} script_t;

static script_t * script_new(void)
{
  script_t * script = calloc(1, sizeof(*script));
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  script->states[0] = describe(&journal);
  script->sizes[0] = HEADER_BYTES;
  for (int32_t n = 0; n < STEPS; ++n) {
    assert_int_equal(change(&journal, n), FW_RET_OK);
    commit(&journal, n);
    script->states[n + 1] = describe(&journal);
    script->sizes[n + 1] = disk_content(disk, "j")->size;
    assert_true(script->sizes[n + 1] > script->sizes[n]);
    assert_string_not_equal(script->states[n + 1].text, script->states[n].text);
  }
  fw__journal_fini(&journal);
  content_copy(&script->file, disk_content(disk, "j"), disk_content(disk, "j")->size);
  disk_delete(disk);
  return script;
}

static void script_delete(script_t * script)
{
  free(script->file.bytes);
  free(script);
}

// The states are those of the script up to commit n, and the journal goes on from there to its end.
static void go_on(fw_journal_t * journal, const script_t * script, int32_t n)
{
  for (; n < STEPS; ++n) {
    assert_string_equal(describe(journal).text, script->states[n].text);
    assert_int_equal(change(journal, n), FW_RET_OK);
    commit(journal, n);
  }
  assert_string_equal(describe(journal).text, script->states[STEPS].text);
}

// ---- tests: what is read --------------------------------------------------------------------------------------------

static void what_was_committed_is_read_again(void ** state)
{
  (void)state;
  script_t * script = script_new();
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  fw_journal_t journal;
  fw_journal_recovery_t recovery;
  for (int32_t n = 0; n < STEPS; ++n) {  // a restart before each commit
    open_journal(&journal, &options, &recovery);
    assert_int_equal(recovery.is_new, n == 0);
    assert_int_equal(recovery.batch_count, n);
    assert_int_equal(recovery.cut_bytes, 0);
    assert_string_equal(recovery.warning, "");
    assert_string_equal(describe(&journal).text, script->states[n].text);
    assert_int_equal(change(&journal, n), FW_RET_OK);
    commit(&journal, n);
    assert_int_equal(change(&journal, STEPS - n), FW_RET_OK);  // not committed
    fw__journal_fini(&journal);
  }
  const content_t * file = disk_content(disk, "j");
  assert_int_equal(file->size, script->file.size);  // and the same bytes as without restarts
  assert_memory_equal(file->bytes, script->file.bytes, file->size);
  open_journal(&journal, &options, NULL);
  assert_string_equal(describe(&journal).text, script->states[STEPS].text);
  fw__journal_fini(&journal);
  disk_delete(disk);
  script_delete(script);
}

static void values_come_back_as_they_were(void ** state)
{
  (void)state;
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  char name[FW_JOURNAL_NAME_BYTES_MAX + 1];
  memset(name, 'n', sizeof(name) - 1);
  name[sizeof(name) - 1] = '\0';
  const fw_journal_pose_t pose = {.at = {.x = -1.25, .y = 1e300, .yaw = 5e-324}, .stamp_ns = INT64_MIN};
  const fw_journal_goal_t late = goal_of(UINT64_MAX - 1, 7);
  const fw_journal_goal_t early = goal_of(3, 6);
  const fw_journal_goal_t also_late = goal_of(2, 7);
  const fw_journal_waypoint_t waypoints[] = {{.x = 1, .y = 2, .yaw = 3}, {.x = -4, .y = 5, .yaw = -0.0}};
  assert_int_equal(fw__journal_put_goal(&journal, name, &late, NULL), FW_RET_OK);
  assert_int_equal(fw__journal_put_goal(&journal, name, &early, NULL), FW_RET_OK);
  assert_int_equal(fw__journal_put_goal(&journal, name, &also_late, NULL), FW_RET_OK);
  assert_int_equal(fw__journal_set_pose(&journal, name, &pose, NULL), FW_RET_OK);
  const fw_journal_release_t release = {.waypoints = waypoints, .count = 2};
  assert_int_equal(fw__journal_set_release(&journal, name, release, NULL), FW_RET_OK);
  assert_int_equal(
    fw__journal_set_flags(&journal, name, FW_JOURNAL_HELD | FW_JOURNAL_OUT_OF_SERVICE | 0x80000000u, NULL), FW_RET_OK);
  assert_int_equal(fw__journal_set_flags(&journal, "a", 0, NULL), FW_RET_OK);
  const fw_journal_end_t end = {.id = 3, .outcome = FW_JOURNAL_REPLACED, .code = 0xfffffffeu};
  assert_int_equal(fw__journal_end_goal(&journal, name, end, NULL), FW_RET_OK);
  fw__journal_set_paused(&journal, true);
  commit(&journal, 0);
  fw__journal_fini(&journal);

  open_journal(&journal, &options, NULL);
  assert_int_equal(fw__journal_robot_count(&journal), 2);
  assert_string_equal(fw__journal_robot_at(&journal, 0)->name, "a");
  assert_false(fw__journal_robot_at(&journal, 0)->has_pose);
  const fw_journal_robot_t * robot = fw__journal_robot_at(&journal, 1);
  assert_string_equal(robot->name, name);
  assert_true(robot->has_pose);
  assert_memory_equal(&robot->pose, &pose, sizeof(pose));
  assert_int_equal(robot->goal_count, 2);
  assert_int_equal(robot->goals[0].id, 2);
  assert_true(robot->goals[1].id == UINT64_MAX - 1);
  assert_true(robot->goals[1].yaw_tolerance == INFINITY);
  assert_int_equal(robot->waypoint_count, 2);
  assert_memory_equal(robot->waypoints, waypoints, sizeof(waypoints));
  assert_true(robot->flags == (FW_JOURNAL_HELD | FW_JOURNAL_OUT_OF_SERVICE | 0x80000000u));
  assert_int_equal(robot->last_end.id, 3);
  assert_int_equal(robot->last_end.outcome, FW_JOURNAL_REPLACED);
  assert_true(robot->last_end.code == 0xfffffffeu);
  assert_true(fw__journal_is_paused(&journal));
  assert_true(fw__journal_next_goal_id(&journal) == UINT64_MAX);
  assert_null(fw__journal_find(&journal, "n"));
  fw__journal_fini(&journal);
  disk_delete(disk);
}

// CRC-32C bit by bit, as its definition says.
static uint32_t crc32c(uint32_t seed, const uint8_t * bytes, size_t size)
{
  uint32_t crc = ~seed;
  for (size_t i = 0; i < size; ++i) {
    crc ^= bytes[i];
    for (int32_t bit = 0; bit < 8; ++bit) {
      crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
    }
  }
  return ~crc;
}

static uint64_t little_endian(const uint8_t * bytes, int32_t size)
{
  uint64_t value = 0;
  for (int32_t i = 0; i < size; ++i) {
    value |= (uint64_t)bytes[i] << 8 * i;
  }
  return value;
}

static void set_checksum(uint8_t * bytes, uint32_t checksum)
{
  for (int32_t i = 0; i < 4; ++i) {
    bytes[i] = (uint8_t)(checksum >> 8 * i);
  }
}

// The bytes of docs/journal_format.md: a change here needs a new format version.
static void the_format_is_the_documented_one(void ** state)
{
  (void)state;
  assert_true(crc32c(0, (const uint8_t *)"123456789", 9) == 0xe3069283u);
  static const uint8_t payload[] = {
    1,    6,    0,    0,    0, 0, 0, 0,    0, 1,                                // fleet: next goal 6, paused
    2,    1,    'r',  3,    1, 0, 0, 0,    0, 0, 0, 0xf8, 0x3f,                 // robot r: pose and flags; x 1.5
    0,    0,    0,    0,    0, 0, 0, 0xc0, 0, 0, 0, 0,    0,    0, 0xe0, 0x3f,  // y -2, yaw 0.5
    0x15, 0xcd, 0x5b, 0x07, 0, 0, 0, 0,    2, 0, 0, 0,                          // stamp 123456789, out of service
    4,    3,    0,    0,    0, 0, 0, 0,    0,                                   // three ends were told
    5,    1,    'r',  5,    0, 0, 0, 0,    0, 0, 0, 2,    208,  0, 0,    0,     // r: goal 5 failed with 208
  };
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  assert_int_equal(fw__journal_set_flags(&journal, "r", 1, NULL), FW_RET_OK);
  commit(&journal, 0);
  const size_t first = disk_content(disk, "j")->size;
  fw__journal_reserve_goal_ids(&journal, 6);
  fw__journal_reserve_goal_ids(&journal, 5);  // changes nothing
  fw__journal_set_paused(&journal, true);
  const fw_journal_pose_t pose = {.at = {.x = 1.5, .y = -2, .yaw = 0.5}, .stamp_ns = 123456789};
  assert_int_equal(fw__journal_set_pose(&journal, "r", &pose, NULL), FW_RET_OK);
  assert_int_equal(fw__journal_set_flags(&journal, "r", FW_JOURNAL_OUT_OF_SERVICE, NULL), FW_RET_OK);
  const fw_journal_end_t end = {.id = 5, .outcome = FW_JOURNAL_FAILED, .code = 208};
  for (int32_t k = 0; k < 4; ++k) {  // the first three are told before they are written
    assert_int_equal(fw__journal_add_untold(&journal, "r", end, NULL), FW_RET_OK);
  }
  fw__journal_raise_told(&journal, 3);
  fw__journal_raise_told(&journal, 2);  // changes nothing
  commit(&journal, 0);
  fw__journal_fini(&journal);
  const content_t * file = disk_content(disk, "j");
  static const uint8_t header[] = {0x89, 'F', 'W', 'J', '\r', '\n', 0x1a, '\n', 2, 0, 0, 0};
  assert_memory_equal(file->bytes, header, sizeof(header));
  assert_int_equal(little_endian(file->bytes + 12, 4), crc32c(0, header, sizeof(header)));
  assert_int_equal(file->size, first + FRAME_BYTES + sizeof(payload));
  const uint8_t * frame = file->bytes + first;
  assert_int_equal(little_endian(frame, 8), sizeof(payload));
  assert_int_equal(little_endian(frame + 8, 8), 2);
  const uint32_t before = (uint32_t)little_endian(file->bytes + HEADER_BYTES + 20, 4);  // of the first batch
  assert_int_equal(little_endian(frame + 16, 4), crc32c(before, frame, 16));
  assert_int_equal(
    little_endian(frame + 20, 4), crc32c(crc32c(before, frame, 16), frame + FRAME_BYTES, sizeof(payload)));
  assert_memory_equal(frame + FRAME_BYTES, payload, sizeof(payload));
  disk_delete(disk);
}

// A file of version 1 is read, and replaced before anything is added to it.
static void the_format_before_is_read_and_replaced(void ** state)
{
  (void)state;
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  uint8_t bytes[] = {
    0x89, 'F', 'W', 'J', '\r', '\n', 0x1a, '\n', 1, 0, 0, 0, 0, 0, 0, 0,  // header
    10,   0,   0,   0,   0,    0,    0,    0,    1, 0, 0, 0, 0, 0, 0, 0,  // frame
    0,    0,   0,   0,   0,    0,    0,    0,                             //
    1,    7,   0,   0,   0,    0,    0,    0,    0, 1,                    // fleet: next goal 7, paused
  };
  uint8_t * frame = bytes + HEADER_BYTES;
  set_checksum(bytes + 12, crc32c(0, bytes, 12));
  set_checksum(frame + 16, crc32c(crc32c(0, bytes, 12), frame, 16));
  set_checksum(frame + 20, crc32c(crc32c(crc32c(0, bytes, 12), frame, 16), frame + FRAME_BYTES, 10));
  disk_put(disk, "j", bytes, sizeof(bytes));
  fw_journal_t journal;
  fw_journal_recovery_t recovery;
  open_journal(&journal, &options, &recovery);
  assert_int_equal(recovery.cut_bytes, 0);
  assert_int_equal(fw__journal_next_goal_id(&journal), 7);
  assert_true(fw__journal_is_paused(&journal));
  assert_int_equal(disk_content(disk, "j")->bytes[8], 1);
  commit(&journal, 0);
  assert_int_equal(disk_content(disk, "j")->bytes[8], 2);
  fw__journal_fini(&journal);
  open_journal(&journal, &options, &recovery);
  assert_int_equal(recovery.cut_bytes, 0);
  assert_int_equal(fw__journal_next_goal_id(&journal), 7);
  fw__journal_fini(&journal);
  disk_delete(disk);
}

// Where nobody listens, the oldest ends are forgotten, and the file does not grow.
static void ends_are_bounded(void ** state)
{
  (void)state;
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  for (uint64_t id = 1; id <= FW_JOURNAL_ENDS_MAX + 100; ++id) {
    const fw_journal_end_t end = {.id = id, .outcome = FW_JOURNAL_CANCELLED};
    assert_int_equal(fw__journal_add_untold(&journal, "robot", end, NULL), FW_RET_OK);
    commit(&journal, 0);
  }
  assert_int_equal(fw__journal_untold_count(&journal), FW_JOURNAL_ENDS_MAX);
  assert_int_equal(fw__journal_told(&journal), 100);
  assert_int_equal(fw__journal_untold_at(&journal, 0)->end.id, 101);
  assert_in_range(fw__journal_stats(&journal).state_bytes, 1, 32 * FW_JOURNAL_ENDS_MAX);
  fw__journal_fini(&journal);
  open_journal(&journal, &options, NULL);
  assert_int_equal(fw__journal_untold_count(&journal), FW_JOURNAL_ENDS_MAX);
  assert_int_equal(fw__journal_untold_at(&journal, 0)->end.id, 101);
  fw__journal_raise_told(&journal, UINT64_C(1) << 40);
  assert_int_equal(fw__journal_untold_count(&journal), 0);
  commit(&journal, 0);
  fw__journal_fini(&journal);
  open_journal(&journal, &options, NULL);
  assert_true(fw__journal_told(&journal) == UINT64_C(1) << 40);
  fw__journal_fini(&journal);
  disk_delete(disk);
}

// ---- tests: damaged files -------------------------------------------------------------------------------------------

static void every_prefix_is_the_last_whole_commit(void ** state)
{
  (void)state;
  script_t * script = script_new();
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  int32_t whole = 0;
  for (size_t size = 0; size <= script->file.size; ++size) {
    whole += whole < STEPS && script->sizes[whole + 1] == size ? 1 : 0;
    const size_t kept = size < HEADER_BYTES ? 0 : script->sizes[whole];
    disk_put(disk, "j", script->file.bytes, size);
    fw_journal_t journal;
    fw_journal_recovery_t recovery;
    open_journal(&journal, &options, &recovery);
    assert_string_equal(describe(&journal).text, script->states[whole].text);
    assert_int_equal(recovery.cut_bytes, size - kept);
    assert_int_equal(recovery.is_new, size == 0);
    assert_int_equal(recovery.is_torn, size > kept);
    assert_int_equal(recovery.warning[0] != '\0', size > kept);
    assert_int_equal(disk_content(disk, "j")->size, kept < HEADER_BYTES ? HEADER_BYTES : kept);
    if (size % 16 == 0) {
      go_on(&journal, script, whole);
      assert_int_equal(disk_content(disk, "j")->size, script->file.size);
      assert_memory_equal(disk_content(disk, "j")->bytes, script->file.bytes, script->file.size);
    }
    fw__journal_fini(&journal);
  }
  assert_int_equal(whole, STEPS);
  disk_delete(disk);
  script_delete(script);
}

static void every_changed_byte_is_found(void ** state)
{
  (void)state;
  script_t * script = script_new();
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  static const uint8_t masks[] = {0x01, 0x80, 0xff, 0x24};
  for (size_t at = 0; at < script->file.size; ++at) {
    for (int32_t m = 0; m < TEST_COUNT(masks); ++m) {
      disk_put(disk, "j", script->file.bytes, script->file.size);
      uint8_t * bytes = disk->files[disk_name(disk, "j")->file].content.bytes;
      bytes[at] ^= masks[m];
      int32_t whole = 0;
      while (whole < STEPS && script->sizes[whole + 1] <= at) {
        ++whole;
      }
      fw_journal_t journal;
      fw_journal_recovery_t recovery;
      fw_error_t error;
      const fw_ret_t ret = fw__journal_init(&journal, &options, &recovery, &error);
      if (at < HEADER_BYTES) {  // not ours, or it cannot be told: refused and left as it was
        assert_int_equal(ret, FW_RET_FILE);
        assert_int_equal(disk_content(disk, "j")->size, script->file.size);
        assert_int_equal(bytes[at], script->file.bytes[at] ^ masks[m]);
        continue;
      }
      assert_int_equal(ret, FW_RET_OK);
      assert_true(fw__journal_validate(&journal));
      assert_string_equal(describe(&journal).text, script->states[whole].text);
      assert_int_equal(recovery.cut_bytes, script->file.size - script->sizes[whole]);
      assert_false(recovery.is_torn);
      assert_non_null(strstr(recovery.warning, "damaged"));
      assert_int_equal(disk_content(disk, "j")->size, script->sizes[whole]);
      fw__journal_fini(&journal);
    }
  }
  disk_delete(disk);
  script_delete(script);
}

static uint64_t next_random(uint64_t * seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

// Makes all checksums of a file true again, as a program that writes nonsense would.
static void repair_checksums(uint8_t * bytes, size_t size)
{
  uint32_t checksum = (uint32_t)little_endian(bytes + 12, 4);
  size_t at = HEADER_BYTES;
  while (at + FRAME_BYTES <= size) {
    const uint64_t length = little_endian(bytes + at, 8);
    if (length > size - at - FRAME_BYTES) {
      return;
    }
    checksum = crc32c(checksum, bytes + at, 16);
    set_checksum(bytes + at + 16, checksum);
    checksum = crc32c(checksum, bytes + at + FRAME_BYTES, (size_t)length);
    set_checksum(bytes + at + 20, checksum);
    at += FRAME_BYTES + (size_t)length;
  }
}

static void nonsense_with_true_checksums_is_survived(void ** state)
{
  (void)state;
  script_t * script = script_new();
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  uint64_t seed = 5;
  int32_t cut = 0;
  int32_t taken = 0;
  const int32_t rounds = test_rounds(3000);
  for (int32_t round = 0; round < rounds; ++round) {
    disk_put(disk, "j", script->file.bytes, script->file.size);
    uint8_t * bytes = disk->files[disk_name(disk, "j")->file].content.bytes;
    const uint64_t changes = 1 + next_random(&seed) % 3;
    for (uint64_t i = 0; i < changes; ++i) {
      const size_t batch = next_random(&seed) % STEPS;
      const size_t length = script->sizes[batch + 1] - script->sizes[batch] - FRAME_BYTES;
      bytes[script->sizes[batch] + FRAME_BYTES + next_random(&seed) % length] =
        (uint8_t)(next_random(&seed) % 2 == 0 ? next_random(&seed) : next_random(&seed) % 4);
    }
    repair_checksums(bytes, script->file.size);
    fw_journal_t journal;
    fw_journal_recovery_t recovery;
    open_journal(&journal, &options, &recovery);  // validates
    cut += recovery.cut_bytes > 0 ? 1 : 0;
    taken += recovery.cut_bytes == 0 ? 1 : 0;
    assert_int_equal(change(&journal, 3), FW_RET_OK);
    commit(&journal, 0);
    const state_text_t before = describe(&journal);
    fw__journal_fini(&journal);
    open_journal(&journal, &options, &recovery);
    assert_int_equal(recovery.cut_bytes, 0);
    assert_string_equal(describe(&journal).text, before.text);
    fw__journal_fini(&journal);
  }
  assert_true(cut > rounds / 10 && taken > rounds / 10);  // both kinds of nonsense occurred
  disk_delete(disk);
  script_delete(script);
}

static void random_bytes_behind_the_header_are_cut(void ** state)
{
  (void)state;
  script_t * script = script_new();
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  uint64_t seed = 11;
  for (int32_t round = 0; round < test_rounds(2000); ++round) {
    uint8_t bytes[400];
    const size_t size = HEADER_BYTES + 1 + next_random(&seed) % (sizeof(bytes) - HEADER_BYTES - 1);
    memcpy(bytes, script->file.bytes, HEADER_BYTES);
    for (size_t i = HEADER_BYTES; i < size; ++i) {
      bytes[i] = (uint8_t)(round % 3 == 0 ? 0 : next_random(&seed));  // zeros: power failed after the file grew
    }
    disk_put(disk, "j", bytes, size);
    fw_journal_t journal;
    fw_journal_recovery_t recovery;
    open_journal(&journal, &options, &recovery);
    assert_int_equal(recovery.cut_bytes, size - HEADER_BYTES);
    assert_string_equal(describe(&journal).text, script->states[0].text);
    fw__journal_fini(&journal);
  }
  disk_delete(disk);
  script_delete(script);
}

// A batch is valid only behind the one that it was written behind: an older file's batch of the right number is not.
static void a_batch_of_another_history_is_not_taken(void ** state)
{
  (void)state;
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  content_t histories[2] = {{0}};
  size_t first_end = 0;
  fw_journal_t journal;
  for (uint32_t h = 0; h < 2; ++h) {
    disk_put(disk, "j", NULL, 0);
    open_journal(&journal, &options, NULL);
    assert_int_equal(fw__journal_set_flags(&journal, "a", h, NULL), FW_RET_OK);
    commit(&journal, 0);
    first_end = disk_content(disk, "j")->size;
    assert_int_equal(fw__journal_set_flags(&journal, "b", 7, NULL), FW_RET_OK);
    commit(&journal, 0);
    fw__journal_fini(&journal);
    content_copy(&histories[h], disk_content(disk, "j"), disk_content(disk, "j")->size);
  }
  assert_int_equal(histories[0].size, histories[1].size);
  memcpy(histories[0].bytes + first_end, histories[1].bytes + first_end, histories[0].size - first_end);
  disk_put(disk, "j", histories[0].bytes, histories[0].size);
  fw_journal_recovery_t recovery;
  open_journal(&journal, &options, &recovery);
  assert_int_equal(recovery.batch_count, 1);
  assert_null(fw__journal_find(&journal, "b"));
  fw__journal_fini(&journal);
  free(histories[0].bytes);
  free(histories[1].bytes);
  disk_delete(disk);
}

// ---- tests: kills, power failures, full disks ----------------------------------------------------------------------

typedef struct run_t {
  disk_t * disk;
  const script_t * script;
  fw_journal_options_t options;
} run_t;

// Runs the script until the disk stops. Returns how many commits had succeeded.
static int32_t run_until_stop(const run_t * run)
{
  fw_journal_t journal;
  if (fw__journal_init(&journal, &run->options, NULL, NULL) != FW_RET_OK) {
    assert_true(run->disk->is_stopped);
    return 0;
  }
  int32_t n = 0;
  for (; n < STEPS; ++n) {
    assert_int_equal(change(&journal, n), FW_RET_OK);
    fw_error_t error = {.text = ""};
    const fw_ret_t ret = fw__journal_commit(&journal, n, &error);
    if (ret != FW_RET_OK) {
      assert_int_equal(ret, FW_RET_FILE);
      assert_true(run->disk->is_stopped);
      break;
    }
    if (run->disk->is_stopped) {  // at the commit's last call, or before cleaning up
      ++n;
      break;
    }
  }
  fw__journal_fini(&journal);
  return n;
}

// The disk stops at each call in turn; `kept` < 0 for a kill, else that part of what was not synced survives.
static void stop_everywhere(const script_t * script, disk_fault_t fault, double kept)
{
  int64_t compactions = 0;
  for (int64_t at = 1;; ++at) {
    disk_t * disk = disk_new();
    const fw_journal_io_t io = disk_io(disk);
    const run_t run = {.disk = disk, .script = script, .options = {.path = "j", .io = &io, .compact_above_bytes = 1}};
    disk->fault = fault;
    disk->fault_at = at;
    const int32_t committed = run_until_stop(&run);
    const bool is_done = !disk->is_stopped;
    if (kept < 0) {
      disk_restart(disk);
    } else {
      disk_lose_power(disk, kept);
    }
    fw_journal_t journal;
    fw_journal_recovery_t recovery;
    open_journal(&journal, &run.options, &recovery);
    const state_text_t found = describe(&journal);
    const bool is_next = committed < STEPS && strcmp(found.text, script->states[committed + 1].text) == 0;
    if (!is_next) {
      assert_string_equal(found.text, script->states[committed].text);
    }
    if (kept < 0 && recovery.cut_bytes > 0) {
      assert_true(recovery.is_torn);  // a kill never looks like damage
    }
    go_on(&journal, script, committed + (is_next ? 1 : 0));
    compactions += fw__journal_stats(&journal).compaction_count;
    fw__journal_fini(&journal);
    disk_delete(disk);
    if (is_done) {
      assert_true(at > 3 * STEPS);
      break;
    }
  }
  assert_true(compactions > 10);
}

static void a_kill_at_any_call_loses_no_commit(void ** state)
{
  (void)state;
  script_t * script = script_new();
  for (int32_t fault = DISK_STOPS_BEFORE; fault < DISK_FAULT_COUNT; ++fault) {
    stop_everywhere(script, (disk_fault_t)fault, -1);
  }
  script_delete(script);
}

static void a_power_failure_at_any_call_loses_no_commit(void ** state)
{
  (void)state;
  script_t * script = script_new();
  static const double kept[] = {0, 0.5, 1};
  for (int32_t fault = DISK_STOPS_BEFORE; fault < DISK_FAULT_COUNT; ++fault) {
    for (int32_t k = 0; k < TEST_COUNT(kept); ++k) {
      stop_everywhere(script, (disk_fault_t)fault, kept[k]);
    }
  }
  script_delete(script);
}

// Some calls fail (no space): commits say so, nothing is lost in memory, and the file is whole at every moment.
static void fail_calls(const script_t * script, int64_t at, int64_t count, bool * is_done)
{
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = {.path = "j", .io = &io, .compact_above_bytes = 1};
  disk->fault = DISK_FAILS;
  disk->fault_at = at;
  disk->fault_calls = count;
  fw_journal_t journal;
  fw_error_t error;
  int32_t tries = 0;
  while (fw__journal_init(&journal, &options, NULL, &error) != FW_RET_OK) {
    assert_non_null(strstr(error.text, "No space left"));
    assert_in_range(++tries, 1, count);
  }
  int32_t last_good = 0;
  for (int32_t n = 0; n < STEPS; ++n) {
    assert_int_equal(change(&journal, n), FW_RET_OK);
    const fw_ret_t ret = fw__journal_commit(&journal, n, &error);
    assert_string_equal(describe(&journal).text, script->states[n + 1].text);
    if (ret != FW_RET_OK) {
      assert_int_equal(ret, FW_RET_FILE);
      assert_non_null(strstr(error.text, "No space left"));
    }
    last_good = ret == FW_RET_OK ? n + 1 : last_good;
    // What somebody would read who came now: a copy of the disk's file.
    disk_t * copy = disk_new();
    const fw_journal_io_t copy_io = disk_io(copy);
    const fw_journal_options_t copy_options = options_of(&copy_io);
    fw_journal_t reader;
    disk_put(copy, "j", disk_content(disk, "j")->bytes, disk_content(disk, "j")->size);
    open_journal(&reader, &copy_options, NULL);
    const state_text_t found = describe(&reader);
    int32_t known = last_good;
    while (known < n + 1 && strcmp(found.text, script->states[known].text) != 0) {
      ++known;
    }
    assert_string_equal(found.text, script->states[known].text);
    fw__journal_fini(&reader);
    disk_delete(copy);
  }
  *is_done = disk->calls < at;
  disk->fault_at = 0;
  commit(&journal, STEPS);
  fw__journal_fini(&journal);
  disk_lose_power(disk, 0);
  open_journal(&journal, &options, NULL);
  assert_string_equal(describe(&journal).text, script->states[STEPS].text);
  fw__journal_fini(&journal);
  disk_delete(disk);
}

static void failing_calls_lose_nothing(void ** state)
{
  (void)state;
  script_t * script = script_new();
  static const int64_t counts[] = {1, 2, 3, 7, 25};
  for (int32_t c = 0; c < TEST_COUNT(counts); ++c) {
    bool is_done = false;
    for (int64_t at = 1; !is_done; ++at) {
      fail_calls(script, at, counts[c], &is_done);
    }
  }
  script_delete(script);
}

// After a failed sync a second one proves nothing: the state must be written anew.
static void a_failed_sync_leads_to_a_new_file(void ** state)
{
  (void)state;
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  commit(&journal, 0);
  assert_int_equal(change(&journal, 0), FW_RET_OK);
  disk->fault = DISK_FAILS;
  disk->fault_calls = 1;
  disk->fault_at = disk->calls + 3;  // check, write, sync
  fw_error_t error;
  assert_int_equal(fw__journal_commit(&journal, 0, &error), FW_RET_FILE);
  assert_int_equal(fw__journal_stats(&journal).compaction_count, 0);
  commit(&journal, 0);
  assert_int_equal(fw__journal_stats(&journal).compaction_count, 1);
  fw__journal_fini(&journal);
  disk_delete(disk);
}

// Where a torn write cannot be cut off, nothing may be appended behind it.
static void a_torn_write_that_cannot_be_cut_leads_to_a_new_file(void ** state)
{
  (void)state;
  script_t * script = script_new();
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  commit(&journal, 0);
  assert_int_equal(change(&journal, 0), FW_RET_OK);
  disk->fault = DISK_FAILS;
  disk->fault_at = disk->calls + 2;
  disk->fault_at += disk->fault_at % 2;  // an even call writes half
  disk->calls += disk->fault_at - (disk->calls + 2);
  disk->fault_calls = 2;  // write and truncate
  assert_int_equal(fw__journal_commit(&journal, 0, NULL), FW_RET_FILE);
  assert_true(disk_content(disk, "j")->size > HEADER_BYTES);
  commit(&journal, 0);
  assert_int_equal(fw__journal_stats(&journal).compaction_count, 1);
  fw__journal_fini(&journal);
  fw_journal_recovery_t recovery;
  open_journal(&journal, &options, &recovery);
  assert_int_equal(recovery.cut_bytes, 0);
  assert_string_equal(describe(&journal).text, script->states[1].text);
  fw__journal_fini(&journal);
  disk_delete(disk);
  script_delete(script);
}

static int refuse_rename(void * state, const char * from, const char * to)
{
  (void)state;
  (void)from;
  (void)to;
  return -EACCES;
}

// Where files cannot be replaced, the journal is appended to, up to a limit; then commits fail.
static void without_compaction_the_file_is_bounded_too(void ** state)
{
  (void)state;
  disk_t * disk = disk_new();
  fw_journal_io_t io = disk_io(disk);
  io.rename = refuse_rename;
  const fw_journal_options_t options = {.path = "j", .io = &io, .compact_above_bytes = 2000};
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  int32_t errors = 0;
  for (int32_t n = 0; n < 400; ++n) {
    const fw_journal_pose_t pose = pose_at(n, 0);
    fw_error_t error;
    assert_int_equal(fw__journal_set_pose(&journal, "a", &pose, NULL), FW_RET_OK);
    if (fw__journal_commit(&journal, n, &error) != FW_RET_OK) {
      assert_non_null(strstr(error.text, "compacted"));
      ++errors;
    }
  }
  const fw_journal_stats_t stats = fw__journal_stats(&journal);
  assert_true(errors > 100);
  assert_in_range(stats.file_bytes, 2000, 4 * 2000);
  assert_in_range(stats.failed_compaction_count, errors + 2, errors + 20);
  assert_non_null(strstr(stats.last_compaction_failure, "Permission denied"));
  assert_null(disk_name(disk, "j.new"));
  fw__journal_fini(&journal);
  io.rename = disk_io(disk).rename;
  open_journal(&journal, &options, NULL);
  const fw_journal_pose_t pose = pose_at(400, 0);
  assert_int_equal(fw__journal_set_pose(&journal, "a", &pose, NULL), FW_RET_OK);
  commit(&journal, 0);
  assert_in_range(fw__journal_stats(&journal).file_bytes, 1, 2000);
  fw__journal_fini(&journal);
  disk_delete(disk);
}

// ---- tests: memory --------------------------------------------------------------------------------------------------

// Runs the script with an allocator that fails; what failed is done again.
static fw_ret_t run_with(const fw_journal_options_t * options, const script_t * script, tally_t * tally)
{
  fw_journal_t journal;
  fw_error_t error;
  fw_ret_t ret = fw__journal_init(&journal, options, NULL, &error);
  fw_ret_t worst = ret;
  if (ret != FW_RET_OK) {
    assert_string_equal(error.text, "out of memory");
    return ret;
  }
  for (int32_t n = 0; n < STEPS; ++n) {
    const state_text_t before = describe(&journal);
    ret = change(&journal, n);
    ret = worse(ret, fw__journal_commit(&journal, n, NULL));
    assert_true(fw__journal_validate(&journal));
    worst = worse(worst, ret);
    if (ret != FW_RET_OK && tally->fails_on) {
      tally_fail(tally, 0, false);
    }
    if (ret != FW_RET_OK) {
      assert_true(tally->live > 0 && before.size > 0);
      assert_int_equal(change(&journal, n), FW_RET_OK);
      commit(&journal, n);
    }
    assert_string_equal(describe(&journal).text, script->states[n + 1].text);
  }
  fw__journal_fini(&journal);
  return worst;
}

static void each_allocation_may_fail(void ** state)
{
  (void)state;
  script_t * script = script_new();
  for (int32_t fails_on = 0; fails_on < 2; ++fails_on) {
    int32_t errors = 0;
    for (int64_t n = 1;; ++n) {
      disk_t * disk = disk_new();
      const fw_journal_io_t io = disk_io(disk);
      fw_journal_options_t options = {.path = "j", .io = &io, .compact_above_bytes = 1};
      tally_t tally = {0};
      options.allocator = tally_allocator(&tally);
      tally_fail(&tally, n, fails_on != 0);
      const fw_ret_t ret = run_with(&options, script, &tally);
      assert_int_equal(tally.live, 0);
      assert_true(ret == FW_RET_OK || ret == FW_RET_BAD_ALLOC);
      const bool is_done = tally.fail_at == n && tally.calls < n;
      errors += ret == FW_RET_BAD_ALLOC ? 1 : 0;
      // Reading needs memory, too; what fails leaves the file as it was.
      tally_fail(&tally, 1 + n % 7, fails_on != 0);
      fw_journal_t journal;
      if (fw__journal_init(&journal, &options, NULL, NULL) != FW_RET_OK) {
        assert_int_equal(tally.live, 0);
        tally_fail(&tally, 0, false);
        open_journal(&journal, &options, NULL);
      }
      if (ret == FW_RET_OK || disk_content(disk, "j")->size > HEADER_BYTES) {
        assert_string_equal(describe(&journal).text, script->states[STEPS].text);
      }
      fw__journal_fini(&journal);
      assert_int_equal(tally.live, 0);
      disk_delete(disk);
      if (is_done) {
        assert_int_equal(ret, FW_RET_OK);
        break;
      }
      assert_in_range(n, 1, 100000);
    }
    assert_true(errors > 20);
  }
  script_delete(script);
}

// A setter that has no memory leaves the state as it was, without a robot that it had to add.
static void a_setter_without_memory_changes_nothing(void ** state)
{
  (void)state;
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  fw_journal_options_t options = options_of(&io);
  tally_t tally = {0};
  options.allocator = tally_allocator(&tally);
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  const fw_journal_waypoint_t waypoint = {.x = 1};
  const fw_journal_goal_t goal = goal_of(1, 1);
  int32_t errors = 0;
  for (int32_t round = 0; round < 40; ++round) {
    char name[16];
    (void)snprintf(name, sizeof(name), "r%d", round % 20);
    const state_text_t before = describe(&journal);
    tally_fail(&tally, 1 + round % 4, true);
    const fw_ret_t ret =
      round % 2 == 0
        ? fw__journal_put_goal(&journal, name, &goal, NULL)
        : fw__journal_set_release(&journal, name, (fw_journal_release_t){.waypoints = &waypoint, .count = 1}, NULL);
    if (ret != FW_RET_OK) {
      assert_int_equal(ret, FW_RET_BAD_ALLOC);
      assert_string_equal(describe(&journal).text, before.text);
      ++errors;
    }
    tally_fail(&tally, 0, false);
    assert_true(fw__journal_validate(&journal));
    if (round == 21) {  // the same with robots that are in the file and forgotten
      commit(&journal, 0);
      for (int32_t i = 0; i < 20; ++i) {
        (void)snprintf(name, sizeof(name), "r%d", i);
        fw__journal_forget(&journal, name);
      }
    }
  }
  assert_true(errors > 10);
  commit(&journal, 0);
  const state_text_t last = describe(&journal);
  fw__journal_fini(&journal);
  assert_int_equal(tally.live, 0);
  open_journal(&journal, &options, NULL);
  assert_string_equal(describe(&journal).text, last.text);
  fw__journal_fini(&journal);
  disk_delete(disk);
}

// ---- tests: what is written -----------------------------------------------------------------------------------------

static void only_changes_are_written(void ** state)
{
  (void)state;
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  fw_journal_options_t options = options_of(&io);
  options.pose_distance = 0.1;
  options.pose_turn = 0.2;
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  for (int32_t n = 0; n < 7; ++n) {
    assert_int_equal(change(&journal, n), FW_RET_OK);
  }
  fw_journal_pose_t pose = {.at = {.x = 5, .y = 5, .yaw = 3.1}, .stamp_ns = 1};
  assert_int_equal(fw__journal_set_pose(&journal, "p", &pose, NULL), FW_RET_OK);
  commit(&journal, 0);
  const size_t size = disk_content(disk, "j")->size;
  assert_int_equal(change(&journal, 6), FW_RET_OK);  // as it is already
  fw__journal_forget(&journal, "nobody");
  pose.stamp_ns = 2;  // later, nearly the same place, on the other side of the half turn
  pose.at.x += 0.09;
  pose.at.yaw = -3.1;
  assert_int_equal(fw__journal_set_pose(&journal, "p", &pose, NULL), FW_RET_OK);
  commit(&journal, 0);
  assert_int_equal(disk_content(disk, "j")->size, size);
  assert_int_equal(fw__journal_find(&journal, "p")->pose.stamp_ns, 1);
  pose.at.x += 0.02;  // compared with what is stored, not with what was reported: errors do not add up
  assert_int_equal(fw__journal_set_pose(&journal, "p", &pose, NULL), FW_RET_OK);
  commit(&journal, 0);
  assert_int_equal(disk_content(disk, "j")->size, size + FRAME_BYTES + 1 + 2 + 1 + 1 + 32);
  pose.at.yaw += 0.21;
  assert_int_equal(fw__journal_set_pose(&journal, "p", &pose, NULL), FW_RET_OK);
  assert_int_equal(fw__journal_set_flags(&journal, "new", 0, NULL), FW_RET_OK);  // and forgotten before any commit
  fw__journal_forget(&journal, "new");
  commit(&journal, 0);
  assert_int_equal(disk_content(disk, "j")->size, size + 2 * (FRAME_BYTES + 1 + 2 + 1 + 1 + 32));
  fw__journal_fini(&journal);
  disk_delete(disk);
}

static void syncs_follow_the_policy(void ** state)
{
  (void)state;
  static const int64_t expected[] = {
    [FW_JOURNAL_SYNC_EACH] = 100, [FW_JOURNAL_SYNC_INTERVAL] = 10 + 1, [FW_JOURNAL_SYNC_NEVER] = 0};
  for (int32_t policy = 0; policy < TEST_COUNT(expected); ++policy) {
    disk_t * disk = disk_new();
    const fw_journal_io_t io = disk_io(disk);
    fw_journal_options_t options = options_of(&io);
    options.sync = (fw_journal_sync_t)policy;
    options.sync_interval_ns = 1000;
    fw_journal_t journal;
    open_journal(&journal, &options, NULL);
    for (int32_t n = 0; n < 100; ++n) {
      const fw_journal_pose_t pose = pose_at(n, n);
      assert_int_equal(fw__journal_set_pose(&journal, "a", &pose, NULL), FW_RET_OK);
      commit(&journal, (n == 99 ? 0 : 100 * n) - 500);  // the last time jumps back
      commit(&journal, (n == 99 ? 0 : 100 * n) - 500);  // nothing to write, nothing to sync
    }
    assert_int_equal(disk->syncs, expected[policy]);
    assert_int_equal(fw__journal_stats(&journal).sync_count, expected[policy]);
    assert_int_equal(disk->directory_syncs, 1);  // the name of a new file
    fw__journal_reserve_goal_ids(&journal, 100);
    commit(&journal, 0);
    commit(&journal, 0);
    assert_int_equal(disk->syncs, expected[policy] + 1);
    disk_lose_power(disk, 0);
    fw__journal_fini(&journal);
    open_journal(&journal, &options, NULL);
    assert_int_equal(fw__journal_next_goal_id(&journal), 100);
    fw__journal_fini(&journal);
    disk_delete(disk);
  }
}

// With an interval, a commit without changes syncs what is due, and an orderly end syncs the rest.
static void the_last_batch_is_synced_without_another_change(void ** state)
{
  (void)state;
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  fw_journal_options_t options = options_of(&io);
  options.sync = FW_JOURNAL_SYNC_INTERVAL;
  options.sync_interval_ns = 1000;
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  for (uint32_t n = 0; n < 3; ++n) {
    assert_int_equal(fw__journal_set_flags(&journal, "a", n, NULL), FW_RET_OK);
    commit(&journal, 10 * n);
  }
  assert_int_equal(disk->syncs, 1);
  commit(&journal, 999);
  assert_int_equal(disk->syncs, 1);
  commit(&journal, 1000);
  assert_int_equal(disk->syncs, 2);
  assert_int_equal(fw__journal_set_flags(&journal, "a", 9, NULL), FW_RET_OK);
  commit(&journal, 1001);
  fw__journal_fini(&journal);
  disk_lose_power(disk, 0);
  open_journal(&journal, &options, NULL);
  assert_int_equal(fw__journal_find(&journal, "a")->flags, 9);
  fw__journal_fini(&journal);
  disk_delete(disk);
}

// The process before this one was killed between write and sync: its last batch, which we have read and act upon, must
// not be lost in a power failure.
static void what_was_read_is_synced(void ** state)
{
  (void)state;
  script_t * script = script_new();
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  fw_journal_options_t options = options_of(&io);
  options.sync = FW_JOURNAL_SYNC_NEVER;
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  go_on(&journal, script, 0);
  fw__journal_fini(&journal);
  options.sync = FW_JOURNAL_SYNC_EACH;
  open_journal(&journal, &options, NULL);
  commit(&journal, 0);
  assert_int_equal(disk_io(disk).sync_directory(disk, "j"), 0);
  disk_lose_power(disk, 0);
  fw__journal_fini(&journal);
  open_journal(&journal, &options, NULL);
  assert_string_equal(describe(&journal).text, script->states[STEPS].text);
  fw__journal_fini(&journal);
  disk_delete(disk);
  script_delete(script);
}

// What a killed compaction left at path.new, longer than the new file, does not get into it.
static void a_killed_compaction_leaves_nothing_in_the_next_one(void ** state)
{
  (void)state;
  script_t * script = script_new();
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = {.path = "j", .io = &io, .compact_above_bytes = 1};
  uint8_t left[20000];
  memset(left, 'x', sizeof(left));
  disk_put(disk, "j.new", left, sizeof(left));
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  go_on(&journal, script, 0);
  assert_true(fw__journal_stats(&journal).compaction_count > 0);
  assert_int_equal(disk_content(disk, "j")->size, fw__journal_stats(&journal).file_bytes);
  assert_null(disk_name(disk, "j.new"));
  fw__journal_fini(&journal);
  fw_journal_recovery_t recovery;
  open_journal(&journal, &options, &recovery);
  assert_int_equal(recovery.cut_bytes, 0);
  fw__journal_fini(&journal);
  disk_delete(disk);
  script_delete(script);
}

// A robot that is forgotten and comes back within one batch has nothing of what the file had about it.
static void a_robot_that_comes_back_is_empty(void ** state)
{
  (void)state;
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  assert_int_equal(change(&journal, 4), FW_RET_OK);
  assert_true(fw__journal_find(&journal, "m")->goal_count > 0 && fw__journal_find(&journal, "m")->has_pose);
  commit(&journal, 0);
  fw__journal_forget(&journal, "m");
  assert_null(fw__journal_find(&journal, "m"));
  assert_int_equal(fw__journal_set_flags(&journal, "m", 1, NULL), FW_RET_OK);
  commit(&journal, 0);
  fw__journal_fini(&journal);
  open_journal(&journal, &options, NULL);
  const fw_journal_robot_t * robot = fw__journal_find(&journal, "m");
  assert_true(robot->goal_count == 0 && robot->waypoint_count == 0 && !robot->has_pose && robot->flags == 1);
  fw__journal_forget(&journal, "m");
  commit(&journal, 0);
  fw__journal_fini(&journal);
  open_journal(&journal, &options, NULL);
  assert_null(fw__journal_find(&journal, "m"));
  assert_int_equal(fw__journal_robot_count(&journal), 1);
  fw__journal_fini(&journal);
  disk_delete(disk);
}

static void the_file_stays_bounded(void ** state)
{
  (void)state;
  enum { UPDATES = 100000, WARM = 20000 };
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  fw_journal_options_t options = {.path = "j", .io = &io, .compact_above_bytes = 20000, .sync = FW_JOURNAL_SYNC_NEVER};
  tally_t tally = {0};
  options.allocator = tally_allocator(&tally);
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  int64_t calls = 0;
  for (int32_t n = 0; n < UPDATES; ++n) {
    const fw_journal_pose_t pose = pose_at(n, -n);
    assert_int_equal(fw__journal_set_pose(&journal, n % 2 == 0 ? "a" : "b", &pose, NULL), FW_RET_OK);
    commit(&journal, n);
    assert_in_range(disk_content(disk, "j")->size, HEADER_BYTES, 20000);
    calls = n == WARM ? tally.calls : calls;
  }
  assert_int_equal(tally.calls, calls);  // no heap call in the steady state
  assert_in_range(fw__journal_stats(&journal).compaction_count, UPDATES * 60 / 20000, UPDATES * 70 / 19000);
  assert_null(disk_name(disk, "j.new"));
  fw__journal_fini(&journal);
  open_journal(&journal, &options, NULL);
  assert_true(fw__journal_find(&journal, "b")->pose.at.x == UPDATES - 1);
  fw__journal_fini(&journal);
  assert_int_equal(tally.live, 0);
  disk_delete(disk);
}

static void a_thousand_robots(void ** state)
{
  (void)state;
  enum { ROBOTS = 1000, WAYPOINTS = 20 };
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  fw_journal_options_t options = {.path = "j", .io = &io, .compact_above_bytes = 1};
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  char names[ROBOTS][FW_JOURNAL_NAME_BYTES_MAX + 1];
  fw_journal_waypoint_t waypoints[WAYPOINTS] = {{0}};
  for (int32_t round = 0; round < 6; ++round) {
    for (int32_t i = 0; i < ROBOTS; ++i) {
      const int32_t r = i * 611 % ROBOTS;
      memset(names[r], 'x', FW_JOURNAL_NAME_BYTES_MAX);
      (void)snprintf(names[r] + 250, 6, "%05d", r);
      const fw_journal_pose_t pose = pose_at(r, round);
      waypoints[round].x = r;
      const fw_journal_goal_t goal = goal_of((uint64_t)(1 + r + ROBOTS * round), 1);
      assert_int_equal(fw__journal_set_pose(&journal, names[r], &pose, NULL), FW_RET_OK);
      assert_int_equal(
        fw__journal_set_release(
          &journal, names[r], (fw_journal_release_t){.waypoints = waypoints, .count = WAYPOINTS}, NULL),
        FW_RET_OK);
      assert_int_equal(fw__journal_put_goal(&journal, names[r], &goal, NULL), FW_RET_OK);
    }
    commit(&journal, 0);
    const fw_journal_stats_t stats = fw__journal_stats(&journal);
    assert_true(stats.file_bytes <= 4 * stats.state_bytes);
  }
  fw__journal_fini(&journal);
  open_journal(&journal, &options, NULL);
  assert_int_equal(fw__journal_robot_count(&journal), ROBOTS);
  for (int32_t r = 0; r < ROBOTS; ++r) {
    const fw_journal_robot_t * robot = fw__journal_robot_at(&journal, r);
    assert_string_equal(robot->name, names[r]);
    assert_int_equal(robot->goal_count, 6);
    assert_int_equal(robot->waypoint_count, WAYPOINTS);
    assert_true(robot->waypoints[5].x == r && robot->pose.at.y == 5);
    fw__journal_forget(&journal, names[r]);
    assert_int_equal(fw__journal_robot_count(&journal), ROBOTS - 1);
    const fw_journal_pose_t pose = pose_at(1, 1);
    assert_int_equal(fw__journal_set_pose(&journal, names[r], &pose, NULL), FW_RET_OK);  // known again, without goals
  }
  commit(&journal, 0);
  fw__journal_fini(&journal);
  open_journal(&journal, &options, NULL);
  for (int32_t r = 0; r < ROBOTS; ++r) {
    const fw_journal_robot_t * robot = fw__journal_robot_at(&journal, r);
    assert_true(robot->goal_count == 0 && robot->waypoint_count == 0 && robot->pose.at.x == 1);
  }
  fw__journal_fini(&journal);
  disk_delete(disk);
}

static void bad_values_are_refused(void ** state)
{
  (void)state;
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  fw_journal_t journal;
  fw_error_t error;
  open_journal(&journal, &options, NULL);
  assert_int_equal(change(&journal, 0), FW_RET_OK);
  const state_text_t before = describe(&journal);
  char name[FW_JOURNAL_NAME_BYTES_MAX + 2];
  memset(name, 'n', sizeof(name) - 1);
  name[sizeof(name) - 1] = '\0';
  assert_int_equal(fw__journal_set_flags(&journal, name, 1, &error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "256 bytes; 1 to 255"));
  assert_int_equal(fw__journal_set_flags(&journal, "", 1, &error), FW_RET_INVALID_ARGUMENT);
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int32_t i = 0; i < TEST_COUNT(bad); ++i) {
    for (int32_t field = 0; field < 3; ++field) {
      fw_journal_waypoint_t at = {.x = field == 0 ? bad[i] : 1, .y = field == 1 ? bad[i] : 1};
      at.yaw = field == 2 ? bad[i] : 1;
      const fw_journal_pose_t pose = {.at = at};
      assert_int_equal(fw__journal_set_pose(&journal, "a", &pose, &error), FW_RET_INVALID_ARGUMENT);
      const fw_journal_release_t release = {.waypoints = &at, .count = 1};
      assert_int_equal(fw__journal_set_release(&journal, "a", release, &error), FW_RET_INVALID_ARGUMENT);
      fw_journal_goal_t goal = goal_of(9, 9);
      goal.pose = at;
      assert_int_equal(fw__journal_put_goal(&journal, "a", &goal, &error), FW_RET_INVALID_ARGUMENT);
    }
  }
  fw_journal_goal_t goals[] = {goal_of(0, 1), goal_of(UINT64_MAX, 1), goal_of(9, 9), goal_of(9, 9)};
  goals[2].position_tolerance = NAN;
  goals[3].yaw_tolerance = -0.1;
  for (int32_t i = 0; i < TEST_COUNT(goals); ++i) {
    assert_int_equal(fw__journal_put_goal(&journal, "a", &goals[i], &error), FW_RET_INVALID_ARGUMENT);
  }
  static const int32_t counts[] = {-1, FW_JOURNAL_WAYPOINTS_MAX + 1, INT32_MAX};
  for (int32_t i = 0; i < TEST_COUNT(counts); ++i) {
    const fw_journal_release_t release = {.waypoints = NULL, .count = counts[i]};
    assert_int_equal(fw__journal_set_release(&journal, "a", release, &error), FW_RET_INVALID_ARGUMENT);
  }
  const fw_journal_end_t unknown = {.id = 77, .outcome = FW_JOURNAL_REACHED};
  assert_int_equal(fw__journal_end_goal(&journal, "a", unknown, &error), FW_RET_NOT_FOUND);
  assert_int_equal(fw__journal_end_goal(&journal, "nobody", unknown, &error), FW_RET_NOT_FOUND);
  assert_int_equal(fw__journal_end_goal(&journal, "b", (fw_journal_end_t){.id = 1}, &error), FW_RET_INVALID_ARGUMENT);
  assert_string_equal(describe(&journal).text, before.text);
  for (uint64_t i = 0; i < FW_JOURNAL_GOALS_MAX; ++i) {
    const fw_journal_goal_t goal = goal_of(i + 1, 5000 - i);
    assert_int_equal(fw__journal_put_goal(&journal, "full", &goal, &error), FW_RET_OK);
  }
  const fw_journal_goal_t more = goal_of(5000, 1);
  assert_int_equal(fw__journal_put_goal(&journal, "full", &more, &error), FW_RET_INVALID_ARGUMENT);
  const fw_journal_goal_t other = goal_of(7, 1);  // replaces one
  assert_int_equal(fw__journal_put_goal(&journal, "full", &other, &error), FW_RET_OK);
  assert_int_equal(fw__journal_find(&journal, "full")->goals[0].id, 7);
  commit(&journal, 0);
  fw__journal_fini(&journal);
  open_journal(&journal, &options, NULL);
  assert_int_equal(fw__journal_find(&journal, "full")->goal_count, FW_JOURNAL_GOALS_MAX);
  fw__journal_fini(&journal);
  fw_journal_options_t wrong[] = {options, options, options, options};
  wrong[0].path = "";
  wrong[1].path = NULL;
  wrong[2].pose_distance = NAN;
  wrong[3].sync_interval_ns = -1;
  for (int32_t i = 0; i < TEST_COUNT(wrong); ++i) {
    assert_int_equal(fw__journal_init(&journal, &wrong[i], NULL, &error), FW_RET_INVALID_ARGUMENT);
    fw__journal_fini(&journal);
  }
  disk_delete(disk);
}

static void validate_finds_what_is_wrong(void ** state)
{
  (void)state;
  disk_t * disk = disk_new();
  const fw_journal_io_t io = disk_io(disk);
  const fw_journal_options_t options = options_of(&io);
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  for (int32_t n = 0; n < 9; ++n) {
    assert_int_equal(change(&journal, n), FW_RET_OK);
  }
  commit(&journal, 0);
  fw__journal_forget(&journal, "b");
  assert_true(fw__journal_validate(&journal));
  fw_journal_robot_t * first = journal.robots[0];
  fw_journal_robot_t * second = journal.robots[1];
  journal.robots[0] = second;
  journal.robots[1] = first;
  assert_false(fw__journal_validate(&journal));
  journal.robots[0] = first;
  journal.robots[1] = second;
  first->pose.at.x = NAN;
  assert_false(fw__journal_validate(&journal));
  first->pose.at.x = 0;
  assert_true(first->goal_count > 0);
  const fw_journal_goal_t goal = first->goals[0];
  first->goals[0].id = journal.next_goal_id;
  assert_false(fw__journal_validate(&journal));
  first->goals[0] = goal;
  memcpy(journal.forgotten[0]->name, first->name, sizeof(first->name));  // forgotten and known
  assert_false(fw__journal_validate(&journal));
  memcpy(journal.forgotten[0]->name, "b", 2);
  journal.forgotten[0]->is_in_file = false;
  assert_false(fw__journal_validate(&journal));
  journal.forgotten[0]->is_in_file = true;
  assert_true(fw__journal_validate(&journal));
  fw__journal_fini(&journal);
  disk_delete(disk);
}

// ---- tests: real files ----------------------------------------------------------------------------------------------

typedef struct folder_t {
  char path[200];
  char journal[220];
  char other[220];
} folder_t;

static folder_t folder_make(void)
{
  folder_t folder;
  const char * top = getenv("TMPDIR");
  (void)snprintf(folder.path, sizeof(folder.path), "%s/fleetweave-test-XXXXXX", top != NULL ? top : "/tmp");
  assert_non_null(mkdtemp(folder.path));
  (void)snprintf(folder.journal, sizeof(folder.journal), "%s/journal", folder.path);
  (void)snprintf(folder.other, sizeof(folder.other), "%s/other", folder.path);
  return folder;
}

static void folder_remove(const folder_t * folder)
{
  (void)unlink(folder->journal);
  (void)unlink(folder->other);
  assert_int_equal(rmdir(folder->path), 0);  // and nothing is left behind
}

static void write_file(const char * path, const void * bytes, size_t size)
{
  FILE * file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static size_t read_file(const char * path, char * bytes, size_t size)
{
  FILE * file = fopen(path, "rb");
  assert_non_null(file);
  const size_t count = fread(bytes, 1, size, file);
  assert_int_equal(fclose(file), 0);
  return count;
}

static void files_have_the_bytes_of_the_disk_in_memory(void ** state)
{
  (void)state;
  script_t * script = script_new();
  const folder_t folder = folder_make();
  fw_journal_options_t options = {.path = folder.journal, .sync = FW_JOURNAL_SYNC_INTERVAL, .sync_interval_ns = 50};
  fw_journal_t journal;
  fw_journal_recovery_t recovery;
  const mode_t mask = umask(0);
  open_journal(&journal, &options, &recovery);
  assert_true(recovery.is_new);
  go_on(&journal, script, 0);
  fw__journal_fini(&journal);
  struct stat status;
  assert_int_equal(stat(folder.journal, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0644);  // whatever the umask: nobody else tells robots where they are
  char bytes[32 * 1024];
  assert_int_equal(read_file(folder.journal, bytes, sizeof(bytes)), script->file.size);
  assert_memory_equal(bytes, script->file.bytes, script->file.size);
  options.compact_above_bytes = 1;
  open_journal(&journal, &options, &recovery);
  assert_false(recovery.is_new);
  assert_string_equal(describe(&journal).text, script->states[STEPS].text);
  for (int32_t n = 0; n < 200; ++n) {
    assert_int_equal(change(&journal, n), FW_RET_OK);
    commit(&journal, n);
  }
  assert_true(fw__journal_stats(&journal).compaction_count > 5);
  assert_int_equal(stat(folder.journal, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0644);
  umask(mask);
  const state_text_t last = describe(&journal);
  fw__journal_fini(&journal);
  open_journal(&journal, &options, &recovery);
  assert_string_equal(describe(&journal).text, last.text);
  fw__journal_fini(&journal);
  folder_remove(&folder);
  script_delete(script);
}

static void assert_refused(const char * path, const char * reason)
{
  const fw_journal_options_t options = {.path = path};
  fw_journal_t journal;
  fw_error_t error;
  assert_int_equal(fw__journal_init(&journal, &options, NULL, &error), FW_RET_FILE);
  if (strstr(error.text, reason) == NULL) {
    assert_string_equal(error.text, reason);
  }
  fw__journal_fini(&journal);
}

static void foreign_and_newer_files_are_refused_and_left(void ** state)
{
  (void)state;
  const folder_t folder = folder_make();
  uint8_t newer[] = {0x89, 'F', 'W', 'J', '\r', '\n', 0x1a, '\n', 3, 0, 0, 0, 0, 0, 0, 0, 'x'};
  set_checksum(newer + 12, crc32c(0, newer, 12));
  uint8_t damaged[sizeof(newer)];
  memcpy(damaged, newer, sizeof(newer));
  damaged[8] = 1;
  const struct {
    const void * bytes;
    size_t size;
    const char * reason;
  } cases[] = {
    {"x", 1, "is not a journal (its first bytes are 78 00"},
    {"robots: [a, b]\nmap: hall\n", 25, "is not a journal (its first bytes are 72 6f"},
    {"\x89PNG\r\n\x1a\nxxxxxxxxxxxxxxxx", 24, "is not a journal"},
    {"\x89"
     "FWJ\n\x1a\n",
     7, "is not a journal"},
    {newer, sizeof(newer), "has format version 3, this program reads versions up to 2"},
    {damaged, sizeof(damaged), "header is damaged"},
    {newer, 14, "header is damaged"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    write_file(folder.journal, cases[i].bytes, cases[i].size);
    assert_refused(folder.journal, cases[i].reason);
    char bytes[64];
    assert_int_equal(read_file(folder.journal, bytes, sizeof(bytes)), cases[i].size);
    assert_memory_equal(bytes, cases[i].bytes, cases[i].size);
  }
  folder_remove(&folder);
}

static void other_things_than_files_are_refused(void ** state)
{
  (void)state;
  const folder_t folder = folder_make();
  char path[300];
  assert_refused(folder.path, "cannot be opened: Is a directory");
  (void)snprintf(path, sizeof(path), "%s/missing/journal", folder.path);
  assert_refused(path, "cannot be opened: No such file or directory");
  assert_int_equal(mkfifo(folder.other, 0600), 0);
  assert_refused(folder.other, "is not a regular file");
  assert_int_equal(unlink(folder.other), 0);
  assert_int_equal(symlink("elsewhere", folder.other), 0);
  assert_refused(folder.other, "is a symbolic link");
  assert_int_equal(unlink(folder.other), 0);
  write_file(folder.other, "", 0);
  (void)snprintf(path, sizeof(path), "%s/journal", folder.other);
  assert_refused(path, "cannot be opened: Not a directory");
  assert_int_equal(chmod(folder.other, 0400), 0);
  if (access(folder.other, W_OK) != 0) {  // root may write everything
    assert_refused(folder.other, "cannot be opened: Permission denied");
  }
  assert_refused("/proc/journal", "cannot be opened");
  folder_remove(&folder);
}

// Runs `work` in a process of its own; returns its exit status as of waitpid.
static int in_process(void (*work)(const folder_t * folder), const folder_t * folder)
{
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    work(folder);
    _exit(1);  // work ends the process
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static void expect_refusal(const folder_t * folder)
{
  const fw_journal_options_t options = {.path = folder->journal};
  fw_journal_t journal;
  fw_error_t error = {.text = ""};
  const fw_ret_t ret = fw__journal_init(&journal, &options, NULL, &error);
  _exit(ret == FW_RET_FILE && strstr(error.text, "in use by another controller") != NULL ? 0 : 2);
}

static void a_journal_in_use_is_refused(void ** state)
{
  (void)state;
  const folder_t folder = folder_make();
  const fw_journal_options_t options = {.path = folder.journal, .compact_above_bytes = 1};
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  for (int32_t n = 0; n < 40; ++n) {  // before and after compactions: the lock moves to the new file
    assert_int_equal(change(&journal, n), FW_RET_OK);
    commit(&journal, n);
    if (n % 10 == 0) {
      assert_refused(folder.journal, "in use by another controller");
      assert_int_equal(in_process(expect_refusal, &folder), 0);
    }
  }
  assert_true(fw__journal_stats(&journal).compaction_count > 1);
  fw__journal_fini(&journal);
  open_journal(&journal, &options, NULL);
  fw__journal_fini(&journal);
  folder_remove(&folder);
}

static void commit_and_die(const folder_t * folder)
{
  const fw_journal_options_t options = {.path = folder->journal, .compact_above_bytes = 1};
  fw_journal_t journal;
  if (fw__journal_init(&journal, &options, NULL, NULL) != FW_RET_OK) {
    _exit(3);
  }
  for (int32_t n = 0; n < STEPS; ++n) {
    if (change(&journal, n) != FW_RET_OK || fw__journal_commit(&journal, n, NULL) != FW_RET_OK) {
      _exit(4);
    }
  }
  (void)change(&journal, STEPS);
  (void)raise(SIGKILL);
}

static void a_killed_process_leaves_what_it_committed(void ** state)
{
  (void)state;
  script_t * script = script_new();
  const folder_t folder = folder_make();
  const int status = in_process(commit_and_die, &folder);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  const fw_journal_options_t options = {.path = folder.journal};
  fw_journal_t journal;
  open_journal(&journal, &options, NULL);
  assert_string_equal(describe(&journal).text, script->states[STEPS].text);
  fw__journal_fini(&journal);
  folder_remove(&folder);
  script_delete(script);
}

static void a_deleted_file_is_written_again(void ** state)
{
  (void)state;
  script_t * script = script_new();
  const folder_t folder = folder_make();
  const fw_journal_options_t options = {.path = folder.journal};
  fw_journal_t journal;
  fw_error_t error;
  open_journal(&journal, &options, NULL);
  assert_int_equal(change(&journal, 0), FW_RET_OK);
  commit(&journal, 0);
  assert_int_equal(unlink(folder.journal), 0);
  commit(&journal, 0);  // without any change
  assert_int_equal(access(folder.journal, F_OK), 0);
  assert_int_equal(unlink(folder.journal), 0);
  assert_int_equal(rmdir(folder.path), 0);  // now there is no place for it
  assert_int_equal(change(&journal, 1), FW_RET_OK);
  assert_int_equal(fw__journal_commit(&journal, 0, &error), FW_RET_FILE);
  assert_non_null(strstr(error.text, "No such file or directory"));
  assert_int_equal(mkdir(folder.path, 0700), 0);
  write_file(folder.journal, "mine", 4);  // somebody else's file is not overwritten
  assert_int_equal(fw__journal_commit(&journal, 0, &error), FW_RET_FILE);
  assert_non_null(strstr(error.text, "another file has taken its place"));
  char bytes[8];
  assert_int_equal(read_file(folder.journal, bytes, sizeof(bytes)), 4);
  assert_int_equal(unlink(folder.journal), 0);
  commit(&journal, 0);
  fw__journal_fini(&journal);
  open_journal(&journal, &options, NULL);
  assert_string_equal(describe(&journal).text, script->states[2].text);
  fw__journal_fini(&journal);
  folder_remove(&folder);
  script_delete(script);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_was_committed_is_read_again),
    cmocka_unit_test(values_come_back_as_they_were),
    cmocka_unit_test(the_format_is_the_documented_one),
    cmocka_unit_test(the_format_before_is_read_and_replaced),
    cmocka_unit_test(ends_are_bounded),
    cmocka_unit_test(every_prefix_is_the_last_whole_commit),
    cmocka_unit_test(every_changed_byte_is_found),
    cmocka_unit_test(nonsense_with_true_checksums_is_survived),
    cmocka_unit_test(random_bytes_behind_the_header_are_cut),
    cmocka_unit_test(a_batch_of_another_history_is_not_taken),
    cmocka_unit_test(a_kill_at_any_call_loses_no_commit),
    cmocka_unit_test(a_power_failure_at_any_call_loses_no_commit),
    cmocka_unit_test(failing_calls_lose_nothing),
    cmocka_unit_test(a_failed_sync_leads_to_a_new_file),
    cmocka_unit_test(a_torn_write_that_cannot_be_cut_leads_to_a_new_file),
    cmocka_unit_test(without_compaction_the_file_is_bounded_too),
    cmocka_unit_test(each_allocation_may_fail),
    cmocka_unit_test(a_setter_without_memory_changes_nothing),
    cmocka_unit_test(only_changes_are_written),
    cmocka_unit_test(syncs_follow_the_policy),
    cmocka_unit_test(the_last_batch_is_synced_without_another_change),
    cmocka_unit_test(what_was_read_is_synced),
    cmocka_unit_test(a_killed_compaction_leaves_nothing_in_the_next_one),
    cmocka_unit_test(a_robot_that_comes_back_is_empty),
    cmocka_unit_test(the_file_stays_bounded),
    cmocka_unit_test(a_thousand_robots),
    cmocka_unit_test(bad_values_are_refused),
    cmocka_unit_test(validate_finds_what_is_wrong),
    cmocka_unit_test(files_have_the_bytes_of_the_disk_in_memory),
    cmocka_unit_test(foreign_and_newer_files_are_refused_and_left),
    cmocka_unit_test(other_things_than_files_are_refused),
    cmocka_unit_test(a_journal_in_use_is_refused),
    cmocka_unit_test(a_killed_process_leaves_what_it_committed),
    cmocka_unit_test(a_deleted_file_is_written_again),
  };
  return TEST_RUN(tests);
}
