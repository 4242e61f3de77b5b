/* tests/derivatives/foreign.h: a header as old libraries have it; foreign_words.h says what its functions compute. */
#ifndef FOREIGN_H
#define FOREIGN_H

typedef double foreign_real;
typedef enum { FOREIGN_ZERO, FOREIGN_REPEAT } foreign_border;
typedef struct { foreign_border border; long length; } foreign_options;

long foreign_length(const foreign_options *options);
long foreign_padded(foreign_border border, long length);

/* y[r][c] = decay * y[r][c - 1] + weight[c] * x[r][c] */
void leaky(const foreign_real *, const foreign_real *, long, long, foreign_real, foreign_real *);
void leaky_grad(const foreign_real gy[], const foreign_real x[], const foreign_real weight[], long rows, long columns,
                foreign_real decay, foreign_real gx[], foreign_real gweight[]);

/* The same in single precision. */
void leaky_f(const float *, const float *, long, long, foreign_real, float *);
void leaky_grad_f(const float gy[], const float x[], const float weight[], long rows, long columns, foreign_real decay,
                  float gx[], float gweight[]);

#endif
