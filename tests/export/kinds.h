/* kinds.h: an operator for each kind of parameter that my_lib.h has none of. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <torchthaw/annotate.h>

THAW_ERROR_MESSAGE
const char *kinds_message(void);

THAW_NUM_THREADS
int kinds_limit(int num_threads);

/* y = x * by, in place where `keep` is not 0. */
void kinds_scale(float *x THAW_SHAPE(rows, columns) THAW_INOUT, int32_t rows, int32_t columns, float by, bool keep,
                 float *y THAW_SHAPE(columns * (rows + 1) / 2 - 0, 2));

/* What broadcasting gives, filled with the number of elements. */
void kinds_broadcast(const float *x THAW_LIKE(shape1, ndim1), const int64_t *shape1, int64_t ndim1,
                     const float *y THAW_LIKE(shape2, ndim2), const int64_t *shape2, int64_t ndim2,
                     float *z THAW_BROADCAST(shape1, ndim1, shape2, ndim2), int64_t *count THAW_SHAPE());

/* An array of any elements; the caller says the sizes, and their number fits 8 bits. */
THAW_STATUS
int kinds_fill(const float *x THAW_SHAPE(n), uint8_t n, const int64_t *sizes, int64_t ndim,
               float *y THAW_LIKE(sizes, ndim) THAW_ALIAS(x), int fails);

THAW_STATUS
int kinds_empty(const float *x THAW_SHAPE(n), int64_t n, void *scratch THAW_WORKSPACE(bytes, kinds_bytes(n)),
                size_t bytes, float *y THAW_SHAPE(n));
size_t kinds_bytes(int64_t n);

THAW_STATUS
int kinds_i64(const int64_t *x THAW_SHAPE(n), int64_t n, int64_t *y THAW_SHAPE(n));
THAW_STATUS THAW_VARIANT_OF(kinds_i64)
int kinds_bool(const bool *x, int64_t n, bool *y);

/* y = the number of threads that this call may use. */
THAW_STATUS
int kinds_threads(const float *x THAW_SHAPE(n), int64_t n, int32_t *y THAW_SHAPE(n), int fails);

/* No operators of other hosts. */
THAW_STATUS
int kinds_callback(const float *x THAW_SHAPE(n), int64_t n, void (*each)(float));
double kinds_sum(const float *x THAW_SHAPE(n), int64_t n);
