// portable/python/numpy/array.h: NumPy's arrays: array, array_t and unchecked access.
#pragma once
#include "portable/python/numpy/dtype.h"

namespace pybind11 {
class array;
namespace detail {

/// The head of NumPy's array object, the same in NumPy 1 and 2.
struct array_fields {
    PyObject_HEAD
    char *data;
    int nd;
    ssize_t *dimensions;
    ssize_t *strides;
    PyObject *base;
    PyObject *descr;
    int flags;
};
inline array_fields *fields_of(PyObject *array) { return reinterpret_cast<array_fields *>(array); }

enum array_flag : int { c_contiguous = 1, f_contiguous = 2, force_cast = 0x10, aligned = 0x100, writeable = 0x400 };

bool is_array(PyObject *value);
/// Whether an array has this element type and the contiguity in the flags.
bool is_array_of(PyObject *value, PyObject *dtype, int flags);
/// Whether two element types are the same.
bool are_equivalent(PyObject *left, PyObject *right);
/// A new array. Without data it has memory of its own; with data and a base it views that; without a base it copies.
PyObject *new_array(PyObject *dtype, const std::vector<ssize_t> &shape, const std::vector<ssize_t> &strides,
                    const void *data, handle base);
/// Any object as an array; null with a Python error. `dtype` may be null.
PyObject *array_from(PyObject *value, PyObject *dtype, int flags);
PyObject *array_from_any(PyObject *value);
[[noreturn]] void fail_dimension(ssize_t dimension, ssize_t count);
[[noreturn]] void fail_count(const char *text, size_t given, ssize_t count);
[[noreturn]] void fail_index(ssize_t index, size_t axis, ssize_t size);
[[noreturn]] void fail_dimension_count(ssize_t found, ssize_t expected);

/// A tuple of integers.
object shape_tuple(const std::vector<ssize_t> &shape);

void resize_array(array &value, const std::vector<ssize_t> &shape, bool refcheck);

/// Elements of an array without checks. Dims is the number of dimensions, negative when it is known at run time only.
template <class T, ssize_t Dims> class unchecked_reference {
  protected:
    using byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    byte *m_data;
    const ssize_t *m_shape, *m_strides;
    ssize_t m_dims;

  public:
    using value_type = std::remove_const_t<T>;
    explicit unchecked_reference(PyObject *array)
        : m_data(fields_of(array)->data), m_shape(fields_of(array)->dimensions), m_strides(fields_of(array)->strides),
          m_dims(fields_of(array)->nd) {
        if (Dims >= 0 && m_dims != Dims) fail_dimension_count(m_dims, Dims);
    }
    template <class... I> T *data(I... indices) const {
        static_assert(Dims < 0 || sizeof...(I) == static_cast<size_t>(Dims < 0 ? 0 : Dims),
                      "one index for each dimension");
        ssize_t offset = 0;
        [[maybe_unused]] ssize_t axis = 0;
        ((offset += static_cast<ssize_t>(indices) * m_strides[axis++]), ...);
        return reinterpret_cast<T *>(m_data + offset);
    }
    template <class... I> T *mutable_data(I... indices) const { return data(indices...); }
    template <class... I> T &operator()(I... indices) const { return *data(indices...); }
    T &operator[](ssize_t index) const { return *data(index); }
    ssize_t shape(ssize_t axis) const { return m_shape[axis]; }
    ssize_t ndim() const { return m_dims; }
    ssize_t size() const {
        ssize_t count = 1;
        for (ssize_t axis = 0; axis < m_dims; ++axis) count *= m_shape[axis];
        return count;
    }
    static constexpr ssize_t itemsize() { return sizeof(T); }
    ssize_t nbytes() const { return size() * itemsize(); }
};

}  // namespace detail

/// Any NumPy array. Sizes and strides are read from the array itself at each call.
class array : public buffer {
    detail::array_fields *fields() const { return detail::fields_of(m_ptr); }

  protected:
    template <class... I> ssize_t offset(I... indices) const {
        if (sizeof...(I) > static_cast<size_t>(ndim())) detail::fail_count("too many indices for an array",
                sizeof...(I), ndim());
        ssize_t bytes = 0;
        [[maybe_unused]] size_t axis = 0;
        ((check_index(static_cast<ssize_t>(indices), axis),
          bytes += static_cast<ssize_t>(indices) * fields()->strides[axis++]),
         ...);
        return bytes;
    }
    void check_index(ssize_t index, size_t axis) const {
        ssize_t size = fields()->dimensions[axis];
        if (index < 0 || index >= size) detail::fail_index(index, axis, size);
    }
    void check_writeable() const {
        if (!writeable()) throw std::domain_error("array is not writeable");
    }

  public:
    using ShapeContainer = detail::sizes;
    using StridesContainer = detail::sizes;
    enum { c_style = detail::c_contiguous, f_style = detail::f_contiguous, forcecast = detail::force_cast };

    PYBIND11_OBJECT_CVT(array, buffer, detail::is_array, detail::array_from_any)
    array() : array(pybind11::dtype::of<double>(), ShapeContainer{0}) {}
    array(const pybind11::dtype &dtype, ShapeContainer shape, StridesContainer strides, const void *data = nullptr,
          handle base = {})
        : buffer(detail::new_array(dtype.ptr(), *shape, *strides, data, base), stolen_t{}) {}
    array(const pybind11::dtype &dtype, ShapeContainer shape, const void *data = nullptr, handle base = {})
        : array(dtype, std::move(shape), StridesContainer(), data, base) {}
    template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0>
    array(const pybind11::dtype &dtype, I count, const void *data = nullptr, handle base = {})
        : array(dtype, ShapeContainer{static_cast<ssize_t>(count)}, data, base) {}
    template <class T>
    array(ShapeContainer shape, StridesContainer strides, const T *data, handle base = {})
        : array(pybind11::dtype::of<T>(), std::move(shape), std::move(strides), data, base) {}
    template <class T>
    array(ShapeContainer shape, const T *data, handle base = {})
        : array(pybind11::dtype::of<T>(), std::move(shape), data, base) {}
    template <class I, class T, std::enable_if_t<std::is_integral_v<I>, int> = 0>
    explicit array(I count, const T *data, handle base = {})
        : array(ShapeContainer{static_cast<ssize_t>(count)}, data, base) {}
    explicit array(const buffer_info &info, handle base = {})
        : array(pybind11::dtype(info), info.shape, info.strides, info.ptr, base) {}

    /// As numpy.asarray, or null for what has no conversion.
    static array ensure(handle value, int flags = 0) {
        PyObject *made = value ? detail::array_from(value.ptr(), nullptr, flags) : nullptr;
        if (!made) PyErr_Clear();
        return {made, stolen_t{}};
    }
    pybind11::dtype dtype() const { return {handle(fields()->descr), borrowed_t{}}; }
    ssize_t size() const {
        ssize_t count = 1;
        for (ssize_t axis = 0; axis < ndim(); ++axis) count *= fields()->dimensions[axis];
        return count;
    }
    ssize_t itemsize() const { return attr("itemsize").cast<ssize_t>(); }
    ssize_t nbytes() const { return size() * itemsize(); }
    ssize_t ndim() const { return fields()->nd; }
    object base() const { return detail::borrowed(fields()->base); }
    const ssize_t *shape() const { return fields()->dimensions; }
    const ssize_t *strides() const { return fields()->strides; }
    /// Throws index_error for an axis that does not exist.
    ssize_t shape(ssize_t axis) const {
        if (axis >= ndim()) detail::fail_dimension(axis, ndim());
        return shape()[axis];
    }
    ssize_t strides(ssize_t axis) const {
        if (axis >= ndim()) detail::fail_dimension(axis, ndim());
        return strides()[axis];
    }
    int flags() const { return fields()->flags; }
    bool writeable() const { return (flags() & detail::writeable) != 0; }
    bool owndata() const { return (flags() & 4) != 0; }
    template <class... I> const void *data(I... indices) const { return fields()->data + offset(indices...); }
    template <class... I> void *mutable_data(I... indices) {
        check_writeable();
        return fields()->data + offset(indices...);
    }
    template <class... I> ssize_t offset_at(I... indices) const { return offset(indices...); }
    template <class... I> ssize_t index_at(I... indices) const { return offset(indices...) / itemsize(); }
    template <class T, ssize_t Dims = -1> detail::unchecked_reference<const T, Dims> unchecked() const & {
        return detail::unchecked_reference<const T, Dims>(m_ptr);
    }
    template <class T, ssize_t Dims = -1> detail::unchecked_reference<T, Dims> mutable_unchecked() & {
        check_writeable();
        return detail::unchecked_reference<T, Dims>(m_ptr);
    }
    array squeeze() const { return attr("squeeze")(); }
    array reshape(ShapeContainer shape) const { return attr("reshape")(detail::shape_tuple(*shape)); }
    array view(const std::string &dtype) const { return attr("view")(dtype); }
    /// Changes the shape in place, as far as memory is its own.
    void resize(ShapeContainer shape, bool refcheck = true) { detail::resize_array(*this, *shape, refcheck); }
};

/// A NumPy array of T; Flags are array::c_style, f_style and forcecast. Other objects are converted.
template <class T, int Flags = array::forcecast> class array_t : public array {
    static PyObject *convert(PyObject *value) {
        if (!value) throw value_error("cannot create a pybind11::array_t from a nullptr");
        return detail::array_from(value, pybind11::dtype::of<T>().ptr(), Flags);
    }
    static StridesContainer order(const std::vector<ssize_t> &shape) {
        return (Flags & f_style) != 0 ? detail::f_strides(shape, sizeof(T)) : std::vector<ssize_t>();
    }

  public:
    using value_type = T;
    array_t() : array(ShapeContainer{0}, static_cast<const T *>(nullptr)) {}
    array_t(handle value, borrowed_t) : array(value, borrowed_t{}) {}
    array_t(handle value, stolen_t) : array(value, stolen_t{}) {}
    array_t(const object &value) : array(detail::checked(convert(value.ptr())), stolen_t{}) {}
    array_t(const accessor &value) : array_t(value.get()) {}
    explicit array_t(const buffer_info &info, handle base = {}) : array(info, base) {}
    array_t(ShapeContainer shape, StridesContainer strides, const T *data = nullptr, handle base = {})
        : array(std::move(shape), std::move(strides), data, base) {}
    explicit array_t(ShapeContainer shape, const T *data = nullptr, handle base = {})
        : array(pybind11::dtype::of<T>(), ShapeContainer(*shape), order(*shape), data, base) {}
    array_t(std::initializer_list<ssize_t> shape, const T *data = nullptr, handle base = {})
        : array_t(ShapeContainer(shape), data, base) {}
    template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0>
    explicit array_t(I count, const T *data = nullptr, handle base = {})
        : array(ShapeContainer{static_cast<ssize_t>(count)}, data, base) {}

    static bool check_(handle value) {
        return value && detail::is_array_of(value.ptr(), pybind11::dtype::of<T>().ptr(), Flags & (c_style | f_style));
    }
    static array_t ensure(handle value) {
        PyObject *made = convert(value.ptr());
        if (!made) PyErr_Clear();
        return {made, stolen_t{}};
    }
    static constexpr ssize_t itemsize() { return sizeof(T); }
    ssize_t nbytes() const { return size() * itemsize(); }
    template <class... I> const T *data(I... indices) const { return static_cast<const T *>(array::data(indices...)); }
    template <class... I> T *mutable_data(I... indices) { return static_cast<T *>(array::mutable_data(indices...)); }
    template <class... I> const T &at(I... indices) const {
        if (static_cast<ssize_t>(sizeof...(I)) != ndim()) detail::fail_count("index dimension mismatch", sizeof...(I),
                ndim());
        return *data(indices...);
    }
    template <class... I> T &mutable_at(I... indices) {
        if (static_cast<ssize_t>(sizeof...(I)) != ndim()) detail::fail_count("index dimension mismatch", sizeof...(I),
                ndim());
        return *mutable_data(indices...);
    }
    template <class... I> ssize_t index_at(I... indices) const { return offset(indices...) / itemsize(); }
    template <ssize_t Dims = -1> detail::unchecked_reference<const T, Dims> unchecked() const & {
        return array::unchecked<T, Dims>();
    }
    template <ssize_t Dims = -1> detail::unchecked_reference<T, Dims> mutable_unchecked() & {
        return array::mutable_unchecked<T, Dims>();
    }
};

namespace detail {

template <> struct handle_type_name<array> {
    static constexpr auto name = text("numpy.ndarray");
};
template <class T, int Flags> inline constexpr bool is_plain_object<array_t<T, Flags>> = false;
template <class T, int Flags> struct caster<array_t<T, Flags>> {
    using Array = array_t<T, Flags>;
    static bool load(PyObject *source, Array &value, bool convert) {
        if (!convert && !Array::check_(source)) return false;
        value = Array::ensure(source);
        return static_cast<bool>(value);
    }
    static PyObject *make(const handle &value, return_value_policy, handle) {
        Py_XINCREF(value.ptr());
        return value.ptr();
    }
    static constexpr auto name = io_name("typing.Annotated[numpy.typing.ArrayLike, ", "numpy.typing.NDArray[") +
                                 npy_format_descriptor<T>::name + text("]");
};

}  // namespace detail
}  // namespace pybind11
