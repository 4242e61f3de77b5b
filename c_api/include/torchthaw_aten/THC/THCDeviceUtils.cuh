/* THC/THCDeviceUtils.cuh: warp votes, shuffles and sizes of grids, which ATen has. */
#ifndef TORCHTHAW_ATEN_THC_DEVICE_UTILS_CUH
#define TORCHTHAW_ATEN_THC_DEVICE_UTILS_CUH

#include "THCGeneral.h"

#include <ATen/cuda/DeviceUtils.cuh>

#endif
