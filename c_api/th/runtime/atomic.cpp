// c_api/th/runtime/atomic.cpp: the functions of THAtomic.h.
#include <TH/TH.h>

extern "C" {

#define TH_ATOMIC(suffix, type)                                                                                        \
    void THAtomicSet##suffix(type volatile *a, type newvalue) { __atomic_store_n(a, newvalue, __ATOMIC_SEQ_CST); }     \
    type THAtomicGet##suffix(type volatile *a) { return __atomic_load_n(a, __ATOMIC_SEQ_CST); }                        \
    type THAtomicAdd##suffix(type volatile *a, type value) { return __atomic_fetch_add(a, value, __ATOMIC_SEQ_CST); }  \
    type THAtomicCompareAndSwap##suffix(type volatile *a, type oldvalue, type newvalue) {                              \
        return __atomic_compare_exchange_n(a, &oldvalue, newvalue, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
    }
TH_ATOMIC(, int32_t)
TH_ATOMIC(Long, int64_t)
TH_ATOMIC(Ptrdiff, ptrdiff_t)

void THAtomicIncrementRef(int32_t volatile *a) { __atomic_fetch_add(a, 1, __ATOMIC_ACQ_REL); }
int32_t THAtomicDecrementRef(int32_t volatile *a) { return __atomic_sub_fetch(a, 1, __ATOMIC_ACQ_REL) == 0; }
}
