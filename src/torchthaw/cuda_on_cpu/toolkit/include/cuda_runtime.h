/* cuda_runtime.h: CUDA's runtime for C and C++; in files that nvcc compiles also kernels and what they call. */
#ifndef CUDA_ON_CPU_RUNTIME_H
#define CUDA_ON_CPU_RUNTIME_H

#include <cuda_on_cpu/host_defines.h>
#include <cuda_runtime_api.h>
#include <driver_functions.h>
#include <vector_functions.h>

#ifdef __cplusplus
#include <cuda_on_cpu/runtime_templates.h>
#ifdef __CUDACC__
#include <assert.h> /* sources call assert without it */
#include <cuda_on_cpu/execution.h>
#include <cuda_on_cpu/math.h>
#include <cuda_on_cpu/intrinsics.h>
#include <cuda_on_cpu/atomics.h>
#include <cuda_on_cpu/warp.h>
#include <cuda_on_cpu/textures.h>
#include <cuda_on_cpu/ptx/ptx.h>
#endif
#endif

#endif
