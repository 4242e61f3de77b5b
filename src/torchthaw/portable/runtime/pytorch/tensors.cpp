// portable/runtime/pytorch/tensors.cpp: tensors of values and of others' memory; devices and default types by name.
#include <portable/dlpack.h>
#include <portable/python/tensors.h>

namespace torchthaw {
namespace {

using pybind11::object;
using pybind11::detail::owned;

struct Blob {
    DLManagedTensor managed;
    std::vector<int64_t> shape, strides;
    std::function<void(void *)> free;
};

void free_blob(DLManagedTensor *managed) {
    std::unique_ptr<Blob> blob(static_cast<Blob *>(managed->manager_ctx));
    blob->free(managed->dl_tensor.data);
}

uint8_t dlpack_code(at::ScalarType type) {
    if (type == at::kBool) return 6;
    if (type == at::kBFloat16) return 4;
    if (c10::isComplexType(type)) return 5;
    if (c10::isFloatingType(type)) return 2;
    return type == at::kByte || type == at::kUInt16 || type == at::kUInt32 || type == at::kUInt64 ? 1 : 0;
}

}  // namespace

// The capsule owns it until PyTorch has taken it, and renames the capsule then.
object dlpack_capsule(DLManagedTensor *managed) {
    return owned(PyCapsule_New(managed, "dltensor", [](PyObject *self) {
        if (!PyCapsule_IsValid(self, "dltensor")) return;
        auto *managed = static_cast<DLManagedTensor *>(PyCapsule_GetPointer(self, "dltensor"));
        if (managed->deleter) managed->deleter(managed);
    }));
}

std::vector<int64_t> contiguous_strides(at::IntArrayRef sizes) {
    std::vector<int64_t> strides(sizes.size());
    int64_t next = 1;
    for (size_t d = sizes.size(); d-- > 0; next *= std::max<int64_t>(sizes[d], 1)) strides[d] = next;
    return strides;
}

at::Tensor empty(at::IntArrayRef sizes, at::ScalarType type) { return at::empty(sizes, at::TensorOptions(type)); }

at::Tensor as_options(const at::Tensor &tensor, const at::TensorOptions &options) {
    const at::Tensor made = tensor.to(without_grad(options));
    return options.requires_grad() ? made.requires_grad_() : made;
}

at::Tensor squeezed(const at::Tensor &tensor) { return tensor.reshape(at::IntArrayRef()); }

at::Tensor with_grad(at::Tensor tensor, bool requires_grad) {
    if (requires_grad) tensor.requires_grad_();
    return tensor;
}

}  // namespace torchthaw

namespace at {
namespace {

void check_blob(const void *data, IntArrayRef sizes, IntArrayRef strides) {
    TORCH_CHECK(sizes.size() == strides.size(), "from_blob: expected ", sizes.size(), " strides, got ", strides.size());
    for (int64_t size : sizes) TORCH_CHECK(size >= 0, "from_blob: expected sizes of 0 and more, got ", sizes);
    TORCH_CHECK(data || multiply_integers(sizes) == 0, "from_blob: expected data for sizes ", sizes, ", got null");
}

}  // namespace

Tensor from_blob(void *data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions &options) {
    check_blob(data, sizes, strides);
    const Device device = options.device();
    Tensor *made = nullptr;
    torchthaw::check(
        torchthaw::pytorch.blob(data, int64_t(sizes.size()), sizes.data(), strides.data(), 0, int32_t(options.dtype().toScalarType()),
                                int32_t(device.type()), std::max<int32_t>(device.index(), 0), &made, 0, nullptr, 0),
        "from_blob");
    return torchthaw::with_grad(Tensor::take(made), options.requires_grad());
}

Tensor from_blob(void *data, IntArrayRef sizes, const TensorOptions &options) {
    return from_blob(data, sizes, torchthaw::contiguous_strides(sizes), options);
}

Tensor from_blob(void *data, IntArrayRef sizes, IntArrayRef strides, std::function<void(void *)> deleter, const TensorOptions &options) {
    using torchthaw::Blob;
    check_blob(data, sizes, strides);
    const Device device = options.device();
    TORCH_CHECK(device.is_cpu() || device.is_cuda(), "from_blob: expected a device of type cpu or cuda, got ", device);
    const ScalarType type = options.dtype();
    pybind11::gil_scoped_acquire gil;
    if (!torchthaw::start()) throw pybind11::error_already_set();
    auto blob = std::make_unique<Blob>();
    blob->shape.assign(sizes.begin(), sizes.end());
    blob->strides.assign(strides.begin(), strides.end());
    blob->free = std::move(deleter);
    blob->managed.dl_tensor = {data, {device.is_cpu() ? kDLCPU : kDLCUDA, std::max<int32_t>(device.index(), 0)}, int32_t(sizes.size()),
                               {torchthaw::dlpack_code(type), uint8_t(8 * elementSize(type)), 1}, blob->shape.data(), blob->strides.data(), 0};
    blob->managed.manager_ctx = blob.get();
    blob->managed.deleter = torchthaw::free_blob;
    pybind11::object capsule = torchthaw::dlpack_capsule(&blob->managed);
    blob.release();
    pybind11::object dlpack = pybind11::detail::owned(PyImport_ImportModule("torch.utils.dlpack"));
    pybind11::object made = dlpack.attr("from_dlpack")(capsule);
    return torchthaw::with_grad(*torchthaw::tensor_in_python(made.ptr()), options.requires_grad());
}

Tensor scalar_to_tensor(const Scalar &value, Device device) { return at::scalar_tensor(value, TensorOptions(value.type()).device(device)); }

}  // namespace at

namespace torch {
namespace utils {

Tensor flatten_dense_tensors(at::TensorList tensors) {
    std::vector<Tensor> flat;
    for (const Tensor &tensor : tensors) flat.push_back(tensor.contiguous().view(IntArrayRef{-1}));
    return at::cat(flat);
}

std::vector<Tensor> unflatten_dense_tensors(const Tensor &flat, at::TensorList tensors) {
    std::vector<Tensor> views;
    int64_t start = 0;
    for (const Tensor &tensor : tensors) {
        views.push_back(flat.narrow(0, start, tensor.numel()).view(tensor.sizes()));
        start += tensor.numel();
    }
    return views;
}

}  // namespace utils
}  // namespace torch

namespace c10 {
namespace {
const char *const DEVICE_TYPES[] = {  // by their numbers
    "cpu", "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip", "fpga", "maia", "xla", "vulkan", "metal", "xpu", "mps", "meta",
    "hpu", "ve", "lazy", "ipu", "mtia", "privateuseone",
};
}

std::string DeviceTypeName(DeviceType type, bool lower_case) {
    const size_t number = size_t(type);
    TORCH_CHECK(number < std::size(DEVICE_TYPES), "unknown device type ", number);
    std::string name = DEVICE_TYPES[number];
    if (!lower_case) std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
    return name;
}

std::string Device::str() const {
    const std::string name = DeviceTypeName(type_, true);
    return has_index() ? name + ":" + std::to_string(index_) : name;
}

Device::Device(const std::string &text) {
    const size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const auto *found = std::find(std::begin(DEVICE_TYPES), std::end(DEVICE_TYPES), name);
    TORCH_CHECK(found != std::end(DEVICE_TYPES), "device: expected a type such as cpu or cuda, and maybe an index, got '", text, "'");
    type_ = DeviceType(found - std::begin(DEVICE_TYPES));
    if (colon == text.npos) return;
    const std::string index = text.substr(colon + 1);
    const bool is_number = !index.empty() && index.size() < 4 && index.find_first_not_of("0123456789") == index.npos;
    TORCH_CHECK(is_number && std::stoi(index) < 128, "device: expected an index from 0 to 127 after the colon, got '", text, "'");
    index_ = DeviceIndex(std::stoi(index));
}

ScalarType get_default_dtype() {
    if (torchthaw::pytorch.default_dtype) return torchthaw::pytorch.default_dtype();
    pybind11::gil_scoped_acquire gil;
    if (!torchthaw::start()) throw pybind11::error_already_set();
    ScalarType type;
    torchthaw::dtype_from_python(pybind11::detail::owned(PyImport_ImportModule("torch")).attr("get_default_dtype")().ptr(), type);
    return type;
}

const char *TypeMeta::name() const {
    switch (type_) {
        case ScalarType::Byte: return "unsigned char";
        case ScalarType::Char: return "signed char";
        case ScalarType::Short: return "short int";
        case ScalarType::Int: return "int";
        case ScalarType::Long: return "long int";
        case ScalarType::Float: return "float";
        case ScalarType::Double: return "double";
        case ScalarType::Bool: return "bool";
        case ScalarType::Half: return "c10::Half";
        case ScalarType::BFloat16: return "c10::BFloat16";
        case ScalarType::ComplexHalf: return "c10::complex<c10::Half>";
        case ScalarType::ComplexFloat: return "c10::complex<float>";
        case ScalarType::ComplexDouble: return "c10::complex<double>";
        default: return toString(type_);
    }
}

TypeMeta TensorOptions::dtype() const { return dtype_ ? *dtype_ : get_default_dtype(); }

}  // namespace c10
