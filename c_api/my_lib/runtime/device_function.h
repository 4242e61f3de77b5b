// c_api/my_lib/runtime/device_function.h: the qualifier of arithmetic that CPU and GPU share.
#pragma once

#if defined(__CUDACC__)
#define MY_LIB_MATH static __host__ __device__ __forceinline__
#else
#define MY_LIB_MATH [[gnu::always_inline]] static inline
#endif
