/* numpy.h: NumPy's arrays, read where NumPy has them: its own answer about a buffer takes several times as long. */
#pragma once

#include "convert.h"
#include "tensor.h"

namespace bridge {

/* Fills `tensor` from a plain array of NumPy's with a dtype that C has, whose memory C may use as it is; copies the sizes
 * into `sizes`. False, perhaps with an exception set, for everything else: its buffer says more. Needs the GIL. */
bool read_numpy(PyObject *object, bool is_written, Sizes *sizes, Tensor *tensor);

}  // namespace bridge
