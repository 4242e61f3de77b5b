/* THC/THCRemoved.cuh: calls and types that CUDA had and dropped, by what took their place; for C, C++ and CUDA.
 *
 * Builds of old projects with CUDA include it before everything else. -DTHC_NO_REMOVED_CALLS switches it off. For C and
 * C++ it includes nothing: a source may define _GNU_SOURCE and the like on its first line, and Python.h does.
 *
 * A warp vote or shuffle without a mask stood for the threads that run it together: the mask is those that do so now.
 * That is what it was for code whose warps run in step, as before sm_70; code that relies on a warp coming together
 * again by itself after a branch needs __syncwarp() and the calls with a mask.
 */
#ifndef THC_REMOVED_INC
#define THC_REMOVED_INC

#if !defined(THC_NO_REMOVED_CALLS)

/* Macros, since functions would need CUDA's types, and so its headers. In CUDA before 13, whose own declarations they
 * would change, nvcc leaves them out; for C and C++ the builds of old projects leave out this file. */
#if !defined(__CUDACC_VER_MAJOR__) || __CUDACC_VER_MAJOR__ >= 13
#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define cudaThreadGetLimit cudaDeviceGetLimit
#define cudaThreadSetLimit cudaDeviceSetLimit
#define cudaThreadGetCacheConfig cudaDeviceGetCacheConfig
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig
#endif

#if defined(__cplusplus) && __cplusplus >= 201402L && (!defined(__CUDACC_VER_MAJOR__) || __CUDACC_VER_MAJOR__ >= 13)
/* Calls that name a device by its number, until CUDA 13. Templates, so that what they call is looked up when CUDA's
 * headers have been seen. */
struct cudaMemLocation;

template <typename Location> static inline Location THC_location(int device) {
  Location location = {};
  location.type = static_cast<decltype(location.type)>(device == -1 ? 2 : 1); /* cudaCpuDeviceId: the host */
  location.id = device == -1 ? 0 : device;
  return location;
}
template <typename Location = cudaMemLocation>
static inline auto cudaMemPrefetchAsync(const void *memory, decltype(sizeof(0)) bytes, int device,
                                        struct CUstream_st *stream = nullptr) {
  return cudaMemPrefetchAsync(memory, bytes, THC_location<Location>(device), 0u, stream);
}
template <typename Advice, typename Location = cudaMemLocation>
static inline auto cudaMemAdvise(const void *memory, decltype(sizeof(0)) bytes, Advice advice, int device) {
  return cudaMemAdvise(memory, bytes, advice, THC_location<Location>(device));
}

/* Function objects of Thrust and CUB before version 3. That version lacks thrust/optional.h, too. */
#if __has_include(<thrust/functional.h>) && !__has_include(<thrust/optional.h>)
#ifdef __CUDACC__
#define THC_BOTH __host__ __device__
#else
#define THC_BOTH
#endif
namespace thrust {
template <typename Argument, typename Result> struct unary_function {
  typedef Argument argument_type;
  typedef Result result_type;
};
template <typename First, typename Second, typename Result> struct binary_function {
  typedef First first_argument_type;
  typedef Second second_argument_type;
  typedef Result result_type;
};
template <typename T> struct identity : unary_function<T, T> {
  THC_BOTH const T &operator()(const T &value) const { return value; }
};
}  // namespace thrust
#ifndef __TORCHTHAW_CUDA_ON_CPU__ /* which has its own cub */
namespace cub {
struct Sum {
  template <typename T, typename U> THC_BOTH auto operator()(T &&a, U &&b) const { return a + b; }
};
struct Max {
  template <typename T, typename U> THC_BOTH auto operator()(T &&a, U &&b) const { return a < b ? b : a; }
};
struct Min {
  template <typename T, typename U> THC_BOTH auto operator()(T &&a, U &&b) const { return b < a ? b : a; }
};
struct Equality {
  template <typename T, typename U> THC_BOTH bool operator()(T &&a, U &&b) const { return a == b; }
};
struct Inequality {
  template <typename T, typename U> THC_BOTH bool operator()(T &&a, U &&b) const { return a != b; }
};
}  // namespace cub
#endif
#undef THC_BOTH
#endif
#endif /* __cplusplus */

#ifdef __CUDACC__
/* CUDA declares __any, __all and __ballot still, without a body from sm_70 on. The builds name its declarations by
 * -D__any=… otherwise; the names are free from here on. Without these -D, they stay CUDA's. */
#if defined(__any) && defined(__all) && defined(__ballot)
#undef __any
#undef __all
#undef __ballot
#define THC_REMOVED_VOTES
#endif

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

#ifdef THC_REMOVED_VOTES
static inline __device__ int __any(int predicate) { return __any_sync(__activemask(), predicate); }
static inline __device__ int __all(int predicate) { return __all_sync(__activemask(), predicate); }
static inline __device__ unsigned __ballot(int predicate) { return __ballot_sync(__activemask(), predicate); }
#endif
#endif /* __CUDACC__ */

#endif /* THC_NO_REMOVED_CALLS */
#endif
