// See message_queue.h.

#include "simulation/message_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

static int64_t draw_delay(fw_rng_t * rng, int64_t max_ns)
{
  return (int64_t)fw__rng_below(rng, (int32_t)(max_ns / 1000000) + 1) * 1000000;
}

void fw__pose_queue_send(
  fw_pose_queue_t * queue, const fw_pose_message_t * message, const fw_network_options_t * options, fw_rng_t * rng)
{
  const int32_t copies = fw__rng_below(rng, 100) < options->loss_percent     ? 0
                         : fw__rng_below(rng, 100) < options->repeat_percent ? 2
                                                                             : 1;
  for (int32_t k = 0; k < copies && queue->count < FW_MESSAGES_MAX; ++k) {
    const bool is_late = fw__rng_below(rng, 100) < options->late_percent;
    fw_pose_message_t * sent = &queue->messages[queue->count++];
    *sent = *message;
    sent->due_ns += draw_delay(rng, is_late ? options->late_ns : options->pose_delay_ns);
  }
}

bool fw__pose_queue_take(fw_pose_queue_t * queue, int64_t now_ns, fw_pose_message_t * message)
{
  int32_t first = -1;
  for (int32_t k = 0; k < queue->count; ++k) {
    if (
      queue->messages[k].due_ns <= now_ns && (first < 0 || queue->messages[k].due_ns < queue->messages[first].due_ns)) {
      first = k;
    }
  }
  if (first < 0) {
    return false;
  }
  *message = queue->messages[first];
  queue->count -= 1;
  memmove(
    &queue->messages[first], &queue->messages[first + 1], (size_t)(queue->count - first) * sizeof *queue->messages);
  return true;
}

void fw__release_queue_fini(fw_release_queue_t * queue)
{
  while (queue->count > 0) {
    fw__release_queue_pop(queue);
  }
}

void fw__release_queue_send(fw_release_queue_t * queue, const fw_controller_path_t * path, int64_t due_ns)
{
  fw_timed_waypoint_t * copy = malloc((size_t)path->count * sizeof *copy + 1);
  if (copy == NULL) {
    queue->has_failed = true;
    return;
  }
  if (path->count > 0) {
    memcpy(copy, path->waypoints, (size_t)path->count * sizeof *copy);
  }
  if (queue->count == FW_RELEASES_IN_FLIGHT_MAX) {  // the last one of those before is skipped
    queue->count -= 1;
    free(queue->messages[queue->count].waypoints);
  }
  const int64_t before_ns = queue->count > 0 ? queue->messages[queue->count - 1].due_ns : INT64_MIN;
  queue->messages[queue->count++] = (fw_release_message_t){due_ns > before_ns ? due_ns : before_ns, copy, path->count};
}

const fw_release_message_t * fw__release_queue_first(const fw_release_queue_t * queue, int64_t now_ns)
{
  return queue->count > 0 && queue->messages[0].due_ns <= now_ns ? &queue->messages[0] : NULL;
}

void fw__release_queue_pop(fw_release_queue_t * queue)
{
  FW_ASSERT(queue->count > 0);
  free(queue->messages[0].waypoints);
  queue->count -= 1;
  memmove(&queue->messages[0], &queue->messages[1], (size_t)queue->count * sizeof *queue->messages);
}
