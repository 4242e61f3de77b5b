/* ATen/SparseTensorUtils.h: the header of PyTorch up to 1.11 by today's name. */
#include <ATen/native/SparseTensorUtils.h>
