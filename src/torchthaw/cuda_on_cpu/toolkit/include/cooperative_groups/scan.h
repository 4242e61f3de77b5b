/* cooperative_groups/scan.h: prefix sums, and other prefixes, of a group of lanes. */
#ifndef CUDA_ON_CPU_COOPERATIVE_GROUPS_SCAN_H
#define CUDA_ON_CPU_COOPERATIVE_GROUPS_SCAN_H

#include <cooperative_groups/reduce.h>

namespace cooperative_groups {

/* Of the ranks before this one; T() for the first one. */
template <typename Group, typename T, typename Op = plus<T>> T exclusive_scan(const Group &group, T value, Op op = Op()) {
    T before = T();
    for (unsigned rank = 0; rank + 1 < group.size(); ++rank) {
        const T other = group.shfl(value, rank);
        if (rank < group.thread_rank()) before = rank ? op(before, other) : other;
    }
    return before;
}
/* Of the ranks up to this one. */
template <typename Group, typename T, typename Op = plus<T>> T inclusive_scan(const Group &group, T value, Op op = Op()) {
    const T before = exclusive_scan(group, value, op);
    return group.thread_rank() ? op(before, value) : value;
}

}  // namespace cooperative_groups

#endif
