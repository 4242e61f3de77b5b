/* THC/THCStream.h: streams as objects with a count of references. THCGeneral.h says which one a thread works on. */
#ifndef THC_STREAM_INC
#define THC_STREAM_INC

#include "THCGeneral.h"

struct THCStream {
  cudaStream_t stream;
  int device;
  int refcount; /* of one that is not counted: 0 for CUDA's default stream, less for the program's own */
};

/* On the current device; one reference that the caller frees. `flags` are cudaStreamCreateWithFlags's; lower numbers
 * are higher priorities. */
THC_API THCStream *THCStream_new(int flags);
THC_API THCStream *THCStream_newWithPriority(int flags, int priority);

/* CUDA's default stream on a device; never freed. Error: "7 is not a device". */
THC_API THCStream *THCStream_defaultStream(int device);

/* NULL is allowed. Of a stream that is not counted both do nothing. */
THC_API void THCStream_retain(THCStream *self);
THC_API void THCStream_free(THCStream *self);

#endif
