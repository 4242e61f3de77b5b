// c_api/my_lib/lltm/workspace.h: the size checks that the CPU's entry points of one step and of sequences share.
#pragma once

#include "gemm/workspace.h"
#include "lltm/lltm.h"

namespace my_lib {

// All arrays of one step, and its packed operand, fit in memory.
template <typename T> bool check_packed_sizes(const LltmSizes &s) {
    return check_sizes<T>(s) &&
           check_array_size<T>("workspace", {packed_rows<T>(s.batch, s.row_size()), s.row_size()});
}

}  // namespace my_lib
