#ifndef ANNOTATED_H
#define ANNOTATED_H

#include <stddef.h>
#include <stdint.h>

#include <torchthaw/annotate.h>

enum { ANNOTATED_VALUE = 1, ANNOTATED_DEVICE = 2 };
THAW_ERROR_MESSAGE
const char *annotated_message(void);
THAW_ERROR_CODE(ANNOTATED_DEVICE)
int annotated_code(void);

/* output = factor * input; a negative factor is ANNOTATED_VALUE, a factor of 99 ANNOTATED_DEVICE. */
THAW_STATUS
int scale(const float *input THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim, double factor,
          float *output THAW_LIKE(shape, ndim) THAW_ALIAS(input));
THAW_VARIANT_OF(scale)
int scale_f64(const double *input, const int64_t *shape, int64_t ndim, double factor, double *output);
THAW_STATUS THAW_BACKWARD_OF(scale)
int scale_backward(const float *grad_output THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim, double factor,
                   float *grad_input THAW_LIKE(shape, ndim) THAW_NULLABLE);

/* Adds the sums of rows to `sums`, and gives the largest of them. */
size_t row_sums_workspace_size(int64_t rows, int64_t columns);
void row_sums(const float *input THAW_SHAPE(rows, columns), const float *weights THAW_SHAPE(columns) THAW_NULLABLE,
              int64_t rows, int64_t columns, float *sums THAW_SHAPE(rows) THAW_INOUT, float *largest THAW_SHAPE(),
              void *workspace THAW_WORKSPACE(workspace_size, row_sums_workspace_size(rows, columns)),
              size_t workspace_size);

/* output = a + b */
void plus(const float *a THAW_LIKE(shape1, ndim1), const int64_t *shape1, int64_t ndim1,
          const float *b THAW_LIKE(shape2, ndim2), const int64_t *shape2, int64_t ndim2,
          float *output THAW_BROADCAST(shape1, ndim1, shape2, ndim2), int64_t count);

/* The exponents of bfloat16 numbers. */
void exponents(const thaw_bfloat16 *input THAW_SHAPE(count), int64_t count, int32_t *output THAW_SHAPE(count));

#endif
