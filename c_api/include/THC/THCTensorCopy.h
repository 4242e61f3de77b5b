/* THC/THCTensorCopy.h: copies of tensors; THCTensor.h has them. */
#ifndef THC_TENSOR_COPY_INC
#define THC_TENSOR_COPY_INC

#include "THCTensor.h"

#endif
