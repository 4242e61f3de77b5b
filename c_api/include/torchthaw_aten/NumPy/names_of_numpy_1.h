/* names_of_numpy_1.h: flags and types of arrays by their names until NumPy 1.26, and functions that take any PyObject *.
 *
 * NumPy 1.7 gave the flags and types other names; NumPy 2 removed the old ones. Until then functions such as PyArray_NDIM
 * were macros, unless NPY_NO_DEPRECATED_API was defined: they took a PyObject *, as do these. A source without such names
 * compiles to the same object code.
 */
#ifndef TORCHTHAW_NAMES_OF_NUMPY_1_H
#define TORCHTHAW_NAMES_OF_NUMPY_1_H

#define NPY_CONTIGUOUS NPY_ARRAY_C_CONTIGUOUS
#define NPY_C_CONTIGUOUS NPY_ARRAY_C_CONTIGUOUS
#define NPY_FORTRAN NPY_ARRAY_F_CONTIGUOUS
#define NPY_F_CONTIGUOUS NPY_ARRAY_F_CONTIGUOUS
#define NPY_OWNDATA NPY_ARRAY_OWNDATA
#define NPY_FORCECAST NPY_ARRAY_FORCECAST
#define NPY_ENSURECOPY NPY_ARRAY_ENSURECOPY
#define NPY_ENSUREARRAY NPY_ARRAY_ENSUREARRAY
#define NPY_ELEMENTSTRIDES NPY_ARRAY_ELEMENTSTRIDES
#define NPY_ALIGNED NPY_ARRAY_ALIGNED
#define NPY_NOTSWAPPED NPY_ARRAY_NOTSWAPPED
#define NPY_WRITEABLE NPY_ARRAY_WRITEABLE
#define NPY_BEHAVED NPY_ARRAY_BEHAVED
#define NPY_BEHAVED_NS NPY_ARRAY_BEHAVED_NS
#define NPY_CARRAY NPY_ARRAY_CARRAY
#define NPY_CARRAY_RO NPY_ARRAY_CARRAY_RO
#define NPY_FARRAY NPY_ARRAY_FARRAY
#define NPY_FARRAY_RO NPY_ARRAY_FARRAY_RO
#define NPY_DEFAULT NPY_ARRAY_DEFAULT
#define NPY_IN_ARRAY NPY_ARRAY_IN_ARRAY
#define NPY_OUT_ARRAY NPY_ARRAY_OUT_ARRAY
#define NPY_INOUT_ARRAY NPY_ARRAY_INOUT_ARRAY2
#define NPY_IN_FARRAY NPY_ARRAY_IN_FARRAY
#define NPY_OUT_FARRAY NPY_ARRAY_OUT_FARRAY
#define NPY_INOUT_FARRAY NPY_ARRAY_INOUT_FARRAY2
#define NPY_UPDATE_ALL NPY_ARRAY_UPDATE_ALL
/* Written back when the copy is freed, with a RuntimeWarning unless PyArray_ResolveWritebackIfCopy was called. */
#define NPY_UPDATEIFCOPY NPY_ARRAY_WRITEBACKIFCOPY
#define NPY_ARRAY_UPDATEIFCOPY NPY_ARRAY_WRITEBACKIFCOPY

#define PyArray_BOOL NPY_BOOL
#define PyArray_BYTE NPY_BYTE
#define PyArray_UBYTE NPY_UBYTE
#define PyArray_SHORT NPY_SHORT
#define PyArray_USHORT NPY_USHORT
#define PyArray_INT NPY_INT
#define PyArray_UINT NPY_UINT
#define PyArray_LONG NPY_LONG
#define PyArray_ULONG NPY_ULONG
#define PyArray_LONGLONG NPY_LONGLONG
#define PyArray_ULONGLONG NPY_ULONGLONG
#define PyArray_FLOAT NPY_FLOAT
#define PyArray_DOUBLE NPY_DOUBLE
#define PyArray_CFLOAT NPY_CFLOAT
#define PyArray_CDOUBLE NPY_CDOUBLE
#define PyArray_OBJECT NPY_OBJECT
#define PyArray_INT32 NPY_INT32
#define PyArray_INT64 NPY_INT64
#define PyArray_FLOAT32 NPY_FLOAT32
#define PyArray_FLOAT64 NPY_FLOAT64

/* A macro is not expanded in itself: the name in it is NumPy's function. */
#ifndef NPY_NO_DEPRECATED_API
#define TORCHTHAW_ARRAY(x) ((PyArrayObject *)(x))
#define PyArray_NDIM(x) PyArray_NDIM(TORCHTHAW_ARRAY(x))
#define PyArray_DATA(x) PyArray_DATA(TORCHTHAW_ARRAY(x))
#define PyArray_BYTES(x) PyArray_BYTES(TORCHTHAW_ARRAY(x))
#define PyArray_DIMS(x) PyArray_DIMS(TORCHTHAW_ARRAY(x))
#define PyArray_SHAPE(x) PyArray_SHAPE(TORCHTHAW_ARRAY(x))
#define PyArray_STRIDES(x) PyArray_STRIDES(TORCHTHAW_ARRAY(x))
#define PyArray_DIM(x, n) PyArray_DIM(TORCHTHAW_ARRAY(x), n)
#define PyArray_STRIDE(x, n) PyArray_STRIDE(TORCHTHAW_ARRAY(x), n)
#define PyArray_BASE(x) PyArray_BASE(TORCHTHAW_ARRAY(x))
#define PyArray_DESCR(x) PyArray_DESCR(TORCHTHAW_ARRAY(x))
#define PyArray_DTYPE(x) PyArray_DTYPE(TORCHTHAW_ARRAY(x))
#define PyArray_FLAGS(x) PyArray_FLAGS(TORCHTHAW_ARRAY(x))
#define PyArray_CHKFLAGS(x, flags) PyArray_CHKFLAGS(TORCHTHAW_ARRAY(x), flags)
#define PyArray_ITEMSIZE(x) PyArray_ITEMSIZE(TORCHTHAW_ARRAY(x))
#define PyArray_TYPE(x) PyArray_TYPE(TORCHTHAW_ARRAY(x))
#define PyArray_GETITEM(x, item) PyArray_GETITEM(TORCHTHAW_ARRAY(x), item)
#define PyArray_SETITEM(x, item, value) PyArray_SETITEM(TORCHTHAW_ARRAY(x), item, value)
#define PyArray_ENABLEFLAGS(x, flags) PyArray_ENABLEFLAGS(TORCHTHAW_ARRAY(x), flags)
#define PyArray_CLEARFLAGS(x, flags) PyArray_CLEARFLAGS(TORCHTHAW_ARRAY(x), flags)
#endif

#endif
