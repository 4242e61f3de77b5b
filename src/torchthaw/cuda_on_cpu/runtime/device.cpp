// cuda_on_cpu/runtime/device.cpp: the one device.
#include "memory/arrays.h"
#include "errors.h"
#include "memory/memory.h"
#include "properties.h"

#include <cstdio>
#include <cstring>

using namespace cuda_on_cpu;

extern "C" {
#define API CUDA_ON_CPU_EXPORT cudaError_t
API cudaGetDeviceCount(int *count) { return give(count, 1); }
API cudaGetDevice(int *device) { return give(device, 0); }
API cudaSetDevice(int device) { return device == 0 ? cudaSuccess : record(cudaErrorInvalidDevice); }
API cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
API cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
API cudaGetDeviceFlags(unsigned *flags) { return give(flags, cudaDeviceScheduleAuto); }
API cudaChooseDevice(int *device, const cudaDeviceProp *) { return give(device, 0); }
API cudaDeviceSynchronize() { return initialize(); }
API cudaDeviceReset() { return record(cudaSuccess); }
API cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
API cudaDeviceGetLimit(size_t *value, cudaLimit) { return give(value, 0); }
API cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
API cudaDeviceGetCacheConfig(cudaFuncCache *config) { return give(config, cudaFuncCachePreferNone); }
API cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
API cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
    return give(config, cudaSharedMemBankSizeFourByte);
}
API cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}
API cudaDeviceGetPCIBusId(char *id, int length, int device) {
    if (device) return record(cudaErrorInvalidDevice);
    if (!id || length < 13) return record(cudaErrorInvalidValue);
    std::snprintf(id, size_t(length), "0000:00:00.0");
    return cudaSuccess;
}
API cudaDeviceCanAccessPeer(int *can, int device, int other) {
    if (device || other) return record(cudaErrorInvalidDevice);
    return give(can, 0);
}
API cudaDeviceEnablePeerAccess(int, unsigned) { return record(cudaErrorInvalidDevice); }
API cudaDeviceDisablePeerAccess(int) { return record(cudaErrorPeerAccessNotEnabled); }
API cudaDriverGetVersion(int *version) { return give(version, CUDART_VERSION); }
API cudaRuntimeGetVersion(int *version) { return give(version, CUDART_VERSION); }
API cudaProfilerStart() { return cudaSuccess; }
API cudaProfilerStop() { return cudaSuccess; }

API cudaGetDeviceProperties(cudaDeviceProp *to, int device) {
    if (device) return record(cudaErrorInvalidDevice);
    return give(to, properties());
}
API cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
    if (!value) return record(cudaErrorInvalidValue);
    if (device) return record(cudaErrorInvalidDevice);
    const cudaDeviceProp &p = properties();
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = int(p.sharedMemPerBlock); break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = int(p.sharedMemPerBlockOptin); break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = int(p.sharedMemPerMultiprocessor); break;
    case cudaDevAttrTotalConstantMemory: *value = int(p.totalConstMem); break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p.regsPerMultiprocessor; break;
    case cudaDevAttrClockRate: *value = p.clockRate; break;
    case cudaDevAttrMemoryClockRate: *value = p.memoryClockRate; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
    case cudaDevAttrTextureAlignment: *value = int(p.textureAlignment); break;
    case cudaDevAttrTexturePitchAlignment: *value = int(texture_pitch_alignment); break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: *value = 2; break;  // as many floats as doubles fit twice into a register
    case cudaDevAttrMaxTexture1DLinearWidth: *value = 1 << 28; break;
    case cudaDevAttrMaxTexture1DWidth: *value = int(most_1d.width); break;
    case cudaDevAttrMaxTexture2DWidth: *value = int(most_2d.width); break;
    case cudaDevAttrMaxTexture2DHeight: *value = int(most_2d.height); break;
    case cudaDevAttrMaxTexture3DWidth: *value = int(most_3d.width); break;
    case cudaDevAttrMaxTexture3DHeight: *value = int(most_3d.height); break;
    case cudaDevAttrMaxTexture3DDepth: *value = int(most_3d.depth); break;
    case cudaDevAttrMaxTexture2DLayeredWidth: *value = int(most_layered.width); break;
    case cudaDevAttrMaxTexture2DLayeredHeight: *value = int(most_layered.height); break;
    case cudaDevAttrMaxTexture2DLayeredLayers: *value = int(most_layered.depth); break;
    case cudaDevAttrIntegrated:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported: *value = 1; break;
    default: *value = 0;
    }
    return cudaSuccess;
}
}
