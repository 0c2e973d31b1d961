// The CUDA device that runs the episodes of a batch (kernel/device.h).

#ifndef RTAA_DEVICE_H_
#define RTAA_DEVICE_H_

#include "kernel/device.h"

extern const fw_device_t fw__cuda_device;

#endif  // RTAA_DEVICE_H_
