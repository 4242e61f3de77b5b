// c_api/th/runtime/compat.h: which version's numbers to reproduce, as the environment says. Each variable is read once.
#pragma once

#include "base/once.h"

namespace th {

bool read_torch7();

// TH_COMPAT=7: Torch7's and PyTorch 0.1.12-0.2's numbers, where they differ from 0.3 without a different prototype.
// Error: a value that is neither 7 nor 0.3.
inline bool torch7() {
    static base::Once<bool> chosen;
    return chosen.get(read_torch7);
}

// TH_INDEX_BASE=1: what the original counted from its macro of that name counts from 1, as in Torch7's library:
// positions that index, gather and scatter functions take, cat's name for the last dimension, dimensions in messages.
// Otherwise 0. Error: a value that is neither 0 nor 1.
int index_base();

}  // namespace th
