/* c10/cuda/CUDAStream.h for TORCHTHAW_CUDA=cpu: the number of a stream is the address of the runtime's stream. */
#pragma once

#include <c10/core/DeviceGuard.h>
#include <c10/core/Stream.h>
#include <c10/cuda/CUDAFunctions.h>

#include <functional>
#include <ostream>
#include <tuple>

namespace c10::cuda {

class CUDAStream {
public:
    enum Unchecked { UNCHECKED };

    explicit CUDAStream(Stream stream) : stream_(stream) {
        TORCH_CHECK(stream.device_type() == DeviceType::CUDA, "expected a stream of CUDA, got one of ", stream.device());
    }
    explicit CUDAStream(Unchecked, Stream stream) : stream_(stream) {}

    bool operator==(const CUDAStream &other) const noexcept { return unwrap() == other.unwrap(); }
    bool operator!=(const CUDAStream &other) const noexcept { return unwrap() != other.unwrap(); }
    operator cudaStream_t() const { return stream(); }
    operator Stream() const { return unwrap(); }

    DeviceType device_type() const { return DeviceType::CUDA; }
    DeviceIndex device_index() const { return stream_.device_index(); }
    Device device() const { return {DeviceType::CUDA, device_index()}; }
    StreamId id() const { return stream_.id(); }
    bool query() const { return true; }
    void synchronize() const { C10_CUDA_CHECK(cudaStreamSynchronize(stream())); }
    int priority() const { return 0; }
    cudaStream_t stream() const { return reinterpret_cast<cudaStream_t>(stream_.id()); }
    Stream unwrap() const { return stream_; }
    StreamData3 pack3() const { return stream_.pack3(); }
    static CUDAStream unpack3(StreamId id, DeviceIndex device, DeviceType type) {
        return CUDAStream(Stream::unpack3(id, device, type));
    }
    static std::tuple<int, int> priority_range() { return {0, 0}; }

private:
    Stream stream_;
};

/* -1 is the current device. */
inline Device device_of_stream(DeviceIndex device) { return {DeviceType::CUDA, static_cast<DeviceIndex>(device < 0 ? 0 : device)}; }

inline CUDAStream getCurrentCUDAStream(DeviceIndex device = -1) {
    return CUDAStream(guard_impl().getStream(device_of_stream(device)));
}
inline CUDAStream getDefaultCUDAStream(DeviceIndex device = -1) {
    return CUDAStream(guard_impl().getDefaultStream(device_of_stream(device)));
}
inline CUDAStream getStreamFromPool(const bool high_priority = false, DeviceIndex device = -1) {
    return CUDAStream(guard_impl().getStreamFromGlobalPool(device_of_stream(device), high_priority));
}
inline CUDAStream getStreamFromPool(const int priority, DeviceIndex device = -1) {
    return getStreamFromPool(priority < 0, device);
}
inline CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device) {
    return CUDAStream(Stream(Stream::UNSAFE, device_of_stream(device), reinterpret_cast<StreamId>(stream)));
}
inline void setCurrentCUDAStream(CUDAStream stream) { guard_impl().exchangeStream(stream.unwrap()); }

inline std::ostream &operator<<(std::ostream &out, const CUDAStream &stream) { return out << stream.unwrap(); }

}  // namespace c10::cuda

namespace std {
template <> struct hash<c10::cuda::CUDAStream> {
    size_t operator()(c10::cuda::CUDAStream stream) const noexcept { return std::hash<c10::Stream>{}(stream.unwrap()); }
};
}  // namespace std

namespace at::cuda {
using c10::cuda::CUDAStream;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::getStreamFromExternal;
using c10::cuda::getStreamFromPool;
using c10::cuda::setCurrentCUDAStream;
}  // namespace at::cuda
