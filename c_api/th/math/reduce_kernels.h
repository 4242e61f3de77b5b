// c_api/th/math/reduce_kernels.h: what neighbouring lines of numbers fold to.
#pragma once

#include "th/runtime/isa.h"
#include "th/tensor/types.h"

namespace th {

// Lines that one call folds at most.
constexpr int64_t most_lines = 1024;

// Folds `lines` lines of n numbers: the i-th number of line j is x[i * stride + j * across], its state states[j]. Lines
// of stride 1 fold in 32 partial states, unless they are to go `in_order`, one number after the other.
using Fold = void (*)(const void *x, int64_t n, int64_t stride, int64_t lines, int64_t across, void *states,
                      const void *parameter, bool in_order);

namespace fold {
struct Sum;
struct Prod;
struct NonZeros;          // their number
struct SumAbsolute;
struct SumSquares;
struct SumSquaresRounded; // each square rounded to the type
struct SumPowers;         // of |x|; parameter: double
struct SumDeviations;     // of (x - mean)^2; parameter: Accumulate<T>[lines], the means
struct LargestAbsolute;
struct Largest;           // the value alone; NaN wins
struct Smallest;
struct Max;               // the first NaN, else the first largest; with its index
struct Min;
}  // namespace fold

template <typename T> struct Extreme {
    T value;
    int64_t index;
};

template <typename Name, typename T> struct FoldState {
    using type = Accumulate<T>;
};
template <typename T> struct FoldState<fold::Largest, T> {
    using type = T;
};
template <typename T> struct FoldState<fold::Smallest, T> {
    using type = T;
};
template <typename T> struct FoldState<fold::Max, T> {
    using type = Extreme<T>;
};
template <typename T> struct FoldState<fold::Min, T> {
    using type = Extreme<T>;
};

BASE_EVERY_ISA(template <typename Name, typename T> Fold fold_lines();)

// r[i] = x[0] + ... + x[i], or the products.
using Scan = void (*)(const void *x, int64_t n, int64_t stride, int64_t lines, int64_t across, void *r,
                      int64_t r_stride, int64_t r_across);
BASE_EVERY_ISA(template <typename Name, typename T> Scan scan_lines();)

}  // namespace th
