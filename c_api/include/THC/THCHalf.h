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

/* `len` numbers on the GPU, on the current stream. */
THC_API void THCFloat2Half(THCState *state, half *out, float *in, ptrdiff_t len);
THC_API void THCHalf2Float(THCState *state, float *out, half *in, ptrdiff_t len);

/* 1: every card that this library is built for has instructions for it. */
THC_API int THC_nativeHalfInstructions(THCState *state);
THC_API int THC_fastHalfInstructions(THCState *state);

#endif
