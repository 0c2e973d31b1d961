// Calls of the CUDA runtime with their status: the first failure is kept, with the name of the call, and nothing is tried
// after it but to give back what was taken.

#ifndef CUDA_CALL_H_
#define CUDA_CALL_H_

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct fw_cuda_calls_t {
  char * text;  // receives the failure
  size_t text_size;
  bool has_failed;
} fw_cuda_calls_t;

// True if the call worked; else notes "name: what CUDA says (its number)".
bool fw_cuda_call(fw_cuda_calls_t * calls, const char * name, cudaError_t status);

#endif  // CUDA_CALL_H_
