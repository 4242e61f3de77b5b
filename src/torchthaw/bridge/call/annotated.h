/* annotated.h: what a call of an annotated function does besides: parameters left out, checks, the workspace. */
#pragma once

#include "bridge/values/buffers.h"
#include "bridge/values/convert.h"
#include "call.h"
#include "check.h"

#include <cassert>

namespace bridge {

/* The arrays of one call. */
class Annotated {
public:
    /* Where the converter of a parameter describes its array. */
    Array *next(int parameter) {
        assert(count_ < MAX_CHECKED);
        Array *array = &arrays_[count_++];
        array->parameter = parameter;
        return array;
    }

    /* The array of a parameter, NULL if it is none. */
    Array *find(int parameter);

    /* Gives the parameters that were left out, NULL in `arguments`, their values in the frame, and checks all of them.
     * A workspace that was left out lies in `memory`. False with an exception set. */
    bool complete(const thaw_callable *function, char *frame, PyObject *const *arguments, bool some_left_out,
                  CallMemory *memory);

    /* The outputs that were left out: an array, or a tuple of several; NULL: none were. */
    Ref made() { return std::move(made_); }

private:
    bool fill(const thaw_callable *function, char *frame, PyObject *const *arguments, Sizes *sizes);
    bool fill_from(const Array *source, const thaw_callable *function, const thaw_parameter &parameter, char *frame,
                   Sizes *sizes);
    bool make_outputs(const thaw_callable *function, char *frame, CallMemory *memory);
    Ref make(const thaw_callable *function, int index, char *frame, CallMemory *memory);
    bool provide_workspace(const thaw_callable *function, char *frame, PyObject *const *arguments, Sizes *sizes);

    Array arrays_[MAX_CHECKED];
    int count_ = 0;
    Ref made_;
};

}  // namespace bridge
