// portable/python/stl/complex.h: pybind11/complex.h: std::complex as Python's complex.
#pragma once
#include "portable/python/numpy/buffer.h"
#include "portable/python/module.h"

#include <complex>

namespace pybind11 {

template <class T> struct format_descriptor<std::complex<T>, std::enable_if_t<std::is_floating_point_v<T>>> {
    static constexpr char c = detail::format_character<T>();
    static constexpr char value[3] = {'Z', c, 0};
    static std::string format() { return value; }
};

namespace detail {

template <class T> struct caster<std::complex<T>> {
    static bool load(PyObject *source, std::complex<T> &value, bool convert) {
        double real, imaginary;
        if (!load_complex(source, real, imaginary, convert)) return false;
        value = {static_cast<T>(real), static_cast<T>(imaginary)};
        return true;
    }
    static PyObject *make(const std::complex<T> &value, return_value_policy, handle) {
        return PyComplex_FromDoubles(static_cast<double>(value.real()), static_cast<double>(value.imag()));
    }
    static constexpr auto name =
        io_name("typing.SupportsComplex | typing.SupportsFloat | typing.SupportsIndex", "complex");
};

}  // namespace detail
}  // namespace pybind11
