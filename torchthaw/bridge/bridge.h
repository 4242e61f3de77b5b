/* bridge.h: what an extension made by create_extension and the bridge module agree on. Plain C. */
#ifndef TORCHTHAW_BRIDGE_H
#define TORCHTHAW_BRIDGE_H

#include <Python.h>
#include <stddef.h>

/* Moves when a struct below changes: an extension built for another number is refused when it is loaded. */
#define THAW_BRIDGE_ABI 5

/* How a parameter or a result crosses from Python to C. */
enum thaw_kind {
    THAW_VOID,    /* results only */
    THAW_BOOL,    /* _Bool */
    THAW_INT8,    /* the integers by width, whatever their names */
    THAW_INT16,
    THAW_INT32,
    THAW_INT64,
    THAW_UINT8,
    THAW_UINT16,
    THAW_UINT32,
    THAW_UINT64,
    THAW_FLOAT,
    THAW_DOUBLE,
    THAW_TEXT,    /* results only: const char * becomes str, NULL becomes None */
    THAW_ARRAY,   /* pointer to numbers, or void *: a tensor's memory */
    THAW_HANDLE,  /* any other pointer; None is NULL, cffi converts the rest */
    THAW_CFFI,    /* anything else, by cffi alone */
    THAW_TH_TENSOR, /* a pointer to TH<Real>Tensor or TH<Real>Storage; dtype_code and dtype_bits say which Real */
    THAW_TH_STORAGE,
    THAW_THC_TENSOR, /* the same on a GPU: THCuda<Real>Tensor, THCuda<Real>Storage */
    THAW_THC_STORAGE
};

enum thaw_flag {
    THAW_WRITTEN = 1, /* a THAW_ARRAY without const: the call counts as a write */
    THAW_SIZES = 2,   /* a THAW_ARRAY of const int64_t: takes a torch.Size, tuple or list of integers too */
    THAW_EXACT = 4    /* a tensor's struct whose storage shows all of the torch storage, not the tensor's part only */
};

typedef struct {
    const char *name;
    int kind;
    int flags;
    int offset;     /* of the value in the frame */
    int dtype_code; /* DLPack's DLDataTypeCode of the elements; -1 for void *: any dtype */
    int dtype_bits; /* width of an element */
} thaw_parameter;

typedef struct {
    const char *name;
    int parameter_count;
    int variadic;
    const thaw_parameter *parameters;
    int result;          /* a thaw_kind */
    int result_offset;
    int result_code, result_bits; /* the Real of a TH result */
    void (*run)(void *frame); /* calls the C function on the frame; NULL where only cffi can call it */
    PyObject *cffi_function;  /* set by bind: lib.<name>, called where an argument needs cffi's conversion */
    PyObject *cffi_types;     /* set by bind: tuple of the parameters' ctypes */
    PyObject *cast;           /* set by bind: ffi.cast */
} thaw_function;

/* A parallel region of the extension's own code. */
typedef struct {
    void (*body)(void *data);
    void *data;
    void *kept; /* the first exception, or NULL */
} thaw_region;

typedef struct {
    int abi;
    /* Converts, checks, calls without the GIL and converts back. `frame` is the function's frame, `scratch` has room
     * for 2 * parameter_count objects. */
    PyObject *(*call)(const thaw_function *function, void *frame, PyObject **scratch, PyObject *const *arguments,
                      Py_ssize_t count, PyObject *keywords);
    /* The same for functions that take TH structs: torch tensors become those, everything else is cffi's. */
    PyObject *(*call_th)(const thaw_function *function, void *frame, PyObject **scratch, PyObject *const *arguments,
                         Py_ssize_t count, PyObject *keywords);
    /* run(frame), with any C++ exception kept for the `call` around it. Needs no GIL. */
    void (*guard)(void (*run)(void *frame), void *frame);
    /* The functions as a new dict from name to callable, or NULL with an exception set. */
    PyObject *(*bind)(thaw_function *functions, PyMethodDef *methods, PyObject *extension, PyObject *module_name);
    /* Enters extension.bind in _bridge.extensions under extension.lib. 0, or -1 with an exception set. */
    int (*announce)(PyObject *extension);
    /* For regions.h. How many threads a region may have that asks for so many; 0 is OpenMP's own choice. */
    unsigned (*threads)(unsigned asked);
    /* region->body(region->data) in one of the region's threads, with any C++ exception kept in the region. */
    void (*member)(void *region);
    /* Throws what a thread of the region threw, after all of them have ended. */
    void (*join)(thaw_region *region);
} thaw_bridge;

#define THAW_BRIDGE_CAPSULE "torchthaw.bridge._bridge.api"

#endif
