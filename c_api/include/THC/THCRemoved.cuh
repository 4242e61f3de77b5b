/* THC/THCRemoved.cuh: calls that CUDA had and dropped, by what took their place.
 *
 * Builds of old projects include it before everything else. -DTHC_NO_REMOVED_CALLS switches it off.
 *
 * A warp vote or shuffle without a mask stood for the threads that run it together: the mask is those that do so now.
 * That is what it was for code whose warps run in step, as before sm_70; code that relies on a warp coming together
 * again by itself after a branch needs __syncwarp() and the calls with a mask.
 */
#ifndef THC_REMOVED_INC
#define THC_REMOVED_INC

#if !defined(THC_NO_REMOVED_CALLS)

#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define cudaThreadGetLimit cudaDeviceGetLimit
#define cudaThreadSetLimit cudaDeviceSetLimit
#define cudaThreadGetCacheConfig cudaDeviceGetCacheConfig
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig

#ifdef __CUDACC__
#include <cuda_runtime.h>

/* Templates, so that a project's own overload for one type goes before them. */
template <typename T> static inline __device__ T __shfl(T value, int lane, int width = 32) {
  return __shfl_sync(__activemask(), value, lane, width);
}
template <typename T> static inline __device__ T __shfl_up(T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(__activemask(), value, delta, width);
}
template <typename T> static inline __device__ T __shfl_down(T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(__activemask(), value, delta, width);
}
template <typename T> static inline __device__ T __shfl_xor(T value, int mask, int width = 32) {
  return __shfl_xor_sync(__activemask(), value, mask, width);
}

/* Declared by CUDA still, without a body from sm_70 on. */
#define __any(predicate) __any_sync(__activemask(), predicate)
#define __all(predicate) __all_sync(__activemask(), predicate)
#define __ballot(predicate) __ballot_sync(__activemask(), predicate)
#endif /* __CUDACC__ */

#endif /* THC_NO_REMOVED_CALLS */
#endif
