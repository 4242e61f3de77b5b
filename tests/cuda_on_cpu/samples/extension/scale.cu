// tests/cuda_on_cpu/samples/extension/scale.cu: a C++ extension with CUDA, as projects of today write it: out = factor * x,
// and its sum by atomics. test_device_extensions.py builds it.
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/DeviceUtils.cuh>
#include <ATen/cuda/detail/IndexUtils.cuh>
#include <ATen/cuda/detail/KernelUtils.h>
#include <ATen/cuda/detail/TensorInfo.cuh>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAMathCompat.h>
#include <torch/extension.h>

#include <tuple>
#include <vector>

template <typename T> __global__ void scale_kernel(const T *x, T factor, T *out, T *sum, int count) {
    CUDA_KERNEL_LOOP(i, count) {
        out[i] = x[i] * factor;
        gpuAtomicAdd(sum, out[i]);
    }
}

std::tuple<at::Tensor, at::Tensor> scale(const at::Tensor &x, double factor) {
    TORCH_CHECK(x.is_cuda(), "x: expected a CUDA tensor, got one on ", x.device());
    const at::cuda::OptionalCUDAGuard guard(x.device());
    const at::Tensor input = x.contiguous();
    at::Tensor out = at::empty_like(input), sum = at::zeros({}, input.options());
    const int count = static_cast<int>(input.numel());
    cudaDeviceProp *properties = at::cuda::getCurrentDeviceProperties();
    TORCH_CHECK(properties->clockRate > 0, "a member that CUDA 13 removed");
    TORCH_CHECK(at::cuda::getDeviceProperties(0)->computeMode == cudaComputeModeDefault, "the same");
    const int threads = properties->warpSize * 4;
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(input.scalar_type(), "scale", [&] {
        scale_kernel<scalar_t><<<(count + threads - 1) / threads, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
            input.data_ptr<scalar_t>(), static_cast<scalar_t>(factor), out.data_ptr<scalar_t>(),
            sum.data_ptr<scalar_t>(), count);
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {out, sum};
}

void launch_too_many() {
    scale_kernel<float><<<1, 5000>>>(nullptr, 1, nullptr, nullptr, 0);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

// What the headers say: streams, guards, events, memory, the generator.
std::vector<int64_t> answers() {
    const at::cuda::CUDAStream stream = at::cuda::getStreamFromPool();
    const bool is_current_inside = [&] {
        const at::cuda::CUDAStreamGuard guard(stream);
        return at::cuda::getCurrentCUDAStream() == stream;
    }();
    at::cuda::CUDAEvent event;
    event.record(stream);
    event.synchronize();
    void *memory = c10::cuda::CUDACachingAllocator::raw_alloc(64);
    const bool has_memory = memory != nullptr;
    c10::cuda::CUDACachingAllocator::raw_delete(memory);
    auto generator = at::get_generator_or_default<at::CUDAGeneratorImpl>({}, at::cuda::detail::getDefaultCUDAGenerator());
    const auto [seed, offset] = generator->philox_engine_inputs(5);
    return {is_current_inside, at::cuda::getCurrentCUDAStream() == at::cuda::getDefaultCUDAStream(), event.query(),
            has_memory, c10::cuda::device_count(), at::cuda::warp_size(), static_cast<int64_t>(seed),
            static_cast<int64_t>(generator->philox_offset_per_thread() - offset),
            !at::cuda::detail::maybeOverlappingIndices(at::ones({2, 3}, at::kCUDA))};
}

void ask_headers();  // of headers.cpp

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
    module.def("scale", &scale);
    module.def("launch_too_many", &launch_too_many);
    module.def("answers", &answers);
    module.def("ask_headers", &ask_headers);
}
