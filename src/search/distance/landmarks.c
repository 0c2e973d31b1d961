// Landmarks over the graph of moves: their choice and the distances from them.

#include "search/distance/landmarks.h"

#include "base/assert.h"
#include "base/rng.h"

enum { TRIES = 8 };  // random places tried to find the largest connected component

typedef struct look_t {
  const fw_moves_t * moves;
  int32_t * queue;
  int32_t * distance;  // by node, -1 for none
} look_t;

// Breadth-first search. Returns how many nodes are reached; the last one in the queue is the farthest.
static int32_t look_from(const look_t * look, int32_t node)
{
  const fw_moves_t * moves = look->moves;
  for (int32_t i = 0; i < moves->node_count; ++i) {
    look->distance[i] = -1;
  }
  FW_ASSERT(node >= 0 && node < moves->node_count);
  int32_t count = 0;
  look->queue[count++] = node;
  look->distance[node] = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t at = look->queue[i];
    const int32_t * next = fw__moves_successors(moves, at);
    for (int32_t d = 0; d < moves->degree; ++d) {
      if (next[d] >= 0 && look->distance[next[d]] < 0) {
        look->distance[next[d]] = look->distance[at] + 1;
        look->queue[count++] = next[d];
      }
    }
  }
  return count;
}

// The node farthest from a random one in the largest connected component that a few tries find.
static int32_t first_landmark(const look_t * look)
{
  fw_rng_t rng = fw__rng(1);
  int32_t most = 0;
  int32_t farthest = 0;
  for (int32_t i = 0; i < TRIES && 2 * most < look->moves->node_count; ++i) {
    const int32_t count = look_from(look, fw__rng_below(&rng, look->moves->node_count));
    if (count > most) {
      most = count;
      farthest = look->queue[count - 1];
    }
  }
  return farthest;
}

bool fw__landmarks_init(fw_landmarks_t * landmarks, fw_arena_t * arena, const fw_moves_t * moves)
{
  const size_t count = (size_t)moves->node_count;
  *landmarks = (fw_landmarks_t){.moves = moves};
  landmarks->rows = fw__arena_allocate_zeroed(arena, count, sizeof(*landmarks->rows));
  const fw_arena_mark_t mark = fw__arena_mark(arena);
  const look_t look = {
    .moves = moves,
    .queue = fw__arena_allocate(arena, count, sizeof(*look.queue)),
    .distance = fw__arena_allocate(arena, count, sizeof(*look.distance)),
  };
  int32_t * nearest = fw__arena_allocate(arena, count, sizeof(*nearest));  // to any landmark so far
  if (landmarks->rows == NULL || look.queue == NULL || look.distance == NULL || nearest == NULL) {
    return false;
  }
  int32_t node = count > 0 ? first_landmark(&look) : 0;
  for (int32_t i = 0; i < FW_LANDMARKS && count > 0; ++i) {
    landmarks->nodes[i] = node;
    (void)look_from(&look, node);
    int32_t far = 0;
    for (int32_t k = 0; k < moves->node_count; ++k) {
      const int32_t distance = look.distance[k];
      landmarks->rows[k].moves[i] = (uint16_t)(distance < 0 || distance > UINT16_MAX ? UINT16_MAX : distance);
      nearest[k] = i == 0 || distance < nearest[k] ? distance : nearest[k];
      if (nearest[k] > far) {
        far = nearest[k];
        node = k;
      }
    }
  }
  fw__arena_rewind(arena, mark);
  return true;
}
