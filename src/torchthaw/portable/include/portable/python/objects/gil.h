// portable/python/objects/gil.h: scopes that hold or release the GIL, or keep a Python error aside; what runs once.
#pragma once
#include "portable/python/objects/object.h"

namespace pybind11 {

/// Releases the GIL until the end of the scope.
class gil_scoped_release {
    PyThreadState *m_state;
    bool m_is_armed = true;

  public:
    explicit gil_scoped_release(bool = false) : m_state(PyEval_SaveThread()) {}
    /// The GIL is not taken again.
    void disarm() { m_is_armed = false; }
    gil_scoped_release(const gil_scoped_release &) = delete;
    gil_scoped_release &operator=(const gil_scoped_release &) = delete;
    ~gil_scoped_release() {
        if (m_is_armed) PyEval_RestoreThread(m_state);
    }
};

/// Holds the GIL until the end of the scope; also in threads that Python does not know.
class gil_scoped_acquire {
    PyGILState_STATE m_state;

  public:
    gil_scoped_acquire() : m_state(PyGILState_Ensure()) {}
    gil_scoped_acquire(const gil_scoped_acquire &) = delete;
    gil_scoped_acquire &operator=(const gil_scoped_acquire &) = delete;
    ~gil_scoped_acquire() { PyGILState_Release(m_state); }
};

/// Keeps the pending Python error aside until the end of the scope.
class error_scope {
  public:
    PyObject *type, *value, *trace;

    error_scope() { PyErr_Fetch(&type, &value, &trace); }
    error_scope(const error_scope &) = delete;
    error_scope &operator=(const error_scope &) = delete;
    ~error_scope() { PyErr_Restore(type, value, trace); }
};

/// Keeps other threads from objects where Python has no GIL; portable extensions need the GIL.
class scoped_critical_section {
  public:
    explicit scoped_critical_section(handle, handle = {}) {}
    scoped_critical_section(const scoped_critical_section &) = delete;
    scoped_critical_section &operator=(const scoped_critical_section &) = delete;
};

/// A value that the first caller makes and nothing destroys. Callers hold the GIL, which the making may release.
template <class T> class gil_safe_call_once_and_store {
    alignas(T) unsigned char m_storage[sizeof(T)] = {};
    bool m_has_value = false;

  public:
    template <class F> gil_safe_call_once_and_store &call_once_and_store_result(F &&make) {
        if (!m_has_value) {
            T made(make());
            if (!m_has_value) new (static_cast<void *>(m_storage)) T(std::move(made));
            m_has_value = true;
        }
        return *this;
    }
    T &get_stored() { return *reinterpret_cast<T *>(m_storage); }
};

}  // namespace pybind11
