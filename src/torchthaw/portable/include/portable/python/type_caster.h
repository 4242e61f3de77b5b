// portable/python/type_caster.h: conversions that users write as pybind11's type_caster<T>.
#pragma once
#include "portable/python/cast.h"

namespace pybind11 {
namespace detail {

template <class T>
using cast_op_type =
    std::conditional_t<std::is_pointer_v<std::remove_reference_t<T>>, intrinsic_t<T> *, intrinsic_t<T> &>;
template <class T>
using movable_cast_op_type =
    std::conditional_t<std::is_pointer_v<std::remove_reference_t<T>>, intrinsic_t<T> *,
                       std::conditional_t<std::is_rvalue_reference_v<T>, intrinsic_t<T> &&, intrinsic_t<T> &>>;

/// The built-in conversion in the form of a type_caster, for use inside users' specialisations.
template <class T> class type_caster_base {
    std::unique_ptr<builtin_argument<T>> m_loaded;  // by pointer: then T need not be complete or constructible here

  public:
    static constexpr auto name = as_descr(caster<T>::name);
    bool load(handle source, bool convert) {
        m_loaded = std::make_unique<builtin_argument<T>>();
        return source && m_loaded->load(source.ptr(), convert);
    }
    template <class V> static handle cast(V &&value, return_value_policy policy, handle parent) {
        return to_python(std::forward<V>(value), policy, parent);
    }
    operator T &() { return m_loaded->template get<T &>(); }
    template <class U = T, std::enable_if_t<std::is_class_v<U> && !is_handle<U>, int> = 0> operator U *() {
        return m_loaded->template get<U *>();
    }
    template <class U> using cast_op_type = detail::cast_op_type<U>;
};

/// Users specialise it; the primary template is the built-in conversion.
template <class T, class = void> class type_caster : public type_caster_base<T> {
  public:
    using is_builtin = void;
};
template <class T> using make_caster = type_caster<intrinsic_t<T>>;

template <class T, class = void> struct has_own_caster : std::true_type {};
template <class T> struct has_own_caster<T, std::void_t<typename type_caster<T>::is_builtin>> : std::false_type {};
template <class T> constexpr bool find_user_caster() {
    if constexpr (std::is_class_v<T> || std::is_enum_v<T> || std::is_union_v<T>)
        return has_own_caster<T>::value;
    else
        return false;
}
/// Whether a user has specialised type_caster<T>.
template <class T> inline constexpr bool is_user_caster = find_user_caster<T>();

/// What a caster has loaded, as a T.
template <class T> typename make_caster<T>::template cast_op_type<T> cast_op(make_caster<T> &loaded) {
    using Result = typename make_caster<T>::template cast_op_type<T>;
    return loaded.operator Result();
}
template <class T>
typename make_caster<T>::template cast_op_type<std::add_rvalue_reference_t<T>> cast_op(make_caster<T> &&loaded) {
    using Result = typename make_caster<T>::template cast_op_type<std::add_rvalue_reference_t<T>>;
    return std::move(loaded).operator Result();
}

/// Loads a parameter by a user's type_caster.
template <class T> struct user_argument {
    type_caster<T> loaded;
    bool load(PyObject *source, bool convert) { return loaded.load(handle(source), convert); }
    template <class P> decltype(auto) get() {
        if constexpr (std::is_lvalue_reference_v<P> || std::is_pointer_v<bare_t<P>>)
            return cast_op<P>(loaded);
        else
            return cast_op<std::remove_reference_t<P>>(std::move(loaded));
    }
};

}  // namespace detail
}  // namespace pybind11

#define PYBIND11_TYPE_CASTER(type, py_name)                                                                            \
  protected:                                                                                                           \
    type value;                                                                                                        \
                                                                                                                       \
  public:                                                                                                              \
    static constexpr auto name = ::pybind11::detail::as_descr(py_name);                                                \
    template <class T_, std::enable_if_t<std::is_same_v<type, std::remove_cv_t<T_>>, int> = 0>                         \
    static ::pybind11::handle cast(T_ *source, ::pybind11::return_value_policy policy, ::pybind11::handle parent) {    \
        if (!source) return ::pybind11::none().release();                                                              \
        if (policy != ::pybind11::return_value_policy::take_ownership) return cast(*source, policy, parent);           \
        std::unique_ptr<T_> owner(source);                                                                             \
        return cast(std::move(*source), policy, parent);                                                               \
    }                                                                                                                  \
    operator type *() { return &value; }                                                                               \
    operator type &() { return value; }                                                                                \
    operator type &&() && { return std::move(value); }                                                                 \
    template <class T_> using cast_op_type = ::pybind11::detail::movable_cast_op_type<T_>
#define PYBIND11_TYPE(...) __VA_ARGS__
