/* structs/arguments.h: the TH structs among the arguments and results of one call. */
#pragma once

#include "bridge/call/call_structs.h"
#include "view.h"

namespace bridge {

/* The views of one call, given back at its end. In debug mode its end warns of each argument that C gave up references
 * to which it does not own. */
class StructArguments final : public CallStructs {
public:
    ~StructArguments() { clear(); }

    void clear() override;
    Outcome convert(const Argument &argument, int *device) override;
    bool holds(PyObject *argument) const override { return find(argument) != nullptr; }
    bool hold(HeldMemory *memory) const override;
    Ref cffi_value(PyObject *argument, PyObject *cast) const override;
    Ref on_device(int device, Ref (*run)(void *call), void *call) override;
    bool raise_pending() override;
    Ref result(const thaw_function *function, void *pointer) const override;
    bool finish(bool succeeded, const thaw_function *function, PyObject *const *arguments, Py_ssize_t count) override;

private:
    View *find(PyObject *argument) const;
    bool name_lost_references(const thaw_function *function, PyObject *const *arguments, Py_ssize_t count) const;

    View *first_ = nullptr;
};

}  // namespace bridge
