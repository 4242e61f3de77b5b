/* vector_functions.h: make_int2, make_float4 and the like. */
#ifndef CUDA_ON_CPU_VECTOR_FUNCTIONS_H
#define CUDA_ON_CPU_VECTOR_FUNCTIONS_H

#include <vector_types.h>

#define CUDA_ON_CPU_MAKERS(name, T, align2, align4)                                                                    \
  static inline name##1 make_##name##1(T x) { name##1 v = {x}; return v; }                                             \
  static inline name##2 make_##name##2(T x, T y) { name##2 v = {x, y}; return v; }                                     \
  static inline name##3 make_##name##3(T x, T y, T z) { name##3 v = {x, y, z}; return v; }                             \
  static inline name##4 make_##name##4(T x, T y, T z, T w) { name##4 v = {x, y, z, w}; return v; }
CUDA_ON_CPU_VECTORS(CUDA_ON_CPU_MAKERS)
#undef CUDA_ON_CPU_MAKERS
#define CUDA_ON_CPU_ALIGNED(name, T)                                                                                   \
  static inline name##4_16a make_##name##4_16a(T x, T y, T z, T w) { name##4_16a v = {x, y, z, w}; return v; }         \
  static inline name##4_32a make_##name##4_32a(T x, T y, T z, T w) { name##4_32a v = {x, y, z, w}; return v; }
CUDA_ON_CPU_ALIGNED(long, long)
CUDA_ON_CPU_ALIGNED(ulong, unsigned long)
CUDA_ON_CPU_ALIGNED(longlong, long long)
CUDA_ON_CPU_ALIGNED(ulonglong, unsigned long long)
CUDA_ON_CPU_ALIGNED(double, double)
#undef CUDA_ON_CPU_ALIGNED

#endif
