/* src/pooling_cuda.c: pooling and unpooling on the GPU, for float. Return 1. */
#include <THC/THC.h>
#include "cuda/pooling_kernel.h"

extern THCState *state;

int pooling_cuda_forward(THCudaTensor *input, THCudaTensor *output, THCudaLongTensor *indices, int kernel, int stride)
{
  THArgCheck(input->nDimension == 4, 1, "expected a batch of images (4D), got %dD", input->nDimension);
  THArgCheck(kernel > 0, 4, "expected a positive kernel, got %d", kernel);
  THArgCheck(stride > 0, 5, "expected a positive stride, got %d", stride);
  THArgCheck(input->size[2] >= kernel && input->size[3] >= kernel, 1, "images are smaller than the kernel, %d", kernel);

  long height = input->size[2], width = input->size[3];
  long out_height = (height - kernel) / stride + 1, out_width = (width - kernel) / stride + 1;
  THCudaTensor_resize4d(state, output, input->size[0], input->size[1], out_height, out_width);
  THCudaLongTensor_resize4d(state, indices, input->size[0], input->size[1], out_height, out_width);
  input = THCudaTensor_newContiguous(state, input);
  pool_launch(THCudaTensor_data(state, input), THCudaTensor_data(state, output), THCudaLongTensor_data(state, indices),
              THCudaTensor_nElement(state, output), height, width, out_height, out_width, kernel, stride,
              THCState_getCurrentStream(state));
  THCudaTensor_free(state, input);
  return 1;
}

int pooling_cuda_unpool(THCudaTensor *values, THCudaLongTensor *indices, THCudaTensor *output, int height, int width)
{
  THArgCheck(values->nDimension == 4, 1, "expected a batch of images (4D), got %dD", values->nDimension);
  long size = values->size[2] * values->size[3];
  THCudaTensor_resize4d(state, output, values->size[0], values->size[1], height, width);
  THCudaTensor_zero(state, output);
  values = THCudaTensor_newContiguous(state, values);
  indices = THCudaLongTensor_newContiguous(state, indices);
  unpool_launch(THCudaTensor_data(state, values), THCudaLongTensor_data(state, indices),
                THCudaTensor_data(state, output), THCudaTensor_nElement(state, values), size, (long)height * width,
                THCState_getCurrentStream(state));
  THCudaLongTensor_free(state, indices);
  THCudaTensor_free(state, values);
  return 1;
}
