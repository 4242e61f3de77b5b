/* TH/THHalf.h: the 16-bit IEEE 754 number as storage format, and its conversions. */
#ifndef TH_HALF_H
#define TH_HALF_H

#include "THGeneral.h"

/* The bits of the number. */
typedef struct {
  unsigned short x;
} THHalf;

#define TH_HALF_BITS_TO_LITERAL(n) {n}
#define TH_HALF_ZERO 0x0U
#define TH_HALF_INF 0x7C00U

/* Rounds to nearest, ties to even; too large becomes infinity; denormals are kept; NaN becomes 0x7FFF. */
TH_API THHalf TH_float2half(float value);
TH_API float TH_half2float(THHalf value);
TH_API void TH_float2halfbits(float *src, unsigned short *dest);
TH_API void TH_halfbits2float(unsigned short *src, float *dest);

#endif
