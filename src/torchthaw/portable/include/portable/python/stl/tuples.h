// portable/python/stl/tuples.h: casters of pairs and tuples, and how elements of Python's collections are read.
#pragma once
#include "portable/python/cast.h"

#include <tuple>

namespace pybind11 {
namespace detail {

/// What an argument of a sequence, set or map may be; the checks are those of pybind11. A new reference, or null
/// without an error for a misfit: a tuple or list for sequences, an iterable for sets, a dictionary for maps.
PyObject *sequence_elements(PyObject *source, bool convert);
PyObject *set_elements(PyObject *source, bool convert);
PyObject *map_elements(PyObject *source, bool convert);
/// Element i of what sequence_elements returned, borrowed.
PyObject *element(PyObject *elements, ssize_t i);

/// Pairs and tuples: a sequence of the right length.
template <class Tuple, class... E> struct tuple_argument {
    std::tuple<argument<E>...> loaded;

    template <size_t... I> bool load_each(PyObject *elements, bool convert, std::index_sequence<I...>) {
        return (std::get<I>(loaded).load(element(elements, I), convert) && ...);
    }
    bool load(PyObject *source, bool convert) {
        if (!PySequence_Check(source) || PySequence_Size(source) != static_cast<ssize_t>(sizeof...(E))) {
            PyErr_Clear();
            return false;
        }
        object elements = maybe_owned(PySequence_Tuple(source));
        if (!elements) return PyErr_Clear(), false;
        return load_each(elements.ptr(), convert, std::index_sequence_for<E...>());
    }
    template <size_t... I> Tuple make(std::index_sequence<I...>) {
        return Tuple(std::get<I>(loaded).template get<E>()...);
    }
    template <class P> Tuple get() { return make(std::index_sequence_for<E...>()); }
};
template <class... E> struct builtin_argument<std::tuple<E...>> : tuple_argument<std::tuple<E...>, E...> {};
template <class A, class B> struct builtin_argument<std::pair<A, B>> : tuple_argument<std::pair<A, B>, A, B> {};

template <class Tuple, class... E> struct tuple_caster {
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

}  // namespace detail
}  // namespace pybind11
