// portable/python/stl/containers.h: pybind11/stl.h: casters of containers, optional and variant.
#pragma once
#include "portable/python/module.h"

#include <array>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <valarray>
#include <variant>
#include <vector>

namespace pybind11 {
namespace detail {

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

template <class Container, class E> struct sequence_conversion {
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
template <class E, class A> struct caster<std::vector<E, A>> : sequence_conversion<std::vector<E, A>, E> {};
template <class E, class A> struct caster<std::list<E, A>> : sequence_conversion<std::list<E, A>, E> {};
template <class E, class A> struct caster<std::deque<E, A>> : sequence_conversion<std::deque<E, A>, E> {};

template <class Array, class E, size_t N> struct array_conversion {
    static bool load(PyObject *source, Array &value, bool convert) {
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
        return sequence_conversion<Array, E>::make(std::forward<V>(values), policy, parent);
    }
    static constexpr auto name = text("typing.Annotated[") + io_name("collections.abc.Sequence[", "list[") +
                                 name_of<E>() + text("], \"FixedSize(") + number_name<N>() + text(")\"]");
};

template <class E, size_t N> struct caster<std::array<E, N>> : array_conversion<std::array<E, N>, E, N> {};

/// An array of elements that have no default: made at once.
template <class E, size_t N> struct builtin_argument<std::array<E, N>,
        std::enable_if_t<!std::is_default_constructible_v<E>>> {
    std::array<argument<E>, N> loaded;
    std::optional<std::array<E, N>> value;
    template <size_t... I> void make(std::index_sequence<I...>) {
        value.emplace(std::array<E, N>{{E(loaded[I].template get<E>())...}});
    }
    bool load(PyObject *source, bool convert) {
        object elements = maybe_owned(sequence_elements(source, convert));
        if (!elements || PySequence_Size(elements.ptr()) != static_cast<ssize_t>(N)) return false;
        for (size_t i = 0; i < N; ++i) {
            if (!loaded[i].load(element(elements.ptr(), static_cast<ssize_t>(i)), convert)) return false;
        }
        return make(std::make_index_sequence<N>()), true;
    }
    template <class P> decltype(auto) get() {
        if constexpr (std::is_pointer_v<bare_t<P>>) return &*value;
        else if constexpr (std::is_lvalue_reference_v<P>) return (*value);
        else return std::move(*value);
    }
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

template <class Container, class E> struct set_conversion {
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
template <class E, class C, class A> struct caster<std::set<E, C, A>> : set_conversion<std::set<E, C, A>, E> {};
template <class E, class H, class Q, class A>
struct caster<std::unordered_set<E, H, Q, A>> : set_conversion<std::unordered_set<E, H, Q, A>, E> {};

template <class Container, class K, class E> struct map_conversion {
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
struct caster<std::map<K, E, C, A>> : map_conversion<std::map<K, E, C, A>, K, E> {};
template <class K, class E, class H, class Q, class A>
struct caster<std::unordered_map<K, E, H, Q, A>> : map_conversion<std::unordered_map<K, E, H, Q, A>, K, E> {};

/// std::optional, and types that are like it.
template <class Optional, class E> struct optional_conversion {
    static bool load(PyObject *source, Optional &value, bool convert) {
        if (source == Py_None) return true;
        argument<E> loaded;
        if (!loaded.load(source, convert)) return false;
        value.emplace(loaded.template get<E>());
        return true;
    }
    template <class V> static PyObject *make(V &&value, return_value_policy policy, handle parent) {
        if (!value) Py_RETURN_NONE;
        if constexpr (!std::is_lvalue_reference_v<V>) policy = result_policy<E>(policy);
        return to_python(*std::forward<V>(value), policy, parent);
    }
    static constexpr auto name = name_of<E>() + text(" | None");
};
template <class E> struct caster<std::optional<E>> : optional_conversion<std::optional<E>, E> {};
template <> struct caster<std::nullopt_t> {
    static PyObject *make(std::nullopt_t, return_value_policy, handle) { Py_RETURN_NONE; }
    static constexpr const char *name = "None";
};

/// Calls with the value that a variant has; sources specialise it for variants other than std::variant.
template <template <class...> class Variant> struct visit_helper {
    template <class... A> static auto call(A &&...arguments) -> decltype(visit(std::forward<A>(arguments)...)) {
        return visit(std::forward<A>(arguments)...);
    }
};
template <> struct visit_helper<std::variant> {
    template <class... A> static decltype(auto) call(A &&...arguments) {
        return std::visit(std::forward<A>(arguments)...);
    }
};
struct variant_caster_visitor {
    return_value_policy policy;
    handle parent;
    using result_type = handle;
    template <class T> result_type operator()(T &&held) const { return to_python(std::forward<T>(held), policy,
            parent); }
};

template <class Variant> struct variant_conversion;
template <template <class...> class V, class... E> struct variant_conversion<V<E...>> {
    using Variant = V<E...>;
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
    template <class S> static PyObject *make(S &&value, return_value_policy policy, handle parent) {
        return visit_helper<V>::call(variant_caster_visitor{policy, parent}, std::forward<S>(value)).ptr();
    }
    template <size_t N, size_t... M> static constexpr auto join(const descr<N> &first, const descr<M> &...more) {
        if constexpr (sizeof...(M) == 0)
            return first;
        else
            return first + text(" | ") + join(more...);
    }
    static constexpr auto name = join(name_of<E>()...);
};
template <class... E> struct caster<std::variant<E...>> : variant_conversion<std::variant<E...>> {};
template <> struct caster<std::monostate> {
    static bool load(PyObject *source, std::monostate &, bool) { return source == Py_None; }
    static PyObject *make(std::monostate, return_value_policy, handle) { Py_RETURN_NONE; }
    static constexpr const char *name = "None";
};

// ---- the same as bases of users' type_caster<>, under pybind11's names

template <class T, class Conversion> struct conversion_caster {
    static constexpr auto name = as_descr(Conversion::name);
    T value{};
    bool load(handle source, bool convert) { return source && Conversion::load(source.ptr(), value, convert); }
    template <class V> static handle cast(V &&values, return_value_policy policy, handle parent) {
        if constexpr (std::is_pointer_v<bare_t<V>>) {
            if (!values) return none().release();
            std::unique_ptr<std::remove_pointer_t<bare_t<V>>> owner(
                policy == return_value_policy::take_ownership ? values : nullptr);
            return Conversion::make(*values, policy, parent);
        } else {
            return Conversion::make(std::forward<V>(values), policy, parent);
        }
    }
    operator T *() { return &value; }
    operator T &() { return value; }
    operator T &&() && { return std::move(value); }
    template <class U> using cast_op_type = movable_cast_op_type<U>;
};
template <class T, class E> struct list_caster : conversion_caster<T, sequence_conversion<T, E>> {};
template <class T, class E> struct set_caster : conversion_caster<T, set_conversion<T, E>> {};
template <class T, class K, class E> struct map_caster : conversion_caster<T, map_conversion<T, K, E>> {};
template <class T, class E, bool is_resizable = false, size_t size = 0>
struct array_caster : conversion_caster<T, array_conversion<T, E, size>> {};
template <class T, class E = typename T::value_type>
struct optional_caster : conversion_caster<T, optional_conversion<T, E>> {};
template <class T> struct variant_caster : conversion_caster<T, variant_conversion<T>> {};

}  // namespace detail
}  // namespace pybind11
