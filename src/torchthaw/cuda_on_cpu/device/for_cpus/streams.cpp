/* streams.cpp: what PyTorch asks about the device, its streams and its events. All work has ended when a call returns,
 * so nothing here waits. */
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <cuda_runtime_api.h>
#include <utility>

#include "../memory.h"

namespace cuda_on_cpu {

namespace {

void check(cudaError_t error) { TORCH_CHECK(error == cudaSuccess, "CUDA error: ", cudaGetErrorString(error)); }

/* -1, for the current device, is 0. */
void check_device(c10::Device device) {
    TORCH_CHECK(device.index() <= 0, "device: expected cuda:0, the only device under TORCHTHAW_CUDA=cpu, got ", device);
}

/* The number of a stream is the address of the runtime's; 0 is the default one. */
thread_local c10::StreamId current = 0;

c10::Stream stream_of(c10::StreamId id) { return c10::Stream(c10::Stream::UNSAFE, DEVICE, id); }

struct DeviceGuard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override { return DEVICE.type(); }
    c10::Device exchangeDevice(c10::Device device) const override {
        check_device(device);
        return DEVICE;
    }
    c10::Device getDevice() const override { return DEVICE; }
    void setDevice(c10::Device device) const override { check_device(device); }
    void uncheckedSetDevice(c10::Device) const noexcept override {}
    c10::DeviceIndex deviceCount() const noexcept override { return 1; }
    void synchronizeDevice(c10::DeviceIndex) const override {}

    c10::Stream getStream(c10::Device) const override { return stream_of(current); }
    c10::Stream getDefaultStream(c10::Device) const override { return stream_of(0); }
    c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return getNewStream(device, 0); }
    c10::Stream getNewStream(c10::Device device, int) const override {
        check_device(device);
        cudaStream_t made;
        check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
        return stream_of(reinterpret_cast<c10::StreamId>(made));
    }
    c10::Stream exchangeStream(c10::Stream stream) const override {
        return stream_of(std::exchange(current, stream.id()));
    }
    bool queryStream(const c10::Stream &) const override { return true; }
    void synchronizeStream(const c10::Stream &) const override {}
    void *getStreamNativeHandle(const c10::Stream stream) const { /* since PyTorch 2.10 */
        return reinterpret_cast<void *>(stream.id());
    }

    void record(void **event, const c10::Stream &stream, c10::DeviceIndex, c10::EventFlag flag) const override {
        auto made = static_cast<cudaEvent_t>(*event);
        const unsigned flags = flag == c10::EventFlag::BACKEND_DEFAULT ? cudaEventDefault : cudaEventDisableTiming;
        if (made == nullptr) check(cudaEventCreateWithFlags(&made, flags));
        *event = made;
        check(cudaEventRecord(made, reinterpret_cast<cudaStream_t>(stream.id())));
    }
    void block(void *, const c10::Stream &) const override {}
    bool queryEvent(void *) const override { return true; }
    void synchronizeEvent(void *) const override {}
    void destroyEvent(void *event, c10::DeviceIndex) const noexcept override {
        if (event != nullptr) cudaEventDestroy(static_cast<cudaEvent_t>(event));
    }
    double elapsedTime(void *from, void *to, c10::DeviceIndex) const override {
        TORCH_CHECK(from != nullptr && to != nullptr, "Both events must be recorded before calculating elapsed time.");
        float milliseconds;
        check(cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(from), static_cast<cudaEvent_t>(to)));
        return milliseconds;
    }
};

C10_REGISTER_GUARD_IMPL(CUDA, DeviceGuard);

}  // namespace

}  // namespace cuda_on_cpu
