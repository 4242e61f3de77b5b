// portable/python/constructor.h: init(), init(factory), init_alias() and pickle(): functions that fill an instance.
#pragma once
#include "portable/python/function.h"

namespace pybind11 {
namespace detail {

/// The first argument of __init__: an instance that may have no value yet.
struct new_instance_self {
    instance *self;
    held_value *place;           ///< of this class's value
    const class_record *record;  ///< of the class that defines __init__
};
/// Where an instance has the value of exactly this class; null for other objects.
held_value *find_place(PyObject *source, const class_record *record);

/// Parameter type: an instance of T, or of a Python class derived from T's.
template <class T> struct unfilled : new_instance_self {};
template <class T> struct builtin_argument<unfilled<T>> {
    instance *self = nullptr;
    held_value *place = nullptr;
    bool load(PyObject *source, bool) {
        const class_record *record = registered_class<T>;
        self = reinterpret_cast<instance *>(source);
        place = Py_TYPE(source) == record->python_type ? &self->first : find_place(source, record);
        return place != nullptr;
    }
    template <class P> unfilled<T> get() { return {{self, place, registered_class<T>}}; }
};
template <class T> struct caster<unfilled<T>> {
    static constexpr auto name = type_name<T>();
};

/// Whether __init__ runs for the first time; later calls do nothing, as in pybind11.
inline bool is_empty(const new_instance_self &place) { return place.place->value == nullptr; }
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

/// Throws for an object of a class written in Python whose value is no trampoline.
template <class Class> void require_trampoline(const new_instance_self &self, typename Class::type *value) {
    if constexpr (Class::has_alias) {
        if (value && is_subclass(self) && !dynamic_cast<typename Class::type_alias *>(value)) fail_without_trampoline();
    }
}

template <class X> struct is_state_pair : std::false_type {};
template <class V, class D> struct is_state_pair<std::pair<V, D>> : std::is_base_of<object, D> {};

/// Fills an instance with what a factory returned: a value, a pointer or a holder.
template <class Class, class R> void fill_with(const unfilled<typename Class::type> &self, R &&made) {
    using T = typename Class::type;
    using Made = bare_t<R>;
    if constexpr (is_state_pair<Made>::value) {  // __setstate__ may return (value, attributes)
        fill_with<Class>(self, std::move(made.first));
        if (PyDict_Check(made.second.ptr()) && PyDict_Size(made.second.ptr()) == 0) return;
        setattr(reinterpret_cast<PyObject *>(self.self), "__dict__", made.second);
    } else if constexpr (is_shared_pointer<Made>::value) {
        T *value = made.get();
        require_trampoline<Class>(self, value);
        fill_shared(self, value, std::forward<R>(made));
    } else if constexpr (is_unique_pointer<Made>::value) {
        require_trampoline<Class>(self, made.get());
        fill(self, static_cast<T *>(made.release()));
    } else if constexpr (std::is_null_pointer_v<Made>) {
        fill(self, nullptr);
    } else if constexpr (std::is_pointer_v<Made>) {
        if constexpr (Class::has_alias) {
            using Alias = typename Class::type_alias;
            std::unique_ptr<std::remove_pointer_t<Made>> owner(made);
            if constexpr (std::is_constructible_v<Alias, T &&>) {
                if (made && is_subclass(self) && !dynamic_cast<Alias *>(made))
                    return fill(self, static_cast<T *>(new Alias(std::move(*made))));
            }
            require_trampoline<Class>(self, made);
            owner.release();
        }
        fill(self, static_cast<T *>(made));
    } else if constexpr (std::is_same_v<Made, typename Class::holder_type>) {
        const T *value = holder_helper<Made>::get(made);
        if (!value) fill(self, nullptr);
        adopt_value(self.self, self.place, const_cast<T *>(value), self.record);
        holder_operations<T, Made>::fill(self.place, std::addressof(made));
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

/// init(function, function): the second for classes written in Python; both take the same arguments.
template <class F, class A> struct pair_factory {
    F function;
    A for_python;
    template <class Class> auto make() && {
            return make_of<Class>(static_cast<typename function_type<F>::type *>(nullptr)); }

  private:
    template <class Class, class R, class... P> auto make_of(R (*)(P...)) {
        return [function = std::move(function), for_python = std::move(for_python)](unfilled<typename Class::type> self,
                                                                                    P... arguments) mutable {
            if (!is_empty(self)) return;
            if (is_subclass(self))
                fill_with<Class>(self, for_python(std::forward<P>(arguments)...));
            else
                fill_with<Class>(self, function(std::forward<P>(arguments)...));
        };
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
template <class F, class A> detail::pair_factory<std::decay_t<F>, std::decay_t<A>> init(F &&function, A &&for_python) {
    return {std::forward<F>(function), std::forward<A>(for_python)};
}
/// `get` returns the state of a value; `set` makes a value of a state.
template <class G, class S> detail::pickle_factory<std::decay_t<G>, std::decay_t<S>> pickle(G &&get, S &&set) {
    return {std::forward<G>(get), std::forward<S>(set)};
}

}  // namespace pybind11
