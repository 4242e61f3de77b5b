/* c10/cuda/CUDAMacros.h for TORCHTHAW_CUDA=cpu: nothing here is in a library of its own. */
#pragma once

#include <c10/macros/Macros.h>

#define C10_CUDA_EXPORT C10_EXPORT
#define C10_CUDA_IMPORT C10_IMPORT
#define C10_CUDA_API C10_IMPORT
#define C10_COMPILE_TIME_MAX_GPUS 1
