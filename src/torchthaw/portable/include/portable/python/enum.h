// portable/python/enum.h: enum_, which makes a Python class of a C++ enumeration.
#pragma once
#include "portable/python/class.h"

namespace pybind11 {
namespace detail {

/// Adds the methods that all enumerations have. Convertible ones compare with integers.
void init_enum(handle class_, bool is_arithmetic, bool is_convertible);
/// Adds an element; throws value_error for a name that exists.
void add_enum_value(handle class_, const char *name, const object &value, const char *doc);
/// Sets the elements in the scope of the class.
void export_enum_values(handle class_, handle scope);

}  // namespace detail

template <class T> class enum_ : public class_<T> {
    object m_scope;

  public:
    using Underlying = std::underlying_type_t<T>;
    /// Characters and booleans count as integers of the same size.
    using Scalar = std::conditional_t<
        std::is_same_v<Underlying, bool>, std::uint8_t,
        std::conditional_t<std::is_same_v<Underlying, char>, signed char, Underlying>>;

    template <class... Extra>
    enum_(const handle &scope, const char *name, const Extra &...extra)
        : class_<T>(scope, name, extra...), m_scope(detail::borrowed(scope.ptr())) {
        constexpr bool is_arithmetic = (std::is_same_v<arithmetic, Extra> || ...);
        constexpr bool is_convertible = std::is_convertible_v<T, Underlying>;
        detail::init_enum(*this, is_arithmetic, is_convertible);
        this->def(init([](Scalar value) { return static_cast<T>(value); }), arg("value"));
        this->def_property_readonly("value", [](T value) { return static_cast<Scalar>(value); });
        this->def("__int__", [](T value) { return static_cast<Scalar>(value); });
        this->def("__index__", [](T value) { return static_cast<Scalar>(value); });
        this->def("__setstate__",
                  detail::factory_function<enum_, T (*)(Scalar), T(Scalar)>{
                      [](Scalar value) { return static_cast<T>(value); }},
                  arg("state"));
    }
    enum_ &value(const char *name, T value, const char *doc = nullptr) {
        detail::add_enum_value(*this, name, pybind11::cast(value, return_value_policy::copy), doc);
        return *this;
    }
    enum_ &export_values() {
        detail::export_enum_values(*this, m_scope);
        return *this;
    }
};

}  // namespace pybind11
