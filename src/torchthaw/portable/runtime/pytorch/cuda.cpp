// portable/runtime/pytorch/cuda.cpp: streams, memory, generators and products of CUDA by PyTorch. Knows no header of CUDA.
#include <portable/cuda/by_pytorch.h>
#include <portable/modes.h>
#include <portable/python/tensors.h>
#include <portable/tensors.h>

namespace torchthaw::cuda {
namespace {

using pybind11::arg;
using pybind11::gil_scoped_acquire;
using pybind11::object;
using pybind11::detail::owned;

/// torch.cuda. With the GIL.
object module() {
    if (!start()) throw pybind11::error_already_set();
    return owned(PyImport_ImportModule("torch")).attr("cuda");
}
object stream_of_python(void *stream, int device) {
    if (!stream) return module().attr("default_stream")(device);  // ExternalStream(0) is a new one
    return module().attr("ExternalStream")(reinterpret_cast<uintptr_t>(stream), device);
}
void *address(const object &stream) { return reinterpret_cast<void *>(stream.attr("cuda_stream").cast<uintptr_t>()); }

void check(int32_t code, const char *what) {
    if (code) fail(std::string(what) + ": PyTorch refused, and says why on stderr");
}

at::TensorOptions of_device(int device) { return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(device)); }
at::Tensor bytes_of(size_t bytes, int device) { return at::empty(at::IntArrayRef{int64_t(bytes)}, of_device(device).dtype(at::kByte)); }

/// The memory of allocate_raw().
struct Raw {
    std::mutex lock;
    std::unordered_map<void *, at::Tensor> tensors;
};
Raw &raw() {
    static Raw *kept = new Raw;  // never destroyed: PyTorch may be gone by then
    return *kept;
}

void free_tensor(void *tensor) { delete static_cast<at::Tensor *>(tensor); }

}  // namespace

void *current_stream(int device) {
    void *stream = nullptr;
    if (pytorch.current_cuda_stream) {
        check(pytorch.current_cuda_stream(device, &stream), "the current stream");
        return stream;
    }
    gil_scoped_acquire gil;
    return address(module().attr("current_stream")(device));
}

void set_current_stream(void *stream, int device) {
    if (pytorch.set_cuda_stream) return check(pytorch.set_cuda_stream(stream, device), "setting the current stream");
    gil_scoped_acquire gil;
    module().attr("set_stream")(stream_of_python(stream, device));
}

void *stream_from_pool(bool high_priority, int device) {
    void *stream = nullptr;
    if (pytorch.cuda_stream_from_pool) {
        check(pytorch.cuda_stream_from_pool(high_priority, device, &stream), "a stream of PyTorch's pool");
        return stream;
    }
    gil_scoped_acquire gil;
    return address(module().attr("Stream")(device, arg("priority") = high_priority ? -1 : 0));
}

c10::DataPtr allocate(size_t bytes, int device) {
    auto tensor = std::make_unique<at::Tensor>(bytes_of(bytes, device));
    const at::Device where = tensor->device();
    void *data = bytes ? tensor->data_ptr() : nullptr;
    return {data, tensor.release(), free_tensor, where};
}

void *allocate_raw(size_t bytes, int device) {
    if (bytes == 0) return nullptr;
    at::Tensor tensor = bytes_of(bytes, device);
    void *data = tensor.data_ptr();
    std::lock_guard<std::mutex> guard(raw().lock);
    raw().tensors.emplace(data, std::move(tensor));
    return data;
}

void release(void *address) noexcept {
    at::Tensor last;  // freed without the lock
    std::lock_guard<std::mutex> guard(raw().lock);
    const auto found = raw().tensors.find(address);
    if (found == raw().tensors.end()) return;
    last = std::move(found->second);
    raw().tensors.erase(found);
}

void record_stream(const c10::DataPtr &memory, void *stream, int device) {
    TORCH_CHECK(memory.get_deleter() == free_tensor, "recordStream: expected memory of CUDACachingAllocator::get()->allocate()");
    gil_scoped_acquire gil;
    pybind11::cast(*static_cast<at::Tensor *>(memory.get_context())).attr("record_stream")(stream_of_python(stream, device));
}

void empty_cache() {
    gil_scoped_acquire gil;
    module().attr("empty_cache")();
}

void initialize() {
    gil_scoped_acquire gil;
    module().attr("init")();
}

void *blas_handle() {
    void *handle = nullptr;
    if (pytorch.cuda_blas_handle) {
        check(pytorch.cuda_blas_handle(&handle), "the handle of cuBLAS");
        return handle;
    }
    gil_scoped_acquire gil;
    try {
        return reinterpret_cast<void *>(module().attr("current_blas_handle")().cast<uintptr_t>());
    } catch (const pybind11::error_already_set &) {
        return nullptr;
    }
}

at::Generator default_generator(int device) {
    gil_scoped_acquire gil;
    module().attr("init")();
    return at::Generator::take(object(module().attr("default_generators")[pybind11::int_(device)]).release().ptr());
}

std::pair<uint64_t, uint64_t> philox(const at::Generator &generator, uint64_t count) {
    TORCH_CHECK(generator.defined(), "Expected a defined generator, got an undefined one");
    gil_scoped_acquire gil;
    const pybind11::handle python(static_cast<PyObject *>(generator.python()));
    const uint64_t seed = python.attr("initial_seed")().cast<uint64_t>(), offset = python.attr("get_offset")().cast<uint64_t>();
    python.attr("set_offset")(offset + (count + 3) / 4 * 4);  // Philox makes four numbers at a time
    return {seed, offset};
}

void gemm(int device, c10::ScalarType type, char op_a, char op_b, int64_t m, int64_t n, int64_t k, c10::Scalar alpha, const void *a, int64_t lda,
          const void *b, int64_t ldb, c10::Scalar beta, void *c, int64_t ldc) {
    if (m == 0 || n == 0) return;
    const at::TensorOptions options = of_device(device).dtype(type);
    const auto matrix = [&](const void *data, int64_t rows, int64_t columns, int64_t leading) {
        return at::from_blob(const_cast<void *>(data), {rows, columns}, {1, leading}, options);
    };
    const auto operand = [&](const char *name, char op, const void *data, int64_t rows, int64_t columns, int64_t leading) {
        const char lower = char(std::tolower(static_cast<unsigned char>(op)));
        TORCH_CHECK(lower == 'n' || lower == 't' || lower == 'c', name, ": expected 'n', 't' or 'c', got '", op, "'");
        if (lower == 'n') return matrix(data, rows, columns, leading);
        const at::Tensor transposed = matrix(data, columns, rows, leading).t();
        return lower == 'c' ? transposed.conj_physical() : transposed;
    };
    const c10::AutoGradMode without_graph(false);
    matrix(c, m, n, ldc).addmm_(operand("transa", op_a, a, m, k, lda), operand("transb", op_b, b, k, n, ldb), beta, alpha);
}

}  // namespace torchthaw::cuda
