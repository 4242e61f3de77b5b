#include "pairs.h"

static int64_t count(const int64_t *shape, int64_t ndim) {
    int64_t found = 1;
    for (int64_t i = 0; i < ndim; ++i) found *= shape[i];
    return found;
}

int square(const double *x, const int64_t *shape, int64_t ndim, double *y) {
    for (int64_t i = 0; i < count(shape, ndim); ++i) y[i] = x[i] * x[i];
    return 1;
}

int square_backward(const double *grad_y, const double *x, const int64_t *shape, int64_t ndim, double *grad_x) {
    for (int64_t i = 0; i < count(shape, ndim); ++i) grad_x[i] = 2 * x[i] * grad_y[i];
    return 1;
}

int square_second(const double *grad_grad_x, const double *grad_y, const double *x, const int64_t *shape, int64_t ndim,
                  double *grad_grad_y, double *grad_x) {
    for (int64_t i = 0; i < count(shape, ndim); ++i) {
        grad_grad_y[i] = 2 * x[i] * grad_grad_x[i];
        grad_x[i] = 2 * grad_y[i] * grad_grad_x[i];
    }
    return 1;
}

int square_tangent(const double *tangent_x, const double *x, const int64_t *shape, int64_t ndim, double *tangent_y) {
    for (int64_t i = 0; i < count(shape, ndim); ++i) tangent_y[i] = 2 * x[i] * tangent_x[i];
    return 1;
}

int largest_forward(const float *x, int64_t rows, int64_t columns, float *value, int64_t *place) {
    for (int64_t row = 0; row < rows; ++row) {
        place[row] = 0;
        for (int64_t i = 1; i < columns; ++i)
            if (x[row * columns + i] > x[row * columns + place[row]]) place[row] = i;
        value[row] = x[row * columns + place[row]];
    }
    return 1;
}

int largest_backward(const float *grad_value, const int64_t *place, int64_t rows, int64_t columns, float *d_x) {
    for (int64_t i = 0; i < rows * columns; ++i) d_x[i] = place[i / columns] == i % columns ? grad_value[i / columns] : 0;
    return 1;
}

int masked_forward(const float *x, const float *mask, int64_t n, float *y) {
    for (int64_t i = 0; i < n; ++i) y[i] = mask[i] * x[i];
    return 1;
}

int masked_backward(const float *grad_y, const float *mask, int64_t n, float *grad_x) {
    for (int64_t i = 0; i < n; ++i) grad_x[i] = mask[i] * grad_y[i];
    return 1;
}

int sums_forward(const double *x, const int64_t *shape, int64_t ndim, double *y) {
    double sum = 0;
    for (int64_t i = 0; i < count(shape, ndim); ++i) y[i] = sum += x[i];
    return 1;
}

int sums_backward(const double *grad_y, const int64_t *shape, int64_t ndim, double *grad_x) {
    double sum = 0;
    for (int64_t i = count(shape, ndim) - 1; i >= 0; --i) grad_x[i] = sum += grad_y[i];
    return 1;
}

int wrong_forward(const double *x, const int64_t *shape, int64_t ndim, double *y) {
    for (int64_t i = 0; i < count(shape, ndim); ++i) y[i] = 3 * x[i];
    return 1;
}

int wrong_backward(const double *grad_y, const int64_t *shape, int64_t ndim, double *grad_x) {
    for (int64_t i = 0; i < count(shape, ndim); ++i) grad_x[i] = 2 * grad_y[i];
    return 1;
}

int minus_forward(const double *x, int64_t n, double *y) {
    for (int64_t i = 0; i < 3 * n; ++i) y[i] = -x[i];
    return 1;
}

int minus_backward(const double *grad_y, int64_t n, double *grad_x) { return minus_forward(grad_y, n, grad_x); }

int minus_one_forward(const double *x, double *y) {
    *y = -*x;
    return 1;
}

int minus_one_backward(const double *grad_y, double *grad_x) { return minus_one_forward(grad_y, grad_x); }
