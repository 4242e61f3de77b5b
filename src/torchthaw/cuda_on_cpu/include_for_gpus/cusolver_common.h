/* cusolver_common.h for TORCHTHAW_CUDA=cpu: the type that headers of a PyTorch built for CUDA name. cuSOLVER is not served. */
#pragma once

typedef enum { CUSOLVER_STATUS_SUCCESS = 0, CUSOLVER_STATUS_NOT_SUPPORTED = 9 } cusolverStatus_t;
