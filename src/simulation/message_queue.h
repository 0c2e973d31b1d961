// A simulated network between one controller and its robots: messages that are late, lost, repeated and overtaken.
//
// Poses are best effort: each one may be lost, come twice or overtake another. Releases are reliable and latched, as in
// ROS (reliable, transient local, depth 1): those for one robot arrive in order, the last one always arrives, and
// earlier ones may be skipped.

#ifndef SIMULATION__MESSAGE_QUEUE_H_
#define SIMULATION__MESSAGE_QUEUE_H_

#include <fleetweave/controller.h>

#include "base/rng.h"

enum { FW_MESSAGES_MAX = 1024, FW_RELEASES_IN_FLIGHT_MAX = 4 };

typedef struct fw_network_options_t {
  int32_t loss_percent;      // of poses
  int32_t repeat_percent;    // of poses and releases
  int64_t pose_delay_ns;     // up to this
  int32_t late_percent;      // of poses that are as late as late_ns
  int64_t late_ns;           // up to this
  int64_t release_delay_ns;  // up to this
} fw_network_options_t;

typedef struct fw_pose_message_t {
  int64_t due_ns;  // of the world's time
  int32_t robot;   // the world's number
  fw_pose_report_t report;
} fw_pose_message_t;

typedef struct fw_pose_queue_t {
  fw_pose_message_t messages[FW_MESSAGES_MAX];
  int32_t count;
} fw_pose_queue_t;

// Sends a pose; a full queue loses it.
void fw__pose_queue_send(
  fw_pose_queue_t * queue, const fw_pose_message_t * message, const fw_network_options_t * options, fw_rng_t * rng);
// Takes the message that is due first, by time and then in order of sending. False if none is due.
bool fw__pose_queue_take(fw_pose_queue_t * queue, int64_t now_ns, fw_pose_message_t * message);

typedef struct fw_release_message_t {
  int64_t due_ns;
  fw_timed_waypoint_t * waypoints;
  int32_t count;
} fw_release_message_t;

// The releases that are on their way to one robot.
typedef struct fw_release_queue_t {
  fw_release_message_t messages[FW_RELEASES_IN_FLIGHT_MAX];
  int32_t count;
  bool has_failed;  // an allocation failed: a release is missing
} fw_release_queue_t;

void fw__release_queue_fini(fw_release_queue_t * queue);
// Sends a release that is due at `due_ns`, or with the one before if that is later.
void fw__release_queue_send(fw_release_queue_t * queue, const fw_controller_path_t * path, int64_t due_ns);
// The release that is due, NULL if there is none. `fw__release_queue_pop` takes it away.
const fw_release_message_t * fw__release_queue_first(const fw_release_queue_t * queue, int64_t now_ns);
void fw__release_queue_pop(fw_release_queue_t * queue);

#endif  // SIMULATION__MESSAGE_QUEUE_H_
