// portable/python/override.h: virtual functions that classes written in Python override.
#pragma once
#include "portable/python/class.h"

namespace pybind11 {
namespace detail {

/// The Python function that overrides `name` for the instance of a C++ object; null when there is none, or when that
/// function is what calls. Needs the GIL.
object find_override(const void *value, const class_record *record, const char *name);

/// The result of an override as the C++ return type.
template <class R> R cast_override(object &&result) {
    if constexpr (std::is_void_v<R>) {
        return;
    } else if constexpr (std::is_reference_v<R> && !is_class_caster<intrinsic_t<R>>) {
        static argument<R> kept;  // the value of the last call, as in pybind11
        if (!kept.load(result.ptr(), true)) fail_to_cast(result, typeid(R));
        return kept.template get<R>();
    } else {
        return pybind11::cast<R>(std::move(result));
    }
}

}  // namespace detail

template <class T> function get_override(const T *self, const char *name) {
    return reinterpret_steal<function>(detail::find_override(self, detail::registered_class<T>, name).release());
}

}  // namespace pybind11

#define PYBIND11_OVERRIDE_IMPL(return_type, class_name, name, ...)                                                     \
    do {                                                                                                               \
        pybind11::gil_scoped_acquire gil;                                                                              \
        pybind11::function override = pybind11::get_override(static_cast<const class_name *>(this), name);             \
        if (override) return pybind11::detail::cast_override<return_type>(override(__VA_ARGS__));                      \
    } while (false)
#define PYBIND11_OVERRIDE_NAME(return_type, class_name, name, function, ...)                                           \
    do {                                                                                                               \
        PYBIND11_OVERRIDE_IMPL(PYBIND11_TYPE(return_type), PYBIND11_TYPE(class_name), name, __VA_ARGS__);              \
        return class_name::function(__VA_ARGS__);                                                                      \
    } while (false)
#define PYBIND11_OVERRIDE_PURE_NAME(return_type, class_name, name, function, ...)                                      \
    do {                                                                                                               \
        PYBIND11_OVERRIDE_IMPL(PYBIND11_TYPE(return_type), PYBIND11_TYPE(class_name), name, __VA_ARGS__);              \
        pybind11::pybind11_fail("Tried to call pure virtual function \"" PYBIND11_TOSTRING(class_name) "::" name \
                                "\"");                  \
    } while (false)
#define PYBIND11_OVERRIDE(return_type, class_name, function, ...)                                                      \
    PYBIND11_OVERRIDE_NAME(PYBIND11_TYPE(return_type), PYBIND11_TYPE(class_name), #function, function, __VA_ARGS__)
#define PYBIND11_OVERRIDE_PURE(return_type, class_name, function, ...)                                                 \
    PYBIND11_OVERRIDE_PURE_NAME(PYBIND11_TYPE(return_type), PYBIND11_TYPE(class_name), #function, function, __VA_ARGS__)
#define PYBIND11_OVERLOAD PYBIND11_OVERRIDE
#define PYBIND11_OVERLOAD_PURE PYBIND11_OVERRIDE_PURE
#define PYBIND11_OVERLOAD_NAME PYBIND11_OVERRIDE_NAME
#define PYBIND11_OVERLOAD_PURE_NAME PYBIND11_OVERRIDE_PURE_NAME
