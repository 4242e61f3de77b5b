/* tests/cuda/probe/kernel.h: what the C file calls. */
#ifdef __cplusplus
extern "C"
#endif
void launch_add(const float *x, const float *y, float *out, long n, cudaStream_t stream);
