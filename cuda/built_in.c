// The device of a library that was built with CUDA, and its status line.

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "fleetweave_cuda.h"
#include "rtaa_device.h"

const fw_device_t * fw__device_built_in(void) { return &fw__cuda_device; }

const char * fw__cuda_status(void)
{
  static char text[96];
  if (text[0] == '\0') {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess) {
      (void)snprintf(text, sizeof(text), "built with CUDA, devices: %d", count);
    } else {
      (void)snprintf(text, sizeof(text), "built with CUDA, no device: %s", cudaGetErrorString(error));
    }
  }
  return text;
}
