// c_api/th/math/reduced.h: the result of a reduction along a dimension.
#pragma once

#include "th/tensor/tensor.h"

#include <algorithm>
#include <cassert>

namespace th {

// r, or another tensor where r is t, with t's sizes and size 1 along `dimension`, to be filled; finish() takes that
// dimension away unless it is to be kept (a vector's stays), and makes r that tensor.
template <typename R> class Reduced {
public:
    Reduced(Tensor<R> *r, const AnyTensor *t, int dimension, bool keep)
        : r_(r), working_(static_cast<AnyTensor *>(r) == t ? make<R>() : retained(r)), dimension_(dimension),
          keep_(keep) {
        assert(dimension >= 0 && dimension < t->nDimension);
        const Buffer<int64_t> size(t->nDimension);
        std::copy(t->size, t->size + t->nDimension, size.get());
        size[dimension] = 1;
        resize<R>(working_, Shape{t->nDimension, size.get()});
    }
    operator Tensor<R> *() const { return working_; }
    void finish() {
        if (!keep_) squeeze1d<R>(working_, nullptr, dimension_);
        set<R>(r_, working_);
    }

private:
    Tensor<R> *r_;
    Owned<R> working_;
    int dimension_;
    bool keep_;
};

}  // namespace th
