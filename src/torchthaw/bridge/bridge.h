/* bridge.h: what an extension made by create_extension and the bridge module agree on. Plain C.
 *
 * Compiled extensions hold all that stands here. docs/internals/abi.md has the rules by which it may change; fields,
 * entries and numbers are only added, at the end, and tests/abi/test_abi_layout.cpp pins what is there. On every
 * platform int has 32 bits; size_t and pointers have 64. */
#ifndef TORCHTHAW_BRIDGE_H
#define TORCHTHAW_BRIDGE_H

#include <Python.h>
#include <stddef.h>
#include <stdint.h>

/* An extension of one major version works with every bridge of that version which has what the extension uses.
 * The minor version moves with each addition. */
#define THAW_BRIDGE_MAJOR 1
#define THAW_BRIDGE_MINOR 0

/* X(name, number): how a parameter or a result crosses from Python to C. */
#define THAW_KIND_LIST(X) \
    X(THAW_VOID, 0)        /* results only */ \
    X(THAW_BOOL, 1)        /* _Bool */ \
    X(THAW_INT8, 2)        /* the integers by width, whatever their names */ \
    X(THAW_INT16, 3) \
    X(THAW_INT32, 4) \
    X(THAW_INT64, 5) \
    X(THAW_UINT8, 6) \
    X(THAW_UINT16, 7) \
    X(THAW_UINT32, 8) \
    X(THAW_UINT64, 9) \
    X(THAW_FLOAT, 10) \
    X(THAW_DOUBLE, 11) \
    X(THAW_TEXT, 12)       /* results only: const char * becomes str, NULL becomes None */ \
    X(THAW_ARRAY, 13)      /* pointer to numbers, or void *: a tensor's memory */ \
    X(THAW_HANDLE, 14)     /* any other pointer; None is NULL, cffi converts the rest */ \
    X(THAW_CFFI, 15)       /* anything else, by cffi alone */ \
    X(THAW_TH_TENSOR, 16)  /* a pointer to TH<Real>Tensor; dtype_code and dtype_bits say which Real */ \
    X(THAW_TH_STORAGE, 17) /* a pointer to TH<Real>Storage */ \
    X(THAW_THC_TENSOR, 18) /* the same on a GPU: THCuda<Real>Tensor */ \
    X(THAW_THC_STORAGE, 19)

enum thaw_kind {
#define THAW_KIND(name, number) name = number,
    THAW_KIND_LIST(THAW_KIND)
#undef THAW_KIND
    THAW_KIND_COUNT
};

enum thaw_flag {
    THAW_WRITTEN = 1, /* a THAW_ARRAY without const: the call counts as a write */
    THAW_SIZES = 2,   /* a THAW_ARRAY of const int64_t: takes a torch.Size, tuple or list of integers too */
    THAW_EXACT = 4,   /* a tensor's struct whose storage shows all of the torch storage, not the tensor's part only */
    /* Of the arrays of an annotated function, see torchthaw/annotate.h: */
    THAW_CHECKED = 8,      /* shape, NULL and overlap are checked before the call */
    THAW_MAY_BE_NULL = 16, /* None is allowed; without this flag only where the array has no elements */
    THAW_READ_TOO = 32,    /* with THAW_WRITTEN: what the array holds before the call matters (THAW_INOUT) */
    THAW_SCRATCH = 64      /* the workspace */
};

/* The most sizes that thaw_function.shape writes; PyTorch's tensors have no more. */
#define THAW_MAX_DIMENSIONS 64

/* Values of source_dim that are no dimension. */
enum thaw_source {
    THAW_SHAPE_OF_SOURCE = -1, /* of an array of sizes: all sizes of the source */
    THAW_NDIM_OF_SOURCE = -2   /* of an integer: how many sizes the source has */
};

/* One parameter of a function. */
typedef struct {
    const char *name;
    int kind;       /* a thaw_kind */
    int flags;      /* of thaw_flag */
    int offset;     /* of the value in the frame */
    int dtype_code; /* DLPack's DLDataTypeCode of the elements; -1 for void *: any dtype */
    int dtype_bits; /* width of an element */
    int reserved;   /* 0. The record ends without padding, so that its size tells which fields it has. */
    int source;     /* 1 + index of the array whose shape determines this value; 0: none does */
    int source_dim; /* the dimension whose size it is, or a thaw_source */
    uint64_t aliases; /* of an output, bit i: it may be the very same array as parameter i */
} thaw_parameter;

/* One C function. */
typedef struct {
    const char *name;
    const char *doc; /* of the Python function, in UTF-8 */
    /* What Python calls, as METH_FASTCALL | METH_KEYWORDS. */
    PyObject *(*trampoline)(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords);
    void (*run)(void *frame); /* calls the C function on the frame; NULL where only cffi can call it */
    const thaw_parameter *parameters;
    int parameter_count;
    int variadic;
    int result;        /* a thaw_kind */
    int result_offset; /* in the frame */
    int result_code;   /* the Real of a TH result, as dtype_code and dtype_bits */
    int result_bits;
    int status;        /* 1: the result 0 means failure */
    /* 1 + index of the module's function that stands for the operator of which this one is a variant; 0: it stands for
     * its own. Variants differ in the elements of arrays, and in a last `void *stream`. */
    int operator_base;
    /* The which-th (0, 1, ...) shape that a THAW_CHECKED array must have, by the numbers in the frame: its sizes, in
     * `buffer`, which holds THAW_MAX_DIMENSIONS, or where they are. After the last one NULL with *ndim 0; NULL with
     * *ndim -1 where the numbers give none: a product overflows, a size is negative, there are too many, shapes do not
     * broadcast. It reads as many sizes of a THAW_SIZES array as the frame says there are: the caller has checked that
     * there are so many, by the array's own shape. NULL: nothing is annotated. */
    const int64_t *(*shape)(const void *frame, int parameter, int which, int64_t *buffer, int64_t *ndim);
    /* The bytes that suffice as workspace for the numbers in the frame, SIZE_MAX where they are wrong; NULL: none. */
    size_t (*workspace)(const void *frame);
    int workspace_parameter; /* 1 + index of the workspace, and of the parameter with its bytes; 0: none */
    int workspace_size_parameter;
    /* PyTorch's boxed kernels of the operator, where operator_base is 0: what allocates its outputs, and what writes to
     * the given ones. NULL: there is no such form. */
    void (*kernel)(uint64_t *stack, uint64_t inputs, uint64_t outputs);
    void (*kernel_out)(uint64_t *stack, uint64_t inputs, uint64_t outputs);
} thaw_function;

/* The same as the bridge has it once it is loaded; only the bridge looks inside. */
typedef struct thaw_callable thaw_callable;

/* A parallel region of the extension's own code. */
typedef struct {
    size_t struct_size; /* sizeof(thaw_region) */
    void (*body)(void *data);
    void *data;
    void *kept; /* the first exception, or NULL */
} thaw_region;

/* The extension: what it was built for, and all that it holds. */
typedef struct {
    size_t struct_size; /* sizeof(thaw_module) */
    int major, minor;   /* of the bridge that it was built for */
    const char *name;   /* of the module, for messages */
    size_t table_size;  /* how much of thaw_bridge it uses: THAW_UPTO(its last entry) */
    size_t function_size, parameter_size, region_size; /* of the records below */
    const thaw_function *functions;
    size_t function_count;
    thaw_callable **callables;  /* of function_count; the bridge fills it */
    PyObject *(*make)(void);    /* cffi's module, with `ffi` and `lib` */
    const char *const *kind_names; /* by number, for messages */
    size_t kind_count;
    /* Of functions with a status, for the calling thread: text and code of its last failure. Either may be NULL. */
    const char *(*error_message)(void);
    int (*error_code)(void);
    const int *runtime_codes; /* the codes that are a RuntimeError; all others are a ValueError */
    size_t runtime_code_count;
    const char *description; /* all of the module as JSON, in UTF-8: torchthaw/header/description.py */
} thaw_module;

/* What the bridge offers. */
typedef struct {
    size_t struct_size; /* sizeof(thaw_bridge) */
    int major, minor;
    /* The extension's module, with a function `bind`, ready to be imported; NULL with an ImportError where it needs
     * what this bridge does not have. `module` and all that it points to stay as they are from now on. */
    PyObject *(*load)(const thaw_module *module);
    /* Converts, checks, calls without the GIL and converts back. `frame` is the function's frame, `scratch` holds
     * 2 * parameter_count objects. */
    PyObject *(*call)(const thaw_callable *function, void *frame, PyObject **scratch, PyObject *const *arguments,
                      Py_ssize_t count, PyObject *keywords);
    /* The same for functions that take TH structs: torch tensors become those, everything else is cffi's. */
    PyObject *(*call_th)(const thaw_callable *function, void *frame, PyObject **scratch, PyObject *const *arguments,
                         Py_ssize_t count, PyObject *keywords);
    /* run(frame), with any C++ exception kept for the `call` around it. Needs no GIL. */
    void (*guard)(void (*run)(void *frame), void *frame);
    /* For regions.h. How many threads a region may have that asks for so many; 0 is OpenMP's own choice. */
    unsigned (*threads)(unsigned asked);
    /* region->body(region->data) in one of the region's threads, with any C++ exception kept in the region. */
    void (*member)(void *region);
    /* Throws what a thread of the region threw, after all of them have ended. */
    void (*join)(thaw_region *region);
    /* What thaw_function.kernel (`functional` 1) and kernel_out (0) do: takes `inputs` values from PyTorch's stack,
     * calls the variant for their dtype and device, and leaves `outputs` values. `function` stands for the operator;
     * `frame` is as large as the largest frame of its variants. Throws what is to be raised. */
    void (*kernel)(const thaw_callable *function, void *frame, int functional, uint64_t *stack, uint64_t inputs,
                   uint64_t outputs);
} thaw_bridge;

/* The size of a table or record that ends with this field. */
#define THAW_UPTO(record, field) (offsetof(record, field) + sizeof(((record *)0)->field))

/* Where the table is: each major version has its own, so that a bridge can serve extensions of several. */
#define THAW_BRIDGE_CAPSULE_OF(major) "torchthaw.bridge._bridge.api_" #major
#define THAW_BRIDGE_CAPSULE_NAME(major) THAW_BRIDGE_CAPSULE_OF(major)
#define THAW_BRIDGE_CAPSULE THAW_BRIDGE_CAPSULE_NAME(THAW_BRIDGE_MAJOR)

/* The table of the major version of this header; NULL with an ImportError that names the extension. The bridge's
 * attribute `version` is a str such as "1.0". */
__attribute__((unused)) static const thaw_bridge *thaw_open(const char *extension) {
    PyObject *bridge = PyImport_ImportModule("torchthaw.bridge._bridge"), *version;
    const thaw_bridge *table;
    if (bridge == NULL) return NULL;
    table = (const thaw_bridge *)PyCapsule_Import(THAW_BRIDGE_CAPSULE, 0); /* it is looked up, no more */
    if (table == NULL && !PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear();
        version = PyObject_GetAttrString(bridge, "version");
        if (version != NULL) {
            PyErr_Format(PyExc_ImportError, "%s: built for torchthaw's bridge %d.%d, got %S; build it again", extension,
                         THAW_BRIDGE_MAJOR, THAW_BRIDGE_MINOR, version);
        }
        Py_XDECREF(version);
    }
    Py_DECREF(bridge);
    return table;
}

#endif
