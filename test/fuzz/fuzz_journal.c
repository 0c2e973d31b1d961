// The journal. The first byte decides between two uses of the others:
// - they are the file: it is refused, or read into a valid state that can be changed, committed and read again;
// - they are calls, commits and kills in the middle of a write: after each restart the state is that of the last commit
//   that was confirmed, or of the one that was cut short.

#include <string.h>

#include "controller/restart/journal.h"
#include "fuzz/fuzz.h"
#include "simulation/memory_disk.h"

static const char * const names[] = {"a", "b", "robot/3", "a b"};

typedef struct fuzz_journal_t {
  fw_memory_disk_t * disk;
  fw_journal_io_t io;
  fw_journal_t journal;
} fuzz_journal_t;

static fw_ret_t open_journal(fuzz_journal_t * self, fw_journal_recovery_t * recovery, fw_error_t * error)
{
  const fw_journal_options_t options = {
    .path = "j", .sync = FW_JOURNAL_SYNC_NEVER, .compact_above_bytes = 600, .io = &self->io};
  return fw__journal_init(&self->journal, &options, recovery, error);
}

static uint64_t add_bytes(uint64_t hash, const void * data, size_t size)
{
  const uint8_t * bytes = data;
  for (size_t k = 0; k < size; ++k) {
    hash = (hash ^ bytes[k]) * UINT64_C(0x100000001b3);
  }
  return hash;
}

// Everything that a restart must know, without the parts of structs that have no meaning.
static uint64_t digest(const fw_journal_t * journal)
{
  uint64_t hash = fw__journal_next_goal_id(journal) * 2 + (fw__journal_is_paused(journal) ? 1 : 0);
  for (int32_t k = 0; k < fw__journal_robot_count(journal); ++k) {
    const fw_journal_robot_t * robot = fw__journal_robot_at(journal, k);
    hash = add_bytes(hash, robot->name, strlen(robot->name));
    hash = add_bytes(hash, &robot->flags, sizeof(robot->flags));
    if (robot->has_pose) {
      hash = add_bytes(hash, &robot->pose.at, sizeof(robot->pose.at));
    }
    for (int32_t g = 0; g < robot->goal_count; ++g) {
      hash = add_bytes(hash, &robot->goals[g].id, sizeof(robot->goals[g].id));
      hash = add_bytes(hash, &robot->goals[g].order, sizeof(robot->goals[g].order));
      hash = add_bytes(hash, &robot->goals[g].pose, sizeof(robot->goals[g].pose));
    }
    hash = add_bytes(hash, robot->waypoints, (size_t)robot->waypoint_count * sizeof(*robot->waypoints));
    hash = add_bytes(hash, &robot->last_end.id, sizeof(robot->last_end.id));
  }
  return hash;
}

// Failed calls change nothing, which the digests show.
static void change(fw_journal_t * journal, fuzz_bytes_t * bytes)
{
  const char * name = names[fuzz_below(bytes, 4)];
  const fw_journal_waypoint_t place = {fuzz_double(bytes), fuzz_double(bytes), fuzz_double(bytes)};
  fw_journal_waypoint_t path[8];
  const int32_t count = fuzz_below(bytes, 9);
  for (int32_t k = 0; k < 8; ++k) {
    path[k] = (fw_journal_waypoint_t){k, fuzz_byte(bytes), 0.0};
  }
  const fw_journal_goal_t goal = {
    .id = 1 + (uint64_t)fuzz_below(bytes, 20), .order = fuzz_byte(bytes), .pose = place, .flags = fuzz_byte(bytes)};
  const fw_journal_end_t end = {.id = goal.id, .outcome = FW_JOURNAL_REACHED, .code = 3};
  switch (fuzz_below(bytes, 9)) {
    case 0:
      (void)!fw__journal_put_goal(journal, name, &goal, NULL);
      break;
    case 1:
      (void)!fw__journal_end_goal(journal, name, end, NULL);
      break;
    case 2:
      (void)!fw__journal_add_untold(journal, name, end, NULL);
      break;
    case 3:
      (void)!fw__journal_set_pose(journal, name, &(fw_journal_pose_t){.at = place, .stamp_ns = goal.flags}, NULL);
      break;
    case 4:
      (void)!fw__journal_set_release(journal, name, (fw_journal_release_t){path, count}, NULL);
      break;
    case 5:
      (void)!fw__journal_set_flags(journal, name, goal.flags, NULL);
      break;
    case 6:
      fw__journal_forget(journal, name);
      break;
    case 7:
      fw__journal_set_paused(journal, count % 2 == 0);
      break;
    default:
      fw__journal_raise_told(journal, goal.order);
  }
  fuzz_require(fw__journal_validate(journal), "the journal is valid after a change");
}

static void read_file(fuzz_journal_t * self, const uint8_t * data, size_t size)
{
  fw_error_t error = {0};
  fw_journal_recovery_t recovery = {0};
  fw__memory_disk_put(self->disk, "j", data, size);
  if (open_journal(self, &recovery, &error) != FW_RET_OK) {
    fuzz_require(error.text[0] != '\0', "a refusal has a text");
    const fw_disk_content_t * left = fw__memory_disk_content(self->disk, "j");
    fuzz_require(
      left->size == size && (size == 0 || memcmp(left->bytes, data, size) == 0), "a refused file is as it was");
    return;
  }
  fuzz_require(fw__journal_validate(&self->journal), "what is read is valid");
  fuzz_require((recovery.cut_bytes > 0) == (recovery.warning[0] != '\0'), "a cut has a warning");
  fuzz_require(fw__journal_set_flags(&self->journal, "new", 1, &error) == FW_RET_OK, "a robot can be added");
  fuzz_require(fw__journal_commit(&self->journal, 1, &error) == FW_RET_OK, "it can be written");
  const uint64_t before = digest(&self->journal);
  fw__journal_fini(&self->journal);
  fuzz_require(open_journal(self, &recovery, &error) == FW_RET_OK, "what was written can be read");
  fuzz_require(recovery.cut_bytes == 0 && digest(&self->journal) == before, "and is the same");
  fw__journal_fini(&self->journal);
}

static void make_calls(fuzz_journal_t * self, fuzz_bytes_t * bytes)
{
  fw_error_t error = {0};
  fw_journal_recovery_t recovery = {0};
  fuzz_require(open_journal(self, &recovery, &error) == FW_RET_OK, "a new journal");
  uint64_t committed = digest(&self->journal);
  for (int32_t step = 0; step < 100 && fuzz_has_more(bytes); ++step) {
    const int32_t kind = fuzz_below(bytes, 8);
    if (kind < 5) {
      change(&self->journal, bytes);
      continue;
    }
    const uint64_t wanted = digest(&self->journal);
    if (kind == 7) {  // killed within one of the next disk calls
      self->disk->fault = (fw_disk_fault_t)(1 + fuzz_below(bytes, FW_DISK_FAULT_COUNT - 1));
      self->disk->fault_at = self->disk->calls + 1 + fuzz_below(bytes, 12);
      self->disk->torn_bytes = fuzz_below(bytes, 64);
    }
    const bool is_confirmed = fw__journal_commit(&self->journal, step, &error) == FW_RET_OK && !self->disk->is_stopped;
    if (kind >= 6) {
      fw__journal_fini(&self->journal);
      fw__memory_disk_restart(self->disk);
      fuzz_require(open_journal(self, &recovery, &error) == FW_RET_OK, "a restart");
      fuzz_require(fw__journal_validate(&self->journal), "what is read is valid");
      const uint64_t found = digest(&self->journal);
      fuzz_require(found == wanted || (!is_confirmed && found == committed), "the state of a commit, whole");
      fuzz_require(recovery.cut_bytes == 0 || recovery.is_torn, "a kill leaves nothing but a torn end");
      committed = found;
    } else {
      fuzz_require(is_confirmed, "a disk without faults");
      committed = wanted;
    }
  }
  fw__journal_fini(&self->journal);
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  fuzz_journal_t self = {.disk = fw__memory_disk_new()};
  self.io = fw__memory_disk_io(self.disk);
  fuzz_bytes_t bytes = {.data = data, .size = size, .at = size > 0 ? 1 : 0};
  if (size > 0 && data[0] == 'f') {
    read_file(&self, data + 1, size - 1);
  } else {
    make_calls(&self, &bytes);
  }
  fw__memory_disk_delete(self.disk);
  return 0;
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  fuzz_journal_t self = {.disk = fw__memory_disk_new()};
  self.io = fw__memory_disk_io(self.disk);
  fw_error_t error = {0};
  fuzz_require(open_journal(&self, NULL, &error) == FW_RET_OK, "a new journal");
  uint8_t calls[200] = {0};
  for (size_t k = 1; k < sizeof(calls); ++k) {
    calls[k] = (uint8_t)(k * 37 + k / 7);
  }
  for (int32_t round = 0; round < 3; ++round) {
    fuzz_bytes_t bytes = {.data = calls + 60 * round, .size = 60};
    while (fuzz_has_more(&bytes)) {
      change(&self.journal, &bytes);
    }
    fuzz_require(fw__journal_commit(&self.journal, round, &error) == FW_RET_OK, "it can be written");
    const fw_disk_content_t * content = fw__memory_disk_content(self.disk, "j");
    uint8_t file[4096] = {'f'};
    fuzz_require(content->size < sizeof(file), "a small file");
    memcpy(file + 1, content->bytes, content->size);
    add(context, file, content->size + 1);
  }
  fw__journal_fini(&self.journal);
  fw__memory_disk_delete(self.disk);
  add(context, calls, sizeof(calls));
}
