/* The types of a table, the same in every file that `python -m torchthaw export table` writes.
 *
 * A call has three steps. The host fills in a thaw_table_call: for each argument that it has an array or a number.
 * shapes() checks them, and says the shapes of outputs and the bytes of the workspace. The host sets the memory of both,
 * and call() computes. After one shapes(), call() may be called again with other memory for arrays of the same shapes.
 *
 * Both return 1, or 0 with a message: the argument, what was expected and what came, as in
 * `input2: expected shape (5, 5), got (5, 4)`. Nothing is written by a call that fails. Neither allocates, and neither
 * keeps anything. Every function may be called from any number of threads at once, each with a thaw_table_call of its own. */
#ifndef TORCHTHAW_TABLE_H
#define TORCHTHAW_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define THAW_TABLE_VERSION 1

enum {
    THAW_TABLE_DIMENSIONS = 64, /* an array has at most so many */
    THAW_TABLE_PARAMETERS = 64, /* and an operator so many parameters */
    THAW_TABLE_MESSAGE = 1024   /* bytes of a message, with the 0 at its end; a longer one is cut */
};

/* What an array's elements are. DTYPE(name in C, name in words, bytes). Rows are only added. */
#define THAW_TABLE_DTYPES(DTYPE) \
    DTYPE(BOOL, "bool", 1) DTYPE(INT8, "int8", 1) DTYPE(INT16, "int16", 2) DTYPE(INT32, "int32", 4) \
    DTYPE(INT64, "int64", 8) DTYPE(UINT8, "uint8", 1) DTYPE(UINT16, "uint16", 2) DTYPE(UINT32, "uint32", 4) \
    DTYPE(UINT64, "uint64", 8) DTYPE(FLOAT16, "float16", 2) DTYPE(BFLOAT16, "bfloat16", 2) \
    DTYPE(FLOAT32, "float32", 4) DTYPE(FLOAT64, "float64", 8) DTYPE(COMPLEX64, "complex64", 8) \
    DTYPE(COMPLEX128, "complex128", 16)
#define THAW_TABLE_ENUMERATOR(name, words, bytes) THAW_DTYPE_##name,
enum { THAW_DTYPE_ANY, THAW_TABLE_DTYPES(THAW_TABLE_ENUMERATOR) THAW_DTYPE_COUNT };

/* What a parameter is. The host gives arrays, sizes and numbers, unless a source determines them. */
enum {
    THAW_ROLE_INPUT,
    THAW_ROLE_OUTPUT, /* of which nothing is read */
    THAW_ROLE_INOUT,  /* read and written */
    THAW_ROLE_SIZES,  /* an array of int64_t that is a shape: the argument's own `shape` and `ndim` */
    THAW_ROLE_INTEGER,
    THAW_ROLE_REAL,
    THAW_ROLE_BOOLEAN,        /* an integer, 0 or another */
    THAW_ROLE_WORKSPACE,      /* thaw_table_call.workspace */
    THAW_ROLE_WORKSPACE_SIZE, /* thaw_table_call.workspace_size */
    THAW_ROLE_STREAM          /* thaw_table_call.stream */
};

/* A step of a size in reverse Polish notation: 'p' the integer of a parameter, 'n' a number, '+' '-' '*' '/' of the two
 * sizes before it, ',' the end of a size. */
typedef struct thaw_table_token {
    char what;
    int64_t value;
} thaw_table_token;

/* A shape that an array must have: `count` sizes by their tokens; or, without tokens, that of the sizes parameter
 * `sizes`, or the one that `sizes` and `more_sizes` broadcast to (-1: there is no second one). */
typedef struct thaw_table_shape {
    int count;
    const thaw_table_token *tokens;
    int sizes, more_sizes;
} thaw_table_shape;

enum { THAW_SOURCE_NDIM = -1, THAW_SOURCE_SHAPE = -2 }; /* instead of a dimension */

typedef struct thaw_table_parameter {
    const char *name;
    int role;
    int is_nullable;      /* the array may be absent */
    int is_choosing;      /* the variants take several dtypes for it: the first such array that is given decides */
    int source;           /* 1 + the parameter whose shape determines this integer or these sizes; 0: the host says it */
    int dimension;        /* of the source */
    const char *type;     /* of an integer, in C */
    int64_t least, most;  /* of an integer */
    uint64_t aliases;     /* of an output, a bit for each parameter: it may be the very same array */
    int shape_count;      /* all of its shapes must hold; an output without one has the shape that the host gives it */
    const thaw_table_shape *shapes;
} thaw_table_parameter;

struct thaw_table_call;

/* A C function of an operator. `dtypes`: by parameter, THAW_DTYPE_ANY for what takes any and for what is no array. */
typedef struct thaw_table_variant {
    const char *name;
    const unsigned char *dtypes;
    const thaw_table_parameter *parameters;
    int (*run)(const struct thaw_table_call *call);          /* 0: it failed */
    size_t (*workspace)(const struct thaw_table_call *call); /* the bytes that it needs; may be NULL */
} thaw_table_variant;

/* The variants differ in the dtypes of their arrays alone: `parameters` are those of the first. */
typedef struct thaw_table_operator {
    const char *name;
    int parameter_count;
    const thaw_table_parameter *parameters;
    int variant_count;
    const thaw_table_variant *variants;
} thaw_table_operator;

enum {
    THAW_ABSENT = -1, /* instead of a number of dimensions: NULL is passed; an output is not computed */
    THAW_UNKNOWN = -2 /* the same, of an output: shapes() says its dtype and shape */
};

/* A value of one parameter. Arrays are contiguous, row-major, and aligned to their element; they and their shapes stay
 * where they are until call() has returned. */
typedef struct thaw_table_argument {
    void *data; /* NULL: no elements. Only call() reads it, and passes it on */
    int dtype;
    int ndim;
    const int64_t *shape; /* in elements; NULL where ndim is 0 */
    int64_t integer;
    double real;
    int64_t own_shape[THAW_TABLE_DIMENSIONS]; /* where shapes() writes the shape of an output; need not be set */
} thaw_table_argument;

typedef struct thaw_table_call {
    const thaw_table_operator *op;
    thaw_table_argument *arguments; /* op->parameter_count of them, in C's order */
    void *workspace;                /* set before call(): at least workspace_size bytes; NULL where that is 0 */
    void *stream;                   /* a CUDA stream, for operators that have one */
    int num_threads; /* of call(), at most; 0: as many as the library takes. Headers with THAW_NUM_THREADS heed it */
    size_t workspace_size;          /* set by shapes() */
    const thaw_table_variant *variant; /* the same: which C function call() calls; NULL after a failure */
    char message[THAW_TABLE_MESSAGE];  /* set by a failure */
} thaw_table_call;

typedef struct thaw_table {
    int version; /* THAW_TABLE_VERSION: fields and functions are only added */
    int operator_count;
    const thaw_table_operator *operators; /* in order of name */
    const thaw_table_operator *(*find)(const char *name); /* NULL where there is none */
    int (*shapes)(thaw_table_call *call);
    int (*call)(thaw_table_call *call);
} thaw_table;

#endif /* TORCHTHAW_TABLE_H */
