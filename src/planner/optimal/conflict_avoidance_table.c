// The conflict avoidance table: lists of robots by tick and node.

#include "planner/optimal/conflict_avoidance_table.h"

#include <string.h>

bool fw__cat_init(fw_cat_t * table, fw_arena_t * arena, const fw_instance_t * instance)
{
  const size_t nodes = (size_t)instance->moves->node_count;
  *table = (fw_cat_t){
    .arena = arena,
    .moves = instance->moves,
    .robot_count = instance->problem->robot_count,
    .robust_ticks = instance->robust_ticks,
    .unused = -1,
  };
  table->paths = fw__arena_allocate_zeroed(arena, (size_t)table->robot_count, sizeof(*table->paths));
  table->rest_from = fw__arena_allocate(arena, nodes, sizeof(*table->rest_from));
  table->rest_robot = fw__arena_allocate(arena, nodes, sizeof(*table->rest_robot));
  if (table->paths == NULL || table->rest_from == NULL || table->rest_robot == NULL) {
    return false;
  }
  for (size_t i = 0; i < nodes; ++i) {
    table->rest_from[i] = FW_TICK_MAX;
  }
  return true;
}

static bool reserve_row(fw_cat_t * table, fw_tick_t tick)
{
  while (tick >= table->row_capacity) {
    const int32_t old = table->row_capacity;
    int32_t ** rows = fw__arena_grow(table->arena, table->rows, sizeof(*rows), &table->row_capacity);
    if (rows == NULL) {
      return false;
    }
    memset(rows + old, 0, (size_t)(table->row_capacity - old) * sizeof(*rows));
    table->rows = rows;
  }
  if (table->rows[tick] == NULL) {
    const size_t nodes = (size_t)table->moves->node_count;
    int32_t * row = fw__arena_allocate(table->arena, nodes, sizeof(*row));
    if (row == NULL) {
      return false;
    }
    memset(row, 0xff, nodes * sizeof(*row));  // -1 everywhere
    table->rows[tick] = row;
  }
  return true;
}

static bool reserve_entries(fw_cat_t * table, int32_t more)
{
  while (table->entry_count + more > table->entry_capacity) {
    fw_cat_entry_t * entries = fw__arena_grow(table->arena, table->entries, sizeof(*entries), &table->entry_capacity);
    if (entries == NULL) {
      return false;
    }
    table->entries = entries;
  }
  return true;
}

bool fw__cat_add(fw_cat_t * table, int32_t robot, fw_path_t path)
{
  const fw_tick_t end = path.length - 1;
  FW_ASSERT(robot >= 0 && robot < table->robot_count && path.length > 0);
  FW_ASSERT(table->paths[robot].length == 0);                   // added twice
  FW_ASSERT(table->rest_from[path.cells[end]] == FW_TICK_MAX);  // two paths end on one node
  if (!reserve_entries(table, path.length)) {
    return false;
  }
  for (fw_tick_t tick = 0; tick < end; ++tick) {
    if (!reserve_row(table, tick)) {
      return false;
    }
  }
  for (fw_tick_t tick = 0; tick < end; ++tick) {
    int32_t entry = table->unused;
    if (entry >= 0) {
      table->unused = table->entries[entry].next;
    } else {
      entry = table->entry_count++;
      FW_ASSERT(entry < table->entry_capacity);
    }
    int32_t * head = &table->rows[tick][path.cells[tick]];
    table->entries[entry] = (fw_cat_entry_t){.robot = robot, .next = *head};
    *head = entry;
  }
  table->paths[robot] = path;
  table->rest_from[path.cells[end]] = end;
  table->rest_robot[path.cells[end]] = robot;
  table->last_tick = end > table->last_tick ? end : table->last_tick;
  return true;
}

void fw__cat_remove(fw_cat_t * table, int32_t robot)
{
  const fw_path_t path = table->paths[robot];
  for (fw_tick_t tick = 0; tick + 1 < path.length; ++tick) {
    int32_t * link = &table->rows[tick][path.cells[tick]];
    while (table->entries[*link].robot != robot) {
      FW_ASSERT(table->entries[*link].next >= 0);
      link = &table->entries[*link].next;
    }
    const int32_t entry = *link;
    *link = table->entries[entry].next;
    table->entries[entry].next = table->unused;
    table->unused = entry;
  }
  if (path.length > 0) {
    table->rest_from[path.cells[path.length - 1]] = FW_TICK_MAX;
  }
  table->paths[robot] = (fw_path_t){0};
}

static inline int32_t first_at(const fw_cat_t * table, int32_t node, fw_tick_t tick)
{
  return tick >= 0 && tick < table->row_capacity && table->rows[tick] != NULL ? table->rows[tick][node] : -1;
}

typedef struct conflicts_t {
  int32_t * robots;
  int32_t max;
  int32_t count;
} conflicts_t;

static inline void add_conflict(conflicts_t * conflicts, int32_t robot)
{
  if (conflicts->count < conflicts->max) {
    conflicts->robots[conflicts->count] = robot;
  }
  ++conflicts->count;
}

// Robots on the end node of the move at a tick.
static inline void find_at(const fw_cat_t * table, const fw_cat_move_t * move, fw_tick_t tick, conflicts_t * conflicts)
{
  for (int32_t e = first_at(table, move->to, tick); e >= 0; e = table->entries[e].next) {
    add_conflict(conflicts, table->entries[e].robot);
  }
  if (table->rest_from[move->to] <= tick) {
    add_conflict(conflicts, table->rest_robot[move->to]);
  }
}

// Robots that depart from one node to another at a tick. Robots at rest do not.
static inline void find_between(
  const fw_cat_t * table, fw_tick_t depart, const int32_t ends[2], conflicts_t * conflicts)
{
  for (int32_t e = first_at(table, ends[0], depart); e >= 0; e = table->entries[e].next) {
    const int32_t robot = table->entries[e].robot;
    if (fw_path_at(&table->paths[robot], depart + 1) == ends[1]) {
      add_conflict(conflicts, robot);
    }
  }
}

int32_t fw__cat_find_conflicts(const fw_cat_t * table, const fw_cat_move_t * move, int32_t * robots, int32_t max)
{
  conflicts_t conflicts = {.robots = robots, .max = max};
  const int32_t k = table->robust_ticks;
  for (fw_tick_t tick = move->depart + 1 > k ? move->depart + 1 - k : 0; tick <= move->depart + 1 + k; ++tick) {
    find_at(table, move, tick, &conflicts);
  }
  if (move->direction >= 0 && k == 0) {  // else a robot that swaps was found on the node already
    find_between(table, move->depart, (int32_t[]){move->to, move->from}, &conflicts);
  }
  if (move->direction >= 4) {
    const int32_t left = fw__moves_beside(table->moves, move->from, fw__direction_left(move->direction));
    const int32_t right = fw__moves_beside(table->moves, move->from, fw__direction_right(move->direction));
    if (left >= 0 && right >= 0) {  // else the move cuts a corner, which no other diagonal crosses
      find_between(table, move->depart, (int32_t[]){left, right}, &conflicts);
      find_between(table, move->depart, (int32_t[]){right, left}, &conflicts);
    }
  }
  return conflicts.count;
}

fw_tick_t fw__cat_last_conflict_tick(const fw_cat_t * table, int32_t node)
{
  if (table->rest_from[node] < FW_TICK_MAX) {
    return FW_TICK_MAX;
  }
  for (fw_tick_t tick = table->last_tick; tick >= 0; --tick) {
    if (first_at(table, node, tick) >= 0) {
      return tick + table->robust_ticks;
    }
  }
  return -1;
}

static bool is_listed(const fw_cat_t * table, int32_t robot, int32_t node, fw_tick_t tick)
{
  for (int32_t e = first_at(table, node, tick); e >= 0; e = table->entries[e].next) {
    if (table->entries[e].robot == robot) {
      return true;
    }
  }
  return false;
}

bool fw__cat_validate(const fw_cat_t * table)
{
  int32_t used = 0;
  for (int32_t r = 0; r < table->robot_count; ++r) {
    const fw_path_t * path = &table->paths[r];
    for (fw_tick_t tick = 0; tick + 1 < path->length; ++tick) {
      if (!is_listed(table, r, path->cells[tick], tick)) {
        return false;
      }
      ++used;
    }
    if (path->length > 0) {
      const int32_t end = path->cells[path->length - 1];
      if (table->rest_from[end] != path->length - 1 || table->rest_robot[end] != r) {
        return false;
      }
    }
  }
  for (int32_t e = table->unused; e >= 0; e = table->entries[e].next) {
    ++used;
    if (used > table->entry_count) {
      return false;
    }
  }
  return used == table->entry_count && table->entry_count <= table->entry_capacity;
}
