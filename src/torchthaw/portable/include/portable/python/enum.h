// portable/python/enum.h: enum_, which makes a Python class of a C++ enumeration.
#pragma once
#include "portable/python/class.h"

namespace pybind11 {
namespace detail {

template <size_t size, bool is_signed> struct integer_of_size;
template <> struct integer_of_size<1, true> { using type = std::int8_t; };
template <> struct integer_of_size<1, false> { using type = std::uint8_t; };
template <> struct integer_of_size<2, true> { using type = std::int16_t; };
template <> struct integer_of_size<2, false> { using type = std::uint16_t; };
template <> struct integer_of_size<4, true> { using type = std::int32_t; };
template <> struct integer_of_size<4, false> { using type = std::uint32_t; };
template <class T> constexpr auto find_integer() {
    if constexpr (is_character<T> || std::is_same_v<T, bool>)
        return typename integer_of_size<sizeof(T), std::is_signed_v<T>>::type();
    else
        return T();
}
template <class T> using integer_of = decltype(find_integer<T>());

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
    using Scalar = detail::integer_of<Underlying>;

    template <class... Extra>
    enum_(const handle &scope, const char *name, const Extra &...extra)
        : class_<T>(scope, name, extra...), m_scope(detail::borrowed(scope.ptr())) {
        constexpr bool is_arithmetic = (std::is_same_v<arithmetic, Extra> || ...);
        constexpr bool is_convertible = std::is_convertible_v<T, Underlying>;
        detail::init_enum(*this, is_arithmetic, is_convertible);
        this->def(init([](Scalar value) { return static_cast<T>(value); }), arg("value"));
        this->def_property_readonly("value", [](T value) { return static_cast<Scalar>(value); });
        this->def("__int__", [](T value) { return static_cast<Scalar>(value); }, pos_only());
        this->def("__index__", [](T value) { return static_cast<Scalar>(value); }, pos_only());
        this->def("__setstate__",
                  detail::factory_function<enum_, T (*)(Scalar), T(Scalar)>{
                      [](Scalar value) { return static_cast<T>(value); }},
                  arg("state"), pos_only());
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
