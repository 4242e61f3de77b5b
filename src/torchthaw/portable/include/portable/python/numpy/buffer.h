// portable/python/numpy/buffer.h: memory that Python objects share by the buffer protocol.
#pragma once
#include "portable/python/class.h"
#include "portable/python/objects/cpython.h"

#include <initializer_list>

namespace pybind11 {
namespace detail {

/// A vector made of any container or braces, for parameters.
template <class T> class any_container {
    std::vector<T> m_values;

  public:
    any_container() = default;
    template <class I, class = typename std::iterator_traits<I>::iterator_category>
    any_container(I first, I last) : m_values(first, last) {}
    template <class C> using element_of = decltype(*std::begin(std::declval<const C &>()));
    template <class C, class = std::enable_if_t<std::is_convertible_v<element_of<C>, T>>>
    any_container(const C &values) : any_container(std::begin(values), std::end(values)) {}
    template <class I, class = std::enable_if_t<std::is_convertible_v<I, T>>>
    any_container(const std::initializer_list<I> &values) : any_container(values.begin(), values.end()) {}
    any_container(std::vector<T> &&values) : m_values(std::move(values)) {}
    operator std::vector<T> &&() && { return std::move(m_values); }
    std::vector<T> &operator*() { return m_values; }
    const std::vector<T> &operator*() const { return m_values; }
    std::vector<T> *operator->() { return &m_values; }
    const std::vector<T> *operator->() const { return &m_values; }
};
using sizes = any_container<ssize_t>;

/// Strides in bytes of an array without gaps.
std::vector<ssize_t> c_strides(const std::vector<ssize_t> &shape, ssize_t itemsize);
std::vector<ssize_t> f_strides(const std::vector<ssize_t> &shape, ssize_t itemsize);

/// The struct module's character of a C++ number.
template <class T> constexpr char format_character() {
    if constexpr (std::is_same_v<T, bool>) return '?';
    else if constexpr (std::is_same_v<T, float>) return 'f';
    else if constexpr (std::is_same_v<T, double>) return 'd';
    else if constexpr (std::is_same_v<T, long double>) return 'g';
    else if constexpr (std::is_same_v<T, PyObject *> || std::is_base_of_v<handle, T>) return 'O';
    else if constexpr (std::is_integral_v<T>)
        return sizeof(T) == 1 ? (std::is_signed_v<T> ? 'b' : 'B')
               : sizeof(T) == 2 ? (std::is_signed_v<T> ? 'h' : 'H')
               : sizeof(T) == 4 ? (std::is_signed_v<T> ? 'i' : 'I')
                                : (std::is_signed_v<T> ? 'q' : 'Q');
    else return 0;
}
}  // namespace detail

/// The format of a C++ number in buffers.
template <class T, class = void> struct format_descriptor {
    static constexpr char c = detail::format_character<T>();
    static constexpr char value[2] = {c, 0};
    static std::string format() { return value; }
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
    buffer_info(void *ptr, ssize_t itemsize, const std::string &format, ssize_t ndim, detail::sizes shape,
                detail::sizes strides, bool readonly = false);
    buffer_info(void *ptr, ssize_t itemsize, const std::string &format, ssize_t size, bool readonly = false)
        : buffer_info(ptr, itemsize, format, 1, {size}, {itemsize}, readonly) {}
    template <class T>
    buffer_info(T *ptr, detail::sizes shape, detail::sizes strides, bool readonly = false)
        : buffer_info(const_cast<std::remove_const_t<T> *>(ptr), sizeof(T),
                      format_descriptor<std::remove_const_t<T>>::format(),
                      static_cast<ssize_t>(shape->size()), detail::sizes(*shape), std::move(strides), readonly) {}
    template <class T>
    buffer_info(T *ptr, ssize_t size, bool readonly = std::is_const_v<T>)
        : buffer_info(const_cast<std::remove_const_t<T> *>(ptr), sizeof(T),
                      format_descriptor<std::remove_const_t<T>>::format(), size, readonly) {}
    /// Takes the view over.
    explicit buffer_info(std::shared_ptr<detail::buffer_view> view);
    explicit buffer_info(Py_buffer *view, bool owns_view = true);
    template <class T> bool item_type_is_equivalent_to() const;
    /// The view that this was made of; null for others.
    Py_buffer *view() const { return m_view.get(); }
    buffer_info(const buffer_info &) = delete;
    buffer_info &operator=(const buffer_info &) = delete;
    buffer_info(buffer_info &&) = default;
    buffer_info &operator=(buffer_info &&) = default;

  private:
    std::shared_ptr<detail::buffer_view> m_view;
};

namespace detail {
/// Whether a buffer's elements are numbers of this type.
template <class T, class = void> struct compare_buffer_info {
    static bool compare(const buffer_info &info) {
        return info.format == format_descriptor<T>::format() && info.itemsize == static_cast<ssize_t>(sizeof(T));
    }
};
template <class T> struct compare_buffer_info<T, std::enable_if_t<std::is_integral_v<T>>> {
    static bool compare(const buffer_info &info) {
        if (info.itemsize != static_cast<ssize_t>(sizeof(T)) || info.format.size() != 1) return false;
        char found = info.format[0], own = format_descriptor<T>::c;
        bool is_long = sizeof(T) == sizeof(long) && found == (std::is_signed_v<T> ? 'l' : 'L');
        bool is_size = sizeof(T) == sizeof(size_t) && found == (std::is_signed_v<T> ? 'n' : 'N');
        return found == own || is_long || is_size;
    }
};
}  // namespace detail

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
    static memoryview from_memory(std::string_view memory) {
        return from_memory(memory.data(), static_cast<ssize_t>(memory.size()));
    }
    /// A view of a block with a shape and strides in bytes, which must outlive it.
    static memoryview from_buffer(void *ptr, ssize_t itemsize, const char *format, detail::sizes shape,
                                  detail::sizes strides, bool readonly = false);
    static memoryview from_buffer(const void *ptr, ssize_t itemsize, const char *format, detail::sizes shape,
                                  detail::sizes strides) {
        return from_buffer(const_cast<void *>(ptr), itemsize, format, std::move(shape), std::move(strides), true);
    }
    template <class T>
    static memoryview from_buffer(T *ptr, detail::sizes shape, detail::sizes strides,
                                  bool readonly = std::is_const_v<T>) {
        using V = std::remove_const_t<T>;
        return from_buffer(const_cast<V *>(ptr), sizeof(T), format_descriptor<V>::value, std::move(shape),
                           std::move(strides), readonly);
    }
    explicit memoryview(const buffer_info &info);
};

template <> struct detail::handle_type_name<buffer> {
    static constexpr auto name = detail::text("collections.abc.Buffer");
};
template <> struct detail::handle_type_name<memoryview> {
    static constexpr auto name = detail::text("memoryview");
};

template <class T> bool buffer_info::item_type_is_equivalent_to() const {
    return detail::compare_buffer_info<T>::compare(*this);
}

}  // namespace pybind11
