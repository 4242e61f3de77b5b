/* exceptions.h: keeps C++ exceptions of a called C function until Python can be told. */
#pragma once

#include "bridge.h"

#include <string>

namespace bridge {

/* run(frame); an exception that leaves it is kept for the calling thread. Returns whether none did. Needs no GIL. */
bool guard(void (*run)(void *frame), void *frame);

/* Whether guard() kept an exception in this thread. If so, it is raised as a Python exception and forgotten. */
bool raise_kept();

/* The same as torch.FatalError. */
bool raise_kept_fatal();

/* What a call kept that nobody asked about, such as one through cffi's lib, is not the next call's. */
void forget_kept();

/* Throws a std::runtime_error. In a parallel region that is not the extension's own, which an exception cannot leave,
 * prints it and aborts. */
[[noreturn]] void throw_error(const std::string &message);

/* Throws one with the text of the Python exception that is set, which is cleared. */
[[noreturn]] void throw_python_error();

/* See thaw_bridge. */
unsigned region_threads(unsigned asked);
void region_member(void *region);
void region_join(thaw_region *region);

/* Loads libth from `path`, and from then on its errors are C++ exceptions. None, or NULL with an exception. */
PyObject *open_th(PyObject *module, PyObject *path);

}  // namespace bridge
