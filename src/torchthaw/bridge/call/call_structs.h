/* call_structs.h: what a call does for C that takes structs of a layer above: torchthaw.legacy has those of TH. */
#pragma once

#include "bridge/values/convert.h"
#include "bridge/values/pinned_storages.h"

namespace bridge {

/* The structs among the arguments and the result of one call. Every function here needs the GIL. */
class CallStructs {
public:
    /* As before the first argument. */
    virtual void clear() = 0;

    /* What has a struct becomes a pointer to it, in the frame where that is the parameter's type. What is on a GPU must
     * be on `device`, -1 before the first. All else is for cffi. */
    virtual Outcome convert(const Argument &argument, int *device) = 0;

    /* Whether an argument was converted. */
    virtual bool holds(PyObject *argument) const = 0;

    /* Holds the memory of them all. False with an exception set. */
    virtual bool hold(HeldMemory *memory) const = 0;

    /* What cffi gets for an argument: a pointer of the struct's own type, which cffi compares with the parameter's.
     * NULL without an exception for one that was not converted. */
    virtual Ref cffi_value(PyObject *argument, PyObject *cast) const = 0;

    /* run(call) while a GPU is the current device of PyTorch and of the library of the structs. */
    virtual Ref on_device(int device, Ref (*run)(void *call), void *call) = 0;

    /* As bridge::raise_pending(), with the exception that C's errors are to the callers of such functions. */
    virtual bool raise_pending() = 0;

    /* A struct that C returned: the argument that it is, else a new object which takes the reference. */
    virtual Ref result(const thaw_function *function, void *pointer) const = 0;

    /* Ends the call: what C changed becomes the arguments'. False with an exception set; if the call has not
     * `succeeded`, none is to be set. */
    virtual bool finish(bool succeeded, const thaw_function *function, PyObject *const *arguments, Py_ssize_t count) = 0;

protected:
    ~CallStructs() = default;
};

}  // namespace bridge
