/* ATen/cuda/CUDAEvent.h for TORCHTHAW_CUDA=cpu. */
#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::cuda {
using c10::cuda::CUDAEvent;
}  // namespace at::cuda
