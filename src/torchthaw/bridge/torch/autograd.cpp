/* autograd.cpp: what autograd allows to be written, and that it was written. */
#include "bridge/values/tensor.h"

#include <exception>

namespace bridge {

namespace {

/* The tensors whose versions are being incremented, as a Python iterator that nothing has to be allocated for.
 * There is one: PyTorch runs no Python code while it goes through them. */
struct Written {
    PyObject_HEAD
    PyObject *const *next;
    PyObject *const *end;
};

PyObject *written_iter(PyObject *self) { return Ref::borrow(self).release(); }

PyObject *written_next(PyObject *self) {
    auto *written = reinterpret_cast<Written *>(self);
    return written->next == written->end ? nullptr : Ref::borrow(*written->next++).release();
}

Written *new_written() {
    static PyType_Slot slots[] = {{Py_tp_iter, reinterpret_cast<void *>(written_iter)},
                                  {Py_tp_iternext, reinterpret_cast<void *>(written_next)},
                                  {0, nullptr}};
    static PyType_Spec spec = {"torchthaw.bridge._bridge.Written", sizeof(Written), 0, Py_TPFLAGS_DEFAULT, slots};
    const Ref type(PyType_FromSpec(&spec));
    return type == nullptr ? nullptr : PyObject_New(Written, reinterpret_cast<PyTypeObject *>(type.get()));
}

/* Whether `object`, which requires grad, is a leaf or a view of one: 1, 0, or -1 with an exception. */
int is_leaf_or_view(PyObject *object) {
    const int is_leaf = truth(torch.is_leaf(object));
    if (is_leaf != 0) return is_leaf;
    const Ref base = torch.base(object);
    if (base == nullptr || base == Py_None) return base == nullptr ? -1 : 0;
    const int base_is_leaf = truth(torch.is_leaf(base));
    return base_is_leaf > 0 ? requires_grad(base) : base_is_leaf;
}

}  // namespace

int requires_grad(PyObject *object) {
    if (torch.body_requires_grad != nullptr && has_plain_attributes(object)) {
        return torch.body_requires_grad(*body_of(object));
    }
    return truth(torch.requires_grad(object));
}

Py_ssize_t find_protected(PyObject *const *tensors, Py_ssize_t count) {
    /* Grad mode and the attribute requires_grad cost about the same: grad mode comes first where it can save several of
     * the other. */
    const bool is_slow = torch.body_requires_grad == nullptr && count > 1;
    const int grad_enabled = is_slow ? truth(torch.is_grad_enabled(nullptr)) : 1;
    if (grad_enabled <= 0) return grad_enabled == 0 ? count : 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        int is = requires_grad(tensors[i]);
        if (is > 0) is = truth(torch.is_grad_enabled(nullptr));
        if (is > 0) is = is_leaf_or_view(tensors[i]);
        if (is != 0) return i;
    }
    return count;
}

bool bump_versions(PyObject *const *tensors, Py_ssize_t count) {
    if (torch.bump_version != nullptr) {
        try {
            for (; count > 0; --count) torch.bump_version(body_of(*tensors)), ++tensors;
            return true;
        } catch (const std::exception &) { /* an inference tensor: the other function leaves it out, and where there is one come more */
            torch.bump_version = nullptr;
        }
    }
    static Written *written;
    if (written == nullptr && (written = new_written()) == nullptr) return false;
    auto *iterator = reinterpret_cast<PyObject *>(written);
    if (torch.increment_version.is_direct()) {
        written->next = tensors;
        written->end = tensors + count;
        return torch.increment_version(iterator).get() != nullptr;
    }
    const Ref tuple(PyTuple_New(count));
    if (tuple == nullptr) return false;
    for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SetItem(tuple, i, Ref::borrow(tensors[i]).release());
    return torch.increment_version(tuple).get() != nullptr;
}

}  // namespace bridge
