// Transport: by which means this process exchanges messages with others. docs/ros.md, "Transport", has the reasons.
//
// Fast DDS uses shared memory between processes of one machine. A process that was killed leaves its port there; the
// process that is started in its place makes a new port of the same number, and a third process that still maps the
// old one may write into it for ever. So the nodes use UDP only, unless the user has configured Fast DDS.
//
// No node listens to itself, so publishers and subscriptions of one process are not matched either, where Fast DDS can
// be told so.

#ifndef ROS__TRANSPORT_H_
#define ROS__TRANSPORT_H_

#include <stdbool.h>

enum { ROS_TRANSPORT_PATH_SIZE = 256 };

typedef struct ros_transport_t {
  char profile[ROS_TRANSPORT_PATH_SIZE];  // file that Fast DDS reads when the node is created; "" for none
} ros_transport_t;

// Sets environment variables of this process, so it must come before rcl_init and before other threads. Leaves
// everything as it is if the user has set FASTDDS_BUILTIN_TRANSPORTS or has a file of profiles, or uses another
// middleware.
void ros_transport_init(ros_transport_t * transport);
// After the node was created, or could not be: removes the file.
void ros_transport_fini(ros_transport_t * transport);

#endif  // ROS__TRANSPORT_H_
