/* TH/THLogAdd.h: sums of numbers given by their logarithms. */
#ifndef TH_LOG_ADD_INC
#define TH_LOG_ADD_INC

#include "THGeneral.h"

TH_EXTERNC const double THLog2Pi; /* log(2 pi) */
TH_EXTERNC const double THLogZero; /* -DBL_MAX, stands for log(0) */
TH_EXTERNC const double THLogOne; /* 0 */

/* log(exp(log_a) + exp(log_b)); the larger one where they differ by more than 18.42. */
TH_API double THLogAdd(double log_a, double log_b);

/* log(exp(log_a) - exp(log_b)). Error: log_a < log_b. THLogZero where they are equal. */
TH_API double THLogSub(double log_a, double log_b);

/* exp(-x) from a polynomial, for x >= 0; 0 above 13. */
TH_API double THExpMinusApprox(const double x);

#endif
