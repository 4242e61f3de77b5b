// cuda_on_cpu/cub/segments.h: reductions of a part of an array, and runs of equal keys.
#pragma once

#include <cub/util_type.cuh>

namespace cuda_on_cpu {

// What op gives of the initial value and values[begin] to values[end - 1].
template <typename In, typename Op, typename T> auto fold(In values, size_t begin, size_t end, Op op, T initial) {
    Total<Op, T, ValueOf<In>> total = initial;
    for (size_t i = begin; i < end; i++) total = op(total, values[i]);
    return total;
}

// The place from begin on, and the value, that op chooses; the place 1 and the limit where there is none.
template <typename In, typename Op, typename T> auto arg(In values, size_t begin, size_t end, Op op, T limit) {
    using Pair = cub::KeyValuePair<int, ValueOf<In>>;
    Pair found = begin < end ? Pair(0, values[begin]) : Pair(1, limit);
    for (size_t i = begin + 1; i < end; i++) found = op(found, Pair(int(i - begin), values[i]));
    return found;
}

template <typename Keys, typename Equal> size_t end_of_run(Keys keys, size_t begin, size_t n, Equal equal) {
    size_t end = begin + 1;
    while (end < n && equal(keys[end - 1], keys[end])) end++;
    return end;
}

}  // namespace cuda_on_cpu
