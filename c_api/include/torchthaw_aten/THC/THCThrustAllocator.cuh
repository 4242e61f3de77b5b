/* THC/THCThrustAllocator.cuh: temporary memory of thrust's algorithms, from PyTorch's caching allocator:
 * thrust::sort(thrust::cuda::par(THCThrustAllocator(state)).on(THCState_getCurrentStream(state)), …). */
#ifndef TORCHTHAW_ATEN_THC_THRUST_ALLOCATOR_CUH
#define TORCHTHAW_ATEN_THC_THRUST_ALLOCATOR_CUH

#include "THCGeneral.h"

#include <cstddef>

class THCThrustAllocator {
public:
    typedef char value_type;

    explicit THCThrustAllocator(THCState *) {}

    char *allocate(std::ptrdiff_t size) { return static_cast<char *>(torchthaw_aten::cuda_malloc(size)); }
    void deallocate(char *memory, std::size_t) { torchthaw_aten::cuda_free(memory); }
};

#endif
