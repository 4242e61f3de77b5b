/* ATen/CUDAGenerator.h: the header of PyTorch 1.5 by today's name. */
#include <ATen/cuda/CUDAGeneratorImpl.h>
