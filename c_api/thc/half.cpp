// c_api/thc/half.cpp: 16-bit numbers on the host.
#include <THC/THCHalf.h>

extern "C" {

half THC_float2half(float a) { return __float2half(a); }
float THC_half2float(half a) { return __half2float(a); }

int THC_nativeHalfInstructions(THCState *) { return 1; }
int THC_fastHalfInstructions(THCState *) { return 1; }
}
