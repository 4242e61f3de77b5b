/* vector_types.h: int2, float4, dim3 and the like, with CUDA's sizes and alignments; for C and C++. */
#ifndef CUDA_ON_CPU_VECTOR_TYPES_H
#define CUDA_ON_CPU_VECTOR_TYPES_H

#include <cuda_on_cpu/host_defines.h>

/* A scalar's name, its type, and how many bytes 2 and 4 of it are aligned to; 1 and 3 are as the scalar. */
#define CUDA_ON_CPU_VECTORS(ROW)                                                                                       \
  ROW(char, signed char, 2, 4)                                                                                         \
  ROW(uchar, unsigned char, 2, 4)                                                                                      \
  ROW(short, short, 4, 8)                                                                                              \
  ROW(ushort, unsigned short, 4, 8)                                                                                    \
  ROW(int, int, 8, 16)                                                                                                 \
  ROW(uint, unsigned int, 8, 16)                                                                                       \
  ROW(long, long, 16, 16)                                                                                              \
  ROW(ulong, unsigned long, 16, 16)                                                                                    \
  ROW(longlong, long long, 16, 16)                                                                                     \
  ROW(ulonglong, unsigned long long, 16, 16)                                                                           \
  ROW(float, float, 8, 16)                                                                                             \
  ROW(double, double, 16, 16)

#define CUDA_ON_CPU_TYPES(name, T, align2, align4)                                                                     \
  typedef struct name##1 { T x; } name##1;                                                                             \
  typedef struct __align__(align2) name##2 { T x, y; } name##2;                                                        \
  typedef struct name##3 { T x, y, z; } name##3;                                                                       \
  typedef struct __align__(align4) name##4 { T x, y, z, w; } name##4;
CUDA_ON_CPU_VECTORS(CUDA_ON_CPU_TYPES)
#undef CUDA_ON_CPU_TYPES

/* Those of four 64-bit numbers by their alignment, as CUDA names them from 13 on. */
#define CUDA_ON_CPU_ALIGNED(name, T)                                                                                   \
  typedef struct __align__(16) name##4_16a { T x, y, z, w; } name##4_16a;                                              \
  typedef struct __align__(32) name##4_32a { T x, y, z, w; } name##4_32a;
CUDA_ON_CPU_ALIGNED(long, long)
CUDA_ON_CPU_ALIGNED(ulong, unsigned long)
CUDA_ON_CPU_ALIGNED(longlong, long long)
CUDA_ON_CPU_ALIGNED(ulonglong, unsigned long long)
CUDA_ON_CPU_ALIGNED(double, double)
#undef CUDA_ON_CPU_ALIGNED

typedef struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;

#endif
