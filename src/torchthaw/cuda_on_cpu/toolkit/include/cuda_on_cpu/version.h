/* version.h: the version of CUDA whose structs and functions these headers have, as CUDART_VERSION: 13.0, or in the folder
 * for a PyTorch that was built for CUDA 12, that PyTorch's. */
#ifndef CUDA_ON_CPU_VERSION
#ifdef __has_include
#if __has_include(<cuda_on_cpu_version.h>)
#include <cuda_on_cpu_version.h>
#endif
#endif
#ifndef CUDA_ON_CPU_VERSION
#define CUDA_ON_CPU_VERSION 13000
#endif
#endif
