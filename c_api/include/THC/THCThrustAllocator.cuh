/* THC/THCThrustAllocator.cuh: temporary memory of thrust's algorithms, by THCudaMalloc:
 * thrust::sort(thrust::cuda::par(THCThrustAllocator(state)).on(THCState_getCurrentStream(state)), …). */
#ifndef THC_THRUST_ALLOCATOR_INC
#define THC_THRUST_ALLOCATOR_INC

#include "THCGeneral.h"

#include <stddef.h>

class THCThrustAllocator {
public:
  typedef char value_type;

  explicit THCThrustAllocator(THCState *state) : state_(state) {}

  char *allocate(ptrdiff_t size) {
    void *memory = NULL;
    THCudaCheck(THCudaMalloc(state_, &memory, (size_t)size));
    return (char *)memory;
  }
  void deallocate(char *memory, size_t) { THCudaCheck(THCudaFree(state_, memory)); }

private:
  THCState *state_;
};

#endif
