// Stands in for the GPU library where no CUDA compiler was found.
#include "fleetweave_cuda.h"

const char * fw_cuda_status(void) { return "built without CUDA"; }
