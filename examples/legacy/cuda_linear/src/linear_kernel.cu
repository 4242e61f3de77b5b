/* src/linear_kernel.cu: one thread for each value; for the sums, one block for each column. */
#include "linear_kernel.h"

#define THREADS 128

static int blocks(long count)
{
  return (count + THREADS - 1) / THREADS;
}

__global__ void leaky_forward_kernel(float *x, const float *bias, long count, long columns, float slope)
{
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float value = x[i] + bias[i % columns];
    x[i] = value > 0 ? value : slope * value;
  }
}

__global__ void leaky_backward_kernel(const float *grad_output, const float *output, float *grad, int *bad,
                                      long count, float slope)
{
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float value = grad_output[i];
    if (!isfinite(value))
      atomicAdd(bad, 1);
    grad[i] = output[i] > 0 ? value : slope * value;
  }
}

__global__ void column_sum_kernel(const float *x, float *sum, long rows, long columns)
{
  __shared__ float parts[THREADS];
  float part = 0;
  for (long row = threadIdx.x; row < rows; row += THREADS)
    part += x[row * columns + blockIdx.x];
  parts[threadIdx.x] = part;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sum[blockIdx.x] = parts[0];
}

void leaky_forward(float *x, const float *bias, long count, long columns, float slope, cudaStream_t stream)
{
  leaky_forward_kernel<<<blocks(count), THREADS, 0, stream>>>(x, bias, count, columns, slope);
}

void leaky_backward(const float *grad_output, const float *output, float *grad, int *bad, long count, float slope,
                    cudaStream_t stream)
{
  leaky_backward_kernel<<<blocks(count), THREADS, 0, stream>>>(grad_output, output, grad, bad, count, slope);
}

void column_sum(const float *x, float *sum, long rows, long columns, cudaStream_t stream)
{
  column_sum_kernel<<<columns, THREADS, 0, stream>>>(x, sum, rows, columns);
}
