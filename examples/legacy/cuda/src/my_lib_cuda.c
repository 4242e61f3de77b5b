#include <THC/THC.h>

#include "add_kernel.h"

/* this symbol will be resolved automatically from PyTorch libs */
extern THCState *state;

int my_lib_add_forward_cuda(THCudaTensor *input1, THCudaTensor *input2, THCudaTensor *output)
{
  THArgCheck(THCudaTensor_checkGPU(state, 3, input1, input2, output), 1, "tensors are on different GPUs");
  if (!THCudaTensor_isSameSizeAs(state, input1, input2))
    return 0;
  THCudaTensor_resizeAs(state, output, input1);
  input1 = THCudaTensor_newContiguous(state, input1);
  input2 = THCudaTensor_newContiguous(state, input2);
  add_kernel_launch(THCudaTensor_data(state, input1), THCudaTensor_data(state, input2),
                    THCudaTensor_data(state, output), THCudaTensor_nElement(state, output),
                    THCState_getCurrentStream(state));
  THCudaTensor_free(state, input1);
  THCudaTensor_free(state, input2);
  return 1;
}

int my_lib_sum_cuda(THCudaTensor *input, float *sum)
{
  *sum = THCudaTensor_sumall(state, input);
  return 1;
}
