// Calls of the CUDA runtime with their status.

#include "cuda_call.h"

#include <stdio.h>

bool fw_cuda_call(fw_cuda_calls_t * calls, const char * name, cudaError_t status)
{
  if (status != cudaSuccess && !calls->has_failed) {
    calls->has_failed = true;
    (void)snprintf(calls->text, calls->text_size, "%s: %s (%d)", name, cudaGetErrorString(status), (int)status);
  }
  return status == cudaSuccess;
}
