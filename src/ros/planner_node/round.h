// One round: when it is time for it, its problem, and what becomes of the answer.

#ifndef ROS__PLANNER_NODE__ROUND_H_
#define ROS__PLANNER_NODE__ROUND_H_

#include "ros/planner_node/planning.h"

extern const int64_t CLOSURES_AHEAD_NS;  // of closures that begin later than this a round knows nothing

// round_when.c: asks for a round for what no event tells: robots that wait for something, robots off their plan, a plan
// that ends before the goals, closures that come into sight.
void round_look(planning_t * planning, int64_t now_ns);

// Is one wanted, and need it not wait for the next tick?
bool round_is_due(const planning_t * planning, int64_t now_ns);

int64_t round_tick_ns(const frame_t * frame, const node_settings_t * settings);
// round.c: fills the idle worker's job. Robots that cannot take part get their fault here. False if there is no memory.
bool round_write(planning_t * planning, int64_t now_ns);
// round_entrants.c, parts of it: who takes part and from where, false if there is no memory; to where, once it is known
// what is closed.
bool round_write_entrants(planning_t * planning);
void round_write_goals(planning_t * planning, int64_t now_ns);
bool round_enter(planning_t * planning, entrant_t entrant);
bool round_enter_measured(planning_t * planning, int32_t index);
// round_drive.c, the same for robots that drive by the dependency graph: the cut, who starts where it has them, the end of
// a round that came to nothing, the splice, and the tracks that follow from it.
bool round_cut(planning_t * planning, fw_execution_cut_t * cut, fw_error_t * reason);
bool round_enter_driven(planning_t * planning, const fw_execution_cut_t * cut);
void round_uncut(planning_t * planning);
bool round_splice(planning_t * planning, int64_t now_ns);
bool round_write_tracks(planning_t * planning);
// round_closures.c, parts of it. What is closed, once it is known who starts where; robots that stand on a cell that is
// closed get time to leave it. Where robots stay whose cell closes for good, once it is known who wants to go where.
bool round_write_closures(planning_t * planning);
bool round_write_homes(planning_t * planning);

// round_take.c: judges what the worker, which is done, has found. True if it is the schedule now.
bool round_take(planning_t * planning, int64_t now_ns);
// Remembers why a round came to nothing, and logs it if that is news.
void round_note_failure(planning_t * planning, const char * what, const char * text);
// round_adopt.c: makes the answer the schedule. False if there is no memory: the schedule is then empty.
bool round_adopt(planning_t * planning, int64_t now_ns);
// What the answer says of one robot.
void round_tell_fault(planning_t * planning, const entrant_t * entrant, int64_t now_ns);

#endif  // ROS__PLANNER_NODE__ROUND_H_
