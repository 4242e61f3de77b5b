/* turn.h: a pair on complex arrays, with a backward in PyTorch's convention. */
#include <stdint.h>
#include <torchthaw/annotate.h>

/* y = (2 + i) x + conj(x). */
THAW_ELEMENTWISE
void turn_forward(const double _Complex *x THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim,
                  double _Complex *y THAW_LIKE(shape, ndim));
THAW_BACKWARD_OF(turn_forward)
void turn_backward(const double _Complex *grad_y THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim,
                   double _Complex *grad_x THAW_LIKE(shape, ndim));
