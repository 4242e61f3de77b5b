/* cusparse.h for TORCHTHAW_CUDA=cpu: the types that headers of a PyTorch built for CUDA name. cuSPARSE is not served. */
#pragma once

#include <library_types.h>

typedef struct cusparseContext *cusparseHandle_t;
typedef enum { CUSPARSE_STATUS_SUCCESS = 0, CUSPARSE_STATUS_NOT_SUPPORTED = 10 } cusparseStatus_t;
