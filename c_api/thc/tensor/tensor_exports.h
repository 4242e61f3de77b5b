// c_api/thc/tensor/tensor_exports.h: what tensor.cpp exports for each type: what TH does, of tensors on GPUs, and more.
#include "th/tensor/tensor_exports.h"

TH_TENSOR_EXPORT(int, getDevice, getDevice<real>, const THTensor *)
TH_TENSOR_EXPORT(cudaTextureObject_t, getTextureObject, getTextureObject<real>, THTensor *)
