// portable/python/objects/typing.h: pybind11/typing.h: Python's types whose signatures name their elements.
#pragma once
#include "portable/python/module.h"

namespace pybind11 {
namespace typing {

#define TORCHTHAW_TYPED(Name, Base, ...)                                                                               \
    template <__VA_ARGS__> class Name : public Base {                                                                  \
        using Base::Base;                                                                                              \
    };
TORCHTHAW_TYPED(Dict, dict, class K, class V)
TORCHTHAW_TYPED(List, list, class T)
TORCHTHAW_TYPED(Set, set, class T)
TORCHTHAW_TYPED(Iterable, iterable, class T)
TORCHTHAW_TYPED(Type, type, class T)
TORCHTHAW_TYPED(TypeGuard, bool_, class T)
TORCHTHAW_TYPED(TypeIs, bool_, class T)
#undef TORCHTHAW_TYPED
template <class Signature> class Callable;
template <class R, class... A> class Callable<R(A...)> : public function {
    using function::function;
};

inline bool is_anything(PyObject *value) { return value != nullptr; }
#define TORCHTHAW_TYPED(Name, ...)                                                                                     \
    template <__VA_ARGS__> class Name : public object {                                                                \
      public:                                                                                                          \
        PYBIND11_OBJECT_DEFAULT(Name, object, ::pybind11::typing::is_anything)                                         \
        using object::object;                                                                                          \
    };
TORCHTHAW_TYPED(Union, class... T)
TORCHTHAW_TYPED(Optional, class T)
TORCHTHAW_TYPED(Final, class T)
TORCHTHAW_TYPED(ClassVar, class T)
#undef TORCHTHAW_TYPED

class NoReturn : public none {
    using none::none;
};
class Never : public none {
    using none::none;
};

}  // namespace typing

namespace detail {

template <size_t N, size_t... M> constexpr auto join_types(const descr<N> &first, const descr<M> &...more) {
    if constexpr (sizeof...(M) == 0)
        return first;
    else
        return first + text(" | ") + join_types(more...);
}

#define TORCHTHAW_TYPED_NAME(Name, before)                                                                             \
    template <class T> struct handle_type_name<typing::Name<T>> {                                                      \
        static constexpr auto name = text(before "[") + name_of<T>() + text("]");                                      \
    };
TORCHTHAW_TYPED_NAME(List, "list")
TORCHTHAW_TYPED_NAME(Set, "set")
TORCHTHAW_TYPED_NAME(Iterable, "collections.abc.Iterable")
TORCHTHAW_TYPED_NAME(Type, "type")
TORCHTHAW_TYPED_NAME(ClassVar, "typing.ClassVar")
TORCHTHAW_TYPED_NAME(TypeGuard, "typing.TypeGuard")
TORCHTHAW_TYPED_NAME(TypeIs, "typing.TypeIs")
#undef TORCHTHAW_TYPED_NAME
template <class K, class V> struct handle_type_name<typing::Dict<K, V>> {
    static constexpr auto name = text("dict[") + name_of<K>() + text(", ") + name_of<V>() + text("]");
};
template <class R, class... A> struct handle_type_name<typing::Callable<R(A...)>> {
    static constexpr auto name = text("collections.abc.Callable[[") + concat(arg_descr(name_of<A>())...) +
                                 text("], ") + return_descr(name_of<R>()) + text("]");
};
template <class R> struct handle_type_name<typing::Callable<R(ellipsis)>> {
    static constexpr auto name = text("collections.abc.Callable[..., ") + return_descr(name_of<R>()) + text("]");
};
template <class... T> struct handle_type_name<typing::Union<T...>> {
    static constexpr auto name = join_types(name_of<T>()...);
};
template <class T> struct handle_type_name<typing::Optional<T>> {
    static constexpr auto name = name_of<T>() + text(" | None");
};
template <class T> struct handle_type_name<typing::Final<T>> {
    static constexpr auto name = text("typing.Final[") + return_descr(name_of<T>()) + text("]");
};
template <> struct handle_type_name<typing::NoReturn> {
    static constexpr auto name = text("typing.NoReturn");
};
template <> struct handle_type_name<typing::Never> {
    static constexpr auto name = text("typing.Never");
};

}  // namespace detail
}  // namespace pybind11
