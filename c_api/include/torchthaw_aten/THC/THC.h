/* THC/THC.h: what C++ extensions of PyTorch 0.4 to 1.10 took from THC, over the c10 and ATen of the installed PyTorch.
 *
 * Header-only: every function drops its THCState and works on PyTorch's current device and stream. Tensors are ATen's;
 * there is no THCudaTensor here (extensions built by torch.utils.ffi get those, from other headers of this name).
 */
#ifndef TORCHTHAW_ATEN_THC_H
#define TORCHTHAW_ATEN_THC_H

#include "THCGeneral.h"

#include "THCBlas.h"

#endif
