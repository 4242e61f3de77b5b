// c_api/th/reduced.h: the result of a reduction along a dimension.
#pragma once

#include "tensor.h"

#include <algorithm>

namespace th {

// r with t's sizes and size 1 along `dimension`, to be filled; finish() takes that dimension away unless it is to be
// kept (a vector's stays).
template <typename R> class Reduced {
public:
    Reduced(Tensor<R> *r, const AnyTensor *t, int dimension, bool keep) : r_(r), dimension_(dimension), keep_(keep) {
        Buffer<int64_t> size(t->nDimension);
        std::copy(t->size, t->size + t->nDimension, size.get());
        size[dimension] = 1;
        resize<R>(r, Shape{t->nDimension, size.get()});
    }
    operator Tensor<R> *() const { return r_; }
    void finish() {
        if (!keep_) squeeze1d<R>(r_, r_, dimension_);
    }

private:
    Tensor<R> *r_;
    int dimension_;
    bool keep_;
};

}  // namespace th
