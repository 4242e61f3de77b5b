// portable/python/tensors.h: tensors, element types, devices and numbers as arguments and results of bound functions.
#pragma once
#include <portable/tensors.h>

#include "portable/python/stl/containers.h"

struct DLManagedTensor;

namespace torchthaw {

/// Finds PyTorch and chooses how operators are called; once for a binary. False with a Python error set. Needs the GIL.
bool start();

/// Looks up what the conversions need of the module torch; start() calls it.
void prepare_tensors(pybind11::handle torch);

/// The tensor inside a torch.Tensor, borrowed for as long as that object is; null if it is no tensor. Needs the GIL.
const at::Tensor *tensor_in_python(PyObject *object) noexcept;

/// Whether a tensor of Python is a torch.Tensor or a Parameter itself, not of a class that derives from these.
bool is_plain_tensor(PyObject *tensor);

// New references; null with a Python error set. An undefined tensor becomes None.
PyObject *tensor_to_python(const at::Tensor &tensor);
PyObject *tensor_to_python(at::Tensor &&tensor);
PyObject *dtype_to_python(at::ScalarType type);
PyObject *device_to_python(at::Device device);
PyObject *layout_to_python(at::Layout layout);
PyObject *memory_format_to_python(at::MemoryFormat format);
PyObject *number_to_python(const at::Scalar &number);
PyObject *generator_to_python(const at::Generator &generator);

/// A capsule that from_dlpack of Python takes; it owns the structure.
pybind11::object dlpack_capsule(::DLManagedTensor *managed);

// False for an object of another type, without a Python error.
bool dtype_from_python(PyObject *object, at::ScalarType &type);
bool device_from_python(PyObject *object, at::Device &device);
bool layout_from_python(PyObject *object, at::Layout &layout);
bool memory_format_from_python(PyObject *object, at::MemoryFormat &format);
bool number_from_python(PyObject *object, at::Scalar &number);
bool generator_from_python(PyObject *object, at::Generator &generator);

// The object of torch that a number stands for, as the dispatcher gives it to a kernel; borrowed, null for another number.
PyObject *of_number(PyObject *number, at::ScalarType);
PyObject *of_number(PyObject *number, at::Layout);
PyObject *of_number(PyObject *number, at::MemoryFormat);

}  // namespace torchthaw

namespace pybind11 {
namespace detail {

template <> struct caster<at::Tensor> {
    static constexpr auto name = "torch.Tensor";
    static const at::Tensor *borrow(PyObject *source) { return torchthaw::tensor_in_python(source); }
    static bool load(PyObject *source, at::Tensor &value, bool) {
        const at::Tensor *found = borrow(source);
        if (found) value = *found;
        return found;
    }
    static PyObject *make(const at::Tensor &value, return_value_policy, handle) {
        return torchthaw::tensor_to_python(value); }
    static PyObject *make(at::Tensor &&value, return_value_policy, handle) {
        return torchthaw::tensor_to_python(std::move(value));
    }
};

// Types of which an object of Python is converted to a value.
#define TORCHTHAW_CASTER(type, shown, word)                                                                            \
    template <> struct caster<type> {                                                                                  \
        static constexpr auto name = shown;                                                                            \
        static bool load(PyObject *source, type &value, bool) { return torchthaw::word##_from_python(source, value); } \
        static PyObject *make(const type &value, return_value_policy, handle) {                                        \
            return torchthaw::word##_to_python(value);                                                                 \
        }                                                                                                              \
    };
TORCHTHAW_CASTER(at::ScalarType, "torch.dtype", dtype)
TORCHTHAW_CASTER(at::Device, "torch.device", device)
TORCHTHAW_CASTER(at::Layout, "torch.layout", layout)
TORCHTHAW_CASTER(at::MemoryFormat, "torch.memory_format", memory_format)
TORCHTHAW_CASTER(at::Generator, "torch.Generator", generator)
TORCHTHAW_CASTER(at::Scalar, "Union[int, float, bool, complex]", number)
#undef TORCHTHAW_CASTER

/// Lists of integers and of tensors: arrays that live as long as the call.
template <class T> struct caster<c10::ArrayRef<T>> {
    static constexpr auto name = caster<std::vector<T>>::name;
    static PyObject *make(c10::ArrayRef<T> values, return_value_policy policy, handle parent) {
        return caster<std::vector<T>>::make(std::vector<T>(values.begin(), values.end()), policy, parent);
    }
};
template <class T> struct builtin_argument<c10::ArrayRef<T>> {
    std::vector<T> values;
    c10::ArrayRef<T> view;
    bool load(PyObject *source, bool convert) {
        if constexpr (std::is_same_v<T, int64_t>) {
            if (!PyTuple_Check(source) && !PyList_Check(source)) return false;
            return load_sizes(source);
        }
        if (!caster<std::vector<T>>::load(source, values, convert)) return false;
        view = values;
        return true;
    }
    template <class P> c10::ArrayRef<T> &get() { return view; }

  private:
    /// Integers, and tensors of one element, as PyTorch takes them.
    bool load_sizes(handle source) {
        for (handle each : source) {
            const at::Tensor *tensor = torchthaw::tensor_in_python(each.ptr());
            if (!tensor && !PyLong_Check(each.ptr())) return false;
            values.push_back(tensor ? tensor->item().toLong() : PyLong_AsLongLong(each.ptr()));
            if (PyErr_Occurred()) throw error_already_set();
        }
        view = values;
        return true;
    }
};
template <class T> struct caster<c10::complex<T>> {
    static constexpr auto name = "complex";
    static bool load(PyObject *source, c10::complex<T> &value, bool convert) {
        double real, imaginary;
        if (!load_complex(source, real, imaginary, convert)) return false;
        value = {static_cast<T>(real), static_cast<T>(imaginary)};
        return true;
    }
    static PyObject *make(const c10::complex<T> &value, return_value_policy, handle) {
        return PyComplex_FromDoubles(value.real(), value.imag());
    }
};

}  // namespace detail
}  // namespace pybind11
