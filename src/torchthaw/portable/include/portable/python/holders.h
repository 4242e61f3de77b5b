// portable/python/holders.h: casters of smart pointers to registered classes, and of users' holder types.
#pragma once
#include "portable/python/cast.h"

namespace pybind11 {
namespace detail {

/// The pointer that a holder has. Sources specialise it for holders without get().
template <class Holder> struct holder_helper {
    static auto get(const Holder &holder) -> decltype(holder.get()) { return holder.get(); }
};
constexpr bool flag_of(bool flag = false) { return flag; }
template <class T> struct is_shared_ptr : std::false_type {};
template <class T> struct is_shared_ptr<std::shared_ptr<T>> : std::true_type {};

template <class T> struct caster<std::shared_ptr<T>> {
    using Value = std::remove_const_t<T>;
    static bool load(PyObject *source, std::shared_ptr<T> &value, bool convert) {
        class_argument<Value> loaded;
        if (!loaded.load(source, convert)) return false;
        if (!loaded.value)
            value.reset();
        else
            value = std::shared_ptr<T>(share_instance(loaded.temporary ? loaded.temporary.ptr() : source,
                                                      registered_class<Value>, typeid(std::shared_ptr<T>)),
                                       loaded.value);
        return true;
    }
    static PyObject *make(std::shared_ptr<T> value, return_value_policy, handle parent) {
        if (!value && registered_class<Value>) Py_RETURN_NONE;
        value_source source = dynamic_source_of<Value>(value.get());
        return wrap_shared(source, std::const_pointer_cast<Value>(std::move(value)), parent);
    }
    static constexpr auto name = type_name<Value>();
};

template <class T, class D> struct caster<std::unique_ptr<T, D>> {
    static PyObject *make(std::unique_ptr<T, D> &&value, return_value_policy, handle parent) {
        if (!value) Py_RETURN_NONE;
        value_source source = dynamic_source_of<std::remove_const_t<T>>(value.get());
        PyObject *made = wrap_value(source, return_value_policy::take_ownership, parent);
        if (made) value.release();
        return made;
    }
    static constexpr auto name = type_name<std::remove_const_t<T>>();
};
/// pybind11 takes no unique_ptr from an instance of a class whose holder is one.
template <class T, class D> struct builtin_argument<std::unique_ptr<T, D>> {
    std::unique_ptr<T, D> value;
    bool load(PyObject *source, bool convert) {
        class_argument<std::remove_const_t<T>> loaded;
        if (!loaded.load(source, convert)) return false;
        if (loaded.value) fail_to_disown(typeid(T));
        return true;
    }
    template <class P> decltype(auto) get() {
        if constexpr (std::is_lvalue_reference_v<P>) return (value);
        else return std::move(value);
    }
};

/// A copyable holder: an argument copies the one of the instance.
template <class T, class Holder, class = void> struct copyable_holder_caster {
    using is_builtin_holder = void;
    static constexpr auto name = type_name<T>();
    Holder value;

    bool load(handle source, bool convert) {
        class_argument<T> loaded;
        if (!source || !loaded.load(source.ptr(), convert)) return false;
        if (!loaded.value)
            value = Holder();
        else
            value = *static_cast<Holder *>(holder_of(loaded.temporary ? loaded.temporary.ptr() : source.ptr(),
                                                     registered_class<T>, typeid(Holder)));
        return true;
    }
    static handle cast(const Holder &holder, return_value_policy, handle) {
        const T *pointer = holder_helper<Holder>::get(holder);
        if (!pointer) return none().release();
        return wrap_custom(dynamic_source_of<T>(pointer), holder_operations<T, Holder>::fill, std::addressof(holder));
    }
    operator Holder *() { return std::addressof(value); }
    operator Holder &() { return value; }
    template <class U> using cast_op_type = detail::cast_op_type<U>;
};

/// A holder that only moves: results alone.
template <class T, class Holder, class = void> struct move_only_holder_caster {
    using is_builtin_holder = void;
    static constexpr auto name = type_name<T>();

    static handle cast(Holder &&holder, return_value_policy, handle) {
        const T *pointer = holder_helper<Holder>::get(holder);
        if (!pointer) return none().release();
        return wrap_custom(dynamic_source_of<T>(pointer), holder_operations<T, Holder>::fill, std::addressof(holder));
    }
};

template <class T, class Holder> using type_caster_holder =
    std::conditional_t<std::is_copy_constructible_v<Holder>, copyable_holder_caster<T, Holder>,
                       move_only_holder_caster<T, Holder>>;

template <class C, class = void> inline constexpr bool is_users_holder_caster = true;
template <class C> inline constexpr bool is_users_holder_caster<C, typename C::is_builtin_holder> = false;

template <class T>
class type_caster<std::shared_ptr<T>, std::enable_if_t<is_users_holder_caster<copyable_holder_caster<T,
    std::shared_ptr<T>>>>>
    : public copyable_holder_caster<T, std::shared_ptr<T>> {};
template <class T, class D>
class type_caster<std::unique_ptr<T, D>,
                  std::enable_if_t<is_users_holder_caster<move_only_holder_caster<T, std::unique_ptr<T, D>>>>>
    : public move_only_holder_caster<T, std::unique_ptr<T, D>> {};

}  // namespace detail
}  // namespace pybind11

/// Names a holder of registered classes. A third argument `true`: instances always own by it.
#define PYBIND11_DECLARE_HOLDER_TYPE(type, holder_type, ...)                                                           \
    namespace pybind11 {                                                                                               \
    namespace detail {                                                                                                 \
    template <class type> struct always_construct_holder<holder_type>                                                  \
        : std::bool_constant<::pybind11::detail::flag_of(__VA_ARGS__)> {};                                             \
    template <class type> class type_caster<holder_type, std::enable_if_t<!is_shared_ptr<holder_type>::value>>         \
        : public type_caster_holder<type, holder_type> {};                                                             \
    }                                                                                                                  \
    }
