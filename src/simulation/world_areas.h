// The areas of a simulated world: rectangles of cells with traffic rules, costs, or keepouts that come and go.
//
// They are told to a controller as polygons (fw_controller_set_areas) or masks. What they mean for a cell is computed
// here on the cells themselves, without the controller's code, so that the simulation can judge what the controller
// makes of them.

#ifndef SIMULATION__WORLD_AREAS_H_
#define SIMULATION__WORLD_AREAS_H_

#include <fleetweave/controller.h>

#include "base/rng.h"
#include "controller/map/map.h"
#include "simulation/path_robot.h"

typedef struct fw_world_area_t {
  fw_area_kind_t kind;
  int32_t x, y;  // the first cell
  int32_t width, height;
  int32_t direction;  // one-way: in sixteenths of a turn, 0 is east, 4 is south (towards larger y)
  int32_t cost;       // cost
  bool is_there;      // keepouts come and go
} fw_world_area_t;

// {0} is none, with a frame to be set.
typedef struct fw_world_areas_t {
  fw_map_frame_t frame;
  fw_world_area_t * items;
  int32_t count;
  int32_t capacity;
  bool has_failed;  // there was no memory
  bool are_masks;   // keepouts and costs are told as masks
} fw_world_areas_t;

void fw__world_areas_fini(fw_world_areas_t * areas);
void fw__world_areas_add(fw_world_areas_t * areas, fw_world_area_t area);

// Areas that make the costs and rules of a grid, cell for cell. False if it has rules that no one-way areas make.
bool fw__world_areas_add_grid(fw_world_areas_t * areas, const fw_grid_t * grid);
// Random areas. Without `has_rules` there are no one-way and no-waiting areas. Keepouts are not there yet.
void fw__world_areas_add_random(fw_world_areas_t * areas, fw_rng_t * rng, bool has_rules);

// What the areas make of a cell.
uint16_t fw__world_areas_rules(const fw_world_areas_t * areas, int32_t x, int32_t y);
int32_t fw__world_areas_cost(const fw_world_areas_t * areas, int32_t x, int32_t y);  // of open floor, 1 to 255
bool fw__world_areas_keep_out(const fw_world_areas_t * areas, int32_t x, int32_t y);
// Whether there is one of this kind, in force or not.
bool fw__world_areas_have(const fw_world_areas_t * areas, fw_area_kind_t kind);
// Whether a disc of a robot has its centre in a keepout.
bool fw__world_areas_touch(const fw_world_areas_t * areas, const fw_path_robot_t * body);
// Whether a move between two cells beside each other goes against a one-way area.
bool fw__world_areas_forbid(const fw_world_areas_t * areas, fw_offset_t from, fw_offset_t to);

// Tells a controller the areas that are there. FW_RET_BAD_ALLOC: it, or this function, has no memory.
FW_MUST_USE fw_ret_t
fw__world_areas_send(const fw_world_areas_t * areas, fw_controller_t * controller, int64_t now_ns, fw_error_t * error);

#endif  // SIMULATION__WORLD_AREAS_H_
