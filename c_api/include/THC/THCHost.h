/* THC/THCHost.h: for a program that other programs' CUDA code runs in, such as PyTorch: its streams and its memory. */
#ifndef THC_HOST_INC
#define THC_HOST_INC

#include "THCGeneral.h"

typedef struct {
  size_t struct_size; /* sizeof(thaw_cuda_host) */

  /* The calling thread's current stream on a device. */
  cudaStream_t (*current_stream)(int device);

  /* Memory on a device for work on a stream; NULL where there is not enough. `release` takes what it returned. */
  void *(*allocate)(size_t bytes, int device, cudaStream_t stream);
  void (*release)(void *memory);
} thaw_cuda_host;

/* From now on streams and memory are the host's; NULL: the default stream and CUDA's own pool. The struct is copied.
 * Memory goes back to where it came from. */
THC_API void thaw_set_cuda_host(const thaw_cuda_host *host);

/* What the calling thread's current stream on `device` is, so that `current_stream` need not be asked; -1 for `device`
 * forgets it. Both give way to a stream that the thread chose by THCState_setStream or THCState_setCurrentStreamIndex,
 * until it chooses index 0. */
THC_API void thaw_set_cuda_stream(int device, cudaStream_t stream);

#endif
