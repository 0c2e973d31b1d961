// Goal frames: where the frames of goals are in the map, from a transform buffer.
//
// A buffer keeps moving links only for watched frames. The frames of robots are watched for their poses; the frame of a
// goal is watched from its first goal on. So a goal in a frame that moves and that nobody has asked for is refused
// once, with a word of that; frames that are static, or on the way to a robot, are known at once. At most
// FW_GOAL_FRAMES_MAX frames are watched for goals: the one that was longest not used makes room for a new one.

#ifndef MOTION__GOAL_FRAMES_H_
#define MOTION__GOAL_FRAMES_H_

#include "motion/transform_buffer.h"

enum { FW_GOAL_FRAMES_MAX = 16 };

// {0} has no frames; it is given up with its buffer.
typedef struct fw_goal_frames_t {
  int32_t frames[FW_GOAL_FRAMES_MAX];  // watched, the last used one first
  int32_t count;
} fw_goal_frames_t;

typedef struct fw_goal_frame_query_t {
  fw_transform_buffer_t * buffer;
  int32_t root;        // the map frame
  const char * frame;  // of the goal; may begin with a slash
  int64_t now_ns;
  int64_t age_max_ns;  // a place that was last known longer ago is not used; 0: any is
} fw_goal_frame_query_t;

// The place of a frame in the map at the newest common time. False with a reason, whose fault is FW_FAULT_FRAME.
bool fw__goal_frames_find(
  fw_goal_frames_t * self, const fw_goal_frame_query_t * query, fw_transform_t * place, fw_error_t * reason);

// A pose in a frame at `place`, in the map. A yaw of NAN, any, stays any.
fw_pose2d_t fw__goal_frames_pose(const fw_transform_t * place, const fw_transform_t * pose, bool has_yaw);

#endif  // MOTION__GOAL_FRAMES_H_
