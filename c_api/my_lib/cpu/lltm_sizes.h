// c_api/my_lib/cpu/lltm_sizes.h: the size checks that the entry points of one step and of sequences share.
#pragma once

#include "arguments.h"
#include "workspace.h"

namespace my_lib {

// All arrays of one step, and its packed operand, fit in memory.
template <typename T> bool check_lltm_sizes(int64_t batch, int64_t input_size, int64_t state_size) {
    int64_t gate_size = 0, row_size = 0;
    if (!check_size("batch", batch) || !check_size("input_size", input_size) || !check_size("state_size", state_size))
        return false;
    if (__builtin_mul_overflow(state_size, int64_t{3}, &gate_size) ||
        __builtin_add_overflow(state_size, input_size, &row_size))
        return set_error(MY_LIB_ERROR_SIZE_OVERFLOW,
                         "weights: expected 3 * state_size rows and state_size + input_size columns to fit in int64_t, "
                         "got state_size %lld and input_size %lld",
                         static_cast<long long>(state_size), static_cast<long long>(input_size));
    return check_array_size<T>("weights", {gate_size, row_size}) &&
           check_array_size<T>("input", {batch, input_size}) && check_array_size<T>("gates", {batch, gate_size}) &&
           check_array_size<T>("workspace", {packed_rows<T>(batch, row_size), row_size});
}

}  // namespace my_lib
