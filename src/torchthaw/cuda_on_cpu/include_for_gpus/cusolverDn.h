/* cusolverDn.h for TORCHTHAW_CUDA=cpu: the type that headers of a PyTorch built for CUDA name. cuSOLVER is not served. */
#pragma once

#include <cusolver_common.h>

typedef struct cusolverDnContext *cusolverDnHandle_t;
