/* hooks.cpp: what PyTorch's library for the CPU asks CUDA. PyTorch looks for the class by its name, CUDAHooks.
 *
 * Some functions are in a few versions of PyTorch only, so none says `override`. */
#include <ATen/detail/CUDAHooksInterface.h>
#include <cuda_runtime_api.h>

#include "generator.h"
#include "memory.h"

namespace at {

namespace {

constexpr const char *NO_LIBRARY = ": TORCHTHAW_CUDA=cpu has no such library";

/* -1, for the current device, is 0. */
void check_device(DeviceIndex device) {
    TORCH_CHECK(device <= 0, "device: expected 0, the only one under TORCHTHAW_CUDA=cpu, got ", int(device));
}

struct CUDAHooks final : CUDAHooksInterface {
    explicit CUDAHooks(CUDAHooksArgs) {}

    void init() const {}
    bool isBuilt() const { return true; }
    bool isAvailable() const { return true; }
    bool hasCUDA() const { return true; }
    bool hasCUDART() const { return true; }
    long versionCUDART() const { return CUDART_VERSION; }
    std::string showConfig() const { return "  - CUDA on the CPU, by torchthaw\n"; }
    bool hasPrimaryContext(DeviceIndex) const { return true; }

    DeviceIndex deviceCount() const { return 1; }
    int getNumGPUs() const { return 1; }
    DeviceIndex current_device() const { return 0; }
    DeviceIndex getCurrentDevice() const { return 0; }
    void setCurrentDevice(DeviceIndex device) const { check_device(device); }
    DeviceIndex exchangeDevice(DeviceIndex device) const {
        check_device(device);
        return 0;
    }
    DeviceIndex maybeExchangeDevice(DeviceIndex device) const { return exchangeDevice(device); }
    void deviceSynchronize(DeviceIndex) const {}

    const Generator &getDefaultGenerator(DeviceIndex device) const {
        check_device(device);
        return cuda_on_cpu::default_generator();
    }
    Generator getNewGenerator(DeviceIndex device) const {
        check_device(device);
        return cuda_on_cpu::gives_default_generator ? cuda_on_cpu::default_generator() : cuda_on_cpu::new_generator();
    }

    Allocator *getCUDADeviceAllocator() const { return cuda_on_cpu::device_allocator(); }
    Allocator *getPinnedMemoryAllocator() const { return cuda_on_cpu::pinned_allocator(); }
    bool isPinnedPtr(const void *address) const { return cuda_on_cpu::is_pinned(address); }
    Device getDeviceFromPtr(void *address) const {
        TORCH_CHECK(cuda_on_cpu::is_on_device(address), "The specified pointer resides on host memory and is not "
                                                        "registered with any CUDA device.");
        return cuda_on_cpu::DEVICE;
    }

    const cuda::NVRTC &nvrtc() const { TORCH_CHECK(false, "NVRTC", NO_LIBRARY); }
    long versionCuDNN() const { TORCH_CHECK(false, "cuDNN", NO_LIBRARY); }
    int64_t cuFFTGetPlanCacheMaxSize(DeviceIndex) const { return 0; }
    void cuFFTSetPlanCacheMaxSize(DeviceIndex, int64_t) const {}
    int64_t cuFFTGetPlanCacheSize(DeviceIndex) const { return 0; }
    void cuFFTClearPlanCache(DeviceIndex) const {}
};

/* Before those of a PyTorch built for CUDA. */
C10_REGISTER_CLASS_WITH_PRIORITY(CUDAHooksRegistry, CUDAHooks, c10::REGISTRY_PREFERRED, CUDAHooks)

}  // namespace

}  // namespace at

namespace cuda_on_cpu {
thread_local bool gives_default_generator = false;
}
