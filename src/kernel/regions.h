// The map by regions: what the memory `regions` of a batch shares between its robots (regions_step.h has the heuristic
// and why it has no local minima). An abstraction of the map as in hierarchical path finding (HPA*, Botea et al. 2004),
// with distances from every cell instead of paths between gates.
//
// A region is what can be reached from its anchor within one block and RADIUS moves, so that every distance has room in
// a byte: at most RADIUS from a cell to its own anchor, and 3 * RADIUS + 1 to that of a region beside it.
//
// Memory: 4 bytes per cell; for every free cell a byte for its own region and each one around it (up to 8 with eight
// directions, mostly), for a device also for up to 15 more of each region; and 4 bytes for every pair of a region with
// goals and a region of its component. None of it depends on the number of robots. A robot has 12 bytes and one for
// each cell of a block.
//
// When cells are blocked or freed, only what they can affect is computed again (fw__regions_update), with exactly the
// result of cutting the whole map anew:
// - The regions of a block depend on the moves within it. A cell changes moves from the cells beside it only, so the
//   blocks of these nine cells are CUT; other blocks keep their regions, with other numbers.
// - Which regions are around one depends on its block and those beside it: blocks beside a CUT one are LINKED anew.
// - near(., q) depends on the regions around q: MEASURED anew for q up to one block from a CUT one. Those of regions
//   two blocks away are the same, but regions that are LINKED keep them in new rows, so they are measured as well.
// - far(.) of a goal region G is the only solution of far(G) = 0 and, for u that is not G, far(u) = min over v around u
//   of hop(u, v) + far(v), with hop(u, v) = near(anchor of u, v) > 0. No solution is below the distances: from any u
//   the best v, its best v and so on have ever smaller values and end in G, so that far(u) is the length of a path.
//   None is above: along a shortest path far(u) <= hop(u, v) + far(v). Away from CUT blocks all terms of the equation
//   are as before. So the old values, with those of CUT regions computed from the regions around them, are the new ones
//   if the equation holds for every region up to two blocks from a CUT one; else the row is computed anew.
// - near_goal depends on the goal's region.

#ifndef KERNEL__REGIONS_H_
#define KERNEL__REGIONS_H_

#include "fleetweave/fleetweave.h"
#include "kernel/rtaa_view.h"

// The map as it is to be cut, see fw_rtaa_view_t.
typedef struct fw_regions_map_t {
  int32_t width;
  int32_t height;
  const uint8_t * cost;
  const uint8_t * moves;
  bool is_for_device;  // tables are laid out so that changes move little of them; they need some more memory
} fw_regions_map_t;

// What has to be done for the regions of a block.
enum { FW_REGIONS_SAME, FW_REGIONS_MEASURED, FW_REGIONS_LINKED, FW_REGIONS_CUT };

typedef struct fw_regions_t {
  fw_rtaa_regions_t view;  // what the kernel reads; points to the arrays below
  fw_regions_map_t map;
  int32_t robot_count;
  int32_t count;
  // By cell and block, see fw_rtaa_regions_t.
  uint16_t * cell_region;
  uint16_t * cell_number;
  int32_t * block_region;
  uint8_t * block_work;  // FW_REGIONS_CUT where cells have changed
  int32_t block_count;
  // By region.
  int32_t * first_cell;  // its first in `cells`; one more at the end
  fw_cell_t * cells;     // by region and number in it; only while the map is cut
  int32_t * component;
  int32_t * component_size;  // by number of the component, which is that of its first region
  int32_t * position;        // in its component
  int64_t * near_begin;
  int64_t * far_row;
  int32_t * around_begin;
  int32_t * around;      // positions
  int32_t * around_ids;  // the same as numbers of regions
  uint8_t * hops;        // for each of them: moves from its anchor to that of the region
  uint8_t * near;
  // Rows for goals.
  uint32_t * far;
  int64_t far_capacity;
  int64_t far_count;
  int32_t * goal_region;
  uint8_t * near_goal;
  int16_t * read_box;
  // While the map is updated: the regions before, and by region its number among them, -1 for those that are new.
  const struct fw_regions_t * before;
  int32_t * old_number;
  int32_t * work;  // regions whose distances were measured anew
  int32_t work_count;
  // Room for searches.
  fw_cell_t * queue;
  int32_t * buckets;
  // Memory.
  fw_allocator_t allocator;
  size_t shared_bytes;  // of what does not belong to one robot
  bool has_failed;
} fw_regions_t;

// Cuts the map, which must stay at its place; no robot has a goal yet. False when there is no memory.
FW_MUST_USE bool fw__regions_init(
  fw_regions_t * regions, const fw_regions_map_t * map, int32_t robot_count, const fw_allocator_t * allocator);
void fw__regions_fini(fw_regions_t * regions);

// To be called when a cell was blocked or freed, before the next update.
void fw__regions_touch(fw_regions_t * regions, int32_t x, int32_t y);
// Puts the map right after cells of it were blocked or freed, and computes what the robots' goals need. The regions as
// they were go to `before`; fw__regions_end_update gives them back. False when there is no memory: nothing has changed.
FW_MUST_USE bool fw__regions_update(fw_regions_t * regions, const fw_cell_t * goals, fw_regions_t * before);
void fw__regions_end_update(fw_regions_t * regions, fw_regions_t * before);
// The robot gets another goal, which the next update has to compute.
void fw__regions_drop_goal(fw_regions_t * regions, int32_t robot);

// Between an update and its end: whether the distances within the region of the robot's goal are those before.
bool fw__regions_is_goal_kept(const fw_regions_t * regions, int32_t robot, fw_cell_t goal);
// Between an update and its end: whether no move from a cell that the robot has read (`read_box`) has changed, and its
// h has changed by the same number in all of these cells. May be false although it is so.
bool fw__regions_is_even(const fw_regions_t * regions, int32_t robot, fw_cell_t goal);
// The same between two maps of one size, with what a robot has read on the first one; both robots have the same goal.
bool fw__regions_agree(const fw_regions_t * regions, int32_t robot, const fw_regions_t * from, int32_t from_robot);
// The robot takes over what a robot of other regions of the same map has learned, and what it has read for that.
void fw__regions_recall(fw_regions_t * regions, int32_t robot, const fw_regions_t * from, int32_t from_robot);

// Makes room for these goals, one for each robot: exactly what they need, else it grows by doubling. False when there
// is no memory.
FW_MUST_USE bool fw__regions_reserve(fw_regions_t * regions, const fw_cell_t * goals);
// Computes what the robot's heuristic needs. A goal may be blocked. False when there is no memory.
FW_MUST_USE bool fw__regions_set_goal(fw_regions_t * regions, int32_t robot, fw_cell_t goal);

size_t fw__regions_robot_bytes(const fw_regions_t * regions);

// Whether the invariants hold: every free cell is in one region, and every cell with a way to the robot's goal that is
// not the goal has a neighbour whose heuristic is smaller. Slow.
bool fw__regions_validate(const fw_regions_t * regions, int32_t robot, fw_cell_t goal);

#endif  // KERNEL__REGIONS_H_
