// portable/cuda/random.h: seeds of kernels that draw random numbers, from a generator of PyTorch.
#pragma once
#include "streams.h"

namespace at {

/// What a kernel starts curand_init's Philox with. In a captured graph PyTorch replaces both before each replay.
struct PhiloxCudaState {
    PhiloxCudaState() = default;
    PhiloxCudaState(uint64_t seed, uint64_t offset) : seed_(seed), offset_(offset) {}
    uint64_t seed_ = 0, offset_ = 0;
};

/// A generator of a device of CUDA.
class CUDAGeneratorImpl {
  public:
    explicit CUDAGeneratorImpl(Generator generator) : generator_(std::move(generator)) {}
    static DeviceType device_type() { return kCUDA; }
    std::mutex &mutex_ = Generator().mutex();
    bool is_of(const Generator &generator) const { return generator_ == generator; }
    /// Takes `increment` numbers for each thread. c10::Error while the current stream is captured in a graph.
    PhiloxCudaState philox_cuda_state(uint64_t increment) {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        C10_CUDA_CHECK(cudaStreamIsCapturing(cuda::getCurrentCUDAStream(), &status));
        TORCH_CHECK(status == cudaStreamCaptureStatusNone,
                    "philox_cuda_state: expected a stream that is not captured in a graph: portable extensions have no seeds of graphs");
        const auto [seed, offset] = ::torchthaw::cuda::philox(generator_, increment);
        return {seed, offset};
    }
    std::pair<uint64_t, uint64_t> philox_engine_inputs(uint64_t increment) {
        const PhiloxCudaState state = philox_cuda_state(increment);
        return {state.seed_, state.offset_};
    }
    void set_current_seed(uint64_t seed) { generator_.set_current_seed(seed); }
    uint64_t current_seed() const { return generator_.current_seed(); }
    uint64_t seed() { return generator_.seed(); }
    Device device() const { return generator_.device(); }

  private:
    Generator generator_;
};

namespace cuda {
namespace detail {

/// The one of torch.cuda.default_generators; -1: of the current device.
inline const Generator &getDefaultCUDAGenerator(DeviceIndex device = -1) {
    static std::mutex lock;
    static std::map<int, Generator> known;
    device = device_or_current(device);
    std::lock_guard<std::mutex> guard(lock);
    auto found = known.find(device);
    if (found == known.end()) found = known.emplace(device, ::torchthaw::cuda::default_generator(device)).first;
    return found->second;
}

}  // namespace detail

namespace philox {
/// (seed, offset)
inline C10_HOST_DEVICE std::tuple<uint64_t, uint64_t> unpack(PhiloxCudaState state) {
    return std::make_tuple(state.seed_, state.offset_);
}
}  // namespace philox

}  // namespace cuda
}  // namespace at
