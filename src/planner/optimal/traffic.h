// Who is where when: paths of robots, asked by place and tick. It serves as the illegal move table (must not be met),
// the conflict avoidance table (better not met) and to find conflicts (Standley 2010).
//
// A row per tick with a list per node of those who are there under way; those who have come to rest for good are kept
// apart, by node:
//
//   tick 3:  node 0 -> nobody,  node 1 -> robot 4,  node 2 -> robot 0 -> robot 7 (a conflict), …
//   rest:    node 9: robot 2 from tick 5 on
//
// Unlike the reservation table (spacetime/reservations.h) it holds paths that collide.

#ifndef PLANNER__OPTIMAL__TRAFFIC_H_
#define PLANNER__OPTIMAL__TRAFFIC_H_

#include "planner/optimal/scene.h"

typedef struct fw_traffic_entry_t {
  int32_t robot;
  int32_t next;
} fw_traffic_entry_t;

typedef struct fw_traffic_t {
  fw_arena_t * arena;
  const fw_moves_t * moves;
  int32_t robust_ticks;
  fw_path_t * paths;  // by robot: views of paths of nodes; length 0 for robots that are not in it
  int32_t ** rows;    // by tick, by node: the first entry, -1 for none; NULL where nobody has ever been
  int32_t row_capacity;
  fw_traffic_entry_t * entries;
  int32_t entry_count;
  int32_t entry_capacity;
  int32_t unused;         // list of entries to use again
  fw_tick_t * rest_from;  // by node; FW_TICK_MAX for nobody
  int32_t * rest_robot;
  fw_tick_t last_tick;  // nobody has ever moved later
} fw_traffic_t;

// False when there is no memory.
bool fw__traffic_init(fw_traffic_t * traffic, fw_arena_t * arena, const fw_scene_t * scene);
// The path stays borrowed, unchanged, until the robot is removed. Two robots do not end on one node.
bool fw__traffic_add(fw_traffic_t * traffic, int32_t robot, fw_path_t path);
void fw__traffic_remove(fw_traffic_t * traffic, int32_t robot);

// One tick of a robot that is not in the traffic: from node `from` at `depart` to node `to`. Direction -1 is a wait. The
// beginning is a wait that departs at -1.
typedef struct fw_hop_t {
  int32_t from;
  int32_t to;
  int32_t direction;
  fw_tick_t depart;
} fw_hop_t;

// How one robot meets another: on a place, at two ticks if there are robust ticks; or between two places.
typedef struct fw_meeting_t {
  int32_t other;
  fw_tick_t tick;        // the robot's arrival
  fw_tick_t other_tick;  // the other's, on the same place or, if they cross, on the one that the other goes to
  bool is_between;       // they swap places or cross
} fw_meeting_t;

// Everybody who is met on the hop: writes up to `max` meetings, returns how many there are.
int32_t fw__traffic_meet(const fw_traffic_t * traffic, const fw_hop_t * hop, fw_meeting_t * meetings, int32_t max);
// The number alone.
static inline int32_t fw__traffic_count(const fw_traffic_t * traffic, const fw_hop_t * hop)
{
  return fw__traffic_meet(traffic, hop, NULL, 0);
}
// The last tick at which somebody who stands on the node would meet anybody, -1 for never, FW_TICK_MAX for ever.
fw_tick_t fw__traffic_last(const fw_traffic_t * traffic, int32_t node);

#endif  // PLANNER__OPTIMAL__TRAFFIC_H_
