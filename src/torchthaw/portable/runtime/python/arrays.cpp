// portable/runtime/python/arrays.cpp: the buffer protocol and NumPy's arrays.
#include "portable/python/numpy/numpy.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

namespace pybind11 {
namespace detail {

namespace {

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
    PyObject *resize(PyObject *array, std::vector<ssize_t> shape, bool refcheck) const {
        struct {
            ssize_t *sizes;
            int count;
        } wanted = {shape.data(), static_cast<int>(shape.size())};
        return at<PyObject *(*)(PyObject *, void *, int, int)>(80)(array, &wanted, refcheck ? 1 : 0, -1);
    }
    bool convert_dtype(PyObject *value, PyObject *&dtype) const {
        return at<int (*)(PyObject *, PyObject **)>(174)(value, &dtype) != 0;
    }
    PyObject *dtype_of(int number) const { return at<PyObject *(*)(int)>(45)(number); }
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

int get_buffer(PyObject *source, buffer_view *view, int flags) {
    static auto get = find_function<int (*)(PyObject *, buffer_view *, int)>("PyObject_GetBuffer");
    return get(source, view, flags);
}
void release_buffer(buffer_view *view) {
    static auto release = find_function<void (*)(buffer_view *)>("PyBuffer_Release");
    release(view);
}
bool has_buffer(PyObject *source) {
    static auto check = find_function<int (*)(PyObject *)>("PyObject_CheckBuffer");
    return check(source) != 0;
}
PyObject *memoryview_of(const buffer_view *view) {
    static auto make = find_function<PyObject *(*)(const buffer_view *)>("PyMemoryView_FromBuffer");
    return make(view);
}
bool holds_gil() {
    static auto check = find_function<int (*)()>("PyGILState_Check");
    return check() != 0;
}
PyThreadState *get_thread_state_unchecked() { return holds_gil() ? PyThreadState_Get() : nullptr; }

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

object shape_tuple(const std::vector<ssize_t> &shape) {
    tuple all(shape.size());
    for (size_t i = 0; i < shape.size(); ++i) all[i] = int_(shape[i]);
    return std::move(all);
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
bool are_equivalent(PyObject *left, PyObject *right) { return numpy().are_equivalent(left, right); }
PyObject *dtype_from_format(const std::string &format) { return dtype_from_object(str(format).ptr()); }
PyObject *dtype_from_number(int number) { return checked(numpy().dtype_of(number)); }
PyObject *dtype_from_fields(handle names, handle formats, handle offsets, ssize_t itemsize) {
    dict fields;
    fields["names"] = names;
    fields["formats"] = formats;
    fields["offsets"] = offsets;
    fields["itemsize"] = int_(itemsize);
    return dtype_from_object(fields.ptr());
}

namespace {

/// A dtype of records without padding where NumPy sees a field, and of this size.
PyObject *without_padding(const dtype &found, ssize_t itemsize) {
    object names = found.attr("names");
    if (names.is_none()) return dtype(found).release().ptr();
    list kept_names, formats, offsets;
    std::vector<std::pair<ssize_t, handle>> order;
    dict fields(found.attr("fields").attr("copy")());
    for (handle name : names) order.emplace_back(int_(object(fields[name][int_(1)])), name);
    std::stable_sort(order.begin(), order.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    for (const auto &[offset, name] : order) {
        dtype format = fields[name][int_(0)].cast<dtype>();
        if (len(str(name)) == 0 && format.kind() == 'V') continue;
        kept_names.append(name);
        formats.append(reinterpret_steal<object>(without_padding(format, format.itemsize())));
        offsets.append(int_(offset));
    }
    return dtype_from_fields(kept_names, formats, offsets, itemsize);
}

}  // namespace

PyObject *dtype_from_buffer(const std::string &format, ssize_t itemsize) {
    object module = maybe_owned(PyImport_ImportModule("numpy._core._internal"));
    if (!module) {
        PyErr_Clear();
        module = owned(PyImport_ImportModule("numpy.core._internal"));  // NumPy 1
    }
    dtype found(module.attr("_dtype_from_pep3118")(format).cast<dtype>());
    return without_padding(found, itemsize ? itemsize : found.itemsize());
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

void resize_array(array &value, const std::vector<ssize_t> &shape, bool refcheck) {
    object made = owned(numpy().resize(value.ptr(), shape, refcheck));
    if (is_array(made.ptr())) value = reinterpret_steal<array>(made.release());
}

void fail_dimension(ssize_t dimension, ssize_t count) {
    throw index_error("invalid axis: " + std::to_string(dimension) + " (ndim = " + std::to_string(count) + ")");
}
void fail_count(const char *text, size_t given, ssize_t count) {
    throw index_error(std::string(text) + ": " + std::to_string(given) + " (ndim = " + std::to_string(count) + ")");
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
                         sizes shape_in, sizes strides_in, bool readonly)
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

namespace {
std::shared_ptr<buffer_view> share_view(buffer_view *view, bool owns_view) {
    if (!owns_view) return {view, [](buffer_view *) {}};
    return {view, [](buffer_view *last) {
                gil_scoped_acquire gil;
                release_buffer(last);
                delete last;
            }};
}
}  // namespace

buffer_info::buffer_info(Py_buffer *view, bool owns_view) : buffer_info(share_view(view, owns_view)) {}

buffer_info buffer::request(bool writable) const {
    auto view = std::make_unique<buffer_view>();
    checked(get_buffer(m_ptr, view.get(), PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)));
    return buffer_info(view.release());
}

bool memoryview::is_view(PyObject *value) { return Py_TYPE(value) == &PyMemoryView_Type; }
memoryview memoryview::from_memory(void *memory, ssize_t size, bool readonly) {
    constexpr int read = 0x100, write = 0x200;
    PyObject *made = PyMemoryView_FromMemory(static_cast<char *>(memory), size, readonly ? read : write);
    return {handle(checked(made)), stolen_t{}};
}

memoryview memoryview::from_buffer(void *ptr, ssize_t itemsize, const char *format, sizes shape_in, sizes strides_in,
                                   bool readonly) {
    std::vector<ssize_t> shape = std::move(shape_in), strides = std::move(strides_in);
    if (shape.size() != strides.size()) pybind11_fail("memoryview: shape length doesn't match strides length");
    buffer_view view{};
    view.len = shape.empty() ? 0 : itemsize * element_count(shape);
    view.buf = ptr;
    view.itemsize = itemsize;
    view.readonly = readonly ? 1 : 0;
    view.ndim = static_cast<int>(shape.size());
    view.format = const_cast<char *>(format);
    view.shape = shape.data();
    view.strides = strides.data();
    return {handle(checked(memoryview_of(&view))), stolen_t{}};
}
memoryview::memoryview(const buffer_info &info) {
    if (!info.view()) pybind11_fail("memoryview: expected the buffer_info of a Python object");
    *this = info.view()->obj ? memoryview(detail::borrowed(info.view()->obj))
                             : memoryview(handle(checked(memoryview_of(info.view()))), stolen_t{});
}

}  // namespace pybind11
