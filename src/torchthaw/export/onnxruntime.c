/* ---- What is used of ONNX Runtime's C interface ----
 *
 * A session passes an OrtApiBase, whose first function gives the OrtApi of a version: a table of functions, in which an
 * entry keeps its position for ever. ENTRY(position, name, result, parameters) is one of them. */

#define THAW_ORT_API_VERSION 17  /* the lowest that has all of these entries but the last: that of ONNX Runtime 1.17 */
#define THAW_ORT_FAST_VERSION 24 /* has the last, which gives a shape without an object for it */

#define THAW_ORT_ENTRIES(ENTRY) \
    ENTRY(0, CreateStatus, void *, (int code, const char *message)) \
    ENTRY(26, CreateCustomOpDomain, void *, (const char *name, void **domain)) \
    ENTRY(27, CustomOpDomain_Add, void *, (void *domain, const thaw_ort_op *op)) \
    ENTRY(28, AddCustomOpDomain, void *, (void *session_options, void *domain)) \
    ENTRY(51, GetTensorMutableData, void *, (void *value, void **data)) \
    ENTRY(57, CreateTensorTypeAndShapeInfo, void *, (void **info)) \
    ENTRY(58, SetTensorElementType, void *, (void *info, int type)) \
    ENTRY(59, SetDimensions, void *, (void *info, const int64_t *sizes, size_t count)) \
    ENTRY(60, GetTensorElementType, void *, (const void *info, int *type)) \
    ENTRY(61, GetDimensionsCount, void *, (const void *info, size_t *count)) \
    ENTRY(62, GetDimensions, void *, (const void *info, int64_t *sizes, size_t count)) \
    ENTRY(63, GetSymbolicDimensions, void *, (const void *info, const char **names, size_t count)) \
    ENTRY(65, GetTensorTypeAndShape, void *, (const void *value, void **info)) \
    ENTRY(78, GetAllocatorWithDefaultOptions, void *, (void **allocator)) \
    ENTRY(86, KernelInfoGetAttribute_int64, void *, (const void *info, const char *name, int64_t *value)) \
    ENTRY(90, KernelContext_GetInput, void *, (const void *context, size_t index, const void **value)) \
    ENTRY(91, KernelContext_GetOutput, void *, \
          (void *context, size_t index, const int64_t *sizes, size_t count, void **value)) \
    ENTRY(96, ReleaseValue, void, (void *value)) \
    ENTRY(99, ReleaseTensorTypeAndShapeInfo, void, (void *info)) \
    ENTRY(101, ReleaseCustomOpDomain, void, (void *domain)) \
    ENTRY(163, KernelInfoGetAttributeArray_int64, void *, \
          (const void *info, const char *name, int64_t *values, size_t *count)) \
    ENTRY(230, KernelInfo_GetInputCount, void *, (const void *info, size_t *count)) \
    ENTRY(231, KernelInfo_GetOutputCount, void *, (const void *info, size_t *count)) \
    ENTRY(236, KernelInfoGetAttribute_tensor, void *, \
          (const void *info, const char *name, void *allocator, void **value)) \
    ENTRY(267, ShapeInferContext_GetInputCount, void *, (const void *context, size_t *count)) \
    ENTRY(268, ShapeInferContext_GetInputTypeShape, void *, (const void *context, size_t index, void **info)) \
    ENTRY(269, ShapeInferContext_GetAttribute, void *, \
          (const void *context, const char *name, const void **attribute)) \
    ENTRY(270, ShapeInferContext_SetOutputTypeShape, void *, (const void *context, size_t index, const void *info)) \
    ENTRY(271, SetSymbolicDimensions, void *, (void *info, const char **names, size_t count)) \
    ENTRY(272, ReadOpAttr, void *, (const void *attribute, int type, void *data, size_t bytes, size_t *needed)) \
    ENTRY(414, GetTensorElementTypeAndShapeDataReference, void *, \
          (const void *value, int *type, const int64_t **sizes, size_t *count)) /* from THAW_ORT_FAST_VERSION on */

struct thaw_ort_op;
typedef struct thaw_ort_op thaw_ort_op;
typedef void (*thaw_ort_function)(void);

#define THAW_ORT_TYPE(position, name, result, parameters) typedef result(*thaw_ort_##name) parameters;
THAW_ORT_ENTRIES(THAW_ORT_TYPE)
#define THAW_ORT_POSITION(position, name, result, parameters) thaw_ort_at_##name = position,
enum { THAW_ORT_ENTRIES(THAW_ORT_POSITION) thaw_ort_end };

/* An entry of an OrtApi, as in ORT(api, CreateStatus)(code, message). */
#define ORT(api, name) ((thaw_ort_##name)((const thaw_ort_function *)(api))[thaw_ort_at_##name])

typedef struct thaw_ort_api_base {
    const void *(*GetApi)(uint32_t version);
    const char *(*GetVersionString)(void);
} thaw_ort_api_base;

enum { THAW_ORT_FAIL = 1, THAW_ORT_INVALID_ARGUMENT = 2 }; /* codes of a status */
enum { THAW_ORT_REQUIRED, THAW_ORT_OPTIONAL };             /* inputs and outputs */
enum { THAW_ORT_INT = 1, THAW_ORT_INTS = 2 };              /* attributes */

/* An operator of a session, as OrtCustomOp has it up to version 17; NULL is what a runtime does without. It passes the
 * struct to each function, so that ours has more behind. */
struct thaw_ort_op {
    uint32_t version;
    void *(*CreateKernel)(const thaw_ort_op *op, const void *api, const void *info);
    const char *(*GetName)(const thaw_ort_op *op);
    const char *(*GetExecutionProviderType)(const thaw_ort_op *op);
    int (*GetInputType)(const thaw_ort_op *op, size_t index);
    size_t (*GetInputTypeCount)(const thaw_ort_op *op);
    int (*GetOutputType)(const thaw_ort_op *op, size_t index);
    size_t (*GetOutputTypeCount)(const thaw_ort_op *op);
    void (*KernelCompute)(void *kernel, void *context);
    void (*KernelDestroy)(void *kernel);
    int (*GetInputCharacteristic)(const thaw_ort_op *op, size_t index);
    int (*GetOutputCharacteristic)(const thaw_ort_op *op, size_t index);
    int (*GetInputMemoryType)(const thaw_ort_op *op, size_t index);
    int (*GetVariadicInputMinArity)(const thaw_ort_op *op);
    int (*GetVariadicInputHomogeneity)(const thaw_ort_op *op);
    int (*GetVariadicOutputMinArity)(const thaw_ort_op *op);
    int (*GetVariadicOutputHomogeneity)(const thaw_ort_op *op);
    void *(*CreateKernelV2)(const thaw_ort_op *op, const void *api, const void *info, void **kernel);
    void *(*KernelComputeV2)(void *kernel, void *context);
    void *(*InferOutputShapeFn)(const thaw_ort_op *op, void *context);
    int (*GetStartVersion)(const thaw_ort_op *op);
    int (*GetEndVersion)(const thaw_ort_op *op);
    void (*may_inplace[4])(void); /* versions above 17 ask for these */

    const void *api;
    int is_fast; /* it is of THAW_ORT_FAST_VERSION or later */
    const thaw_table_operator *table;
    const thaw_table_variant *variant; /* of this op: one for each variant has the operator's name */
};

/* ---- What an operator of the table is in ONNX: arrays that are read are inputs, those that are written are outputs,
 * numbers and sizes that no array determines are attributes ---- */

static const int thaw_ort_types[THAW_DTYPE_COUNT] = {
    [THAW_DTYPE_FLOAT32] = 1,   [THAW_DTYPE_UINT8] = 2,    [THAW_DTYPE_INT8] = 3,    [THAW_DTYPE_UINT16] = 4,
    [THAW_DTYPE_INT16] = 5,     [THAW_DTYPE_INT32] = 6,    [THAW_DTYPE_INT64] = 7,   [THAW_DTYPE_BOOL] = 9,
    [THAW_DTYPE_FLOAT16] = 10,  [THAW_DTYPE_FLOAT64] = 11, [THAW_DTYPE_UINT32] = 12, [THAW_DTYPE_UINT64] = 13,
    [THAW_DTYPE_COMPLEX64] = 14, [THAW_DTYPE_COMPLEX128] = 15, [THAW_DTYPE_BFLOAT16] = 16,
};

static int thaw_is_input(const thaw_table_parameter *parameter) {
    return parameter->role == THAW_ROLE_INPUT || parameter->role == THAW_ROLE_INOUT;
}

static int thaw_is_output(const thaw_table_parameter *parameter) {
    return parameter->role == THAW_ROLE_OUTPUT || parameter->role == THAW_ROLE_INOUT;
}

/* The parameter of the index-th input or output; parameter_count for the number of all. */
static int thaw_find_nth(const thaw_table_operator *op, int (*is_one)(const thaw_table_parameter *), size_t index) {
    int i;
    for (i = 0; i < op->parameter_count; ++i) {
        if (is_one(&op->parameters[i]) && index-- == 0) break;
    }
    return i;
}

static size_t thaw_count(const thaw_table_operator *op, int (*is_one)(const thaw_table_parameter *)) {
    size_t count = 0;
    int i;
    for (i = 0; i < op->parameter_count; ++i) count += (size_t)is_one(&op->parameters[i]);
    return count;
}

static const char *thaw_op_name(const thaw_ort_op *op) { return op->table->name; }

static const char *thaw_op_provider(const thaw_ort_op *op) { return (void)op, NULL; } /* the CPU's */

static size_t thaw_input_count(const thaw_ort_op *op) { return thaw_count(op->table, thaw_is_input); }

static size_t thaw_output_count(const thaw_ort_op *op) { return thaw_count(op->table, thaw_is_output); }

static int thaw_input_type(const thaw_ort_op *op, size_t index) {
    return thaw_ort_types[op->variant->dtypes[thaw_find_nth(op->table, thaw_is_input, index)]];
}

static int thaw_output_type(const thaw_ort_op *op, size_t index) {
    return thaw_ort_types[op->variant->dtypes[thaw_find_nth(op->table, thaw_is_output, index)]];
}

static int thaw_input_kind(const thaw_ort_op *op, size_t index) {
    const int i = thaw_find_nth(op->table, thaw_is_input, index);
    return op->table->parameters[i].is_nullable ? THAW_ORT_OPTIONAL : THAW_ORT_REQUIRED;
}

static int thaw_output_kind(const thaw_ort_op *op, size_t index) {
    const int i = thaw_find_nth(op->table, thaw_is_output, index);
    return op->table->parameters[i].is_nullable ? THAW_ORT_OPTIONAL : THAW_ORT_REQUIRED;
}

static int thaw_input_memory(const thaw_ort_op *op, size_t index) { return (void)op, (void)index, 0; }

static int thaw_no_variadic(const thaw_ort_op *op) { return (void)op, 0; }

static int thaw_first_version(const thaw_ort_op *op) { return (void)op, 1; }

static int thaw_last_version(const thaw_ort_op *op) { return (void)op, INT_MAX; }

/* ---- Kernels: a node of a graph ---- */

typedef struct thaw_kernel {
    const thaw_ort_op *op;
    size_t input_count, output_count;
    int64_t integer[THAW_ORT_PARAMETERS]; /* attributes, by parameter */
    double real[THAW_ORT_PARAMETERS];
    int ndim[THAW_ORT_PARAMETERS]; /* of sizes */
    int64_t sizes[THAW_ORT_PARAMETERS][THAW_TABLE_DIMENSIONS];
} thaw_kernel;

static int thaw_is_attribute(const thaw_table_parameter *parameter) {
    return parameter->source == 0 && parameter->role >= THAW_ROLE_SIZES && parameter->role <= THAW_ROLE_BOOLEAN;
}

/* The type of a tensor's elements and their number; the number is 0 for one with more dimensions than a table takes. */
static void *thaw_measure(const void *api, const void *tensor, int *type, int64_t *elements) {
    int64_t sizes[THAW_TABLE_DIMENSIONS];
    size_t ndim = 0, k;
    void *info, *status = ORT(api, GetTensorTypeAndShape)(tensor, &info);
    if (status != NULL) return status;
    status = ORT(api, GetTensorElementType)(info, type);
    if (status == NULL) status = ORT(api, GetDimensionsCount)(info, &ndim);
    *elements = ndim <= THAW_TABLE_DIMENSIONS;
    if (*elements && status == NULL) status = ORT(api, GetDimensions)(info, sizes, ndim);
    for (k = 0; *elements == 1 && status == NULL && k < ndim; ++k) {
        if (sizes[k] != 1) *elements = 0;
    }
    ORT(api, ReleaseTensorTypeAndShapeInfo)(info);
    return status;
}

/* A float64 that is a tensor: ONNX has attributes of float32 only. A model is a file from elsewhere, whose tensor may be
 * any. */
static void *thaw_read_real(const void *api, const void *info, const char *name, double *value) {
    void *allocator, *tensor = NULL, *data, *status = ORT(api, GetAllocatorWithDefaultOptions)(&allocator);
    int64_t elements = 0;
    int type = 0;
    if (status == NULL) status = ORT(api, KernelInfoGetAttribute_tensor)(info, name, allocator, &tensor);
    if (status == NULL) status = thaw_measure(api, tensor, &type, &elements);
    if (status == NULL && (type != thaw_ort_types[THAW_DTYPE_FLOAT64] || elements != 1)) {
        char text[256];
        snprintf(text, sizeof text, "%s: expected an attribute that is a tensor of one float64, got one of ONNX's type %d%s",
                 name, type, elements == 1 ? "" : " and not of one element");
        status = ORT(api, CreateStatus)(THAW_ORT_INVALID_ARGUMENT, text);
    }
    if (status == NULL) status = ORT(api, GetTensorMutableData)(tensor, &data);
    if (status == NULL) memcpy(value, data, sizeof *value);
    if (tensor != NULL) ORT(api, ReleaseValue)(tensor);
    return status;
}

static void *thaw_read_attribute(const void *info, thaw_kernel *kernel, int i) {
    const thaw_table_parameter *parameter = &kernel->op->table->parameters[i];
    const void *api = kernel->op->api;
    size_t count = THAW_TABLE_DIMENSIONS;
    void *status;
    if (parameter->role == THAW_ROLE_REAL) return thaw_read_real(api, info, parameter->name, &kernel->real[i]);
    if (parameter->role != THAW_ROLE_SIZES) {
        return ORT(api, KernelInfoGetAttribute_int64)(info, parameter->name, &kernel->integer[i]);
    }
    status = ORT(api, KernelInfoGetAttributeArray_int64)(info, parameter->name, kernel->sizes[i], &count);
    kernel->ndim[i] = (int)count;
    return status;
}

static void *thaw_create_kernel(const thaw_ort_op *op, const void *api, const void *info, void **made) {
    thaw_kernel *kernel = calloc(1, sizeof *kernel);
    void *status = NULL;
    int i;
    (void)api; /* of another version than op->api */
    if (kernel == NULL) return ORT(op->api, CreateStatus)(THAW_ORT_FAIL, "expected memory for a kernel, got none");
    kernel->op = op;
    status = ORT(op->api, KernelInfo_GetInputCount)(info, &kernel->input_count);
    if (status == NULL) status = ORT(op->api, KernelInfo_GetOutputCount)(info, &kernel->output_count);
    for (i = 0; status == NULL && i < op->table->parameter_count; ++i) {
        if (thaw_is_attribute(&op->table->parameters[i])) status = thaw_read_attribute(info, kernel, i);
    }
    if (status == NULL) *made = kernel;
    else free(kernel);
    return status;
}

static void thaw_destroy_kernel(void *kernel) { free(kernel); }

static void *thaw_read_shape(const void *api, const void *value, thaw_table_argument *argument, size_t *ndim) {
    void *info, *status = ORT(api, GetTensorTypeAndShape)(value, &info);
    if (status != NULL) return status;
    status = ORT(api, GetDimensionsCount)(info, ndim);
    if (status == NULL && *ndim <= THAW_TABLE_DIMENSIONS) {
        status = ORT(api, GetDimensions)(info, argument->own_shape, *ndim);
    }
    ORT(api, ReleaseTensorTypeAndShapeInfo)(info);
    argument->shape = argument->own_shape;
    return status;
}

/* Describes an input, whose dtype the session has checked. An absent one stays absent. */
static void *thaw_read_input(const thaw_ort_op *op, const void *context, size_t index, thaw_table_argument *argument) {
    const void *api = op->api, *value = NULL;
    void *status = ORT(api, KernelContext_GetInput)(context, index, &value);
    size_t ndim = 0;
    int type;
    if (status != NULL || value == NULL) return status;
    status = op->is_fast
                 ? ORT(api, GetTensorElementTypeAndShapeDataReference)(value, &type, &argument->shape, &ndim)
                 : thaw_read_shape(api, value, argument, &ndim);
    if (status == NULL) status = ORT(api, GetTensorMutableData)((void *)(uintptr_t)value, &argument->data);
    argument->ndim = (int)ndim;
    return status;
}

/* Memory for an output. One that the node does not have is absent. What is read and written is copied there first. */
static void *thaw_make_output(const void *api, void *context, size_t index, thaw_table_argument *argument, int is_read) {
    void *value = NULL, *data = NULL, *status;
    size_t bytes = 1;
    int k;
    status = ORT(api, KernelContext_GetOutput)(context, index, argument->shape, (size_t)argument->ndim, &value);
    if (status == NULL && value != NULL) status = ORT(api, GetTensorMutableData)(value, &data);
    if (status != NULL) return status;
    if (value == NULL) return argument->ndim = THAW_ABSENT, NULL;
    for (k = 0; k < argument->ndim; ++k) bytes *= (size_t)argument->shape[k];
    if (is_read && bytes > 0) memcpy(data, argument->data, bytes * thaw_ort_bytes[argument->dtype]);
    argument->data = data;
    return NULL;
}

static void *thaw_compute(void *opaque, void *context) {
    const thaw_kernel *kernel = opaque;
    const thaw_table_operator *op = kernel->op->table;
    const void *api = kernel->op->api;
    thaw_table_argument arguments[THAW_ORT_PARAMETERS];
    thaw_table_call call;
    size_t inputs = 0, outputs = 0;
    void *status = NULL;
    int i, done;
    for (i = 0; status == NULL && i < op->parameter_count; ++i) {
        const thaw_table_parameter *parameter = &op->parameters[i];
        thaw_table_argument *argument = &arguments[i];
        argument->data = NULL;
        argument->dtype = kernel->op->variant->dtypes[i];
        argument->ndim = parameter->role == THAW_ROLE_OUTPUT ? THAW_UNKNOWN : THAW_ABSENT;
        if (thaw_is_input(parameter) && inputs < kernel->input_count) {
            status = thaw_read_input(kernel->op, context, inputs++, argument);
        } else if (thaw_is_attribute(parameter)) {
            argument->integer = kernel->integer[i];
            argument->real = kernel->real[i];
            argument->ndim = kernel->ndim[i];
            argument->shape = kernel->sizes[i];
        }
    }
    if (status != NULL) return status;
    call.op = op;
    call.arguments = arguments;
    call.workspace = call.stream = NULL;
    call.num_threads = 0;
    if (!thaw_ort_table()->shapes(&call)) return ORT(api, CreateStatus)(THAW_ORT_INVALID_ARGUMENT, call.message);
    for (i = 0; i < op->parameter_count; ++i) {
        if (!thaw_is_output(&op->parameters[i])) continue;
        if (outputs >= kernel->output_count) {
            arguments[i].ndim = THAW_ABSENT;
            continue;
        }
        status = thaw_make_output(api, context, outputs++, &arguments[i], op->parameters[i].role == THAW_ROLE_INOUT);
        if (status != NULL) return status;
    }
    if (call.workspace_size > 0) {
        call.workspace = malloc(call.workspace_size);
        if (call.workspace == NULL) return ORT(api, CreateStatus)(THAW_ORT_FAIL, "workspace: expected memory, got none");
    }
    done = thaw_ort_table()->call(&call);
    free(call.workspace);
    return done ? NULL : ORT(api, CreateStatus)(THAW_ORT_INVALID_ARGUMENT, call.message);
}

/* ---- Shapes of a graph, in which sizes may be symbols ---- */

/* A shape as far as it is known: -1 for a size that is not, with its symbol or "". ndim -1: nothing is known. */
typedef struct thaw_symbols {
    int ndim;
    int64_t sizes[THAW_TABLE_DIMENSIONS];
    const char *names[THAW_TABLE_DIMENSIONS];
} thaw_symbols;

/* What is known of each parameter. An integer is a shape of one size. */
typedef struct thaw_known {
    int type;
    thaw_symbols shape;
} thaw_known;

static void *thaw_infer_input(const void *api, const void *context, size_t index, thaw_known *known) {
    size_t ndim = 0;
    void *info, *status = ORT(api, ShapeInferContext_GetInputTypeShape)(context, index, &info); /* the context's own */
    if (status == NULL) status = ORT(api, GetTensorElementType)(info, &known->type);
    if (status == NULL) status = ORT(api, GetDimensionsCount)(info, &ndim);
    if (status != NULL || ndim == 0 || ndim > THAW_TABLE_DIMENSIONS) return status; /* 0 stands for any number, too */
    known->shape.ndim = (int)ndim;
    status = ORT(api, GetDimensions)(info, known->shape.sizes, ndim);
    if (status == NULL) status = ORT(api, GetSymbolicDimensions)(info, known->shape.names, ndim);
    return status;
}

/* An attribute that is an integer, or sizes. */
static void *thaw_infer_attribute(const void *api, const void *context, const thaw_table_parameter *parameter,
                                  thaw_symbols *shape) {
    const void *attribute;
    const int is_sizes = parameter->role == THAW_ROLE_SIZES;
    const size_t bytes = is_sizes ? sizeof shape->sizes : sizeof *shape->sizes;
    size_t needed = 0;
    int i;
    void *status = ORT(api, ShapeInferContext_GetAttribute)(context, parameter->name, &attribute);
    if (status == NULL) {
        status = ORT(api, ReadOpAttr)(attribute, is_sizes ? THAW_ORT_INTS : THAW_ORT_INT, shape->sizes, bytes, &needed);
    }
    if (status != NULL) return status;
    shape->ndim = is_sizes ? (int)(needed / sizeof *shape->sizes) : 1;
    for (i = 0; i < shape->ndim; ++i) shape->names[i] = "";
    return NULL;
}

/* An integer or sizes that the shape of an array determines. */
static void thaw_infer_source(const thaw_table_parameter *parameter, const thaw_symbols *source, thaw_symbols *shape) {
    if (source->ndim < 0) return;
    if (parameter->dimension == THAW_SOURCE_SHAPE) {
        *shape = *source;
    } else if (parameter->dimension < source->ndim) {
        const int is_ndim = parameter->dimension == THAW_SOURCE_NDIM;
        shape->ndim = 1;
        shape->sizes[0] = is_ndim ? source->ndim : source->sizes[parameter->dimension];
        shape->names[0] = is_ndim ? "" : source->names[parameter->dimension];
    }
}

static void thaw_infer_tokens(const thaw_known *known, const thaw_table_shape *wanted, thaw_symbols *shape) {
    thaw_symbols stack[THAW_TABLE_STACK], *top = stack; /* of one size each */
    const thaw_table_token *token = wanted->tokens;
    while (shape->ndim < wanted->count) {
        const thaw_table_token *at = token++;
        if (at->what == ',') {
            --top;
            shape->sizes[shape->ndim] = top->sizes[0];
            shape->names[shape->ndim++] = top->names[0];
        } else if (at->what == 'p' || at->what == 'n') {
            const thaw_symbols *value = at->what == 'p' ? &known[at->value].shape : NULL;
            top->sizes[0] = value == NULL ? at->value : value->ndim < 0 ? -1 : value->sizes[0];
            top->names[0] = value == NULL || value->ndim < 0 ? "" : value->names[0];
            ++top;
        } else {
            const int64_t left = top[-2].sizes[0], right = top[-1].sizes[0];
            const int is_known = left >= 0 && right >= 0 && left < INT32_MAX && right < INT32_MAX;
            --top;
            top[-1].names[0] = "";
            top[-1].sizes[0] = !is_known          ? -1
                               : at->what == '+'  ? left + right
                               : at->what == '-'  ? left - right
                               : at->what == '*'  ? left * right
                               : right == 0       ? -1
                                                  : left / right;
        }
    }
}

static void thaw_infer_broadcast(const thaw_symbols *first, const thaw_symbols *second, thaw_symbols *shape) {
    int i;
    if (first->ndim < 0 || second->ndim < 0) return;
    shape->ndim = first->ndim > second->ndim ? first->ndim : second->ndim;
    for (i = 1; i <= shape->ndim; ++i) {
        const int64_t left = i <= first->ndim ? first->sizes[first->ndim - i] : 1;
        const int64_t right = i <= second->ndim ? second->sizes[second->ndim - i] : 1;
        const thaw_symbols *chosen = left == 1 || (left < 0 && right != 1) ? second : first;
        const int is_unknown = left < 0 && right < 0;
        shape->sizes[shape->ndim - i] = is_unknown ? -1 : chosen->sizes[chosen->ndim - i];
        shape->names[shape->ndim - i] = is_unknown ? "" : chosen->names[chosen->ndim - i];
    }
}

/* Tells the session the dtype of an output, and its shape. Sizes that cannot be are left to thaw_compute(). */
static void *thaw_infer_output(const void *api, void *context, size_t index, int type, thaw_symbols *shape) {
    void *info, *status;
    int i;
    for (i = 0; i < shape->ndim; ++i) {
        if (shape->sizes[i] < -1) shape->sizes[i] = -1;
    }
    status = ORT(api, CreateTensorTypeAndShapeInfo)(&info);
    if (status != NULL) return status;
    status = ORT(api, SetTensorElementType)(info, type);
    if (status == NULL) status = ORT(api, SetDimensions)(info, shape->sizes, (size_t)shape->ndim);
    if (status == NULL) status = ORT(api, SetSymbolicDimensions)(info, shape->names, (size_t)shape->ndim);
    if (status == NULL) status = ORT(api, ShapeInferContext_SetOutputTypeShape)(context, index, info);
    ORT(api, ReleaseTensorTypeAndShapeInfo)(info);
    return status;
}

/* The variant for the dtypes of the inputs: a session asks the first op of a name for all of them. */
static const thaw_table_variant *thaw_infer_variant(const thaw_table_operator *op, const thaw_known *known) {
    int i, k;
    for (k = 0; k < op->variant_count; ++k) {
        int fits = 1;
        for (i = 0; fits && i < op->parameter_count; ++i) {
            fits = known[i].type == 0 || known[i].type == thaw_ort_types[op->variants[k].dtypes[i]];
        }
        if (fits) return &op->variants[k];
    }
    return &op->variants[0];
}

static void *thaw_infer(const thaw_ort_op *ours, void *context) {
    const thaw_table_operator *op = ours->table;
    const thaw_table_variant *variant;
    const void *api = ours->api;
    thaw_known known[THAW_ORT_PARAMETERS];
    size_t inputs = 0, outputs = 0, count;
    void *status = ORT(api, ShapeInferContext_GetInputCount)(context, &count);
    int i;
    for (i = 0; i < op->parameter_count; ++i) {
        known[i].type = 0;
        known[i].shape.ndim = -1;
        known[i].shape.names[0] = "";
    }
    for (i = 0; status == NULL && i < op->parameter_count; ++i) {
        const thaw_table_parameter *parameter = &op->parameters[i];
        if (thaw_is_input(parameter) && inputs < count) {
            status = thaw_infer_input(api, context, inputs++, &known[i]);
        } else if (thaw_is_attribute(parameter) && parameter->role <= THAW_ROLE_INTEGER) {
            status = thaw_infer_attribute(api, context, parameter, &known[i].shape);
        }
    }
    for (i = 0; i < op->parameter_count; ++i) {
        const thaw_table_parameter *parameter = &op->parameters[i];
        if (parameter->source != 0) {
            thaw_infer_source(parameter, &known[parameter->source - 1].shape, &known[i].shape);
        }
    }
    variant = thaw_infer_variant(op, known);
    for (i = 0; status == NULL && i < op->parameter_count; ++i) {
        const thaw_table_shape *wanted = op->parameters[i].shapes;
        thaw_symbols shape = {0};
        if (!thaw_is_output(&op->parameters[i])) continue;
        if (wanted->sizes < 0) {
            thaw_infer_tokens(known, wanted, &shape);
        } else if (wanted->more_sizes < 0) {
            shape = known[wanted->sizes].shape;
        } else {
            shape.ndim = -1;
            thaw_infer_broadcast(&known[wanted->sizes].shape, &known[wanted->more_sizes].shape, &shape);
        }
        /* Nothing says whether a node has an optional output; of one that it lacks nothing may be told. */
        if (shape.ndim >= 0 && !op->parameters[i].is_nullable) {
            status = thaw_infer_output(api, context, outputs, thaw_ort_types[variant->dtypes[i]], &shape);
        }
        ++outputs;
    }
    return status;
}

/* Whether a session may ask for shapes: ONNX Runtime 1.17 to 1.22 crashes over a node without an input that comes before
 * another one. Sessions run such operators without knowing their shapes before. */
static int thaw_can_infer(const thaw_table_operator *op) {
    int i, has_optional = 0;
    for (i = 0; i < op->parameter_count; ++i) {
        if (!thaw_is_input(&op->parameters[i])) continue;
        if (has_optional) return 0;
        has_optional = op->parameters[i].is_nullable;
    }
    return 1;
}

/* ---- Registration ---- */

static thaw_ort_op thaw_make_op(const void *api, int is_fast, const thaw_table_operator *table,
                                const thaw_table_variant *variant) {
    const thaw_ort_op op = {
        .version = THAW_ORT_API_VERSION, .GetName = thaw_op_name, .GetExecutionProviderType = thaw_op_provider,
        .GetInputType = thaw_input_type, .GetInputTypeCount = thaw_input_count, .GetOutputType = thaw_output_type,
        .GetOutputTypeCount = thaw_output_count, .KernelDestroy = thaw_destroy_kernel,
        .GetInputCharacteristic = thaw_input_kind, .GetOutputCharacteristic = thaw_output_kind,
        .GetInputMemoryType = thaw_input_memory, .GetVariadicInputMinArity = thaw_no_variadic,
        .GetVariadicInputHomogeneity = thaw_no_variadic, .GetVariadicOutputMinArity = thaw_no_variadic,
        .GetVariadicOutputHomogeneity = thaw_no_variadic, .CreateKernelV2 = thaw_create_kernel,
        .KernelComputeV2 = thaw_compute,
        .InferOutputShapeFn = thaw_can_infer(table) ? thaw_infer : NULL, .GetStartVersion = thaw_first_version,
        .GetEndVersion = thaw_last_version, .api = api, .is_fast = is_fast, .table = table, .variant = variant,
    };
    return op;
}

/* A runtime's domain with all operators. It is made once and kept: sessions need it as long as they live. */
typedef struct thaw_domain {
    struct thaw_domain *next;
    const void *api;
    void *domain;
    thaw_ort_op ops[THAW_ORT_OPS];
} thaw_domain;

static void *thaw_make_domain(const void *api, int is_fast, thaw_domain *made) {
    const thaw_table *table = thaw_ort_table();
    size_t count = 0, i;
    int k;
    void *status = ORT(api, CreateCustomOpDomain)(THAW_ORT_DOMAIN, &made->domain);
    if (status != NULL) return status;
    for (i = 0; i < sizeof thaw_ort_names / sizeof *thaw_ort_names; ++i) {
        const thaw_table_operator *op = table->find(thaw_ort_names[i]);
        for (k = 0; status == NULL && k < op->variant_count; ++k) {
            made->ops[count] = thaw_make_op(api, is_fast, op, &op->variants[k]);
            status = ORT(api, CustomOpDomain_Add)(made->domain, &made->ops[count++]);
        }
    }
    if (status == NULL) return NULL;
    ORT(api, ReleaseCustomOpDomain)(made->domain);
    return status;
}

/* The domain for an OrtApi; NULL with a status. */
static thaw_domain *thaw_domain_of(const void *api, int is_fast, void **status) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static thaw_domain *first;
    thaw_domain *found;
    pthread_mutex_lock(&lock);
    for (found = first; found != NULL && found->api != api; found = found->next) continue;
    if (found == NULL) {
        found = calloc(1, sizeof *found);
        *status = found == NULL ? ORT(api, CreateStatus)(THAW_ORT_FAIL, "expected memory for operators, got none")
                                : thaw_make_domain(api, is_fast, found);
        if (*status == NULL) {
            found->api = api;
            found->next = first;
            first = found;
        } else {
            free(found);
        }
    }
    pthread_mutex_unlock(&lock);
    return *status == NULL ? found : NULL;
}

/* What SessionOptions.register_custom_ops_library calls. Gives a status, NULL for success. */
__attribute__((visibility("default"))) void *RegisterCustomOps(void *session_options, const thaw_ort_api_base *base);
void *RegisterCustomOps(void *session_options, const thaw_ort_api_base *base) {
    const void *api = base->GetApi(THAW_ORT_API_VERSION);
    const thaw_domain *domain;
    void *status = NULL;
    int minor = 0;
    if (api == NULL) {
        char text[128];
        snprintf(text, sizeof text, "%s: expected ONNX Runtime 1.%d or a later one, got %s", THAW_ORT_DOMAIN,
                 THAW_ORT_API_VERSION, base->GetVersionString());
        return ORT(base->GetApi(1), CreateStatus)(THAW_ORT_FAIL, text);
    }
    sscanf(base->GetVersionString(), "1.%d", &minor); /* GetApi() prints a message where it has no such version */
    domain = thaw_domain_of(api, minor >= THAW_ORT_FAST_VERSION, &status);
    return domain == NULL ? status : ORT(api, AddCustomOpDomain)(session_options, domain->domain);
}
