/* numpy.cpp: the fields of NumPy's arrays, whose places are its ABI since version 1.7. */
#include "numpy.h"

namespace bridge {

namespace {

/* PyArrayObject_fields of numpy/ndarraytypes.h, and its flags. */
struct NumpyArray {
    PyObject_HEAD
    char *data;
    int nd;
    Py_ssize_t *dimensions, *strides; /* strides count bytes */
    PyObject *base, *descr;
    int flags;
};
enum { C_CONTIGUOUS = 0x1, ALIGNED = 0x100, WRITEABLE = 0x400 };
constexpr unsigned WARN_ON_WRITE = 1U << 31;

struct Dtype {
    PyObject *descr; /* the one object of this dtype in the machine's byte order */
    int code, bits;
};
constexpr int MOST_DTYPES = 16;

PyTypeObject *ndarray; /* NULL until NumPy was imported; NULL for ever if it has its fields elsewhere */
Dtype dtypes[MOST_DTYPES];
int dtype_count;
bool was_tried;

/* Whether the fields of a sample, two by three numbers, are what NumPy says of it. */
bool has_fields(PyObject *sample, unsigned long long address, PyObject *descr, int flags) {
    const auto *array = reinterpret_cast<const NumpyArray *>(sample);
    return array->nd == 2 && reinterpret_cast<uintptr_t>(array->data) == address && array->dimensions[0] == 2 &&
           array->dimensions[1] == 3 && array->strides[0] == 12 && array->strides[1] == 4 && array->descr == descr &&
           array->flags == flags;
}

/* False perhaps with an exception set. */
bool find_numpy() {
    static PyObject *name = nullptr;
    if (name == nullptr) name = PyUnicode_InternFromString("numpy");
    if (was_tried || name == nullptr || Ref(PyImport_GetModule(name)).get() == nullptr) return false;
    Ref found = arrays_py.call("numpy_fields", nullptr);
    if (found == nullptr || found == Py_None) return false;
    was_tried = true;
    if (found == Py_False) return false;
    PyObject *type, *sample, *descr, *rows;
    unsigned long long address;
    int flags;
    if (!PyArg_ParseTuple(found, "OOKOiO", &type, &sample, &address, &descr, &flags, &rows)) return false;
    if (!has_fields(sample, address, descr, flags)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_Size(rows) && i < MOST_DTYPES; ++i) {
        Dtype &dtype = dtypes[i];
        if (!PyArg_ParseTuple(PyTuple_GetItem(rows, i), "Oii", &dtype.descr, &dtype.code, &dtype.bits)) return false;
        dtype_count = static_cast<int>(i) + 1;
    }
    ndarray = reinterpret_cast<PyTypeObject *>(type);
    found.release(); /* its items are used from now on */
    return true;
}

}  // namespace

bool read_numpy(PyObject *object, bool is_written, Sizes *sizes, Tensor *tensor) {
    if (ndarray == nullptr && !find_numpy()) return false;
    if (Py_TYPE(object) != ndarray) return false;
    const auto *array = reinterpret_cast<const NumpyArray *>(object);
    const unsigned wanted = C_CONTIGUOUS | ALIGNED | (is_written ? WRITEABLE : 0);
    if ((static_cast<unsigned>(array->flags) & (wanted | WARN_ON_WRITE)) != wanted) return false;
    int i = 0;
    while (i < dtype_count && dtypes[i].descr != array->descr) ++i;
    if (i == dtype_count) return false;
    int64_t *size = sizes->take(array->nd); /* the array's own go where its shape is assigned to */
    if (size == nullptr) return false;
    tensor->data = array->data;
    tensor->count = 1;
    for (int k = 0; k < array->nd; ++k) tensor->count *= size[k] = array->dimensions[k];
    tensor->device = ON_CPU;
    tensor->dtype_code = dtypes[i].code;
    tensor->dtype_bits = dtypes[i].bits;
    tensor->contiguous = true;
    tensor->dimensions = array->nd;
    tensor->size = size;
    tensor->stride = nullptr;
    return true;
}

}  // namespace bridge
