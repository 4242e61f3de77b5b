/* kinds.c: what kinds.h declares. */
#include "kinds.h"

#include <string.h>

static _Thread_local const char *message;

const char *kinds_message(void) { return message; }

static _Thread_local int limit = 5;

int kinds_limit(int num_threads) {
    const int before = limit;
    limit = num_threads;
    return before;
}

int kinds_threads(const float *x, int64_t n, int32_t *y, int fails) {
    (void)x;
    if (fails) return 0;
    for (int64_t i = 0; i < n; ++i) y[i] = limit;
    return 1;
}

void kinds_scale(float *x, int32_t rows, int32_t columns, float by, bool keep, float *y) {
    const int64_t count = (int64_t)rows * columns, wanted = columns * (rows + 1) / 2 * 2;
    for (int64_t i = 0; i < count && !keep; ++i) x[i] *= by;
    for (int64_t i = 0; i < wanted; ++i) y[i] = by;
}

void kinds_broadcast(const float *x, const int64_t *shape1, int64_t ndim1, const float *y, const int64_t *shape2,
                     int64_t ndim2, float *z, int64_t *count) {
    int64_t first = 1, second = 1;
    (void)x, (void)y;
    for (int64_t i = 0; i < ndim1; ++i) first *= shape1[i];
    for (int64_t i = 0; i < ndim2; ++i) second *= shape2[i];
    if (first && second) z[0] = (float)first;
    *count = first * second;
}

int kinds_fill(const float *x, uint8_t n, const int64_t *sizes, int64_t ndim, float *y, int fails) {
    int64_t count = 1;
    (void)x;
    message = fails == 1 ? "fails: expected 0, got 1" : "";
    if (fails) return 0;
    for (int64_t i = 0; i < ndim; ++i) count *= sizes[i];
    for (int64_t i = 0; i < count; ++i) y[i] = n;
    return 1;
}

size_t kinds_bytes(int64_t n) {
    message = n == 3 ? "n: expected another number than 3, got 3" : NULL;
    return n == 3 || n == 4 ? SIZE_MAX : (size_t)n;
}

int kinds_empty(const float *x, int64_t n, void *scratch, size_t bytes, float *y) {
    (void)x;
    if (bytes > 0) memset(scratch, 1, bytes);
    for (int64_t i = 0; i < n; ++i) y[i] = (float)bytes;
    return 1;
}

int kinds_i64(const int64_t *x, int64_t n, int64_t *y) {
    for (int64_t i = 0; i < n; ++i) y[i] = -x[i];
    return 1;
}

int kinds_bool(const bool *x, int64_t n, bool *y) {
    for (int64_t i = 0; i < n; ++i) y[i] = !x[i];
    return 1;
}

int kinds_callback(const float *x, int64_t n, void (*each)(float)) {
    for (int64_t i = 0; i < n; ++i) each(x[i]);
    return 1;
}

double kinds_sum(const float *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += x[i];
    return sum;
}
