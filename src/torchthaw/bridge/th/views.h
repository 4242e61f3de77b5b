/* th/views.h: the TH structs among the arguments and results of one call. */
#pragma once

#include "../convert.h"
#include "../held.h"
#include "view.h"

namespace bridge {

/* The views of one call, given back at its end. Every function here needs the GIL. */
class Views {
public:
    ~Views() { clear(); }

    /* As before the first argument. */
    void clear();

    bool empty() const { return first_ == nullptr; }

    /* A tensor or a storage becomes a pointer to its struct, in the frame where that is the parameter's type. What is
     * on a GPU must be on `device`, -1 before the first. All else is for cffi. */
    Outcome convert(const Argument &argument, int *device);

    /* Holds the memory of them all. False with an exception set. */
    bool hold(HeldMemory *memory) const;

    /* Whether an argument is a tensor or a storage that was converted. */
    bool holds(PyObject *argument) const { return find(argument) != nullptr; }

    /* What cffi gets for an argument: a pointer of the struct's own type, which cffi compares with the parameter's.
     * NULL without an exception for what is no view. */
    Ref cffi_value(PyObject *argument, PyObject *cast) const;

    /* A struct that C returned: the argument that it is, else a new torch object which takes the reference. */
    Ref result(const thaw_function *function, void *pointer) const;

    /* Ends the call. False with an exception set; one that is set already stays. */
    bool finish(bool succeeded) { return first_ == nullptr || finish_views(first_, succeeded, &not_owned_); }

    /* Whether C gave up references that it does not own. */
    bool lost_references() const { return not_owned_; }

    /* In debug mode a warning for each argument that C gave up such references to. False with an exception set. */
    bool name_lost_references(const thaw_function *function, PyObject *const *arguments, Py_ssize_t count) const;

private:
    View *find(PyObject *argument) const;
    View *take(PyObject *argument, bool is_storage, bool full);

    View *first_ = nullptr;
    bool not_owned_ = false;
};

}  // namespace bridge
