// In place of built_in.c where no CUDA compiler was found.
#include "fleetweave_cuda.h"
#include "kernel/device.h"

const char * fw__cuda_status(void) { return "built without CUDA"; }

const fw_device_t * fw__device_built_in(void) { return 0; }
