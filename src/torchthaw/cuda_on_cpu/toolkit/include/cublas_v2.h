/* cublas_v2.h: the functions of cuBLAS that libcuda_on_cpu has: matrices by columns, plain loops; for C and C++. */
#ifndef CUDA_ON_CPU_CUBLAS_V2_H
#define CUDA_ON_CPU_CUBLAS_V2_H

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <stdint.h>

#define CUBLAS_VERSION (CUDART_VERSION * 10)
#define CUBLASAPI

typedef struct cublasContext *cublasHandle_t;
typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_CONJG = 3 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 } cublasGemmAlgo_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32I = 72
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus_t cublasCreate_v2(cublasHandle_t *);
cublasStatus_t cublasDestroy_v2(cublasHandle_t);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int *version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t, cudaStream_t);
cublasStatus_t cublasGetStream_v2(cublasHandle_t, cudaStream_t *);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t, cublasPointerMode_t);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t, cublasPointerMode_t *);
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t);
cublasStatus_t cublasGetMathMode(cublasHandle_t, cublasMath_t *);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void *workspace, size_t bytes);
const char *cublasGetStatusName(cublasStatus_t);
const char *cublasGetStatusString(cublasStatus_t);

/* c (m x n) = alpha op(a) op(b) + beta c; I is int, or int64_t of the functions with _64 */
#define CUDA_ON_CPU_GEMM(name, T, I)                                                                                   \
  cublasStatus_t name(cublasHandle_t, cublasOperation_t, cublasOperation_t, I m, I n, I k, const T *alpha, const T *a, \
                      I lda, const T *b, I ldb, const T *beta, T *c, I ldc);
CUDA_ON_CPU_GEMM(cublasSgemm_v2, float, int)
CUDA_ON_CPU_GEMM(cublasDgemm_v2, double, int)
CUDA_ON_CPU_GEMM(cublasSgemm_v2_64, float, int64_t)
CUDA_ON_CPU_GEMM(cublasDgemm_v2_64, double, int64_t)
#define CUDA_ON_CPU_LEVELS(S, T)                                                                                       \
  cublasStatus_t cublas##S##gemmBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,     \
                                        const T *alpha, const T *const *a, int lda, const T *const *b, int ldb,        \
                                        const T *beta, T *const *c, int ldc, int count);                               \
  cublasStatus_t cublas##S##gemmStridedBatched(                                                                        \
      cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const T *alpha, const T *a, int lda,  \
      long long stride_a, const T *b, int ldb, long long stride_b, const T *beta, T *c, int ldc, long long stride_c,   \
      int count);                                                                                                      \
  cublasStatus_t cublas##S##gemv_v2(cublasHandle_t, cublasOperation_t, int m, int n, const T *alpha, const T *a,       \
                                    int lda, const T *x, int incx, const T *beta, T *y, int incy);                     \
  cublasStatus_t cublas##S##ger_v2(cublasHandle_t, int m, int n, const T *alpha, const T *x, int incx, const T *y,     \
                                   int incy, T *a, int lda);                                                           \
  cublasStatus_t cublas##S##dot_v2(cublasHandle_t, int n, const T *x, int incx, const T *y, int incy, T *result);      \
  cublasStatus_t cublas##S##axpy_v2(cublasHandle_t, int n, const T *alpha, const T *x, int incx, T *y, int incy);      \
  cublasStatus_t cublas##S##scal_v2(cublasHandle_t, int n, const T *alpha, T *x, int incx);                            \
  cublasStatus_t cublas##S##copy_v2(cublasHandle_t, int n, const T *x, int incx, T *y, int incy);                      \
  cublasStatus_t cublas##S##nrm2_v2(cublasHandle_t, int n, const T *x, int incx, T *result);                           \
  cublasStatus_t cublas##S##asum_v2(cublasHandle_t, int n, const T *x, int incx, T *result);                           \
  cublasStatus_t cublas##S##getrfBatched(cublasHandle_t, int n, T *const *a, int lda, int *pivots, int *info,          \
                                         int count);                                                                   \
  cublasStatus_t cublas##S##getrsBatched(cublasHandle_t, cublasOperation_t, int n, int columns, const T *const *a,     \
                                         int lda, const int *pivots, T *const *b, int ldb, int *info, int count);      \
  cublasStatus_t cublas##S##getriBatched(cublasHandle_t, int n, const T *const *a, int lda, const int *pivots,         \
                                         T *const *c, int ldc, int *info, int count);
CUDA_ON_CPU_LEVELS(S, float)
CUDA_ON_CPU_LEVELS(D, double)
#undef CUDA_ON_CPU_LEVELS

#ifdef __cplusplus
CUDA_ON_CPU_GEMM(cublasHgemm, __half, int)
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                                         const __half *alpha, const __half *a, int lda, long long stride_a,
                                         const __half *b, int ldb, long long stride_b, const __half *beta, __half *c,
                                         int ldc, long long stride_c, int count);
#endif
#undef CUDA_ON_CPU_GEMM
/* of float, double and half, all operands of one type */
cublasStatus_t cublasDotEx(cublasHandle_t, int n, const void *x, cudaDataType, int incx, const void *y, cudaDataType,
                           int incy, void *result, cudaDataType, cudaDataType compute);
cublasStatus_t cublasSgemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                             const float *alpha, const void *a, cudaDataType, int lda, const void *b, cudaDataType,
                             int ldb, const float *beta, void *c, cudaDataType, int ldc);

#ifdef __cplusplus
}
#endif

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2
#define cublasSgemv cublasSgemv_v2
#define cublasDgemv cublasDgemv_v2
#define cublasSger cublasSger_v2
#define cublasDger cublasDger_v2
#define cublasSdot cublasSdot_v2
#define cublasDdot cublasDdot_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasDscal cublasDscal_v2
#define cublasScopy cublasScopy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasDasum cublasDasum_v2

#endif
