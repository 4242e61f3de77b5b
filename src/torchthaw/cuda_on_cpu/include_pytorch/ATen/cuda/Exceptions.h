/* ATen/cuda/Exceptions.h for TORCHTHAW_CUDA=cpu: errors of CUDA and cuBLAS become exceptions. */
#pragma once

#include <ATen/Context.h>
#include <c10/cuda/CUDAException.h>
#include <c10/util/Exception.h>
#include <cublas_v2.h>

#define AT_CUDA_CHECK(call) C10_CUDA_CHECK(call)
#define TORCH_CUDABLAS_CHECK(call)                                                                          \
    do {                                                                                                    \
        const cublasStatus_t at_status = (call);                                                            \
        TORCH_CHECK(at_status == CUBLAS_STATUS_SUCCESS, "CUDA error: cuBLAS status ", int(at_status),       \
                    " when calling `" #call "`");                                                           \
    } while (0)
