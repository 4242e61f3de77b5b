// portable/python/objects/traits.h: whether types can be copied and moved, their elements included. Sources specialise these.
#pragma once
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace pybind11 {
namespace detail {

/// The end of the check of elements.
struct recursive_bottom {};

/// What a container's elements are; recursive_bottom for other types and for containers of themselves.
template <class T, class = void> struct elements_of {
    using type = recursive_bottom;
};
template <class T> struct mutable_element {
    using type = T;
};
template <class K, class E> struct mutable_element<std::pair<const K, E>> {
    using type = std::pair<K, E>;
};
template <class T> struct elements_of<T, std::void_t<typename T::value_type>> {
    template <class C> static auto choose(std::enable_if_t<std::is_same_v<typename C::mapped_type, C>, int>) ->
        typename C::key_type;
    template <class C> static auto choose(...) ->
        std::conditional_t<std::is_same_v<typename C::value_type, C>, recursive_bottom,
                           typename mutable_element<typename C::value_type>::type>;
    using type = decltype(choose<T>(0));
};
template <class T, class = void> struct recursive_container_traits {
    using type_to_check_recursively = typename elements_of<T>::type;
};
template <class T> using checked_elements = typename recursive_container_traits<T>::type_to_check_recursively;

template <class T, class = void> struct is_move_constructible
    : std::conjunction<std::is_move_constructible<T>, is_move_constructible<checked_elements<T>>> {};
template <> struct is_move_constructible<recursive_bottom> : std::true_type {};
template <class A, class B> struct is_move_constructible<std::pair<A, B>>
    : std::conjunction<is_move_constructible<A>, is_move_constructible<B>> {};

template <class T, class = void> struct is_copy_constructible
    : std::conjunction<std::is_copy_constructible<T>, is_copy_constructible<checked_elements<T>>> {};
template <> struct is_copy_constructible<recursive_bottom> : std::true_type {};
template <class A, class B> struct is_copy_constructible<std::pair<A, B>>
    : std::conjunction<is_copy_constructible<A>, is_copy_constructible<B>> {};

template <class T, class = void> struct is_copy_assignable
    : std::conjunction<std::is_copy_assignable<T>, is_copy_assignable<checked_elements<T>>> {};
template <> struct is_copy_assignable<recursive_bottom> : std::true_type {};
template <class A, class B> struct is_copy_assignable<std::pair<A, B>>
    : std::conjunction<is_copy_assignable<A>, is_copy_assignable<B>> {};

}  // namespace detail

/// Says what an object's own class is, where it is not what typeid says.
template <class T, class = void> struct polymorphic_type_hook_base {
    static const void *get(const T *value, const std::type_info *&) { return value; }
};
template <class T> struct polymorphic_type_hook_base<T, std::enable_if_t<std::is_polymorphic_v<T>>> {
    static const void *get(const T *value, const std::type_info *&type) {
        type = value ? &typeid(*value) : nullptr;
        return dynamic_cast<const void *>(value);
    }
};
template <class T, class = void> struct polymorphic_type_hook : polymorphic_type_hook_base<T> {};

/// Deletes nothing: std::unique_ptr<T, py::nodelete> is a holder of values that C++ keeps.
struct nodelete {
    template <class T> void operator()(T *) {}
};

}  // namespace pybind11
