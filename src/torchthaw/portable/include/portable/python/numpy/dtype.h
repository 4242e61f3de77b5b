// portable/python/numpy/dtype.h: NumPy's element types, and those of C++ types.
#pragma once
#include "portable/python/stl/complex.h"

#include <array>

namespace pybind11 {
namespace detail {

/// NumPy's numbers of element types, under pybind11's names.
struct npy_api {
    enum constants {
        NPY_BOOL_ = 0, NPY_BYTE_, NPY_UBYTE_, NPY_SHORT_, NPY_USHORT_, NPY_INT_, NPY_UINT_, NPY_LONG_, NPY_ULONG_,
        NPY_LONGLONG_, NPY_ULONGLONG_, NPY_FLOAT_, NPY_DOUBLE_, NPY_LONGDOUBLE_, NPY_CFLOAT_, NPY_CDOUBLE_,
        NPY_CLONGDOUBLE_, NPY_OBJECT_ = 17, NPY_STRING_, NPY_UNICODE_, NPY_VOID_,
        NPY_INT8_ = NPY_BYTE_, NPY_UINT8_ = NPY_UBYTE_, NPY_INT16_ = NPY_SHORT_, NPY_UINT16_ = NPY_USHORT_,
        NPY_INT32_ = sizeof(long) == 4 ? NPY_LONG_ : NPY_INT_, NPY_UINT32_ = sizeof(long) == 4 ? NPY_ULONG_ : NPY_UINT_,
        NPY_INT64_ = sizeof(long) == 8 ? NPY_LONG_ : NPY_LONGLONG_,
        NPY_UINT64_ = sizeof(long) == 8 ? NPY_ULONG_ : NPY_ULONGLONG_
    };
};

template <class T> inline constexpr bool is_complex = false;
template <class T> inline constexpr bool is_complex<std::complex<T>> = true;

/// The number of an integer type by its size, of another by its kind.
template <class T> constexpr int type_number() {
    if constexpr (std::is_same_v<T, bool>) return npy_api::NPY_BOOL_;
    else if constexpr (is_complex<T>) return type_number<typename T::value_type>() + 3;
    else if constexpr (std::is_same_v<T, float>) return npy_api::NPY_FLOAT_;
    else if constexpr (std::is_same_v<T, double>) return npy_api::NPY_DOUBLE_;
    else if constexpr (std::is_same_v<T, long double>) return npy_api::NPY_LONGDOUBLE_;
    else if constexpr (format_character<T>() == 'O') return npy_api::NPY_OBJECT_;
    else {
        constexpr int of_size[] = {0, npy_api::NPY_INT8_, npy_api::NPY_INT16_, 0, npy_api::NPY_INT32_, 0, 0, 0,
                                   npy_api::NPY_INT64_};
        return of_size[sizeof(T)] + (std::is_signed_v<T> ? 0 : 1);
    }
}
constexpr int normalized_type_number(int number) {
    bool is_signed = number == npy_api::NPY_INT_ || number == npy_api::NPY_LONG_ || number == npy_api::NPY_LONGLONG_;
    bool is_unsigned = number == npy_api::NPY_UINT_ || number == npy_api::NPY_ULONG_ || number ==
        npy_api::NPY_ULONGLONG_;
    if (!is_signed && !is_unsigned) return number;
    int base = is_unsigned ? number - 1 : number;
    size_t size = base == npy_api::NPY_INT_ ? sizeof(int) : base == npy_api::NPY_LONG_ ? sizeof(long)
        : sizeof(long long);
    return (size == 4 ? int(npy_api::NPY_INT32_) : int(npy_api::NPY_INT64_)) + (is_unsigned ? 1 : 0);
}

template <class T> constexpr auto number_type_name() {
    if constexpr (std::is_same_v<T, bool>) return text("numpy.bool");
    else if constexpr (std::is_same_v<T, std::complex<long double>>) return text("numpy.clongdouble");
    else if constexpr (is_complex<T>) return text("numpy.complex") + number_name<sizeof(T) * 8>();
    else if constexpr (format_character<T>() == 'O') return text("numpy.object_");
    else if constexpr (std::is_same_v<T, long double>) return text("numpy.longdouble");
    else if constexpr (std::is_floating_point_v<T>) return text("numpy.float") + number_name<sizeof(T) * 8>();
    else return text(std::is_signed_v<T> ? "numpy.int" : "numpy.uint") + number_name<sizeof(T) * 8>();
}

/// NumPy's element type of a C++ type; sources specialise it with name and dtype(). records.h has that of structs.
template <class T, class = void> struct npy_format_descriptor;

bool is_dtype(PyObject *value);
// New references; they throw what Python raises.
PyObject *dtype_from_format(const std::string &format);
PyObject *dtype_from_number(int number);
/// By what numpy.dtype() accepts.
PyObject *dtype_from_object(PyObject *value);
/// By a buffer's format, with as many bytes as an element has; 0 for those of the format.
PyObject *dtype_from_buffer(const std::string &format, ssize_t itemsize);
PyObject *dtype_from_fields(handle names, handle formats, handle offsets, ssize_t itemsize);

}  // namespace detail

class dtype : public object {
    template <class R> R read(const char *name) const { return attr(name).template cast<R>(); }

  public:
    PYBIND11_OBJECT_DEFAULT(dtype, object, detail::is_dtype)
    explicit dtype(const std::string &format) : object(detail::dtype_from_format(format), stolen_t{}) {}
    explicit dtype(const char *format) : dtype(std::string(format)) {}
    explicit dtype(const pybind11::str &format) : dtype(std::string(format)) {}
    explicit dtype(const buffer_info &info) : object(detail::dtype_from_buffer(info.format, info.itemsize),
        stolen_t{}) {}
    explicit dtype(int number) : object(detail::dtype_from_number(number), stolen_t{}) {}
    dtype(const list &names, const list &formats, const list &offsets, ssize_t itemsize)
        : object(detail::dtype_from_fields(names, formats, offsets, itemsize), stolen_t{}) {}
    template <class T> static dtype of() { return detail::npy_format_descriptor<std::remove_cv_t<T>>::dtype(); }
    template <class T> static constexpr int num_of() {
            return detail::npy_format_descriptor<std::remove_cv_t<T>>::value; }
    static dtype from_args(const object &value) { return {detail::dtype_from_object(value.ptr()), stolen_t{}}; }
    ssize_t itemsize() const { return read<ssize_t>("itemsize"); }
    ssize_t alignment() const { return read<ssize_t>("alignment"); }
    std::uint64_t flags() const { return read<std::uint64_t>("flags"); }
    char kind() const { return read<std::string>("kind")[0]; }
    char char_() const { return read<std::string>("char")[0]; }
    char byteorder() const { return read<std::string>("byteorder")[0]; }
    int num() const { return read<int>("num"); }
    /// The number that num_of() gives for the same element type.
    int normalized_num() const { return detail::normalized_type_number(num()); }
    bool has_fields() const { return !attr("names").is_none(); }
};

namespace detail {

template <class T>
struct npy_format_descriptor<T, std::enable_if_t<std::is_arithmetic_v<T> || is_complex<T> || std::is_same_v<T,
    PyObject *> ||
                                                 std::is_base_of_v<handle, T>>> {
    static constexpr auto name = number_type_name<T>();
    static constexpr int value = type_number<T>();
    static pybind11::dtype dtype() { return pybind11::dtype(value); }
};
template <> struct handle_type_name<dtype> {
    static constexpr auto name = text("numpy.dtype");
};

}  // namespace detail
}  // namespace pybind11
