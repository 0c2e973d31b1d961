// Checkpoint, entries and replay. See recovery.h.

#include "kernel/recovery.h"

#include <string.h>

#include "base/assert.h"

enum { RUNS_MAX = 64, EPISODES_MAX = 4096 };  // bounds of the time that a replay takes

typedef struct fw_recovery_entry_t {
  int32_t episodes;
  int32_t robot_count;
  int32_t cell_count;
  int32_t unused;
} fw_recovery_entry_t;

// The rows of the checkpoint and their bytes per robot.
typedef struct row_t {
  void * row;
  size_t bytes;
} row_t;

enum { ROWS = 11 };

static void list_rows(const fw_rtaa_view_t * view, row_t rows[ROWS])
{
  const row_t all[ROWS] = {
    {view->x, sizeof(*view->x)},
    {view->y, sizeof(*view->y)},
    {view->goal_x, sizeof(*view->goal_x)},
    {view->goal_y, sizeof(*view->goal_y)},
    {view->drift, 2 * sizeof(*view->drift)},
    {view->box, 4 * sizeof(*view->box)},
    {view->state, sizeof(*view->state)},
    {view->length, sizeof(*view->length)},
    {view->episodes, sizeof(*view->episodes)},
    {view->path, (size_t)view->lookahead * sizeof(*view->path)},
    {view->read_box, view->regions != NULL ? 4 * sizeof(*view->read_box) : 0},
  };
  memcpy(rows, all, sizeof(all));
}

size_t fw__recovery_rows_bytes(const fw_rtaa_view_t * view)
{
  row_t rows[ROWS];
  size_t bytes = 0;
  list_rows(view, rows);
  for (int32_t i = 0; i < ROWS; ++i) {
    bytes += rows[i].bytes * (size_t)view->robot_count;
  }
  return bytes;
}

static void copy_rows(const fw_rtaa_view_t * view, uint8_t * to, bool is_back)
{
  row_t rows[ROWS];
  list_rows(view, rows);
  for (int32_t i = 0; i < ROWS; ++i) {
    const size_t bytes = rows[i].bytes * (size_t)view->robot_count;
    if (bytes > 0) {
      memcpy(is_back ? rows[i].row : to, is_back ? to : rows[i].row, bytes);
    }
    to += bytes;
  }
}

// The most that one entry can take.
static size_t entry_bytes_max(const fw_rtaa_view_t * view)
{
  return sizeof(fw_recovery_entry_t) + (size_t)view->robot_count * sizeof(fw_rtaa_robot_change_t) +
         FW_DEVICE_CELLS_MAX * sizeof(fw_rtaa_cell_change_t);
}

// Room for three full entries: most have few changes.
size_t fw__recovery_entries_bytes(const fw_rtaa_view_t * view) { return 3 * entry_bytes_max(view); }

void fw__recovery_checkpoint(fw_recovery_t * recovery, const fw_rtaa_view_t * view)
{
  copy_rows(view, recovery->rows, false);
  recovery->used_bytes = 0;
  recovery->episodes = 0;
  recovery->runs = 0;
}

// Besides the next run there must be room for the changes after it, which a failing fetch adds.
bool fw__recovery_is_due(const fw_recovery_t * recovery, const fw_rtaa_view_t * view)
{
  return recovery->used_bytes > entry_bytes_max(view) || recovery->runs >= RUNS_MAX ||
         recovery->episodes >= EPISODES_MAX;
}

void fw__recovery_add(fw_recovery_t * recovery, const fw_device_run_t * run)
{
  const fw_recovery_entry_t entry = {run->episodes, run->robot_count, run->cell_count, 0};
  const size_t robot_bytes = (size_t)run->robot_count * sizeof(*run->robots);
  const size_t cell_bytes = (size_t)run->cell_count * sizeof(*run->cells);
  uint8_t * at = recovery->entries + recovery->used_bytes;
  FW_ASSERT(run->cell_count <= FW_DEVICE_CELLS_MAX);
  memcpy(at, &entry, sizeof(entry));
  if (robot_bytes > 0) {
    memcpy(at + sizeof(entry), run->robots, robot_bytes);
  }
  if (cell_bytes > 0) {
    memcpy(at + sizeof(entry) + robot_bytes, run->cells, cell_bytes);
  }
  recovery->used_bytes += sizeof(entry) + robot_bytes + cell_bytes;
  recovery->episodes += run->episodes;
  ++recovery->runs;
}

// Reads the entry at an offset; returns the offset of the next one. All sizes are multiples of 4.
static size_t read_entry(const fw_recovery_t * recovery, size_t at, fw_device_run_t * run)
{
  fw_recovery_entry_t entry;
  memcpy(&entry, recovery->entries + at, sizeof(entry));
  const size_t robot_bytes = (size_t)entry.robot_count * sizeof(*run->robots);
  const uint8_t * robots = recovery->entries + at + sizeof(entry);
  *run = (fw_device_run_t){
    .episodes = entry.episodes,
    .robots = (const fw_rtaa_robot_change_t *)(const void *)robots,
    .robot_count = entry.robot_count,
    .cells = (const fw_rtaa_cell_change_t *)(const void *)(robots + robot_bytes),
    .cell_count = entry.cell_count,
  };
  return at + sizeof(entry) + robot_bytes + (size_t)entry.cell_count * sizeof(*run->cells);
}

// The maps of the checkpoint. The first change of a cell since then knows its value; so the cells of all entries are
// set back from the last entry to the first.
static void set_back_cells(const fw_recovery_t * recovery, const fw_rtaa_maps_t * maps)
{
  size_t begins[RUNS_MAX + 2];
  int32_t count = 0;
  fw_device_run_t run;
  for (size_t at = 0; at < recovery->used_bytes; at = read_entry(recovery, at, &run)) {
    FW_ASSERT(count < RUNS_MAX + 2);
    begins[count++] = at;
  }
  while (count > 0) {
    (void)read_entry(recovery, begins[--count], &run);
    for (int32_t i = run.cell_count - 1; i >= 0; --i) {
      fw__rtaa_apply_cell(maps, run.cells[i].cell, run.cells[i].before);
    }
  }
}

// Computes the distances to the goal that a robot has now, if an entry has given it another one.
static void set_goal(const fw_recovery_target_t * target, const fw_rtaa_robot_change_t * change)
{
  const fw_rtaa_view_t * view = target->cpu.view;
  const int32_t robot = change->index;
  if (target->regions != NULL && change->is_goal_new != 0) {
    const fw_cell_t goal = view->goal_y[robot] * view->width + view->goal_x[robot];
    const bool has_goal = fw__regions_set_goal(target->regions, robot, goal);
    FW_ASSERT(has_goal);  // the tables have what it needs
    (void)has_goal;
  }
}

// The goals of the checkpoint. The map must be that of the tables, which is that of the first run since.
static void set_back_goals(const fw_recovery_t * recovery, const fw_recovery_target_t * target)
{
  fw_device_run_t run;
  for (size_t at = 0; at < recovery->used_bytes;) {
    at = read_entry(recovery, at, &run);
    for (int32_t i = 0; i < run.robot_count; ++i) {
      set_goal(target, &run.robots[i]);
    }
  }
}

// A robot as an entry has changed it. Behind the last episode tables may be old: then the next update has to do it.
static void apply_robot(const fw_recovery_target_t * target, const fw_rtaa_robot_change_t * change, bool is_last)
{
  fw__rtaa_apply_robot(target->cpu.view, change);
  if (is_last && target->are_regions_old && target->regions != NULL && change->is_goal_new != 0) {
    fw__regions_drop_goal(target->regions, change->index);
  } else {
    set_goal(target, change);
  }
}

void fw__recovery_replay(const fw_recovery_t * recovery, const fw_recovery_target_t * target)
{
  const fw_batch_cpu_run_t * cpu = &target->cpu;
  const fw_rtaa_maps_t * maps = &target->maps;
  const fw_rtaa_view_t * view = cpu->view;
  set_back_cells(recovery, maps);
  copy_rows(view, recovery->rows, true);
  fw_device_run_t run;
  for (size_t at = 0; at < recovery->used_bytes;) {
    const bool is_first = at == 0;
    at = read_entry(recovery, at, &run);
    for (int32_t i = 0; i < run.cell_count; ++i) {
      fw__rtaa_apply_cell(maps, run.cells[i].cell, run.cells[i].after);
    }
    if (is_first) {
      set_back_goals(recovery, target);
    }
    for (int32_t i = 0; i < run.robot_count; ++i) {
      apply_robot(target, &run.robots[i], run.episodes == 0);
    }
    if (view->sight > 0 && run.episodes > 0) {  // what was seen before is in the changes of the cells
      memset(view->seen, 0, (size_t)view->robot_count * (size_t)fw__rtaa_seen_words(view->sight) * sizeof(*view->seen));
    }
    if (run.episodes > 0) {
      fw_batch_cpu_run_t again = *cpu;
      again.first_robot = 0;
      again.episodes = run.episodes;
      fw__batch_cpu_run(&again);
    }
  }
}
