/* tests/bridge/probe_kernels/probe_kernels.c: see probe_kernels.h. */
#include "probe_kernels.h"

#include <math.h>
#include <string.h>

static _Thread_local int code;
static _Thread_local const char *message = "";

const char *probe_message(void) { return message; }
int probe_code(void) { return code; }

static int fail(int what, const char *why) {
    code = what;
    message = why;
    return 0;
}

#define SCALE(name, T) \
    int name(const T *input, const T *bias, double by, int64_t rows, int64_t columns, T *output) { \
        if (isnan(by)) return fail(PROBE_BAD_VALUE, "by: expected a number, got NaN"); \
        if (isinf(by)) return fail(PROBE_BROKEN, "the machine broke"); \
        for (int64_t i = 0; i < rows * columns; ++i) { \
            output[i] = (T)by * input[i] + (bias == NULL ? 0 : bias[i % columns]); \
        } \
        return 1; \
    }
SCALE(scale, float)
SCALE(scale_f64, double)

void accumulate(const float *input, const int64_t *shape, int64_t ndim, float *total) {
    int64_t count = 1;
    for (int64_t i = 0; i < ndim; ++i) count *= shape[i];
    for (int64_t i = 0; i < count; ++i) total[i] += input[i];
}

void add(const float *a, const int64_t *shape1, int64_t ndim1, const float *b, const int64_t *shape2, int64_t ndim2,
         float *output) {
    const int64_t n1 = ndim1 > 0 ? shape1[0] : 1, n2 = ndim2 > 0 ? shape2[0] : 1;
    const int64_t count = n1 == 1 ? n2 : n1;
    for (int64_t i = 0; i < count; ++i) output[i] = a[n1 == 1 ? 0 : i] + b[n2 == 1 ? 0 : i];
}

void numbers(const double *like, int8_t a, uint16_t b, int64_t c, float d, double e, bool f, double *output) {
    const double all[] = {a, b, (double)c, d, e, f};
    (void)like;
    memcpy(output, all, sizeof all);
}

#define PROBE_ARGUMENT(i) , const double *x##i
#define PROBE_STORE(i) output[i] = x##i == NULL ? -1 : *x##i;
void many(const double *like PROBE_MANY(PROBE_ARGUMENT), double *output) {
    (void)like;
    PROBE_MANY(PROBE_STORE)
}

void full(const int32_t *value, const int64_t *shape, int64_t ndim, int32_t *output) {
    int64_t count = 1;
    for (int64_t i = 0; i < ndim; ++i) count *= shape[i];
    for (int64_t i = 0; i < count; ++i) output[i] = *value;
}

size_t reversed_workspace_size(int64_t count) { return (size_t)count; }

void reversed(const uint8_t *input, int64_t count, uint8_t *output, void *workspace, size_t workspace_size) {
    uint8_t *copy = workspace;
    if (workspace_size < (size_t)count) return;
    for (int64_t i = 0; i < count; ++i) copy[count - 1 - i] = input[i];
    if (count > 0) memcpy(output, copy, (size_t)count);
}

int omp_get_max_threads(void) __attribute__((weak));

void thread_count(const float *like, int64_t *output) {
    (void)like;
    *output = omp_get_max_threads == NULL ? 0 : omp_get_max_threads();
}

void twice(double *values, int64_t count) {
    for (int64_t i = 0; i < count; ++i) values[i] *= 2;
}

void bytes(const void *from, int64_t count, uint8_t *to) { memcpy(to, from, (size_t)count); }

void handles(struct probe_handle *handle, float *output) { *output = handle == NULL; }
