// c_api/thc/runtime/errors.cpp: failures of CUDA and its libraries in THC's words, and what to do about some.
#include "thc/runtime/errors.h"

#include "th/runtime/export.h"
#include "thc/runtime/handles.h"

#include <THC/THCGeneral.h>

#include <atomic>

namespace th {
namespace {

void print(const char *file, int line, cudaError_t code) {
    fprintf(stderr, "THCudaCheck FAIL file=%s line=%i error=%i : %s\n", file, line, int(code),
            cudaGetErrorString(code));
}

const char *advice(cudaError_t code) {
    switch (code) {
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
        return "; this machine has no NVIDIA card, or no driver for it that is new enough";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
        return "; the code was not built for this card: see TORCH_CUDA_ARCH_LIST";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
        return "; a kernel failed, and CUDA works again only after the process was started anew";
    default:
        return "";
    }
}

}  // namespace

void raise_cuda(const char *file, int line, cudaError_t code) {
    static std::atomic<bool> said{false};
    cudaGetLastError();  // a failure that can be recovered from is forgotten with this
    if (!said.exchange(true)) print(file, line, code);
    raise(file, line, not_an_argument, "cuda runtime error (%d) : %s%s", int(code), cudaGetErrorString(code),
          advice(code));
}

void report(const Error &error) { thaw_report_error(error.argument, error.message); }

}  // namespace th

extern "C" {

void __THCudaCheck(cudaError_t err, const char *file, const int line) {
    if (err != cudaSuccess) th::guarded([&] { th::raise_cuda(file, line, err); });
}

void __THCudaCheckWarn(cudaError_t err, const char *file, const int line) {
    if (err != cudaSuccess) th::print(file, line, err);
}

void __THCublasCheck(cublasStatus_t status, const char *file, const int line) {
    if (int(status)) _THError(file, line, "cublas runtime error : %s", th::cublas_text(int(status)));
}

void __THCusparseCheck(cusparseStatus_t status, const char *file, const int line) {
    if (int(status)) _THError(file, line, "cusparse runtime error : %s", th::cusparse_text(int(status)));
}
}
