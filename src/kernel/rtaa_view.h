// The data of a batch as an episode reads and writes it: a structure of arrays with one entry per robot in each row.
//
// Each robot owns its entries of the rows, and each lane its part of the scratch memory: no two threads write to the
// same place, so there are no atomics and the answer does not depend on the order of threads. The pointers are the
// host's or a device's. L is the lookahead.
//
//   robots     x y goal drift box state length episodes path   kept from episode to episode
//   window     the movements array: learned values, (4L+1)^2 per robot, kept
//   lane       the lookahead array, (2L+1)^2, and the lists of one A*; a lane serves one robot after another

#ifndef KERNEL__RTAA_VIEW_H_
#define KERNEL__RTAA_VIEW_H_

#include "kernel/kernel.h"

enum { FW_RTAA_RUNNING, FW_RTAA_ARRIVED, FW_RTAA_STUCK };  // as fw_batch_state_t
enum { FW_RTAA_NO_STEP = 8 };

#define FW_REGIONS_BLOCKED UINT16_MAX

// The memory `regions`, see regions_step.h. Values are shared by all robots except for the last ones.
typedef struct fw_rtaa_regions_t {
  int32_t width;       // of the map
  int32_t block_bits;  // a block has 1 << block_bits cells along a side
  int32_t blocks_across;
  // How many values the tables have, for the copy to a device; the kernel does not read these.
  int32_t cell_count;
  int32_t block_count;
  int32_t region_count;
  int32_t around_count;
  int64_t near_count;
  int64_t far_count;
  const int32_t * block_region;  // by block: its first region
  const uint16_t * cell_region;  // by cell: its region among those of the block, FW_REGIONS_BLOCKED for none
  const uint16_t * cell_number;  // by cell: its number in the region; the anchor has 0
  // By region:
  const int32_t * component;     // regions with a way to each other
  const int32_t * around_begin;  // the index of the first in `around`; one more at the end
  const int64_t * near_begin;    // the index in `near` of the first distance of its cell 0
  const int64_t * far_row;       // where the distances to its anchor begin in `far`, -1 if no goal is in it
  const int32_t * around;        // positions, within the component, of the region itself and of those around it
  const uint8_t * near;          // by cell of a region and region around it: moves to that one's anchor
  const uint32_t * far;          // by position of a region: moves from anchor to anchor
  // By robot:
  const int32_t * goal_region;  // -1 if the goal is blocked; NULL on a device: it follows from the goal's cell
  const uint8_t * near_goal;    // by cell of that region: moves to the goal
  int32_t near_goal_pitch;      // from robot to robot
} fw_rtaa_regions_t;

typedef struct fw_rtaa_view_t {
  // The map as robots know it, and as it is. One byte per cell each.
  const uint8_t * cost;   // of entering a cell, 0 blocked
  const uint8_t * moves;  // bit d: there is a move with heading d
  const uint8_t * floor;  // bit d: and it enters a cell of cost 1; the same pointer as `moves` where every cell costs 1
  const uint8_t * truth;  // as `cost`, of the real world; the same pointer as `cost` where everything is known
  int32_t width;
  int32_t height;
  // The options, see fw_batch_options_t.
  int32_t lookahead;
  int32_t moves_max;
  int32_t connectivity;
  int32_t sight;
  // Robots. In rows with several values per robot, value k of robot r has the index k * robot_count + r.
  int32_t robot_count;
  int16_t * x;
  int16_t * y;
  int16_t * goal_x;
  int16_t * goal_y;
  int8_t * drift;  // x, y: the robot's cell less the centre of its movements array
  int8_t * box;    // bounding box of learned values, x0, y0, x1, y1 from that centre; empty if x0 > x1
  uint8_t * state;
  uint32_t * length;
  uint32_t * episodes;
  uint8_t * path;   // `lookahead` headings, FW_RTAA_NO_STEP behind the last
  uint64_t * seen;  // with sight: bits of the cells around that differ from the known map, row by row
  // The movements array wraps around: cell (x, y) of the map has the slot (y mod W) * W + (x mod W), W = 4L+1, wherever
  // the array is. So it moves without copying, and keeps what it has in common with its old position.
  uint16_t * window;                  // learned values: h minus the distance without obstacles
  int32_t window_stride;              // from slot to slot
  int64_t window_pitch;               // from robot to robot
  const fw_rtaa_regions_t * regions;  // NULL: the heuristic is the distance without obstacles
  // With regions, four values of a robot side by side, x0, y0, x1, y1: contains all cells whose h or moves the robot
  // has read since it began to learn; empty if x0 > x1.
  int16_t * read_box;
  // Lanes
  uint8_t * scratch;
  int32_t lane_count;
  bool
    is_interleaved;  // values of neighbouring lanes side by side, so that GPU reads coalesce; else a lane in one piece
} fw_rtaa_view_t;

// The entries of one robot, loaded while a thread works on it.
typedef struct fw_rtaa_robot_t {
  int32_t index;
  int32_t x;
  int32_t y;
  int32_t goal_x;
  int32_t goal_y;
  int32_t drift_x;
  int32_t drift_y;
  int32_t box_x0;
  int32_t box_y0;
  int32_t box_x1;
  int32_t box_y1;
  uint32_t state;
  uint32_t length;
  uint32_t episodes;
} fw_rtaa_robot_t;

// The parts of a lane in the scratch memory. Values of one kind lie `stride` apart.
typedef struct fw_rtaa_lane_t {
  int32_t * keys;  // the open list: see search_step.h; FW_RTAA_CLOSED where nothing is open
  // The closed list, by expanded state:
  int32_t * closed;  // its key
  uint16_t * g;      // cost of the path to it
  uint16_t * at;     // its cell in the lookahead array, y * 256 + x from its corner
  uint32_t * fans;   // its neighbours' headings by rank, see fw__compass_fan
  // The open list of bitboard_step.h, by expanded state:
  uint64_t * boards;
  uint32_t * nearer;
  uint32_t * level;
  // Others
  uint16_t * marks;  // the lookahead array: generation of the search that wrote it * 256 + slot in the open list
  uint8_t * steps;   // headings of the path, the first step first
  uint8_t * status;  // FW_RTAA_STATUS_… between the stages
  int32_t stride;
} fw_rtaa_lane_t;

#define FW_RTAA_CLOSED INT32_MAX

// From value to value of a lane. Lanes of the CPU are in one piece each: a constant for its compiler.
FW_STEP int64_t fw__rtaa_stride(const fw_rtaa_lane_t * lane)
{
#ifdef FW_RTAA_LANES_IN_ONE_PIECE
  (void)lane;
  return 1;
#else
  return lane->stride;
#endif
}

enum {
  FW_RTAA_STATUS_SEARCH,     // generation of the search, 1 to 255: saves clearing the lookahead array
  FW_RTAA_STATUS_EXPANDED,   // number of states in the closed list
  FW_RTAA_STATUS_STEPS,      // length of the path
  FW_RTAA_STATUS_DESCENDED,  // 1: the descent sufficed, so there is nothing to learn; 2: the goal is out of reach
  FW_RTAA_STATUS_COUNT,
};

// Sizes, in values
enum { FW_RTAA_BITBOARD_LOOKAHEAD_MAX = 3 };  // largest lookahead with bitboards
FW_STEP int32_t fw__rtaa_keys(int32_t lookahead) { return 8 * lookahead + 3; }
FW_STEP int32_t fw__rtaa_ahead_side(int32_t lookahead) { return 2 * lookahead + 1; }
FW_STEP int32_t fw__rtaa_ahead_size(int32_t lookahead)
{
  return fw__rtaa_ahead_side(lookahead) * fw__rtaa_ahead_side(lookahead);
}
FW_STEP int32_t fw__rtaa_window_side(int32_t lookahead) { return 4 * lookahead + 1; }
FW_STEP int32_t fw__rtaa_window_size(int32_t lookahead)
{
  return fw__rtaa_window_side(lookahead) * fw__rtaa_window_side(lookahead);
}
FW_STEP int32_t fw__rtaa_seen_words(int32_t sight) { return ((2 * sight + 1) * (2 * sight + 1) + 63) / 64; }

// Slots of the open list behind those of the expanded states' neighbours: the one that expanded states share, the one
// that states share which are not generated yet, and the one where the key of the next state is left.
FW_STEP int32_t fw__rtaa_place_expanded(int32_t lookahead) { return 8 * lookahead; }
FW_STEP int32_t fw__rtaa_place_fresh(int32_t lookahead) { return 8 * lookahead + 1; }
FW_STEP int32_t fw__rtaa_place_next(int32_t lookahead) { return 8 * lookahead + 2; }

// Bytes of one lane, a multiple of 8.
FW_STEP int32_t fw__rtaa_lane_bytes(int32_t lookahead)
{
  const int32_t bytes = FW_RTAA_BITBOARD_LOOKAHEAD_MAX * (8 + 4 + 4) + fw__rtaa_keys(lookahead) * 4 +
                        lookahead * (4 + 4 + 2 + 2 + 1) + fw__rtaa_ahead_size(lookahead) * 2 + FW_RTAA_STATUS_COUNT;
  return (bytes + 7) & ~7;
}

// Lays out a lane in the scratch memory. Kinds of values follow each other by falling size, each for all lanes, so that
// all are aligned.
FW_STEP fw_rtaa_lane_t
fw__rtaa_lane(uint8_t * scratch, int32_t lookahead, int32_t lane, int32_t lane_count, bool is_interleaved)
{
  const int64_t stride = is_interleaved ? lane_count : 1;
  const int64_t first = is_interleaved ? lane : 0;
  uint8_t * at = is_interleaved ? scratch : scratch + (int64_t)lane * fw__rtaa_lane_bytes(lookahead);
  fw_rtaa_lane_t places;
  places.stride = (int32_t)stride;
  places.boards = (uint64_t *)at + first;
  at += FW_RTAA_BITBOARD_LOOKAHEAD_MAX * stride * 8;
  places.nearer = (uint32_t *)at + first;
  at += FW_RTAA_BITBOARD_LOOKAHEAD_MAX * stride * 4;
  places.level = (uint32_t *)at + first;
  at += FW_RTAA_BITBOARD_LOOKAHEAD_MAX * stride * 4;
  places.keys = (int32_t *)at + first;
  at += fw__rtaa_keys(lookahead) * stride * 4;
  places.closed = (int32_t *)at + first;
  at += lookahead * stride * 4;
  places.fans = (uint32_t *)at + first;
  at += lookahead * stride * 4;
  places.g = (uint16_t *)at + first;
  at += lookahead * stride * 2;
  places.at = (uint16_t *)at + first;
  at += lookahead * stride * 2;
  places.marks = (uint16_t *)at + first;
  at += fw__rtaa_ahead_size(lookahead) * stride * 2;
  places.steps = at + first;
  at += lookahead * stride;
  places.status = at + first;
  return places;
}

// Reads the entries of a robot from the rows.
FW_STEP fw_rtaa_robot_t fw__rtaa_load(const fw_rtaa_view_t * view, int32_t index)
{
  FW_STEP_ASSERT(index >= 0 && index < view->robot_count);
  const int64_t count = view->robot_count;
  fw_rtaa_robot_t robot;
  robot.index = index;
  robot.x = view->x[index];
  robot.y = view->y[index];
  robot.goal_x = view->goal_x[index];
  robot.goal_y = view->goal_y[index];
  robot.drift_x = view->drift[index];
  robot.drift_y = view->drift[count + index];
  robot.box_x0 = view->box[index];
  robot.box_y0 = view->box[count + index];
  robot.box_x1 = view->box[2 * count + index];
  robot.box_y1 = view->box[3 * count + index];
  robot.state = view->state[index];
  robot.length = view->length[index];
  robot.episodes = view->episodes[index];
  return robot;
}

// Writes back what an episode may change: everything but the goal.
FW_STEP void fw__rtaa_store(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot)
{
  const int64_t count = view->robot_count;
  const int32_t index = robot->index;
  FW_STEP_ASSERT(index >= 0 && index < view->robot_count);
  FW_STEP_ASSERT(robot->x >= 0 && robot->x < view->width && robot->y >= 0 && robot->y < view->height);
  FW_STEP_ASSERT(robot->box_x0 > robot->box_x1 || 4 * view->lookahead >= robot->box_x1 - robot->box_x0);
  view->x[index] = (int16_t)robot->x;
  view->y[index] = (int16_t)robot->y;
  view->drift[index] = (int8_t)robot->drift_x;
  view->drift[count + index] = (int8_t)robot->drift_y;
  view->box[index] = (int8_t)robot->box_x0;
  view->box[count + index] = (int8_t)robot->box_y0;
  view->box[2 * count + index] = (int8_t)robot->box_x1;
  view->box[3 * count + index] = (int8_t)robot->box_y1;
  view->state[index] = (uint8_t)robot->state;
  view->length[index] = robot->length;
  view->episodes[index] = robot->episodes;
}

#endif  // KERNEL__RTAA_VIEW_H_
