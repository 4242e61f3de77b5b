/* cuda_runtime_api.h: the functions of CUDA's runtime that libcuda_on_cpu has; for C and C++.
 *
 * Memory of the device is memory of the host, there is one device, and each call has done its work when it returns:
 * streams and events are always ready. What cannot be served returns cudaErrorNotSupported after a line on stderr.
 */
#ifndef CUDA_ON_CPU_RUNTIME_API_H
#define CUDA_ON_CPU_RUNTIME_API_H

#include <stddef.h>
#include <cuda_on_cpu/host_defines.h>
#include <device_types.h>
#include <driver_types.h>
#include <library_types.h>

#define CUDART_VERSION CUDA_ON_CPU_VERSION
#if CUDART_VERSION < 13000 /* as in CUDA 12, where the plain name was that of a struct of CUDA 11 */
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* errors */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t);
const char *cudaGetErrorString(cudaError_t);

/* devices */
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr, int device);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int other);
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int other);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *);
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned int version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *);

/* memory */
cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t);
cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned int flags);
cudaError_t cudaMallocHost(void **memory, size_t bytes);
cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height);
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned int flags);
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *memory);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
cudaError_t cudaFree(void *memory);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *, const void *memory);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, cudaStream_t);
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind);
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind);
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind,
                                      cudaStream_t);
cudaError_t cudaGetSymbolAddress(void **address, const void *symbol);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t);
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t);
#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void *, size_t bytes, struct cudaMemLocation, unsigned int flags, cudaStream_t);
cudaError_t cudaMemAdvise(const void *, size_t bytes, enum cudaMemoryAdvise, struct cudaMemLocation);
#else
cudaError_t cudaMemPrefetchAsync(const void *, size_t bytes, int device, cudaStream_t);
cudaError_t cudaMemPrefetchAsync_v2(const void *, size_t bytes, struct cudaMemLocation, unsigned int flags, cudaStream_t);
cudaError_t cudaMemAdvise(const void *, size_t bytes, enum cudaMemoryAdvise, int device);
cudaError_t cudaMemAdvise_v2(const void *, size_t bytes, enum cudaMemoryAdvise, struct cudaMemLocation);
#endif
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *, int device);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t keep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const struct cudaMemAccessDesc *, size_t count);

/* streams and events */
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int flags);
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void *data, unsigned int flags);
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned int *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t, int *priority);
cudaError_t cudaStreamIsCapturing(cudaStream_t, enum cudaStreamCaptureStatus *);
#ifdef __cplusplus
#define CUDA_ON_CPU_OR_NULL = nullptr
#else
#define CUDA_ON_CPU_OR_NULL
#endif
/* Writes the status alone: no stream is captured, and the rest tells of one that is. */
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, enum cudaStreamCaptureStatus *,
                                     unsigned long long *id CUDA_ON_CPU_OR_NULL,
                                     cudaGraph_t *graph CUDA_ON_CPU_OR_NULL,
                                     const cudaGraphNode_t **dependencies CUDA_ON_CPU_OR_NULL,
                                     const cudaGraphEdgeData **edges CUDA_ON_CPU_OR_NULL,
                                     size_t *count CUDA_ON_CPU_OR_NULL);
#if CUDART_VERSION < 13000
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t, enum cudaStreamCaptureStatus *,
                                        unsigned long long *id CUDA_ON_CPU_OR_NULL,
                                        cudaGraph_t *graph CUDA_ON_CPU_OR_NULL,
                                        const cudaGraphNode_t **dependencies CUDA_ON_CPU_OR_NULL,
                                        size_t *count CUDA_ON_CPU_OR_NULL);
#endif
#undef CUDA_ON_CPU_OR_NULL
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *);
cudaError_t cudaLaunchKernel(const void *kernel, struct dim3 grid, struct dim3 block, void **arguments, size_t shared,
                             cudaStream_t);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, struct dim3 grid, struct dim3 block, void **arguments,
                                        size_t shared, cudaStream_t);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void *data);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned int flags);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t, unsigned int flags);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventDestroy(cudaEvent_t);

/* pitched memory of three dimensions: extents and positions in bytes, rows and planes */
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent);
cudaError_t cudaMemset3D(struct cudaPitchedPtr, int value, struct cudaExtent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr, int value, struct cudaExtent, cudaStream_t);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *, cudaStream_t);

/* arrays: extents in elements, which have 1, 2 or 4 channels of 8, 16 or 32 bits; 0 for a dimension that is not there.
 * Of copies, widths and x are in bytes, heights and y in rows. */
cudaError_t cudaMallocArray(cudaArray_t *, const struct cudaChannelFormatDesc *, size_t width, size_t height,
                            unsigned int flags);
cudaError_t cudaMalloc3DArray(cudaArray_t *, const struct cudaChannelFormatDesc *, struct cudaExtent,
                              unsigned int flags);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *, struct cudaExtent *, unsigned int *flags, cudaArray_t);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *, cudaArray_const_t);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t from_pitch, size_t width,
                                size_t height, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t from_pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpy2DFromArray(void *to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, enum cudaMemcpyKind);
/* of `bytes` that go on in the next row; CUDA calls these deprecated */
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, enum cudaMemcpyKind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                                   enum cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind);
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     enum cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                   size_t from_y, size_t bytes, enum cudaMemcpyKind);

/* textures and surfaces of arrays; textures of pitched and linear memory, too */
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *, const struct cudaResourceDesc *,
                                    const struct cudaTextureDesc *, const struct cudaResourceViewDesc *);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *, cudaTextureObject_t);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *, cudaTextureObject_t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *, const struct cudaResourceDesc *);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *, cudaSurfaceObject_t);

/* not served: graphs, and memory of other processes */
cudaError_t cudaStreamBeginCapture(cudaStream_t, enum cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaGraphCreate(cudaGraph_t *, unsigned int flags);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaUserObjectCreate(cudaUserObject_t *, void *, cudaHostFn_t destroy, unsigned int count, unsigned int flags);
cudaError_t cudaUserObjectRelease(cudaUserObject_t, unsigned int count);
cudaError_t cudaGraphRetainUserObject(cudaGraph_t, cudaUserObject_t, unsigned int count, unsigned int flags);
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *memory);
cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void *memory);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *, cudaEvent_t);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *, cudaIpcEventHandle_t);

#ifdef __cplusplus
}
#endif

#endif
