/* tests/legacy/headers/generic_types.c: the types, and generic code over them. */
#include "cases.h"

#include "generic_types_body.h"
#include <TH/THGenerateAllTypes.h>

#define TYPE_CASE(Type, c_type, sum_type, infinity)                                                                    \
  CASE(Type) {                                                                                                         \
    const char *name;                                                                                                  \
    size_t bytes, sum_bytes;                                                                                           \
    double largest;                                                                                                    \
    c_type *data = (c_type *)0;                                                                                        \
    sum_type (*sum)(TH##Type##Tensor *) = TH##Type##Tensor_total;                                                      \
    struct TH##Type##Storage storage = {data, 0, 0, 0, 0, 0, 0};                                                       \
    TH##Type##Tensor_describe(&name, &bytes, &sum_bytes, &largest);                                                    \
    CHECK(!strcmp(name, #Type "Tensor") && bytes == sizeof(c_type) && sum_bytes == sizeof(sum_type));                  \
    CHECK(largest == (double)(infinity) && sum && !storage.data);                                                      \
  }
TYPE_CASE(Byte, uint8_t, int64_t, UCHAR_MAX)
TYPE_CASE(Char, int8_t, int64_t, SCHAR_MAX)
TYPE_CASE(Short, int16_t, int64_t, SHRT_MAX)
TYPE_CASE(Int, int32_t, int64_t, INT_MAX)
TYPE_CASE(Long, int64_t, int64_t, LONG_MAX)
TYPE_CASE(Float, float, double, FLT_MAX)
TYPE_CASE(Double, double, double, DBL_MAX)

static const char *seen[16];
static int count;

#define real_of(x) #x
#define name_of(x) real_of(x)

/* THGenerate<T>Type.h: one type. */
CASE(one_type) {
#define TH_GENERIC_FILE "generic_types_seen.h"
#include <TH/THGenerateByteType.h>
#define TH_GENERIC_FILE "generic_types_seen.h"
#include <TH/THGenerateHalfType.h>
  CHECK(count == 2 && !strcmp(seen[0], "Byte uint8_t int64_t") && !strcmp(seen[1], "Half THHalf float"));
#if defined(real) || defined(accreal) || defined(Real) || defined(THInf) || defined(TH_REAL_IS_BYTE) || \
    defined(TH_GENERIC_FILE) || defined(ureal) || defined(TH_CONVERT_REAL_TO_ACCREAL)
  CHECK(!"everything is undefined afterwards");
#endif
}

/* THGenerateFloatTypes.h: Float, Double. */
CASE(float_types) {
#define TH_GENERIC_FILE "generic_types_seen.h"
#include <TH/THGenerateFloatTypes.h>
#ifdef TH_GENERIC_FILE
  CHECK(!"undefined afterwards");
#endif
  CHECK(count == 2 && !strcmp(seen[0], "Float float double") && !strcmp(seen[1], "Double double double"));
}

/* THGenerateIntTypes.h: Byte to Long. */
CASE(int_types) {
#define TH_GENERIC_FILE "generic_types_seen.h"
#include <TH/THGenerateIntTypes.h>
  CHECK(count == 5 && !strcmp(seen[0], "Byte uint8_t int64_t") && !strcmp(seen[1], "Char int8_t int64_t"));
  CHECK(!strcmp(seen[2], "Short int16_t int64_t") && !strcmp(seen[3], "Int int32_t int64_t"));
  CHECK(!strcmp(seen[4], "Long int64_t int64_t"));
}

/* THGenerateAllTypes.h: all but Half. */
CASE(all_types) {
#define TH_GENERIC_FILE "generic_types_seen.h"
#include <TH/THGenerateAllTypes.h>
  CHECK(count == 7 && !strcmp(seen[0], "Float float double") && !strcmp(seen[2], "Byte uint8_t int64_t"));
  CHECK(!strcmp(seen[6], "Long int64_t int64_t"));
}

/* TH_CONCAT: pastes after expanding. */
CASE(TH_CONCAT_pastes) {
#define middle _b_
  int a_b_ = 1, a_b_c = 2, a_b_cd = 3;
  CHECK(TH_CONCAT_2(a, middle) == 1 && TH_CONCAT_3(a, middle, c) == 2 && TH_CONCAT_4(a, middle, c, d) == 3);
  CHECK(!strcmp(TH_CONCAT_STRING_2(x, middle), "x_b_") && !strcmp(TH_CONCAT_STRING_3(x, y, middle), "xy_b_"));
  CHECK(!strcmp(TH_CONCAT_STRING_4(x, y, z, w), "xyzw"));
  a_b_ = a_b_c = a_b_cd;
}

TH_API void THFree(void *);
TH_EXTERNC void THFree(void *);

/* TH_API: C linkage. */
CASE(TH_API_is_c_linkage) { THFree(NULL); }

/* THMin, THMax, M_PI: as expected. */
CASE(min_max_pi) {
  CHECK(THMin(2, 3) == 2 && THMax(2, 3) == 3 && THMax(-1.5, 2) == 2 && M_PI > 3.14159);
}

/* TH_UNUSED and THArgError, of 0.4. */
CASE(unused_and_arg_error) {
  int unused TH_UNUSED;
  RAISES(3, "value 7 at ", THArgError(3, "value %d", 7));
}

/* Half: real, accreal. */
CASE(Half) {
  const THHalf infinity = TH_HALF_BITS_TO_LITERAL(TH_HALF_INF);
  float value = 1.5f;
  unsigned short bits;
  CHECK(sizeof(THHalf) == 2 && infinity.x == 0x7C00 && TH_HALF_ZERO == 0);
  CHECK(TH_half2float(infinity) == INFINITY);
  TH_float2halfbits(&value, &bits);
  CHECK(bits == 0x3E00);
  TH_halfbits2float(&bits, &value);
  CHECK(value == 1.5f);
  CHECK(TH_float2half(2049).x == TH_float2half(2048).x && TH_float2half(2051).x == TH_float2half(2052).x); /* to even */
  CHECK(TH_float2half(5.9604645e-8f).x == 1 && TH_half2float(TH_float2half(5.9604645e-8f)) == 5.9604645e-8f);
  CHECK(TH_float2half(NAN).x == 0x7FFF && TH_float2half(65520).x == 0x7C00 && TH_float2half(65519).x == 0x7BFF);
  CHECK(TH_float2half(-1e10f).x == 0xFC00 && TH_float2half(-0.0f).x == 0x8000);
}

/* Half has storage, tensor and copies; no arithmetic. */
CASE(half_functions) {
  THHalfTensor *h = THHalfTensor_newWithSize2d(2, 2);
  THFloatTensor *f = counted(2, 2), *back = THFloatTensor_newWithSize2d(2, 2);
  THHalfTensor_copyFloat(h, f);
  THHalfTensor_transpose(h, NULL, 0, 1);
  THFloatTensor_copyHalf(back, h);
  HOLDS(back, 0, 2, 1, 3);
  THHalfTensor_free(h);
  THFloatTensor_free(f);
  THFloatTensor_free(back);
}
