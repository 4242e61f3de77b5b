#include <complex.h>

#include "turn.h"

static int64_t count(const int64_t *shape, int64_t ndim) {
    int64_t found = 1;
    for (int64_t i = 0; i < ndim; ++i) found *= shape[i];
    return found;
}

void turn_forward(const double _Complex *x, const int64_t *shape, int64_t ndim, double _Complex *y) {
    for (int64_t i = 0; i < count(shape, ndim); ++i) y[i] = (2 + I) * x[i] + conj(x[i]);
}

void turn_backward(const double _Complex *grad_y, const int64_t *shape, int64_t ndim, double _Complex *grad_x) {
    for (int64_t i = 0; i < count(shape, ndim); ++i) grad_x[i] = (2 - I) * grad_y[i] + conj(grad_y[i]);
}
