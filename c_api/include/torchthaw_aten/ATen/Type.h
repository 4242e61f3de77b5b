/* ATen/Type.h: what it declared in PyTorch 1.0 is in ATen/ATen.h. */
#include <ATen/ATen.h>
