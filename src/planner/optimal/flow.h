// Robots as clauses: a variable for each place where a robot can be at a tick, clauses that make paths of them, and
// clauses that keep robots apart, added where two have met.
//
// P. Surynek, A. Felner, R. Stern, E. Boyarski, Efficient SAT Approach to Multi-Agent Path Finding Under the Sum of Costs
// Objective, ECAI 2016 (variables from decision diagrams); P. Surynek, Unifying Search-based and Compilation-based
// Approaches to Multi-agent Path Finding through Satisfiability Modulo Theories, IJCAI 2019 (conflicts as they come up).
//
// A state is (robot, place, tick, extra): extra is what the robot has cost, and will cost at least from there, beyond
// the distance from its start to its goal. A robot has the states of no more extra than it may cost at present, which a
// literal of its own (its limit) stands for; more of them are added when that is raised. Who keeps a limit has a path of the
// states up to it; those beyond are not made false, they are just of no use. Nobody's states go beyond a last tick, by
// which all are on their goals; a literal (the horizon) stands for that as well.

#ifndef PLANNER__OPTIMAL__FLOW_H_
#define PLANNER__OPTIMAL__FLOW_H_

#include "sat/sat.h"
#include "planner/optimal/optimal.h"

typedef struct fw_flow_state_t {
  int32_t robot;
  int32_t node;
  fw_tick_t tick;
  int32_t extra;
  int32_t literal;  // the robot is there
  int32_t here;     // another state of the same place and tick, -1 for none
  int32_t besides;  // another of the same robot and tick
  // States that may come after it: `next_count` of `nexts`, from `next` on.
  int32_t next;
  int32_t next_count;
} fw_flow_state_t;

// A place at a tick.
typedef struct fw_flow_place_t {
  int32_t node;
  fw_tick_t tick;
  int32_t first;  // state
  int32_t next;   // place of the same hash
  // Bit j: clauses keep those who are here apart from those who are here j ticks later.
  uint32_t apart;
  int32_t moves;  // the first that ends here, -1 for none
} fw_flow_place_t;

// Somebody goes from a place to another, as a literal: where two have met in moving.
typedef struct fw_flow_move_t {
  int32_t from;
  int32_t literal;
  int32_t next;  // another that ends at the same place and tick
} fw_flow_move_t;

typedef struct fw_flow_robot_t {
  int32_t distance;     // from start to goal
  int32_t extra;        // it has the states up to this one
  fw_tick_t end;        // and up to this tick
  fw_list_t layers;     // by tick: the first state
  fw_list_t limits;     // literals, from `extra_first` on: it costs no more than that
  int32_t extra_first;  // what it costs alone
  fw_list_t path;       // states, by tick, in the last model in which it kept a limit
  bool has_path;        // in the last model
} fw_flow_robot_t;

typedef struct fw_flow_options_t {
  bool has_layers;         // clauses that say: a robot is somewhere at each tick
  bool has_places;         // two that meet on a place: clauses for all who can come there
  const int32_t * extras;  // by robot: what it costs alone beyond its distance
} fw_flow_options_t;

typedef struct fw_flow_t {
  const fw_scene_t * scene;
  fw_flow_options_t options;
  fw_arena_t * arena;
  fw_sat_t sat;
  fw_flow_robot_t * robots;
  fw_flow_state_t * states;
  int32_t state_count;
  int32_t state_capacity;
  fw_flow_place_t * places;
  int32_t place_count;
  int32_t place_capacity;
  int32_t * heads;  // by hash: the first place
  int32_t head_count;
  fw_flow_move_t * moves;
  int32_t move_count;
  int32_t move_capacity;
  fw_list_t nexts;
  // Paths are completed robot by robot.
  int32_t chosen;   // robots whose paths are complete
  int64_t turns;    // of the solver, when that was so
  bool has_chosen;  // something, since the first of them
  fw_tick_t end;
  int32_t horizon;   // literal
  fw_list_t clause;  // that is made
} fw_flow_t;

// False when there is no memory, or the meter has stopped.
bool fw__flow_init(fw_flow_t * flow, fw_arena_t * arena, const fw_scene_t * scene, const fw_flow_options_t * options);
// One robot may cost one more; all may take some ticks longer.
bool fw__flow_raise(fw_flow_t * flow, int32_t robot);
bool fw__flow_prolong(fw_flow_t * flow, fw_tick_t ticks);

static inline int32_t fw__flow_limit(const fw_flow_t * flow, int32_t robot)
{
  const fw_list_t * limits = &flow->robots[robot].limits;
  return limits->items[limits->count - 1];
}

// flow.c
bool fw__flow_init_places(fw_flow_t * flow);
bool fw__flow_add(fw_flow_t * flow, fw_flow_state_t state);
// -1 if there is none.
int32_t fw__flow_find(const fw_flow_t * flow, int32_t robot, int32_t node, fw_tick_t tick, int32_t extra);
// What the robot has cost beyond its distance when it goes on to `node`; INT32_MAX if there is no way from there.
int32_t fw__flow_extra(const fw_flow_t * flow, const fw_flow_state_t * state, int32_t node);
const fw_flow_place_t * fw__flow_place(const fw_flow_t * flow, int32_t node, fw_tick_t tick);  // NULL: nobody's

// flow_paths.c: the solver's chooser, a state that a path lacks. The paths of the model; false when there is no memory.
int32_t fw__flow_choose(void * flow);
bool fw__flow_read(fw_flow_t * flow);

// flow_apart.c: for a new state, the clauses of its place.
bool fw__flow_keep_apart(fw_flow_t * flow, int32_t state);
// Adds clauses where the paths meet. The number of meetings, -1 when there is no memory.
int32_t fw__flow_part(fw_flow_t * flow);

#endif  // PLANNER__OPTIMAL__FLOW_H_
