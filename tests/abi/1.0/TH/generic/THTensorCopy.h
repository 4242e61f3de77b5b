/* TH/generic/THTensorCopy.h: tensor to tensor, with conversion. */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTensorCopy.h"
#else

/* Element by element, each tensor in its own row-major order: shapes may differ. Neither is resized. Error: different
 * numbers of elements. */
TH_API void THTensor_(copy)(THTensor *tensor, THTensor *src);

/* The same from another type. Integers wrap; a fraction is cut off. A float that does not fit: for 64-bit integers
 * INT64_MIN, for smaller ones the low bits of its 32-bit value, or of INT32_MIN where that does not fit either. */
TH_API void THTensor_(copyByte)(THTensor *tensor, struct THByteTensor *src);
TH_API void THTensor_(copyChar)(THTensor *tensor, struct THCharTensor *src);
TH_API void THTensor_(copyShort)(THTensor *tensor, struct THShortTensor *src);
TH_API void THTensor_(copyInt)(THTensor *tensor, struct THIntTensor *src);
TH_API void THTensor_(copyLong)(THTensor *tensor, struct THLongTensor *src);
TH_API void THTensor_(copyFloat)(THTensor *tensor, struct THFloatTensor *src);
TH_API void THTensor_(copyDouble)(THTensor *tensor, struct THDoubleTensor *src);
TH_API void THTensor_(copyHalf)(THTensor *tensor, struct THHalfTensor *src);

#endif
