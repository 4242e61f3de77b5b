// cuda_on_cpu/rounding.h: directions of rounding, and conversions that saturate.
#pragma once

#include <cfenv>
#include <limits>

namespace cuda_on_cpu {
// What `compute` gives in a direction of rounding. Behind a pointer, so that it is not computed before.
template <typename T, typename Compute> T rounded(int direction, Compute compute) {
    const int before = fegetround();
    fesetround(direction);
    Compute *volatile late = &compute;
    const volatile T result = (*late)();
    fesetround(before);
    return result;
}
// An integer from a whole number: the nearest that there is; a NaN is 0.
template <typename I, typename F> I saturated(F x) {
    using Limits = std::numeric_limits<I>;
    if (x != x) return 0;
    if (x <= F(Limits::min())) return Limits::min();
    return x >= F(Limits::max()) ? Limits::max() : I(x);
}
}  // namespace cuda_on_cpu
