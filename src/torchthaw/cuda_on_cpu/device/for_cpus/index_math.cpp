/* index_math.cpp: a function that ATen/cuda/detail/IndexUtils.cuh declares, and PyTorch's library for GPUs has. */
#include <ATen/MemoryOverlap.h>
#include <ATen/core/TensorBase.h>

namespace at::cuda::detail {

bool maybeOverlappingIndices(const TensorBase &tensor);
bool maybeOverlappingIndices(const TensorBase &tensor) {
    return has_internal_overlap(tensor.unsafeGetTensorImpl()) != MemOverlap::No;
}

}  // namespace at::cuda::detail
