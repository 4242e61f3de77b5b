/* tests/derivatives/foreign.c: the functions of foreign.h. */
#include "foreign.h"

long foreign_padded(foreign_border border, long length) { return border == FOREIGN_ZERO ? length : 2 * length; }
long foreign_length(const foreign_options *options) { return foreign_padded(options->border, options->length); }

#define FUNCTIONS(real, forward, backward)                                                                             \
    void forward(const real *x, const real *weight, long rows, long columns, double decay, real *y) {                  \
        for (long r = 0; r < rows; r++) {                                                                              \
            double state = 0;                                                                                          \
            for (long c = 0; c < columns; c++)                                                                         \
                y[r * columns + c] = (real)(state = decay * state + weight[c] * x[r * columns + c]);                   \
        }                                                                                                              \
    }                                                                                                                  \
    void backward(const real *gy, const real *x, const real *weight, long rows, long columns, double decay, real *gx,  \
                  real *gweight) {                                                                                     \
        for (long c = 0; c < columns; c++) gweight[c] = 0;                                                             \
        for (long r = 0; r < rows; r++) {                                                                              \
            double state = 0;                                                                                          \
            for (long c = columns - 1; c >= 0; c--) {                                                                  \
                state = gy[r * columns + c] + decay * state;                                                           \
                gx[r * columns + c] = (real)(weight[c] * state);                                                       \
                gweight[c] += (real)(x[r * columns + c] * state);                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

FUNCTIONS(double, leaky, leaky_grad)
FUNCTIONS(float, leaky_f, leaky_grad_f)
