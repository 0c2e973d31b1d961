// The kernels, for the launch code.

#ifndef RTAA_KERNELS_H_
#define RTAA_KERNELS_H_

enum {
  FW_RTAA_INITIALIZE_ARRAY,
  FW_RTAA_INITIALIZE_SEARCH,
  FW_RTAA_SEARCH_EPISODE,
  FW_RTAA_UPDATE_AND_CHECK,
  FW_RTAA_FUSED,
  FW_RTAA_KERNELS
};

#ifdef __cplusplus
extern "C" {
#endif

// By the numbers above, for cudaLaunchKernel. All take the same arguments: a fw_rtaa_view_t in device memory, and the
// number of episodes (an int32_t, which only the fused kernel reads). One thread per robot of the view, FW_BLOCK_ROBOTS
// threads per block. The fused kernel needs the lanes of a block as dynamic shared memory.
extern const void * const fw__rtaa_kernels[FW_RTAA_KERNELS];

#ifdef __cplusplus
}
#endif

#endif  // RTAA_KERNELS_H_
