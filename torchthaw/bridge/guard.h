/* guard.h: keeps C++ exceptions of a called C function until Python can be told. */
#pragma once

#include <Python.h>

namespace bridge {

/* run(frame); an exception that leaves it is kept for the calling thread. Returns whether none did. Needs no GIL. */
bool guard(void (*run)(void *frame), void *frame);

/* Whether guard() kept an exception in this thread. If so, it is raised as a Python exception and forgotten. */
bool raise_kept();

/* The same as torch.FatalError. */
bool raise_kept_fatal();

/* Loads libth from `path`, and from then on its errors are C++ exceptions. None, or NULL with an exception. */
PyObject *open_th(PyObject *module, PyObject *path);

}  // namespace bridge
