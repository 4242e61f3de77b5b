// cuda_on_cpu/runtime/properties_of_12.cpp: the properties in the struct of CUDA 12, for a PyTorch that was built for it.
#define CUDA_ON_CPU_VERSION 12080
#include "errors.h"
#include "properties.h"

using namespace cuda_on_cpu;

extern "C" CUDA_ON_CPU_EXPORT cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp *to, int device) {
    if (device) return record(cudaErrorInvalidDevice);
    if (to == nullptr) return record(cudaErrorInvalidValue);
    *to = properties();  // give() would be one function for both structs
    return cudaSuccess;
}
