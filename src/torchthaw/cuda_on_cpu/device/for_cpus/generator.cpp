/* generator.cpp: at::CUDAGeneratorImpl, as include_pytorch/ATen/cuda/CUDAGeneratorImpl.h declares it. */
#include "../generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>

#include <cstring>

#include "../../include_pytorch/ATen/cuda/CUDAGeneratorImpl.h"
#include "../memory.h"

namespace at {

CUDAGeneratorImpl::CUDAGeneratorImpl(DeviceIndex)
    : GeneratorImpl(cuda_on_cpu::DEVICE, DispatchKeySet(c10::DispatchKey::CUDA)), numbers(detail::createCPUGenerator()) {}

void CUDAGeneratorImpl::set_current_seed(uint64_t seed) {
    numbers.set_current_seed(seed);
    offset_ = 0;
}
void CUDAGeneratorImpl::set_offset(uint64_t offset) { offset_ = offset; }
uint64_t CUDAGeneratorImpl::get_offset() const { return offset_; }
uint64_t CUDAGeneratorImpl::current_seed() const { return numbers.current_seed(); }
uint64_t CUDAGeneratorImpl::seed() {
    offset_ = 0;
    return numbers.seed();
}

/* A state is that of the numbers, then the offset. */
void CUDAGeneratorImpl::set_state(const c10::TensorImpl &state) {
    detail::check_rng_state(state);
    const auto size = static_cast<size_t>(state.numel());
    const size_t expected = get_state()->numel();
    TORCH_CHECK(size == expected, "RNG state: expected ", expected, " bytes, got ", size);
    TensorBase of_numbers = detail::empty_cpu({static_cast<int64_t>(size - sizeof offset_)}, kByte, false, {});
    const auto *bytes = static_cast<const char *>(state.data());
    std::memcpy(of_numbers.mutable_data_ptr(), bytes, size - sizeof offset_);
    numbers.unsafeGetGeneratorImpl()->set_state(*of_numbers.unsafeGetTensorImpl());
    std::memcpy(&offset_, bytes + size - sizeof offset_, sizeof offset_);
}

c10::intrusive_ptr<c10::TensorImpl> CUDAGeneratorImpl::get_state() const {
    const auto of_numbers = numbers.unsafeGetGeneratorImpl()->get_state();
    const auto size = static_cast<size_t>(of_numbers->numel());
    TensorBase made = detail::empty_cpu({static_cast<int64_t>(size + sizeof offset_)}, kByte, false, {});
    auto *bytes = static_cast<char *>(made.mutable_data_ptr());
    std::memcpy(bytes, of_numbers->data(), size);
    std::memcpy(bytes + size, &offset_, sizeof offset_);
    return made.getIntrusivePtr();
}

PhiloxCudaState CUDAGeneratorImpl::philox_cuda_state(uint64_t increment) {
    const uint64_t before = offset_;
    offset_ += (increment + 3) / 4 * 4;
    return {current_seed(), before};
}

std::pair<uint64_t, uint64_t> CUDAGeneratorImpl::philox_engine_inputs(uint64_t increment) {
    const uint64_t before = offset_;
    philox_cuda_state(increment);
    return {current_seed(), before};
}

CUDAGeneratorImpl *CUDAGeneratorImpl::clone_impl() const {
    auto *copy = new CUDAGeneratorImpl;
    copy->numbers = numbers.clone();
    copy->offset_ = offset_;
    return copy;
}

}  // namespace at

namespace cuda_on_cpu {

const at::Generator &default_generator() {
    static const auto &made = *new at::Generator(new_generator());
    return made;
}

at::Generator new_generator() { return at::make_generator<at::CUDAGeneratorImpl>(); }

at::Generator generator_on_cpu(const std::optional<at::Generator> &given) {
    return of_cuda(given).get<at::CUDAGeneratorImpl>()->numbers;
}

}  // namespace cuda_on_cpu

namespace at::cuda::detail {
const Generator &getDefaultCUDAGenerator(DeviceIndex) { return cuda_on_cpu::default_generator(); }
Generator createCUDAGenerator(DeviceIndex) { return cuda_on_cpu::new_generator(); }
}  // namespace at::cuda::detail
