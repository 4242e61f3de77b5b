// c_api/th/tensor/aliasing.cpp: whether a tensor's elements lie apart.
#include "th/tensor/aliasing.h"

namespace th {

bool elements_are_distinct(const AnyTensor *t) {
    // From the smallest stride to the largest, each must be longer than all that smaller ones reach.
    int64_t reach = 0, previous = 0;
    for (;;) {
        int64_t stride = INT64_MAX, extent = 0;
        for (int d = 0; d < t->nDimension; d++) {
            if (t->size[d] == 1 || t->stride[d] > stride) continue;
            if (t->stride[d] <= 0 || t->stride[d] == stride) return false;
            if (t->stride[d] <= previous) continue;
            stride = t->stride[d];
            extent = (t->size[d] - 1) * stride;
        }
        if (stride == INT64_MAX) return true;
        if (stride <= reach) return false;
        reach += extent;
        previous = stride;
    }
}

}  // namespace th
