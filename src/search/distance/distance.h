// A distance field: true distances to one goal by reverse resumable A* (RRA*; Silver, "Cooperative Pathfinding", 2005).
//
// A* runs from the goal backwards towards the robot's start and stops as soon as the requested place is closed; the
// next request resumes it. With a consistent heuristic every closed place has its exact distance, whatever place the
// search was aimed at. Turning makes the graph directed: the search follows motions backwards. Entries are stored in
// pages that exist only where the search has been.
//
// A field belongs to one thread at a time. Fields that share an arena may advance in several threads only inside
// fw__distance_precompute, which guards the arena.

#ifndef SEARCH__DISTANCE__DISTANCE_H_
#define SEARCH__DISTANCE__DISTANCE_H_

#include "base/assert.h"
#include "base/bucket_queue.h"
#include "base/meter.h"
#include "world/moves.h"

enum { FW_DISTANCE_PAGE_BITS = 10, FW_DISTANCE_PAGE = 1 << FW_DISTANCE_PAGE_BITS };
#define FW_DISTANCE_NONE INT32_MAX  // there is no path

struct fw_coarse_t;  // search/distance/coarse.h
struct fw_coarse_goal_t;

typedef struct fw_distance_t {
  const fw_moves_t * moves;
  fw_cell_t goal;
  fw_cell_t aim;  // the cell that the heuristic leads to, usually the robot's start
  // Distances in moves (with headings in ticks); weighted: each move is multiplied by the cost byte of the cell
  // entered.
  bool is_weighted;
  bool is_for_sipp;
  uint32_t ** pages;  // by node: 0 unseen, else (distance + 1) * 2 + is_closed
  int32_t page_capacity;
  fw_arena_t * arena;
  fw_bucket_queue_t open;
  int64_t expanded;
  int64_t places;               // closed since init or restart
  bool has_failed;              // out of memory: distances are not valid
  struct fw_coarse_t * coarse;  // NULL: exact distances
  struct fw_coarse_goal_t * coarse_goal;
} fw_distance_t;

// What a field is made for.
typedef struct fw_distance_def_t {
  const fw_moves_t * moves;  // borrowed by the field
  int32_t goal_node;         // with headings, every heading on its cell is a goal
  fw_cell_t aim;             // where requests are expected, usually the robot's start
  bool is_weighted;          // see fw_distance_t
  // Of equal places the search expands first those that SIPP will ask for (spacetime/sipp.c). Distances are the same
  // either way; which of them are known is not.
  bool is_for_sipp;
} fw_distance_def_t;

// False when there is no memory.
bool fw__distance_init(fw_distance_t * distance, fw_arena_t * arena, const fw_distance_def_t * def);

// Replaces exact distances by those over clusters: a few per cent larger, never smaller, in a fraction of the memory.
// From each place some motion leads to a place that is nearer by at least one. Has no effect on weighted fields and
// fields with headings. To be called right after init or remake, with the same goal; `coarse` must be on the same moves
// and stays borrowed. False when there is no memory.
bool fw__distance_use_coarse(fw_distance_t * distance, struct fw_coarse_t * coarse, int32_t goal_node);

// A field for another purpose, perhaps on other moves, in the memory of one that is no longer needed ({0} is allowed).
// Exact until fw__distance_use_coarse is called. False when there is no memory.
bool fw__distance_remake(fw_distance_t * distance, fw_arena_t * arena, const fw_distance_def_t * def);

// Starts again for another goal, or for the same one; the pages are given to all fields of the arena. False when there
// is no memory.
bool fw__distance_restart(fw_distance_t * distance, int32_t goal_node, fw_cell_t aim);

// Gives the pages to other fields of the arena. The field must be restarted before it is used again; unless `is_kept`,
// the rest of its memory is given away too, and it must be made anew.
void fw__distance_release(fw_distance_t * distance, bool is_kept);

// Memory of the pages and the open list.
size_t fw__distance_bytes(const fw_distance_t * distance);

// Resumes the search until `node` is closed, for at most `expansions_max` expansions. True when it is closed or cannot
// be reached.
bool fw__distance_advance(fw_distance_t * distance, int32_t node, int64_t expansions_max);

// 0 if the node is unseen, else (distance + 1) * 2 + is_closed.
static inline uint32_t fw__distance_entry(const fw_distance_t * distance, int32_t node)
{
  FW_ASSERT(node >= 0 && node < distance->moves->node_count);
  const uint32_t * page = distance->pages[node >> FW_DISTANCE_PAGE_BITS];
  return page != NULL ? page[node & (FW_DISTANCE_PAGE - 1)] : 0;
}

static inline bool fw__distance_is_known(const fw_distance_t * distance, int32_t node)
{
  return (fw__distance_entry(distance, node) & 1) != 0;
}

// The slow path of fw__distance_get.
int32_t fw__distance_resume(fw_distance_t * distance, int32_t node, fw_meter_t * meter);

// The distance of `node`, FW_DISTANCE_NONE if there is no path. Expansions are counted on `meter`; if the meter stops
// the search, the result is FW_DISTANCE_NONE too, so the caller has to look at the meter.
static inline int32_t fw__distance_get(fw_distance_t * distance, int32_t node, fw_meter_t * meter)
{
  const uint32_t entry = fw__distance_entry(distance, node);
  return (entry & 1) != 0 ? (int32_t)(entry >> 1) - 1 : fw__distance_resume(distance, node, meter);
}

// The slow path of fw__distance_get_beside.
int32_t fw__distance_resume_beside(fw_distance_t * distance, int32_t node, int32_t near, fw_meter_t * meter);

// The distance of `node`, as fw__distance_get has it, where a move leads to a place whose distance is `near`. Usually
// without a search: the two differ by one at most, and the smallest key in the open list shows which distances are
// still possible. To close a place beside the path instead, A* expands everything that is no farther from both ends,
// which on open floor is the whole rectangle between them.
static inline int32_t fw__distance_get_beside(fw_distance_t * distance, int32_t node, int32_t near, fw_meter_t * meter)
{
  const uint32_t entry = fw__distance_entry(distance, node);
  return (entry & 1) != 0 ? (int32_t)(entry >> 1) - 1 : fw__distance_resume_beside(distance, node, near, meter);
}

// Fields, which share one arena, and a node for each.
typedef struct fw_distance_targets_t {
  fw_distance_t * const * distances;
  const int32_t * nodes;
  int32_t count;
} fw_distance_targets_t;

// Advances each field i until nodes[i] is closed, in `threads` threads; the result is the same for any number of
// threads. False if the meter has stopped (FW_STOP_MEMORY if memory ran out).
bool fw__distance_precompute(const fw_distance_targets_t * targets, int32_t threads, fw_meter_t * meter);

#endif  // SEARCH__DISTANCE__DISTANCE_H_
