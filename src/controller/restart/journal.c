// The journal: state in memory, batches in a file.
//
//   file     header | batch | batch | …
//   header   magic (8) | version (4) | checksum of these 12 bytes (4)
//   batch    frame | payload
//   frame    payload length (8) | sequence number (8) | checksum of these 16 bytes (4) | checksum of the payload (4)
//   payload  records: the fleet, a robot's changed parts, the name of a robot that is forgotten, an end of a goal, or
//            how many ends were told
//
// Numbers are little-endian. The checksum of a frame continues that of the batch before it, and the checksum of a
// payload that of its frame. A batch is therefore valid only behind the batch that it was written behind, and bytes
// left over from a failed write can never pass for one. The frame has a checksum of its own so that a length that
// reaches beyond the end of the file is known to be an incomplete write and not a damaged length.
//
// Checksums are CRC-32C: unlike a hash (FNV), a CRC finds every error within 32 consecutive bits, which is what single
// bad bytes are, and it needs a table of 16 numbers.

#include "controller/restart/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"

enum {
  HEADER_BYTES = 16,
  FRAME_BYTES = 24,
  WAYPOINT_BYTES = 24,
  GOAL_BYTES = 60,
  FLEET_BYTES = 10,
  TOLD_BYTES = 9,
  COMPACT_ABOVE_DEFAULT = 1 << 20,
  STATE_MULTIPLE = 4,  // compaction leaves at most a quarter of the limit, so its cost is shared by many commits
  HARD_MULTIPLE = 4,   // how far the file may grow beyond the limit while compaction fails
};

enum { RECORD_FLEET = 1, RECORD_ROBOT = 2, RECORD_FORGET = 3, RECORD_TOLD = 4, RECORD_END = 5 };

// Parts of a robot, written each as a whole.
enum { PART_POSE = 1, PART_FLAGS = 2, PART_GOALS = 4, PART_RELEASE = 8, PARTS_ALL = 15 };

// As in PNG files: a byte that is no text, and line endings that a transfer as text would change.
static const uint8_t magic[8] = {0x89, 'F', 'W', 'J', '\r', '\n', 0x1a, '\n'};

// Reads or writes the whole block. 0, or a negative errno value; -ENODATA if the file ends before.
static int transfer(
  const fw_journal_io_t * io, int file, fw_journal_block_t block,
  int64_t (*move)(void * state, int file, fw_journal_block_t block))
{
  while (block.size > 0) {
    const int64_t count = move(io->state, file, block);
    if (count == -EINTR) {
      continue;
    }
    if (count < 0) {
      return (int)count;
    }
    if (count == 0) {
      return -ENODATA;
    }
    FW_ASSERT((uint64_t)count <= block.size);
    block.bytes += count;
    block.size -= (size_t)count;
    block.offset += count;
  }
  return 0;
}

// ---- errors ---------------------------------------------------------------------------------------------------------

typedef struct path_text_t {
  char text[100];
} path_text_t;

// The end of a long path, where the file's name is.
static path_text_t path_text(const char * path)
{
  enum { SHOWN_MAX = 80 };
  path_text_t shown;
  const size_t length = strlen(path);
  const bool is_long = length > SHOWN_MAX;
  (void)snprintf(
    shown.text, sizeof(shown.text), "%s%s", is_long ? "..." : "", is_long ? path + length - SHOWN_MAX : path);
  return shown;
}

// `status` is a negative errno value.
static fw_ret_t file_error(const fw_journal_t * journal, fw_error_t * error, const char * what, int status)
{
  return fw__error(error, FW_RET_FILE, "journal %s: %s: %s", path_text(journal->path).text, what, strerror(-status));
}

// ---- checksum and numbers -------------------------------------------------------------------------------------------

// CRC-32C (polynomial 0x1edc6f41, reflected), four bits at a time; `checksum` is that of the bytes before.
static uint32_t checksum_add(uint32_t checksum, const uint8_t * bytes, size_t size)
{
  static const uint32_t table[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
  };
  uint32_t crc = ~checksum;
  for (size_t i = 0; i < size; ++i) {
    crc ^= bytes[i];
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}

// Writes the lowest `size` bytes of a number at *cursor and moves it.
static void put_integer(uint8_t ** cursor, uint64_t value, int32_t size)
{
  for (int32_t i = 0; i < size; ++i) {
    *(*cursor)++ = (uint8_t)(value >> 8 * i);
  }
}

static void put_real(uint8_t ** cursor, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  put_integer(cursor, bits, 8);
}

static void put_waypoint(uint8_t ** cursor, const fw_journal_waypoint_t * waypoint)
{
  put_real(cursor, waypoint->x);
  put_real(cursor, waypoint->y);
  put_real(cursor, waypoint->yaw);
}

static void put_name(uint8_t ** cursor, const char * name)
{
  const size_t length = strlen(name);
  put_integer(cursor, length, 1);
  memcpy(*cursor, name, length);
  *cursor += length;
}

// Reads a payload. After the first thing that is wrong, `is_bad` stays set and numbers are 0.
typedef struct reader_t {
  const uint8_t * cursor;
  size_t left;
  bool is_bad;
} reader_t;

static uint64_t get_integer(reader_t * reader, int32_t size)
{
  if (reader->is_bad || reader->left < (size_t)size) {
    reader->is_bad = true;
    return 0;
  }
  uint64_t value = 0;
  for (int32_t i = 0; i < size; ++i) {
    value |= (uint64_t)reader->cursor[i] << 8 * i;
  }
  reader->cursor += size;
  reader->left -= (size_t)size;
  return value;
}

static double get_real(reader_t * reader)
{
  const uint64_t bits = get_integer(reader, 8);
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static fw_journal_waypoint_t get_waypoint(reader_t * reader)
{
  fw_journal_waypoint_t waypoint;
  waypoint.x = get_real(reader);
  waypoint.y = get_real(reader);
  waypoint.yaw = get_real(reader);
  return waypoint;
}

static void get_name(reader_t * reader, char * name)
{
  const size_t length = (size_t)get_integer(reader, 1);
  if (reader->is_bad || length == 0 || length > reader->left || memchr(reader->cursor, '\0', length) != NULL) {
    reader->is_bad = true;
    name[0] = '\0';
    return;
  }
  memcpy(name, reader->cursor, length);
  name[length] = '\0';
  reader->cursor += length;
  reader->left -= length;
}

// A number that must not be larger than `max`.
static uint64_t get_at_most(reader_t * reader, int32_t size, uint64_t max)
{
  const uint64_t value = get_integer(reader, size);
  reader->is_bad = reader->is_bad || value > max;
  return reader->is_bad ? 0 : value;
}

// ---- values ---------------------------------------------------------------------------------------------------------

static bool is_finite_waypoint(const fw_journal_waypoint_t * waypoint)
{
  return isfinite(waypoint->x) && isfinite(waypoint->y) && isfinite(waypoint->yaw);
}

static bool is_valid_goal(const fw_journal_goal_t * goal)
{
  return goal->id != 0 && goal->id != UINT64_MAX && is_finite_waypoint(&goal->pose) && goal->position_tolerance >= 0 &&
         goal->yaw_tolerance >= 0;  // false for NaN
}

static bool is_valid_end(const fw_journal_end_t * end)
{
  return end->id == 0 || (end->outcome >= FW_JOURNAL_REACHED && end->outcome <= FW_JOURNAL_REPLACED);
}

static bool equal_reals(const double * a, const double * b) { return memcmp(a, b, sizeof(*a)) == 0; }

static bool equal_waypoints(const fw_journal_waypoint_t * a, const fw_journal_waypoint_t * b)
{
  return equal_reals(&a->x, &b->x) && equal_reals(&a->y, &b->y) && equal_reals(&a->yaw, &b->yaw);
}

static bool equal_goals(const fw_journal_goal_t * a, const fw_journal_goal_t * b)
{
  return a->id == b->id && a->order == b->order && equal_waypoints(&a->pose, &b->pose) &&
         equal_reals(&a->position_tolerance, &b->position_tolerance) &&
         equal_reals(&a->yaw_tolerance, &b->yaw_tolerance) && a->flags == b->flags;
}

static bool is_before(const fw_journal_goal_t * a, const fw_journal_goal_t * b)
{
  return a->order != b->order ? a->order < b->order : a->id < b->id;
}

static bool has_goals_in_order(const fw_journal_robot_t * robot)
{
  for (int32_t i = 0; i < robot->goal_count; ++i) {
    if (!is_valid_goal(&robot->goals[i]) || (i > 0 && !is_before(&robot->goals[i - 1], &robot->goals[i]))) {
      return false;
    }
    for (int32_t j = 0; j < i; ++j) {  // equal ids may have different orders
      if (robot->goals[i].id == robot->goals[j].id) {
        return false;
      }
    }
  }
  return true;
}

static bool is_valid_robot(const fw_journal_robot_t * robot)
{
  bool is_valid = robot->name[0] != '\0' && memchr(robot->name, '\0', sizeof(robot->name)) != NULL &&
                  (!robot->has_pose || is_finite_waypoint(&robot->pose.at)) && is_valid_end(&robot->last_end) &&
                  robot->goal_count >= 0 && robot->goal_count <= robot->goal_capacity &&
                  robot->goal_count <= FW_JOURNAL_GOALS_MAX && robot->waypoint_count >= 0 &&
                  robot->waypoint_count <= robot->waypoint_capacity &&
                  robot->waypoint_count <= FW_JOURNAL_WAYPOINTS_MAX && robot->changed_parts <= PARTS_ALL &&
                  (robot->is_in_file || robot->changed_parts == PARTS_ALL) && has_goals_in_order(robot);
  for (int32_t i = 0; is_valid && i < robot->waypoint_count; ++i) {
    is_valid = is_finite_waypoint(&robot->waypoints[i]);
  }
  return is_valid;
}

// ---- robots ---------------------------------------------------------------------------------------------------------

// Where the name is in a sorted array, or where it would be.
static int32_t position_of(fw_journal_robot_t * const * robots, int32_t count, const char * name)
{
  int32_t low = 0;
  int32_t high = count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (strcmp(robots[middle]->name, name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool has_name_at(fw_journal_robot_t * const * robots, int32_t count, int32_t at, const char * name)
{
  return at < count && strcmp(robots[at]->name, name) == 0;
}

static void insert_at(fw_journal_robot_t ** robots, int32_t * count, int32_t at, fw_journal_robot_t * robot)
{
  memmove(&robots[at + 1], &robots[at], (size_t)(*count - at) * sizeof(*robots));
  robots[at] = robot;
  ++*count;
}

static fw_journal_robot_t * take_at(fw_journal_robot_t ** robots, int32_t * count, int32_t at)
{
  fw_journal_robot_t * robot = robots[at];
  --*count;
  memmove(&robots[at], &robots[at + 1], (size_t)(*count - at) * sizeof(*robots));
  return robot;
}

static void destroy_robot(const fw_journal_t * journal, fw_journal_robot_t * robot)
{
  fw__deallocate(&journal->allocator, robot->goals);
  fw__deallocate(&journal->allocator, robot->waypoints);
  fw__deallocate(&journal->allocator, robot);
}

// A growing array, of which the first `used` items are kept.
typedef struct array_t {
  void ** items;
  int32_t * capacity;
  int32_t used;
  size_t size_bytes;
} array_t;

// Makes room for `count` items. False when there is no memory: nothing has changed.
static bool reserve(const fw_allocator_t * allocator, array_t array, int32_t count)
{
  if (count <= *array.capacity) {
    return true;
  }
  int32_t capacity = *array.capacity < 4 ? 4 : *array.capacity;
  while (capacity < count) {
    capacity *= 2;
  }
  void * larger = fw__allocate_array(allocator, (size_t)capacity, array.size_bytes);
  if (larger == NULL) {
    return false;
  }
  if (array.used > 0) {
    memcpy(larger, *array.items, (size_t)array.used * array.size_bytes);
  }
  fw__deallocate(allocator, *array.items);
  *array.items = larger;
  *array.capacity = capacity;
  return true;
}

static bool reserve_goals(const fw_journal_t * journal, fw_journal_robot_t * robot, int32_t count)
{
  void * items = robot->goals;
  const bool is_there = reserve(
    &journal->allocator, (array_t){&items, &robot->goal_capacity, robot->goal_count, sizeof(*robot->goals)}, count);
  robot->goals = items;
  return is_there;
}

static bool reserve_waypoints(const fw_journal_t * journal, fw_journal_robot_t * robot, int32_t count)
{
  void * items = robot->waypoints;
  const bool is_there = reserve(
    &journal->allocator, (array_t){&items, &robot->waypoint_capacity, robot->waypoint_count, sizeof(*robot->waypoints)},
    count);
  robot->waypoints = items;
  return is_there;
}

// Room for one robot more in both arrays, so that moving a robot between them cannot fail.
static bool reserve_robot(fw_journal_t * journal)
{
  const int32_t count = journal->robot_count + journal->forgotten_count + 1;
  int32_t capacity = journal->robot_capacity;
  void * robots = journal->robots;
  if (!reserve(
        &journal->allocator, (array_t){&robots, &capacity, journal->robot_count, sizeof(*journal->robots)}, count)) {
    return false;
  }
  journal->robots = robots;
  capacity = journal->robot_capacity;
  void * forgotten = journal->forgotten;
  if (!reserve(
        &journal->allocator, (array_t){&forgotten, &capacity, journal->forgotten_count, sizeof(*journal->forgotten)},
        count)) {
    return false;  // `robots` is larger than robot_capacity says, which does no harm
  }
  journal->forgotten = forgotten;
  journal->robot_capacity = capacity;
  return true;
}

// The robot with this name. One that is new, or comes back after it was forgotten, is empty and changed in all parts,
// so that nothing of what the file has about it remains. NULL when there is no memory.
static fw_journal_robot_t * find_or_add(fw_journal_t * journal, const char * name)
{
  const int32_t at = position_of(journal->robots, journal->robot_count, name);
  if (has_name_at(journal->robots, journal->robot_count, at, name)) {
    return journal->robots[at];
  }
  fw_journal_robot_t * robot = NULL;
  const int32_t forgotten_at = position_of(journal->forgotten, journal->forgotten_count, name);
  if (has_name_at(journal->forgotten, journal->forgotten_count, forgotten_at, name)) {
    robot = take_at(journal->forgotten, &journal->forgotten_count, forgotten_at);
  } else {
    robot = reserve_robot(journal) ? fw__allocate_array(&journal->allocator, 1, sizeof(*robot)) : NULL;
    if (robot == NULL) {
      return NULL;
    }
    memcpy(robot->name, name, strlen(name) + 1);
  }
  robot->changed_parts = PARTS_ALL;
  insert_at(journal->robots, &journal->robot_count, at, robot);
  return robot;
}

// ---- encoding -------------------------------------------------------------------------------------------------------

static size_t robot_bytes(const fw_journal_robot_t * robot, uint32_t parts)
{
  size_t size = 1 + 1 + strlen(robot->name) + 1;
  size += (parts & PART_POSE) != 0 ? (robot->has_pose ? (size_t)(1 + WAYPOINT_BYTES + 8) : 1) : 0;
  size += (parts & PART_FLAGS) != 0 ? 4 : 0;
  size += (parts & PART_GOALS) != 0 ? 8 + 1 + 4 + 4 + (size_t)robot->goal_count * GOAL_BYTES : 0;
  size += (parts & PART_RELEASE) != 0 ? 4 + (size_t)robot->waypoint_count * WAYPOINT_BYTES : 0;
  return size;
}

static void put_goals(uint8_t ** cursor, const fw_journal_robot_t * robot)
{
  put_integer(cursor, robot->last_end.id, 8);
  put_integer(cursor, (uint64_t)robot->last_end.outcome, 1);
  put_integer(cursor, robot->last_end.code, 4);
  put_integer(cursor, (uint64_t)robot->goal_count, 4);
  for (int32_t i = 0; i < robot->goal_count; ++i) {
    const fw_journal_goal_t * goal = &robot->goals[i];
    put_integer(cursor, goal->id, 8);
    put_integer(cursor, goal->order, 8);
    put_waypoint(cursor, &goal->pose);
    put_real(cursor, goal->position_tolerance);
    put_real(cursor, goal->yaw_tolerance);
    put_integer(cursor, goal->flags, 4);
  }
}

static void put_robot(uint8_t ** cursor, const fw_journal_robot_t * robot, uint32_t parts)
{
  const uint8_t * begin = *cursor;
  put_integer(cursor, RECORD_ROBOT, 1);
  put_name(cursor, robot->name);
  put_integer(cursor, parts, 1);
  if ((parts & PART_POSE) != 0) {
    put_integer(cursor, robot->has_pose ? 1 : 0, 1);
    if (robot->has_pose) {
      put_waypoint(cursor, &robot->pose.at);
      put_integer(cursor, (uint64_t)robot->pose.stamp_ns, 8);
    }
  }
  if ((parts & PART_FLAGS) != 0) {
    put_integer(cursor, robot->flags, 4);
  }
  if ((parts & PART_GOALS) != 0) {
    put_goals(cursor, robot);
  }
  if ((parts & PART_RELEASE) != 0) {
    put_integer(cursor, (uint64_t)robot->waypoint_count, 4);
    for (int32_t i = 0; i < robot->waypoint_count; ++i) {
      put_waypoint(cursor, &robot->waypoints[i]);
    }
  }
  FW_ASSERT((size_t)(*cursor - begin) == robot_bytes(robot, parts));
  (void)begin;
}

static void put_fleet(uint8_t ** cursor, const fw_journal_t * journal)
{
  put_integer(cursor, RECORD_FLEET, 1);
  put_integer(cursor, journal->next_goal_id, 8);
  put_integer(cursor, journal->is_paused ? 1 : 0, 1);
}

static uint64_t last_ended(const fw_journal_t * journal) { return journal->told + (uint64_t)journal->untold_count; }

static void put_told(uint8_t ** cursor, const fw_journal_t * journal)
{
  put_integer(cursor, RECORD_TOLD, 1);
  put_integer(cursor, journal->told, 8);
}

static size_t end_bytes(const fw_journal_untold_t * untold) { return 1 + 1 + strlen(untold->robot) + 8 + 1 + 4; }

static void put_end(uint8_t ** cursor, const fw_journal_untold_t * untold)
{
  put_integer(cursor, RECORD_END, 1);
  put_name(cursor, untold->robot);
  put_integer(cursor, untold->end.id, 8);
  put_integer(cursor, (uint64_t)untold->end.outcome, 1);
  put_integer(cursor, untold->end.code, 4);
}

// The first end that is not in the file, as an index of `untold`.
static int32_t first_new_end(const fw_journal_t * journal)
{
  return journal->ended_in_file > journal->told ? (int32_t)(journal->ended_in_file - journal->told) : 0;
}

// Sizes of payloads.
typedef struct sizes_t {
  size_t change;  // everything that is not yet in the file; 0 for nothing
  size_t state;
} sizes_t;

static sizes_t measure(const fw_journal_t * journal)
{
  sizes_t sizes = {.change = journal->is_fleet_changed ? FLEET_BYTES : 0, .state = FLEET_BYTES};
  sizes.change += journal->told != journal->told_in_file ? TOLD_BYTES : 0;
  sizes.state += journal->told > 0 ? TOLD_BYTES : 0;
  for (int32_t i = 0; i < journal->untold_count; ++i) {
    sizes.change += i >= first_new_end(journal) ? end_bytes(&journal->untold[i]) : 0;
    sizes.state += end_bytes(&journal->untold[i]);
  }
  for (int32_t i = 0; i < journal->robot_count; ++i) {
    const fw_journal_robot_t * robot = journal->robots[i];
    sizes.change += robot->changed_parts != 0 ? robot_bytes(robot, robot->changed_parts) : 0;
    sizes.state += robot_bytes(robot, PARTS_ALL);
  }
  for (int32_t i = 0; i < journal->forgotten_count; ++i) {
    sizes.change += 2 + strlen(journal->forgotten[i]->name);
  }
  return sizes;
}

static void put_changes(uint8_t ** cursor, const fw_journal_t * journal)
{
  if (journal->is_fleet_changed) {
    put_fleet(cursor, journal);
  }
  for (int32_t i = 0; i < journal->forgotten_count; ++i) {
    put_integer(cursor, RECORD_FORGET, 1);
    put_name(cursor, journal->forgotten[i]->name);
  }
  for (int32_t i = 0; i < journal->robot_count; ++i) {
    if (journal->robots[i]->changed_parts != 0) {
      put_robot(cursor, journal->robots[i], journal->robots[i]->changed_parts);
    }
  }
  if (journal->told != journal->told_in_file) {  // first: ends that were told before they were written have no record
    put_told(cursor, journal);
  }
  for (int32_t i = first_new_end(journal); i < journal->untold_count; ++i) {
    put_end(cursor, &journal->untold[i]);
  }
}

static void put_state(uint8_t ** cursor, const fw_journal_t * journal)
{
  put_fleet(cursor, journal);
  for (int32_t i = 0; i < journal->robot_count; ++i) {
    put_robot(cursor, journal->robots[i], PARTS_ALL);
  }
  if (journal->told > 0) {
    put_told(cursor, journal);
  }
  for (int32_t i = 0; i < journal->untold_count; ++i) {
    put_end(cursor, &journal->untold[i]);
  }
}

// Returns the checksum of the header.
static uint32_t put_header(uint8_t ** cursor, uint32_t version)
{
  uint8_t * begin = *cursor;
  memcpy(begin, magic, sizeof(magic));
  *cursor += sizeof(magic);
  put_integer(cursor, version, 4);
  const uint32_t checksum = checksum_add(0, begin, HEADER_BYTES - 4);
  put_integer(cursor, checksum, 4);
  return checksum;
}

// Fills in the frame in front of a payload. `checksum` is that of the batch or header before it; returns the batch's.
static uint32_t put_frame(uint8_t * frame, size_t payload_bytes, uint64_t sequence, uint32_t checksum)
{
  uint8_t * cursor = frame;
  put_integer(&cursor, payload_bytes, 8);
  put_integer(&cursor, sequence, 8);
  const uint32_t frame_checksum = checksum_add(checksum, frame, 16);
  const uint32_t batch_checksum = checksum_add(frame_checksum, frame + FRAME_BYTES, payload_bytes);
  put_integer(&cursor, frame_checksum, 4);
  put_integer(&cursor, batch_checksum, 4);
  FW_ASSERT(cursor == frame + FRAME_BYTES);
  return batch_checksum;
}

static bool reserve_buffer(fw_journal_t * journal, size_t size)
{
  if (size <= journal->buffer_capacity) {
    return true;
  }
  const size_t capacity = size < SIZE_MAX / 2 ? size + size / 2 : size;
  uint8_t * larger = fw__allocate_array(&journal->allocator, capacity, 1);
  if (larger == NULL) {
    return false;
  }
  fw__deallocate(&journal->allocator, journal->buffer);
  journal->buffer = larger;
  journal->buffer_capacity = capacity;
  return true;
}

// ---- decoding -------------------------------------------------------------------------------------------------------

typedef enum decoded_t { DECODED, DECODED_BAD, DECODED_NO_MEMORY } decoded_t;

// Records of a batch are read twice by the same text: first with `journal` NULL, to see that the whole batch is valid,
// then to apply it. Each function below takes a robot that is NULL in the first pass.

static void get_pose(reader_t * reader, fw_journal_robot_t * robot)
{
  fw_journal_pose_t pose = {.stamp_ns = 0};
  const bool has_pose = get_at_most(reader, 1, 1) != 0;
  if (has_pose) {
    pose.at = get_waypoint(reader);
    pose.stamp_ns = (int64_t)get_integer(reader, 8);
    reader->is_bad = reader->is_bad || !is_finite_waypoint(&pose.at);
  }
  if (robot != NULL) {
    robot->has_pose = has_pose;
    robot->pose = pose;
  }
}

static decoded_t get_goals(reader_t * reader, const fw_journal_t * journal, fw_journal_robot_t * robot)
{
  // A robot on the stack takes the goals of the first pass, to be checked as a list.
  fw_journal_goal_t goals[FW_JOURNAL_GOALS_MAX];
  fw_journal_robot_t list = {.goals = goals};
  list.last_end.id = get_integer(reader, 8);
  list.last_end.outcome = (fw_journal_outcome_t)get_at_most(reader, 1, FW_JOURNAL_REPLACED);
  list.last_end.code = (uint32_t)get_integer(reader, 4);
  list.goal_count = (int32_t)get_at_most(reader, 4, FW_JOURNAL_GOALS_MAX);
  for (int32_t i = 0; i < list.goal_count; ++i) {
    goals[i].id = get_integer(reader, 8);
    goals[i].order = get_integer(reader, 8);
    goals[i].pose = get_waypoint(reader);
    goals[i].position_tolerance = get_real(reader);
    goals[i].yaw_tolerance = get_real(reader);
    goals[i].flags = (uint32_t)get_integer(reader, 4);
  }
  if (reader->is_bad || !is_valid_end(&list.last_end) || !has_goals_in_order(&list)) {
    return DECODED_BAD;
  }
  if (robot != NULL) {
    if (!reserve_goals(journal, robot, list.goal_count)) {
      return DECODED_NO_MEMORY;
    }
    if (list.goal_count > 0) {
      memcpy(robot->goals, goals, (size_t)list.goal_count * sizeof(*goals));
    }
    robot->goal_count = list.goal_count;
    robot->last_end = list.last_end;
  }
  return DECODED;
}

static decoded_t get_release(reader_t * reader, const fw_journal_t * journal, fw_journal_robot_t * robot)
{
  const int32_t count = (int32_t)get_at_most(reader, 4, FW_JOURNAL_WAYPOINTS_MAX);
  if (robot != NULL) {
    if (!reserve_waypoints(journal, robot, count)) {
      return DECODED_NO_MEMORY;
    }
    robot->waypoint_count = count;
  }
  for (int32_t i = 0; i < count && !reader->is_bad; ++i) {
    const fw_journal_waypoint_t waypoint = get_waypoint(reader);
    reader->is_bad = reader->is_bad || !is_finite_waypoint(&waypoint);
    if (robot != NULL) {
      robot->waypoints[i] = waypoint;
    }
  }
  return reader->is_bad ? DECODED_BAD : DECODED;
}

static void raise_next_goal_id(fw_journal_t * journal, uint64_t next_goal_id)
{
  if (next_goal_id > journal->next_goal_id) {
    journal->next_goal_id = next_goal_id;
    journal->is_fleet_changed = true;
  }
}

static decoded_t get_robot(reader_t * reader, fw_journal_t * journal)
{
  char name[FW_JOURNAL_NAME_BYTES_MAX + 1];
  get_name(reader, name);
  const uint32_t parts = (uint32_t)get_at_most(reader, 1, PARTS_ALL);
  if (reader->is_bad) {
    return DECODED_BAD;
  }
  fw_journal_robot_t * robot = journal != NULL ? find_or_add(journal, name) : NULL;
  if (journal != NULL && robot == NULL) {
    return DECODED_NO_MEMORY;
  }
  if (robot != NULL) {
    robot->changed_parts = 0;
    robot->is_in_file = true;
  }
  if ((parts & PART_POSE) != 0) {
    get_pose(reader, robot);
  }
  if ((parts & PART_FLAGS) != 0) {
    const uint32_t flags = (uint32_t)get_integer(reader, 4);
    if (robot != NULL) {
      robot->flags = flags;
    }
  }
  decoded_t decoded = reader->is_bad ? DECODED_BAD : DECODED;
  if (decoded == DECODED && (parts & PART_GOALS) != 0) {
    decoded = get_goals(reader, journal, robot);
  }
  if (decoded == DECODED && (parts & PART_RELEASE) != 0) {
    decoded = get_release(reader, journal, robot);
  }
  for (int32_t i = 0; decoded == DECODED && robot != NULL && i < robot->goal_count; ++i) {
    raise_next_goal_id(journal, robot->goals[i].id + 1);
  }
  return decoded;
}

static decoded_t get_fleet(reader_t * reader, fw_journal_t * journal)
{
  const uint64_t next_goal_id = get_integer(reader, 8);
  const bool is_paused = get_at_most(reader, 1, 1) != 0;
  if (journal != NULL) {
    raise_next_goal_id(journal, next_goal_id);
    fw__journal_set_paused(journal, is_paused);
  }
  return reader->is_bad ? DECODED_BAD : DECODED;
}

static decoded_t get_forget(reader_t * reader, fw_journal_t * journal)
{
  char name[FW_JOURNAL_NAME_BYTES_MAX + 1];
  get_name(reader, name);
  const int32_t at = journal != NULL ? position_of(journal->robots, journal->robot_count, name) : 0;
  if (journal != NULL && has_name_at(journal->robots, journal->robot_count, at, name)) {
    destroy_robot(journal, take_at(journal->robots, &journal->robot_count, at));
  }
  return reader->is_bad ? DECODED_BAD : DECODED;
}

static decoded_t get_told(reader_t * reader, fw_journal_t * journal)
{
  const uint64_t told = get_integer(reader, 8);
  if (journal != NULL) {
    fw__journal_raise_told(journal, told);
  }
  return reader->is_bad ? DECODED_BAD : DECODED;
}

static decoded_t get_end(reader_t * reader, fw_journal_t * journal)
{
  char name[FW_JOURNAL_NAME_BYTES_MAX + 1];
  fw_journal_end_t end = {0};
  get_name(reader, name);
  end.id = get_integer(reader, 8);
  end.outcome = (fw_journal_outcome_t)get_at_most(reader, 1, FW_JOURNAL_REPLACED);
  end.code = (uint32_t)get_integer(reader, 4);
  if (reader->is_bad || end.id == 0 || !is_valid_end(&end)) {
    return DECODED_BAD;
  }
  const bool is_added = journal == NULL || fw__journal_add_untold(journal, name, end, NULL) == FW_RET_OK;
  return is_added ? DECODED : DECODED_NO_MEMORY;
}

static decoded_t get_records(reader_t reader, fw_journal_t * journal)
{
  decoded_t decoded = DECODED;
  while (decoded == DECODED && reader.left > 0) {
    switch (get_integer(&reader, 1)) {
      case RECORD_FLEET:
        decoded = get_fleet(&reader, journal);
        break;
      case RECORD_ROBOT:
        decoded = get_robot(&reader, journal);
        break;
      case RECORD_FORGET:
        decoded = get_forget(&reader, journal);
        break;
      case RECORD_TOLD:
        decoded = get_told(&reader, journal);
        break;
      case RECORD_END:
        decoded = get_end(&reader, journal);
        break;
      default:
        decoded = DECODED_BAD;
    }
  }
  return decoded;
}

static decoded_t apply_batch(fw_journal_t * journal, const uint8_t * payload, size_t size)
{
  const reader_t reader = {.cursor = payload, .left = size};
  const decoded_t checked = get_records(reader, NULL);
  const decoded_t applied = checked == DECODED ? get_records(reader, journal) : checked;
  FW_ASSERT(checked != DECODED || applied != DECODED_BAD);
  journal->is_fleet_changed = false;
  journal->told_in_file = journal->told;
  journal->ended_in_file = last_ended(journal);
  return applied;
}

// ---- reading the file -----------------------------------------------------------------------------------------------

static fw_ret_t write_header(fw_journal_t * journal, fw_error_t * error)
{
  uint8_t header[HEADER_BYTES];
  uint8_t * cursor = header;
  journal->checksum = put_header(&cursor, FW_JOURNAL_VERSION);
  const int status = transfer(
    &journal->io, journal->file, (fw_journal_block_t){.bytes = header, .size = sizeof(header)}, journal->io.write);
  if (status != 0) {
    return file_error(journal, error, "cannot be written", status);
  }
  journal->file_bytes = HEADER_BYTES;
  journal->must_sync_directory = true;
  return FW_RET_OK;
}

// Refuses a file that is not ours. An incomplete header, as a kill can leave it, is accepted.
static fw_ret_t check_header(fw_journal_t * journal, const uint8_t * found, size_t size, fw_error_t * error)
{
  uint8_t expected[HEADER_BYTES];
  for (uint32_t version = FW_JOURNAL_VERSION; version > 0; --version) {
    uint8_t * cursor = expected;
    journal->checksum = put_header(&cursor, version);
    if (memcmp(found, expected, size) == 0) {
      journal->must_rewrite = version != FW_JOURNAL_VERSION;  // an older program must not take our records for damage
      return FW_RET_OK;
    }
  }
  const path_text_t path = path_text(journal->path);
  if (memcmp(found, magic, size < sizeof(magic) ? size : sizeof(magic)) != 0) {
    return fw__error(
      error, FW_RET_FILE,
      "journal %s: is not a journal (its first bytes are %02x %02x, not 89 46): give another path, or move it away",
      path.text, found[0], size > 1 ? found[1] : 0);
  }
  reader_t reader = {.cursor = found + sizeof(magic), .left = size - sizeof(magic)};
  const uint32_t version = size < HEADER_BYTES ? 0 : (uint32_t)get_integer(&reader, 4);
  const uint32_t checksum = size < HEADER_BYTES ? 0 : (uint32_t)get_integer(&reader, 4);
  if (size < HEADER_BYTES || checksum != checksum_add(0, found, HEADER_BYTES - 4)) {
    return fw__error(
      error, FW_RET_FILE, "journal %s: its header is damaged: move it away to begin with an empty journal", path.text);
  }
  return fw__error(
    error, FW_RET_FILE,
    "journal %s: has format version %" PRIu32
    ", this program reads versions up to %u: use the program that wrote it, or move "
    "it away",
    path.text, version, FW_JOURNAL_VERSION);
}

typedef enum batch_found_t { BATCH_WHOLE, BATCH_TORN, BATCH_DAMAGED } batch_found_t;

// Reads and applies the batch behind those that were read, in a file of `size` bytes.
static fw_ret_t read_batch(fw_journal_t * journal, int64_t size, batch_found_t * found, fw_error_t * error)
{
  const int64_t left = size - journal->file_bytes;
  *found = BATCH_TORN;
  if (left < FRAME_BYTES) {
    return FW_RET_OK;
  }
  uint8_t frame[FRAME_BYTES];
  fw_journal_block_t block = {.bytes = frame, .size = FRAME_BYTES, .offset = journal->file_bytes};
  int status = transfer(&journal->io, journal->file, block, journal->io.read);
  if (status != 0) {
    return file_error(journal, error, "cannot be read", status);
  }
  reader_t reader = {.cursor = frame, .left = sizeof(frame)};
  const uint64_t payload_bytes = get_integer(&reader, 8);
  const uint64_t sequence = get_integer(&reader, 8);
  const uint32_t frame_checksum = (uint32_t)get_integer(&reader, 4);
  const uint32_t batch_checksum = (uint32_t)get_integer(&reader, 4);
  // The first batch of a compacted file continues the numbers of the file before it.
  const bool is_next = sequence != 0 && (journal->sequence == 0 || sequence == journal->sequence + 1);
  if (frame_checksum != checksum_add(journal->checksum, frame, 16) || !is_next) {
    *found = BATCH_DAMAGED;
    return FW_RET_OK;
  }
  if (payload_bytes > (uint64_t)(left - FRAME_BYTES)) {
    return FW_RET_OK;
  }
  if (!reserve_buffer(journal, (size_t)payload_bytes)) {
    return fw__error_memory(error);
  }
  block = (fw_journal_block_t){
    .bytes = journal->buffer, .size = (size_t)payload_bytes, .offset = journal->file_bytes + FRAME_BYTES};
  status = transfer(&journal->io, journal->file, block, journal->io.read);
  if (status != 0) {
    return file_error(journal, error, "cannot be read", status);
  }
  const bool is_whole = batch_checksum == checksum_add(frame_checksum, block.bytes, block.size);
  const decoded_t decoded = is_whole ? apply_batch(journal, block.bytes, block.size) : DECODED_BAD;
  if (decoded == DECODED_NO_MEMORY) {
    return fw__error_memory(error);
  }
  if (decoded == DECODED_BAD) {
    *found = BATCH_DAMAGED;
    return FW_RET_OK;
  }
  *found = BATCH_WHOLE;
  journal->sequence = sequence;
  journal->checksum = batch_checksum;
  journal->file_bytes += FRAME_BYTES + (int64_t)payload_bytes;
  return FW_RET_OK;
}

static fw_ret_t cut(fw_journal_t * journal, int64_t size, fw_journal_recovery_t * recovery, fw_error_t * error)
{
  recovery->cut_bytes = size - journal->file_bytes;
  (void)snprintf(
    recovery->warning, sizeof(recovery->warning), "journal %s: the last %" PRId64 " of %" PRId64 " bytes are %s",
    path_text(journal->path).text, recovery->cut_bytes, size,
    recovery->is_torn ? "an incomplete write and were cut off"
                      : "damaged and were cut off: goals and releases may be older than the last ones");
  const int status = journal->io.truncate(journal->io.state, journal->file, journal->file_bytes);
  return status != 0 ? file_error(journal, error, "its damaged end cannot be cut off", status) : FW_RET_OK;
}

static fw_ret_t read_file(fw_journal_t * journal, fw_journal_recovery_t * recovery, fw_error_t * error)
{
  const int64_t size = journal->io.size(journal->io.state, journal->file);
  if (size < 0) {
    return file_error(journal, error, "cannot be read", (int)size);
  }
  uint8_t header[HEADER_BYTES] = {0};
  const size_t header_bytes = size < HEADER_BYTES ? (size_t)size : HEADER_BYTES;
  const int status = transfer(
    &journal->io, journal->file, (fw_journal_block_t){.bytes = header, .size = header_bytes}, journal->io.read);
  if (status != 0) {
    return file_error(journal, error, "cannot be read", status);
  }
  fw_ret_t ret = check_header(journal, header, header_bytes, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (size < HEADER_BYTES) {
    recovery->is_new = size == 0;
    recovery->is_torn = size > 0;
    ret = size > 0 ? cut(journal, size, recovery, error) : FW_RET_OK;
    return ret == FW_RET_OK ? write_header(journal, error) : ret;
  }
  journal->file_bytes = HEADER_BYTES;
  batch_found_t found = BATCH_WHOLE;
  while (found == BATCH_WHOLE && journal->file_bytes < size) {
    ret = read_batch(journal, size, &found, error);
    if (ret != FW_RET_OK) {
      return ret;
    }
    recovery->batch_count += found == BATCH_WHOLE ? 1 : 0;
  }
  recovery->is_torn = found == BATCH_TORN;
  journal->is_unsynced = true;  // whoever wrote it may have been killed before its sync
  return found != BATCH_WHOLE ? cut(journal, size, recovery, error) : FW_RET_OK;
}

static fw_ret_t check_options(const fw_journal_options_t * options, fw_error_t * error)
{
  const size_t length = options->path != NULL ? strlen(options->path) : 0;
  if (length == 0 || length > FW_JOURNAL_PATH_BYTES_MAX - 4) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "journal: its path has %zu bytes; 1 to %d are allowed", length,
      FW_JOURNAL_PATH_BYTES_MAX - 4);
  }
  if (
    options->sync_interval_ns < 0 || options->compact_above_bytes < 0 || !(options->pose_distance >= 0) ||
    !(options->pose_turn >= 0)) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "journal: sync interval, compaction size and pose differences must be 0 or more");
  }
  return FW_RET_OK;
}

static fw_ret_t open_file(fw_journal_t * journal, fw_error_t * error)
{
  const int file = journal->io.open(journal->io.state, journal->path);
  if (file >= 0) {
    journal->file = file;
    return FW_RET_OK;
  }
  const path_text_t path = path_text(journal->path);
  switch (-file) {
    case EWOULDBLOCK:
      return fw__error(
        error, FW_RET_FILE,
        "journal %s: is in use by another controller: end that one, or give each controller its own path", path.text);
    case ELOOP:
      return fw__error(
        error, FW_RET_FILE, "journal %s: is a symbolic link: give the path of the file itself", path.text);
    case EINVAL:
      return fw__error(error, FW_RET_FILE, "journal %s: is not a regular file: give another path", path.text);
    default:
      return file_error(journal, error, "cannot be opened", file);
  }
}

static fw_ret_t start(fw_journal_t * journal, fw_journal_recovery_t * recovery, fw_error_t * error)
{
  const size_t length = strlen(journal->options.path);
  journal->path = fw__allocate_array(&journal->allocator, length + 1, 1);
  journal->path_new = fw__allocate_array(&journal->allocator, length + sizeof(".new"), 1);
  if (journal->path == NULL || journal->path_new == NULL) {
    return fw__error_memory(error);
  }
  memcpy(journal->path, journal->options.path, length);
  memcpy(journal->path_new, journal->options.path, length);
  memcpy(journal->path_new + length, ".new", sizeof(".new"));
  journal->options.path = journal->path;
  const fw_ret_t ret = open_file(journal, error);
  return ret == FW_RET_OK ? read_file(journal, recovery, error) : ret;
}

fw_ret_t fw__journal_init(
  fw_journal_t * journal, const fw_journal_options_t * options, fw_journal_recovery_t * recovery, fw_error_t * error)
{
  fw_journal_recovery_t unwanted;
  recovery = recovery != NULL ? recovery : &unwanted;
  *recovery = (fw_journal_recovery_t){0};
  *journal = (fw_journal_t){0};
  fw_ret_t ret = check_options(options, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  journal->allocator = fw__allocator_or_default(&options->allocator);
  journal->io = options->io != NULL ? *options->io : fw__journal_io_system();
  journal->options = *options;
  journal->options.io = NULL;
  if (options->compact_above_bytes == 0) {
    journal->options.compact_above_bytes = COMPACT_ABOVE_DEFAULT;
  }
  journal->file = -1;
  journal->next_goal_id = 1;
  ret = start(journal, recovery, error);
  FW_ASSERT(ret != FW_RET_OK || fw__journal_validate(journal));
  if (ret != FW_RET_OK) {
    fw__journal_fini(journal);
  }
  return ret;
}

void fw__journal_fini(fw_journal_t * journal)
{
  for (int32_t i = 0; i < journal->robot_count; ++i) {
    destroy_robot(journal, journal->robots[i]);
  }
  for (int32_t i = 0; i < journal->forgotten_count; ++i) {
    destroy_robot(journal, journal->forgotten[i]);
  }
  if (journal->path != NULL && journal->file >= 0) {
    if (journal->is_unsynced && journal->options.sync != FW_JOURNAL_SYNC_NEVER) {
      (void)journal->io.sync(journal->io.state, journal->file);  // nobody is left to tell
    }
    journal->io.close(journal->io.state, journal->file);
  }
  fw__deallocate(&journal->allocator, journal->robots);
  fw__deallocate(&journal->allocator, journal->forgotten);
  fw__deallocate(&journal->allocator, journal->untold);
  fw__deallocate(&journal->allocator, journal->buffer);
  fw__deallocate(&journal->allocator, journal->path);
  fw__deallocate(&journal->allocator, journal->path_new);
  *journal = (fw_journal_t){0};
}

// ---- setters --------------------------------------------------------------------------------------------------------

// The robot that a setter changes.
typedef struct target_t {
  fw_journal_robot_t * robot;  // NULL after an error
  bool is_added;               // by this call
  fw_ret_t ret;
} target_t;

static target_t target_of(fw_journal_t * journal, const char * name, fw_error_t * error)
{
  FW_ASSERT(journal->path != NULL);
  const size_t length = name != NULL ? strlen(name) : 0;
  if (length == 0 || length > FW_JOURNAL_NAME_BYTES_MAX) {
    return (target_t){
      .ret = fw__error(
        error, FW_RET_INVALID_ARGUMENT, "journal: a robot's name has %zu bytes; 1 to %d are allowed", length,
        FW_JOURNAL_NAME_BYTES_MAX)};
  }
  const int32_t count = journal->robot_count;
  if (count >= FW_JOURNAL_ROBOTS_MAX && fw__journal_find(journal, name) == NULL) {
    return (target_t){
      .ret = fw__error(
        error, FW_RET_INVALID_ARGUMENT, "journal: robot %.100s is one more than the %d that are allowed", name,
        FW_JOURNAL_ROBOTS_MAX)};
  }
  target_t target = {.robot = find_or_add(journal, name)};
  target.is_added = journal->robot_count > count;
  target.ret = target.robot == NULL ? fw__error_memory(error) : FW_RET_OK;
  return target;
}

// A setter has no memory: the robot that it added goes again.
static fw_ret_t give_up(fw_journal_t * journal, target_t target, fw_error_t * error)
{
  if (target.is_added) {
    fw__journal_forget(journal, target.robot->name);
  }
  return fw__error_memory(error);
}

static fw_ret_t bad_value(fw_error_t * error, const char * robot, const char * what)
{
  return fw__error(error, FW_RET_INVALID_ARGUMENT, "journal: robot %.100s: %s", robot != NULL ? robot : "", what);
}

static void mark(fw_journal_robot_t * robot, uint32_t part)
{
  robot->changed_parts |= part;
  FW_ASSERT(is_valid_robot(robot));
}

static int32_t goal_index(const fw_journal_robot_t * robot, uint64_t id)
{
  int32_t at = 0;
  while (at < robot->goal_count && robot->goals[at].id != id) {
    ++at;
  }
  return at;
}

static void remove_goal(fw_journal_robot_t * robot, int32_t at)
{
  FW_ASSERT(at >= 0 && at < robot->goal_count);
  --robot->goal_count;
  memmove(&robot->goals[at], &robot->goals[at + 1], (size_t)(robot->goal_count - at) * sizeof(*robot->goals));
}

static void insert_goal(fw_journal_robot_t * robot, const fw_journal_goal_t * goal)
{
  FW_ASSERT(robot->goal_count < robot->goal_capacity);
  int32_t at = robot->goal_count;
  while (at > 0 && is_before(goal, &robot->goals[at - 1])) {
    robot->goals[at] = robot->goals[at - 1];
    --at;
  }
  robot->goals[at] = *goal;
  ++robot->goal_count;
}

fw_ret_t fw__journal_put_goal(
  fw_journal_t * journal, const char * robot, const fw_journal_goal_t * goal, fw_error_t * error)
{
  if (!is_valid_goal(goal)) {
    return bad_value(
      error, robot, "a goal needs an id that is not 0 or 2^64 - 1, a finite pose and tolerances of 0 or more");
  }
  const fw_journal_robot_t * known = robot != NULL ? fw__journal_find(journal, robot) : NULL;
  if (known != NULL && known->goal_count >= FW_JOURNAL_GOALS_MAX && goal_index(known, goal->id) == known->goal_count) {
    return bad_value(error, robot, "it has 1024 goals, no more are allowed");
  }
  const fw_journal_goal_t copy = *goal;  // which may be one of the goals that are moved
  const target_t target = target_of(journal, robot, error);
  if (target.robot == NULL) {
    return target.ret;
  }
  const int32_t at = goal_index(target.robot, copy.id);
  const bool is_known = at < target.robot->goal_count;
  if (is_known && equal_goals(&target.robot->goals[at], &copy)) {
    return FW_RET_OK;
  }
  if (!is_known && !reserve_goals(journal, target.robot, target.robot->goal_count + 1)) {
    return give_up(journal, target, error);
  }
  if (is_known) {
    remove_goal(target.robot, at);
  }
  insert_goal(target.robot, &copy);
  raise_next_goal_id(journal, copy.id + 1);
  mark(target.robot, PART_GOALS);
  return FW_RET_OK;
}

fw_ret_t fw__journal_end_goal(fw_journal_t * journal, const char * robot, fw_journal_end_t end, fw_error_t * error)
{
  if (end.id == 0 || !is_valid_end(&end)) {
    return bad_value(error, robot, "a goal that ends needs an id, and a way in which it ended");
  }
  const fw_journal_robot_t * known = robot != NULL ? fw__journal_find(journal, robot) : NULL;
  const int32_t at = known != NULL ? goal_index(known, end.id) : 0;
  if (known == NULL || at == known->goal_count) {
    return fw__error(
      error, FW_RET_NOT_FOUND, "journal: robot %.100s has no goal %" PRIu64, robot != NULL ? robot : "", end.id);
  }
  fw_journal_robot_t * target = journal->robots[position_of(journal->robots, journal->robot_count, robot)];
  remove_goal(target, at);
  target->last_end = end;
  mark(target, PART_GOALS);
  return FW_RET_OK;
}

// Forgets the oldest `count` ends.
static void forget_ends(fw_journal_t * journal, int32_t count)
{
  FW_ASSERT(count >= 0 && count <= journal->untold_count);
  journal->untold_count -= count;
  if (count > 0 && journal->untold_count > 0) {
    memmove(journal->untold, journal->untold + count, (size_t)journal->untold_count * sizeof(*journal->untold));
  }
}

fw_ret_t fw__journal_add_untold(fw_journal_t * journal, const char * robot, fw_journal_end_t end, fw_error_t * error)
{
  const size_t length = robot != NULL ? strlen(robot) : 0;
  if (length == 0 || length > FW_JOURNAL_NAME_BYTES_MAX || end.id == 0 || !is_valid_end(&end)) {
    return bad_value(error, robot, "the end of a goal needs a robot, an id, and a way in which it ended");
  }
  if (journal->untold_count == FW_JOURNAL_ENDS_MAX) {
    forget_ends(journal, 1);
    ++journal->told;
  }
  void * items = journal->untold;
  const array_t array = {&items, &journal->untold_capacity, journal->untold_count, sizeof(*journal->untold)};
  const bool is_there = reserve(&journal->allocator, array, journal->untold_count + 1);
  journal->untold = items;
  if (!is_there) {
    return fw__error_memory(error);
  }
  fw_journal_untold_t * untold = &journal->untold[journal->untold_count++];
  *untold = (fw_journal_untold_t){.end = end};
  memcpy(untold->robot, robot, length + 1);
  return FW_RET_OK;
}

void fw__journal_raise_told(fw_journal_t * journal, uint64_t told)
{
  if (told > journal->told) {
    const uint64_t more = told - journal->told;
    forget_ends(journal, more < (uint64_t)journal->untold_count ? (int32_t)more : journal->untold_count);
    journal->told = told;
  }
}

// Is a pose near enough to the stored one to be ignored?
static bool is_near(const fw_journal_options_t * options, const fw_journal_pose_t * a, const fw_journal_pose_t * b)
{
  const double turn = 6.28318530717958647693;
  return hypot(a->at.x - b->at.x, a->at.y - b->at.y) <= options->pose_distance &&
         fabs(remainder(a->at.yaw - b->at.yaw, turn)) <= options->pose_turn;
}

fw_ret_t fw__journal_set_pose(
  fw_journal_t * journal, const char * robot, const fw_journal_pose_t * pose, fw_error_t * error)
{
  if (!is_finite_waypoint(&pose->at)) {
    return bad_value(error, robot, "x, y and yaw of a pose must be finite");
  }
  const target_t target = target_of(journal, robot, error);
  if (target.robot == NULL || (target.robot->has_pose && is_near(&journal->options, &target.robot->pose, pose))) {
    return target.ret;
  }
  target.robot->has_pose = true;
  target.robot->pose = *pose;
  mark(target.robot, PART_POSE);
  return FW_RET_OK;
}

static bool has_release(const fw_journal_robot_t * robot, fw_journal_release_t release)
{
  bool is_same = robot->waypoint_count == release.count;
  for (int32_t i = 0; is_same && i < release.count; ++i) {
    is_same = equal_waypoints(&robot->waypoints[i], &release.waypoints[i]);
  }
  return is_same;
}

fw_ret_t fw__journal_set_release(
  fw_journal_t * journal, const char * robot, fw_journal_release_t release, fw_error_t * error)
{
  if (release.count < 0 || release.count > FW_JOURNAL_WAYPOINTS_MAX) {
    return bad_value(error, robot, "a release must have 0 to 65536 waypoints");
  }
  for (int32_t i = 0; i < release.count; ++i) {
    if (!is_finite_waypoint(&release.waypoints[i])) {
      return bad_value(error, robot, "x, y and yaw of the waypoints of a release must be finite");
    }
  }
  const target_t target = target_of(journal, robot, error);
  if (target.robot == NULL || has_release(target.robot, release)) {
    return target.ret;
  }
  if (!reserve_waypoints(journal, target.robot, release.count)) {
    return give_up(journal, target, error);
  }
  if (release.count > 0) {  // perhaps a part of the robot's own waypoints
    memmove(target.robot->waypoints, release.waypoints, (size_t)release.count * sizeof(*release.waypoints));
  }
  target.robot->waypoint_count = release.count;
  mark(target.robot, PART_RELEASE);
  return FW_RET_OK;
}

fw_ret_t fw__journal_set_flags(fw_journal_t * journal, const char * robot, uint32_t flags, fw_error_t * error)
{
  const target_t target = target_of(journal, robot, error);
  if (target.robot != NULL && target.robot->flags != flags) {
    target.robot->flags = flags;
    mark(target.robot, PART_FLAGS);
  }
  return target.ret;
}

void fw__journal_forget(fw_journal_t * journal, const char * robot)
{
  const int32_t at = position_of(journal->robots, journal->robot_count, robot);
  if (!has_name_at(journal->robots, journal->robot_count, at, robot)) {
    return;
  }
  fw_journal_robot_t * taken = take_at(journal->robots, &journal->robot_count, at);
  if (!taken->is_in_file) {
    destroy_robot(journal, taken);
    return;
  }
  taken->has_pose = false;
  taken->pose = (fw_journal_pose_t){.stamp_ns = 0};
  taken->flags = 0;
  taken->goal_count = 0;
  taken->last_end = (fw_journal_end_t){0};
  taken->waypoint_count = 0;
  insert_at(
    journal->forgotten, &journal->forgotten_count,
    position_of(journal->forgotten, journal->forgotten_count, taken->name), taken);
}

void fw__journal_set_paused(fw_journal_t * journal, bool is_paused)
{
  journal->is_fleet_changed = journal->is_fleet_changed || journal->is_paused != is_paused;
  journal->is_paused = is_paused;
}

void fw__journal_reserve_goal_ids(fw_journal_t * journal, uint64_t next_goal_id)
{
  journal->must_sync = journal->must_sync || next_goal_id > journal->next_goal_id;
  raise_next_goal_id(journal, next_goal_id);
}

// ---- commit ---------------------------------------------------------------------------------------------------------

// Everything in memory is in the file.
static void clear_changes(fw_journal_t * journal)
{
  for (int32_t i = 0; i < journal->robot_count; ++i) {
    journal->robots[i]->changed_parts = 0;
    journal->robots[i]->is_in_file = true;
  }
  for (int32_t i = 0; i < journal->forgotten_count; ++i) {
    destroy_robot(journal, journal->forgotten[i]);
  }
  journal->forgotten_count = 0;
  journal->is_fleet_changed = false;
  journal->told_in_file = journal->told;
  journal->ended_in_file = last_ended(journal);
  ++journal->stats.batch_count;
}

// Writes the changes, a payload of `payload_bytes`, behind the last batch.
static fw_ret_t append(fw_journal_t * journal, size_t payload_bytes, fw_error_t * error)
{
  const size_t size = FRAME_BYTES + payload_bytes;
  if (!reserve_buffer(journal, size)) {
    return fw__error_memory(error);
  }
  uint8_t * cursor = journal->buffer + FRAME_BYTES;
  put_changes(&cursor, journal);
  FW_ASSERT(cursor == journal->buffer + size);
  const uint32_t checksum = put_frame(journal->buffer, payload_bytes, journal->sequence + 1, journal->checksum);
  const int status = transfer(
    &journal->io, journal->file,
    (fw_journal_block_t){.bytes = journal->buffer, .size = size, .offset = journal->file_bytes}, journal->io.write);
  if (status != 0) {
    journal->must_rewrite = journal->io.truncate(journal->io.state, journal->file, journal->file_bytes) != 0;
    return file_error(journal, error, "the last changes cannot be written", status);
  }
  journal->file_bytes += (int64_t)size;
  ++journal->sequence;
  journal->checksum = checksum;
  journal->is_unsynced = true;
  clear_changes(journal);
  return FW_RET_OK;
}

// Writes the buffer's first bytes to path.new and gives it the journal's name. Returns the new file's number, or a
// negative errno value: then the old file is untouched.
static int replace_file(fw_journal_t * journal, size_t size)
{
  const fw_journal_io_t * io = &journal->io;
  const int file = io->open(io->state, journal->path_new);
  if (file < 0) {
    return file;
  }
  // It may be left over from a compaction that was killed.
  int status = io->truncate(io->state, file, 0);
  status =
    status == 0 ? transfer(io, file, (fw_journal_block_t){.bytes = journal->buffer, .size = size}, io->write) : status;
  status = status == 0 ? io->sync(io->state, file) : status;
  status = status == 0 ? io->rename(io->state, journal->path_new, journal->path) : status;
  if (status != 0) {
    (void)io->remove(io->state, journal->path_new);
    io->close(io->state, file);
    return status;
  }
  return file;
}

// Replaces the file by one that holds the state, with all changes, as one batch.
static fw_ret_t compact(fw_journal_t * journal, size_t payload_bytes, fw_error_t * error)
{
  const size_t size = HEADER_BYTES + FRAME_BYTES + payload_bytes;
  if (!reserve_buffer(journal, size)) {
    return fw__error_memory(error);
  }
  uint8_t * cursor = journal->buffer;
  const uint32_t header_checksum = put_header(&cursor, FW_JOURNAL_VERSION);
  uint8_t * frame = cursor;
  cursor += FRAME_BYTES;
  put_state(&cursor, journal);
  FW_ASSERT(cursor == journal->buffer + size);
  const uint32_t checksum = put_frame(frame, payload_bytes, journal->sequence + 1, header_checksum);
  const int file = replace_file(journal, size);
  if (file < 0) {
    return file_error(journal, error, "cannot be replaced by a compacted one", file);
  }
  journal->io.close(journal->io.state, journal->file);
  journal->file = file;
  journal->file_bytes = (int64_t)size;
  ++journal->sequence;
  journal->checksum = checksum;
  journal->retry_bytes = 0;
  journal->must_rewrite = false;
  journal->must_sync_directory = true;
  journal->is_unsynced = false;
  journal->must_sync = false;
  ++journal->stats.sync_count;
  ++journal->stats.compaction_count;
  clear_changes(journal);
  return FW_RET_OK;
}

static int64_t file_limit(const fw_journal_t * journal, size_t state_bytes)
{
  const int64_t by_state = STATE_MULTIPLE * (int64_t)(HEADER_BYTES + FRAME_BYTES + state_bytes);
  const int64_t by_option = journal->options.compact_above_bytes;
  return by_state > by_option ? by_state : by_option;
}

// Writes the changes, by appending or by compaction.
static fw_ret_t write_changes(fw_journal_t * journal, fw_error_t * error)
{
  const sizes_t sizes = measure(journal);
  if (journal->must_rewrite) {
    return compact(journal, sizes.state, error);
  }
  if (sizes.change == 0) {
    return FW_RET_OK;
  }
  const int64_t limit = file_limit(journal, sizes.state);
  const int64_t size = journal->file_bytes + FRAME_BYTES + (int64_t)sizes.change;
  if (size > limit && size > journal->retry_bytes) {
    fw_error_t reason = {0};
    fw_ret_t ret = compact(journal, sizes.state, &reason);
    if (ret == FW_RET_OK) {
      return ret;
    }
    // The old file is whole, and appending to it may still work. Compaction is tried again after some more growth.
    ++journal->stats.failed_compaction_count;
    memcpy(journal->stats.last_compaction_failure, reason.text, sizeof(reason.text));
    if (size > limit * HARD_MULTIPLE) {
      return fw__error(error, ret, "%s", reason.text);
    }
    journal->retry_bytes = size + limit / 4 < limit * HARD_MULTIPLE ? size + limit / 4 : limit * HARD_MULTIPLE;
  }
  return append(journal, sizes.change, error);
}

static bool is_sync_due(const fw_journal_t * journal, int64_t now_ns)
{
  switch (journal->options.sync) {
    case FW_JOURNAL_SYNC_EACH:
      return true;
    case FW_JOURNAL_SYNC_INTERVAL:
      // Unsigned: after a jump back of the clock the difference is huge, and a sync is due.
      return !journal->has_synced ||
             (uint64_t)now_ns - (uint64_t)journal->last_sync_ns >= (uint64_t)journal->options.sync_interval_ns;
    case FW_JOURNAL_SYNC_NEVER:
      break;
  }
  return false;
}

static fw_ret_t sync_file(fw_journal_t * journal, int64_t now_ns, fw_error_t * error)
{
  if (!journal->is_unsynced || !(journal->must_sync || is_sync_due(journal, now_ns))) {
    return FW_RET_OK;
  }
  const int status = journal->io.sync(journal->io.state, journal->file);
  if (status != 0) {
    // The system may have dropped the bytes that it could not write, and a second sync would not say so. Only writing
    // everything again helps.
    journal->must_rewrite = true;
    return file_error(journal, error, "the last changes may not be on the disk", status);
  }
  journal->is_unsynced = false;
  journal->must_sync = false;
  journal->has_synced = true;
  journal->last_sync_ns = now_ns;
  ++journal->stats.sync_count;
  return FW_RET_OK;
}

static fw_ret_t sync_directory(fw_journal_t * journal, fw_error_t * error)
{
  if (!journal->must_sync_directory) {
    return FW_RET_OK;
  }
  const int status = journal->io.sync_directory(journal->io.state, journal->path);
  if (status != 0) {
    return file_error(journal, error, "its directory cannot be written to the disk", status);
  }
  journal->must_sync_directory = false;
  return FW_RET_OK;
}

fw_ret_t fw__journal_commit(fw_journal_t * journal, int64_t now_ns, fw_error_t * error)
{
  FW_ASSERT(fw__journal_validate(journal));
  const int status = journal->io.check(journal->io.state, journal->file, journal->path);
  if (status == -ESTALE) {
    return fw__error(
      error, FW_RET_FILE, "journal %s: another file has taken its place: move that away, or end one of two controllers",
      path_text(journal->path).text);
  }
  if (status != 0 && status != -ENOENT) {
    return file_error(journal, error, "cannot be found", status);
  }
  journal->must_rewrite = journal->must_rewrite || status == -ENOENT;
  fw_ret_t ret = write_changes(journal, error);
  ret = ret == FW_RET_OK ? sync_file(journal, now_ns, error) : ret;
  ret = ret == FW_RET_OK ? sync_directory(journal, error) : ret;
  FW_ASSERT(fw__journal_validate(journal));
  return ret;
}

// ---- views ----------------------------------------------------------------------------------------------------------

int32_t fw__journal_robot_count(const fw_journal_t * journal) { return journal->robot_count; }

const fw_journal_robot_t * fw__journal_robot_at(const fw_journal_t * journal, int32_t index)
{
  FW_ASSERT(index >= 0 && index < journal->robot_count);
  return journal->robots[index];
}

const fw_journal_robot_t * fw__journal_find(const fw_journal_t * journal, const char * name)
{
  const int32_t at = position_of(journal->robots, journal->robot_count, name);
  return has_name_at(journal->robots, journal->robot_count, at, name) ? journal->robots[at] : NULL;
}

uint64_t fw__journal_next_goal_id(const fw_journal_t * journal) { return journal->next_goal_id; }

bool fw__journal_is_paused(const fw_journal_t * journal) { return journal->is_paused; }

uint64_t fw__journal_told(const fw_journal_t * journal) { return journal->told; }

int32_t fw__journal_untold_count(const fw_journal_t * journal) { return journal->untold_count; }

const fw_journal_untold_t * fw__journal_untold_at(const fw_journal_t * journal, int32_t index)
{
  FW_ASSERT(index >= 0 && index < journal->untold_count);
  return &journal->untold[index];
}

fw_journal_stats_t fw__journal_stats(const fw_journal_t * journal)
{
  fw_journal_stats_t stats = journal->stats;
  stats.file_bytes = journal->file_bytes;
  stats.state_bytes = (int64_t)(HEADER_BYTES + FRAME_BYTES + measure(journal).state);
  return stats;
}

static bool has_valid_robots(fw_journal_robot_t * const * robots, int32_t count, uint64_t next_goal_id)
{
  bool is_valid = true;
  for (int32_t i = 0; is_valid && i < count; ++i) {
    is_valid = is_valid_robot(robots[i]) && (i == 0 || strcmp(robots[i - 1]->name, robots[i]->name) < 0);
    for (int32_t j = 0; is_valid && j < robots[i]->goal_count; ++j) {
      is_valid = robots[i]->goals[j].id < next_goal_id;
    }
  }
  return is_valid;
}

bool fw__journal_validate(const fw_journal_t * journal)
{
  bool is_valid = journal->path != NULL && journal->file >= 0 && journal->file_bytes >= HEADER_BYTES &&
                  journal->robot_count >= 0 && journal->forgotten_count >= 0 &&
                  journal->robot_count + journal->forgotten_count <= journal->robot_capacity &&
                  has_valid_robots(journal->robots, journal->robot_count, journal->next_goal_id) &&
                  has_valid_robots(journal->forgotten, journal->forgotten_count, journal->next_goal_id);
  is_valid = is_valid && journal->untold_count >= 0 && journal->untold_count <= FW_JOURNAL_ENDS_MAX &&
             journal->told_in_file <= journal->told && journal->ended_in_file <= last_ended(journal);
  for (int32_t i = 0; is_valid && i < journal->untold_count; ++i) {
    is_valid = journal->untold[i].robot[0] != '\0' && is_valid_end(&journal->untold[i].end);
  }
  for (int32_t i = 0; is_valid && i < journal->forgotten_count; ++i) {
    const char * name = journal->forgotten[i]->name;
    is_valid = journal->forgotten[i]->is_in_file && fw__journal_find(journal, name) == NULL;
  }
  return is_valid;
}
