// portable/python/buffer.h: memory that Python objects share by the buffer protocol.
#pragma once
#include "portable/python/class.h"

#include <complex>
#include <initializer_list>

namespace pybind11 {
namespace detail {

/// Python's Py_buffer, which the limited API has only from 3.11 on; the layout is the same in 3.10.
struct buffer_view {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
};
/// Fills the view, writable or not, with strides and format; throws what Python raises. Release it afterwards.
void get_buffer(PyObject *source, buffer_view &view, bool writable);
void release_buffer(buffer_view &view);
bool has_buffer(PyObject *source);

/// Strides in bytes of an array without gaps.
std::vector<ssize_t> c_strides(const std::vector<ssize_t> &shape, ssize_t itemsize);
std::vector<ssize_t> f_strides(const std::vector<ssize_t> &shape, ssize_t itemsize);

/// The struct module's character of a C++ number.
template <class T> constexpr char format_character() {
    if constexpr (std::is_same_v<T, bool>) return '?';
    else if constexpr (std::is_same_v<T, float>) return 'f';
    else if constexpr (std::is_same_v<T, double>) return 'd';
    else if constexpr (std::is_same_v<T, long double>) return 'g';
    else if constexpr (std::is_integral_v<T>)
        return sizeof(T) == 1 ? (std::is_signed_v<T> ? 'b' : 'B')
               : sizeof(T) == 2 ? (std::is_signed_v<T> ? 'h' : 'H')
               : sizeof(T) == 4 ? (std::is_signed_v<T> ? 'i' : 'I')
                                : (std::is_signed_v<T> ? 'q' : 'Q');
    else return 0;
}
template <class T> struct is_complex_number : std::false_type {};
template <class T> struct is_complex_number<std::complex<T>> : std::true_type {
    using real = T;
};

}  // namespace detail

/// The format of a C++ number in buffers.
template <class T, class = void> struct format_descriptor {
    static std::string format() {
        if constexpr (detail::is_complex_number<T>::value)
            return std::string("Z") + detail::format_character<typename detail::is_complex_number<T>::real>();
        else
            return std::string(1, detail::format_character<T>());
    }
};

/// A block of memory with shape and strides; strides are in bytes.
struct buffer_info {
    void *ptr = nullptr;
    ssize_t itemsize = 0;
    ssize_t size = 0;
    std::string format;
    ssize_t ndim = 0;
    std::vector<ssize_t> shape, strides;
    bool readonly = false;

    buffer_info() = default;
    buffer_info(void *ptr, ssize_t itemsize, const std::string &format, ssize_t ndim, std::vector<ssize_t> shape,
                std::vector<ssize_t> strides, bool readonly = false);
    buffer_info(void *ptr, ssize_t itemsize, const std::string &format, ssize_t size, bool readonly = false)
        : buffer_info(ptr, itemsize, format, 1, {size}, {itemsize}, readonly) {}
    template <class T>
    buffer_info(T *ptr, std::vector<ssize_t> shape, std::vector<ssize_t> strides, bool readonly = false)
        : buffer_info(const_cast<std::remove_const_t<T> *>(ptr), sizeof(T),
                      format_descriptor<std::remove_const_t<T>>::format(),
                      static_cast<ssize_t>(shape.size()), shape, std::move(strides), readonly) {}
    template <class T>
    buffer_info(T *ptr, ssize_t size, bool readonly = std::is_const_v<T>)
        : buffer_info(const_cast<std::remove_const_t<T> *>(ptr), sizeof(T),
                      format_descriptor<std::remove_const_t<T>>::format(), size, readonly) {}
    /// Takes the view over.
    explicit buffer_info(std::shared_ptr<detail::buffer_view> view);
    template <class T> bool item_type_is_equivalent_to() const;

  private:
    std::shared_ptr<detail::buffer_view> m_view;
};

/// An object with a buffer.
class buffer : public object {
  public:
    PYBIND11_OBJECT_DEFAULT(buffer, object, detail::has_buffer)
    /// The memory, which the result keeps; throws what Python raises, such as for read-only memory.
    buffer_info request(bool writable = false) const;
};

class memoryview : public object {
    static bool is_view(PyObject *value);

  public:
    PYBIND11_OBJECT_CVT(memoryview, object, is_view, PyMemoryView_FromObject)
    /// A view of C memory, which must outlive it.
    static memoryview from_memory(void *memory, ssize_t size, bool readonly = false);
    static memoryview from_memory(const void *memory, ssize_t size) {
        return from_memory(const_cast<void *>(memory), size, true);
    }
};

template <> struct detail::object_name<buffer> {
    static constexpr const char *value = "collections.abc.Buffer";
};
template <> struct detail::object_name<memoryview> {
    static constexpr const char *value = "memoryview";
};

template <class T> bool buffer_info::item_type_is_equivalent_to() const {
    return format_descriptor<T>::format() == format ||
           (std::is_integral_v<T> && itemsize == static_cast<ssize_t>(sizeof(T)) && format.size() == 1 &&
            (std::is_signed_v<T> ? std::string("bhilqn") : std::string("BHILQN")).find(format[0]) != std::string::npos);
}

}  // namespace pybind11
