// Bond: heartbeats by which a manager notices that a node has died (bond/Status on the topic bond), as Nav2's lifecycle
// manager expects them of the nodes that it has activated.
//
// A bond has two sides with a common id, the name of the node. This is the node's side:
//
//   begin    heartbeats, ten per second
//   end      one message that says so
//   update   sends what is due; if the other side has ended the bond, ends it here too
//
// It does not watch the other side: robots go on when their manager has died.

#ifndef ROS__BOND_H_
#define ROS__BOND_H_

#include <bond/msg/status.h>

#include "ros/session.h"

// {0} is no bond: all calls but init do nothing.
typedef struct ros_bond_t {
  ros_session_t * session;  // borrowed
  rcl_publisher_t publisher;
  rcl_subscription_t subscription;
  bond__msg__Status own;
  bond__msg__Status other;
  int64_t next_ns;  // steady clock: when the next heartbeat is due
  bool is_beating;
  bool is_ended_by_other;  // since the last update
} ros_bond_t;

// On false rcl's error state says why. There is no fini: a bond lasts as long as the session.
bool ros_bond_init(ros_bond_t * bond, ros_session_t * session, ros_executor_t * executor);

void ros_bond_begin(ros_bond_t * bond);
void ros_bond_end(ros_bond_t * bond);
void ros_bond_update(ros_bond_t * bond);

#endif  // ROS__BOND_H_
