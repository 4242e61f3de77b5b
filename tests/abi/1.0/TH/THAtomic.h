/* TH/THAtomic.h: sequentially consistent operations on 32-bit, 64-bit and pointer-sized integers. */
#ifndef TH_ATOMIC_INC
#define TH_ATOMIC_INC

#include "THGeneral.h"

/* Add returns the value before. CompareAndSwap returns 1 where it stored newvalue, else 0. */
TH_API void THAtomicSet(int32_t volatile *a, int32_t newvalue);
TH_API int32_t THAtomicGet(int32_t volatile *a);
TH_API int32_t THAtomicAdd(int32_t volatile *a, int32_t value);
TH_API int32_t THAtomicCompareAndSwap(int32_t volatile *a, int32_t oldvalue, int32_t newvalue);

/* Reference counts; DecrementRef returns 1 when the count has reached 0. */
TH_API void THAtomicIncrementRef(int32_t volatile *a);
TH_API int32_t THAtomicDecrementRef(int32_t volatile *a);

TH_API void THAtomicSetLong(int64_t volatile *a, int64_t newvalue);
TH_API int64_t THAtomicGetLong(int64_t volatile *a);
TH_API int64_t THAtomicAddLong(int64_t volatile *a, int64_t value);
TH_API int64_t THAtomicCompareAndSwapLong(int64_t volatile *a, int64_t oldvalue, int64_t newvalue);

TH_API void THAtomicSetPtrdiff(ptrdiff_t volatile *a, ptrdiff_t newvalue);
TH_API ptrdiff_t THAtomicGetPtrdiff(ptrdiff_t volatile *a);
TH_API ptrdiff_t THAtomicAddPtrdiff(ptrdiff_t volatile *a, ptrdiff_t value);
TH_API ptrdiff_t THAtomicCompareAndSwapPtrdiff(ptrdiff_t volatile *a, ptrdiff_t oldvalue, ptrdiff_t newvalue);

#endif
