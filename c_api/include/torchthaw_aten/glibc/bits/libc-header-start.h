/* bits/libc-header-start.h: before glibc's own, for nvcc: functions of C23 that CUDA's headers declare without noexcept.
 *
 * glibc declares sinpi and cospi since 2.41 and rsqrt since 2.42, with noexcept: nvcc 12 takes none of them, nvcc 13.0 not
 * rsqrt. Each header of glibc includes this one first, and asks the macro below whether to declare them. CUDA's headers
 * declare them for both sides.
 */
#include_next <bits/libc-header-start.h>

#if defined(__CUDACC__) && defined(__GLIBC_USE_IEC_60559_FUNCS_EXT_C23)
#undef __GLIBC_USE_IEC_60559_FUNCS_EXT_C23
#define __GLIBC_USE_IEC_60559_FUNCS_EXT_C23 0
#endif
