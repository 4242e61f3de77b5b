/* tests/legacy/headers/generic_types_body.h: generic code, included once per type. */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic_types_body.h"
#else

static accreal THTensor_(total)(THTensor *t) {
  accreal sum = TH_CONVERT_REAL_TO_ACCREAL(0);
  TH_TENSOR_APPLY(real, t, sum += *t_data;);
  return sum;
}

static void THTensor_(describe)(const char **name, size_t *bytes, size_t *sum_bytes, double *largest) {
  *name = TH_CONCAT_STRING_2(Real, Tensor);
  *bytes = sizeof(real);
  *sum_bytes = sizeof(accreal);
  *largest = (double)THInf;
  {
    THStorage *s = THStorage_(newWithSize1)(TH_CONVERT_ACCREAL_TO_REAL(3));
    THTensor *t = THTensor_(newWithStorage1d)(s, 0, 1, 1);
    CHECK(THTensor_(total)(t) == 3 && THBlas_(dot)(1, s->data, 1, s->data, 1) == 9);
    THVector_(fill)(s->data, 4, 1);
    CHECK(THStorage_(get)(s, 0) == 4);
    THTensor_(free)(t);
    THStorage_(free)(s);
  }
}

#endif
