// portable/runtime/pytorch/python_tensors.cpp: tensors, element types, devices and numbers, from Python and to it.
#include <cxxabi.h>

#include <portable/python/tensors.h>

#include "start.h"

namespace torchthaw {
namespace {

using pybind11::handle;
using pybind11::object;
using pybind11::detail::owned;

// Objects of the module torch. They are kept until the process ends, as PyTorch keeps them.
struct Torch {
    PyTypeObject *tensor_base, *tensor, *parameter;
    PyObject *module, *device_type, *generator_type, *layouts[5], *memory_formats[4];
    PyObject *dtypes[64];
    size_t tensor_offset;
} torch_;

const struct { at::ScalarType type; const char *name; } DTYPES[] = {
    {at::kByte, "uint8"}, {at::kChar, "int8"}, {at::kShort, "int16"}, {at::kInt, "int32"}, {at::kLong, "int64"},
    {at::kUInt16, "uint16"}, {at::kUInt32, "uint32"}, {at::kUInt64, "uint64"}, {at::kHalf, "float16"},
    {at::kFloat, "float32"}, {at::kDouble, "float64"}, {at::kComplexHalf, "complex32"}, {at::kComplexFloat, "complex64"},
    {at::kComplexDouble, "complex128"}, {at::kBool, "bool"}, {at::kBFloat16, "bfloat16"}, {at::kQInt8, "qint8"},
    {at::kQUInt8, "quint8"}, {at::kQInt32, "qint32"}, {at::kFloat8_e5m2, "float8_e5m2"},
    {at::kFloat8_e4m3fn, "float8_e4m3fn"}, {at::kFloat8_e5m2fnuz, "float8_e5m2fnuz"},
    {at::kFloat8_e4m3fnuz, "float8_e4m3fnuz"},
};
const char *const LAYOUTS[] = {"strided", "sparse_coo", "sparse_csr", nullptr, "sparse_csc"};  // by their numbers; one has no public name
const char *const MEMORY_FORMATS[] = {"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"};

PyObject *kept(handle from, const char *name) { return pybind11::getattr(from, name).release().ptr(); }

/// Where a torch.Tensor has its at::Tensor: the address that it gives as _cdata is looked for in the object.
size_t find_tensor(handle torch) {
    object probe = torch.attr("empty")(1);
    const auto address = PyLong_AsUnsignedLongLong(pybind11::getattr(probe, "_cdata").ptr());
    for (size_t offset = sizeof(PyObject); offset < sizeof(PyObject) + 8 * sizeof(void *); offset += sizeof(void *)) {
        unsigned long long found = 0;
        std::memcpy(&found, reinterpret_cast<char *>(probe.ptr()) + offset, sizeof(void *));
        if (found == address) return offset;
    }
    throw pybind11::import_error("a portable extension cannot find the C++ tensor inside a torch.Tensor");
}

/// The number of an object in a table of Torch; -1 if it is not there.
template <size_t N>
int number_of(PyObject *const (&table)[N], PyObject *object) {
    for (size_t i = 0; i < N; ++i)
        if (object && table[i] == object) return static_cast<int>(i);
    return -1;
}

PyObject *new_reference(PyObject *found, const char *what, int number) {
    if (found == nullptr) PyErr_Format(PyExc_TypeError, "%s: this PyTorch has none with the number %d", what, number);
    Py_XINCREF(found);
    return found;
}

}  // namespace

void prepare_tensors(handle torch) {
    torch_.module = torch.inc_ref().ptr();
    torch_.tensor = reinterpret_cast<PyTypeObject *>(kept(torch, "Tensor"));
    torch_.tensor_base = reinterpret_cast<PyTypeObject *>(kept(torch.attr("_C"), "TensorBase"));
    torch_.parameter = reinterpret_cast<PyTypeObject *>(kept(torch.attr("nn"), "Parameter"));
    torch_.device_type = kept(torch, "device");
    torch_.generator_type = kept(torch, "Generator");
    for (const auto &each : DTYPES)
        if (pybind11::hasattr(torch, each.name)) torch_.dtypes[int(each.type)] = kept(torch, each.name);
    for (size_t i = 0; i < std::size(LAYOUTS); ++i)
        if (LAYOUTS[i]) torch_.layouts[i] = kept(torch, LAYOUTS[i]);
    for (size_t i = 0; i < std::size(MEMORY_FORMATS); ++i) torch_.memory_formats[i] = kept(torch, MEMORY_FORMATS[i]);
    torch_.tensor_offset = find_tensor(torch);
    pybind11::detail::add_translation_hook(translate_pytorch);
}

const at::Tensor *tensor_in_python(PyObject *object) noexcept {
    PyTypeObject *type = Py_TYPE(object);
    if (type != torch_.tensor && type != torch_.parameter && !PyType_IsSubtype(type, torch_.tensor_base)) return nullptr;
    return reinterpret_cast<const at::Tensor *>(reinterpret_cast<char *>(object) + torch_.tensor_offset);
}

bool is_plain_tensor(PyObject *tensor) { return Py_TYPE(tensor) == torch_.tensor || Py_TYPE(tensor) == torch_.parameter; }

PyObject *tensor_to_python(at::Tensor &&tensor) {
    if (!tensor.defined()) Py_RETURN_NONE;
    if (pytorch.wrap_moved) return static_cast<PyObject *>(pytorch.wrap_moved(&tensor));
    if (pytorch.wrap_value) return static_cast<PyObject *>(pytorch.wrap_value(&tensor));
    return tensor_to_python(static_cast<const at::Tensor &>(tensor));
}

PyObject *tensor_to_python(const at::Tensor &tensor) {
    if (!tensor.defined()) Py_RETURN_NONE;
    if (pytorch.wrap) return static_cast<PyObject *>(pytorch.wrap(&tensor));
    at::Tensor copy = tensor;
    if (pytorch.wrap_value) return static_cast<PyObject *>(pytorch.wrap_value(&copy));
    if (void *object = nullptr; pytorch.to_python && pytorch.to_python(&tensor, nullptr, &object) == 0) return static_cast<PyObject *>(object);
    // PyTorch takes over a tensor that its C function made.
    at::Tensor *made = nullptr;
    check(pytorch.undefined_tensor(&made), "new_uninitialized_tensor");
    *made = std::move(copy);
    object capsule = owned(PyCapsule_New(made, nullptr, nullptr));
    return handle(torch_.module).attr("_C").attr("_aoti").attr("alloc_tensor_by_stealing_from_void_ptr")(capsule).release().ptr();
}

PyObject *dtype_to_python(at::ScalarType type) {
    const int number = int(type);
    const bool known = number >= 0 && number < int(std::size(torch_.dtypes));
    return new_reference(known ? torch_.dtypes[number] : nullptr, "torch.dtype", number);
}
PyObject *device_to_python(at::Device device) {
    return PyObject_CallFunction(torch_.device_type, "s", device.str().c_str());
}
PyObject *layout_to_python(at::Layout layout) {
    const size_t number = size_t(layout);
    return new_reference(number < std::size(LAYOUTS) ? torch_.layouts[number] : nullptr, "torch.layout", int(number));
}
PyObject *memory_format_to_python(at::MemoryFormat format) {
    const size_t number = size_t(format);
    return new_reference(number < std::size(MEMORY_FORMATS) ? torch_.memory_formats[number] : nullptr, "torch.memory_format", int(number));
}
PyObject *number_to_python(const at::Scalar &number) {
    if (number.isBoolean()) return PyBool_FromLong(number.toBool());
    if (number.isFloatingPoint()) return PyFloat_FromDouble(number.toDouble());
    if (number.isComplex()) return PyComplex_FromDoubles(number.toComplexDouble().real(), number.imag());
    return PyLong_FromLongLong(number.toLong());
}

PyObject *generator_to_python(const at::Generator &generator) {
    PyObject *found = generator.defined() ? static_cast<PyObject *>(generator.python()) : Py_None;
    Py_INCREF(found);
    return found;
}

bool dtype_from_python(PyObject *object, at::ScalarType &type) {
    const int number = number_of(torch_.dtypes, object);
    type = at::ScalarType(number);
    return number >= 0;
}
PyObject *of_number(PyObject *number, at::ScalarType) {
    const long value = PyLong_AsLong(number);
    return value >= 0 && size_t(value) < std::size(torch_.dtypes) ? torch_.dtypes[value] : nullptr;
}
PyObject *of_number(PyObject *number, at::Layout) {
    const long value = PyLong_AsLong(number);
    return value >= 0 && size_t(value) < std::size(LAYOUTS) ? torch_.layouts[value] : nullptr;
}
PyObject *of_number(PyObject *number, at::MemoryFormat) {
    const long value = PyLong_AsLong(number);
    return value >= 0 && size_t(value) < std::size(MEMORY_FORMATS) ? torch_.memory_formats[value] : nullptr;
}
bool device_from_python(PyObject *object, at::Device &device) {
    if (!PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject *>(torch_.device_type))) return false;
    pybind11::object text = owned(PyObject_Str(object));
    device = at::Device(std::string(PyUnicode_AsUTF8AndSize(text.ptr(), nullptr)));
    return true;
}
bool generator_from_python(PyObject *object, at::Generator &generator) {
    if (!PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject *>(torch_.generator_type))) return false;
    Py_INCREF(object);
    generator = at::Generator::take(object);
    return true;
}
bool layout_from_python(PyObject *object, at::Layout &layout) {
    const int number = number_of(torch_.layouts, object);
    layout = at::Layout(number);
    return number >= 0;
}
bool memory_format_from_python(PyObject *object, at::MemoryFormat &format) {
    const int number = number_of(torch_.memory_formats, object);
    format = at::MemoryFormat(number);
    return number >= 0;
}
bool number_from_python(PyObject *object, at::Scalar &number) {
    if (PyBool_Check(object)) {
        number = object == Py_True;
    } else if (PyLong_Check(object)) {
        const long long value = PyLong_AsLongLong(object);
        if (value == -1 && PyErr_Occurred()) return PyErr_Clear(), false;
        number = int64_t(value);
    } else if (PyFloat_Check(object)) {
        number = PyFloat_AsDouble(object);
    } else if (PyComplex_Check(object)) {
        number = c10::complex<double>(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object));
    } else if (tensor_in_python(object) && tensor_in_python(object)->numel() == 1) {
        number = tensor_in_python(object)->item();
    } else {
        return false;
    }
    return true;
}

namespace {

struct Kind { const char *name; PyObject *const *exception; };
const Kind KINDS[] = {
    {"IndexError", &PyExc_IndexError}, {"ValueError", &PyExc_ValueError}, {"TypeError", &PyExc_TypeError},
    {"NotImplementedError", &PyExc_NotImplementedError}, {"OutOfMemoryError", &PyExc_MemoryError},
};

/// Raises the error that PyTorch's own pybind11::error_already_set has: pybind11 keeps its type, value and traceback behind
/// a shared pointer after the vtable, in all versions that PyTorch brought. Without mangled_names, a RuntimeError.
void raise_python_error(const std::exception &error) {
    struct Fetched { PyObject *type, *value, *trace; };
    const auto *fetched = *reinterpret_cast<Fetched *const *>(reinterpret_cast<const char *>(&error) + sizeof(void *));
    if (!mangled_names || !fetched || !fetched->type || !PyExceptionClass_Check(fetched->type))
        return PyErr_SetString(PyExc_RuntimeError, error.what());
    Py_INCREF(fetched->type);
    Py_XINCREF(fetched->value);
    Py_XINCREF(fetched->trace);
    PyErr_Restore(fetched->type, fetched->value, fetched->trace);
}

}  // namespace

// Our own exceptions, and those of PyTorch, which PyTorch translates.
bool translate_pytorch(const std::exception_ptr &error) {
    try {
        std::rethrow_exception(error);
    } catch (const c10::IndexError &e) {
        PyErr_SetString(PyExc_IndexError, e.what());
    } catch (const c10::ValueError &e) {
        PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const c10::TypeError &e) {
        PyErr_SetString(PyExc_TypeError, e.what());
    } catch (const c10::NotImplementedError &e) {
        PyErr_SetString(PyExc_NotImplementedError, e.what());
    } catch (const c10::LinAlgError &e) {
        object type = handle(torch_.module).attr("linalg").attr("LinAlgError");
        PyErr_SetString(type.ptr(), e.what());
    } catch (const c10::Error &e) {
        PyErr_SetString(PyExc_RuntimeError, e.what());
    } catch (const std::exception &e) {
        const std::string type = typeid(e).name();
        if (type == "N8pybind1117error_already_setE") return raise_python_error(e), true;
        const bool is_of_pytorch = type.rfind("N3c10", 0) == 0 || type.find("5torch") != type.npos || type.find("python_error") != type.npos;
        if (!is_of_pytorch) return false;
        if (pytorch.translate) {
            pytorch.translate(&error);
            if (PyErr_Occurred()) return true;
        }
        PyObject *exception = PyExc_RuntimeError;
        for (const Kind &kind : KINDS)
            if (type.find(kind.name) != type.npos) exception = *kind.exception;
        const std::string text = e.what();  // a backtrace follows the message
        PyErr_SetString(exception, text.substr(0, text.find("\nException raised from")).c_str());
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        return false;
    }
    return true;
}

}  // namespace torchthaw
