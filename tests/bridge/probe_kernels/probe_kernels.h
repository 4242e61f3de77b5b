/* tests/bridge/probe_kernels/probe_kernels.h: functions whose PyTorch kernels are C, with all that these can meet. */
#ifndef PROBE_KERNELS_H
#define PROBE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <torchthaw/annotate.h>

#if defined(__cplusplus)
extern "C" {
#endif

struct probe_handle;

THAW_ERROR_MESSAGE
const char *probe_message(void);

enum { PROBE_BAD_VALUE = 1, PROBE_BROKEN = 2 };

THAW_ERROR_CODE(PROBE_BROKEN)
int probe_code(void);

/* output = by * input + bias. NaN is PROBE_BAD_VALUE, an infinite `by` PROBE_BROKEN. */
THAW_STATUS
int scale(const float *input THAW_SHAPE(rows, columns), const float *bias THAW_SHAPE(columns) THAW_NULLABLE, double by,
          int64_t rows, int64_t columns, float *output THAW_SHAPE(rows, columns) THAW_ALIAS(input));
THAW_VARIANT_OF(scale)
int scale_f64(const double *input, const double *bias, double by, int64_t rows, int64_t columns, double *output);

/* total += input. */
void accumulate(const float *input THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim,
                float *total THAW_LIKE(shape, ndim) THAW_INOUT);

/* output = a + b, for shapes that broadcast; one dimension. */
void add(const float *a THAW_LIKE(shape1, ndim1), const int64_t *shape1, int64_t ndim1,
         const float *b THAW_LIKE(shape2, ndim2), const int64_t *shape2, int64_t ndim2,
         float *output THAW_BROADCAST(shape1, ndim1, shape2, ndim2));

/* Every kind of number, as doubles. */
void numbers(const double *like THAW_SHAPE(), int8_t a, uint16_t b, int64_t c, float d, double e, bool f,
             double *output THAW_SHAPE(6));

/* More parameters than most functions have: output = all of them. */
#define PROBE_MANY(X) \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) \
    X(20) X(21) X(22) X(23) X(24) X(25)
#define PROBE_PARAMETER(i) , const double *x##i THAW_SHAPE() THAW_NULLABLE
void many(const double *like THAW_SHAPE() PROBE_MANY(PROBE_PARAMETER), double *output THAW_SHAPE(26));

/* An array of a shape that no argument has. */
void full(const int32_t *value THAW_SHAPE(), const int64_t *shape, int64_t ndim,
          int32_t *output THAW_LIKE(shape, ndim));

/* output = input backwards, through the workspace. */
void reversed(const uint8_t *input THAW_SHAPE(count), int64_t count, uint8_t *output THAW_SHAPE(count),
              void *workspace THAW_WORKSPACE(workspace_size, reversed_workspace_size(count)), size_t workspace_size);
size_t reversed_workspace_size(int64_t count);

/* What throws: 0 nothing, 1 std::runtime_error, 2 std::bad_alloc, 3 an int. */
void throwing(const float *input THAW_SHAPE(count), int64_t count, int64_t what, float *output THAW_SHAPE(count));

/* The number of the thread pool's threads, which PyTorch sets. */
void thread_count(const float *like THAW_SHAPE(), int64_t *output THAW_SHAPE());

/* Not annotated. */
void twice(double *values, int64_t count);
void bytes(const void *from, int64_t count, uint8_t *to);
void handles(struct probe_handle *handle, float *output);

#if defined(__cplusplus)
}
#endif

#endif
