// The last used frames, in order. See goal_frames.h.

#include "motion/goal_frames.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"

static const fw_error_detail_t DETAIL = {FW_FAULT_FRAME, -1, FW_CELL_NONE};

static void move_to_front(fw_goal_frames_t * self, int32_t place)
{
  const int32_t frame = self->frames[place];
  memmove(&self->frames[1], &self->frames[0], (size_t)place * sizeof self->frames[0]);
  self->frames[0] = frame;
}

// Watches the frame, which is then the first one. `is_new`: nobody watched it for goals before. -1 if it is impossible.
static int32_t watch(fw_goal_frames_t * self, const fw_goal_frame_query_t * query, bool * is_new)
{
  const int32_t frame = fw__transform_buffer_watch(query->buffer, query->frame);
  if (frame < 0) {
    return -1;
  }
  for (int32_t k = 0; k < self->count; ++k) {
    if (self->frames[k] == frame) {
      fw__transform_buffer_unwatch(query->buffer, frame);  // once is enough
      move_to_front(self, k);
      *is_new = false;
      return frame;
    }
  }
  if (self->count == FW_GOAL_FRAMES_MAX) {
    fw__transform_buffer_unwatch(query->buffer, self->frames[--self->count]);
  }
  self->frames[self->count] = frame;
  move_to_front(self, self->count++);
  *is_new = true;
  return frame;
}

bool fw__goal_frames_find(
  fw_goal_frames_t * self, const fw_goal_frame_query_t * query, fw_transform_t * place, fw_error_t * reason)
{
  FW_ASSERT(query->root >= 0 && query->age_max_ns >= 0);
  bool is_new = false;
  const int32_t frame = watch(self, query, &is_new);
  if (frame < 0) {
    (void)fw__error_at(reason, DETAIL, "no frame can have that name, or there are too many frames");
    return false;
  }
  fw_error_t missing = {0};
  fw_transform_result_t result;
  if (!fw__transform_buffer_lookup(query->buffer, query->root, frame, &result, &missing)) {
    (void)fw__error_at(
      reason, DETAIL, "%.150s%s", missing.text, is_new ? "; it is listened for from now on: send the goal again" : "");
    return false;
  }
  const bool is_static = result.stamp_ns == FW_TRANSFORM_IS_STATIC;
  if (!is_static && query->age_max_ns > 0 && result.stamp_ns < query->now_ns - query->age_max_ns) {
    (void)fw__error_at(
      reason, DETAIL, "the last transform from %.60s to %.60s is %.1f s old",
      fw__transform_buffer_parent_name(query->buffer, result.oldest),
      fw__transform_buffer_name(query->buffer, result.oldest), (double)(query->now_ns - result.stamp_ns) * 1e-9);
    return false;
  }
  *place = result.transform;
  return true;
}

fw_pose2d_t fw__goal_frames_pose(const fw_transform_t * place, const fw_transform_t * pose, bool has_yaw)
{
  const fw_transform_t composed = fw__transform_compose(place, pose);
  fw_pose2d_t result = fw__transform_pose2d(&composed);
  result.yaw = has_yaw ? result.yaw : NAN;
  return result;
}
