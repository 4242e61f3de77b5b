/* tests/derivatives/pairs.h: functions of a user, with backwards of every kind. */
#include <stdint.h>
#include <torchthaw/annotate.h>

/* y = x^2, of any shape. */
THAW_STATUS THAW_ELEMENTWISE
int square(const double *x THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim, double *y THAW_LIKE(shape, ndim));
THAW_STATUS THAW_BACKWARD_OF(square)
int square_backward(const double *grad_y THAW_LIKE(shape, ndim), const double *x THAW_LIKE(shape, ndim),
                    const int64_t *shape, int64_t ndim, double *grad_x THAW_LIKE(shape, ndim));
THAW_STATUS THAW_BACKWARD_OF(square_backward)
int square_second(const double *grad_grad_x THAW_LIKE(shape, ndim), const double *grad_y THAW_LIKE(shape, ndim),
                  const double *x THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim,
                  double *grad_grad_y THAW_LIKE(shape, ndim), double *grad_x THAW_LIKE(shape, ndim));
THAW_STATUS THAW_TANGENT_OF(square)
int square_tangent(const double *tangent_x THAW_LIKE(shape, ndim), const double *x THAW_LIKE(shape, ndim),
                   const int64_t *shape, int64_t ndim, double *tangent_y THAW_LIKE(shape, ndim));

/* The largest of each row, and where it is. */
THAW_STATUS THAW_BATCH(rows)
int largest_forward(const float *x THAW_SHAPE(rows, columns), int64_t rows, int64_t columns,
                    float *value THAW_SHAPE(rows), int64_t *place THAW_SHAPE(rows));
THAW_STATUS THAW_BACKWARD_OF(largest_forward)
int largest_backward(const float *grad_value THAW_SHAPE(rows), const int64_t *place THAW_SHAPE(rows), int64_t rows,
                     int64_t columns, float *d_x THAW_SHAPE(rows, columns));

/* y = mask * x; the mask has no gradient. */
THAW_STATUS
int masked_forward(const float *x THAW_SHAPE(n), const float *mask THAW_SHAPE(n), int64_t n, float *y THAW_SHAPE(n));
THAW_STATUS THAW_BACKWARD_OF(masked_forward)
int masked_backward(const float *grad_y THAW_SHAPE(n), const float *mask THAW_SHAPE(n), int64_t n,
                    float *grad_x THAW_SHAPE(n));

/* Sums from the left: y[i] = x[0] + ... + x[i]. Wrongly called elementwise. */
THAW_STATUS THAW_ELEMENTWISE
int sums_forward(const double *x THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim, double *y THAW_LIKE(shape, ndim));
THAW_STATUS THAW_BACKWARD_OF(sums_forward)
int sums_backward(const double *grad_y THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim,
                  double *grad_x THAW_LIKE(shape, ndim));

/* y = 3 * x, with a wrong backward: grad_x = 2 * grad_y. */
THAW_STATUS THAW_ELEMENTWISE
int wrong_forward(const double *x THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim, double *y THAW_LIKE(shape, ndim));
THAW_STATUS THAW_BACKWARD_OF(wrong_forward)
int wrong_backward(const double *grad_y THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim,
                   double *grad_x THAW_LIKE(shape, ndim));

/* y = -x, of three numbers a row, and of one number. */
THAW_STATUS THAW_ELEMENTWISE
int minus_forward(const double *x THAW_SHAPE(n, 3), int64_t n, double *y THAW_SHAPE(n, 3));
THAW_STATUS THAW_BACKWARD_OF(minus_forward)
int minus_backward(const double *grad_y THAW_SHAPE(n, 3), int64_t n, double *grad_x THAW_SHAPE(n, 3));
THAW_STATUS THAW_ELEMENTWISE
int minus_one_forward(const double *x THAW_SHAPE(), double *y THAW_SHAPE());
THAW_STATUS THAW_BACKWARD_OF(minus_one_forward)
int minus_one_backward(const double *grad_y THAW_SHAPE(), double *grad_x THAW_SHAPE());
