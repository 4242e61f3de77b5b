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

/* For programs without Python: a zeroed state, and CUDA made ready for it. Error: no card, or no driver. */
THC_API THCState *THCState_alloc(void);
THC_API void THCState_free(THCState *state);
THC_API void THCudaInit(THCState *state);
THC_API void THCudaShutdown(THCState *state);

/* ---- Devices and streams ----------------------------------------------------------------------------------------- */

THC_API int THCState_getNumDevices(THCState *state);
THC_API struct cudaDeviceProp *THCState_getCurrentDeviceProperties(THCState *state);

/* The stream of the calling thread on its current device, or on another: launch kernels there. */
THC_API cudaStream_t THCState_getCurrentStream(THCState *state);
THC_API cudaStream_t THCState_getCurrentStreamOnDevice(THCState *state, int device);

/* ---- Handles: of the current device and thread; made when first asked for, and on the current stream ------------- */

THC_API cublasHandle_t THCState_getCurrentBlasHandle(THCState *state);
THC_API cusparseHandle_t THCState_getCurrentSparseHandle(THCState *state);

/* ---- Memory: PyTorch's, or CUDA's own pool in a program without Python ------------------------------------------- */

/* On the current device, for the current stream. A failure that an earlier kernel left behind is an error. */
THC_API cudaError_t THCudaMalloc(THCState *state, void **ptr, size_t size);
THC_API cudaError_t THCudaFree(THCState *state, void *ptr);

/* Pinned memory of the host. */
THC_API void *THCudaHostAlloc(THCState *state, size_t size);
THC_API void THCudaHostFree(THCState *state, void *ptr);
THC_API cudaError_t THCudaMemGetInfo(THCState *state, size_t *freeBytes, size_t *totalBytes);

#endif
