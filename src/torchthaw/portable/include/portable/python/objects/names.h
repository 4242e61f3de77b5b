// portable/python/objects/names.h: texts of types in signatures, put together by the compiler.
#pragma once
#include <cstddef>
#include <typeinfo>
#include <utility>

namespace pybind11 {
namespace detail {

/// A piece of a signature: a text for parameters and one for results, or a class whose Python name is looked up.
struct text_part {
    const char *argument;
    const char *result;
    const std::type_info *type;
};

/// A sequence of pieces.
template <std::size_t N> struct descr {
    text_part parts[N > 0 ? N : 1];
};

constexpr descr<1> text(const char *content) { return {{{content, content, nullptr}}}; }
/// Another text for parameters than for results.
constexpr descr<1> io_name(const char *argument, const char *result) { return {{{argument, result, nullptr}}}; }
template <std::size_t N> constexpr descr<1> const_name(const char (&content)[N]) { return text(content); }
/// The first text where the condition holds, else the second.
template <bool first> constexpr descr<1> const_name(const char *yes, const char *no) { return text(first ? yes : no); }
template <bool first, std::size_t A, std::size_t B>
constexpr auto const_name(const descr<A> &yes, const descr<B> &no) {
    if constexpr (first)
        return yes;
    else
        return no;
}
template <std::size_t N> constexpr descr<1> _(const char (&content)[N]) { return text(content); }
/// The name of a registered class.
template <class T> constexpr descr<1> type_name() { return {{{nullptr, nullptr, &typeid(T)}}}; }
template <class T> constexpr descr<1> const_name() { return type_name<T>(); }
template <class T> constexpr descr<1> _() { return type_name<T>(); }

constexpr descr<1> as_descr(const char *content) { return text(content); }
template <std::size_t N> constexpr descr<N> as_descr(const descr<N> &content) { return content; }

template <std::size_t A, std::size_t B> constexpr descr<A + B> operator+(const descr<A> &left, const descr<B> &right) {
    descr<A + B> all{};
    for (std::size_t i = 0; i < A; ++i) all.parts[i] = left.parts[i];
    for (std::size_t i = 0; i < B; ++i) all.parts[A + i] = right.parts[i];
    return all;
}

/// The texts with ", " between them.
template <std::size_t N> constexpr descr<N> concat(const descr<N> &only) { return only; }
template <std::size_t N, class... D> constexpr auto concat(const descr<N> &first, const D &...more) {
    return first + text(", ") + concat(more...);
}
constexpr descr<1> concat() { return text(""); }

/// The texts of parameters, or of results, wherever they stand.
template <std::size_t N> constexpr descr<N> arg_descr(descr<N> content) {
    for (text_part &part : content.parts) part.result = part.argument;
    return content;
}
template <std::size_t N> constexpr descr<N> return_descr(descr<N> content) {
    for (text_part &part : content.parts) part.argument = part.result;
    return content;
}

/// The decimal digits of a number as a static text.
template <std::size_t value> struct digits {
    static constexpr std::size_t count() {
        std::size_t length = 1;
        for (std::size_t rest = value; rest >= 10; rest /= 10) ++length;
        return length;
    }
    struct content {
        char characters[count() + 1];
    };
    static constexpr content make() {
        content result{};
        std::size_t rest = value;
        for (std::size_t i = count(); i-- > 0; rest /= 10) result.characters[i] = static_cast<char>('0' + rest % 10);
        return result;
    }
    static constexpr content stored = make();
};
template <std::size_t value> constexpr descr<1> number_name() { return text(digits<value>::stored.characters); }

}  // namespace detail
}  // namespace pybind11
