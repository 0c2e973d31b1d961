// Who is where when.

#include "planner/optimal/traffic.h"

#include <string.h>

bool fw__traffic_init(fw_traffic_t * traffic, fw_arena_t * arena, const fw_scene_t * scene)
{
  const size_t nodes = (size_t)scene->moves->node_count;
  *traffic = (fw_traffic_t){.arena = arena, .moves = scene->moves, .robust_ticks = scene->robust_ticks, .unused = -1};
  traffic->paths = fw__arena_allocate_zeroed(arena, (size_t)scene->problem->robot_count, sizeof(*traffic->paths));
  traffic->rest_from = fw__arena_allocate(arena, nodes, sizeof(*traffic->rest_from));
  traffic->rest_robot = fw__arena_allocate(arena, nodes, sizeof(*traffic->rest_robot));
  if (traffic->paths == NULL || traffic->rest_from == NULL || traffic->rest_robot == NULL) {
    return false;
  }
  for (size_t i = 0; i < nodes; ++i) {
    traffic->rest_from[i] = FW_TICK_MAX;
  }
  return true;
}

static bool reserve_row(fw_traffic_t * traffic, fw_tick_t tick)
{
  while (tick >= traffic->row_capacity) {
    const int32_t old = traffic->row_capacity;
    int32_t ** rows = fw__arena_grow(traffic->arena, traffic->rows, (size_t)old, sizeof(*rows), &traffic->row_capacity);
    if (rows == NULL) {
      return false;
    }
    memset(rows + old, 0, (size_t)(traffic->row_capacity - old) * sizeof(*rows));
    traffic->rows = rows;
  }
  if (traffic->rows[tick] == NULL) {
    const size_t nodes = (size_t)traffic->moves->node_count;
    int32_t * row = fw__arena_allocate(traffic->arena, nodes, sizeof(*row));
    if (row == NULL) {
      return false;
    }
    memset(row, 0xff, nodes * sizeof(*row));  // -1 in every place
    traffic->rows[tick] = row;
  }
  return true;
}

static bool reserve_entries(fw_traffic_t * traffic, int32_t more)
{
  while (traffic->entry_count + more > traffic->entry_capacity) {
    fw_traffic_entry_t * entries = fw__arena_grow(
      traffic->arena, traffic->entries, (size_t)traffic->entry_count, sizeof(*entries), &traffic->entry_capacity);
    if (entries == NULL) {
      return false;
    }
    traffic->entries = entries;
  }
  return true;
}

bool fw__traffic_add(fw_traffic_t * traffic, int32_t robot, fw_path_t path)
{
  const fw_tick_t end = path.length - 1;
  if (!reserve_entries(traffic, path.length)) {
    return false;
  }
  for (fw_tick_t tick = 0; tick < end; ++tick) {
    if (!reserve_row(traffic, tick)) {
      return false;
    }
  }
  for (fw_tick_t tick = 0; tick < end; ++tick) {
    int32_t entry = traffic->unused;
    if (entry >= 0) {
      traffic->unused = traffic->entries[entry].next;
    } else {
      entry = traffic->entry_count++;
    }
    int32_t * head = &traffic->rows[tick][path.cells[tick]];
    traffic->entries[entry] = (fw_traffic_entry_t){.robot = robot, .next = *head};
    *head = entry;
  }
  traffic->paths[robot] = path;
  traffic->rest_from[path.cells[end]] = end;
  traffic->rest_robot[path.cells[end]] = robot;
  traffic->last_tick = end > traffic->last_tick ? end : traffic->last_tick;
  return true;
}

void fw__traffic_remove(fw_traffic_t * traffic, int32_t robot)
{
  const fw_path_t path = traffic->paths[robot];
  for (fw_tick_t tick = 0; tick + 1 < path.length; ++tick) {
    int32_t * link = &traffic->rows[tick][path.cells[tick]];
    while (traffic->entries[*link].robot != robot) {
      link = &traffic->entries[*link].next;
    }
    const int32_t entry = *link;
    *link = traffic->entries[entry].next;
    traffic->entries[entry].next = traffic->unused;
    traffic->unused = entry;
  }
  if (path.length > 0) {
    traffic->rest_from[path.cells[path.length - 1]] = FW_TICK_MAX;
  }
  traffic->paths[robot] = (fw_path_t){0};
}

static inline int32_t first_at(const fw_traffic_t * traffic, int32_t node, fw_tick_t tick)
{
  return tick >= 0 && tick < traffic->row_capacity && traffic->rows[tick] != NULL ? traffic->rows[tick][node] : -1;
}

typedef struct list_t {
  fw_meeting_t * meetings;
  int32_t max;
  int32_t count;
} list_t;

static inline void note(list_t * list, fw_meeting_t meeting)
{
  if (list->count < list->max) {
    list->meetings[list->count] = meeting;
  }
  ++list->count;
}

static inline void meet_at(const fw_traffic_t * traffic, const fw_hop_t * hop, fw_tick_t tick, list_t * list)
{
  for (int32_t e = first_at(traffic, hop->to, tick); e >= 0; e = traffic->entries[e].next) {
    note(list, (fw_meeting_t){traffic->entries[e].robot, hop->depart + 1, tick, false});
  }
  if (traffic->rest_from[hop->to] <= tick) {
    note(list, (fw_meeting_t){traffic->rest_robot[hop->to], hop->depart + 1, tick, false});
  }
}

// Those who go from `from` to `to` while the hop lasts. Who rests goes nowhere.
static inline void meet_between(
  const fw_traffic_t * traffic, const fw_hop_t * hop, int32_t from, int32_t to, list_t * list)
{
  for (int32_t e = first_at(traffic, from, hop->depart); e >= 0; e = traffic->entries[e].next) {
    const int32_t robot = traffic->entries[e].robot;
    if (fw_path_at(&traffic->paths[robot], hop->depart + 1) == to) {
      note(list, (fw_meeting_t){robot, hop->depart + 1, hop->depart + 1, true});
    }
  }
}

int32_t fw__traffic_meet(const fw_traffic_t * traffic, const fw_hop_t * hop, fw_meeting_t * meetings, int32_t max)
{
  list_t list = {.meetings = meetings, .max = max};
  const int32_t k = traffic->robust_ticks;
  for (fw_tick_t tick = hop->depart + 1 > k ? hop->depart + 1 - k : 0; tick <= hop->depart + 1 + k; ++tick) {
    meet_at(traffic, hop, tick, &list);
  }
  if (hop->direction >= 0 && k == 0) {  // else whoever swaps is met on the place already
    meet_between(traffic, hop, hop->to, hop->from, &list);
  }
  if (hop->direction >= 4) {
    const int32_t * next = fw__moves_successors(traffic->moves, hop->from);
    const int32_t left = next[fw__direction_left(hop->direction)];
    const int32_t right = next[fw__direction_right(hop->direction)];
    if (left >= 0 && right >= 0) {  // else a corner is cut, where nobody crosses
      meet_between(traffic, hop, left, right, &list);
      meet_between(traffic, hop, right, left, &list);
    }
  }
  return list.count;
}

fw_tick_t fw__traffic_last(const fw_traffic_t * traffic, int32_t node)
{
  if (traffic->rest_from[node] < FW_TICK_MAX) {
    return FW_TICK_MAX;
  }
  for (fw_tick_t tick = traffic->last_tick; tick >= 0; --tick) {
    if (first_at(traffic, node, tick) >= 0) {
      return tick + traffic->robust_ticks;
    }
  }
  return -1;
}
