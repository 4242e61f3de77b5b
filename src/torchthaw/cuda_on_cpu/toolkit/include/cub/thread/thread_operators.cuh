// cub/thread/thread_operators.cuh: operations of two values.
#pragma once

#include <cub/util_type.cuh>

namespace cub {

struct Equality {
    template <typename T, typename U> bool operator()(const T &a, const U &b) const { return a == b; }
};
struct Inequality {
    template <typename T, typename U> bool operator()(const T &a, const U &b) const { return a != b; }
};
template <typename EqualityOp> struct InequalityWrapper {
    EqualityOp op;
    InequalityWrapper(EqualityOp op) : op(op) {}
    template <typename T, typename U> bool operator()(const T &a, const U &b) { return !op(a, b); }
};
struct Sum {
    template <typename T, typename U> auto operator()(const T &a, const U &b) const { return a + b; }
};
struct Difference {
    template <typename T, typename U> auto operator()(const T &a, const U &b) const { return a - b; }
};
struct Division {
    template <typename T, typename U> auto operator()(const T &a, const U &b) const { return a / b; }
};
struct Max {
    template <typename T, typename U> std::common_type_t<T, U> operator()(const T &a, const U &b) const {
        return a < b ? b : a;
    }
};
struct Min {
    template <typename T, typename U> std::common_type_t<T, U> operator()(const T &a, const U &b) const {
        return b < a ? b : a;
    }
};
/* Of pairs of a place and a value: the greatest, the least; the first place of equal ones. */
struct ArgMax {
    template <typename T, typename Offset>
    KeyValuePair<Offset, T> operator()(const KeyValuePair<Offset, T> &a, const KeyValuePair<Offset, T> &b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <typename T, typename Offset>
    KeyValuePair<Offset, T> operator()(const KeyValuePair<Offset, T> &a, const KeyValuePair<Offset, T> &b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
template <typename T> struct CastOp {
    template <typename U> T operator()(U &&value) const { return static_cast<T>(std::forward<U>(value)); }
};
template <typename Op> struct SwizzleScanOp {
    Op op;
    explicit SwizzleScanOp(Op op) : op(op) {}
    template <typename T> T operator()(const T &a, const T &b) { return op(b, a); }
};
/* Of pairs of a number of segments and a value: sums of the last segment. */
template <typename Op> struct ReduceBySegmentOp {
    Op op;
    ReduceBySegmentOp(Op op = Op()) : op(op) {}
    template <typename Pair> Pair operator()(const Pair &a, const Pair &b) {
        return Pair(a.key + b.key, b.key ? b.value : op(a.value, b.value));
    }
};
template <typename Op> struct ReduceByKeyOp {
    Op op;
    ReduceByKeyOp(Op op = Op()) : op(op) {}
    template <typename Pair> Pair operator()(const Pair &a, const Pair &b) {
        return Pair(b.key, a.key != b.key ? b.value : op(a.value, b.value));
    }
};

}  // namespace cub
