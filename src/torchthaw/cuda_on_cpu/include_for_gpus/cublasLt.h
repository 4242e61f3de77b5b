/* cublasLt.h for TORCHTHAW_CUDA=cpu: the type that headers of a PyTorch built for CUDA name. cuBLASLt is not served. */
#pragma once

#include <cublas_v2.h>

typedef struct cublasLtContext *cublasLtHandle_t;
