/* c10/cuda/CUDAEvent.h for TORCHTHAW_CUDA=cpu: an event of the runtime, made when it is first recorded. */
#pragma once

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <optional>
#include <utility>

namespace c10::cuda {

class CUDAEvent {
public:
    CUDAEvent() noexcept = default;
    CUDAEvent(unsigned flags) noexcept : flags_(flags) {}
    CUDAEvent(const CUDAEvent &) = delete;
    CUDAEvent &operator=(const CUDAEvent &) = delete;
    CUDAEvent(CUDAEvent &&other) noexcept : event_(std::exchange(other.event_, nullptr)), flags_(other.flags_) {}
    CUDAEvent &operator=(CUDAEvent &&other) noexcept {
        std::swap(event_, other.event_);
        std::swap(flags_, other.flags_);
        return *this;
    }
    ~CUDAEvent() {
        if (event_ != nullptr) cudaEventDestroy(event_);
    }

    operator cudaEvent_t() const { return event(); }
    bool isCreated() const { return event_ != nullptr; }
    DeviceIndex device_index() const { return isCreated() ? 0 : -1; }
    std::optional<Device> device() const {
        return isCreated() ? std::optional(Device(DeviceType::CUDA, 0)) : std::nullopt;
    }
    cudaEvent_t event() const { return event_; }
    bool query() const { return true; }

    void record() { record(getCurrentCUDAStream()); }
    void record(const CUDAStream &stream) {
        if (!isCreated()) C10_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags_));
        C10_CUDA_CHECK(cudaEventRecord(event_, stream));
    }
    void recordOnce(const CUDAStream &stream) {
        if (!isCreated()) record(stream);
    }
    void block(const CUDAStream &) {}
    void synchronize() const {}
    /* Milliseconds. */
    float elapsed_time(const CUDAEvent &other) const {
        TORCH_CHECK(isCreated() && other.isCreated(), "Both events must be recorded before calculating elapsed time.");
        float found = 0;
        C10_CUDA_CHECK(cudaEventElapsedTime(&found, event_, other.event_));
        return found;
    }

private:
    cudaEvent_t event_ = nullptr;
    unsigned flags_ = cudaEventDisableTiming;
};

}  // namespace c10::cuda
