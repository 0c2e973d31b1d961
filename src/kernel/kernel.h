// Portability between C11 and CUDA C++. The headers *_step.h are compiled by a C compiler and by nvcc, and use only
// what both languages share: fixed-width integers, no designated initialisers, no implicit casts from `void *`.

#ifndef KERNEL__KERNEL_H_
#define KERNEL__KERNEL_H_

#include <stdbool.h>
#include <stdint.h>

#ifndef __CUDACC__
#include "base/assert.h"
#endif

#ifdef __CUDACC__
#define FW_STEP __host__ __device__ static inline
#define FW_RESTRICT __restrict__
#define FW_UNROLL  // on a GPU registers cost more than jumps
#define FW_STEP_ASSERT(condition) ((void)0)
#else
#define FW_READ(pointer) (*(pointer))
#define FW_STEP static inline __attribute__((always_inline))
#define FW_RESTRICT restrict
#define FW_UNROLL _Pragma("GCC unroll 8")
#define FW_STEP_ASSERT(condition) FW_ASSERT(condition)
#endif

// Reads a byte of a map: on a GPU through the cache for data that no kernel of the launch writes.
#ifdef __CUDA_ARCH__
#define FW_READ(pointer) __ldg(pointer)
#elif defined(__CUDACC__)
#define FW_READ(pointer) (*(pointer))
#endif

enum { FW_BLOCK_ROBOTS = 128 };  // robots per block of threads, and per item of work of a CPU thread

#endif  // KERNEL__KERNEL_H_
