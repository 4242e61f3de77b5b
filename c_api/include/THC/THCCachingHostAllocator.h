/* THC/THCCachingHostAllocator.h: pinned memory of the host, kept for the next one who asks for as much. */
#ifndef THC_CACHING_HOST_ALLOCATOR_INC
#define THC_CACHING_HOST_ALLOCATOR_INC

#include "THCGeneral.h"
#include "THCStream.h"

/* A copy on `stream` reads or writes the memory at ptr, which THCudaHostAlloc returned: once freed, it is not given to
 * anyone before the stream has done what was enqueued until then. Other memory is left alone. */
THC_API cudaError_t THCCachingHostAllocator_recordEvent(void *ptr, THCStream *stream);

/* Gives back to the system what is not in use. */
THC_API void THCCachingHostAllocator_emptyCache(void);

#endif
