// cub/util_debug.cuh: checks of errors.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace cub {

/* Prints an error, with its place in the source; returns it. */
inline cudaError_t Debug(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess)
        std::fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", int(error), file, line, cudaGetErrorString(error));
    return error;
}

}  // namespace cub

#define CubDebug(e) ::cub::Debug(cudaError_t(e), __FILE__, __LINE__)
#define CubDebugExit(e)                                                                                                \
    if (CubDebug(e)) std::exit(1)
#define _CubLog(format, ...) std::printf(format, __VA_ARGS__)
