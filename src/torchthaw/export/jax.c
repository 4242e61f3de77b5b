/* ---- What an operator of the table is in XLA: arrays that are read are arguments, those that are written are results,
 * numbers and sizes that no array determines are attributes. The attribute `torchthaw.arrays` has a bit for each array
 * that is there, `torchthaw.num_threads` limits the threads of the call; the workspace is one more result. ---- */

enum { THAW_JAX_MAJOR = 0, THAW_JAX_MINOR = 1 }; /* the lowest version of XLA's interface that has all that is used */

static const unsigned char thaw_jax_dtypes[] = {
    [XLA_FFI_DataType_PRED] = THAW_DTYPE_BOOL,      [XLA_FFI_DataType_S8] = THAW_DTYPE_INT8,
    [XLA_FFI_DataType_S16] = THAW_DTYPE_INT16,      [XLA_FFI_DataType_S32] = THAW_DTYPE_INT32,
    [XLA_FFI_DataType_S64] = THAW_DTYPE_INT64,      [XLA_FFI_DataType_U8] = THAW_DTYPE_UINT8,
    [XLA_FFI_DataType_U16] = THAW_DTYPE_UINT16,     [XLA_FFI_DataType_U32] = THAW_DTYPE_UINT32,
    [XLA_FFI_DataType_U64] = THAW_DTYPE_UINT64,     [XLA_FFI_DataType_F16] = THAW_DTYPE_FLOAT16,
    [XLA_FFI_DataType_F32] = THAW_DTYPE_FLOAT32,    [XLA_FFI_DataType_F64] = THAW_DTYPE_FLOAT64,
    [XLA_FFI_DataType_BF16] = THAW_DTYPE_BFLOAT16,  [XLA_FFI_DataType_C64] = THAW_DTYPE_COMPLEX64,
    [XLA_FFI_DataType_C128] = THAW_DTYPE_COMPLEX128,
};

static XLA_FFI_Error *thaw_jax_fail(const XLA_FFI_CallFrame *frame, const char *message) {
    XLA_FFI_Error_Create_Args args = {.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE};
    args.message = message;
    args.errc = XLA_FFI_Error_Code_INVALID_ARGUMENT;
    return frame->api->XLA_FFI_Error_Create(&args);
}

/* The runtime asks for the version before it calls a handler. */
static int thaw_jax_says_version(const XLA_FFI_CallFrame *frame) {
    XLA_FFI_Extension_Base *extension = frame->extension_start;
    XLA_FFI_Metadata *metadata;
    if (extension == NULL || extension->type != XLA_FFI_Extension_Metadata) return 0;
    metadata = ((XLA_FFI_Metadata_Extension *)extension)->metadata;
    metadata->api_version.major_version = THAW_JAX_MAJOR;
    metadata->api_version.minor_version = THAW_JAX_MINOR;
    metadata->traits = 0;
    return 1;
}

/* The numbers of an attribute, and how many; NULL: there is none of this name. */
static const void *thaw_jax_attribute(const XLA_FFI_Attrs *attrs, const char *name, int *count) {
    const size_t length = strlen(name);
    int64_t i;
    for (i = 0; i < attrs->size; ++i) {
        if (attrs->names[i]->len != length || memcmp(attrs->names[i]->ptr, name, length) != 0) continue;
        if (attrs->types[i] == XLA_FFI_AttrType_SCALAR) return *count = 1, ((XLA_FFI_Scalar *)attrs->attrs[i])->value;
        if (attrs->types[i] != XLA_FFI_AttrType_ARRAY) break;
        *count = (int)((XLA_FFI_Array *)attrs->attrs[i])->size;
        return ((XLA_FFI_Array *)attrs->attrs[i])->data;
    }
    return *count = 0, NULL;
}

/* Describes an array; returns its bytes. */
static size_t thaw_jax_describe(const XLA_FFI_Buffer *buffer, thaw_table_argument *argument) {
    const size_t dtype = (size_t)buffer->dtype;
    size_t bytes;
    int k;
    argument->data = buffer->data;
    argument->dtype = dtype < sizeof thaw_jax_dtypes ? thaw_jax_dtypes[dtype] : THAW_DTYPE_ANY;
    argument->ndim = (int)buffer->rank;
    argument->shape = buffer->dims;
    bytes = thaw_jax_bytes[argument->dtype];
    for (k = 0; k < argument->ndim; ++k) bytes *= (size_t)argument->shape[k];
    return bytes;
}

/* Fills in an argument from arrays and attributes; 0: the call has fewer than the operator. */
static int thaw_jax_read(const XLA_FFI_CallFrame *frame, const thaw_table_parameter *parameter, int is_there,
                         int64_t *arg, int64_t *ret, thaw_table_argument *argument) {
    const int is_read = parameter->role == THAW_ROLE_INPUT || parameter->role == THAW_ROLE_INOUT;
    argument->data = NULL;
    argument->dtype = THAW_DTYPE_ANY;
    argument->ndim = THAW_ABSENT;
    if (parameter->role <= THAW_ROLE_INOUT) {
        size_t bytes = 0;
        const void *given = NULL;
        if (!is_there) return 1;
        if (is_read) {
            if (*arg >= frame->args.size) return 0;
            bytes = thaw_jax_describe(frame->args.args[(*arg)++], argument);
            given = argument->data;
        }
        if (parameter->role == THAW_ROLE_INPUT) return 1;
        if (*ret >= frame->rets.size) return 0;
        if (thaw_jax_describe(frame->rets.rets[(*ret)++], argument) < bytes) return 0;
        if (bytes > 0 && argument->data != given) memcpy(argument->data, given, bytes);
    } else if (parameter->source == 0 && parameter->role <= THAW_ROLE_BOOLEAN) {
        int count;
        const void *value = thaw_jax_attribute(&frame->attrs, parameter->name, &count);
        if (parameter->role == THAW_ROLE_SIZES) {
            argument->ndim = count;
            argument->shape = value;
            return value != NULL || count == 0;
        }
        if (value == NULL || count != 1) return 0;
        if (parameter->role == THAW_ROLE_REAL) memcpy(&argument->real, value, sizeof argument->real);
        else memcpy(&argument->integer, value, sizeof argument->integer);
    }
    return 1;
}

static XLA_FFI_Error *thaw_jax_run(const XLA_FFI_CallFrame *frame, int index) {
    const thaw_table *table = thaw_jax_table();
    const thaw_table_operator *op = &table->operators[index];
    thaw_table_argument arguments[THAW_JAX_PARAMETERS];
    thaw_table_call call;
    int64_t arg = 0, ret = 0; /* the next array */
    uint64_t arrays = 0;
    int64_t num_threads = 0;
    int i, count;
    const void *value;
    if (thaw_jax_says_version(frame)) return NULL;
    value = thaw_jax_attribute(&frame->attrs, "torchthaw.arrays", &count);
    if (value != NULL) memcpy(&arrays, value, sizeof arrays);
    value = thaw_jax_attribute(&frame->attrs, "torchthaw.num_threads", &count);
    if (value != NULL) memcpy(&num_threads, value, sizeof num_threads);
    for (i = 0; i < op->parameter_count; ++i) {
        if (!thaw_jax_read(frame, &op->parameters[i], (int)(arrays >> i & 1), &arg, &ret, &arguments[i])) {
            return thaw_jax_fail(frame, "expected a call by the Python module that was generated with this library");
        }
    }
    call.op = op;
    call.arguments = arguments;
    call.workspace = call.stream = NULL;
    call.num_threads = num_threads < INT_MAX ? (int)num_threads : INT_MAX;
    if (!table->shapes(&call)) return thaw_jax_fail(frame, call.message);
    if (call.workspace_size > 0) {
        thaw_table_argument room;
        if (ret >= frame->rets.size || thaw_jax_describe(frame->rets.rets[ret], &room) < call.workspace_size) {
            return thaw_jax_fail(frame, "workspace: expected a result that is large enough for it, got a smaller one");
        }
        call.workspace = room.data;
    }
    return table->call(&call) ? NULL : thaw_jax_fail(frame, call.message);
}

/* ---- Handlers ---- */

