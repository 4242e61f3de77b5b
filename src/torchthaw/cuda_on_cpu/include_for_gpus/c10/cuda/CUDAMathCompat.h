/* c10/cuda/CUDAMathCompat.h for TORCHTHAW_CUDA=cpu: not that of a PyTorch built for CUDA, whose copysign throws where
 * __CUDA_ARCH__ is not defined. */
#pragma once

#include "../../../include_pytorch/c10/cuda/CUDAMathCompat.h"
