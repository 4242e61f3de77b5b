static const struct {
    const char *name;
    size_t bytes;
} thaw_dtypes[] = {{"another dtype", 1},
#define THAW_TABLE_ROW(name, words, bytes) {words, bytes},
                   THAW_TABLE_DTYPES(THAW_TABLE_ROW)};

static const char *thaw_dtype_name(int dtype) {
    return thaw_dtypes[dtype > 0 && dtype < THAW_DTYPE_COUNT ? dtype : 0].name;
}

static size_t thaw_dtype_bytes(int dtype) {
    return thaw_dtypes[dtype > 0 && dtype < THAW_DTYPE_COUNT ? dtype : 0].bytes;
}

/* ---- Messages ---- */

/* Adds to the message; returns 0, as what failed does. */
static int thaw_say(thaw_table_call *call, const char *format, ...) {
    const size_t length = strlen(call->message);
    va_list values;
    va_start(values, format);
    vsnprintf(call->message + length, sizeof call->message - length, format, values);
    va_end(values);
    return 0;
}

static void thaw_say_shape(thaw_table_call *call, const int64_t *shape, int64_t ndim) {
    int64_t i;
    thaw_say(call, "(");
    for (i = 0; i < ndim; ++i) thaw_say(call, i > 0 ? ", %" PRId64 : "%" PRId64, shape[i]);
    thaw_say(call, ndim == 1 ? ",)" : ")");
}

/* "shape1=(3,), ndim1=1" */
static void thaw_say_integers(thaw_table_call *call, const thaw_table_parameter *parameters) {
    const char *comma = "";
    int i;
    for (i = 0; i < call->op->parameter_count; ++i) {
        const thaw_table_argument *argument = &call->arguments[i];
        const int is_sizes = parameters[i].role == THAW_ROLE_SIZES && argument->ndim > 0 && argument->shape != NULL;
        if (!is_sizes && parameters[i].role != THAW_ROLE_INTEGER) continue;
        thaw_say(call, "%s%s=", comma, parameters[i].name);
        if (is_sizes) thaw_say_shape(call, argument->shape, argument->ndim);
        else thaw_say(call, "%" PRId64, argument->integer);
        comma = ", ";
    }
}

/* ---- Sizes ---- */

static int64_t thaw_plus(int64_t left, int64_t right, int *bad) {
    if (right > 0 ? left > INT64_MAX - right : left < INT64_MIN - right) return *bad = 1, 0;
    return left + right;
}

static int64_t thaw_minus(int64_t left, int64_t right, int *bad) {
    if (right < 0 ? left > INT64_MAX + right : left < INT64_MIN + right) return *bad = 1, 0;
    return left - right;
}

static int64_t thaw_times(int64_t left, int64_t right, int *bad) {
    if (left == 0 || right == 0) return 0;
    if (left == INT64_MIN || right == INT64_MIN) return *bad |= left != 1 && right != 1, left == 1 ? right : left;
    if ((left < 0 ? -left : left) > INT64_MAX / (right < 0 ? -right : right)) return *bad = 1, 0;
    return left * right;
}

static int64_t thaw_over(int64_t left, int64_t right, int *bad) {
    if (left < 0 || right <= 0) return *bad = 1, 0;
    return left / right;
}

/* Computes the sizes of a shape. */
static void thaw_compute(const thaw_table_argument *arguments, const thaw_table_shape *shape, int64_t *sizes, int *bad) {
    int64_t stack[THAW_TABLE_STACK], *top = stack;
    const thaw_table_token *token = shape->tokens;
    const int64_t *end = sizes + shape->count;
    for (; sizes < end; ++token) {
        switch (token->what) {
        case 'p': *top++ = arguments[token->value].integer; continue;
        case 'n': *top++ = token->value; continue;
        case ',': *sizes++ = *--top; continue;
        default: break;
        }
        --top;
        switch (token->what) {
        case '+': top[-1] = thaw_plus(top[-1], *top, bad); break;
        case '-': top[-1] = thaw_minus(top[-1], *top, bad); break;
        case '*': top[-1] = thaw_times(top[-1], *top, bad); break;
        default: top[-1] = thaw_over(top[-1], *top, bad); break;
        }
    }
}

static int thaw_broadcast(const thaw_table_argument *first, const thaw_table_argument *second, int64_t *sizes,
                          int *bad) {
    const int ndim = first->ndim > second->ndim ? first->ndim : second->ndim;
    int i;
    for (i = 1; i <= ndim; ++i) {
        const int64_t size1 = i <= first->ndim ? first->shape[first->ndim - i] : 1;
        const int64_t size2 = i <= second->ndim ? second->shape[second->ndim - i] : 1;
        *bad |= size1 != size2 && size1 != 1 && size2 != 1;
        sizes[ndim - i] = size1 == 1 ? size2 : size1;
    }
    return ndim;
}

/* A shape that an array must have: its number of dimensions, -1 where the sizes of the call give none. */
static int thaw_expected(const thaw_table_argument *arguments, const thaw_table_shape *shape, int64_t *room,
                         const int64_t **sizes) {
    int bad = 0, ndim = shape->count, i;
    *sizes = room;
    if (shape->tokens != NULL || shape->sizes < 0) {
        thaw_compute(arguments, shape, room, &bad);
    } else if (shape->more_sizes >= 0) {
        ndim = thaw_broadcast(&arguments[shape->sizes], &arguments[shape->more_sizes], room, &bad);
    } else {
        ndim = arguments[shape->sizes].ndim;
        *sizes = arguments[shape->sizes].shape;
    }
    for (i = 0; i < ndim; ++i) bad |= (*sizes)[i] < 0;
    return bad ? -1 : ndim;
}

/* ---- shapes() ---- */

static int thaw_is_array(int role) { return role <= THAW_ROLE_INOUT; }

/* The C function for the dtypes of the arrays. */
static const thaw_table_variant *thaw_choose(thaw_table_call *call) {
    const thaw_table_operator *op = call->op;
    int i, k, dtype;
    for (i = 0; i < op->parameter_count; ++i) {
        if (!op->parameters[i].is_choosing || call->arguments[i].ndim < 0) continue;
        dtype = call->arguments[i].dtype;
        for (k = 0; k < op->variant_count; ++k) {
            if (op->variants[k].dtypes[i] == dtype) return &op->variants[k];
        }
        thaw_say(call, "%s: expected dtype ", op->parameters[i].name);
        for (k = 0; k < op->variant_count; ++k) {
            thaw_say(call, k > 0 ? " or %s" : "%s", thaw_dtype_name(op->variants[k].dtypes[i]));
        }
        thaw_say(call, ", got %s", thaw_dtype_name(dtype));
        return NULL;
    }
    return &op->variants[0];
}

/* Whether an argument is there, and has the variant's dtype; the dtype of an output that is not there yet is set. */
static int thaw_check_argument(thaw_table_call *call, const thaw_table_variant *variant, int i) {
    const thaw_table_parameter *parameter = &variant->parameters[i];
    thaw_table_argument *argument = &call->arguments[i];
    const int dtype = variant->dtypes[i], is_unknown = argument->ndim == THAW_UNKNOWN;
    if (argument->ndim == THAW_ABSENT && parameter->is_nullable) return 1;
    if (is_unknown && parameter->role == THAW_ROLE_OUTPUT) {
        if (parameter->shape_count == 0) return thaw_say(call, "%s: expected a shape, got none", parameter->name);
        if (dtype != THAW_DTYPE_ANY) argument->dtype = dtype;
        return 1;
    }
    if (argument->ndim < 0) return thaw_say(call, "%s: expected an array, got None", parameter->name);
    if (argument->ndim > THAW_TABLE_DIMENSIONS || (argument->ndim > 0 && argument->shape == NULL)) {
        return thaw_say(call, "%s: expected a shape of at most %d dimensions, got %s%d", parameter->name,
                        THAW_TABLE_DIMENSIONS, argument->shape == NULL ? "NULL for " : "", argument->ndim);
    }
    if (parameter->role == THAW_ROLE_SIZES) return 1;
    if (dtype == THAW_DTYPE_ANY || dtype == argument->dtype) return 1;
    return thaw_say(call, "%s: expected dtype %s, got %s", parameter->name, thaw_dtype_name(dtype),
                    thaw_dtype_name(argument->dtype));
}

/* Sets an integer or sizes that the shape of an array determines. */
static int thaw_fill(thaw_table_call *call, const thaw_table_parameter *parameters, int i) {
    const thaw_table_parameter *parameter = &parameters[i];
    const thaw_table_argument *source = &call->arguments[parameter->source - 1];
    thaw_table_argument *argument = &call->arguments[i];
    if (parameter->dimension == THAW_SOURCE_SHAPE) {
        argument->ndim = source->ndim;
        argument->shape = source->shape;
        return 1;
    }
    if (parameter->dimension >= source->ndim) {
        return thaw_say(call, "%s: expected at least %d dimensions, for %s, got %d",
                        parameters[parameter->source - 1].name, parameter->dimension + 1, parameter->name,
                        source->ndim);
    }
    argument->integer = parameter->dimension == THAW_SOURCE_NDIM ? source->ndim : source->shape[parameter->dimension];
    return 1;
}

static int thaw_check_integer(thaw_table_call *call, const thaw_table_parameter *parameter, int64_t value) {
    if (value >= parameter->least && value <= parameter->most) return 1;
    return thaw_say(call, "%s: expected an integer that fits %s, got %" PRId64, parameter->name, parameter->type,
                    value);
}

/* Whether an array has all of its shapes. That of an output that is not there yet is set by the first. */
static int thaw_check_shapes(thaw_table_call *call, const thaw_table_parameter *parameter, int i) {
    thaw_table_argument *argument = &call->arguments[i];
    const int64_t of_sizes = argument->ndim, *got = argument->shape, *sizes;
    int64_t room[THAW_TABLE_DIMENSIONS];
    int got_ndim = argument->ndim, which, ndim, fits, k;
    if (argument->ndim == THAW_ABSENT) return 1;
    if (parameter->role == THAW_ROLE_SIZES) { /* an array of one dimension */
        got = &of_sizes;
        got_ndim = 1;
    }
    for (which = 0; which < parameter->shape_count; ++which) {
        const int is_made = got_ndim == THAW_UNKNOWN;
        ndim = thaw_expected(call->arguments, &parameter->shapes[which], is_made ? argument->own_shape : room, &sizes);
        if (ndim < 0) {
            thaw_say(call, "%s: expected sizes that give its shape, got ", parameter->name);
            thaw_say_integers(call, call->op->parameters);
            return 0;
        }
        if (is_made) {
            argument->ndim = got_ndim = ndim;
            argument->shape = got = sizes;
            continue;
        }
        fits = ndim == got_ndim;
        if (fits && got == sizes) continue; /* it is the shape of this very array */
        for (k = 0; fits && k < ndim; ++k) fits = got[k] == sizes[k];
        if (fits) continue;
        thaw_say(call, "%s: expected shape ", parameter->name);
        thaw_say_shape(call, sizes, ndim);
        thaw_say(call, ", got ");
        thaw_say_shape(call, got, got_ndim);
        return 0;
    }
    return 1;
}

/* What the library says of its failure. */
static int thaw_say_failure(thaw_table_call *call, const thaw_table_variant *variant) {
    const char *text = thaw_error_message();
    if (text != NULL && *text != '\0') return thaw_say(call, "%s", text);
    return thaw_say(call, "%s: failed: it returned 0%s", variant->name,
                    text != NULL ? ", and the function with THAW_ERROR_MESSAGE gave no text"
                                 : "; a function with THAW_ERROR_MESSAGE in its header would give the reason");
}

static int thaw_ask_workspace(thaw_table_call *call, const thaw_table_variant *variant) {
    if (variant->workspace == NULL) return 1;
    call->workspace_size = variant->workspace(call);
    if (call->workspace_size != SIZE_MAX) return 1;
    call->workspace_size = 0;
    if (thaw_error_message() != NULL) return thaw_say_failure(call, variant);
    return thaw_say(call, "%s: expected sizes whose arrays fit in memory, got a workspace of SIZE_MAX bytes",
                    variant->name);
}

static int thaw_shapes(thaw_table_call *call) {
    const int count = call->op->parameter_count;
    const thaw_table_variant *variant;
    const thaw_table_parameter *parameters;
    int i, are_sizes;
    call->variant = NULL;
    call->workspace_size = 0;
    call->message[0] = '\0';
    variant = thaw_choose(call);
    if (variant == NULL) return 0;
    parameters = variant->parameters;
    for (i = 0; i < count; ++i) {
        const int is_sizes = parameters[i].role == THAW_ROLE_SIZES && parameters[i].source == 0;
        if ((is_sizes || thaw_is_array(parameters[i].role)) && !thaw_check_argument(call, variant, i)) return 0;
    }
    for (i = 0; i < count; ++i) {
        if (parameters[i].source != 0 && !thaw_fill(call, parameters, i)) return 0;
        if (parameters[i].role == THAW_ROLE_INTEGER &&
            !thaw_check_integer(call, &parameters[i], call->arguments[i].integer)) {
            return 0;
        }
    }
    for (are_sizes = 1; are_sizes >= 0; --are_sizes) { /* those first, which the shapes of others are read from */
        for (i = 0; i < count; ++i) {
            const int is_of_this_round = are_sizes ? parameters[i].role == THAW_ROLE_SIZES
                                                   : thaw_is_array(parameters[i].role);
            if (is_of_this_round && !thaw_check_shapes(call, &parameters[i], i)) return 0;
        }
    }
    if (!thaw_ask_workspace(call, variant)) return 0;
    call->variant = variant;
    return 1;
}

/* ---- call() ---- */

typedef struct thaw_span {
    uintptr_t begin, end; /* in memory */
    int parameter;
} thaw_span;

/* The bytes of an array or a workspace; 0 for what has no memory. */
static size_t thaw_bytes_of(const thaw_table_call *call, int i, int role) {
    const thaw_table_argument *argument = &call->arguments[i];
    size_t bytes;
    int k;
    if (role == THAW_ROLE_WORKSPACE) return call->workspace_size;
    if (!thaw_is_array(role) || argument->ndim < 0) return 0;
    bytes = thaw_dtype_bytes(argument->dtype);
    for (k = 0; k < argument->ndim; ++k) bytes *= (size_t)argument->shape[k];
    return bytes;
}

static int thaw_is_written(const thaw_table_parameter *parameter) {
    return parameter->role == THAW_ROLE_OUTPUT || parameter->role == THAW_ROLE_INOUT ||
           parameter->role == THAW_ROLE_WORKSPACE;
}

/* Whether an output may be the array of another parameter. */
static int thaw_may_be(const thaw_table_parameter *parameters, int output, int other) {
    return (parameters[output].aliases >> other & 1) != 0;
}

static int thaw_refuse_overlap(thaw_table_call *call, int output, int other) {
    const thaw_table_parameter *parameters = call->variant->parameters;
    const char *last = NULL;
    int i;
    if (thaw_is_written(&parameters[other]) && other > output) { /* of two outputs, the later one is to blame */
        i = output;
        output = other;
        other = i;
    }
    thaw_say(call, "%s: expected memory of its own", parameters[output].name);
    for (i = 0; i < call->op->parameter_count; ++i) {
        if (!thaw_may_be(parameters, output, i)) continue;
        if (last != NULL) thaw_say(call, ", %s's", last);
        last = parameters[i].name;
    }
    if (last != NULL) thaw_say(call, " or %s's", last);
    return thaw_say(call, ", got memory that overlaps %s%s", thaw_may_be(parameters, output, other) ? "a part of " : "",
                    parameters[other].name);
}

static int thaw_check_memory(thaw_table_call *call) {
    const thaw_table_parameter *parameters = call->variant->parameters;
    thaw_span spans[THAW_TABLE_PARAMETERS];
    const thaw_span *one, *other, *end;
    int i, count = 0;
    for (i = 0; i < call->op->parameter_count; ++i) {
        const size_t bytes = thaw_bytes_of(call, i, parameters[i].role);
        const void *data = parameters[i].role == THAW_ROLE_WORKSPACE ? call->workspace : call->arguments[i].data;
        if (bytes == 0) continue;
        if (data == NULL) {
            return thaw_say(call, "%s: expected at least %zu bytes, got None", parameters[i].name, bytes);
        }
        spans[count].begin = (uintptr_t)data;
        spans[count].end = (uintptr_t)data + bytes;
        spans[count++].parameter = i;
    }
    end = spans + count;
    for (one = spans; one < end; ++one) {
        if (!thaw_is_written(&parameters[one->parameter])) continue;
        for (other = spans; other < end; ++other) {
            const int is_same = one->begin == other->begin && one->end == other->end;
            if (other == one || one->begin >= other->end || other->begin >= one->end) continue;
            if (is_same && (thaw_may_be(parameters, one->parameter, other->parameter) ||
                            thaw_may_be(parameters, other->parameter, one->parameter))) {
                continue;
            }
            return thaw_refuse_overlap(call, one->parameter, other->parameter);
        }
    }
    return 1;
}

static int thaw_call(thaw_table_call *call) {
    int before = 0, done;
    call->message[0] = '\0';
    if (call->variant == NULL) {
        return thaw_say(call, "%s: expected a call() after shapes() has returned 1, got one before", call->op->name);
    }
    if (!thaw_check_memory(call)) return 0;
    if (call->num_threads > 0) before = thaw_limit_threads(call->num_threads);
    done = call->variant->run(call);
    if (call->num_threads > 0) thaw_limit_threads(before);
    return done || thaw_say_failure(call, call->variant);
}
