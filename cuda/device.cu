// What GPUs this process can use.
#include <cstdio>

#include <cuda_runtime.h>

#include "fleetweave_cuda.h"

extern "C" const char * fw_cuda_status(void)
{
  static char text[96];
  if (text[0] == '\0') {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess) {
      std::snprintf(text, sizeof(text), "built with CUDA, devices: %d", count);
    } else {
      std::snprintf(text, sizeof(text), "built with CUDA, no device: %s", cudaGetErrorString(error));
    }
  }
  return text;
}
