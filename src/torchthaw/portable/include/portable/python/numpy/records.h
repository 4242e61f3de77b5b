// portable/python/numpy/records.h: PYBIND11_NUMPY_DTYPE: structs of C++ as NumPy's records, and arrays and enums in them.
#pragma once
#include "portable/python/numpy/array.h"

namespace pybind11 {
namespace detail {

/// A member of a struct.
struct field_descriptor {
    const char *name;
    ssize_t offset, size;
    std::string format;
    dtype descr;
};
/// What PYBIND11_NUMPY_DTYPE has said of a struct.
struct record_format {
    object descr;  ///< null before
    std::string format;
};
/// Fills the format; throws for fields without an element type, and the second time.
void register_record(record_format &record, std::vector<field_descriptor> fields, const std::type_info &type,
                     ssize_t itemsize);
[[noreturn]] void fail_without_record(const std::type_info &type);
PyObject *dtype_of_array(const dtype &element, const std::vector<ssize_t> &extents);

template <class T> struct array_parts {
    static constexpr bool is_array = false;
    using element = T;
    static void add_extents(std::vector<ssize_t> &) {}
};
template <class T, size_t N> struct array_parts<std::array<T, N>> {
    static constexpr bool is_array = true;
    using element = typename array_parts<T>::element;
    static void add_extents(std::vector<ssize_t> &extents) {
        extents.push_back(N);
        array_parts<T>::add_extents(extents);
    }
};
template <size_t N> struct array_parts<std::array<char, N>> : array_parts<void> {
    using element = std::array<char, N>;
};
template <size_t N> struct array_parts<char[N]> : array_parts<void> {
    using element = char[N];
};
template <class T, size_t N> struct array_parts<T[N]> : array_parts<std::array<T, N>> {
    using element = typename array_parts<T>::element;
    static void add_extents(std::vector<ssize_t> &extents) {
        extents.push_back(N);
        array_parts<T>::add_extents(extents);
    }
};
template <class T> inline constexpr size_t characters_of = 0;
template <size_t N> inline constexpr size_t characters_of<char[N]> = N;
template <size_t N> inline constexpr size_t characters_of<std::array<char, N>> = N;

template <class T> inline constexpr bool is_record = std::is_class_v<T> && std::is_standard_layout_v<T> &&
    std::is_trivially_copyable_v<T> && !array_parts<T>::is_array && characters_of<T> == 0 && !is_complex<T> &&
    !std::is_base_of_v<handle, T>;

/// The struct's dtype: register_dtype() makes it known.
template <class T> struct npy_format_descriptor<T, std::enable_if_t<is_record<T>>> {
    static constexpr auto name = type_name<T>();
    static record_format &stored() {
        static auto *kept = new record_format;  // never destroyed: it has a Python object
        return *kept;
    }
    static const record_format &known() {
        if (!stored().descr) fail_without_record(typeid(T));
        return stored();
    }
    static pybind11::dtype dtype() { return reinterpret_borrow<pybind11::dtype>(known().descr); }
    static std::string format() { return known().format; }
    static void register_dtype(any_container<field_descriptor> fields) {
        register_record(stored(), std::move(fields), typeid(T), sizeof(T));
    }
};
template <class T> struct npy_format_descriptor<T, std::enable_if_t<(characters_of<T> > 0)>> {
    static constexpr auto name = text("S") + number_name<characters_of<T>>();
    static pybind11::dtype dtype() { return pybind11::dtype("S" + std::to_string(characters_of<T>)); }
};
template <class T> struct npy_format_descriptor<T, std::enable_if_t<array_parts<T>::is_array && characters_of<T> ==
        0>> {
    using element = npy_format_descriptor<typename array_parts<T>::element>;
    static constexpr auto name = element::name;
    static std::vector<ssize_t> extents() {
        std::vector<ssize_t> all;
        array_parts<T>::add_extents(all);
        return all;
    }
    static pybind11::dtype dtype() { return {dtype_of_array(element::dtype(), extents()), object::stolen_t{}}; }
};
template <class T> struct npy_format_descriptor<T, std::enable_if_t<std::is_enum_v<T>>>
    : npy_format_descriptor<std::underlying_type_t<T>> {};

template <class T> struct compare_buffer_info<T, std::enable_if_t<is_record<T>>> {
    static bool compare(const buffer_info &info) {
        return are_equivalent(npy_format_descriptor<T>::dtype().ptr(), dtype(info).ptr());
    }
};

}  // namespace detail

template <class T> struct format_descriptor<T, std::enable_if_t<detail::is_record<T>>> {
    static std::string format() { return detail::npy_format_descriptor<T>::format(); }
};
template <class T> struct format_descriptor<T, std::enable_if_t<(detail::characters_of<T> > 0)>> {
    static std::string format() { return std::to_string(detail::characters_of<T>) + "s"; }
};
template <class T>
struct format_descriptor<T, std::enable_if_t<detail::array_parts<T>::is_array && detail::characters_of<T> == 0>> {
    static std::string format() {
        std::string text = "(";
        for (ssize_t extent : detail::npy_format_descriptor<T>::extents())
            text += (text.size() > 1 ? "," : "") + std::to_string(extent);
        return text + ")" + format_descriptor<typename detail::array_parts<T>::element>::format();
    }
};
template <class T> struct format_descriptor<T, std::enable_if_t<std::is_enum_v<T>>>
    : format_descriptor<std::underlying_type_t<T>> {};

}  // namespace pybind11

#define PYBIND11_FIELD_DESCRIPTOR_EX(type, field, name)                                                                \
    ::pybind11::detail::field_descriptor {                                                                             \
        name, static_cast<::pybind11::ssize_t>(offsetof(type, field)), sizeof(decltype(std::declval<type>().field)),   \
            ::pybind11::format_descriptor<decltype(std::declval<type>().field)>::format(),                             \
            ::pybind11::detail::npy_format_descriptor<decltype(std::declval<type>().field)>::dtype()                   \
    }
#define PYBIND11_FIELD_DESCRIPTOR(type, field) PYBIND11_FIELD_DESCRIPTOR_EX(type, field, #field)

// A list of macro(type, field) for each field, by an evaluation that scans often enough for 300 of them.
#define TORCHTHAW_SCAN_1(...) __VA_ARGS__
#define TORCHTHAW_SCAN_2(...) TORCHTHAW_SCAN_1(TORCHTHAW_SCAN_1(TORCHTHAW_SCAN_1(TORCHTHAW_SCAN_1(__VA_ARGS__))))
#define TORCHTHAW_SCAN_3(...) TORCHTHAW_SCAN_2(TORCHTHAW_SCAN_2(TORCHTHAW_SCAN_2(TORCHTHAW_SCAN_2(__VA_ARGS__))))
#define TORCHTHAW_SCAN_4(...) TORCHTHAW_SCAN_3(TORCHTHAW_SCAN_3(TORCHTHAW_SCAN_3(TORCHTHAW_SCAN_3(__VA_ARGS__))))
#define TORCHTHAW_SCAN(...) TORCHTHAW_SCAN_4(TORCHTHAW_SCAN_4(TORCHTHAW_SCAN_4(TORCHTHAW_SCAN_4(__VA_ARGS__))))
#define TORCHTHAW_LIST_END(...)
#define TORCHTHAW_LIST_OUT
#define TORCHTHAW_LIST_GET_END_2() 0, TORCHTHAW_LIST_END
#define TORCHTHAW_LIST_GET_END_1(...) TORCHTHAW_LIST_GET_END_2
#define TORCHTHAW_LIST_GET_END(...) TORCHTHAW_LIST_GET_END_1
#define TORCHTHAW_LIST_NEXT_0(test, next, ...) next TORCHTHAW_LIST_OUT
#define TORCHTHAW_LIST_NEXT_1(test, next) TORCHTHAW_LIST_NEXT_0(test, next, 0)
#define TORCHTHAW_LIST_NEXT(test, next) TORCHTHAW_LIST_NEXT_1(TORCHTHAW_LIST_GET_END test, next)
#define TORCHTHAW_FIELDS_0(type, x, peek, ...)                                                                         \
    PYBIND11_FIELD_DESCRIPTOR(type, x), TORCHTHAW_LIST_NEXT(peek, TORCHTHAW_FIELDS_1)(type, peek, __VA_ARGS__)
#define TORCHTHAW_FIELDS_1(type, x, peek, ...)                                                                         \
    PYBIND11_FIELD_DESCRIPTOR(type, x), TORCHTHAW_LIST_NEXT(peek, TORCHTHAW_FIELDS_0)(type, peek, __VA_ARGS__)
#define TORCHTHAW_NAMED_0(type, x, name, peek, ...)                                                                    \
    PYBIND11_FIELD_DESCRIPTOR_EX(type, x, name), TORCHTHAW_LIST_NEXT(peek, TORCHTHAW_NAMED_1)(type, peek, __VA_ARGS__)
#define TORCHTHAW_NAMED_1(type, x, name, peek, ...)                                                                    \
    PYBIND11_FIELD_DESCRIPTOR_EX(type, x, name), TORCHTHAW_LIST_NEXT(peek, TORCHTHAW_NAMED_0)(type, peek, __VA_ARGS__)

/// Makes a struct known to NumPy by its fields; the _EX form has each with a name.
#define PYBIND11_NUMPY_DTYPE(type, ...)                                                                                \
    ::pybind11::detail::npy_format_descriptor<type>::register_dtype(                                                   \
        ::std::vector<::pybind11::detail::field_descriptor>{                                                           \
            TORCHTHAW_SCAN(TORCHTHAW_FIELDS_1(type, __VA_ARGS__, ()()(), ()()(), ()()(), 0))})
#define PYBIND11_NUMPY_DTYPE_EX(type, ...)                                                                             \
    ::pybind11::detail::npy_format_descriptor<type>::register_dtype(                                                   \
        ::std::vector<::pybind11::detail::field_descriptor>{                                                           \
            TORCHTHAW_SCAN(TORCHTHAW_NAMED_1(type, __VA_ARGS__, ()()(), ()()(), ()()(), 0))})
