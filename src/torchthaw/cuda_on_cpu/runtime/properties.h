// cuda_on_cpu/runtime/properties.h: what the one device is like, in the struct of the version of CUDA that is chosen before.
#pragma once
#include "execution/pool.h"

#include <cuda_runtime_api.h>

#include <cstdio>

// What all ways to ask tell. A card of compute capability 7.5, whose threads of a warp need not run in step.
// Each file has a function of its own: the struct has one name, and two layouts.
static const cudaDeviceProp &properties() {
    static const cudaDeviceProp made = [] {
        cudaDeviceProp p{};
        std::snprintf(p.name, sizeof p.name, "CPU (torchthaw's CUDA on the CPU)");
        size_t free;
        cudaMemGetInfo(&free, &p.totalGlobalMem);
        p.sharedMemPerBlock = 48 << 10;
        p.sharedMemPerBlockOptin = p.sharedMemPerMultiprocessor = 227 << 10;
        p.totalConstMem = 64 << 10;
        p.memPitch = 2147483647;
        p.textureAlignment = 512;
        p.regsPerBlock = p.regsPerMultiprocessor = 65536;
        p.warpSize = 32;
        p.maxThreadsPerBlock = p.maxThreadsPerMultiProcessor = 1024;
        p.maxBlocksPerMultiProcessor = 16;
        p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
        p.maxThreadsDim[2] = 64;
        p.maxGridSize[0] = 2147483647;
        p.maxGridSize[1] = p.maxGridSize[2] = 65535;
        p.major = 7;
        p.minor = 5;
        p.multiProcessorCount = int(cuda_on_cpu::host_threads());
        p.cooperativeLaunch = 1;
        p.integrated = p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = 1;
        p.concurrentManagedAccess = p.memoryPoolsSupported = 1;
        p.memoryBusWidth = 64;
        p.l2CacheSize = 1 << 20;
        p.clockRate = p.memoryClockRate = 1000000;
        return p;
    }();
    return made;
}
