/* benchmarks/peers/thc_call.h: a function of an old project, of three tensors; and the launch in it alone. */

/* Launches a kernel that does nothing with the three. */
int thc_call(THCudaTensor *input1, THCudaTensor *input2, THCudaTensor *output);

/* Seconds that the host takes for each of `count` such launches. */
double thc_call_launch(THCudaTensor *tensor, int count);
