/* THC/THCTensorMath.h: mathematics; THCTensor.h has it. */
#ifndef THC_TENSOR_MATH_INC
#define THC_TENSOR_MATH_INC

#include "THCTensor.h"

#endif
