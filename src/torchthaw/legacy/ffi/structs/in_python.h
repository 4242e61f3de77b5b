/* structs/in_python.h: the half of this folder that is written in Python. */
#pragma once

#include "bridge/python.h"

namespace bridge {

inline PythonModule th_py{"torchthaw.legacy.ffi.structs"};

/* torch.FatalError, which C's errors are, borrowed; NULL with an exception set. */
inline PyObject *fatal_error() {
    static PyObject *type = nullptr;
    if (type == nullptr) type = th_py.attribute("FatalError").release();
    return type;
}

}  // namespace bridge
