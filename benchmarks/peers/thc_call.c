/* benchmarks/peers/thc_call.c: see thc_call.h. */
#define _POSIX_C_SOURCE 199309L
#include <THC/THC.h>
#include <time.h>

extern THCState *state;

void launch_nothing(const float *input1, const float *input2, float *output, cudaStream_t stream);

int thc_call(THCudaTensor *input1, THCudaTensor *input2, THCudaTensor *output) {
  launch_nothing(THCudaTensor_data(state, input1), THCudaTensor_data(state, input2), THCudaTensor_data(state, output),
                 THCState_getCurrentStream(state));
  return 1;
}

double thc_call_launch(THCudaTensor *tensor, int count) {
  float *data = THCudaTensor_data(state, tensor);
  cudaStream_t stream = THCState_getCurrentStream(state);
  struct timespec begin, end;
  int i;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (i = 0; i < count; i++)
    launch_nothing(data, data, data, stream);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (end.tv_sec - begin.tv_sec + 1e-9 * (end.tv_nsec - begin.tv_nsec)) / count;
}
