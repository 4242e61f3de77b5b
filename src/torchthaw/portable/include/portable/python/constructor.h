// portable/python/constructor.h: init(), init(factory), init_alias() and pickle(): functions that fill an instance.
#pragma once
#include "portable/python/function.h"

namespace pybind11 {
namespace detail {

/// The first argument of __init__: an instance that may have no value yet.
struct new_instance_self {
    instance *self;
    const class_record *record;  ///< of the class that defines __init__
};
/// Whether an object is an instance of this class to be filled: not of a registered class derived from it.
bool can_fill(PyObject *source, const class_record *record);

/// Parameter type: an instance of T, or of a Python class derived from T's.
template <class T> struct unfilled : new_instance_self {};
template <class T> struct builtin_argument<unfilled<T>> {
    instance *self = nullptr;
    bool load(PyObject *source, bool) {
        const class_record *record = registered_class<T>;
        if (Py_TYPE(source) != record->python_type && !can_fill(source, record)) return false;
        self = reinterpret_cast<instance *>(source);
        return true;
    }
    template <class P> unfilled<T> get() { return {{self, registered_class<T>}}; }
};
template <class T> struct caster<unfilled<T>> {
    static constexpr auto name = type_name<T>();
};

/// Whether __init__ runs for the first time; later calls do nothing, as in pybind11.
inline bool is_empty(const new_instance_self &place) { return place.self->value == nullptr; }
/// Whether the object is of a class written in Python.
inline bool is_subclass(const new_instance_self &place) {
    return Py_TYPE(reinterpret_cast<PyObject *>(place.self)) != place.record->python_type;
}
/// Gives the instance a value that nothing owns yet; throws type_error for null.
void fill(const new_instance_self &place, void *value);
/// Gives it a value that a shared_ptr owns.
void fill_shared(const new_instance_self &place, void *value, std::shared_ptr<void> owner);
[[noreturn]] void fail_without_trampoline();

template <class T, class... A> T *construct(A &&...arguments) {
    if constexpr (std::is_constructible_v<T, A...>)
        return new T(std::forward<A>(arguments)...);
    else
        return new T{std::forward<A>(arguments)...};
}


/// init<A...>(): calls the constructor; classes written in Python get the trampoline where there is one.
template <class... A> struct constructor {
    template <class Class> static auto make() {
        using T = typename Class::type;
        return [](unfilled<T> self, A... arguments) {
            if (!is_empty(self)) return;
            if constexpr (!Class::has_alias) {
                fill(self, construct<T>(std::forward<A>(arguments)...));
            } else {
                using Alias = typename Class::type_alias;
                if constexpr (std::is_constructible_v<T, A...>) {
                    if (!is_subclass(self)) return fill(self, new T(std::forward<A>(arguments)...));
                }
                fill(self, static_cast<T *>(construct<Alias>(std::forward<A>(arguments)...)));
            }
        };
    }
};

/// init_alias<A...>(): always makes the trampoline.
template <class... A> struct alias_constructor {
    template <class Class> static auto make() {
        using T = typename Class::type;
        return [](unfilled<T> self, A... arguments) {
            if (!is_empty(self)) return;
            fill(self, static_cast<T *>(construct<typename Class::type_alias>(std::forward<A>(arguments)...)));
        };
    }
};

template <class X> struct is_shared_pointer : std::false_type {};
template <class X> struct is_shared_pointer<std::shared_ptr<X>> : std::true_type {};
template <class X> struct is_unique_pointer : std::false_type {};
template <class X, class D> struct is_unique_pointer<std::unique_ptr<X, D>> : std::true_type {};

/// Fills an instance with what a factory returned: a value, a pointer or a holder.
template <class Class, class R> void fill_with(const unfilled<typename Class::type> &self, R &&made) {
    using T = typename Class::type;
    using Made = bare_t<R>;
    if constexpr (is_shared_pointer<Made>::value) {
        T *value = made.get();
        fill_shared(self, value, std::forward<R>(made));
    } else if constexpr (is_unique_pointer<Made>::value) {
        fill(self, static_cast<T *>(made.release()));
    } else if constexpr (std::is_pointer_v<Made>) {
        if constexpr (Class::has_alias) {
            if (made && is_subclass(self) && !dynamic_cast<typename Class::type_alias *>(made)) {
                delete made;
                fail_without_trampoline();
            }
        }
        fill(self, static_cast<T *>(made));
    } else if constexpr (std::is_same_v<Made, typename Class::holder_type>) {
        if (!made.get()) fill(self, nullptr);
        self.self->value = nullptr;
        adopt_value(self.self, made.get(), self.record);
        holder_operations<T, Made>::fill(self.self, &made);
    } else if constexpr (std::is_base_of_v<T, Made> || std::is_same_v<T, Made>) {
        if constexpr (Class::has_alias && std::is_same_v<Made, T>) {
            if (is_subclass(self)) {
                if constexpr (std::is_constructible_v<typename Class::type_alias, T &&>)
                    return fill(self, static_cast<T *>(new typename Class::type_alias(std::move(made))));
                else
                    fail_without_trampoline();
            }
        }
        fill(self, static_cast<T *>(new Made(std::forward<R>(made))));
    } else {
        static_assert(sizeof(Made) == 0, "init(): the factory returns neither the class nor a pointer to it");
    }
}
/// __setstate__ may return (value, attributes).
template <class Class, class V>
void fill_with(const unfilled<typename Class::type> &self, std::pair<V, dict> &&made) {
    fill_with<Class>(self, std::move(made.first));
    setattr(reinterpret_cast<PyObject *>(self.self), "__dict__", made.second);
}

template <class Class, class F, class Signature> struct factory_function;
template <class Class, class F, class R, class... A> struct factory_function<Class, F, R(A...)> {
    F function;
    void operator()(unfilled<typename Class::type> self, A... arguments) {
        if (is_empty(self)) fill_with<Class>(self, function(std::forward<A>(arguments)...));
    }
};

/// init(function): the function returns the new value.
template <class F> struct factory {
    F function;
    template <class Class> auto make() && {
        return factory_function<Class, F, typename function_type<F>::type>{std::move(function)};
    }
};

template <class G, class S> struct pickle_factory {
    G get;
    S set;
};

}  // namespace detail

template <class... A> detail::constructor<A...> init() { return {}; }
template <class... A> detail::alias_constructor<A...> init_alias() { return {}; }
template <class F> detail::factory<std::decay_t<F>> init(F &&function) { return {std::forward<F>(function)}; }
/// `get` returns the state of a value; `set` makes a value of a state.
template <class G, class S> detail::pickle_factory<std::decay_t<G>, std::decay_t<S>> pickle(G &&get, S &&set) {
    return {std::forward<G>(get), std::forward<S>(set)};
}

}  // namespace pybind11
