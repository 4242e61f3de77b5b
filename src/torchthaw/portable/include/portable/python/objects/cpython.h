// portable/python/objects/cpython.h: what sources use of CPython besides the limited API of 3.10, by functions that find it.
#pragma once
#include "portable/python/objects/object.h"

namespace pybind11 {
namespace detail {

/// The layout of Python's Py_buffer, which the limited API has from 3.11 on; the same in 3.10.
struct buffer_view {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
};
// CPython's functions of the same names, found in the process.
int get_buffer(PyObject *source, buffer_view *view, int flags);
void release_buffer(buffer_view *view);
PyObject *memoryview_of(const buffer_view *view);
bool has_buffer(PyObject *source);
bool holds_gil();

}  // namespace detail
}  // namespace pybind11

using Py_buffer = pybind11::detail::buffer_view;
#define PyObject_GetBuffer pybind11::detail::get_buffer
#define PyBuffer_Release pybind11::detail::release_buffer
#define PyObject_CheckBuffer pybind11::detail::has_buffer
#define PyMemoryView_FromBuffer pybind11::detail::memoryview_of
#define PyBUF_SIMPLE 0
#define PyBUF_WRITABLE 0x0001
#define PyBUF_FORMAT 0x0004
#define PyBUF_ND 0x0008
#define PyBUF_STRIDES (0x0010 | PyBUF_ND)
#define PyBUF_C_CONTIGUOUS (0x0020 | PyBUF_STRIDES)
#define PyBUF_F_CONTIGUOUS (0x0040 | PyBUF_STRIDES)
#define PyBUF_ANY_CONTIGUOUS (0x0080 | PyBUF_STRIDES)
#define PyBUF_INDIRECT (0x0100 | PyBUF_STRIDES)
#define PyBUF_CONTIG (PyBUF_ND | PyBUF_WRITABLE)
#define PyBUF_CONTIG_RO (PyBUF_ND)
#define PyBUF_STRIDED (PyBUF_STRIDES | PyBUF_WRITABLE)
#define PyBUF_STRIDED_RO (PyBUF_STRIDES)
#define PyBUF_RECORDS (PyBUF_STRIDES | PyBUF_WRITABLE | PyBUF_FORMAT)
#define PyBUF_RECORDS_RO (PyBUF_STRIDES | PyBUF_FORMAT)
#define PyBUF_FULL (PyBUF_INDIRECT | PyBUF_WRITABLE | PyBUF_FORMAT)
#define PyBUF_FULL_RO (PyBUF_INDIRECT | PyBUF_FORMAT)
#define PyBUF_READ 0x100
#define PyBUF_WRITE 0x200

#define PyGILState_Check() (pybind11::detail::holds_gil() ? 1 : 0)
#define PyTuple_GET_SIZE PyTuple_Size
#define PyTuple_GET_ITEM(tuple, i) PyTuple_GetItem(reinterpret_cast<PyObject *>(tuple), i)
#define PyTuple_SET_ITEM PyTuple_SetItem
#define PyList_GET_SIZE PyList_Size
#define PyList_GET_ITEM(list, i) PyList_GetItem(reinterpret_cast<PyObject *>(list), i)
#define PyList_SET_ITEM PyList_SetItem
#define PyFloat_AS_DOUBLE PyFloat_AsDouble
#define PyBytes_AS_STRING PyBytes_AsString
#define PyBytes_GET_SIZE PyBytes_Size
#define PyUnicode_GET_LENGTH PyUnicode_GetLength
