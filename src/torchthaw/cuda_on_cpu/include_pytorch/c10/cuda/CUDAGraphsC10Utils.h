/* c10/cuda/CUDAGraphsC10Utils.h for TORCHTHAW_CUDA=cpu: no stream is ever captured into a graph. */
#pragma once

#include <c10/cuda/CUDAStream.h>

namespace c10::cuda {

enum class CaptureStatus : int { None = 0, Active = 1, Invalidated = 2 };

inline CaptureStatus currentStreamCaptureStatusMayInitCtx() { return CaptureStatus::None; }

}  // namespace c10::cuda
