// True distances to one goal by reverse resumable A* (Silver, "Cooperative Pathfinding", 2005, section on RRA*).
//
// A* runs from the goal backwards towards the robot's start and stops as soon as the place that was asked for is
// closed; the next question resumes it. With a consistent estimate every closed place has its exact distance, whatever
// the search was aimed at. Turning makes the graph directed: the search goes along motions backwards. Places are kept in pages that exist only where the search has been.

#ifndef SEARCH__DISTANCE_H_
#define SEARCH__DISTANCE_H_

#include "base/bucket_queue.h"
#include "base/meter.h"
#include "search/landmarks.h"
#include "world/moves.h"

enum { FW_DISTANCE_PAGE_BITS = 10, FW_DISTANCE_PAGE = 1 << FW_DISTANCE_PAGE_BITS };
#define FW_DISTANCE_NONE INT32_MAX  // there is no way

struct fw_coarse_t;  // search/coarse.h
struct fw_coarse_goal_t;

typedef struct fw_distance_t {
  const fw_moves_t * moves;
  fw_cell_t aim;     // the estimate's target
  bool is_weighted;  // by the cost bytes of the cells entered, else in moves; with headings in ticks, times those bytes
  uint32_t ** pages;  // by node: 0 unseen, else (distance + 1) * 2 + is_closed
  uint32_t * spare;   // pages to use again: the first bytes of each are the address of the next
  fw_arena_t * arena;
  fw_bucket_queue_t open;
  int64_t expanded;
  int64_t places;                      // closed since it began or began anew
  bool has_failed;                     // no memory: answers are not to be trusted
  const fw_landmarks_t * landmarks;    // NULL: the plain estimate alone
  const fw_landmarks_row_t * aim_row;  // of `aim`
  struct fw_coarse_t * coarse;         // NULL: exact distances
  struct fw_coarse_goal_t * coarse_goal;
} fw_distance_t;

// False when there is no memory. With headings all places on the cell of `goal_node` are goals. `aim` is where questions are expected, the robot's start.
bool fw__distance_init(
  fw_distance_t * distance, fw_arena_t * arena, const fw_moves_t * moves, int32_t goal_node, fw_cell_t aim,
  bool is_weighted);

// From now on the estimate knows the walls, and fewer places are closed; distances stay the same. To be called right after
// init, with landmarks on the same moves (others are ignored), which stay borrowed.
void fw__distance_guide(fw_distance_t * distance, const fw_landmarks_t * landmarks);

// From now on distances are those over clusters: no smaller than the exact ones and a few per cent too large, for a
// fraction of the memory; from each place some motion leads to a place that is nearer by at least one. Not for weighted
// fields and headings (then nothing changes). To be called right after init, with the goal that init had; `coarse` is on
// the same moves and stays borrowed. False when there is no memory.
bool fw__distance_coarsen(fw_distance_t * distance, struct fw_coarse_t * coarse, int32_t goal_node);

// The same field for another goal, or anew for the same; its pages are used again.
bool fw__distance_restart(fw_distance_t * distance, int32_t goal_node, fw_cell_t aim);

// What its places and its open list take.
size_t fw__distance_bytes(const fw_distance_t * distance);

// Goes on for at most `expansions_max` expansions until `node` is closed. True when its distance is known.
bool fw__distance_advance(fw_distance_t * distance, int32_t node, int64_t expansions_max);

static inline uint32_t fw__distance_entry(const fw_distance_t * distance, int32_t node)
{
  const uint32_t * page = distance->pages[node >> FW_DISTANCE_PAGE_BITS];
  return page != NULL ? page[node & (FW_DISTANCE_PAGE - 1)] : 0;
}

static inline bool fw__distance_is_known(const fw_distance_t * distance, int32_t node)
{
  return (fw__distance_entry(distance, node) & 1) != 0;
}

// The slow path of get.
int32_t fw__distance_resume(fw_distance_t * distance, int32_t node, fw_meter_t * meter);

// The distance of `node`, FW_DISTANCE_NONE if there is no way. Expansions are counted on `meter`; when the meter stops
// the search the answer is FW_DISTANCE_NONE as well, so ask the meter before believing it.
static inline int32_t fw__distance_get(fw_distance_t * distance, int32_t node, fw_meter_t * meter)
{
  const uint32_t entry = fw__distance_entry(distance, node);
  return (entry & 1) != 0 ? (int32_t)(entry >> 1) - 1 : fw__distance_resume(distance, node, meter);
}

// Runs each field up to its own node, in `threads` threads; the same answer for any number. False if the meter stopped
// it or memory ran out (then the meter has FW_STOP_MEMORY).
bool fw__distance_prime(
  fw_distance_t * const * distances, const int32_t * nodes, int32_t count, int32_t threads, fw_meter_t * meter);

#endif  // SEARCH__DISTANCE_H_
