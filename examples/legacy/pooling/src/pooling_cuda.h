int pooling_cuda_forward(THCudaTensor *input, THCudaTensor *output, THCudaLongTensor *indices, int kernel, int stride);
int pooling_cuda_unpool(THCudaTensor *values, THCudaLongTensor *indices, THCudaTensor *output, int height, int width);
