// The map by regions: what the memory `regions` of a batch shares between its robots (regions_step.h has the heuristic
// and why it has no local minima). An abstraction of the map as in hierarchical path finding (HPA*, Botea et al. 2004),
// with distances from every cell instead of paths between gates.
//
// A region is what can be reached from its anchor within one block and RADIUS moves, so that every distance has room in
// a byte: at most RADIUS from a cell to its own anchor, and 3 * RADIUS + 1 to that of a region beside it.
//
// Memory: 4 bytes per cell; for every free cell a byte for its own region and each one around it (up to 8 with eight
// directions, mostly); and 4 bytes for every pair of a region with goals and a region of its component. None of it
// depends on the number of robots. A robot has 4 bytes and one for each cell of a block.

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
} fw_regions_map_t;

typedef struct fw_regions_t {
  fw_rtaa_regions_t view;  // what the kernel reads; points to the arrays below
  fw_regions_map_t map;
  int32_t robot_count;
  int32_t count;
  // By cell and block, see fw_rtaa_regions_t.
  uint16_t * cell_region;
  uint16_t * cell_number;
  int32_t * block_region;
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

// Cuts the map again after cells of it were blocked or freed. Goals have to be set again. False when there is no
// memory.
FW_MUST_USE bool fw__regions_rebuild(fw_regions_t * regions);

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
