// portable/dispatch.h: AT_DISPATCH_*: a switch over element types, whose cases have scalar_t as the type of C++.
#pragma once
#include <torch/headeronly/core/Dispatch.h>

#include "tensor.h"

namespace detail {
inline at::ScalarType scalar_type(const at::DeprecatedTypeProperties &type) { return type.scalarType(); }
}  // namespace detail

namespace torchthaw {
[[noreturn]] void fail_dispatch(const char *name, at::ScalarType type);
}

#define AT_PRIVATE_CASE_TYPE_USING_HINT(type, hint, ...)                                                               \
    case type: {                                                                                                       \
        using hint [[maybe_unused]] = ::c10::impl::ScalarTypeToCPPTypeT<type>;                                         \
        return __VA_ARGS__();                                                                                          \
    }
#define AT_DISPATCH_CASE(type, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(type, scalar_t, __VA_ARGS__)
#define AT_PRIVATE_CASE_TYPE(name, type, ctype, ...) AT_DISPATCH_CASE(type, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                                                            \
    [&] {                                                                                                              \
        const auto &the_type = TYPE;                                                                                   \
        constexpr const char *at_dispatch_name = NAME;                                                                 \
        const ::at::ScalarType _st = ::detail::scalar_type(the_type);                                                  \
        switch (_st) {                                                                                                 \
            __VA_ARGS__                                                                                                \
            default: ::torchthaw::fail_dispatch(at_dispatch_name, _st);                                                \
        }                                                                                                              \
    }()

#define TORCHTHAW_CASE(name, ...) AT_DISPATCH_CASE(::at::ScalarType::name, __VA_ARGS__)

// The sets of types.
#define AT_DISPATCH_CASE_FLOATING_TYPES(...) TORCHTHAW_CASE(Double, __VA_ARGS__) TORCHTHAW_CASE(Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...) TORCHTHAW_CASE(Half, __VA_ARGS__) TORCHTHAW_CASE(BFloat16, __VA_ARGS__)
#define AT_DISPATCH_CASE_COMPLEX_TYPES(...)                                                                            \
    TORCHTHAW_CASE(ComplexDouble, __VA_ARGS__) TORCHTHAW_CASE(ComplexFloat, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(...)                                                               \
    AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)                                                                           \
    TORCHTHAW_CASE(Byte, __VA_ARGS__) TORCHTHAW_CASE(Char, __VA_ARGS__) TORCHTHAW_CASE(Int, __VA_ARGS__)               \
    TORCHTHAW_CASE(Long, __VA_ARGS__) TORCHTHAW_CASE(Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...)                                                                                \
    AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(...)                                                                    \
    AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)

// Each set with one to eight more types, which come first: AT_DISPATCH_CASE_SET_AND2(A, B, lambda).
#define TORCHTHAW_AND1(SET, A, ...) SET(__VA_ARGS__) AT_DISPATCH_CASE(A, __VA_ARGS__)
#define TORCHTHAW_AND2(SET, A, B, ...) TORCHTHAW_AND1(SET, A, __VA_ARGS__) AT_DISPATCH_CASE(B, __VA_ARGS__)
#define TORCHTHAW_AND3(SET, A, B, C, ...) TORCHTHAW_AND2(SET, A, B, __VA_ARGS__) AT_DISPATCH_CASE(C, __VA_ARGS__)
#define TORCHTHAW_AND4(SET, A, B, C, D, ...) TORCHTHAW_AND3(SET, A, B, C, __VA_ARGS__) AT_DISPATCH_CASE(D, __VA_ARGS__)
#define TORCHTHAW_AND5(SET, A, B, C, D, E, ...) TORCHTHAW_AND4(SET, A, B, C, D, __VA_ARGS__) AT_DISPATCH_CASE(E, __VA_ARGS__)
#define TORCHTHAW_AND6(SET, A, B, C, D, E, F, ...)                                                                     \
    TORCHTHAW_AND5(SET, A, B, C, D, E, __VA_ARGS__) AT_DISPATCH_CASE(F, __VA_ARGS__)
#define TORCHTHAW_AND7(SET, A, B, C, D, E, F, G, ...)                                                                  \
    TORCHTHAW_AND6(SET, A, B, C, D, E, F, __VA_ARGS__) AT_DISPATCH_CASE(G, __VA_ARGS__)
#define TORCHTHAW_AND8(SET, A, B, C, D, E, F, G, H, ...)                                                               \
    TORCHTHAW_AND7(SET, A, B, C, D, E, F, G, __VA_ARGS__) AT_DISPATCH_CASE(H, __VA_ARGS__)

#define AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(...) TORCHTHAW_AND1(AT_DISPATCH_CASE_FLOATING_TYPES, ::at::kHalf, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND(A, ...) TORCHTHAW_AND1(AT_DISPATCH_CASE_FLOATING_TYPES, A, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND2(A, B, ...) TORCHTHAW_AND2(AT_DISPATCH_CASE_FLOATING_TYPES, A, B, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND3(A, B, C, ...)                                                             \
    TORCHTHAW_AND3(AT_DISPATCH_CASE_FLOATING_TYPES, A, B, C, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND4(A, B, C, D, ...)                                                          \
    TORCHTHAW_AND4(AT_DISPATCH_CASE_FLOATING_TYPES, A, B, C, D, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES_AND(A, ...) TORCHTHAW_AND1(AT_DISPATCH_CASE_INTEGRAL_TYPES, A, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND(A, ...) TORCHTHAW_AND1(AT_DISPATCH_CASE_ALL_TYPES, A, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND2(A, B, ...) TORCHTHAW_AND2(AT_DISPATCH_CASE_ALL_TYPES, A, B, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND3(A, B, C, ...) TORCHTHAW_AND3(AT_DISPATCH_CASE_ALL_TYPES, A, B, C, __VA_ARGS__)

// The same as functions: AT_DISPATCH_SET_AND2(A, B, type, name, lambda).
#define TORCHTHAW_SWITCH0(SET, TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, SET(__VA_ARGS__))
#define TORCHTHAW_SWITCH1(SET, A, TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, TORCHTHAW_AND1(SET, A, __VA_ARGS__))
#define TORCHTHAW_SWITCH2(SET, A, B, TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, TORCHTHAW_AND2(SET, A, B, __VA_ARGS__))
#define TORCHTHAW_SWITCH3(SET, A, B, C, TYPE, NAME, ...)                                                               \
    AT_DISPATCH_SWITCH(TYPE, NAME, TORCHTHAW_AND3(SET, A, B, C, __VA_ARGS__))
#define TORCHTHAW_SWITCH4(SET, A, B, C, D, TYPE, NAME, ...)                                                            \
    AT_DISPATCH_SWITCH(TYPE, NAME, TORCHTHAW_AND4(SET, A, B, C, D, __VA_ARGS__))
#define TORCHTHAW_SWITCH5(SET, A, B, C, D, E, TYPE, NAME, ...)                                                         \
    AT_DISPATCH_SWITCH(TYPE, NAME, TORCHTHAW_AND5(SET, A, B, C, D, E, __VA_ARGS__))
#define TORCHTHAW_SWITCH6(SET, A, B, C, D, E, F, TYPE, NAME, ...)                                                      \
    AT_DISPATCH_SWITCH(TYPE, NAME, TORCHTHAW_AND6(SET, A, B, C, D, E, F, __VA_ARGS__))
#define TORCHTHAW_SWITCH7(SET, A, B, C, D, E, F, G, TYPE, NAME, ...)                                                   \
    AT_DISPATCH_SWITCH(TYPE, NAME, TORCHTHAW_AND7(SET, A, B, C, D, E, F, G, __VA_ARGS__))
#define TORCHTHAW_SWITCH8(SET, A, B, C, D, E, F, G, H, TYPE, NAME, ...)                                                \
    AT_DISPATCH_SWITCH(TYPE, NAME, TORCHTHAW_AND8(SET, A, B, C, D, E, F, G, H, __VA_ARGS__))

#define AT_DISPATCH_FLOATING_TYPES(...) TORCHTHAW_SWITCH0(AT_DISPATCH_CASE_FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(...) TORCHTHAW_SWITCH0(AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(...) TORCHTHAW_SWITCH1(AT_DISPATCH_CASE_FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(...) TORCHTHAW_SWITCH2(AT_DISPATCH_CASE_FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND3(...) TORCHTHAW_SWITCH3(AT_DISPATCH_CASE_FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND4(...) TORCHTHAW_SWITCH4(AT_DISPATCH_CASE_FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND5(...) TORCHTHAW_SWITCH5(AT_DISPATCH_CASE_FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(...) TORCHTHAW_SWITCH0(AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES(...) TORCHTHAW_SWITCH0(AT_DISPATCH_CASE_COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES_AND(...) TORCHTHAW_SWITCH1(AT_DISPATCH_CASE_COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(...) TORCHTHAW_SWITCH0(AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND1(...) TORCHTHAW_SWITCH1(AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(...) TORCHTHAW_SWITCH2(AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND3(...) TORCHTHAW_SWITCH3(AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND4(...) TORCHTHAW_SWITCH4(AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND5(...) TORCHTHAW_SWITCH5(AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND6(...) TORCHTHAW_SWITCH6(AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(...) TORCHTHAW_SWITCH0(AT_DISPATCH_CASE_INTEGRAL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND(...) TORCHTHAW_SWITCH1(AT_DISPATCH_CASE_INTEGRAL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(...) TORCHTHAW_SWITCH0(AT_DISPATCH_CASE_ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_HALF(...) TORCHTHAW_SWITCH1(AT_DISPATCH_CASE_ALL_TYPES, ::at::kHalf, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(...) TORCHTHAW_SWITCH1(AT_DISPATCH_CASE_ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(...) TORCHTHAW_SWITCH2(AT_DISPATCH_CASE_ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND3(...) TORCHTHAW_SWITCH3(AT_DISPATCH_CASE_ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND4(...) TORCHTHAW_SWITCH4(AT_DISPATCH_CASE_ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND5(...) TORCHTHAW_SWITCH5(AT_DISPATCH_CASE_ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND6(...) TORCHTHAW_SWITCH6(AT_DISPATCH_CASE_ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND7(...) TORCHTHAW_SWITCH7(AT_DISPATCH_CASE_ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(...) TORCHTHAW_SWITCH0(AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND(...) TORCHTHAW_SWITCH1(AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(...) TORCHTHAW_SWITCH2(AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(...) TORCHTHAW_SWITCH3(AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(...) TORCHTHAW_SWITCH4(AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND5(...) TORCHTHAW_SWITCH5(AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND6(...) TORCHTHAW_SWITCH6(AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND7(...) TORCHTHAW_SWITCH7(AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND8(...) TORCHTHAW_SWITCH8(AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...)                                                                       \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_PRIVATE_CASE_TYPE_USING_HINT(::at::ScalarType::Int, index_t, __VA_ARGS__)        \
                                       AT_PRIVATE_CASE_TYPE_USING_HINT(::at::ScalarType::Long, index_t, __VA_ARGS__))
