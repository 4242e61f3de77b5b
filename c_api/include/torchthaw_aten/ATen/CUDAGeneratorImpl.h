/* ATen/CUDAGeneratorImpl.h: the header of PyTorch 1.6 and 1.7 by today's name. */
#include <ATen/cuda/CUDAGeneratorImpl.h>
