// c_api/th/tensor/half.cpp: the functions of THHalf.h.
#include "th/tensor/half.h"

#include <TH/TH.h>

extern "C" {

THHalf TH_float2half(float value) { return th::to_half(value); }
float TH_half2float(THHalf value) { return th::to_float(value); }
void TH_float2halfbits(float *src, unsigned short *dest) { *dest = th::to_half(*src).x; }
void TH_halfbits2float(unsigned short *src, float *dest) { *dest = th::to_float(THHalf{*src}); }
}
