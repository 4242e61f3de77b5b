// c_api/thc/tensor/half.cpp: 16-bit numbers on the host, and arrays of them on the GPU.
#include "th/runtime/export.h"
#include "thc/runtime/launch.h"

#include <THC/THCHalf.h>

extern "C" {

half THC_float2half(float a) { return __float2half(a); }
float THC_half2float(half a) { return __half2float(a); }

void THCFloat2Half(THCState *, half *out, float *in, ptrdiff_t len) {
    th::guarded([&] { th::launch_copy(th::Elements<half>(out, len), th::Elements<float>(in, len), len); });
}
void THCHalf2Float(THCState *, float *out, half *in, ptrdiff_t len) {
    th::guarded([&] { th::launch_copy(th::Elements<float>(out, len), th::Elements<half>(in, len), len); });
}

int THC_nativeHalfInstructions(THCState *) { return 1; }
int THC_fastHalfInstructions(THCState *) { return 1; }
}
