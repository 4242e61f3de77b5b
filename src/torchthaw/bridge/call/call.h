/* call.h: one call from Python to C. */
#pragma once

#include "bridge/bridge.h"
#include "bridge/python.h"

namespace bridge {
struct Plan;
}

/* A function as calls need it. */
struct thaw_callable : thaw_function {
    const thaw_module *module;
    bool takes_stream;       /* it works on a GPU */
    bool checked;            /* it is annotated */
    bool takes_sizes;        /* some of its arrays are THAW_SIZES */
    const unsigned char *shape_counts; /* how many shapes each parameter is to have */
    bool leaves_out;         /* in a call by keywords, parameters that the others determine may be left out */
    int made;                /* the first output, where such a call may leave out all of them; -1: it may not */
    const bridge::Ref *names; /* of the parameters, interned, as the names in most calls are */
    PyMethodDef method;      /* what makes the function for Python */
    PyObject *cffi_function; /* lib.<name>, called where an argument needs cffi's conversion */
    PyObject *cffi_types;    /* tuple of the parameters' ctypes */
    PyObject *cast;          /* ffi.cast */
    bool takes_callback;     /* C gets a Python function in some of its parameters */
    bool *has_callback;      /* whether C may have kept one that a function of the extension got */
    const bridge::Plan *plan, *plan_out; /* of the operator's kernels, once they are registered: operators/plan.h */
};

namespace bridge {

/* See thaw_bridge::call. */
PyObject *call(const thaw_callable *function, void *frame, PyObject **scratch, PyObject *const *arguments,
               Py_ssize_t count, PyObject *keywords);

class CallStructs;

/* The same for a function that takes structs, and as many arguments as it has parameters, more if it is variadic.
 * `structs`: of this call alone. May throw std::bad_alloc, before C was called. */
PyObject *call_with_structs(const thaw_callable *function, void *frame, PyObject **scratch, PyObject *const *arguments,
                            Py_ssize_t count, CallStructs *structs);

}  // namespace bridge
