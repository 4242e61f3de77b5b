/* cuda_on_cpu/host_defines.h: CUDA's words for functions and variables. All code is the host's here, so most mean
 * nothing. nvcc leaves __global__, __shared__, __device__, __constant__, __managed__ and __launch_bounds__ in the text,
 * for translate.py. */
#ifndef CUDA_ON_CPU_HOST_DEFINES_H
#define CUDA_ON_CPU_HOST_DEFINES_H

/* The version of CUDA whose structs and functions these headers have, as CUDART_VERSION. The toolkit has a file with that of
 * PyTorch. */
#ifndef CUDA_ON_CPU_VERSION
#if __has_include(<cuda_on_cpu_version.h>)
#include <cuda_on_cpu_version.h>
#else
#define CUDA_ON_CPU_VERSION 13000
#endif
#endif

#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ /* also a word in libstdc++'s attributes */
#define __align__(n) __attribute__((aligned(n)))
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __nv_pure__ __attribute__((pure))
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#ifndef __CUDACC__
#define __launch_bounds__(...)
#define __global__
#define __device__
#define __constant__
#define __shared__
#define __managed__
#endif

#endif
