// portable/runtime/pytorch/checks.cpp: checks of arguments, and what extensions ask PyTorch's context for.
#include <portable/checks.h>
#include <portable/python/annotations.h>

namespace at {
namespace {

template <class... Words>
void check(CheckedFrom from, bool holds, const Words &...words) {
    TORCH_CHECK(holds, words..., " (while checking arguments for ", from, ")");
}

Backend backend_of(const Tensor &tensor) {
    if (!tensor.defined()) return Backend::Undefined;
    const bool is_sparse = tensor.is_sparse();
    if (tensor.is_cuda()) return is_sparse ? Backend::SparseCUDA : Backend::CUDA;
    if (tensor.is_hip()) return Backend::HIP;
    return is_sparse ? Backend::SparseCPU : Backend::CPU;
}

/// check(first defined argument, each later one)
void check_all(CheckedFrom from, ArrayRef<TensorArg> arguments, void (*check_two)(CheckedFrom, const TensorArg &, const TensorArg &)) {
    const TensorArg *first = nullptr;
    for (const TensorArg &argument : arguments) {
        if (!argument->defined()) continue;
        if (first) check_two(from, *first, argument);
        else first = &argument;
    }
}

}  // namespace

void checkDefined(CheckedFrom from, const TensorArg &argument) {
    check(from, argument->defined(), "Expected tensor for ", argument, " to be non-null, but it was undefined");
}
void checkAllDefined(CheckedFrom from, ArrayRef<TensorArg> arguments) {
    for (const TensorArg &argument : arguments) checkDefined(from, argument);
}
void checkDim(CheckedFrom from, const TensorArg &argument, int64_t dim) {
    check(from, argument->dim() == dim, "Expected ", dim, "-dimensional tensor, but got ", argument->dim(),
          "-dimensional tensor for ", argument);
}
void checkDimRange(CheckedFrom from, const TensorArg &argument, int64_t first, int64_t end) {
    check(from, argument->dim() >= first && argument->dim() < end, "Expected ", first, " to ", end - 1,
          " dimensions, but got ", argument->dim(), "-dimensional tensor for ", argument);
}
void checkContiguous(CheckedFrom from, const TensorArg &argument) {
    check(from, argument->is_contiguous(), "Expected contiguous tensor, but got non-contiguous tensor for ", argument);
}
void checkAllContiguous(CheckedFrom from, ArrayRef<TensorArg> arguments) {
    for (const TensorArg &argument : arguments)
        if (argument->defined()) checkContiguous(from, argument);
}
void checkSize(CheckedFrom from, const TensorArg &argument, IntArrayRef sizes) {
    checkDim(from, argument, int64_t(sizes.size()));
    check(from, argument->sizes() == sizes, "Expected tensor of size ", sizes, ", but got tensor of size ",
          argument->sizes(), " for ", argument);
}
void checkSize(CheckedFrom from, const TensorArg &argument, int64_t dimension, int64_t size) {
    check(from, argument->size(dimension) == size, "Expected tensor to have size ", size, " at dimension ", dimension,
          ", but got size ", argument->size(dimension), " for ", argument);
}
void checkNumel(CheckedFrom from, const TensorArg &argument, int64_t numel) {
    check(from, argument->numel() == numel, "Expected tensor for ", argument, " to have ", numel,
          " elements; but it actually has ", argument->numel(), " elements");
}
void checkScalarType(CheckedFrom from, const TensorArg &argument, ScalarType type) {
    check(from, argument->scalar_type() == type, "Expected tensor for ", argument, " to have scalar type ", type,
          "; but got ", argument->scalar_type(), " instead");
}
void checkScalarTypes(CheckedFrom from, const TensorArg &argument, ArrayRef<ScalarType> types) {
    const bool found = std::find(types.begin(), types.end(), argument->scalar_type()) != types.end();
    check(from, found, "Expected tensor for ", argument, " to have one of the following scalar types: ", types,
          "; but got ", argument->scalar_type(), " instead");
}
void checkSameType(CheckedFrom from, const TensorArg &a, const TensorArg &b) {
    check(from, a->scalar_type() == b->scalar_type(), "Expected tensor for ", a, " to have the same type as tensor for ",
          b, "; but type ", a->type(), " does not equal ", b->type());
}
void checkSameSize(CheckedFrom from, const TensorArg &a, const TensorArg &b) {
    check(from, a->sizes() == b->sizes(), "Expected tensor for ", a, " to have same size as tensor for ", b, "; but ",
          a->sizes(), " does not equal ", b->sizes());
}
void checkSameDim(CheckedFrom from, const TensorArg &a, const TensorArg &b) {
    check(from, a->dim() == b->dim(), "Expected tensor for ", a, " to have the same dimension as tensor for ", b,
          "; but ", a->dim(), " does not equal ", b->dim());
}
void checkSameNumel(CheckedFrom from, const TensorArg &a, const TensorArg &b) {
    check(from, a->numel() == b->numel(), "Expected tensor for ", a, " to have same number of elements as tensor for ", b,
          "; but ", a->numel(), " does not equal ", b->numel());
}
void checkSameGPU(CheckedFrom from, const TensorArg &a, const TensorArg &b) {
    check(from, a->is_cuda() && b->is_cuda(), "Expected ", a, " and ", b, " to be on GPU, but got ", a->device(), " and ",
          b->device());
    check(from, a->device() == b->device(), "Expected tensor for ", a, " to have the same device as tensor for ", b,
          "; but device ", a->device(), " does not equal ", b->device());
}
void checkBackend(CheckedFrom from, const Tensor &tensor, Backend backend) {
    check(from, !tensor.defined() || backend_of(tensor) == backend, "Expected tensor of another backend, but got ",
          tensor.type());
}
void checkBackend(CheckedFrom from, ArrayRef<Tensor> tensors, Backend backend) {
    for (const Tensor &tensor : tensors) checkBackend(from, tensor, backend);
}
void checkDeviceType(CheckedFrom from, ArrayRef<Tensor> tensors, DeviceType type) {
    for (const Tensor &tensor : tensors)
        check(from, !tensor.defined() || tensor.device_type() == type, "Expected tensor to have ", type,
              " DeviceType, but got tensor with ", tensor.device_type(), " DeviceType");
}
void checkAllSameType(CheckedFrom from, ArrayRef<TensorArg> arguments) { check_all(from, arguments, checkSameType); }
void checkAllSameSize(CheckedFrom from, ArrayRef<TensorArg> arguments) { check_all(from, arguments, checkSameSize); }
void checkAllSameNumel(CheckedFrom from, ArrayRef<TensorArg> arguments) { check_all(from, arguments, checkSameNumel); }
void checkAllSameGPU(CheckedFrom from, ArrayRef<TensorArg> arguments) { check_all(from, arguments, checkSameGPU); }

int64_t maybe_wrap_dim(int64_t dimension, int64_t n) {
    const int64_t count = std::max<int64_t>(n, 1);
    TORCH_CHECK_INDEX(-count <= dimension && dimension < count, "Dimension out of range (expected to be in range of [", -count,
                      ", ", count - 1, "], but got ", dimension, ")");
    return dimension < 0 ? dimension + count : dimension;
}

bool Context::deterministicAlgorithms() const {
    pybind11::gil_scoped_acquire gil;
    pybind11::object torch = pybind11::detail::owned(PyImport_ImportModule("torch"));
    return torch.attr("are_deterministic_algorithms_enabled")().cast<bool>();
}
bool Context::hasCUDA() const {
    pybind11::gil_scoped_acquire gil;
    pybind11::object torch = pybind11::detail::owned(PyImport_ImportModule("torch"));
    return torch.attr("cuda").attr("is_available")().cast<bool>();
}

}  // namespace at

namespace torch {
namespace cuda {
namespace {
pybind11::object in_python() { return pybind11::detail::owned(PyImport_ImportModule("torch")).attr("cuda"); }
}  // namespace

bool is_available() { return at::hasCUDA(); }
size_t device_count() {
    pybind11::gil_scoped_acquire gil;
    return in_python().attr("device_count")().cast<size_t>();
}
void synchronize(int64_t device) {
    TORCH_CHECK(is_available(), "No CUDA GPUs are available");
    TORCH_CHECK(device < int64_t(device_count()), "Device index out of range: ", device);
    pybind11::gil_scoped_acquire gil;
    in_python().attr("synchronize")(device < 0 ? pybind11::none() : pybind11::cast(device));
}

}  // namespace cuda
}  // namespace torch
