// cuda_on_cpu/ptx/ptx.h: inline PTX, as ptx.py writes it: a function of the statement's registers, and its operands.
#pragma once

#include <cuda_on_cpu/ptx/floats.h>
#include <cuda_on_cpu/ptx/integers.h>
#include <cuda_on_cpu/ptx/memory.h>
#include <cuda_on_cpu/ptx/threads.h>

namespace cuda_on_cpu {
namespace ptx {

// The operands: a register for each, whose bits are those of an expression of the source. As nvcc has it, an expression
// fits if it is of the constraint's size and an integer, a pointer or an enumeration, or else a floating-point number.
template <typename Register, typename T>
constexpr bool fit = sizeof(Register) == sizeof(T) && std::is_floating_point_v<Register> == std::is_floating_point_v<T> &&
                     (std::is_arithmetic_v<T> || std::is_pointer_v<T> || std::is_enum_v<T>);
template <typename Register, typename T> Register bits_of(const T &value) {
    if constexpr (fit<Register, T>) return same_bits<Register>(value);
    else return 0;
}
template <typename Register, bool does_fit> struct In {
    static constexpr bool fits = does_fit;
    Register value;
    void store() const {}
};
template <typename Register, typename T> struct Out {
    static constexpr bool fits = fit<Register, T>;
    T &place;
    Register value;
    void store() const { std::memcpy(static_cast<void *>(&place), &value, sizeof place < sizeof value ? sizeof place : sizeof value); }
};
template <typename Register, typename T> In<Register, fit<Register, T>> in(T value) { return {bits_of<Register>(value)}; }
template <typename T> In<s64, std::is_integral_v<T> || std::is_enum_v<T>> constant(T value) { return {s64(value)}; }
template <typename Register, typename T> Out<Register, T> out(T &place) { return {place, 0}; }
template <typename Register, typename T> Out<Register, T> in_out(T &place) { return {place, bits_of<Register>(place)}; }
// `check` has the assertion that all operands fit, with the text of the statement.
template <typename Check, typename Code, typename... Operands> void run(Check check, Code code, Operands... operands) {
    check(operands...);
    code(operands.value...);
    (operands.store(), ...);
}

}  // namespace ptx
}  // namespace cuda_on_cpu
