// Inbox: what the others send. A message that makes no sense changes nothing and is reported.

#ifndef ROS__FLEET_SIM__INBOX_H_
#define ROS__FLEET_SIM__INBOX_H_

// For rclc_executor_add_subscription_with_context; `context` is a sim_graph_robot_t.
void sim_inbox_on_path(const void * message, void * context);
void sim_inbox_on_twist(const void * message, void * context);
void sim_inbox_on_stamped_twist(const void * message, void * context);
void sim_inbox_on_odometry(const void * message, void * context);
void sim_inbox_on_goal(const void * message, void * context);

#endif  // ROS__FLEET_SIM__INBOX_H_
