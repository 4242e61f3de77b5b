// c_api/th/math/pointwise.h: elementwise functions that other families use.
#pragma once

#include "th/tensor/tensor.h"

namespace th {

template <typename T> void fill(Tensor<T> *r, T value);
template <typename T> void cadd(Tensor<T> *r, Tensor<T> *t, T value, Tensor<T> *source);
template <typename T> void mul(Tensor<T> *r, Tensor<T> *t, T value);

}  // namespace th
