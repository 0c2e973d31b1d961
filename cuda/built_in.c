// The device of a library that was built with CUDA, and its status line.

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "fleetweave_cuda.h"
#include "rtaa_device.h"

const fw_device_t * fw__device_built_in(void) { return &fw__cuda_device; }

const char * fw__cuda_status(void)
{
  static char text[64 + FW_DEVICE_TEXT_SIZE];
  if (text[0] == '\0') {
    char name[FW_DEVICE_NAME_SIZE], why[FW_DEVICE_TEXT_SIZE];
    int count = 0;
    const bool has_device = fw__cuda_device.find(0, name, why, sizeof(why));
    if (has_device && cudaGetDeviceCount(&count) == cudaSuccess) {
      (void)snprintf(
        text, sizeof(text), "built with CUDA %d.%d, devices: %d, the first is %s", CUDART_VERSION / 1000,
        CUDART_VERSION % 1000 / 10, count, name);
    } else {
      (void)snprintf(
        text, sizeof(text), "built with CUDA %d.%d, no device: %s", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
        has_device ? "" : why);
    }
  }
  return text;
}
