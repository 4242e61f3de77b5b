/* host.c: a host in C: calls operators through my_lib's table, and prints what it gets. */
#include "my_lib_table.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static thaw_table_argument array(float *data, int dtype, int ndim, const int64_t *shape) {
    thaw_table_argument argument = {0};
    argument.data = data;
    argument.dtype = dtype;
    argument.ndim = ndim;
    argument.shape = shape;
    return argument;
}

static void print(const thaw_table_argument *argument) {
    const float *value = argument->data;
    int64_t i, count = 1;
    int k;
    for (k = 0; k < argument->ndim; ++k) count *= argument->shape[k];
    for (i = 0; i < count; ++i) printf("%a ", (double)value[i]);
}

/* Makes the outputs and the workspace, and computes. */
static int compute(const thaw_table *table, thaw_table_call *call) {
    int i, k, done;
    if (!table->shapes(call)) return 0;
    for (i = 0; i < call->op->parameter_count; ++i) {
        thaw_table_argument *argument = &call->arguments[i];
        int64_t count = 1;
        if (call->op->parameters[i].role != THAW_ROLE_OUTPUT || argument->ndim < 0) continue;
        for (k = 0; k < argument->ndim; ++k) count *= argument->shape[k];
        argument->data = malloc((size_t)count * sizeof(float));
    }
    call->workspace = malloc(call->workspace_size);
    done = table->call(call);
    free(call->workspace);
    return done;
}

static void release(thaw_table_call *call) {
    int i;
    for (i = 0; i < call->op->parameter_count; ++i) {
        if (call->op->parameters[i].role == THAW_ROLE_OUTPUT) free(call->arguments[i].data);
    }
}

int main(void) {
    const thaw_table *table = my_lib_table();
    const int64_t shape[] = {2, 3}, state[] = {2, 2}, of_weights[] = {6, 5}, of_bias[] = {6};
    float x[6], weights[30], bias[6] = {0}, h[4] = {1, 1, 1, 1}, cell[4] = {1, 1, 1, 1};
    thaw_table_argument linear[MOST] = {{0}}, lltm[MOST] = {{0}};
    thaw_table_call call = {0};
    int i;
    for (i = 0; i < 6; ++i) x[i] = (float)i / 7;
    for (i = 0; i < 30; ++i) weights[i] = (float)i / 31;

    call.op = &table->operators[MY_LIB_TABLE_MY_LIB_LINEAR_FORWARD];
    call.arguments = linear;
    linear[MY_LIB_MY_LIB_LINEAR_FORWARD_INPUT] = array(x, THAW_DTYPE_FLOAT32, 2, shape);
    linear[MY_LIB_MY_LIB_LINEAR_FORWARD_WEIGHT] = array(x, THAW_DTYPE_FLOAT32, 2, shape);
    linear[MY_LIB_MY_LIB_LINEAR_FORWARD_BIAS].ndim = THAW_ABSENT;
    linear[MY_LIB_MY_LIB_LINEAR_FORWARD_OUTPUT].ndim = THAW_UNKNOWN;
    if (!compute(table, &call)) return 1;
    print(&linear[MY_LIB_MY_LIB_LINEAR_FORWARD_OUTPUT]);
    printf("\n");
    release(&call);

    call.op = table->find("lltm_forward");
    call.arguments = lltm;
    lltm[MY_LIB_LLTM_FORWARD_INPUT] = array(x, THAW_DTYPE_FLOAT32, 2, shape);
    lltm[MY_LIB_LLTM_FORWARD_WEIGHTS] = array(weights, THAW_DTYPE_FLOAT32, 2, of_weights);
    lltm[MY_LIB_LLTM_FORWARD_BIAS] = array(bias, THAW_DTYPE_FLOAT32, 1, of_bias);
    lltm[MY_LIB_LLTM_FORWARD_OLD_H] = array(h, THAW_DTYPE_FLOAT32, 2, state);
    lltm[MY_LIB_LLTM_FORWARD_OLD_CELL] = array(cell, THAW_DTYPE_FLOAT32, 2, state);
    lltm[MY_LIB_LLTM_FORWARD_NEW_H].ndim = THAW_UNKNOWN;
    lltm[MY_LIB_LLTM_FORWARD_NEW_CELL].ndim = THAW_UNKNOWN;
    lltm[MY_LIB_LLTM_FORWARD_GATES].ndim = THAW_ABSENT;
    if (!compute(table, &call)) return 2;
    print(&lltm[MY_LIB_LLTM_FORWARD_NEW_H]);
    print(&lltm[MY_LIB_LLTM_FORWARD_NEW_CELL]);
    printf("\n");
    release(&call);

    call.op = table->find("my_lib_linear_forward");
    call.arguments = linear;
    linear[MY_LIB_MY_LIB_LINEAR_FORWARD_WEIGHT] = array(x, THAW_DTYPE_FLOAT32, 2, state);
    linear[MY_LIB_MY_LIB_LINEAR_FORWARD_OUTPUT] = array(h, THAW_DTYPE_FLOAT32, 2, state);
    if (table->shapes(&call) || table->call(&call)) return 3;
    if (table->shapes(&call)) return 4;
    printf("%s\n", call.message);
    linear[MY_LIB_MY_LIB_LINEAR_FORWARD_INPUT].dtype = THAW_DTYPE_INT64;
    if (table->shapes(&call)) return 5;
    printf("%s\n", call.message);
    printf(h[0] == 1 && h[3] == 1 ? "nothing was written\n" : "written\n");
    return 0;
}
