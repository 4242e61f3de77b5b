/* bindings/javascript/src/my_lib.c: the functions of my_lib.h as functions of JavaScript, by Node-API.
 *
 * Arguments are those of C: a Float32Array or null for an array, a BigInt64Array for a shape and its ndim, a number for
 * a size, a Uint8Array or null for workspace and workspace_size. C works on the arrays' own memory; their lengths are
 * compared with the sizes, so that no call reaches beyond them. Functions return what C returns. */
#define NAPI_VERSION 8
#include <node_api.h>
#include <stdarg.h>
#include <stdio.h>

#include "my_lib.h"

enum { MAX_ARGUMENTS = 20 };

struct call {
    napi_env env;
    napi_value arguments[MAX_ARGUMENTS];
    int failed; /* an exception is pending */
};

/* Arguments that are missing are undefined. */
static struct call begin(napi_env env, napi_callback_info info) {
    struct call call = {.env = env};
    size_t count = MAX_ARGUMENTS;
    call.failed = napi_get_cb_info(env, info, &count, call.arguments, NULL, NULL) != napi_ok;
    return call;
}

__attribute__((format(printf, 2, 3))) static void type_error(struct call *call, const char *format, ...) {
    char text[200];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    napi_throw_type_error(call->env, NULL, text);
    call->failed = 1;
}

struct view {
    void *data; /* NULL for null and undefined */
    size_t length;
    int is_given;
};

static struct view view(struct call *call, size_t index, const char *name, napi_typedarray_type type,
                        const char *type_name) {
    struct view view = {NULL, 0, 0};
    napi_value value = call->arguments[index];
    napi_typedarray_type got;
    napi_valuetype kind;
    if (call->failed) return view;
    if (napi_get_typedarray_info(call->env, value, &got, &view.length, &view.data, NULL, NULL) == napi_ok) {
        view.is_given = 1;
        if (got == type) return view;
    } else if (napi_typeof(call->env, value, &kind) == napi_ok && (kind == napi_null || kind == napi_undefined)) {
        return view;
    }
    type_error(call, "%s: expected a %s or null, got another value", name, type_name);
    return view;
}

/* An array of so many elements, or NULL. A count below 0 is that of sizes that C refuses. */
static float *array(struct call *call, size_t index, const char *name, int64_t count) {
    struct view got = view(call, index, name, napi_float32_array, "Float32Array");
    if (!call->failed && got.is_given && count >= 0 && got.length != (size_t)count)
        type_error(call, "%s: expected %lld elements, got %zu", name, (long long)count, got.length);
    return got.data;
}

static const int64_t *shape(struct call *call, size_t index, const char *name, int64_t *ndim) {
    struct view got = view(call, index, name, napi_bigint64_array, "BigInt64Array");
    *ndim = (int64_t)got.length;
    return got.data;
}

static void *bytes(struct call *call, size_t index, const char *name, size_t *size) {
    struct view got = view(call, index, name, napi_uint8_array, "Uint8Array");
    *size = got.length;
    return got.data;
}

static int64_t size(struct call *call, size_t index, const char *name) {
    int64_t value = 0;
    if (!call->failed && napi_get_value_int64(call->env, call->arguments[index], &value) != napi_ok)
        type_error(call, "%s: expected a number, got another value", name);
    return value;
}

/* Of sizes that C refuses, because one is negative or they overflow, product and sum are -1. */
static int64_t product(const int64_t *sizes, int64_t count) {
    int64_t result = 1;
    for (int64_t i = 0; i < count; ++i)
        if (sizes[i] < 0 || __builtin_mul_overflow(result, sizes[i], &result)) return -1;
    return result;
}

static int64_t sum(int64_t a, int64_t b) {
    int64_t result;
    return a < 0 || b < 0 || __builtin_add_overflow(a, b, &result) ? -1 : result;
}

#define PRODUCT(...) \
    product((const int64_t[]){__VA_ARGS__}, (int64_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

static napi_value number(napi_env env, double value) {
    napi_value result = NULL;
    napi_create_double(env, value, &result);
    return result;
}

static napi_value integer(napi_env env, int value) {
    napi_value result = NULL;
    napi_create_int32(env, value, &result);
    return result;
}

static napi_value text(napi_env env, const char *value) {
    napi_value result = NULL;
    napi_create_string_utf8(env, value, NAPI_AUTO_LENGTH, &result);
    return result;
}

static napi_value call_my_lib_version(napi_env env, napi_callback_info info) {
    (void)info;
    return text(env, my_lib_version());
}

static napi_value call_my_lib_build_info(napi_env env, napi_callback_info info) {
    (void)info;
    return text(env, my_lib_build_info());
}

static napi_value call_my_lib_last_error_code(napi_env env, napi_callback_info info) {
    (void)info;
    return integer(env, my_lib_last_error_code());
}

static napi_value call_my_lib_last_error_message(napi_env env, napi_callback_info info) {
    (void)info;
    return text(env, my_lib_last_error_message());
}

static napi_value call_my_lib_error_name(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t code = size(&call, 0, "code");
    if (call.failed) return NULL;
    return text(env, my_lib_error_name((int)code));
}

static napi_value call_my_lib_set_num_threads(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t count = size(&call, 0, "num_threads");
    if (!call.failed && count != (int)count)
        type_error(&call, "num_threads: expected an int, got %lld", (long long)count);
    if (call.failed) return NULL;
    return integer(env, my_lib_set_num_threads((int)count));
}

static napi_value call_my_lib_get_num_threads(napi_env env, napi_callback_info info) {
    (void)info;
    return integer(env, my_lib_get_num_threads());
}

static napi_value call_my_lib_add_forward(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t ndim1, ndim2;
    const int64_t *shape1 = shape(&call, 1, "shape1", &ndim1);
    const int64_t *shape2 = shape(&call, 3, "shape2", &ndim2);
    float *input1 = array(&call, 0, "input1", product(shape1, ndim1));
    float *input2 = array(&call, 2, "input2", product(shape2, ndim2));
    float *output = array(&call, 4, "output", product(shape1, ndim1));
    if (call.failed) return NULL;
    return integer(env, my_lib_add_forward(input1, shape1, ndim1, input2, shape2, ndim2, output));
}

static napi_value call_my_lib_add_backward(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t ndim;
    const int64_t *sizes = shape(&call, 1, "shape", &ndim);
    float *grad_output = array(&call, 0, "grad_output", product(sizes, ndim));
    float *grad_input1 = array(&call, 2, "grad_input1", product(sizes, ndim));
    float *grad_input2 = array(&call, 3, "grad_input2", product(sizes, ndim));
    if (call.failed) return NULL;
    return integer(env, my_lib_add_backward(grad_output, sizes, ndim, grad_input1, grad_input2));
}

static napi_value call_my_lib_linear_forward(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t batch = size(&call, 3, "batch");
    int64_t in_features = size(&call, 4, "in_features");
    int64_t out_features = size(&call, 5, "out_features");
    float *input = array(&call, 0, "input", PRODUCT(batch, in_features));
    float *weight = array(&call, 1, "weight", PRODUCT(out_features, in_features));
    float *bias = array(&call, 2, "bias", PRODUCT(out_features));
    float *output = array(&call, 6, "output", PRODUCT(batch, out_features));
    size_t workspace_size;
    void *workspace = bytes(&call, 7, "workspace", &workspace_size);
    if (call.failed) return NULL;
    return integer(env, my_lib_linear_forward(input, weight, bias, batch, in_features, out_features, output, workspace,
                                              workspace_size));
}

static napi_value call_my_lib_linear_forward_workspace_size(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t batch = size(&call, 0, "batch");
    int64_t in_features = size(&call, 1, "in_features");
    int64_t out_features = size(&call, 2, "out_features");
    if (call.failed) return NULL;
    return number(env, (double)my_lib_linear_forward_workspace_size(batch, in_features, out_features));
}

static napi_value call_my_lib_linear_backward(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t batch = size(&call, 3, "batch");
    int64_t in_features = size(&call, 4, "in_features");
    int64_t out_features = size(&call, 5, "out_features");
    float *grad_output = array(&call, 0, "grad_output", PRODUCT(batch, out_features));
    float *input = array(&call, 1, "input", PRODUCT(batch, in_features));
    float *weight = array(&call, 2, "weight", PRODUCT(out_features, in_features));
    float *grad_input = array(&call, 6, "grad_input", PRODUCT(batch, in_features));
    float *grad_weight = array(&call, 7, "grad_weight", PRODUCT(out_features, in_features));
    float *grad_bias = array(&call, 8, "grad_bias", PRODUCT(out_features));
    size_t workspace_size;
    void *workspace = bytes(&call, 9, "workspace", &workspace_size);
    if (call.failed) return NULL;
    return integer(env, my_lib_linear_backward(grad_output, input, weight, batch, in_features, out_features, grad_input,
                                               grad_weight, grad_bias, workspace, workspace_size));
}

static napi_value call_my_lib_linear_backward_workspace_size(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t batch = size(&call, 0, "batch");
    int64_t in_features = size(&call, 1, "in_features");
    int64_t out_features = size(&call, 2, "out_features");
    if (call.failed) return NULL;
    return number(env, (double)my_lib_linear_backward_workspace_size(batch, in_features, out_features));
}

static napi_value call_lltm_forward(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t batch = size(&call, 5, "batch");
    int64_t input_size = size(&call, 6, "input_size");
    int64_t state_size = size(&call, 7, "state_size");
    int64_t width = sum(state_size, input_size);
    float *input = array(&call, 0, "input", PRODUCT(batch, input_size));
    float *weights = array(&call, 1, "weights", PRODUCT(3, state_size, width));
    float *bias = array(&call, 2, "bias", PRODUCT(3, state_size));
    float *old_h = array(&call, 3, "old_h", PRODUCT(batch, state_size));
    float *old_cell = array(&call, 4, "old_cell", PRODUCT(batch, state_size));
    float *new_h = array(&call, 8, "new_h", PRODUCT(batch, state_size));
    float *new_cell = array(&call, 9, "new_cell", PRODUCT(batch, state_size));
    float *gates = array(&call, 10, "gates", PRODUCT(batch, 3, state_size));
    size_t workspace_size;
    void *workspace = bytes(&call, 11, "workspace", &workspace_size);
    if (call.failed) return NULL;
    return integer(env, lltm_forward(input, weights, bias, old_h, old_cell, batch, input_size, state_size, new_h,
                                     new_cell, gates, workspace, workspace_size));
}

static napi_value call_lltm_forward_workspace_size(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t batch = size(&call, 0, "batch");
    int64_t input_size = size(&call, 1, "input_size");
    int64_t state_size = size(&call, 2, "state_size");
    if (call.failed) return NULL;
    return number(env, (double)lltm_forward_workspace_size(batch, input_size, state_size));
}

static napi_value call_lltm_backward(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t batch = size(&call, 7, "batch");
    int64_t input_size = size(&call, 8, "input_size");
    int64_t state_size = size(&call, 9, "state_size");
    int64_t width = sum(state_size, input_size);
    float *grad_h = array(&call, 0, "grad_h", PRODUCT(batch, state_size));
    float *grad_cell = array(&call, 1, "grad_cell", PRODUCT(batch, state_size));
    float *new_cell = array(&call, 2, "new_cell", PRODUCT(batch, state_size));
    float *gates = array(&call, 3, "gates", PRODUCT(batch, 3, state_size));
    float *input = array(&call, 4, "input", PRODUCT(batch, input_size));
    float *old_h = array(&call, 5, "old_h", PRODUCT(batch, state_size));
    float *weights = array(&call, 6, "weights", PRODUCT(3, state_size, width));
    float *d_input = array(&call, 10, "d_input", PRODUCT(batch, input_size));
    float *d_weights = array(&call, 11, "d_weights", PRODUCT(3, state_size, width));
    float *d_bias = array(&call, 12, "d_bias", PRODUCT(3, state_size));
    float *d_old_h = array(&call, 13, "d_old_h", PRODUCT(batch, state_size));
    float *d_old_cell = array(&call, 14, "d_old_cell", PRODUCT(batch, state_size));
    size_t workspace_size;
    void *workspace = bytes(&call, 15, "workspace", &workspace_size);
    if (call.failed) return NULL;
    return integer(env, lltm_backward(grad_h, grad_cell, new_cell, gates, input, old_h, weights, batch, input_size,
                                      state_size, d_input, d_weights, d_bias, d_old_h, d_old_cell, workspace,
                                      workspace_size));
}

static napi_value call_lltm_backward_workspace_size(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t batch = size(&call, 0, "batch");
    int64_t input_size = size(&call, 1, "input_size");
    int64_t state_size = size(&call, 2, "state_size");
    if (call.failed) return NULL;
    return number(env, (double)lltm_backward_workspace_size(batch, input_size, state_size));
}

static napi_value call_lltm_sequence_forward(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t seq_len = size(&call, 5, "seq_len");
    int64_t batch = size(&call, 6, "batch");
    int64_t input_size = size(&call, 7, "input_size");
    int64_t state_size = size(&call, 8, "state_size");
    int64_t width = sum(state_size, input_size);
    float *input = array(&call, 0, "input", PRODUCT(seq_len, batch, input_size));
    float *weights = array(&call, 1, "weights", PRODUCT(3, state_size, width));
    float *bias = array(&call, 2, "bias", PRODUCT(3, state_size));
    float *old_h = array(&call, 3, "old_h", PRODUCT(batch, state_size));
    float *old_cell = array(&call, 4, "old_cell", PRODUCT(batch, state_size));
    float *h = array(&call, 9, "h", PRODUCT(seq_len, batch, state_size));
    float *cell = array(&call, 10, "cell", PRODUCT(seq_len, batch, state_size));
    float *gates = array(&call, 11, "gates", PRODUCT(seq_len, batch, 3, state_size));
    size_t workspace_size;
    void *workspace = bytes(&call, 12, "workspace", &workspace_size);
    if (call.failed) return NULL;
    return integer(env, lltm_sequence_forward(input, weights, bias, old_h, old_cell, seq_len, batch, input_size,
                                              state_size, h, cell, gates, workspace, workspace_size));
}

static napi_value call_lltm_sequence_forward_workspace_size(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t seq_len = size(&call, 0, "seq_len");
    int64_t batch = size(&call, 1, "batch");
    int64_t input_size = size(&call, 2, "input_size");
    int64_t state_size = size(&call, 3, "state_size");
    if (call.failed) return NULL;
    return number(env, (double)lltm_sequence_forward_workspace_size(seq_len, batch, input_size, state_size));
}

static napi_value call_lltm_sequence_backward(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t seq_len = size(&call, 10, "seq_len");
    int64_t batch = size(&call, 11, "batch");
    int64_t input_size = size(&call, 12, "input_size");
    int64_t state_size = size(&call, 13, "state_size");
    int64_t width = sum(state_size, input_size);
    float *grad_h = array(&call, 0, "grad_h", PRODUCT(seq_len, batch, state_size));
    float *grad_last_h = array(&call, 1, "grad_last_h", PRODUCT(batch, state_size));
    float *grad_last_cell = array(&call, 2, "grad_last_cell", PRODUCT(batch, state_size));
    float *cell = array(&call, 3, "cell", PRODUCT(seq_len, batch, state_size));
    float *gates = array(&call, 4, "gates", PRODUCT(seq_len, batch, 3, state_size));
    float *input = array(&call, 5, "input", PRODUCT(seq_len, batch, input_size));
    float *h = array(&call, 6, "h", PRODUCT(seq_len, batch, state_size));
    float *old_h = array(&call, 7, "old_h", PRODUCT(batch, state_size));
    float *old_cell = array(&call, 8, "old_cell", PRODUCT(batch, state_size));
    float *weights = array(&call, 9, "weights", PRODUCT(3, state_size, width));
    float *d_input = array(&call, 14, "d_input", PRODUCT(seq_len, batch, input_size));
    float *d_weights = array(&call, 15, "d_weights", PRODUCT(3, state_size, width));
    float *d_bias = array(&call, 16, "d_bias", PRODUCT(3, state_size));
    float *d_old_h = array(&call, 17, "d_old_h", PRODUCT(batch, state_size));
    float *d_old_cell = array(&call, 18, "d_old_cell", PRODUCT(batch, state_size));
    size_t workspace_size;
    void *workspace = bytes(&call, 19, "workspace", &workspace_size);
    if (call.failed) return NULL;
    return integer(env, lltm_sequence_backward(grad_h, grad_last_h, grad_last_cell, cell, gates, input, h, old_h,
                                               old_cell, weights, seq_len, batch, input_size, state_size, d_input,
                                               d_weights, d_bias, d_old_h, d_old_cell, workspace, workspace_size));
}

static napi_value call_lltm_sequence_backward_workspace_size(napi_env env, napi_callback_info info) {
    struct call call = begin(env, info);
    int64_t seq_len = size(&call, 0, "seq_len");
    int64_t batch = size(&call, 1, "batch");
    int64_t input_size = size(&call, 2, "input_size");
    int64_t state_size = size(&call, 3, "state_size");
    if (call.failed) return NULL;
    return number(env, (double)lltm_sequence_backward_workspace_size(seq_len, batch, input_size, state_size));
}

/* Each Node environment, of which every worker thread has one, calls this. */
NAPI_MODULE_INIT() {
#define FUNCTION(NAME) {#NAME, NULL, call_##NAME, NULL, NULL, NULL, napi_default, NULL}
    const napi_property_descriptor functions[] = {
        FUNCTION(my_lib_version),
        FUNCTION(my_lib_build_info),
        FUNCTION(my_lib_last_error_code),
        FUNCTION(my_lib_last_error_message),
        FUNCTION(my_lib_error_name),
        FUNCTION(my_lib_set_num_threads),
        FUNCTION(my_lib_get_num_threads),
        FUNCTION(my_lib_add_forward),
        FUNCTION(my_lib_add_backward),
        FUNCTION(my_lib_linear_forward),
        FUNCTION(my_lib_linear_forward_workspace_size),
        FUNCTION(my_lib_linear_backward),
        FUNCTION(my_lib_linear_backward_workspace_size),
        FUNCTION(lltm_forward),
        FUNCTION(lltm_forward_workspace_size),
        FUNCTION(lltm_backward),
        FUNCTION(lltm_backward_workspace_size),
        FUNCTION(lltm_sequence_forward),
        FUNCTION(lltm_sequence_forward_workspace_size),
        FUNCTION(lltm_sequence_backward),
        FUNCTION(lltm_sequence_backward_workspace_size),
    };
#undef FUNCTION
    napi_define_properties(env, exports, sizeof functions / sizeof functions[0], functions);
    return exports;
}
