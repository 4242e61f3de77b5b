/* convert.h: how one argument gets into the frame, by the kind of its parameter. */
#pragma once

#include "bridge/bridge.h"
#include "bridge/call/check.h"
#include "bridge/python.h"

#include <cstdint>
#include <cstring>

namespace bridge {

/* What became of an argument. FAILED: an exception is set. */
enum Outcome { FAILED, DONE, NEEDS_CFFI };

struct Argument {
    const thaw_parameter &parameter;
    PyObject *object;
    void *place; /* in the frame */

    template <typename T> Outcome store(T value) const {
        std::memcpy(place, &value, sizeof value);
        return DONE;
    }
};

/* Raises why an argument was refused, as torchthaw.bridge.errors or, where there is a `device`,
 * torchthaw.bridge.cuda_errors explains it. An exception that is set becomes the cause. */
Outcome refuse(const Argument &argument, const int *device = nullptr, const char *explainer = "refuse");

/* Raises OverflowError for a number that the C type does not hold, in place of an exception that is set. */
Outcome out_of_range(const Argument &argument);

/* Imports what tells cffi's objects. False with an exception set. */
bool prepare_conversion();

/* Whether `object` is a pointer, array or struct of cffi's. */
bool is_cdata(PyObject *object);

/* The address that cffi would pass for a cdata where C has a pointer of this ctype. False, without an exception, where
 * cffi has to do it: it looks at buffers, and says what is wrong. */
bool cffi_address(PyObject *object, PyObject *ctype, void **address);

/* Whether a cdata is a function; -1 with an exception. */
int is_function(PyObject *object);

/* What is known of memory of cffi's at `address`: the elements of an array, no more than the address of a pointer. False
 * with an exception set. */
bool describe_cdata(PyObject *object, void *address, Array *array);

/* Whether cffi may convert it during the call: that runs no code of its author, and it is no memory that C must not
 * write to. */
bool is_plain_for_cffi(const Argument &argument);

/* Stores an exact int or float that fits the number type of this kind. False, without an exception, for all else. */
bool store_number(int kind, void *place, PyObject *object);

/* Stores an integer that fits the integer type of this kind. False, without an exception, for all else. */
bool store_integer(int kind, void *place, int64_t value);

/* The value at `place`, if this kind is an integer type's. */
bool read_integer(int kind, const void *place, int64_t *value);

/* What store_number left. `is_read`: the frame gets also the value of what is for cffi. */
Outcome convert_integer(const Argument &argument, bool is_read);
Outcome convert_float(const Argument &argument);

/* Memory for the integers of torch.Size and sequence arguments, for buffers' records and for a workspace, for the time of
 * a call. */
class Sizes {
public:
    ~Sizes() {
        if (more_ != nullptr) free_blocks();
    }

    /* NULL with an exception set. */
    int64_t *take(Py_ssize_t count);

    /* Bytes, aligned as C's compilers and vector units like them. NULL with an exception set. */
    void *take_bytes(size_t bytes);

private:
    struct Block {
        Block *next;
    };

    void free_blocks();

    static constexpr Py_ssize_t NEAR = 72; /* five buffers, too */
    int64_t near_[NEAR];
    Py_ssize_t free_ = NEAR;
    Block *more_ = nullptr;
};

struct CallMemory; /* buffers.h */

/* A tensor, or an array with a buffer, as a pointer to its memory; sizes; cffi's pointers; None. Tensors are on `device`,
 * -1 before the first; NULL for the CPU, where buffers are. `array`, if it is not NULL, gets what is known of the array.
 * `code_ran` becomes true if code of the argument's author may have run, which may have moved the memory of other
 * arguments. */
Outcome convert_pointer(const Argument &argument, int *device, CallMemory *memory, Array *array, bool *code_ran);

/* The same for a tensor that was converted before: where its memory is now. Runs no code of anybody else. */
Outcome convert_again(const Argument &argument, int *device, CallMemory *memory, Array *array);

/* What cffi will convert, described as convert_pointer() does. */
Outcome describe_for_cffi(const Argument &argument, Array *array);

/* The Python object for a result of a C function: a number, a text or nothing. */
Ref to_python(int kind, const void *value);

}  // namespace bridge
