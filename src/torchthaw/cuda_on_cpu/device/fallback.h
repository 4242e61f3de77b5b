/* fallback.h: an operator with CUDA tensors, computed by PyTorch's kernel for the CPU. */
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace cuda_on_cpu {

/* A boxed kernel for the dispatch key CUDA. Tensors, storages, devices and generators of CUDA become those of the CPU,
 * and the results CUDA's. Throws as PyTorch does for tensors on different devices, and NotImplementedError for an
 * operator that has no kernel for the CPU. */
void call_on_cpu(const c10::OperatorHandle &operation, c10::Stack *stack);

}  // namespace cuda_on_cpu
