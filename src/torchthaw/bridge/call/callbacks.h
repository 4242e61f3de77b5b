/* callbacks.h: what a Python function raises that C called back, raised by the call that C is in. */
#pragma once

#include "bridge/python.h"

namespace bridge {

/* A call from Python to C in this thread. cffi hands exceptions of callbacks to sys.unraisablehook, which is this one's
 * for as long as there is such a call; what else comes there goes on to the hook from before. */
class CallbackScope {
public:
    CallbackScope();
    ~CallbackScope();
    CallbackScope(const CallbackScope &) = delete;

    /* False, with an exception set, where the exceptions of callbacks would be lost. */
    bool has_entered() const { return has_entered_; }

    /* Raises the first exception of a callback in place of any that is set. Whether there was one. */
    bool raise();

    /* Whether the exception is kept for raise(). `unraisable`: the argument of sys.unraisablehook. */
    bool keep(PyObject *unraisable);

private:
    CallbackScope *outer_;
    Ref error_;
    bool has_entered_ = true;
};

/* Makes what CallbackScope needs. False with an exception set. */
bool prepare_callbacks();

}  // namespace bridge
