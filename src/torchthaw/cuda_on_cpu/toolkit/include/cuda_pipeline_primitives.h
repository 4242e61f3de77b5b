/* cuda_pipeline_primitives.h: copies into shared memory, which are done when they return. */
#ifndef CUDA_ON_CPU_PIPELINE_PRIMITIVES_H
#define CUDA_ON_CPU_PIPELINE_PRIMITIVES_H

#include <stddef.h>
#include <string.h>

/* Of bytes, 4, 8 or 16, the last zeros are not read: they become 0. */
static inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros
#ifdef __cplusplus
                                                                                      = 0
#endif
) {
  memcpy(to, from, bytes - zeros);
  memset((char *)to + (bytes - zeros), 0, zeros);
}
static inline void __pipeline_commit(void) {}
static inline void __pipeline_wait_prior(size_t groups) { (void)groups; }

#endif
