/* src/linear_kernel.h: what starts the kernels; for C and C++. */
#ifndef LINEAR_KERNEL
#define LINEAR_KERNEL

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x = leaky(x + bias), in place; bias has a value for each column. */
void leaky_forward(float *x, const float *bias, long count, long columns, float slope, cudaStream_t stream);
/* grad = the gradient before the leaky ReLU; *bad grows by the number of values that are not finite. */
void leaky_backward(const float *grad_output, const float *output, float *grad, int *bad, long count, float slope,
                    cudaStream_t stream);
void column_sum(const float *x, float *sum, long rows, long columns, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
