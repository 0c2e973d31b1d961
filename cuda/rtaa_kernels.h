// The kernels, for the launch code.

#ifndef RTAA_KERNELS_H_
#define RTAA_KERNELS_H_

#include "kernel/change_step.h"
#include "rtaa_layout.h"

enum {
  FW_RTAA_INITIALIZE_ARRAY,
  FW_RTAA_INITIALIZE_SEARCH,
  FW_RTAA_SEARCH_EPISODE,
  FW_RTAA_UPDATE_AND_CHECK,
  FW_RTAA_FUSED,
  FW_RTAA_FUSED_3_8,  // with constants: lookahead and connectivity
  FW_RTAA_FUSED_8_8,
  FW_RTAA_FUSED_8_4,
  FW_RTAA_APPLY,  // the host's changes; one thread for each
  // The same with the memory `regions`, in the same order. InitializeArray is the same for both.
  FW_RTAA_INITIALIZE_SEARCH_REGIONS,
  FW_RTAA_SEARCH_EPISODE_REGIONS,
  FW_RTAA_UPDATE_AND_CHECK_REGIONS,
  FW_RTAA_FUSED_REGIONS,
  FW_RTAA_FUSED_REGIONS_8_8,
  FW_RTAA_FUSED_REGIONS_8_4,
  FW_RTAA_APPLY_REGIONS,
  FW_RTAA_KERNELS
};

// The arguments of every kernel, in this order: pointers to device memory and scalars, never a struct, so that
// launching them needs no knowledge of its layout. NULL and 0 where a kernel does not need one.
typedef struct fw_cuda_arguments_t {
  unsigned char * rows;  // of robot_count robots, see rtaa_layout.h
  uint8_t * cost;
  uint8_t * moves;
  uint8_t * floor;               // the same pointer as `moves` where every cell costs 1
  uint8_t * truth;               // the same pointer as `cost` where everything is known
  unsigned char * lanes;         // of the staged kernels
  const fw_cuda_entry_t * list;  // the robots that run; NULL: all, in their order
  unsigned char * report;        // for list_count robots; NULL: none is wanted
  const fw_rtaa_robot_change_t * robot_changes;
  const fw_rtaa_cell_change_t * cell_changes;
  int32_t * running;       // counts the robots that are still under way after the last episode; NULL: not wanted
  fw_cuda_entry_t * next;  // with `running`: receives their entries, in any order: the list of the next launch
  // With regions, see fw_rtaa_regions_t: the tables, which lie in one piece of memory, and changes of them.
  int32_t * block_region;  // the first
  uint16_t * cell_region;
  uint16_t * cell_number;
  int32_t * component;
  int32_t * around_begin;
  int64_t * near_begin;
  int64_t * far_row;
  int32_t * around;
  uint8_t * near_anchors;
  uint32_t * far_anchors;
  const fw_cuda_piece_t * pieces;
  const int32_t * goal_robots;      // whose distances to the goal have changed
  const uint32_t * goal_distances;  // these, four in a value, robot by robot
  int32_t width;
  int32_t height;
  int32_t lookahead;
  int32_t moves_max;
  int32_t connectivity;
  int32_t sight;
  int32_t robot_count;
  int32_t list_count;
  int32_t report_count;  // robots in the report: those of the run's first list
  int32_t robot_change_count;
  int32_t cell_change_count;
  int32_t episodes;    // that are still to do in this launch, or in this series of launches of the stages
  int32_t is_last;     // these are the last of the run
  int32_t pool_lanes;  // of a block in the fused kernel, see rtaa_block.h
  int32_t block_bits;  // of regions
  int32_t piece_count;
  int32_t goal_count;
} fw_cuda_arguments_t;

enum { FW_CUDA_POINTERS = 25, FW_CUDA_ARGUMENTS = 42 };

#define FW_CUDA_PARAMETERS                                                                                          \
  unsigned char *rows, uint8_t *cost, uint8_t *moves, uint8_t *floor, uint8_t *truth, unsigned char *lanes,         \
    const fw_cuda_entry_t *list, unsigned char *report, const fw_rtaa_robot_change_t *robot_changes,                \
    const fw_rtaa_cell_change_t *cell_changes, int32_t *running, fw_cuda_entry_t *next, int32_t *block_region,      \
    uint16_t *cell_region, uint16_t *cell_number, int32_t *component, int32_t *around_begin, int64_t *near_begin,   \
    int64_t *far_row, int32_t *around, uint8_t *near_anchors, uint32_t *far_anchors, const fw_cuda_piece_t *pieces, \
    const int32_t *goal_robots, const uint32_t *goal_distances, int32_t width, int32_t height, int32_t lookahead,   \
    int32_t moves_max, int32_t connectivity, int32_t sight, int32_t robot_count, int32_t list_count,                \
    int32_t report_count, int32_t robot_change_count, int32_t cell_change_count, int32_t episodes, int32_t is_last, \
    int32_t pool_lanes, int32_t block_bits, int32_t piece_count, int32_t goal_count

#ifdef __cplusplus
extern "C" {
#endif

// By the numbers above, for cudaLaunchKernel. FW_BLOCK_ROBOTS threads per block, one thread for each robot of the list
// or change. The fused kernels need fw__rtaa_block_bytes of dynamic shared memory (rtaa_block.h).
extern const void * const fw__rtaa_kernels[FW_RTAA_KERNELS];

#ifdef __cplusplus
}
#endif

#endif  // RTAA_KERNELS_H_
