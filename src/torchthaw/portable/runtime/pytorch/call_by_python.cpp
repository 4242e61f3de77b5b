// portable/runtime/pytorch/call_by_python.cpp: calls an operator as torch.ops.aten.NAME.OVERLOAD.
#include <portable/operator.h>
#include <portable/python/tensors.h>

namespace torchthaw {
namespace {

using pybind11::handle;
using pybind11::object;
using pybind11::detail::checked;
using pybind11::detail::owned;

template <class Array, class Each>
object list_of(const Array &values, Each each) {
    object list = owned(PyList_New(Py_ssize_t(values.size())));
    for (size_t i = 0; i < values.size(); ++i) checked(PyList_SetItem(list.ptr(), Py_ssize_t(i), each(values[i])));
    return list;
}

/// Makes an argument; has_subclass becomes true where it has a tensor of a class of its own.
struct ToPython {
    bool &has_subclass;

    PyObject *wrapped(const at::Tensor &tensor) const {
        PyObject *made = checked(tensor_to_python(tensor));
        has_subclass |= made != Py_None && !is_plain_tensor(made);
        return made;
    }
    object operator()(std::monostate) const { return pybind11::none(); }
    object operator()(const at::Tensor *tensor) const { return owned(wrapped(*tensor)); }
    object operator()(int64_t number) const { return owned(PyLong_FromLongLong(number)); }
    object operator()(double number) const { return owned(PyFloat_FromDouble(number)); }
    object operator()(bool flag) const { return owned(PyBool_FromLong(flag)); }
    object operator()(const at::Scalar *number) const { return owned(number_to_python(*number)); }
    object operator()(at::IntArrayRef values) const { return list_of(values, PyLong_FromLongLong); }
    object operator()(at::ArrayRef<double> values) const { return list_of(values, PyFloat_FromDouble); }
    object operator()(at::ArrayRef<bool> values) const {
        return list_of(values, [](bool flag) { return PyBool_FromLong(flag); });
    }
    object operator()(at::TensorList values) const {
        return list_of(values, [this](const at::Tensor &tensor) { return wrapped(tensor); });
    }
    object operator()(const c10::List<std::optional<at::Tensor>> *values) const {
        return list_of(values->vec(), [this](const std::optional<at::Tensor> &tensor) { return wrapped(tensor.value_or(at::Tensor())); });
    }
    object operator()(std::string_view text) const {
        return owned(PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size())));
    }
    object operator()(at::ScalarType type) const { return owned(dtype_to_python(type)); }
    object operator()(at::Device device) const { return owned(device_to_python(device)); }
    object operator()(at::Layout layout) const { return owned(layout_to_python(layout)); }
    object operator()(const at::Generator *generator) const { return owned(generator_to_python(*generator)); }
    object operator()(at::MemoryFormat format) const { return owned(memory_format_to_python(format)); }
};

at::Tensor tensor_of(handle value) {
    if (value.is_none()) return {};
    const at::Tensor *found = tensor_in_python(value.ptr());
    if (found == nullptr) fail("expected a tensor from an operator");
    return *found;
}

Result result_of(handle value, char kind) {
    switch (kind) {
        case 'T': return tensor_of(value);
        case 'L': {
            std::vector<at::Tensor> tensors;
            for (handle each : value) tensors.push_back(tensor_of(each));
            return tensors;
        }
        case 'i': return value.cast<int64_t>();
        case 'd': return value.cast<double>();
        case 'b': return value.cast<bool>();
        case 's': return value.cast<at::Scalar>();
        default: return {};
    }
}

/// torch.ops.aten.NAME.OVERLOAD; NotImplementedError names it where this PyTorch lacks it.
PyObject *find(const Operator &called) {
    object torch = owned(PyImport_ImportModule("torch"));
    object packet = pybind11::getattr(torch.attr("ops").attr("aten"), called.name, pybind11::none());
    object found = packet.is_none() ? packet : pybind11::getattr(packet, called.overload, pybind11::none());
    if (found.is_none()) {
        const std::string version = pybind11::getattr(torch, "__version__").str();
        const std::string known = *called.since ? std::string("; PyTorch ") + called.since + " and later have it" : "";
        throw c10::NotImplementedError(std::string("aten::") + called.name + "." + called.overload + ": PyTorch " + version +
                                       " lacks this operator" + known);
    }
    return found.release().ptr();
}

/// The keyword-only arguments that were given.
object keywords_of(const Operator &called, const Value *values, size_t count, const ToPython &to_python) {
    object keywords = owned(PyDict_New());
    std::string_view names = called.keywords;
    for (size_t i = called.positional; i < count; ++i) {
        std::string name(names.substr(0, names.find(',')));
        names.remove_prefix(name.size() + 1);
        const bool is_required = name.back() == '!';
        if (is_required) name.pop_back();
        else if (values[i].is_none()) continue;
        checked(PyDict_SetItemString(keywords.ptr(), name.c_str(), std::visit(to_python, values[i].alternatives()).ptr()));
    }
    return keywords;
}

/// C++ calls an operator without the __torch_function__ of a subclass, which torch.ops would call.
class WithoutTorchFunction {
  public:
    explicit WithoutTorchFunction(bool is_needed) {
        if (!is_needed) return;
        object torch = owned(PyImport_ImportModule("torch"));
        object type = pybind11::getattr(torch.attr("_C"), "DisableTorchFunctionSubclass", pybind11::none());
        if (type.is_none()) return;
        guard_ = type();
        guard_.attr("__enter__")();
    }
    ~WithoutTorchFunction() {
        if (!guard_) return;
        pybind11::error_scope pending;
        if (PyObject *left = PyObject_CallMethod(guard_.ptr(), "__exit__", "OOO", Py_None, Py_None, Py_None)) Py_DECREF(left);
        else PyErr_WriteUnraisable(guard_.ptr());
    }
    WithoutTorchFunction(const WithoutTorchFunction &) = delete;
    WithoutTorchFunction &operator=(const WithoutTorchFunction &) = delete;

  private:
    object guard_;
};

}  // namespace

std::vector<Result> call_by_python(Operator &called, const Value *values, size_t count, const char *kinds) {
    pybind11::gil_scoped_acquire gil;
    if (!start()) throw pybind11::error_already_set();
    if (called.found == nullptr) called.found = find(called);
    bool has_subclass = false;
    const ToPython to_python{has_subclass};
    object arguments = owned(PyTuple_New(Py_ssize_t(called.positional)));
    for (size_t i = 0; i < called.positional; ++i)
        checked(PyTuple_SetItem(arguments.ptr(), Py_ssize_t(i), std::visit(to_python, values[i].alternatives()).release().ptr()));
    object keywords = keywords_of(called, values, count, to_python);
    const WithoutTorchFunction guard(has_subclass);
    object returned = owned(PyObject_Call(static_cast<PyObject *>(called.found), arguments.ptr(), keywords.ptr()));
    const size_t n = std::strlen(kinds);
    std::vector<Result> results;
    for (size_t i = 0; i < n; ++i)
        results.push_back(result_of(n == 1 ? returned : owned(PySequence_GetItem(returned.ptr(), Py_ssize_t(i))), kinds[i]));
    return results;
}

}  // namespace torchthaw
