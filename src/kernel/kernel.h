// What lets one text be C11 and CUDA C++: the headers *_step.h are compiled by both and use only what both know.

#ifndef KERNEL__KERNEL_H_
#define KERNEL__KERNEL_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define FW_STEP __host__ __device__ static inline
#define FW_RESTRICT __restrict__
#define FW_UNROLL  // registers are dearer than jumps
#else
#define FW_STEP static inline __attribute__((always_inline))
#define FW_RESTRICT restrict
#define FW_UNROLL _Pragma("GCC unroll 8")
#endif

enum { FW_BLOCK_ROBOTS = 128 };  // robots per block of threads, and per item of work of a CPU thread

#endif  // KERNEL__KERNEL_H_
