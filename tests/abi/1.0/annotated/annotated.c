#include "annotated.h"

static _Thread_local int code;

const char *annotated_message(void) { return code == ANNOTATED_DEVICE ? "no device" : "factor: expected 0 or more"; }
int annotated_code(void) { return code; }

#define SCALE(name, T)                                                                                                 \
    int name(const T *input, const int64_t *shape, int64_t ndim, double factor, T *output) {                           \
        int64_t i, count = 1;                                                                                          \
        if (factor < 0) return code = ANNOTATED_VALUE, 0;                                                              \
        if (factor == 99) return code = ANNOTATED_DEVICE, 0;                                                           \
        for (i = 0; i < ndim; ++i) count *= shape[i];                                                                  \
        for (i = 0; output && i < count; ++i) output[i] = (T)(factor * input[i]);                                      \
        return 1;                                                                                                      \
    }
SCALE(scale, float)
SCALE(scale_f64, double)
SCALE(scale_backward, float)

size_t row_sums_workspace_size(int64_t rows, int64_t columns) {
    return rows < 0 || columns < 0 ? SIZE_MAX : (size_t)rows * sizeof(float);
}

void row_sums(const float *input, const float *weights, int64_t rows, int64_t columns, float *sums, float *largest,
              void *workspace, size_t workspace_size) {
    float *kept = (float *)workspace;
    int64_t i, j;
    *largest = 0;
    if (workspace_size < (size_t)rows * sizeof(float)) return;
    for (i = 0; i < rows; ++i) {
        kept[i] = 0;
        for (j = 0; j < columns; ++j) kept[i] += input[i * columns + j] * (weights ? weights[j] : 1);
        sums[i] += kept[i];
        if (sums[i] > *largest) *largest = sums[i];
    }
}

/* Of shapes (rows, columns) and (columns). */
void plus(const float *a, const int64_t *shape1, int64_t ndim1, const float *b, const int64_t *shape2, int64_t ndim2,
          float *output, int64_t count) {
    int64_t i, columns = ndim2 > 0 ? shape2[ndim2 - 1] : 1;
    (void)shape1;
    (void)ndim1;
    for (i = 0; i < count; ++i) output[i] = a[i] + b[i % columns];
}

void exponents(const thaw_bfloat16 *input, int64_t count, int32_t *output) {
    int64_t i;
    for (i = 0; i < count; ++i) output[i] = (input[i] >> 7 & 0xff) - 127;
}
