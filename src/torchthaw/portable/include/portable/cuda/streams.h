// portable/cuda/streams.h: streams of CUDA, events, and guards of the current device and stream.
#pragma once
#include "device.h"

namespace c10 {

using StreamId = int64_t;

/// A device and a queue of its work. id: the address of the cudaStream_t.
class Stream {
  public:
    enum Unsafe { UNSAFE };
    Stream(Unsafe, Device device, StreamId id) : device_(device), id_(id) {}
    Device device() const { return device_; }
    DeviceType device_type() const { return device_.type(); }
    DeviceIndex device_index() const { return device_.index(); }
    StreamId id() const { return id_; }
    bool operator==(const Stream &other) const { return device_ == other.device_ && id_ == other.id_; }
    bool operator!=(const Stream &other) const { return !(*this == other); }

  private:
    Device device_;
    StreamId id_;
};
inline std::ostream &operator<<(std::ostream &out, const Stream &stream) {
    return out << "stream " << stream.id() << " on device " << stream.device();
}

namespace cuda {

/// A stream of CUDA, borrowed.
class CUDAStream {
  public:
    enum Unchecked { UNCHECKED };
    explicit CUDAStream(Stream stream) : stream_(stream) {
        TORCH_CHECK(stream.device_type() == DeviceType::CUDA, "stream: expected one of CUDA, got ", stream);
    }
    CUDAStream(Unchecked, Stream stream) : stream_(stream) {}
    CUDAStream(cudaStream_t stream, DeviceIndex device)
        : stream_(Stream::UNSAFE, Device(DeviceType::CUDA, device), reinterpret_cast<StreamId>(stream)) {}

    cudaStream_t stream() const { return reinterpret_cast<cudaStream_t>(stream_.id()); }
    operator cudaStream_t() const { return stream(); }
    operator Stream() const { return stream_; }
    Stream unwrap() const { return stream_; }
    StreamId id() const { return stream_.id(); }
    Device device() const { return stream_.device(); }
    DeviceType device_type() const { return DeviceType::CUDA; }
    DeviceIndex device_index() const { return stream_.device_index(); }
    /// Whether all of its work is done.
    bool query() const {
        const cudaError_t state = cudaStreamQuery(stream());
        if (state == cudaErrorNotReady) static_cast<void>(cudaGetLastError());
        else C10_CUDA_CHECK(state);
        return state == cudaSuccess;
    }
    void synchronize() const { stream_synchronize(stream()); }
    int priority() const {
        int priority = 0;
        C10_CUDA_CHECK(cudaStreamGetPriority(stream(), &priority));
        return priority;
    }
    /// (lowest, highest)
    static std::tuple<int, int> priority_range() {
        int least = 0, greatest = 0;
        C10_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
        return {least, greatest};
    }
    bool operator==(const CUDAStream &other) const noexcept { return stream_ == other.stream_; }
    bool operator!=(const CUDAStream &other) const noexcept { return stream_ != other.stream_; }

  private:
    Stream stream_;
};
inline std::ostream &operator<<(std::ostream &out, const CUDAStream &stream) { return out << stream.unwrap(); }

// Of the current device where `device` is -1.
inline DeviceIndex device_or_current(DeviceIndex device) { return device < 0 ? current_device() : device; }

/// The stream that PyTorch launches on in this thread.
inline CUDAStream getCurrentCUDAStream(DeviceIndex device = -1) {
    device = device_or_current(device);
    return {static_cast<cudaStream_t>(::torchthaw::cuda::current_stream(device)), device};
}
inline CUDAStream getDefaultCUDAStream(DeviceIndex device = -1) { return {nullptr, device_or_current(device)}; }
inline CUDAStream getStreamFromPool(bool high_priority = false, DeviceIndex device = -1) {
    device = device_or_current(device);
    return {static_cast<cudaStream_t>(::torchthaw::cuda::stream_from_pool(high_priority, device)), device};
}
inline CUDAStream getStreamFromPool(int priority, DeviceIndex device = -1) { return getStreamFromPool(priority < 0, device); }
inline CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device) { return {stream, device_or_current(device)}; }
inline void setCurrentCUDAStream(CUDAStream stream) {
    ::torchthaw::cuda::set_current_stream(stream.stream(), stream.device_index());
}

/// Makes a device the current one until it is destroyed. -1 changes nothing.
class CUDAGuard {
  public:
    explicit CUDAGuard(DeviceIndex device) : before_(ExchangeDevice(device)), now_(device < 0 ? before_ : device) {}
    explicit CUDAGuard(Device device) : CUDAGuard(index(device)) {}
    ~CUDAGuard() { static_cast<void>(SetDevice(before_)); }
    CUDAGuard(const CUDAGuard &) = delete;
    CUDAGuard &operator=(const CUDAGuard &) = delete;
    void set_index(DeviceIndex device) {
        if (device < 0) return;
        cuda::set_device(device);
        now_ = device;
    }
    void set_device(Device device) { set_index(index(device)); }
    void reset_device(Device device) { set_device(device); }
    Device original_device() const { return {DeviceType::CUDA, before_}; }
    Device current_device() const { return {DeviceType::CUDA, now_}; }

  private:
    static DeviceIndex index(Device device) {
        TORCH_CHECK(device.is_cuda(), "device: expected one of CUDA, got ", device);
        return device.index();
    }
    DeviceIndex before_, now_;
};

/// A CUDAGuard or none.
class OptionalCUDAGuard {
  public:
    OptionalCUDAGuard() = default;
    explicit OptionalCUDAGuard(std::optional<Device> device) {
        if (device) guard_.emplace(*device);
    }
    explicit OptionalCUDAGuard(std::optional<DeviceIndex> device) {
        if (device) guard_.emplace(*device);
    }
    void set_device(Device device) {
        if (guard_) guard_->set_device(device);
        else guard_.emplace(device);
    }
    void reset_device(Device device) { set_device(device); }
    void set_index(DeviceIndex device) { set_device(Device(DeviceType::CUDA, device)); }
    std::optional<Device> original_device() const { return guard_ ? std::optional<Device>(guard_->original_device()) : std::nullopt; }
    std::optional<Device> current_device() const { return guard_ ? std::optional<Device>(guard_->current_device()) : std::nullopt; }
    void reset() { guard_.reset(); }

  private:
    std::optional<CUDAGuard> guard_;
};

/// Makes a stream, and its device, the current ones until it is destroyed.
class CUDAStreamGuard {
  public:
    explicit CUDAStreamGuard(Stream stream)
        : device_(stream.device()), before_(getCurrentCUDAStream(stream.device_index())), now_(stream) {
        setCurrentCUDAStream(now_);
    }
    ~CUDAStreamGuard() {
        try {
            setCurrentCUDAStream(before_);
        } catch (const std::exception &) {  // PyTorch ends
        }
    }
    CUDAStreamGuard(const CUDAStreamGuard &) = delete;
    CUDAStreamGuard &operator=(const CUDAStreamGuard &) = delete;
    CUDAStream original_stream() const { return before_; }
    CUDAStream current_stream() const { return now_; }
    Device original_device() const { return device_.original_device(); }
    Device current_device() const { return device_.current_device(); }
    void reset_stream(Stream stream) {
        setCurrentCUDAStream(before_);
        device_.set_device(stream.device());
        before_ = getCurrentCUDAStream(stream.device_index());
        setCurrentCUDAStream(now_ = CUDAStream(stream));
    }

  private:
    CUDAGuard device_;
    CUDAStream before_, now_;
};

/// A CUDAStreamGuard or none.
class OptionalCUDAStreamGuard {
  public:
    OptionalCUDAStreamGuard() = default;
    explicit OptionalCUDAStreamGuard(std::optional<Stream> stream) {
        if (stream) guard_.emplace(*stream);
    }
    void reset_stream(Stream stream) {
        if (guard_) guard_->reset_stream(stream);
        else guard_.emplace(stream);
    }
    std::optional<CUDAStream> original_stream() const { return guard_ ? std::optional<CUDAStream>(guard_->original_stream()) : std::nullopt; }
    std::optional<CUDAStream> current_stream() const { return guard_ ? std::optional<CUDAStream>(guard_->current_stream()) : std::nullopt; }
    void reset() { guard_.reset(); }

  private:
    std::optional<CUDAStreamGuard> guard_;
};

}  // namespace cuda
}  // namespace c10

namespace std {
template <>
struct hash<c10::Stream> {
    size_t operator()(const c10::Stream &stream) const noexcept { return hash<int64_t>()(stream.id()) ^ size_t(stream.device_index()); }
};
template <>
struct hash<c10::cuda::CUDAStream> {
    size_t operator()(const c10::cuda::CUDAStream &stream) const noexcept { return hash<c10::Stream>()(stream.unwrap()); }
};
}  // namespace std

namespace at::cuda {

/// A mark in a stream, of the device where it is first recorded. Without timing unless flags say so.
class CUDAEvent {
  public:
    CUDAEvent() = default;
    explicit CUDAEvent(unsigned flags) : flags_(flags) {}
    ~CUDAEvent() {
        if (event_) C10_CUDA_IGNORE_ERROR(cudaEventDestroy(event_));
    }
    CUDAEvent(CUDAEvent &&other) noexcept { *this = std::move(other); }
    CUDAEvent &operator=(CUDAEvent &&other) noexcept {
        std::swap(flags_, other.flags_), std::swap(recorded_, other.recorded_);
        std::swap(device_, other.device_), std::swap(event_, other.event_);
        return *this;
    }
    operator cudaEvent_t() const { return event_; }
    cudaEvent_t event() const { return event_; }
    bool isCreated() const { return event_ != nullptr; }
    DeviceIndex device_index() const { return device_; }
    std::optional<Device> device() const { return event_ ? std::optional<Device>(Device(kCUDA, device_)) : std::nullopt; }
    void record() { record(getCurrentCUDAStream()); }
    void recordOnce(const CUDAStream &stream) {
        if (!recorded_) record(stream);
    }
    void record(const CUDAStream &stream) {
        if (!event_) {
            CUDAGuard guard(device_ = stream.device_index());
            C10_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags_));
        }
        TORCH_CHECK(device_ == stream.device_index(), "Event device ", int(device_), " does not match recording stream's device ", int(stream.device_index()), ".");
        CUDAGuard guard(device_);
        C10_CUDA_CHECK(cudaEventRecord(event_, stream));
        recorded_ = true;
    }
    /// Has the stream wait for the mark.
    void block(const CUDAStream &stream) {
        if (!event_) return;
        CUDAGuard guard(stream.device_index());
        C10_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0));
    }
    bool query() const {
        const cudaError_t state = event_ ? cudaEventQuery(event_) : cudaSuccess;
        if (state == cudaErrorNotReady) static_cast<void>(cudaGetLastError());
        else C10_CUDA_CHECK(state);
        return state == cudaSuccess;
    }
    void synchronize() const {
        if (event_) C10_CUDA_CHECK(cudaEventSynchronize(event_));
    }
    /// Milliseconds between two marks with timing.
    float elapsed_time(const CUDAEvent &other) const {
        TORCH_CHECK(event_ && other.event_, "Both events must be recorded before calculating elapsed time.");
        float milliseconds = 0;
        C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, event_, other.event_));
        return milliseconds;
    }

  private:
    unsigned flags_ = cudaEventDisableTiming;
    bool recorded_ = false;
    DeviceIndex device_ = -1;
    cudaEvent_t event_ = nullptr;
};

}  // namespace at::cuda
