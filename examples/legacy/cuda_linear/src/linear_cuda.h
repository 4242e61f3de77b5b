int linear_cuda_forward(THCudaTensor *input, THCudaTensor *weight, THCudaTensor *bias, THCudaTensor *output,
                        float slope);
int linear_cuda_backward(THCudaTensor *input, THCudaTensor *weight, THCudaTensor *output, THCudaTensor *grad_output,
                         THCudaTensor *grad_input, THCudaTensor *grad_weight, THCudaTensor *grad_bias, float slope);
