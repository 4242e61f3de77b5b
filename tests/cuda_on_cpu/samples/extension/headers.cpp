// tests/cuda_on_cpu/samples/extension/headers.cpp: what the headers of ATen/cuda and c10/cuda give; an exception says which
// line is wrong.
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAMathCompat.h>
#include <torch/extension.h>

#include <optional>
#include <utility>
#include <vector>

using namespace c10::cuda;

static_assert(int(CaptureStatus::None) == cudaStreamCaptureStatusNone);
static_assert(int(CaptureStatus::Active) == cudaStreamCaptureStatusActive);
static_assert(int(CaptureStatus::Invalidated) == cudaStreamCaptureStatusInvalidated);

static bool is_close(double a, double b) { return std::fabs(a - b) < 1e-6; }

static void ask_streams() {
    const CUDAStream stream = getStreamFromPool(true), other = getStreamFromPool(-1), standard = getDefaultCUDAStream();
    TORCH_CHECK(stream != other && stream != standard && standard.stream() == nullptr && stream.stream() != nullptr);
    TORCH_CHECK(stream.device_index() == 0 && stream.query() && other.query() && getCurrentCUDAStream() == standard);
    const auto [least, greatest] = CUDAStream::priority_range();
    TORCH_CHECK(least == 0 && greatest <= 0 && standard.priority() == 0);  // PyTorch's own headers have several
    TORCH_CHECK(stream.priority() == greatest);
    TORCH_CHECK(getStreamFromExternal(stream.stream(), 0).stream() == stream.stream());
    TORCH_CHECK(getStreamFromExternal(stream, 0).device_index() == 0);
    const auto packed = stream.pack3();
    TORCH_CHECK(CUDAStream::unpack3(packed.stream_id, packed.device_index, packed.device_type) == stream);
    TORCH_CHECK(std::hash<CUDAStream>()(stream) == std::hash<c10::Stream>()(stream));
    {
        CUDAStreamGuard guard(stream);
        TORCH_CHECK(getCurrentCUDAStream() == stream && guard.original_stream() == standard && guard.current_stream() == stream);
        guard.reset_stream(other);
        TORCH_CHECK(getCurrentCUDAStream(0) == other);
    }
    {
        OptionalCUDAStreamGuard none, empty((std::optional<c10::Stream>())), guard((std::optional<c10::Stream>(stream)));
        TORCH_CHECK(!none.current_stream() && !empty.original_stream() && guard.current_stream() == std::optional(stream));
        guard.reset();
        TORCH_CHECK(getCurrentCUDAStream() == standard);
        const std::vector<CUDAStream> both = {stream};
        const CUDAMultiStreamGuard several(both);
        TORCH_CHECK(getCurrentCUDAStream() == stream);
    }
    setCurrentCUDAStream(other);
    TORCH_CHECK(getCurrentCUDAStream() == other);
    setCurrentCUDAStream(standard);
    TORCH_CHECK(currentStreamCaptureStatusMayInitCtx() == CaptureStatus::None);
    bool is_refused = false;
    try {
        CUDAStream(c10::Stream(c10::Stream::DEFAULT, c10::Device(c10::DeviceType::CPU)));
    } catch (const c10::Error &) {
        is_refused = true;
    }
    TORCH_CHECK(is_refused);
}

static void ask_guards() {
    OptionalCUDAGuard none((std::optional<c10::Device>())), by_device((std::optional(c10::Device(c10::DeviceType::CUDA, 0)))),
        by_index((std::optional<c10::DeviceIndex>(0)));
    TORCH_CHECK(!none.current_device() && by_device.current_device()->index() == 0 && by_index.original_device()->is_cuda());
    by_device.set_index(0);
    by_device.reset();
    TORCH_CHECK(!by_device.original_device());
    CUDAGuard guard(c10::DeviceIndex(0));
    TORCH_CHECK(guard.current_device().is_cuda() && guard.original_device().index() == 0);
    bool is_refused = false;
    try {
        guard.set_device(c10::Device(c10::DeviceType::CPU));
    } catch (const c10::Error &) {
        is_refused = true;
    }
    TORCH_CHECK(is_refused && device_count() == 1 && device_count_ensure_non_zero() == 1 && current_device() == 0);
    TORCH_CHECK(ExchangeDevice(0) == 0 && SetDevice(0) == cudaSuccess && SetDevice(1) == cudaErrorInvalidDevice);
    cudaGetLastError();
}

static void ask_events() {
    at::cuda::CUDAEvent begin(cudaEventDefault), end(cudaEventDefault), untimed;
    TORCH_CHECK(!begin.isCreated() && !begin.device() && begin.device_index() == -1);
    bool is_refused = false;
    try {
        begin.elapsed_time(end);
    } catch (const c10::Error &) {
        is_refused = true;
    }
    begin.record();
    end.recordOnce(getCurrentCUDAStream());
    const cudaEvent_t made = end.event();
    end.recordOnce(getCurrentCUDAStream());
    TORCH_CHECK(is_refused && end.event() == made && begin.isCreated() && begin.device_index() == 0 && begin.device()->is_cuda());
    const float time = begin.elapsed_time(end);
    TORCH_CHECK(time >= 0 && time < 1e5 && end.query());
    at::cuda::CUDAEvent moved(std::move(end));
    TORCH_CHECK(moved.event() == made && !end.isCreated());  // NOLINT: what is left of it
    untimed.record();
    std::swap(moved, untimed);
    const cudaEvent_t last = moved.event();
    TORCH_CHECK(untimed.event() == made && last != made);
    {
        const at::cuda::CUDAEvent ended(std::move(moved));
    }
    TORCH_CHECK(cudaEventQuery(last) == cudaErrorInvalidResourceHandle);  // it was destroyed
    cudaGetLastError();
}

static void ask_errors_and_memory() {
    std::string message;
    try {
        C10_CUDA_CHECK(cudaSetDevice(7));
    } catch (const c10::Error &error) {  // a CUDAError, or a newer class
        message = error.what();
    }
    TORCH_CHECK(message.find(cudaGetErrorString(cudaErrorInvalidDevice)) != std::string::npos && cudaGetLastError() == cudaSuccess);
    int from[] = {1, 2, 3}, *to = static_cast<int *>(CUDACachingAllocator::raw_alloc_with_stream(sizeof from, nullptr));
    memcpy_and_sync(to, from, sizeof from, cudaMemcpyHostToDevice, nullptr);
    TORCH_CHECK(to[2] == 3);
    CUDACachingAllocator::raw_delete(to);
    TORCH_CHECK(at::cuda::getNumGPUs() == 1 && at::cuda::is_available() && !at::cuda::canDeviceAccessPeer(0, 0));
    TORCH_CHECK(at::cuda::getCUDADeviceAllocator() == CUDACachingAllocator::get());
    const CUDAStream stream = getStreamFromPool();
    const CUDAStreamGuard guard(stream);
    cudaStream_t of_blas = nullptr;
    const cublasHandle_t handle = at::cuda::getCurrentCUDABlasHandle();
    TORCH_CHECK(cublasGetStream(handle, &of_blas) == CUBLAS_STATUS_SUCCESS && of_blas == stream.stream());
    TORCH_CHECK(at::cuda::getCurrentCUDABlasHandle() == handle);
}

static void ask_generators() {
    const at::Generator made = at::cuda::detail::createCUDAGenerator();
    auto *generator = made.get<at::CUDAGeneratorImpl>();
    generator->set_current_seed(9);
    for (const auto &[increment, offset] : {std::pair(1, 4), std::pair(4, 8), std::pair(5, 16), std::pair(0, 16)}) {
        const uint64_t before = generator->philox_offset_per_thread();
        TORCH_CHECK(generator->philox_engine_inputs(increment) == std::make_pair(uint64_t(9), before));
        TORCH_CHECK(generator->get_offset() == uint64_t(offset));
    }
    const at::Generator copy = made.clone();
    TORCH_CHECK(copy.get<at::CUDAGeneratorImpl>()->get_offset() == 16 && copy.current_seed() == 9);
    generator->set_state(*at::Generator(copy).get_state().unsafeGetTensorImpl());
    generator->set_current_seed(8);
    TORCH_CHECK(generator->get_offset() == 0 && generator->current_seed() == 8);
    generator->set_state(*at::Generator(copy).get_state().unsafeGetTensorImpl());
    TORCH_CHECK(generator->get_offset() == 16 && generator->current_seed() == 9);
    generator->seed();
    TORCH_CHECK(generator->get_offset() == 0);
}

static void ask_mathematics() {
    TORCH_CHECK(compat::abs(-2.f) == 2 && compat::max(1., 2.) == 2 && compat::min(1.f, 2.f) == 1 && compat::rsqrt(4.) == 0.5);
    TORCH_CHECK(compat::rsqrt(16.f) == 0.25f && is_close(compat::normcdf(1.), 0.8413447460685429));
    TORCH_CHECK(is_close(compat::normcdf(-1.f), 0.15865525));
    double sine, cosine;
    compat::sincos(1., &sine, &cosine);
    TORCH_CHECK(is_close(sine, std::sin(1)) && is_close(cosine, std::cos(1)));
}

void ask_headers() {
    ask_streams();
    ask_guards();
    ask_events();
    ask_errors_and_memory();
    ask_generators();
    ask_mathematics();
}
