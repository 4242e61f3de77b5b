/* silu.h: y = x / (1 + exp(-x)) and its gradient, on n numbers. */
#include <stdint.h>
#include <torchthaw/annotate.h>

THAW_ELEMENTWISE
void silu_forward(const double *x THAW_SHAPE(n), int64_t n, double *y THAW_SHAPE(n));

THAW_BACKWARD_OF(silu_forward)
void silu_backward(const double *grad_y THAW_SHAPE(n), const double *x THAW_SHAPE(n), int64_t n,
                   double *grad_x THAW_SHAPE(n));
