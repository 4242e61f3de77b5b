/* THC/THCAllocator.h: where the memory of a storage on the GPU comes from. */
#ifndef THC_ALLOCATOR_INC
#define THC_ALLOCATOR_INC

#include "THCGeneral.h"

/* `ctx` is the storage's allocatorContext. Sizes are in bytes. `realloc` may be NULL: the storage then allocates,
 * copies and frees. */
typedef struct THCDeviceAllocator {
  cudaError_t (*malloc)(void *ctx, void **ptr, size_t size, cudaStream_t stream);
  cudaError_t (*realloc)(void *ctx, void **ptr, size_t old_size, size_t size, cudaStream_t stream);
  cudaError_t (*free)(void *ctx, void *ptr);
  cudaError_t (*emptyCache)(void *ctx);
  cudaError_t (*cacheInfo)(void *ctx, int device, size_t *cached, size_t *largestBlock);
  void *state;
} THCDeviceAllocator;

/* THCudaMalloc and THCudaFree. */
THC_API THCDeviceAllocator *THCState_getDeviceAllocator(THCState *state);

#endif
