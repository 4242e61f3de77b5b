/* ATen/cuda/CUDAContext.h for TORCHTHAW_CUDA=cpu. */
#pragma once

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/Exceptions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Logging.h>
