// portable/runtime/pytorch/tensor.cpp: what tensor.h does not define in place.
#include <portable/python/tensors.h>

namespace at {
namespace {

using pybind11::gil_scoped_acquire;
using pybind11::object;
using pybind11::detail::owned;
using torchthaw::pytorch;

/// The tensor as an object of Python, for what only Python has.
object in_python(const Tensor &tensor) {
    if (!torchthaw::start()) throw pybind11::error_already_set();
    return owned(torchthaw::tensor_to_python(tensor));
}

Tensor from_python(pybind11::handle value) {
    const Tensor *found = value.is_none() ? nullptr : torchthaw::tensor_in_python(value.ptr());
    return found ? *found : Tensor();
}

// PyTorch's own words, which a caller may look for.
const char NOT_ALLOCATED[] =
    "The tensor has a non-zero number of elements, but its data is not allocated yet.\n"
    "If you're using torch.compile/export/fx, it is likely that we are erroneously tracing into a custom kernel. To fix "
    "this, please wrap the custom kernel into an opaque custom op.";

}  // namespace

void Tensor::release() noexcept {
    const Tensor none;
    pytorch.assign_tensors(&none, this);
}

Tensor &Tensor::operator=(const Tensor &other) && { return copy_(other); }
Tensor &Tensor::operator=(const Scalar &value) && { return fill_(value); }

void Tensor::fail_undefined(const char *what) { torchthaw::fail(std::string(what) + ": the tensor is undefined"); }

void Tensor::fail_dimension(int64_t dimension, int64_t n) {
    if (n == 0) throw IndexError(c10::str("Dimension specified as ", dimension, " but tensor has no dimensions"));
    throw IndexError(c10::str("Dimension out of range (expected to be in range of [", -n, ", ", n - 1, "], but got ", dimension, ")"));
}

void Tensor::fail_without_memory() { torchthaw::fail(NOT_ALLOCATED); }
void Tensor::fail_type(ScalarType expected, ScalarType given) {
    torchthaw::fail(c10::str("expected scalar type ", expected, " but found ", given));
}

void Tensor::check_dimensions(size_t n, const char *what) const {
    TORCH_CHECK(dim() == int64_t(n), what, " expected ", n, " dims but tensor has ", dim());
}

void Tensor::check_below_32_bits() const {
    int64_t last = 0;
    for (int64_t d = 0; d < dim(); ++d) last += (size(d) - 1) * stride(d);
    TORCH_CHECK(numel() <= std::numeric_limits<int32_t>::max() && last <= std::numeric_limits<int32_t>::max(),
                "numel needs to be smaller than int32_t max; otherwise, please use packed_accessor64");
}

bool Tensor::is_contiguous(MemoryFormat format) const {
    const IntArrayRef n = sizes(), s = strides();
    if (numel() == 0 && format == MemoryFormat::Contiguous) return true;
    std::vector<size_t> order;  // of dimensions, that which changes fastest first
    if (format == MemoryFormat::ChannelsLast || format == MemoryFormat::ChannelsLast3d) {
        const size_t dims = format == MemoryFormat::ChannelsLast ? 4 : 5;
        if (n.size() != dims) return false;
        order.push_back(1);
        for (size_t d = dims; d-- > 2;) order.push_back(d);
        order.push_back(0);
    } else {
        for (size_t d = n.size(); d-- > 0;) order.push_back(d);
    }
    int64_t expected = 1;
    for (size_t d : order) {
        if (n[d] != 1 && s[d] != expected) return false;
        expected *= n[d];
    }
    return true;
}

bool Tensor::is_non_overlapping_and_dense() const {
    std::vector<std::pair<int64_t, int64_t>> by_stride;
    for (int64_t d = 0; d < dim(); ++d)
        if (size(d) != 1) by_stride.emplace_back(stride(d), size(d));
    std::sort(by_stride.begin(), by_stride.end());
    int64_t expected = 1;
    for (const auto &[stride, size] : by_stride) {
        if (size == 0) return true;
        if (stride != expected) return false;
        expected *= size;
    }
    return true;
}

MemoryFormat Tensor::suggest_memory_format() const {
    if (layout() != kStrided || is_contiguous()) return MemoryFormat::Contiguous;
    if (is_contiguous(MemoryFormat::ChannelsLast)) return MemoryFormat::ChannelsLast;
    if (is_contiguous(MemoryFormat::ChannelsLast3d)) return MemoryFormat::ChannelsLast3d;
    return MemoryFormat::Contiguous;
}

Layout Tensor::layout() const {
    if (pytorch.get_layout) return Layout(read<int32_t>(pytorch.get_layout, "layout"));
    if (!defined()) fail_undefined("layout");
    gil_scoped_acquire gil;
    Layout found;
    torchthaw::layout_from_python(in_python(*this).attr("layout").ptr(), found);
    return found;
}

void *Tensor::data_ptr() const { return read<void *>(pytorch.get_data_ptr, "data_ptr"); }

Storage Tensor::storage() const {
    const int64_t bytes = read<int64_t>(pytorch.get_storage_size, "storage");
    char *data = static_cast<char *>(data_ptr());
    return {data ? data - storage_offset() * int64_t(element_size()) : nullptr, size_t(bytes), scalar_type()};
}

bool Tensor::requires_grad() const {
    if (!defined()) return false;
    if (pytorch.requires_grad) return pytorch.requires_grad(impl_);
    gil_scoped_acquire gil;
    return in_python(*this).attr("requires_grad").cast<bool>();
}

const Tensor &Tensor::requires_grad_(bool value) const {
    gil_scoped_acquire gil;
    in_python(*this).attr("requires_grad_")(value);
    return *this;
}

bool Tensor::is_leaf() const {
    gil_scoped_acquire gil;
    return in_python(*this).attr("is_leaf").cast<bool>();
}

Tensor Tensor::grad() const {
    gil_scoped_acquire gil;
    return from_python(in_python(*this).attr("grad"));
}

void Tensor::set_grad(const Tensor &value) const {
    gil_scoped_acquire gil;
    pybind11::setattr(in_python(*this), "grad", owned(torchthaw::tensor_to_python(value)));
}

void Tensor::set_data(const Tensor &value) const {
    gil_scoped_acquire gil;
    pybind11::setattr(in_python(*this), "data", owned(torchthaw::tensor_to_python(value)));
}

Tensor Tensor::variable_data() const {
    gil_scoped_acquire gil;
    return from_python(in_python(*this).attr("data"));
}

void Tensor::backward(const Tensor &gradient, std::optional<bool> retain_graph, bool create_graph) const {
    gil_scoped_acquire gil;
    object retain = retain_graph ? pybind11::cast(*retain_graph) : pybind11::none();
    in_python(*this).attr("backward")(owned(torchthaw::tensor_to_python(gradient)), retain, create_graph);
}

int64_t Tensor::_version() const { return __dispatch__version(); }

void Tensor::retain_grad() const {
    gil_scoped_acquire gil;
    in_python(*this).attr("retain_grad")();
}

Scalar Tensor::item() const {
    TORCH_CHECK(numel() == 1, "a Tensor with ", numel(), " elements cannot be converted to Scalar");
    return at::_local_scalar_dense(*this);
}

Tensor Tensor::contiguous(MemoryFormat format) const { return is_contiguous(format) ? *this : clone(format); }
Tensor Tensor::toType(ScalarType type) const { return type == scalar_type() ? *this : to(type); }
Tensor Tensor::toType(const DeprecatedTypeProperties &type) const { return to(type.options()); }
Tensor Tensor::toBackend(DeviceType type) const { return to(TensorOptions(type)); }
Tensor Tensor::cpu() const { return to(TensorOptions(kCPU)); }
Tensor Tensor::cuda() const { return to(TensorOptions(kCUDA)); }

std::string Tensor::toString() const {
    if (!defined()) return "[ Tensor (undefined) ]";
    gil_scoped_acquire gil;
    return in_python(*this).str();
}

void Tensor::print() const { std::cout << *this << std::endl; }

std::string DeprecatedTypeProperties::toString() const {
    const std::string device = device_ == DeviceType::Meta ? "Meta" : c10::DeviceTypeName(device_);
    return (layout_ == kSparse ? "Sparse" : "") + device + c10::toString(type_) + "Type";
}

}  // namespace at
