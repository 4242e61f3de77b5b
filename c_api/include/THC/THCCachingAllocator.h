/* THC/THCCachingAllocator.h: the memory of THCudaMalloc: PyTorch's caching allocator, or CUDA's own pool. */
#ifndef THC_CACHING_ALLOCATOR_INC
#define THC_CACHING_ALLOCATOR_INC

#include "THCGeneral.h"
#include "THCStream.h"

THC_API THCDeviceAllocator *THCCachingAllocator_get(void);

/* The start, and with `size` not NULL the bytes, of what CUDA allocated and `ptr` is a part of. Error: "invalid device
 * pointer". */
THC_API void *THCCachingAllocator_getBaseAllocation(void *ptr, size_t *size);

/* Memory that THCudaMalloc or a storage allocated is used on a stream that is not the one it was allocated for: once
 * freed, it waits for that stream. NULL is allowed. Error: other memory, "invalid device pointer". */
THC_API void THCCachingAllocator_recordStream(void *ptr, THCStream *stream);

/* Gives back what CUDA's pool of the current device keeps; PyTorch's goes by torch.cuda.empty_cache(). */
THC_API cudaError_t THCCachingAllocator_emptyCache(void);

#ifdef __cplusplus
extern "C++" { /* the file may be included inside extern "C" */
#include <mutex>
}
/* Held while this library frees memory of the GPU. */
THC_API std::mutex *THCCachingAllocator_getCudaFreeMutex(void);
#endif

#endif
