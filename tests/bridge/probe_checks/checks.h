/* tests/bridge/probe_checks/checks.h: annotated functions, which count how often C was reached. */
#ifndef CHECKS_H
#define CHECKS_H

#include <stddef.h>
#include <stdint.h>

#include "torchthaw/annotate.h"

enum { CHECKS_BAD_VALUE = 1, CHECKS_NO_DEVICE = 2, CHECKS_SILENT = 3 };

THAW_ERROR_CODE(CHECKS_NO_DEVICE)
int checks_error_code(void);

THAW_ERROR_MESSAGE
const char *checks_error_message(void);

/* How often one of the functions below ran. */
int64_t checks_count(void);

/* output = factor * input */
THAW_STATUS
int scale(const float *input THAW_LIKE(shape, ndim),
          const int64_t *shape, int64_t ndim, double factor,
          float *output      THAW_LIKE(shape, ndim) THAW_ALIAS(input));

/* output = input1 + input2, broadcast. */
THAW_STATUS
int add(const float *input1 THAW_LIKE(shape1, ndim1),
        const int64_t *shape1, int64_t ndim1,
        const float *input2 THAW_LIKE(shape2, ndim2),
        const int64_t *shape2, int64_t ndim2,
        float *output       THAW_BROADCAST(shape1, ndim1, shape2, ndim2) THAW_ALIAS(input1, input2));

/* output[i, j] = rows[i] * columns[j] + bias[j], sums[i] = sum of output[i] */
THAW_STATUS
int outer(const float *rows    THAW_SHAPE(m),
          const float *columns THAW_SHAPE(n),
          const float *bias    THAW_SHAPE(n) THAW_NULLABLE,
          int64_t m, int32_t n,
          float *output        THAW_SHAPE(m, n),
          float *sums          THAW_SHAPE(m) THAW_NULLABLE,
          void *workspace      THAW_WORKSPACE(workspace_size, outer_workspace_size(m, n)),
          size_t workspace_size);

/* 8 bytes for each of m * n elements. More than 1000 rows: SIZE_MAX and an error. */
size_t outer_workspace_size(int64_t m, int32_t n);

/* total += sum of input */
void accumulate(const float *input THAW_SHAPE(n), int64_t n, double *total THAW_SHAPE() THAW_INOUT);

/* output[i] = the sum of k elements from i * step on */
void windows(const float *input THAW_SHAPE(n), int64_t n, int64_t k, int64_t step,
             float *output      THAW_SHAPE((n - k) / step + 1));

/* How many bytes the text has. */
int64_t length(const uint8_t *text THAW_SHAPE(n), int64_t n);

/* The bits of the first element. */
int64_t bfloat16_bits(const thaw_bfloat16 *input THAW_SHAPE(n), int64_t n);
int64_t float16_bits(const thaw_float16 *input THAW_SHAPE(n), int64_t n);

/* Fails with this code, and a message unless it is CHECKS_SILENT; 0 succeeds. */
THAW_STATUS
int fail(int code);

/* The same; only cffi can call it. */
typedef struct {
    int code;
} checks_problem;
THAW_STATUS
int fail_by_struct(checks_problem problem, const float *input THAW_SHAPE(n), int64_t n);

/* Not annotated: neither shapes nor its result are anything to the bridge. */
int unchecked(const float *input, int64_t count, float *output);

#endif
