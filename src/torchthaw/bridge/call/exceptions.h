/* exceptions.h: C++ exceptions of a called C function, pending until Python can be told. */
#pragma once

#include "bridge/bridge.h"

#include <string>

namespace bridge {

/* run(frame); an exception that leaves it is pending in the calling thread. Returns whether none did. Needs no GIL. */
bool guard(void (*run)(void *frame), void *frame);

/* Whether an exception is pending in this thread. If so it becomes the Python exception that is set, whatever was set
 * before: what `fatal` returns, borrowed, perhaps NULL with an exception set; without it RuntimeError or MemoryError. */
bool raise_pending(PyObject *(*fatal)() = nullptr);

/* What is pending since a call through cffi's lib, where nobody asks for it, is not the next call's. */
void forget_pending();

/* Throws a std::runtime_error. In a parallel region that is not the extension's own, which an exception cannot leave,
 * prints it and aborts. */
[[noreturn]] void throw_error(const std::string &message);

/* Throws one with the text of the Python exception that is set, which is cleared. */
[[noreturn]] void throw_python_error();

/* See thaw_bridge. */
unsigned region_threads(unsigned asked);
void region_member(void *region);
void region_join(thaw_region *region);

}  // namespace bridge
