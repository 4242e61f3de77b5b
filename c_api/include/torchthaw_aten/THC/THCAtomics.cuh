/* THC/THCAtomics.cuh: atomicAdd and gpuAtomicAdd of every type, which ATen has. */
#ifndef TORCHTHAW_ATEN_THC_ATOMICS_CUH
#define TORCHTHAW_ATEN_THC_ATOMICS_CUH

#include <ATen/cuda/Atomic.cuh>

#endif
