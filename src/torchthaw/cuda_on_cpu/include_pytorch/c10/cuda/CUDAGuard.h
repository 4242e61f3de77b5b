/* c10/cuda/CUDAGuard.h for TORCHTHAW_CUDA=cpu: guards of the device, which is the only one, and of the stream. */
#pragma once

#include <c10/core/DeviceGuard.h>
#include <c10/core/StreamGuard.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/ArrayRef.h>

#include <optional>
#include <vector>

namespace c10::cuda {

inline Device device_of_cuda(Device device) {
    TORCH_CHECK(device.is_cuda(), "expected a CUDA device, got ", device);
    return device;
}

struct CUDAGuard {
    explicit CUDAGuard(DeviceIndex device) : guard_(Device(DeviceType::CUDA, device)) {}
    explicit CUDAGuard(Device device) : guard_(device_of_cuda(device)) {}

    void set_device(Device device) { guard_.reset_device(device_of_cuda(device)); }
    void reset_device(Device device) { set_device(device); }
    void set_index(DeviceIndex device) { guard_.set_index(device); }
    Device original_device() const { return guard_.original_device(); }
    Device current_device() const { return guard_.current_device(); }

private:
    DeviceGuard guard_;
};

struct OptionalCUDAGuard {
    OptionalCUDAGuard() = default;
    explicit OptionalCUDAGuard(std::optional<Device> device) {
        if (device.has_value()) set_device(*device);
    }
    explicit OptionalCUDAGuard(std::optional<DeviceIndex> device) {
        if (device.has_value()) set_index(*device);
    }

    void set_device(Device device) {
        if (guard_.has_value()) return guard_->reset_device(device_of_cuda(device));
        guard_.emplace(device_of_cuda(device));
    }
    void reset_device(Device device) { set_device(device); }
    void set_index(DeviceIndex device) { set_device({DeviceType::CUDA, device}); }
    std::optional<Device> original_device() const {
        return guard_.has_value() ? std::optional(guard_->original_device()) : std::nullopt;
    }
    std::optional<Device> current_device() const {
        return guard_.has_value() ? std::optional(guard_->current_device()) : std::nullopt;
    }
    void reset() { guard_.reset(); }

private:
    std::optional<DeviceGuard> guard_;
};

struct CUDAStreamGuard {
    explicit CUDAStreamGuard(Stream stream) : guard_(CUDAStream(stream).unwrap()) {}

    void reset_stream(Stream stream) { guard_.reset_stream(CUDAStream(stream).unwrap()); }
    CUDAStream original_stream() const { return CUDAStream(guard_.original_stream()); }
    CUDAStream current_stream() const { return CUDAStream(guard_.current_stream()); }
    Device current_device() const { return guard_.current_device(); }
    Device original_device() const { return guard_.original_device(); }

private:
    StreamGuard guard_;
};

struct OptionalCUDAStreamGuard {
    OptionalCUDAStreamGuard() = default;
    explicit OptionalCUDAStreamGuard(Stream stream) : guard_(CUDAStream(stream).unwrap()) {}
    explicit OptionalCUDAStreamGuard(std::optional<Stream> stream) {
        if (stream.has_value()) reset_stream(*stream);
    }

    void reset_stream(Stream stream) { guard_.reset_stream(CUDAStream(stream).unwrap()); }
    std::optional<CUDAStream> original_stream() const { return of(guard_.original_stream()); }
    std::optional<CUDAStream> current_stream() const { return of(guard_.current_stream()); }
    void reset() { guard_.reset(); }

private:
    static std::optional<CUDAStream> of(const std::optional<Stream> &stream) {
        return stream.has_value() ? std::optional(CUDAStream(*stream)) : std::nullopt;
    }
    OptionalStreamGuard guard_;
};

struct CUDAMultiStreamGuard {
    explicit CUDAMultiStreamGuard(ArrayRef<CUDAStream> streams) : guard_(unwrapped(streams)) {}

private:
    static std::vector<Stream> unwrapped(ArrayRef<CUDAStream> streams) { return {streams.begin(), streams.end()}; }
    MultiStreamGuard guard_;
};

}  // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAMultiStreamGuard;
using c10::cuda::CUDAStreamGuard;
using c10::cuda::OptionalCUDAGuard;
using c10::cuda::OptionalCUDAStreamGuard;
}  // namespace at::cuda
