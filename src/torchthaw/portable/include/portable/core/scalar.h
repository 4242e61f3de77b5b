// portable/core/scalar.h: c10::Scalar, a number of any element type. The layout is PyTorch's of 2.4 to 2.15.
#pragma once
#include "complex.h"
#include "sizes.h"

namespace c10 {

class Scalar {
  public:
    Scalar() = default;
    Scalar(const Scalar &other) { *this = other; }
    Scalar &operator=(const Scalar &other) {
        tag_ = other.tag_;
        std::memcpy(static_cast<void *>(&value_), &other.value_, sizeof value_);
        return *this;
    }
    ~Scalar() {}  // not trivial, as PyTorch's, which may hold a symbolic number

    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    Scalar(T number) {
        if constexpr (std::is_same_v<T, bool>) {
            tag_ = Tag::boolean;
            value_.integer = number;
        } else if constexpr (std::is_integral_v<T>) {
            value_.integer = static_cast<int64_t>(number);
            if (std::is_unsigned_v<T> && value_.integer < 0) tag_ = Tag::unsigned_integer;
        } else {
            tag_ = Tag::real;
            value_.real = static_cast<double>(number);
        }
    }
    Scalar(Half number) : Scalar(static_cast<double>(static_cast<float>(number))) {}
    Scalar(BFloat16 number) : Scalar(static_cast<double>(static_cast<float>(number))) {}
    Scalar(c10::complex<double> number) : tag_(Tag::complex) { value_.complex = number; }
    Scalar(c10::complex<float> number) : Scalar(c10::complex<double>(number.real(), number.imag())) {}

    bool isFloatingPoint() const { return tag_ == Tag::real; }
    bool isComplex() const { return tag_ == Tag::complex; }
    bool isBoolean() const { return tag_ == Tag::boolean; }
    bool isIntegral(bool includeBool) const {
        return tag_ == Tag::integer || tag_ == Tag::unsigned_integer || (includeBool && isBoolean());
    }

    /// Raises c10::Error where T cannot hold the number: "value cannot be converted to type int without overflow".
    template <class T>
    T to() const;
    double toDouble() const { return to<double>(); }
    float toFloat() const { return to<float>(); }
    int64_t toLong() const { return to<int64_t>(); }
    int toInt() const { return to<int>(); }
    bool toBool() const { return to<bool>(); }
    Half toHalf() const { return to<Half>(); }
    c10::complex<double> toComplexDouble() const { return to<c10::complex<double>>(); }
    double imag() const { return isComplex() ? value_.complex.imag() : 0; }

    Scalar operator-() const {
        if (isComplex()) return -value_.complex;
        if (isFloatingPoint()) return -value_.real;
        TORCH_CHECK(!isBoolean(), "torch boolean negative, the `-` operator, is not supported.");
        return -value_.integer;
    }
    ScalarType type() const {
        return isComplex()        ? ScalarType::ComplexDouble
               : isFloatingPoint() ? ScalarType::Double
               : isBoolean()       ? ScalarType::Bool
                                   : ScalarType::Long;
    }
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    bool operator==(T number) const {
        return isFloatingPoint() ? value_.real == static_cast<double>(number) : toLong() == static_cast<int64_t>(number);
    }
    bool equal(double number) const { return *this == number; }

  private:
    // In PyTorch's order; symbolic numbers follow there.
    enum class Tag { real, integer, unsigned_integer, complex, boolean } tag_ = Tag::integer;
    union Value {
        double real;
        int64_t integer;
        c10::complex<double> complex;
        void *symbolic;
        Value() : integer(0) {}
    } value_;
};

template <class T>
T Scalar::to() const {
    if constexpr (std::is_same_v<T, c10::complex<double>> || std::is_same_v<T, c10::complex<float>>) {
        if (isComplex()) return T(value_.complex.real(), value_.complex.imag());
        return T(to<double>());
    } else if constexpr (std::is_same_v<T, bool>) {
        return isFloatingPoint() ? value_.real != 0 : value_.integer != 0;
    } else if constexpr (std::is_integral_v<T>) {
        const double real = isComplex() ? value_.complex.real() : value_.real;
        if (isComplex() || isFloatingPoint()) {
            TORCH_CHECK(std::isfinite(real) && real >= static_cast<double>(std::numeric_limits<T>::lowest()) - 1 &&
                            real <= static_cast<double>(std::numeric_limits<T>::max()),
                        "value cannot be converted to type ", CppTypeToScalarType<T>::value, " without overflow");
            return static_cast<T>(real);
        }
        const T number = static_cast<T>(value_.integer);
        TORCH_CHECK(std::is_unsigned_v<T> || static_cast<int64_t>(number) == value_.integer,
                    "value cannot be converted to type ", CppTypeToScalarType<T>::value, " without overflow");
        return number;
    } else {
        const double real = isComplex()                        ? value_.complex.real()
                            : isFloatingPoint()                ? value_.real
                            : tag_ == Tag::unsigned_integer ? static_cast<double>(static_cast<uint64_t>(value_.integer))
                                                               : static_cast<double>(value_.integer);
        return static_cast<T>(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(real));
    }
}

inline std::ostream &operator<<(std::ostream &out, const Scalar &number) {
    if (number.isComplex()) return out << number.toComplexDouble();
    if (number.isFloatingPoint()) return out << number.toDouble();
    return number.isBoolean() ? out << (number.toBool() ? "true" : "false") : out << number.toLong();
}
}  // namespace c10
