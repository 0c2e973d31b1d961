// The kernels. They only map threads to robots and lanes; what a robot computes is in src/kernel/rtaa_step.h.
//
// This file is compiled as CUDA C++ by nvcc, and as C for the test double, which runs it thread by thread on the host.

#include "rtaa_kernels.h"

#include "kernel/rtaa_step.h"

#ifdef __cplusplus
#define FW_KERNEL extern "C" __global__ void __launch_bounds__(128, 4)
#else
#define FW_KERNEL __global__ void
#endif

FW_STEP fw_rtaa_lane_t lane_of(const fw_rtaa_view_t * view, int32_t robot)
{
  return fw__rtaa_lane(view->scratch, view->lookahead, robot, view->lane_count, view->is_interleaved);
}

FW_KERNEL fw__rtaa_kernel_initialize_array(const fw_rtaa_view_t * view, int32_t episodes)
{
  const int32_t index = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
  (void)episodes;
  if (index < view->robot_count && view->state[index] == FW_RTAA_RUNNING) {
    fw_rtaa_robot_t robot = fw__rtaa_load(view, index);
    fw__rtaa_initialize_array(view, &robot);
    fw__rtaa_store(view, &robot);
  }
}

FW_KERNEL fw__rtaa_kernel_initialize_search(const fw_rtaa_view_t * view, int32_t episodes)
{
  const int32_t index = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
  (void)episodes;
  if (index < view->robot_count && view->state[index] == FW_RTAA_RUNNING) {
    const fw_rtaa_robot_t robot = fw__rtaa_load(view, index);
    const fw_rtaa_lane_t lane = lane_of(view, index);
    fw__rtaa_initialize_search(view, &robot, &lane);
  }
}

FW_KERNEL fw__rtaa_kernel_search_episode(const fw_rtaa_view_t * view, int32_t episodes)
{
  const int32_t index = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
  (void)episodes;
  if (index < view->robot_count && view->state[index] == FW_RTAA_RUNNING) {
    const fw_rtaa_robot_t robot = fw__rtaa_load(view, index);
    const fw_rtaa_lane_t lane = lane_of(view, index);
    fw__rtaa_search_episode(view, &robot, &lane);
  }
}

FW_KERNEL fw__rtaa_kernel_update_and_check(const fw_rtaa_view_t * view, int32_t episodes)
{
  const int32_t index = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
  (void)episodes;
  if (index < view->robot_count && view->state[index] == FW_RTAA_RUNNING) {
    fw_rtaa_robot_t robot = fw__rtaa_load(view, index);
    const fw_rtaa_lane_t lane = lane_of(view, index);
    fw__rtaa_update_and_check(view, &robot, &lane);
    fw__rtaa_write_path(view, &robot, &lane);
    fw__rtaa_store(view, &robot);
  }
}

// The lanes of a block are in its shared memory, values of neighbouring threads side by side.
extern __shared__ uint64_t fw__rtaa_shared[];

FW_KERNEL fw__rtaa_kernel_fused(const fw_rtaa_view_t * view, int32_t episodes)
{
  const int32_t index = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
  if (index >= view->robot_count) {
    return;
  }
  const fw_rtaa_lane_t lane =
    fw__rtaa_lane((uint8_t *)fw__rtaa_shared, view->lookahead, (int32_t)threadIdx.x, (int32_t)blockDim.x, true);
  lane.status[FW_RTAA_STATUS_SEARCH * lane.stride] = 255;  // the first search clears its lookahead array
  fw__rtaa_fused(view, index, &lane, episodes);
}

const void * const fw__rtaa_kernels[FW_RTAA_KERNELS] = {
  (const void *)fw__rtaa_kernel_initialize_array,
  (const void *)fw__rtaa_kernel_initialize_search,
  (const void *)fw__rtaa_kernel_search_episode,
  (const void *)fw__rtaa_kernel_update_and_check,
  (const void *)fw__rtaa_kernel_fused,
};
