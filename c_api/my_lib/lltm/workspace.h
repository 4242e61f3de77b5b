// c_api/my_lib/lltm/workspace.h: the size checks that the entry points of one step and of sequences share.
#pragma once

#include "lltm/lltm.h"
#include "gemm/workspace.h"

namespace my_lib {

// All arrays of one step, and its packed operand, fit in memory.
template <typename T> bool check_packed_lltm_sizes(int64_t batch, int64_t input_size, int64_t state_size) {
    if (!check_lltm_sizes<T>(batch, input_size, state_size)) return false;
    const int64_t row_size = state_size + input_size;
    return check_array_size<T>("workspace", {packed_rows<T>(batch, row_size), row_size});
}

}  // namespace my_lib
