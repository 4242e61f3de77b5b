/* THC/THCHalf.h: CUDA's 16-bit number. In C, where CUDA has no type for it, it is the struct of its bits. */
#ifndef THC_HALF_INC
#define THC_HALF_INC

#include "THCGeneral.h"

#include <cuda_fp16.h>

#ifndef __cplusplus
typedef __half_raw half;
#endif

#define CUDA_HALF_TENSOR

/* On the host. Rounds to nearest, ties to even. */
THC_API half THC_float2half(float a);
THC_API float THC_half2float(half a);

/* 1: every card that this library is built for has instructions for it. */
THC_API int THC_nativeHalfInstructions(THCState *state);
THC_API int THC_fastHalfInstructions(THCState *state);

#endif
