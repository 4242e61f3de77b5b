#include "silu.h"

#include <math.h>

void silu_forward(const double *x, int64_t n, double *y) {
    for (int64_t i = 0; i < n; i++) y[i] = x[i] / (1 + exp(-x[i]));
}

void silu_backward(const double *grad_y, const double *x, int64_t n, double *grad_x) {
    for (int64_t i = 0; i < n; i++) {
        const double sigmoid = 1 / (1 + exp(-x[i]));
        grad_x[i] = grad_y[i] * sigmoid * (1 + x[i] * (1 - sigmoid));
    }
}
