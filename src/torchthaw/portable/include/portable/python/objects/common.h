// portable/python/objects/common.h: macros and small templates of pybind11's detail/common.h that sources use by name.
#pragma once
#include "portable/python/objects/gil.h"

#include <typeinfo>

// The pybind11 whose behaviour these headers have: that of PyTorch 2.13.
#define PYBIND11_VERSION_MAJOR 3
#define PYBIND11_VERSION_MINOR 0
#define PYBIND11_VERSION_MICRO 4
#define PYBIND11_VERSION_PATCH 4
#define PYBIND11_VERSION_HEX 0x030004f0
#define PYBIND11_INTERNALS_VERSION 11
#define PYBIND11_INTERNALS_ID "__torchthaw_portable_1__"

#define PYBIND11_CPP14
#define PYBIND11_CPP17
#if __cplusplus >= 202002L
#define PYBIND11_CPP20
#endif
#define PYBIND11_HAS_OPTIONAL 1
#define PYBIND11_HAS_VARIANT 1
#define PYBIND11_HAS_STRING_VIEW 1
#define PYBIND11_HAS_FILESYSTEM 1
#define PYBIND11_DETAILED_ERROR_MESSAGES
#define PYBIND11_OVERLOAD_CAST 1
#define PYBIND11_DETAIL_UNDERSCORE_BACKWARD_COMPATIBILITY

#define PYBIND11_NAMESPACE pybind11
#define PYBIND11_NAMESPACE_BEGIN(name) namespace name {
#define PYBIND11_NAMESPACE_END(name) }
#define PYBIND11_NOINLINE __attribute__((noinline)) inline
#define PYBIND11_ALWAYS_INLINE __attribute__((always_inline)) inline
#define PYBIND11_DEPRECATED(reason) [[deprecated(reason)]]
#define PYBIND11_MAYBE_UNUSED [[maybe_unused]]
#define PYBIND11_CONSTINIT
#define PYBIND11_EXPORT_EXCEPTION __attribute__((visibility("default")))

#define PYBIND11_STRINGIFY(x) #x
#define PYBIND11_TOSTRING(x) PYBIND11_STRINGIFY(x)
#define PYBIND11_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define PYBIND11_COMPILER_CLANG
#define PYBIND11_WARNING_PUSH PYBIND11_PRAGMA(clang diagnostic push)
#define PYBIND11_WARNING_POP PYBIND11_PRAGMA(clang diagnostic pop)
#define PYBIND11_WARNING_DISABLE_CLANG(name) PYBIND11_PRAGMA(clang diagnostic ignored name)
#define PYBIND11_WARNING_DISABLE_GCC(name)
#else
#define PYBIND11_COMPILER_GCC
#define PYBIND11_WARNING_PUSH PYBIND11_PRAGMA(GCC diagnostic push)
#define PYBIND11_WARNING_POP PYBIND11_PRAGMA(GCC diagnostic pop)
#define PYBIND11_WARNING_DISABLE_CLANG(name)
#define PYBIND11_WARNING_DISABLE_GCC(name) PYBIND11_PRAGMA(GCC diagnostic ignored name)
#endif
#define PYBIND11_WARNING_DISABLE_MSVC(number)
#define PYBIND11_WARNING_DISABLE_INTEL(number)

/// The qualifiers that a member function can have: macro(const, reference, noexcept).
#define TORCHTHAW_FOR_QUALIFIERS(macro)                                                                                \
    macro(, , ) macro(const, , ) macro(, &, ) macro(const, &, ) macro(, &&, ) macro(const, &&, )                       \
    macro(, , noexcept) macro(const, , noexcept) macro(, &, noexcept) macro(const, &, noexcept)                        \
    macro(, &&, noexcept) macro(const, &&, noexcept)

namespace pybind11 {
namespace detail {

template <bool B, class T = void> using enable_if_t = std::enable_if_t<B, T>;
template <bool B, class T, class F> using conditional_t = std::conditional_t<B, T, F>;
template <class T> using remove_cv_t = std::remove_cv_t<T>;
template <class T> using remove_reference_t = std::remove_reference_t<T>;
template <class... T> using void_t = std::void_t<T...>;
template <class... T> using all_of = std::conjunction<T...>;
template <class... T> using any_of = std::disjunction<T...>;
template <class... T> using none_of = std::negation<std::disjunction<T...>>;
template <class T> using negation = std::negation<T>;
/// False for a class that is declared only.
template <class Base, class Derived, class = void> struct is_same_or_base_of : std::is_same<Base, Derived> {};
template <class Base, class Derived> struct is_same_or_base_of<Base, Derived, std::enable_if_t<(sizeof(Derived) > 0)>>
    : std::bool_constant<std::is_base_of_v<Base, Derived> || std::is_same_v<Base, Derived>> {};

template <class... T> constexpr void silence_unused_warnings(T &&...) {}

/// A type's name for people; `type_id<T>()` in pybind11.
std::string readable_name(const std::type_info &type);
/// The same for what type_info::name() gives.
void clean_type_id(std::string &name);
/// The name of a type, or of an object's type, with its module.
std::string obj_class_name(PyObject *value);
/// Whether this thread holds the GIL; its state, null without.
PyThreadState *get_thread_state_unchecked();

}  // namespace detail

template <class T> std::string type_id() { return detail::readable_name(typeid(T)); }

}  // namespace pybind11
