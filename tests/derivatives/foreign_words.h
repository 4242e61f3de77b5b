/* tests/derivatives/foreign_words.h: words for the functions of foreign.h, which is not edited. */
#include "foreign.h"
#include <torchthaw/annotate.h>

THAW_BATCH(rows) THAW_AUTOCAST(lower)
void leaky(const double *x THAW_SHAPE(rows, columns), const double *weight THAW_SHAPE(columns), long rows, long columns,
           double decay, double *y THAW_SHAPE(rows, columns));
THAW_BACKWARD_OF(leaky)
void leaky_grad(const double *gy THAW_SHAPE(rows, columns) THAW_GRADIENT_OF(y),
                const double *x THAW_SHAPE(rows, columns), const double *weight THAW_SHAPE(columns), long rows,
                long columns, double decay, double *gx THAW_SHAPE(rows, columns) THAW_GRADIENT_OF(x),
                double *gweight THAW_SHAPE(columns) THAW_GRADIENT_OF(weight));

THAW_VARIANT_OF(leaky)
void leaky_f(const float *x, const float *weight, long rows, long columns, double decay, float *y);
THAW_VARIANT_OF(leaky_grad)
void leaky_grad_f(const float *gy, const float *x, const float *weight, long rows, long columns, double decay, float *gx,
                  float *gweight);
