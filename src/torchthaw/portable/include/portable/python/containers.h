// portable/python/containers.h: casters of containers, optional, variant, smart pointers and functions.
#pragma once
#include "portable/python/cast.h"

#include <array>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <valarray>
#include <variant>
#include <vector>

namespace pybind11 {
namespace detail {

/// What an argument of a sequence, set or map may be; the checks are those of pybind11. A new reference, or null
/// without an error for a misfit: a tuple or list for sequences, an iterable for sets, a dictionary for maps.
PyObject *sequence_elements(PyObject *source, bool convert);
PyObject *set_elements(PyObject *source, bool convert);
PyObject *map_elements(PyObject *source, bool convert);
/// Element i of what sequence_elements returned, borrowed.
PyObject *element(PyObject *elements, ssize_t i);

template <class T, class = void> struct has_reserve : std::false_type {};
template <class T> struct has_reserve<T, std::void_t<decltype(std::declval<T &>().reserve(0))>> : std::true_type {};

/// An element of a container moves where the container is a temporary.
template <class Container, class E> decltype(auto) forward_element(E &&value) {
    if constexpr (std::is_lvalue_reference_v<Container>)
        return std::forward<E>(value);
    else
        return std::move(value);
}
template <class Container, class E> return_value_policy element_policy(return_value_policy policy) {
    return std::is_lvalue_reference_v<Container> ? policy : result_policy<E>(policy);
}

template <class Container, class E> struct sequence_caster {
    static bool load(PyObject *source, Container &value, bool convert) {
        object elements = maybe_owned(sequence_elements(source, convert));
        if (!elements) return false;
        ssize_t count = PySequence_Size(elements.ptr());
        value.clear();
        if constexpr (has_reserve<Container>::value) value.reserve(static_cast<size_t>(count));
        for (ssize_t i = 0; i < count; ++i) {
            argument<E> loaded;
            if (!loaded.load(element(elements.ptr(), i), convert)) return false;
            value.push_back(loaded.template get<E>());
        }
        return true;
    }
    template <class V> static PyObject *make(V &&values, return_value_policy policy, handle parent) {
        policy = element_policy<V, E>(policy);
        object result = owned(PyList_New(static_cast<ssize_t>(values.size())));
        ssize_t i = 0;
        for (auto &&value : values) {
            PyObject *made;
            if constexpr (std::is_same_v<E, bool>)
                made = PyBool_FromLong(value);
            else
                made = to_python(forward_element<V>(value), policy, parent);
            if (!made) return nullptr;
            PyList_SetItem(result.ptr(), i++, made);
        }
        return result.release().ptr();
    }
    static constexpr auto name = io_name("collections.abc.Sequence[", "list[") + name_of<E>() + text("]");
};
template <class E, class A> struct caster<std::vector<E, A>> : sequence_caster<std::vector<E, A>, E> {};
template <class E, class A> struct caster<std::list<E, A>> : sequence_caster<std::list<E, A>, E> {};
template <class E, class A> struct caster<std::deque<E, A>> : sequence_caster<std::deque<E, A>, E> {};

template <class E, size_t N> struct caster<std::array<E, N>> {
    static bool load(PyObject *source, std::array<E, N> &value, bool convert) {
        object elements = maybe_owned(sequence_elements(source, convert));
        if (!elements || PySequence_Size(elements.ptr()) != static_cast<ssize_t>(N)) return false;
        for (size_t i = 0; i < N; ++i) {
            argument<E> loaded;
            if (!loaded.load(element(elements.ptr(), static_cast<ssize_t>(i)), convert)) return false;
            value[i] = loaded.template get<E>();
        }
        return true;
    }
    template <class V> static PyObject *make(V &&values, return_value_policy policy, handle parent) {
        return sequence_caster<std::array<E, N>, E>::make(std::forward<V>(values), policy, parent);
    }
    static constexpr auto name = text("typing.Annotated[") + io_name("collections.abc.Sequence[", "list[") +
                                 name_of<E>() + text("], \"FixedSize(") + number_name<N>() + text(")\"]");
};

template <class E> struct caster<std::valarray<E>> {
    static bool load(PyObject *source, std::valarray<E> &value, bool convert) {
        std::vector<E> elements;
        if (!caster<std::vector<E>>::load(source, elements, convert)) return false;
        value = std::valarray<E>(elements.data(), elements.size());
        return true;
    }
    static PyObject *make(const std::valarray<E> &value, return_value_policy policy, handle parent) {
        return caster<std::vector<E>>::make(std::vector<E>(std::begin(value), std::end(value)), policy, parent);
    }
    static constexpr auto name = caster<std::vector<E>>::name;
};

template <class Container, class E> struct set_caster {
    static bool load(PyObject *source, Container &value, bool convert) {
        object elements = maybe_owned(set_elements(source, convert));
        if (!elements) return false;
        value.clear();
        for (handle item : elements) {
            argument<E> loaded;
            if (!loaded.load(item.ptr(), convert)) return false;
            value.insert(loaded.template get<E>());
        }
        return true;
    }
    template <class V> static PyObject *make(V &&values, return_value_policy policy, handle parent) {
        policy = element_policy<V, E>(policy);
        object result = owned(PySet_New(nullptr));
        for (auto &&value : values) {
            object made = maybe_owned(to_python(value, policy, parent));
            if (!made || PySet_Add(result.ptr(), made.ptr()) < 0) return nullptr;
        }
        return result.release().ptr();
    }
    static constexpr auto name = io_name("collections.abc.Set[", "set[") + name_of<E>() + text("]");
};
template <class E, class C, class A> struct caster<std::set<E, C, A>> : set_caster<std::set<E, C, A>, E> {};
template <class E, class H, class Q, class A>
struct caster<std::unordered_set<E, H, Q, A>> : set_caster<std::unordered_set<E, H, Q, A>, E> {};

template <class Container, class K, class E> struct map_caster {
    static bool load(PyObject *source, Container &value, bool convert) {
        object elements = maybe_owned(map_elements(source, convert));
        if (!elements) return false;
        value.clear();
        for (auto item : reinterpret_borrow<dict>(elements)) {
            argument<K> key;
            argument<E> loaded;
            if (!key.load(item.first.ptr(), convert) || !loaded.load(item.second.ptr(), convert)) return false;
            value.emplace(key.template get<K>(), loaded.template get<E>());
        }
        return true;
    }
    template <class V> static PyObject *make(V &&values, return_value_policy policy, handle parent) {
        object result = owned(PyDict_New());
        for (auto &&item : values) {
            object key = maybe_owned(to_python(item.first, element_policy<V, K>(policy), parent));
            if (!key) return nullptr;
            object made =
                maybe_owned(to_python(forward_element<V>(item.second), element_policy<V, E>(policy), parent));
            if (!made || PyDict_SetItem(result.ptr(), key.ptr(), made.ptr()) < 0) return nullptr;
        }
        return result.release().ptr();
    }
    static constexpr auto name =
        io_name("collections.abc.Mapping[", "dict[") + name_of<K>() + text(", ") + name_of<E>() + text("]");
};
template <class K, class E, class C, class A>
struct caster<std::map<K, E, C, A>> : map_caster<std::map<K, E, C, A>, K, E> {};
template <class K, class E, class H, class Q, class A>
struct caster<std::unordered_map<K, E, H, Q, A>> : map_caster<std::unordered_map<K, E, H, Q, A>, K, E> {};

/// Pairs and tuples: a sequence of the right length.
template <class Tuple, class... E> struct tuple_caster {
    template <size_t... I>
    static bool load_each(PyObject *elements, Tuple &value, bool convert, std::index_sequence<I...>) {
        std::tuple<argument<E>...> loaded;
        if (!(std::get<I>(loaded).load(element(elements, I), convert) && ...)) return false;
        value = Tuple(std::get<I>(loaded).template get<E>()...);
        return true;
    }
    static bool load(PyObject *source, Tuple &value, bool convert) {
        if (!PySequence_Check(source) || PySequence_Size(source) != static_cast<ssize_t>(sizeof...(E))) {
            PyErr_Clear();
            return false;
        }
        object elements = maybe_owned(PySequence_Tuple(source));
        if (!elements) return PyErr_Clear(), false;
        return load_each(elements.ptr(), value, convert, std::index_sequence_for<E...>());
    }
    template <class V, size_t... I>
    static PyObject *make_each(V &&values, return_value_policy policy, handle parent, std::index_sequence<I...>) {
        object result = owned(PyTuple_New(sizeof...(E)));
        auto put = [&](ssize_t i, PyObject *made) { return made && PyTuple_SetItem(result.ptr(), i, made) == 0; };
        (void)put, (void)policy, (void)parent, (void)values;
        bool complete = (put(I, to_python(std::get<I>(std::forward<V>(values)), policy, parent)) && ...);
        return complete ? result.release().ptr() : nullptr;
    }
    template <class V> static PyObject *make(V &&values, return_value_policy policy, handle parent) {
        return make_each(std::forward<V>(values), policy, parent, std::index_sequence_for<E...>());
    }
    static constexpr auto name = text("tuple[") + concat(name_of<E>()...) + text("]");
};
template <class... E> struct caster<std::tuple<E...>> : tuple_caster<std::tuple<E...>, E...> {};
template <> struct caster<std::tuple<>> : tuple_caster<std::tuple<>> {
    static constexpr const char *name = "tuple[()]";
};
template <class A, class B> struct caster<std::pair<A, B>> : tuple_caster<std::pair<A, B>, A, B> {};

template <class E> struct caster<std::optional<E>> {
    static bool load(PyObject *source, std::optional<E> &value, bool convert) {
        value.reset();
        if (source == Py_None) return true;
        argument<E> loaded;
        if (!loaded.load(source, convert)) return false;
        value.emplace(loaded.template get<E>());
        return true;
    }
    template <class V> static PyObject *make(V &&value, return_value_policy policy, handle parent) {
        if (!value) Py_RETURN_NONE;
        return to_python(*std::forward<V>(value), element_policy<V, E>(policy), parent);
    }
    static constexpr auto name = name_of<E>() + text(" | None");
};
template <> struct caster<std::nullopt_t> {
    static PyObject *make(std::nullopt_t, return_value_policy, handle) { Py_RETURN_NONE; }
    static constexpr const char *name = "None";
};

template <class... E> struct caster<std::variant<E...>> {
    using Variant = std::variant<E...>;
    template <class T> static bool load_one(PyObject *source, Variant &value, bool convert) {
        argument<T> loaded;
        if (!loaded.load(source, convert)) return false;
        value = loaded.template get<T>();
        return true;
    }
    static bool load(PyObject *source, Variant &value, bool convert) {
        if (convert && (load_one<E>(source, value, false) || ...)) return true;
        return (load_one<E>(source, value, convert) || ...);
    }
    template <class V> static PyObject *make(V &&value, return_value_policy policy, handle parent) {
        return std::visit([&](auto &&held) { return to_python(std::forward<decltype(held)>(held), policy, parent); },
                          std::forward<V>(value));
    }
    template <size_t N, size_t... M> static constexpr auto join(const descr<N> &first, const descr<M> &...more) {
        if constexpr (sizeof...(M) == 0)
            return first;
        else
            return first + text(" | ") + join(more...);
    }
    static constexpr auto name = join(name_of<E>()...);
};
template <> struct caster<std::monostate> {
    static bool load(PyObject *source, std::monostate &, bool) { return source == Py_None; }
    static PyObject *make(std::monostate, return_value_policy, handle) { Py_RETURN_NONE; }
    static constexpr const char *name = "None";
};

// ---- smart pointers to registered classes

template <class T> struct caster<std::shared_ptr<T>> {
    using Value = std::remove_const_t<T>;
    static bool load(PyObject *source, std::shared_ptr<T> &value, bool convert) {
        class_argument<Value> loaded;
        if (!loaded.load(source, convert)) return false;
        if (!loaded.value)
            value.reset();
        else
            value = std::shared_ptr<T>(share_instance(loaded.temporary ? loaded.temporary.ptr() : source),
                                       loaded.value);
        return true;
    }
    static PyObject *make(std::shared_ptr<T> value, return_value_policy, handle) {
        if (!value) Py_RETURN_NONE;
        value_source source = dynamic_source_of<Value>(value.get());
        return wrap_shared(source, std::const_pointer_cast<Value>(std::move(value)));
    }
    static constexpr auto name = type_name<Value>();
};

template <class T, class D> struct caster<std::unique_ptr<T, D>> {
    static PyObject *make(std::unique_ptr<T, D> &&value, return_value_policy, handle parent) {
        if (!value) Py_RETURN_NONE;
        value_source source = dynamic_source_of<T>(value.get());
        PyObject *made = wrap_value(source, return_value_policy::take_ownership, parent);
        if (made) value.release();
        return made;
    }
    static constexpr auto name = type_name<T>();
};

/// Holders that PYBIND11_DECLARE_HOLDER_TYPE names: copied from and into instances of classes with that holder.
template <class T, class Holder> struct custom_holder_caster {
    static bool load(PyObject *source, Holder &value, bool convert) {
        class_argument<T> loaded;
        if (!loaded.load(source, convert)) return false;
        if (!loaded.value)
            value = Holder();
        else if (auto *self = reinterpret_cast<instance *>(source); self->destroy && !self->is_shared)
            value = *static_cast<Holder *>(self->custom_holder());
        else
            throw cast_error("Unable to load a custom holder type from a default-holder instance");
        return true;
    }
    static PyObject *make(const Holder &value, return_value_policy, handle) {
        if (!value.get()) Py_RETURN_NONE;
        return wrap_custom(dynamic_source_of<T>(value.get()), holder_operations<T, Holder>::fill, &value);
    }
    static constexpr auto name = type_name<T>();
};

// ---- functions

/// A Python callable as a C++ function. It takes the GIL to call, to be copied and to die.
template <class R, class... A> class python_function {
    std::shared_ptr<object> m_callable;

  public:
    explicit python_function(object callable)
        : m_callable(new object(std::move(callable)), [](object *callable) {
              gil_scoped_acquire gil;
              delete callable;
          }) {}
    R operator()(A... arguments) const {
        gil_scoped_acquire gil;
        object result = (*m_callable)(std::forward<A>(arguments)...);
        if constexpr (!std::is_void_v<R>) return pybind11::cast<R>(result);
    }
};

/// A Python function that calls a C++ one. Defined in function.h.
template <class F> PyObject *make_function(F &&function);

template <class R, class... A> struct caster<std::function<R(A...)>> {
    static bool load(PyObject *source, std::function<R(A...)> &value, bool convert) {
        value = nullptr;
        if (source == Py_None) return convert;
        if (!PyCallable_Check(source)) return false;
        value = python_function<R, A...>(borrowed(source));
        return true;
    }
    template <class V> static PyObject *make(V &&value, return_value_policy, handle) {
        if (!value) Py_RETURN_NONE;
        return make_function(std::forward<V>(value));
    }
    static constexpr auto name = text("collections.abc.Callable[[") + arg_descr(concat(name_of<A>()...)) +
                                 text("], ") + return_descr(name_of<R>()) + text("]");
};
template <class R, class... A> struct caster<R (*)(A...)> {
    static PyObject *make(R (*value)(A...), return_value_policy, handle) { return make_function(value); }
    static constexpr auto name = caster<std::function<R(A...)>>::name;
};

}  // namespace detail
}  // namespace pybind11

#define PYBIND11_DECLARE_HOLDER_TYPE(type, holder_type, ...)                                                           \
    namespace pybind11 {                                                                                               \
    namespace detail {                                                                                                 \
    template <class type> struct caster<holder_type> : custom_holder_caster<type, holder_type> {};                     \
    }                                                                                                                  \
    }
