/* ATen/cuda/CUDAGeneratorImpl.h for TORCHTHAW_CUDA=cpu: the generator of the device on the CPU. */
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/cuda/PhiloxCudaState.h>
#include <c10/core/GeneratorImpl.h>

#include <cstdint>
#include <utility>

namespace at {

struct TORCH_API CUDAGeneratorImpl : public c10::GeneratorImpl {
    CUDAGeneratorImpl(DeviceIndex device_index = -1);

    void set_current_seed(uint64_t seed) override;
    void set_offset(uint64_t offset) override;
    uint64_t get_offset() const override;
    uint64_t current_seed() const override;
    uint64_t seed() override;
    void set_state(const c10::TensorImpl &state) override;
    c10::intrusive_ptr<c10::TensorImpl> get_state() const override;

    void set_philox_offset_per_thread(uint64_t offset) { set_offset(offset); }
    uint64_t philox_offset_per_thread() const { return get_offset(); }
    /* The seed and the offset from before the call; the offset grows by `increment`, rounded up to a multiple of 4. */
    PhiloxCudaState philox_cuda_state(uint64_t increment);
    std::pair<uint64_t, uint64_t> philox_engine_inputs(uint64_t increment);

    static c10::DeviceType device_type() { return c10::DeviceType::CUDA; }

    Generator numbers; /* of the CPU: what PyTorch's own operators draw */

private:
    CUDAGeneratorImpl *clone_impl() const override;

    uint64_t offset_ = 0;
};

namespace cuda::detail {
TORCH_API const Generator &getDefaultCUDAGenerator(DeviceIndex device_index = -1);
TORCH_API Generator createCUDAGenerator(DeviceIndex device_index = -1);
}  // namespace cuda::detail

}  // namespace at
