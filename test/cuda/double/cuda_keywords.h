// The keywords of CUDA C++ that the kernels use, for a C compiler. Included before everything else.

#ifndef DOUBLE__CUDA_KEYWORDS_H_
#define DOUBLE__CUDA_KEYWORDS_H_

#define __global__
#define __shared__

typedef struct fw_double_index_t {
  unsigned int x, y, z;
} fw_double_index_t;

// Indices of the running thread; set by the double.
extern fw_double_index_t threadIdx, blockIdx, blockDim;

// The threads of a block between two barriers run in an order that changes from launch to launch: no answer may depend
// on it.
extern int fw_double_order;
#define FW_DOUBLE_THREAD(turn) (((turn)*37 + fw_double_order) % 128)

#endif  // DOUBLE__CUDA_KEYWORDS_H_
