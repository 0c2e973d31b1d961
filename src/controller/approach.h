// The final approach: from the centre of the goal's cell to the exact pose of the goal, and back.
//
// Plans lead from centre to centre of cells, so that a robot in its cell is in nobody's way. Beside the centre it
// reaches into other cells. Therefore the last part of the way is not planned, but driven alone:
//
//   +-----+-----+      1. The robot arrives in the centre of its cell by the plan.
//   |     |     |      2. Once no other robot has reserved a cell that it touches on the straight line to the pose (#),
//   |  o--|-x###|         it leaves the dependency graph with a release of its own. Those cells are obstacles for all
//   |     |     |         others from then on, in plans and releases, as with an old release (old_release.h).
//   +-----+-----+      3. It stands at the pose: the goal is reached. The space stays reserved.
//                      4. It drives back to the centre when it has another goal, when it is in the way of a robot that
//                         has no other path, or when a keepout comes there, and takes part in plans again.
//
// A robot on its way to a goal may ask for space: robots without a goal of their own are moved out of it. One that has
// reached its goal and was called back returns to the exact pose only when the space is free anyway. So two robots
// whose poses are too near to each other do not chase each other for ever.

#ifndef CONTROLLER__APPROACH_H_
#define CONTROLLER__APPROACH_H_

#include "controller/fleet.h"
#include "controller/round/request.h"

struct fw_controller_impl_t;

// Where the last part of the way to a goal begins, and whether it is to be driven.
typedef struct fw_approach_plan_t {
  fw_cell_t cell;     // plans lead to its centre; FW_CELL_NONE: the goal is outside the map
  fw_point_t centre;  // valid with a cell
  double off;         // metres from there to the goal
  double tolerance;   // metres
  bool is_needed;     // `off` is more than the tolerance, or the goal's cell is not free
  bool is_free;       // the map has no obstacle on the way
} fw_approach_plan_t;
fw_approach_plan_t fw__approach_plan(
  const fw_controller_site_t * site, const fw_robot_body_t * body, const fw_robot_goal_t * goal);
// The same for where a robot is to be; `has_goal` must be true.
fw_approach_plan_t fw__approach_plan_of(const fw_controller_site_t * site, const fw_controlled_robot_t * robot);

// Its cell alone: cheap.
fw_cell_t fw__approach_cell_of(const fw_controller_site_t * site, const fw_controlled_robot_t * robot);

// True if the robot stands at its goal, near enough and turned as wished. `has_arrived`: it has come to the end of its
// path in the goal's cell.
bool fw__approach_is_at_goal(const fw_controller_site_t * site, const fw_controlled_robot_t * robot, bool has_arrived);

// Would robot `index`, on its way straight to `to`, come nearer to another one than it is, and touch it where it
// stands?
bool fw__approach_would_touch(
  const struct fw_controller_impl_t * controller, int32_t index, fw_point_t to, int32_t other);
// Lets robots begin, end and return from approaches. Fails goals whose robot cannot come near enough.
void fw__approach_update(struct fw_controller_impl_t * controller, int64_t now_ns);
// Closes the space that robots wait for, for all others; robots that stand there without a goal of their own leave it.
void fw__approach_write_closures(const struct fw_controller_impl_t * controller, fw_round_request_t * request);
// A robot with a goal was carried into the space of robot `index`, and cannot be planned for: if that one stands at its
// pose and has no goal any more, it is called back.
void fw__approach_make_room(struct fw_controller_impl_t * controller, int32_t index, int32_t by);
// A robot without a goal is inside a keepout: if it stands at a pose, it is called back, and then leaves by a plan.
void fw__approach_leave(struct fw_controller_impl_t * controller, int32_t index);
// A round found no path for an agent: calls robots back that stand at their poses and are in its way.
void fw__approach_call_back(struct fw_controller_impl_t * controller, const fw_round_agent_t * agent);

#endif  // CONTROLLER__APPROACH_H_
