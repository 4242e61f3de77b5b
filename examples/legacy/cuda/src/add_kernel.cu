#include <stdio.h>
#include <stdlib.h>

#include "add_kernel.h"

#define CUDA_NUM_THREADS 512

__global__ void add_kernel(const float *x, const float *y, float *out, long n)
{
  long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] + y[i];
}

void add_kernel_launch(const float *x, const float *y, float *out, long n, cudaStream_t stream)
{
  int blocks = (n + CUDA_NUM_THREADS - 1) / CUDA_NUM_THREADS;
  cudaError_t err;

  add_kernel<<<blocks, CUDA_NUM_THREADS, 0, stream>>>(x, y, out, n);
  err = cudaGetLastError();
  if (err != cudaSuccess) {
    fprintf(stderr, "cudaCheckError() failed: %s\n", cudaGetErrorString(err));
    exit(-1);
  }
}
