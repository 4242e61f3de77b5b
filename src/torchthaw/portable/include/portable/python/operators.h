// portable/python/operators.h: py::self + py::self and its kin, for class_::def.
#pragma once
#include "portable/python/module.h"

namespace pybind11 {

namespace self_operations {  // of its own: int_ and hash are functions here

/// Stands for an object of the class in an expression.
struct self_t {};

template <class X, class T> using operand_t = std::conditional_t<std::is_same_v<X, self_t>, T, X>;

/// A binary operator; for `value op self` the method is the reflected one.
template <class Operation, class L, class R> struct binary_operator {
    static constexpr bool is_operator_of_self = true;
    template <class T, class Class, class... Extra> static void define(Class &class_, const Extra &...extra) {
        using Left = operand_t<L, T>;
        using Right = operand_t<R, T>;
        if constexpr (std::is_same_v<L, self_t>)
            class_.def(Operation::name,
                       [](const Left &left, const Right &right) { return Operation::apply(left, right); },
                       is_operator(), extra...);
        else
            class_.def(Operation::reflected,
                       [](const Right &right, const Left &left) { return Operation::apply(left, right); },
                       is_operator(), extra...);
    }
};
template <class Operation, class R> struct in_place_operator {
    static constexpr bool is_operator_of_self = true;
    template <class T, class Class, class... Extra> static void define(Class &class_, const Extra &...extra) {
        class_.def(Operation::name,
                   [](T &left, const operand_t<R, T> &right) -> T & { return Operation::apply(left, right); },
                   is_operator(), extra...);
    }
};
template <class Operation> struct unary_operator {
    static constexpr bool is_operator_of_self = true;
    template <class T, class Class, class... Extra> static void define(Class &class_, const Extra &...extra) {
        class_.def(Operation::name, [](const T &value) { return Operation::apply(value); }, is_operator(), extra...);
    }
};

#define TORCHTHAW_BINARY(id, method, reflected_method, symbol)                                                         \
    struct operation_##id {                                                                                            \
        static constexpr const char *name = method, *reflected = reflected_method;                                     \
        template <class L, class R> static auto apply(const L &left, const R &right) { return left symbol right; }     \
    };                                                                                                                 \
    inline binary_operator<operation_##id, self_t, self_t> operator symbol(const self_t &, const self_t &) {           \
        return {};                                                                                                     \
    }                                                                                                                  \
    template <class T> binary_operator<operation_##id, self_t, T> operator symbol(const self_t &, const T &) {         \
        return {};                                                                                                     \
    }                                                                                                                  \
    template <class T> binary_operator<operation_##id, T, self_t> operator symbol(const T &, const self_t &) {         \
        return {};                                                                                                     \
    }
#define TORCHTHAW_IN_PLACE(id, method, symbol)                                                                         \
    struct operation_##id {                                                                                            \
        static constexpr const char *name = method;                                                                    \
        template <class L, class R> static L &apply(L &left, const R &right) { return left symbol right; }             \
    };                                                                                                                 \
    inline in_place_operator<operation_##id, self_t> operator symbol(const self_t &, const self_t &) { return {}; }    \
    template <class T> in_place_operator<operation_##id, T> operator symbol(const self_t &, const T &) { return {}; }
#define TORCHTHAW_UNARY(id, method, function, expression)                                                              \
    struct operation_##id {                                                                                            \
        static constexpr const char *name = method;                                                                    \
        template <class T> static auto apply(const T &value) { return expression; }                                    \
    };                                                                                                                 \
    inline unary_operator<operation_##id> function(const self_t &) { return {}; }

TORCHTHAW_BINARY(sub, "__sub__", "__rsub__", -)
TORCHTHAW_BINARY(add, "__add__", "__radd__", +)
TORCHTHAW_BINARY(mul, "__mul__", "__rmul__", *)
TORCHTHAW_BINARY(truediv, "__truediv__", "__rtruediv__", /)
TORCHTHAW_BINARY(mod, "__mod__", "__rmod__", %)
TORCHTHAW_BINARY(lshift, "__lshift__", "__rlshift__", <<)
TORCHTHAW_BINARY(rshift, "__rshift__", "__rrshift__", >>)
TORCHTHAW_BINARY(and, "__and__", "__rand__", &)
TORCHTHAW_BINARY(xor, "__xor__", "__rxor__", ^)
TORCHTHAW_BINARY(or, "__or__", "__ror__", |)
TORCHTHAW_BINARY(gt, "__gt__", "__lt__", >)
TORCHTHAW_BINARY(ge, "__ge__", "__le__", >=)
TORCHTHAW_BINARY(lt, "__lt__", "__gt__", <)
TORCHTHAW_BINARY(le, "__le__", "__ge__", <=)
TORCHTHAW_BINARY(eq, "__eq__", "__eq__", ==)
TORCHTHAW_BINARY(ne, "__ne__", "__ne__", !=)
TORCHTHAW_IN_PLACE(iadd, "__iadd__", +=)
TORCHTHAW_IN_PLACE(isub, "__isub__", -=)
TORCHTHAW_IN_PLACE(imul, "__imul__", *=)
TORCHTHAW_IN_PLACE(itruediv, "__itruediv__", /=)
TORCHTHAW_IN_PLACE(imod, "__imod__", %=)
TORCHTHAW_IN_PLACE(ilshift, "__ilshift__", <<=)
TORCHTHAW_IN_PLACE(irshift, "__irshift__", >>=)
TORCHTHAW_IN_PLACE(iand, "__iand__", &=)
TORCHTHAW_IN_PLACE(ixor, "__ixor__", ^=)
TORCHTHAW_IN_PLACE(ior, "__ior__", |=)
TORCHTHAW_UNARY(neg, "__neg__", operator-, -value)
TORCHTHAW_UNARY(pos, "__pos__", operator+, +value)
TORCHTHAW_UNARY(abs, "__abs__", abs, abs(value))
TORCHTHAW_UNARY(hash, "__hash__", hash, std::hash<T>()(value))
TORCHTHAW_UNARY(invert, "__invert__", operator~, (~value))
TORCHTHAW_UNARY(bool, "__bool__", operator!, !!value)
TORCHTHAW_UNARY(int, "__int__", int_, static_cast<int>(value))
TORCHTHAW_UNARY(float, "__float__", float_, static_cast<double>(value))
#undef TORCHTHAW_BINARY
#undef TORCHTHAW_IN_PLACE
#undef TORCHTHAW_UNARY

}  // namespace self_operations

using self_operations::hash;
using self_operations::self_t;
inline constexpr self_t self{};

}  // namespace pybind11
