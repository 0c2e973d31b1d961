// Conflict avoidance table (CAT): the paths of robots, looked up by node and tick. The same structure serves as the
// illegal move table (paths that must not be met) and to find conflicts (Standley 2010).
//
// A row per tick has a list per node of the robots that are there while under way. Robots that have come to rest on
// their last node are kept apart, by node:
//
//   tick 3:  node 0 -> none,  node 1 -> robot 4,  node 2 -> robot 0 -> robot 7 (a conflict), …
//   rest:    node 9: robot 2 from tick 5 on
//
// Unlike the reservation table (src/spacetime) it can contain paths that collide.

#ifndef PLANNER__OPTIMAL__CONFLICT_AVOIDANCE_TABLE_H_
#define PLANNER__OPTIMAL__CONFLICT_AVOIDANCE_TABLE_H_

#include "planner/optimal/instance.h"

typedef struct fw_cat_entry_t {
  int32_t robot;
  int32_t next;  // entry of the same node and tick, or of the list of unused ones; -1 for the last
} fw_cat_entry_t;

typedef struct fw_cat_t {
  fw_arena_t * arena;
  const fw_moves_t * moves;
  int32_t robot_count;
  int32_t robust_ticks;
  fw_path_t * paths;  // by robot: views of paths of nodes; length 0 for robots that are not in the table
  int32_t ** rows;    // by tick, by node: the first entry, -1 for none; NULL for ticks that no path has reached
  int32_t row_capacity;
  fw_cat_entry_t * entries;
  int32_t entry_count;
  int32_t entry_capacity;
  int32_t unused;         // list of entries to use again
  fw_tick_t * rest_from;  // by node: the tick from which on `rest_robot` stays there; FW_TICK_MAX for no robot
  int32_t * rest_robot;
  fw_tick_t last_tick;  // no path has moved later
} fw_cat_t;

// False when there is no memory.
bool fw__cat_init(fw_cat_t * table, fw_arena_t * arena, const fw_instance_t * instance);
// The path stays borrowed, unchanged, until the robot is removed. No two paths end on one node. False when there is no
// memory: the robot is not in the table.
bool fw__cat_add(fw_cat_t * table, int32_t robot, fw_path_t path);
// A robot that is not in the table is ignored.
void fw__cat_remove(fw_cat_t * table, int32_t robot);

// One tick of a robot that is not in the table: from node `from` at tick `depart` to node `to`. Direction -1 is a wait.
// The start of a path is a wait that departs at tick -1.
typedef struct fw_cat_move_t {
  int32_t from;
  int32_t to;
  int32_t direction;
  fw_tick_t depart;
} fw_cat_move_t;

// The robots that conflict with a move: on its end node within the robust ticks, by swapping nodes, or on crossing
// diagonals. Writes up to `max` robots, one per conflict, and returns the number of conflicts.
int32_t fw__cat_find_conflicts(const fw_cat_t * table, const fw_cat_move_t * move, int32_t * robots, int32_t max);
static inline int32_t fw__cat_count_conflicts(const fw_cat_t * table, const fw_cat_move_t * move)
{
  return fw__cat_find_conflicts(table, move, NULL, 0);
}
// The last tick at which a robot that stays on the node would be in a conflict; -1 for never, FW_TICK_MAX forever.
fw_tick_t fw__cat_last_conflict_tick(const fw_cat_t * table, int32_t node);

// For assertions and tests: every path is in the rows that it passes and nowhere else, and rests where it ends.
bool fw__cat_validate(const fw_cat_t * table);

#endif  // PLANNER__OPTIMAL__CONFLICT_AVOIDANCE_TABLE_H_
