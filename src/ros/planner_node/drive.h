// One turn of driving by the dependency graph. In the other modes of execution these do nothing.

#ifndef ROS__PLANNER_NODE__DRIVE_H_
#define ROS__PLANNER_NODE__DRIVE_H_

#include "ros/planner_node/planning.h"

// Looks at what robots have reported, asks for rounds, and notes whose path or release is to be published.
void planning_drive(planning_t * planning, int64_t now_ns);
// Everybody is to stay where it is: plans mean nothing any more.
void planning_end_drive(planning_t * planning);
// Nothing more is released, or again.
void planning_pause(planning_t * planning, bool is_paused);

#endif  // ROS__PLANNER_NODE__DRIVE_H_
