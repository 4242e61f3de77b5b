// portable/runtime/python/arrays.cpp: the buffer protocol and NumPy's arrays.
#include "portable/python/module.h"

#include <cstring>
#include <dlfcn.h>

namespace pybind11 {
namespace detail {

namespace {

constexpr int buffer_writable = 0x1, buffer_format = 0x4, buffer_strides = 0x18;

/// A function of CPython that the 3.10 interface does not declare.
template <class F> F find_function(const char *name) {
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found) throw import_error(std::string("This Python has no ") + name);
    return reinterpret_cast<F>(found);
}

/// NumPy's table of C functions. The indices are the same in NumPy 1 and 2.
class numpy_functions {
    void **m_table;
    template <class F> F at(size_t index) const { return reinterpret_cast<F>(m_table[index]); }

  public:
    numpy_functions() {
        object module = maybe_owned(PyImport_ImportModule("numpy._core.multiarray"));
        if (!module) {
            PyErr_Clear();
            module = owned(PyImport_ImportModule("numpy.core.multiarray"));  // NumPy 1
        }
        m_table = static_cast<void **>(capsule(module.attr("_ARRAY_API")).pointer());
    }
    PyTypeObject *array_type() const { return static_cast<PyTypeObject *>(m_table[2]); }
    PyTypeObject *dtype_type() const { return static_cast<PyTypeObject *>(m_table[3]); }
    PyObject *from_any(PyObject *value, PyObject *dtype, int flags) const {
        auto call = at<PyObject *(*)(PyObject *, PyObject *, int, int, int, PyObject *)>(69);
        Py_XINCREF(dtype);  // NumPy takes the reference
        return call(value, dtype, 0, 0, flags, nullptr);
    }
    PyObject *new_copy(PyObject *array) const { return at<PyObject *(*)(PyObject *, int)>(85)(array, -1); }
    PyObject *new_from_dtype(PyObject *dtype, int dimensions, ssize_t *shape, ssize_t *strides, void *data,
                             int flags) const {
        auto call = at<PyObject *(*)(PyTypeObject *, PyObject *, int, ssize_t *, ssize_t *, void *, int,
                                     PyObject *)>(94);
        Py_INCREF(dtype);  // NumPy takes the reference
        return call(array_type(), dtype, dimensions, shape, strides, data, flags, nullptr);
    }
    bool convert_dtype(PyObject *value, PyObject *&dtype) const {
        return at<int (*)(PyObject *, PyObject **)>(174)(value, &dtype) != 0;
    }
    bool are_equivalent(PyObject *left, PyObject *right) const {
        return at<unsigned char (*)(PyObject *, PyObject *)>(182)(left, right) != 0;
    }
    /// Takes the reference to the base.
    int set_base(PyObject *array, PyObject *base) const {
        return at<int (*)(PyObject *, PyObject *)>(282)(array, base);
    }
};

const numpy_functions &numpy() {
    static const numpy_functions found;
    return found;
}

ssize_t element_count(const std::vector<ssize_t> &shape) {
    ssize_t count = 1;
    for (ssize_t size : shape) count *= size;
    return count;
}

}  // namespace

void get_buffer(PyObject *source, buffer_view &view, bool writable) {
    static auto get = find_function<int (*)(PyObject *, buffer_view *, int)>("PyObject_GetBuffer");
    int flags = buffer_format | buffer_strides | (writable ? buffer_writable : 0);
    checked(get(source, &view, flags));
}
void release_buffer(buffer_view &view) {
    static auto release = find_function<void (*)(buffer_view *)>("PyBuffer_Release");
    release(&view);
}
bool has_buffer(PyObject *source) {
    static auto check = find_function<int (*)(PyObject *)>("PyObject_CheckBuffer");
    return check(source) != 0;
}

std::vector<ssize_t> c_strides(const std::vector<ssize_t> &shape, ssize_t itemsize) {
    std::vector<ssize_t> strides(shape.size(), itemsize);
    for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    return strides;
}
std::vector<ssize_t> f_strides(const std::vector<ssize_t> &shape, ssize_t itemsize) {
    std::vector<ssize_t> strides(shape.size(), itemsize);
    for (size_t i = 1; i < shape.size(); ++i) strides[i] = strides[i - 1] * shape[i - 1];
    return strides;
}

bool is_array(PyObject *value) { return PyObject_TypeCheck(value, numpy().array_type()); }
bool is_dtype(PyObject *value) { return PyObject_TypeCheck(value, numpy().dtype_type()); }
bool is_array_of(PyObject *value, PyObject *dtype, int flags) {
    return is_array(value) && numpy().are_equivalent(fields_of(value)->descr, dtype) &&
           (fields_of(value)->flags & flags) == flags;
}
PyObject *dtype_from_object(PyObject *value) {
    PyObject *made = nullptr;
    if (!numpy().convert_dtype(value, made) || !made) throw error_already_set();
    return made;
}
PyObject *dtype_from_format(const std::string &format) {
    if (format.size() == 2 && format[0] == 'Z')  // complex, in NumPy's own characters
        return dtype_from_object(str(format[1] == 'f' ? "F" : format[1] == 'd' ? "D" : "G").ptr());
    return dtype_from_object(str(format).ptr());
}

PyObject *new_array(PyObject *dtype, const std::vector<ssize_t> &shape, const std::vector<ssize_t> &strides,
                    const void *data, handle base) {
    std::vector<ssize_t> sizes = shape, steps = strides;
    if (!steps.empty() && steps.size() != sizes.size()) pybind11_fail("NumPy: shape ndim doesn't match strides ndim");
    int flags = 0;
    if (base && data) flags = is_array(base.ptr()) ? fields_of(base.ptr())->flags & ~4 : int(writeable);
    object made = owned(numpy().new_from_dtype(dtype, static_cast<int>(sizes.size()), sizes.data(),
                                               steps.empty() ? nullptr : steps.data(), const_cast<void *>(data),
                                               flags));
    if (!data) return made.release().ptr();
    if (!base) return checked(numpy().new_copy(made.ptr()));
    checked(numpy().set_base(made.ptr(), base.inc_ref().ptr()));
    return made.release().ptr();
}
PyObject *array_from(PyObject *value, PyObject *dtype, int flags) {
    constexpr int ensure_array = 0x40;
    return numpy().from_any(value, dtype, flags | ensure_array);
}
PyObject *array_from_any(PyObject *value) {
    if (!value) return PyErr_SetString(PyExc_ValueError, "cannot create a pybind11::array from a nullptr"), nullptr;
    return array_from(value, nullptr, 0);
}

void fail_dimension(ssize_t dimension, ssize_t count) {
    throw index_error("invalid axis: " + std::to_string(dimension) + " (ndim = " + std::to_string(count) + ")");
}
void fail_indices(size_t given, ssize_t count) {
    throw index_error("index dimension mismatch: " + std::to_string(given) + " (ndim = " + std::to_string(count) + ")");
}
void fail_index(ssize_t index, size_t axis, ssize_t size) {
    throw index_error("index " + std::to_string(index) + " is out of bounds for axis " + std::to_string(axis) +
                      " with size " + std::to_string(size));
}
void fail_dimension_count(ssize_t found, ssize_t expected) {
    throw std::domain_error("array has incorrect number of dimensions: " + std::to_string(found) + "; expected " +
                            std::to_string(expected));
}

}  // namespace detail

using namespace detail;

buffer_info::buffer_info(void *ptr, ssize_t itemsize, const std::string &format, ssize_t ndim,
                         std::vector<ssize_t> shape_in, std::vector<ssize_t> strides_in, bool readonly)
    : ptr(ptr), itemsize(itemsize), format(format), ndim(ndim), shape(std::move(shape_in)),
        strides(std::move(strides_in)),
      readonly(readonly) {
    if (ndim != static_cast<ssize_t>(shape.size()) || ndim != static_cast<ssize_t>(strides.size()))
        pybind11_fail("buffer_info: ndim doesn't match shape and/or strides length");
    size = element_count(shape);
}
buffer_info::buffer_info(std::shared_ptr<buffer_view> view)
    : ptr(view->buf), itemsize(view->itemsize), format(view->format ? view->format : "B"), ndim(view->ndim),
      shape(view->shape, view->shape + view->ndim), readonly(view->readonly != 0), m_view(std::move(view)) {
    if (m_view->strides)
        strides.assign(m_view->strides, m_view->strides + ndim);
    else
        strides = c_strides(shape, itemsize);
    size = element_count(shape);
}

buffer_info buffer::request(bool writable) const {
    auto view = std::make_unique<buffer_view>();
    get_buffer(m_ptr, *view, writable);
    return buffer_info(std::shared_ptr<buffer_view>(view.release(), [](buffer_view *last) {
        gil_scoped_acquire gil;
        release_buffer(*last);
        delete last;
    }));
}

bool memoryview::is_view(PyObject *value) { return Py_TYPE(value) == &PyMemoryView_Type; }
memoryview memoryview::from_memory(void *memory, ssize_t size, bool readonly) {
    constexpr int read = 0x100, write = 0x200;
    PyObject *made = PyMemoryView_FromMemory(static_cast<char *>(memory), size, readonly ? read : write);
    return {handle(checked(made)), stolen_t{}};
}

}  // namespace pybind11
