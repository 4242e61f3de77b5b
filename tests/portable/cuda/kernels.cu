// kernels.cu: kernels that use what extensions take from ATen/cuda and c10/cuda, unmodified for PyTorch's own headers.
#include <torch/extension.h>

#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAApplyUtils.cuh>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/DeviceUtils.cuh>
#include <ATen/cuda/NumericLimits.cuh>
#include <ATen/cuda/PhiloxUtils.cuh>
#include <ATen/cuda/detail/IndexUtils.cuh>
#include <ATen/cuda/detail/IntegerDivider.cuh>
#include <ATen/cuda/detail/KernelUtils.h>
#include <ATen/cuda/detail/TensorInfo.cuh>
#include <ATen/native/cuda/KernelUtils.cuh>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAMathCompat.h>

using at::cuda::detail::CUDA_NUM_THREADS;
using at::cuda::detail::GET_BLOCKS;
using at::cuda::detail::IndexToOffset;
using at::cuda::detail::TensorInfo;

template <class T>
using Matrix = at::PackedTensorAccessor32<T, 2, at::RestrictPtrTraits>;

template <class T>
__global__ void add_kernel(int n, const Matrix<T> a, const Matrix<T> b, Matrix<T> out) {
    CUDA_KERNEL_LOOP(i, n) {
        const int row = i / out.size(1), column = i % out.size(1);
        out[row][column] = a[row][column] + b[row][column];
    }
}

// a + b of two matrices with any strides
at::Tensor add(const at::Tensor &a, const at::Tensor &b) {
    TORCH_CHECK(a.is_cuda(), "a: expected a tensor of CUDA, got one of ", a.device());
    const at::cuda::CUDAGuard guard(a.device());
    at::Tensor out = at::empty(a.sizes(), a.options());
    if (out.numel() == 0) return out;
    AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(at::kHalf, at::kBFloat16, a.scalar_type(), "add", [&] {
        add_kernel<scalar_t><<<GET_BLOCKS(out.numel()), CUDA_NUM_THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
            out.numel(), a.packed_accessor32<scalar_t, 2, at::RestrictPtrTraits>(),
            b.packed_accessor32<scalar_t, 2, at::RestrictPtrTraits>(), out.packed_accessor32<scalar_t, 2, at::RestrictPtrTraits>());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

enum { GPU_ADD, PLAIN_ADD, NO_RETURN_ADD, FAST_ADD, MUL, MAX, MIN };

template <class T>
__global__ void scatter_kernel(int64_t n, const int64_t *index, const T *source, T *out, int64_t size, int how) {
    CUDA_KERNEL_LOOP_TYPE(i, n, int64_t) {
        T *at = out + index[i];
        if (how == GPU_ADD) gpuAtomicAdd(at, source[i]);
        if (how == PLAIN_ADD) atomicAdd(at, source[i]);
        if (how == NO_RETURN_ADD) gpuAtomicAddNoReturn(at, source[i]);
        if (how == FAST_ADD) at::native::fastAtomicAdd(out, index[i], size, source[i], true);
        if constexpr (!c10::is_complex<T>::value && !std::is_same_v<T, bool>) {
            if (how == MUL) gpuAtomicMul(at, source[i]);
            if (how == MAX) gpuAtomicMax(at, source[i]);
            if (how == MIN) gpuAtomicMin(at, source[i]);
        }
    }
}

// out[index[i]] = out[index[i]] (how) source[i] for every i, in any order
void scatter(at::Tensor out, const at::Tensor &index, const at::Tensor &source, int how) {
    const c10::cuda::OptionalCUDAGuard guard(at::device_of(out));
    AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(at::kHalf, at::kBFloat16, at::kBool, out.scalar_type(), "scatter", [&] {
        scatter_kernel<scalar_t><<<GET_BLOCKS(source.numel(), 64), 64, 0, at::cuda::getCurrentCUDAStream()>>>(
            source.numel(), index.data_ptr<int64_t>(), source.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), out.numel(), how);
    });
    AT_CUDA_CHECK(cudaGetLastError());
}

// sums of 32 numbers each, by every way that threads of a warp exchange values
template <class T>
__global__ void warps_kernel(const T *in, T *out, int *ballots) {
    const int lane = threadIdx.x;
    const T value = in[blockIdx.x * 32 + lane];
    T down = value, all = value;
    for (int step = 16; step; step /= 2) down = down + WARP_SHFL_DOWN(down, step);
    for (int step = 16; step; step /= 2) all = all + WARP_SHFL_XOR(all, step);
    T up = WARP_SHFL_UP(value, 1);
    T first = WARP_SHFL(value, 0);
    WARP_SYNC();
    const unsigned even = WARP_BALLOT(lane % 2 == 0);
    T *row = out + blockIdx.x * 4;
    if (lane == 0) row[0] = down;
    if (lane == 5) row[1] = all;
    if (lane == 31) row[2] = up, row[3] = first, ballots[blockIdx.x] = int(even == 0x55555555u && ACTIVE_MASK() != 0);
}

std::tuple<at::Tensor, at::Tensor> warps(const at::Tensor &in) {
    at::Tensor out = at::empty({in.size(0), 4}, in.options()), ballots = at::zeros({in.size(0)}, in.options().dtype(at::kInt));
    AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(at::kHalf, at::kBFloat16, in.scalar_type(), "warps", [&] {
        warps_kernel<scalar_t><<<in.size(0), 32, 0, at::cuda::getCurrentCUDAStream()>>>(
            in.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), ballots.data_ptr<int>());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {out, ballots};
}

template <class T>
__global__ void copy_kernel(TensorInfo<T, int> from, TensorInfo<T, int> to, at::cuda::detail::IntDivider<unsigned> seven, int n) {
    CUDA_KERNEL_LOOP(i, n) {
        const auto parts = seven.divmod(unsigned(i));
        const int same = int(parts.div * 7 + parts.mod);
        to.data[IndexToOffset<T, int, -1>::get(same, to)] = *(from.data + IndexToOffset<T, int, -1>::get(i, from));
    }
}

// a copy by indices; and the dimensions that are left when neighbours are joined
std::tuple<at::Tensor, std::vector<int64_t>, int64_t> copy(const at::Tensor &from, int64_t exclude) {
    at::Tensor to = at::empty(from.sizes(), from.options());
    TORCH_CHECK(at::cuda::detail::canUse32BitIndexMath(from), "too large");
    auto source = at::cuda::detail::getTensorInfo<float, int>(from), target = at::cuda::detail::getTensorInfo<float, int>(to);
    copy_kernel<float><<<GET_BLOCKS(from.numel()), CUDA_NUM_THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(source, target, {7}, from.numel());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    const int kept = source.collapseDims(int(exclude));
    std::vector<int64_t> left;
    for (int i = 0; i < source.dims; ++i) left.push_back(source.sizes[i]), left.push_back(source.strides[i]);
    return {to, left, kept};
}

__global__ void limits_kernel(double *out) {
    out[0] = at::numeric_limits<float>::lowest(), out[1] = at::numeric_limits<int>::upper_bound();
    out[2] = at::numeric_limits<double>::lower_bound(), out[3] = at::numeric_limits<uint8_t>::max();
    out[4] = c10::cuda::compat::pow(2.0, 3.0) + c10::cuda::compat::max(1.0f, 2.0f) + c10::cuda::compat::abs(-1.0);
    float sine, cosine;
    c10::cuda::compat::sincos(0.0f, &sine, &cosine);
    out[5] = sine + cosine + c10::cuda::compat::rsqrt(0.25);
}

at::Tensor limits() {
    at::Tensor out = at::empty({6}, at::device(at::kCUDA).dtype(at::kDouble));
    limits_kernel<<<1, 1, 0, at::cuda::getCurrentCUDAStream()>>>(out.data_ptr<double>());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

// what a stream of the pool was while it was the current one; that of before is back
bool streams() {
    const auto before = at::cuda::getCurrentCUDAStream();
    const auto other = at::cuda::getStreamFromPool(/*isHighPriority=*/false, before.device_index());
    bool right = before == c10::cuda::getCurrentCUDAStream(before.device_index());
    {
        const c10::cuda::CUDAStreamGuard guard(other);
        right = right && at::cuda::getCurrentCUDAStream() == other && guard.original_stream() == before && guard.current_stream() == other;
    }
    right = right && at::cuda::getCurrentCUDAStream() == before;
    c10::cuda::OptionalCUDAStreamGuard none;
    right = right && !none.current_stream();
    none.reset_stream(other);
    right = right && *none.current_stream() == other;
    none.reset();
    c10::cuda::setCurrentCUDAStream(other);
    right = right && at::cuda::getCurrentCUDAStream().stream() == other.stream();
    c10::cuda::setCurrentCUDAStream(before);
    other.synchronize();
    return right && other.query() && at::cuda::getDefaultCUDAStream().stream() == nullptr &&
           at::cuda::getStreamFromExternal(other, 0) == other && std::hash<c10::cuda::CUDAStream>()(other) == std::hash<c10::cuda::CUDAStream>()(other);
}

// whether events order two streams and tell the time
bool events() {
    const auto stream = at::cuda::getCurrentCUDAStream(), other = at::cuda::getStreamFromPool();
    at::cuda::CUDAEvent none, first(cudaEventDefault), last(cudaEventDefault);
    bool right = !none.isCreated() && none.query() && !none.device();
    first.record(stream);
    last.record();
    last.block(other);
    last.synchronize();
    at::cuda::CUDAEvent moved = std::move(first);
    return right && moved.isCreated() && last.query() && moved.elapsed_time(last) >= 0 && moved.device_index() == stream.device_index();
}

// memory of the caching allocator: what a copy through it gives
at::Tensor through_raw_memory(const at::Tensor &in) {
    namespace allocator = c10::cuda::CUDACachingAllocator;
    const size_t bytes = in.numel() * in.element_size();
    const auto stream = at::cuda::getCurrentCUDAStream();
    at::Tensor out = at::empty_like(in);
    void *raw = allocator::raw_alloc(bytes), *by_stream = allocator::raw_alloc_with_stream(bytes, stream);
    at::DataPtr kept = allocator::get()->allocate(bytes);
    allocator::recordStream(kept, stream);
    C10_CUDA_CHECK(cudaMemcpyAsync(raw, in.data_ptr(), bytes, cudaMemcpyDeviceToDevice, stream));
    C10_CUDA_CHECK(cudaMemcpyAsync(by_stream, raw, bytes, cudaMemcpyDeviceToDevice, stream));
    C10_CUDA_CHECK(cudaMemcpyAsync(kept.get(), by_stream, bytes, cudaMemcpyDeviceToDevice, stream));
    c10::cuda::memcpy_and_sync(out.data_ptr(), kept.get(), bytes, cudaMemcpyDeviceToDevice, stream);
    allocator::raw_delete(raw);
    allocator::raw_delete(by_stream);
    allocator::raw_delete(nullptr);
    TORCH_CHECK(allocator::raw_alloc(0) == nullptr, "memory of no bytes");
    allocator::emptyCache();
    return out;
}

__global__ void unpack_kernel(at::PhiloxCudaState state, int64_t *out) {
    const auto seeds = at::cuda::philox::unpack(state);
    out[0] = int64_t(std::get<0>(seeds));
    out[1] = int64_t(std::get<1>(seeds));
}

// the seed and the offset that a kernel gets for `increment` numbers of each thread
at::Tensor philox(const std::optional<at::Generator> &given, int64_t increment) {
    auto *generator = at::get_generator_or_default<at::CUDAGeneratorImpl>(given, at::cuda::detail::getDefaultCUDAGenerator());
    std::lock_guard<std::mutex> lock(generator->mutex_);
    at::Tensor out = at::empty({2}, at::device(at::kCUDA).dtype(at::kLong));
    unpack_kernel<<<1, 1, 0, at::cuda::getCurrentCUDAStream()>>>(generator->philox_cuda_state(increment), out.data_ptr<int64_t>());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

// The number of the current device, how many there are, the size of its warps, and what the guards said.
std::vector<int64_t> devices() {
    const c10::cuda::CUDAGuard guard(c10::DeviceIndex(0));
    c10::cuda::OptionalCUDAGuard none, some(at::Device(at::kCUDA, 0));
    c10::cuda::device_synchronize();
    c10::cuda::set_device(0);
    return {c10::cuda::current_device(), c10::cuda::device_count(), at::cuda::warp_size(), at::cuda::getCurrentDeviceProperties()->major,
            guard.original_device().index(), none.current_device() ? 1 : 0, some.current_device()->index(), c10::cuda::ExchangeDevice(0),
            at::cuda::ATenCeilDiv(7, 2), at::cuda::is_available(), at::cuda::getNumGPUs()};
}

void wrong(const std::string &what) {
    if (what == "call") C10_CUDA_CHECK(cudaMemcpy(nullptr, nullptr, 8, cudaMemcpyKind(77)));
    if (what == "launch") {
        limits_kernel<<<1, 4096>>>(nullptr);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    if (what == "guard") c10::cuda::CUDAGuard guard(at::Device(at::kCPU));
    if (what == "device") at::cuda::getDeviceProperties(99);
    if (what == "blocks") GET_BLOCKS(0);
    if (what == "events") at::cuda::CUDAEvent().elapsed_time(at::cuda::CUDAEvent());
    if (what == "warning") C10_CUDA_CHECK_WARN(cudaErrorInvalidValue);
    if (what == "ignored") C10_CUDA_IGNORE_ERROR(cudaErrorInvalidValue);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("add", &add);
    m.def("scatter", &scatter);
    m.def("warps", &warps);
    m.def("copy", &copy);
    m.def("limits", &limits);
    m.def("streams", &streams);
    m.def("events", &events);
    m.def("through_raw_memory", &through_raw_memory);
    m.def("philox", &philox, py::arg("generator") = py::none(), py::arg("increment"));
    m.def("devices", &devices);
    m.def("wrong", &wrong);
}
