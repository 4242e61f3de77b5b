/* src/cuda/pooling_kernel.h: what starts the kernels; for C and C++. */
#include <stdint.h>
#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

void pool_launch(const float *input, float *output, int64_t *indices, long count, long height, long width,
                 long out_height, long out_width, int kernel, int stride, cudaStream_t stream);
void unpool_launch(const float *values, const int64_t *indices, float *output, long count, long size, long out_size,
                   cudaStream_t stream);

#ifdef __cplusplus
}
#endif
