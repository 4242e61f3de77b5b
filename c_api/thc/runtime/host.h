// c_api/thc/runtime/host.h: the program around this library that has streams and memory of its own, as PyTorch has.
#pragma once

#include <THC/THCHost.h>

namespace th {

extern thaw_cuda_host host;  // all NULL without one

}  // namespace th
