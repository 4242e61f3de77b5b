/* THC/THCGeneral.h: the state that every function takes: streams, handles, memory; errors of CUDA and its libraries.
 *
 * `extern THCState *state;` in a project's own code names the one that PyTorch's streams, allocator and devices stand
 * behind. It is set before any function of the project is called.
 */
#ifndef THC_GENERAL_INC
#define THC_GENERAL_INC

#include <TH/TH.h>

#include <cuda.h>
#include <cuda_runtime.h>

/* Some toolkits come without these libraries' headers. Their handles pass through all the same. */
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#else
typedef struct cublasContext *cublasHandle_t;
typedef int cublasStatus_t;
#endif
#if __has_include(<cusparse.h>)
/* Else its own declarations warn of types that it deprecates, in each file that includes this one. */
#if !defined(DISABLE_CUSPARSE_DEPRECATED)
#define DISABLE_CUSPARSE_DEPRECATED
#endif
#include <cusparse.h>
#else
typedef struct cusparseContext *cusparseHandle_t;
typedef int cusparseStatus_t;
#endif

#define THC_EXTERNC TH_EXTERNC
#define THC_API TH_API
#define THC_CLASS

typedef struct THCState THCState;
typedef struct THCStream THCStream;
struct THCRNGState;

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

/* THCudaCheck(cudaGetLastError()): "cuda runtime error (2) : out of memory". Each copy of CUDA's runtime keeps the last
 * error of its own calls; faults of kernels reach all of them. */
#define THCudaCheck(err) __THCudaCheck(err, __FILE__, __LINE__)
#define THCudaCheckWarn(err) __THCudaCheckWarn(err, __FILE__, __LINE__) /* prints only */
#define THCublasCheck(err) __THCublasCheck(err, __FILE__, __LINE__)
#define THCusparseCheck(err) __THCusparseCheck(err, __FILE__, __LINE__)

THC_API void __THCudaCheck(cudaError_t err, const char *file, const int line);
THC_API void __THCudaCheckWarn(cudaError_t err, const char *file, const int line);
THC_API void __THCublasCheck(cublasStatus_t status, const char *file, const int line);
THC_API void __THCusparseCheck(cusparseStatus_t status, const char *file, const int line);

/* THCAssertSameGPU(THCudaTensor_checkGPU(state, 2, a, b)); */
#define THCAssertSameGPU(expr) if (!expr) THError("arguments are located on different GPUs")

/* ---- Life -------------------------------------------------------------------------------------------------------- */

/* For programs without Python: a zeroed state, and CUDA made ready for it. Error: no card, or no driver. All states are
 * one: what is set for one holds for the process. shutdown gives back what was reserved; no thread may be using it. */
THC_API THCState *THCState_alloc(void);
THC_API void THCState_free(THCState *state);
THC_API void THCudaInit(THCState *state);
THC_API void THCudaShutdown(THCState *state);

/* ---- Devices ----------------------------------------------------------------------------------------------------- */

/* Devices count from 0. Error wherever one is named: "7 is not a device". */
THC_API int THCState_getNumDevices(THCState *state);
THC_API struct cudaDeviceProp *THCState_getCurrentDeviceProperties(THCState *state);

/* Whether dev reaches the memory of devToAccess; asking switches it on where the cards can, and a device always reaches
 * its own. Error of set: "p2p access not supported for 0 accessing 1". Copies need none of this. */
THC_API int THCState_getPeerToPeerAccess(THCState *state, int dev, int devToAccess);
THC_API void THCState_setPeerToPeerAccess(THCState *state, int dev, int devToAccess, int enable);

/* With 1, checkGPU accepts tensors of devices that the current one reaches; 0 at first. */
THC_API int THCState_getKernelPeerToPeerAccessEnabled(THCState *state);
THC_API void THCState_setKernelPeerToPeerAccessEnabled(THCState *state, int val);

/* ---- Streams ------------------------------------------------------------------------------------------------------
 *
 * A thread works on the stream that it chose for a device by setStream or setCurrentStreamIndex. Until it chooses, and
 * again after it chose index 0, that is PyTorch's current stream, or CUDA's default one in a program without Python. */

/* The stream of the calling thread on its current device, or on another: launch kernels there. */
THC_API cudaStream_t THCState_getCurrentStream(THCState *state);
THC_API cudaStream_t THCState_getCurrentStreamOnDevice(THCState *state, int device);

/* The same as an object (THCStream.h), for the calling thread and not the caller's to free: give it to setStream to
 * choose again what was chosen. Errors of set: NULL; a stream of another device than the current one. */
THC_API THCStream *THCState_getStream(THCState *state);
THC_API void THCState_setStream(THCState *state, THCStream *stream);

/* Streams 1 to getNumStreams() of every device, which all threads share; 0 as above. reserve makes them, and there are
 * never fewer afterwards. The current index is -1 for a stream that has none. Error: "3 is not a stream". */
THC_API void THCState_reserveStreams(THCState *state, int numStreams, int nonBlocking);
THC_API int THCState_getNumStreams(THCState *state);
THC_API cudaStream_t THCState_getDeviceStream(THCState *state, int device, int stream);
THC_API int THCState_getCurrentStreamIndex(THCState *state);
THC_API void THCState_setCurrentStreamIndex(THCState *state, int stream);

/* ---- Handles: of a device and the calling thread; made when first asked for, on its stream there ----------------- */

THC_API cublasHandle_t THCState_getCurrentBlasHandle(THCState *state);
THC_API cusparseHandle_t THCState_getCurrentSparseHandle(THCState *state);

/* Handles 1 to getNum…Handles(), which is 1 at first; a thread's current one is 1 at first. Error of others:
 * "3 is not a valid handle, valid range is: (1, 2)". */
THC_API void THCState_reserveBlasHandles(THCState *state, int numHandles);
THC_API int THCState_getNumBlasHandles(THCState *state);
THC_API cublasHandle_t THCState_getDeviceBlasHandle(THCState *state, int device, int handle);
THC_API int THCState_getCurrentBlasHandleIndex(THCState *state);
THC_API void THCState_setCurrentBlasHandleIndex(THCState *state, int handle);
THC_API void THCState_reserveSparseHandles(THCState *state, int numHandles);
THC_API int THCState_getNumSparseHandles(THCState *state);
THC_API cusparseHandle_t THCState_getDeviceSparseHandle(THCState *state, int device, int handle);
THC_API int THCState_getCurrentSparseHandleIndex(THCState *state);
THC_API void THCState_setCurrentSparseHandleIndex(THCState *state, int handle);

/* Nothing: no function of this library needs MAGMA. */
THC_API void THCMagma_init(THCState *state);

/* The generators of random numbers, for the functions of THCTensorRandom.h. */
THC_API struct THCRNGState *THCState_getRngState(THCState *state);

/* ---- Memory: PyTorch's, or CUDA's own pool in a program without Python ------------------------------------------- */

/* On the current device, for the current stream. A failure that an earlier kernel left behind is an error. */
THC_API cudaError_t THCudaMalloc(THCState *state, void **ptr, size_t size);
THC_API cudaError_t THCudaFree(THCState *state, void *ptr);

/* Called where memory runs out, with `data`; what was asked for is then tried once more. NULL: none. */
THC_API void THCSetGCHandler(THCState *state, void (*torchGCHandlerFunction)(void *data), void *data);

/* Where storages and THCudaMalloc get memory. `ctx` is the storage's allocatorContext. Sizes are in bytes. `realloc`
 * may be NULL: the storage then allocates, copies and frees. So may `emptyCache` and `cacheInfo`. */
typedef struct THCDeviceAllocator {
  cudaError_t (*malloc)(void *ctx, void **ptr, size_t size, cudaStream_t stream);
  cudaError_t (*realloc)(void *ctx, void **ptr, size_t old_size, size_t size, cudaStream_t stream);
  cudaError_t (*free)(void *ctx, void *ptr);
  cudaError_t (*emptyCache)(void *ctx);
  cudaError_t (*cacheInfo)(void *ctx, int device, size_t *cached, size_t *largestBlock);
  void *state;
} THCDeviceAllocator;

/* The one in force, whose `state` is its context. It is not copied: keep it while memory of it is in use. NULL sets
 * that of THCCachingAllocator_get() again, and only with that one is the caching allocator "enabled". Memory goes back
 * to where it came from. */
THC_API THCDeviceAllocator *THCState_getDeviceAllocator(THCState *state);
THC_API void THCState_setDeviceAllocator(THCState *state, THCDeviceAllocator *allocator);
THC_API int THCState_isCachingAllocatorEnabled(THCState *state);

/* Memory for a kernel's own use, of a device and a stream, by index: kept from call to call. -1 for the current index:
 * that of the stream which has none. */
THC_API void *THCState_getCurrentDeviceScratchSpace(THCState *state);
THC_API void *THCState_getDeviceScratchSpace(THCState *state, int device, int stream);
THC_API size_t THCState_getCurrentDeviceScratchSpaceSize(THCState *state); /* bytes */
THC_API size_t THCState_getDeviceScratchSpaceSize(THCState *state, int device);

/* Pinned memory of the host, which is kept for the next call (THCCachingHostAllocator.h); with record, not before the
 * current stream has done what was enqueued on it up to the call of free. */
THC_API void *THCudaHostAlloc(THCState *state, size_t size);
THC_API void THCudaHostFree(THCState *state, void *ptr);
THC_API void THCudaHostRecord(THCState *state, void *ptr);

/* For storages of the host, as THFloatStorage_newWithAllocator takes them: pinned, and reachable from every device. */
THC_API THAllocator *THCState_getCudaHostAllocator(THCState *state);
THC_API THAllocator *THCState_getCudaUVAAllocator(THCState *state);

/* Of the current device. Cached counts as free what CUDA's pool keeps for later; what PyTorch keeps it does not know.
 * largestBlock is a bound. */
THC_API cudaError_t THCudaMemGetInfo(THCState *state, size_t *freeBytes, size_t *totalBytes);
THC_API cudaError_t THCudaMemGetInfoCached(THCState *state, size_t *freeBytes, size_t *totalBytes,
                                           size_t *largestBlock);

#endif
