// benchmarks/peers/thc_call_kernel.cu: a launch, and nothing that takes time behind it.
__global__ void nothing(const float *, const float *, float *) {}

extern "C" void launch_nothing(const float *input1, const float *input2, float *output, cudaStream_t stream) {
    nothing<<<1, 1, 0, stream>>>(input1, input2, output);
}
