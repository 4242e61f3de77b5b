/* THC/THCTensor.h: tensors on the GPU: TH's, with the state as first argument. THCudaTensor has floats.
 *
 * What TH/THTensor.h says holds here. Work is put on the current stream of the current device and not waited for, but
 * where a value reaches the host.
 */
#ifndef THC_TENSOR_INC
#define THC_TENSOR_INC

#include "THCStorage.h"

#define THCTensor TH_CONCAT_3(TH, CReal, Tensor)
#define THCTensor_(NAME) TH_CONCAT_4(TH, CReal, Tensor_, NAME)

/* The dimensions that functions over all elements take. */
#define MAX_CUTORCH_DIMS 25

/* A type's number, in the order of THCGenerateAllTypes.h. */
#define THCTypeIdxByte 1
#define THCTypeIdxChar 2
#define THCTypeIdxShort 3
#define THCTypeIdxInt 4
#define THCTypeIdxLong 5
#define THCTypeIdxHalf 6
#define THCTypeIdxFloat 7
#define THCTypeIdxDouble 8
#define THCTypeIdx_(T) TH_CONCAT_2(THCTypeIdx, T)

typedef struct {
  char str[64];
} THCDescBuff;

#include "generic/THCTensor.h"
#include "THCGenerateAllTypes.h"

#include "generic/THCTensorCopy.h"
#include "THCGenerateAllTypes.h"

#include "generic/THCTensorMath.h"
#include "THCGenerateAllTypes.h"

#endif
