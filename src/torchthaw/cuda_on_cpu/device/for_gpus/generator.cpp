/* generator.cpp: the generators of a PyTorch built for CUDA are its own: a seed, and an offset that says how much of a
 * sequence was drawn. Each operator draws from a generator for the CPU whose seed is made of both. */
#include "../generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>

#include <mutex>

namespace cuda_on_cpu {

namespace {

/* Numbers that differ little give numbers that differ in half of their bits: splitmix64, by Sebastiano Vigna. */
uint64_t mixed(uint64_t seed, uint64_t offset) {
    uint64_t bits = seed + 0x9e3779b97f4a7c15 * (offset + 1);
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
}

}  // namespace

const at::Generator &default_generator() { return at::cuda::detail::getDefaultCUDAGenerator(0); }

at::Generator new_generator() { return at::cuda::detail::createCUDAGenerator(0); }

at::Generator generator_on_cpu(const std::optional<at::Generator> &given) {
    at::Generator of_device = of_cuda(given);
    const std::lock_guard<std::mutex> lock(of_device.mutex());
    const auto [seed, offset] = of_device.get<at::CUDAGeneratorImpl>()->philox_engine_inputs(4);
    return at::make_generator<at::CPUGeneratorImpl>(mixed(seed, offset));
}

}  // namespace cuda_on_cpu
