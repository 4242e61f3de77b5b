// portable/core/sizes.h: views of arrays, and sizes. Their layouts are PyTorch's, since operators take them by value.
#pragma once
#include "error.h"

namespace c10 {

/// A view of an array that somebody else owns, valid as long as that array is.
template <class T>
class ArrayRef : public HeaderOnlyArrayRef<T> {
  public:
    using HeaderOnlyArrayRef<T>::HeaderOnlyArrayRef;
    constexpr ArrayRef() = default;
    constexpr ArrayRef(const HeaderOnlyArrayRef<T> &other) : HeaderOnlyArrayRef<T>(other.data(), other.size()) {}
    template <class Allocator>
    ArrayRef(const std::vector<T, Allocator> &values) : HeaderOnlyArrayRef<T>(values.data(), values.size()) {}

    /// n elements from the one at start.
    ArrayRef slice(size_t start, size_t n) const {
        TORCH_CHECK(start + n <= this->size(), "ArrayRef: invalid slice, N = ", start, "; M = ", n, "; size = ", this->size());
        return ArrayRef(this->data() + start, n);
    }
    ArrayRef slice(size_t start) const { return slice(start, this->size() - start); }
};

template <class T>
std::ostream &operator<<(std::ostream &out, const ArrayRef<T> &values) {
    out << "[";
    for (size_t i = 0; i < values.size(); ++i) out << (i ? ", " : "") << values[i];
    return out << "]";
}

using IntArrayRef = ArrayRef<int64_t>;
using IntList = IntArrayRef;

template <class T>
ArrayRef<T> makeArrayRef(const T &one) {
    return one;
}
template <class T>
ArrayRef<T> makeArrayRef(const T *data, size_t size) {
    return {data, size};
}
template <class T>
ArrayRef<T> makeArrayRef(const std::vector<T> &values) {
    return values;
}

template <class T>
class OptionalArrayRef {
  public:
    constexpr OptionalArrayRef() = default;
    constexpr OptionalArrayRef(std::nullopt_t) {}
    OptionalArrayRef(ArrayRef<T> values) : values_(values) {}
    OptionalArrayRef(const T &one) : values_(ArrayRef<T>(one)) {}
    OptionalArrayRef(const std::vector<T> &values) : values_(ArrayRef<T>(values)) {}
    OptionalArrayRef(std::initializer_list<T> values) : values_(ArrayRef<T>(values)) {}
    OptionalArrayRef(std::optional<ArrayRef<T>> values) : values_(values) {}
    bool has_value() const { return values_.has_value(); }
    explicit operator bool() const { return has_value(); }
    ArrayRef<T> value() const { return values_.value(); }
    ArrayRef<T> operator*() const { return *values_; }
    ArrayRef<T> value_or(ArrayRef<T> other) const { return values_.value_or(other); }

  private:
    std::optional<ArrayRef<T>> values_;
};
using OptionalIntArrayRef = OptionalArrayRef<int64_t>;

template <class T, unsigned N = 6>
using SmallVector = std::vector<T>;
using DimVector = std::vector<int64_t>;

/// An integer, or in PyTorch's tracing a pointer to a symbolic one, which has no way to here. Not trivial, as PyTorch's.
class SymInt {
  public:
    SymInt() = default;
    SymInt(int64_t value) : value_(value) {}
    SymInt(const SymInt &other) : value_(other.value_) {}
    SymInt &operator=(const SymInt &other) = default;
    ~SymInt() {}
    int64_t expect_int() const { return value_; }
    int64_t guard_int(const char *, int64_t) const { return value_; }
    operator int64_t() const { return value_; }

  private:
    int64_t value_ = 0;
};
static_assert(sizeof(SymInt) == sizeof(int64_t), "arrays of sizes are passed as arrays of SymInt");

using SymIntArrayRef = ArrayRef<SymInt>;
using OptionalSymIntArrayRef = OptionalArrayRef<SymInt>;
inline SymIntArrayRef fromIntArrayRefSlow(IntArrayRef sizes) {
    return {reinterpret_cast<const SymInt *>(sizes.data()), sizes.size()};
}
inline SymIntArrayRef fromIntArrayRefUnchecked(IntArrayRef sizes) { return fromIntArrayRefSlow(sizes); }
inline SymIntArrayRef fromIntArrayRefKnownNonNegative(IntArrayRef sizes) { return fromIntArrayRefSlow(sizes); }

/// What operators take that accept a list of tensors in several forms; here it is always an ArrayRef.
template <class T>
class IListRef {
  public:
    IListRef(ArrayRef<T> values) { payload_.unboxed = values; }
    IListRef(const std::vector<T> &values) { payload_.unboxed = values; }
    IListRef(std::initializer_list<T> values) { payload_.unboxed = values; }
    ArrayRef<T> values() const { return payload_.unboxed; }

  private:
    union Payload {
        const void *boxed = nullptr;
        ArrayRef<T> unboxed;
        Payload() {}
    } payload_;
    int tag_ = 0;  // unboxed
};

/// Of integers: ceil(a / b), for a ≥ 0 and b > 0.
template <class T>
constexpr T ceil_div(T a, T b) {
    return (a + b - 1) / b;
}

/// Integers from `first` up to `end`, without it: for (auto i : c10::irange(n)).
template <class T>
class integer_range {
  public:
    struct iterator {
        using iterator_category = std::input_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = T *;
        using reference = T &;
        T value;
        T operator*() const { return value; }
        iterator &operator++() { return ++value, *this; }
        iterator operator++(int) { return {value++}; }
        bool operator==(const iterator &other) const { return value == other.value; }
        bool operator!=(const iterator &other) const { return value != other.value; }
    };
    integer_range(T first, T end) : first_(first), end_(std::max(first, end)) {}
    iterator begin() const { return {first_}; }
    iterator end() const { return {end_}; }

  private:
    T first_, end_;
};
template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
integer_range<T> irange(T end) {
    return {T(0), end};
}
template <class A, class B, std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>, int> = 0>
integer_range<B> irange(A first, B end) {
    return {static_cast<B>(first), end};
}

inline int64_t multiply_integers(IntArrayRef values) {
    return std::accumulate(values.begin(), values.end(), int64_t(1), std::multiplies<>());
}
}  // namespace c10

namespace at {
using TensorList = c10::ArrayRef<Tensor>;
using ITensorListRef = c10::IListRef<Tensor>;
using c10::ceil_div;
}  // namespace at

/// The integer quotient a / b, rounded down; b is not 0.
template <class T>
constexpr T div_rtn(T a, T b) {
    return a / b - T(a % b != 0 && (a % b < 0) != (b < 0));
}
