/* src/linear_cuda.c: a linear layer with a leaky ReLU, for float on the GPU. The outputs are resized. Return 1. */
#include <THC/THC.h>

#include "linear_kernel.h"

extern THCState *state;

/* output (n x out) = leaky(input (n x in) * weight (out x in)' + bias (out)) */
int linear_cuda_forward(THCudaTensor *input, THCudaTensor *weight, THCudaTensor *bias, THCudaTensor *output,
                        float slope)
{
  THArgCheck(THCudaTensor_checkGPU(state, 4, input, weight, bias, output), 1, "tensors are on different GPUs");
  THArgCheck(THCudaTensor_nDimension(state, input) == 2, 1, "expected a matrix, got %dD",
             THCudaTensor_nDimension(state, input));
  THArgCheck(THCudaTensor_nDimension(state, weight) == 2, 2, "expected a matrix, got %dD",
             THCudaTensor_nDimension(state, weight));
  long n = THCudaTensor_size(state, input, 0), in = THCudaTensor_size(state, input, 1);
  long out = THCudaTensor_size(state, weight, 0);
  THArgCheck(THCudaTensor_size(state, weight, 1) == in, 2, "expected %ld columns, got %ld", in,
             (long)THCudaTensor_size(state, weight, 1));

  THCudaTensor_resize2d(state, output, n, out);
  input = THCudaTensor_newContiguous(state, input);
  weight = THCudaTensor_newContiguous(state, weight);
  /* cuBLAS counts along columns first: its matrices are ours, transposed */
  THCudaBlas_Sgemm(state, 't', 'n', out, n, in, 1, THCudaTensor_data(state, weight), in,
                   THCudaTensor_data(state, input), in, 0, THCudaTensor_data(state, output), out);
  THCudaTensor_free(state, weight);
  THCudaTensor_free(state, input);

  THArgCheck(THCudaTensor_nElement(state, bias) == out, 3, "expected %ld values, got %ld", out,
             (long)THCudaTensor_nElement(state, bias));
  bias = THCudaTensor_newContiguous(state, bias);
  leaky_forward(THCudaTensor_data(state, output), THCudaTensor_data(state, bias), n * out, out, slope,
                THCState_getCurrentStream(state));
  THCudaTensor_free(state, bias);
  THCudaCheck(cudaGetLastError());
  return 1;
}

/* The gradients of input, weight and bias. A gradient that is not finite is an error. */
int linear_cuda_backward(THCudaTensor *input, THCudaTensor *weight, THCudaTensor *output, THCudaTensor *grad_output,
                         THCudaTensor *grad_input, THCudaTensor *grad_weight, THCudaTensor *grad_bias, float slope)
{
  THArgCheck(THCudaTensor_checkGPU(state, 7, input, weight, output, grad_output, grad_input, grad_weight, grad_bias),
             1, "tensors are on different GPUs");
  THArgCheck(THCudaTensor_isSameSizeAs(state, output, grad_output), 4, "expected the size of the output");
  cudaStream_t stream = THCState_getCurrentStream(state);
  long n = THCudaTensor_size(state, input, 0), in = THCudaTensor_size(state, input, 1);
  long out = THCudaTensor_size(state, weight, 0);

  THCudaTensor_resizeAs(state, grad_input, input);
  THCudaTensor_resizeAs(state, grad_weight, weight);
  THCudaTensor_resize1d(state, grad_bias, out);
  input = THCudaTensor_newContiguous(state, input);
  weight = THCudaTensor_newContiguous(state, weight);
  output = THCudaTensor_newContiguous(state, output);
  grad_output = THCudaTensor_newContiguous(state, grad_output);
  THCudaTensor *grad = THCudaTensor_newWithSize2d(state, n, out);
  THCudaIntTensor *bad = THCudaIntTensor_newWithSize1d(state, 1);

  THCudaIntTensor_zero(state, bad);
  leaky_backward(THCudaTensor_data(state, grad_output), THCudaTensor_data(state, output),
                 THCudaTensor_data(state, grad), THCudaIntTensor_data(state, bad), n * out, slope, stream);
  THCudaBlas_Sgemm(state, 'n', 'n', in, n, out, 1, THCudaTensor_data(state, weight), in,
                   THCudaTensor_data(state, grad), out, 0, THCudaTensor_data(state, grad_input), in);
  int count = THCudaIntTensor_get1d(state, bad, 0);
  if (count == 0) {
    THCudaBlas_Sgemm(state, 'n', 't', in, out, n, 1, THCudaTensor_data(state, input), in,
                     THCudaTensor_data(state, grad), out, 0, THCudaTensor_data(state, grad_weight), in);
    column_sum(THCudaTensor_data(state, grad), THCudaTensor_data(state, grad_bias), n, out, stream);
  }

  THCudaIntTensor_free(state, bad);
  THCudaTensor_free(state, grad);
  THCudaTensor_free(state, grad_output);
  THCudaTensor_free(state, output);
  THCudaTensor_free(state, weight);
  THCudaTensor_free(state, input);
  if (count != 0)
    THError("%d values of the gradient are not finite", count);
  THCudaCheck(cudaGetLastError());
  return 1;
}
