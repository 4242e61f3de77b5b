/* cooperative_groups/reduce.h: sums and other reductions of a group of lanes; each of them gets the result. */
#ifndef CUDA_ON_CPU_COOPERATIVE_GROUPS_REDUCE_H
#define CUDA_ON_CPU_COOPERATIVE_GROUPS_REDUCE_H

#include <cooperative_groups.h>

namespace cooperative_groups {

#define CUDA_ON_CPU_OPERATION(name, result)                                                                            \
    template <typename T = void> struct name {                                                                         \
        T operator()(T a, T b) const { return result; }                                                                \
    };                                                                                                                 \
    template <> struct name<void> {                                                                                    \
        template <typename T> T operator()(T a, T b) const { return result; }                                          \
    };
CUDA_ON_CPU_OPERATION(plus, T(a + b))
CUDA_ON_CPU_OPERATION(less, b < a ? b : a)
CUDA_ON_CPU_OPERATION(greater, a < b ? b : a)
CUDA_ON_CPU_OPERATION(bit_and, T(a & b))
CUDA_ON_CPU_OPERATION(bit_or, T(a | b))
CUDA_ON_CPU_OPERATION(bit_xor, T(a ^ b))
#undef CUDA_ON_CPU_OPERATION

/* op of the values of all ranks, in their order. */
template <typename Group, typename T, typename Op> T reduce(const Group &group, T value, Op op) {
    T total = group.shfl(value, 0);
    for (unsigned rank = 1; rank < group.size(); ++rank) total = op(total, group.shfl(value, rank));
    return total;
}

}  // namespace cooperative_groups

#endif
