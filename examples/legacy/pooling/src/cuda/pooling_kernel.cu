/* src/cuda/pooling_kernel.cu: one thread for each output of pooling, and for each value of unpooling. */
#include <stdio.h>
#include <stdlib.h>
#include "pooling_kernel.h"

#define THREADS 256

__global__ void pool(const float *input, float *output, int64_t *indices, long count, long height, long width,
                     long out_height, long out_width, int kernel, int stride)
{
  long at = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= count)
    return;
  long x = at % out_width * stride, y = at / out_width % out_height * stride;
  const float *image = input + at / (out_width * out_height) * height * width;
  long best = y * width + x;
  for (long row = y; row < y + kernel; row++)
    for (long column = x; column < x + kernel; column++)
      if (image[row * width + column] > image[best])
        best = row * width + column;
  output[at] = image[best];
  indices[at] = best;
}

__global__ void unpool(const float *values, const int64_t *indices, float *output, long count, long size, long out_size)
{
  long at = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count)
    atomicAdd(output + at / size * out_size + indices[at], values[at]);
}

static void check(void)
{
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "pooling: %s\n", cudaGetErrorString(error));
    exit(-1);
  }
}

void pool_launch(const float *input, float *output, int64_t *indices, long count, long height, long width,
                 long out_height, long out_width, int kernel, int stride, cudaStream_t stream)
{
  pool<<<(count + THREADS - 1) / THREADS, THREADS, 0, stream>>>(input, output, indices, count, height, width,
                                                                out_height, out_width, kernel, stride);
  check();
}

void unpool_launch(const float *values, const int64_t *indices, float *output, long count, long size, long out_size,
                   cudaStream_t stream)
{
  unpool<<<(count + THREADS - 1) / THREADS, THREADS, 0, stream>>>(values, indices, output, count, size, out_size);
  check();
}
