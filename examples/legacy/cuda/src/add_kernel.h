#ifndef ADD_KERNEL
#define ADD_KERNEL

#ifdef __cplusplus
extern "C" {
#endif

void add_kernel_launch(const float *x, const float *y, float *out, long n, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
