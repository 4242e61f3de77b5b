// portable/python/numpy/vectorize.h: py::vectorize: functions of numbers as functions of arrays, with broadcasting.
#pragma once
#include "portable/python/numpy/records.h"

namespace pybind11 {
namespace detail {

enum class broadcast_trivial { non_trivial, c_trivial, f_trivial };
/// The shape of the result of `count` arrays; whether all of them are numbers or full arrays without gaps.
broadcast_trivial broadcast_buffers(const buffer_info *buffers, size_t count, std::vector<ssize_t> &shape);
template <size_t N>
broadcast_trivial broadcast(const std::array<buffer_info, N> &buffers, ssize_t &ndim, std::vector<ssize_t> &shape) {
    auto kind = broadcast_buffers(buffers.data(), N, shape);
    ndim = static_cast<ssize_t>(shape.size());
    return kind;
}

/// Walks through arrays together, in the order of a result without gaps.
class broadcast_walk {
    std::vector<ssize_t> m_shape, m_index;
    std::vector<std::vector<ssize_t>> m_strides;  // of each array, 0 where it repeats

  public:
    std::vector<char *> at;
    broadcast_walk(const buffer_info *buffers, size_t count, const std::vector<ssize_t> &shape, bool is_fortran);
    void advance();
};

template <class T> struct vectorize_arg {
    static_assert(!std::is_rvalue_reference_v<T>, "Functions with rvalue reference arguments cannot be vectorized");
    using call_type = std::remove_reference_t<T>;
    using bare = std::remove_cv_t<call_type>;
    static constexpr bool vectorize =
        (std::is_arithmetic_v<bare> || is_complex<bare> || is_record<bare>)&&(!std::is_reference_v<T> ||
                                                                             std::is_const_v<call_type>);
    template <class U> static auto choose() {
        if constexpr (vectorize) return std::enable_if<true, array_t<U, array::forcecast>>();
        else return std::enable_if<true, T>();
    }
    using type = typename decltype(choose<bare>())::type;
};

template <class F, class R, class... A> class vectorized {
    F m_function;
    static constexpr size_t count = (size_t(vectorize_arg<A>::vectorize) + ...);
    static_assert(count > 0, "pybind11::vectorize(...) requires a function with at least one vectorizable argument");
    using Calls = std::tuple<typename vectorize_arg<A>::call_type...>;

    /// Which of the arrays parameter i is.
    static constexpr std::array<size_t, sizeof...(A)> places() {
        std::array<size_t, sizeof...(A)> found{};
        bool are[] = {vectorize_arg<A>::vectorize...};
        size_t next = 0;
        for (size_t i = 0; i < sizeof...(A); ++i) found[i] = are[i] ? next++ : 0;
        return found;
    }
    template <size_t I> decltype(auto) value(void *const *given, char *const *at) {
        using V = std::tuple_element_t<I, Calls>;
        constexpr bool is_array = vectorize_arg<std::tuple_element_t<I, std::tuple<A...>>>::vectorize;
        return *static_cast<V *>(is_array ? static_cast<void *>(at[places()[I]]) : given[I]);
    }
    template <size_t... I> R call(void *const *given, char *const *at, std::index_sequence<I...>) {
        return m_function(value<I>(given, at)...);
    }

  public:
    explicit vectorized(F function) : m_function(std::move(function)) {}
    object operator()(typename vectorize_arg<A>::type... arguments) {
        constexpr auto each = std::index_sequence_for<A...>();
        void *given[] = {const_cast<void *>(static_cast<const void *>(std::addressof(arguments)))...};
        constexpr bool are[] = {vectorize_arg<A>::vectorize...};
        std::array<buffer_info, count> buffers;
        for (size_t i = 0, next = 0; i < sizeof...(A); ++i)
            if (are[i]) buffers[next++] = static_cast<array *>(given[i])->request();

        std::vector<ssize_t> shape;
        auto kind = broadcast_buffers(buffers.data(), count, shape);
        bool is_fortran = kind == broadcast_trivial::f_trivial;
        size_t size = 1;
        for (ssize_t extent : shape) size *= static_cast<size_t>(extent);
        broadcast_walk walk(buffers.data(), count, shape, is_fortran);
        if constexpr (std::is_void_v<R>) {
            for (size_t i = 0; i < size; ++i, walk.advance()) call(given, walk.at.data(), each);
            return none();
        } else {
            if (size == 1 && shape.empty()) return cast(call(given, walk.at.data(), each));
            array_t<R> result(is_fortran ? array(array_t<R, array::f_style>(shape)) : array(array_t<R>(shape)));
            R *out = size > 0 ? result.mutable_data() : nullptr;
            for (size_t i = 0; i < size; ++i, walk.advance()) out[i] = call(given, walk.at.data(), each);
            return std::move(result);
        }
    }
};
template <class F, class R, class... A> vectorized<F, R, A...> make_vectorized(F &&function, R (*)(A...)) {
    return vectorized<F, R, A...>(std::move(function));
}

}  // namespace detail

/// A function of arrays that calls `function` for each element; parameters that are no numbers pass as they are.
template <class F, std::enable_if_t<!std::is_member_pointer_v<std::decay_t<F>>, int> = 0> auto vectorize(F &&function) {
    using Callable = std::decay_t<F>;
    using Signature = typename detail::function_type<Callable>::type;
    return detail::make_vectorized(Callable(std::forward<F>(function)),
        static_cast<std::add_pointer_t<Signature>>(nullptr));
}
#define TORCHTHAW_VECTORIZE(constness, reference, exception)                                                           \
    template <class R, class C, class... A> auto vectorize(R (C::*member)(A...) constness reference exception) {       \
        auto call = [member](constness C *self, A... arguments) -> R { return (self->*member)(arguments...); };        \
        return detail::make_vectorized(std::move(call), static_cast<R (*)(constness C *, A...)>(nullptr));             \
    }
TORCHTHAW_VECTORIZE(, , )
TORCHTHAW_VECTORIZE(const, , )
TORCHTHAW_VECTORIZE(, &, )
TORCHTHAW_VECTORIZE(const, &, )
TORCHTHAW_VECTORIZE(, , noexcept)
TORCHTHAW_VECTORIZE(const, , noexcept)
TORCHTHAW_VECTORIZE(, &, noexcept)
TORCHTHAW_VECTORIZE(const, &, noexcept)
#undef TORCHTHAW_VECTORIZE

}  // namespace pybind11
