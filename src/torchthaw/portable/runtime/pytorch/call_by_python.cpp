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

PyObject *wrapped(const at::Tensor &tensor, bool &has_subclass) {
    PyObject *made = checked(tensor_to_python(tensor));
    has_subclass |= made != Py_None && !is_plain_tensor(made);
    return made;
}

/// An argument; has_subclass becomes true where it has a tensor of a class of its own.
object argument(const Value &value, bool &has_subclass) {
    using Kind = Value::Kind;
    switch (value.kind()) {
        case Kind::None: return pybind11::none();
        case Kind::Tensor: return owned(wrapped(value.as<at::Tensor>(), has_subclass));
        case Kind::Int: return owned(PyLong_FromLongLong(value.as<int64_t>()));
        case Kind::Double: return owned(PyFloat_FromDouble(value.as<double>()));
        case Kind::Bool: return owned(PyBool_FromLong(value.as<bool>()));
        case Kind::Scalar: return owned(number_to_python(value.as<at::Scalar>()));
        case Kind::Ints: return list_of(value.array<int64_t>(), PyLong_FromLongLong);
        case Kind::Doubles: return list_of(value.array<double>(), PyFloat_FromDouble);
        case Kind::Bools: return list_of(value.array<bool>(), [](bool flag) { return PyBool_FromLong(flag); });
        case Kind::Tensors:
            return list_of(value.array<at::Tensor>(), [&](const at::Tensor &tensor) { return wrapped(tensor, has_subclass); });
        case Kind::OptionalTensors:
            return list_of(value.as<c10::List<std::optional<at::Tensor>>>().vec(), [&](const std::optional<at::Tensor> &tensor) {
                return wrapped(tensor.value_or(at::Tensor()), has_subclass);
            });
        case Kind::Text: {
            const at::ArrayRef<char> text = value.array<char>();
            return owned(PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size())));
        }
        case Kind::Type: return owned(dtype_to_python(value.as<at::ScalarType>()));
        case Kind::Device: return owned(device_to_python(value.as<at::Device>()));
        case Kind::Layout: return owned(layout_to_python(value.as<at::Layout>()));
        case Kind::MemoryFormat: return owned(memory_format_to_python(value.as<at::MemoryFormat>()));
        case Kind::Generator: return owned(generator_to_python(value.as<at::Generator>()));
    }
    return {};
}

at::Tensor tensor_of(handle value) {
    if (value.is_none()) return {};
    const at::Tensor *found = tensor_in_python(value.ptr());
    if (found == nullptr) fail("expected a tensor from an operator");
    return *found;
}

Result result_of(handle value, char kind) {
    Result result;
    switch (kind) {
        case 'T': result.tensor = tensor_of(value); break;
        case 'L':
            for (handle each : value) result.tensors.push_back(tensor_of(each));
            break;
        case 'i': result.integer = value.cast<int64_t>(); break;
        case 'b': result.integer = value.cast<bool>(); break;
        case 'd': result.real = value.cast<double>(); break;
        case 's': result.number = value.cast<at::Scalar>(); break;
    }
    return result;
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
object keywords_of(const Operator &called, const Value *values, size_t count, bool &has_subclass) {
    object keywords = owned(PyDict_New());
    std::string_view names = called.keywords;
    for (size_t i = called.positional; i < count; ++i) {
        std::string name(names.substr(0, names.find(',')));
        names.remove_prefix(name.size() + 1);
        const bool is_required = name.back() == '!';
        if (is_required) name.pop_back();
        else if (values[i].kind() == Value::Kind::None) continue;
        checked(PyDict_SetItemString(keywords.ptr(), name.c_str(), argument(values[i], has_subclass).ptr()));
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
    object arguments = owned(PyTuple_New(Py_ssize_t(called.positional)));
    for (size_t i = 0; i < called.positional; ++i)
        checked(PyTuple_SetItem(arguments.ptr(), Py_ssize_t(i), argument(values[i], has_subclass).release().ptr()));
    object keywords = keywords_of(called, values, count, has_subclass);
    const WithoutTorchFunction guard(has_subclass);
    object returned = owned(PyObject_Call(static_cast<PyObject *>(called.found), arguments.ptr(), keywords.ptr()));
    const size_t n = std::strlen(kinds);
    std::vector<Result> results;
    for (size_t i = 0; i < n; ++i)
        results.push_back(result_of(n == 1 ? returned : owned(PySequence_GetItem(returned.ptr(), Py_ssize_t(i))), kinds[i]));
    return results;
}

}  // namespace torchthaw
