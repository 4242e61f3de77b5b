// portable/cuda/thc.h: what is left of THC in extensions of PyTorch 0.4 to 1.10: memory, streams, checks, products.
#pragma once
#include "atomics.h"
#include "blas.h"
#include "memory.h"
#include "warps.h"

#define THCudaCheck(expression) C10_CUDA_CHECK(expression)
#define THCudaCheckWarn(expression) C10_CUDA_CHECK_WARN(expression)
#define THError(...) ::torchthaw::thc_error(__VA_ARGS__)
#define THAssert(condition) TORCH_INTERNAL_ASSERT(condition)
#define THAssertMsg(condition, ...) TORCH_INTERNAL_ASSERT(condition, ##__VA_ARGS__)

namespace torchthaw {
/// Throws c10::Error with a text that is formatted as by printf.
template <class... Arguments>
[[noreturn]] void thc_error(const char *format, Arguments... arguments) {
    char text[1024];
    if constexpr (sizeof...(arguments) == 0) fail(format);
    std::snprintf(text, sizeof text, format, arguments...);
    fail(text);
}
}  // namespace torchthaw

/// Of integers: ceil(a / b), for a ≥ 0 and b > 0.
template <class T>
C10_HOST_DEVICE constexpr T THCCeilDiv(T a, T b) {
    return (a + b - 1) / b;
}
/// The smallest multiple of b that is not below a.
template <class T>
C10_HOST_DEVICE constexpr T THCRoundUp(T a, T b) {
    return THCCeilDiv(a, b) * b;
}

inline void *THCudaMalloc(THCState *, size_t bytes) { return c10::cuda::CUDACachingAllocator::raw_alloc(bytes); }
inline void THCudaFree(THCState *, void *address) { c10::cuda::CUDACachingAllocator::raw_delete(address); }
inline cudaStream_t THCState_getCurrentStream(THCState *) { return c10::cuda::getCurrentCUDAStream(); }
inline cudaDeviceProp *THCState_getCurrentDeviceProperties(THCState *) { return at::cuda::getCurrentDeviceProperties(); }
inline cudaDeviceProp *THCState_getDeviceProperties(THCState *, int device) {
    return at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(device));
}
inline int THCState_getNumDevices(THCState *) { return c10::cuda::device_count(); }

// As BLAS has them: c = alpha · op(a) · op(b) + beta · c, column-major.
#define TORCHTHAW_GEMM(name, T)                                                                                        \
    inline void name(THCState *, char op_a, char op_b, int64_t m, int64_t n, int64_t k, T alpha, const T *a,           \
                     int64_t lda, const T *b, int64_t ldb, T beta, T *c, int64_t ldc) {                                \
        at::cuda::blas::gemm(op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                \
    }
TORCHTHAW_GEMM(THCudaBlas_Sgemm, float)
TORCHTHAW_GEMM(THCudaBlas_Dgemm, double)
#undef TORCHTHAW_GEMM
// y = alpha · op(a) · x + beta · y, of a with m rows and n columns; steps between elements may be any positive number.
#define TORCHTHAW_GEMV(name, T)                                                                                        \
    inline void name(THCState *, char op, int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x,          \
                     int64_t incx, T beta, T *y, int64_t incy) {                                                       \
        const bool is_plain = op == 'n' || op == 'N';                                                                  \
        at::cuda::blas::gemm('n', is_plain ? 't' : 'n', 1, is_plain ? m : n, is_plain ? n : m, alpha, x, incx, a, lda, \
                             beta, y, incy);                                                                           \
    }
TORCHTHAW_GEMV(THCudaBlas_Sgemv, float)
TORCHTHAW_GEMV(THCudaBlas_Dgemv, double)
#undef TORCHTHAW_GEMV

/// A value as another type, in kernels too.
template <class In, class Out>
struct ScalarConvert {
    static C10_HOST_DEVICE Out to(const In value) { return static_cast<Out>(value); }
};
