// c_api/thc/tensor/tensor.h: what the rest of the library needs of tensors on the GPU, beyond th/tensor.h.
#pragma once

#include "th/tensor/tensor.h"
#include "thc/tensor/storage.h"

namespace th {

// As copy<T, T>, when the numbers of elements are known to agree.
template <typename To, typename From> void copy_on_device(Tensor<To> *self, Tensor<From> *source);

}  // namespace th
