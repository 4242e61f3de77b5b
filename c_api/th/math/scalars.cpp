// c_api/th/math/scalars.cpp: half numbers, atomics, logarithmic sums, lists of sizes, scalar functions.
#include "th/tensor/half.h"

#include "th/runtime/errors.h"
#include "th/runtime/export.h"

#include <cmath>

// ---- Half -----------------------------------------------------------------------------------------------------------

extern "C" {

THHalf TH_float2half(float value) { return th::to_half(value); }
float TH_half2float(THHalf value) { return th::to_float(value); }
void TH_float2halfbits(float *src, unsigned short *dest) { *dest = th::to_half(*src).x; }
void TH_halfbits2float(unsigned short *src, float *dest) { *dest = th::to_float(THHalf{*src}); }

// ---- Atomics --------------------------------------------------------------------------------------------------------

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

// ---- Sums of numbers given by their logarithms ----------------------------------------------------------------------

const double THLog2Pi = 1.83787706640934548355;
const double THLogZero = -DBL_MAX;
const double THLogOne = 0;

double THLogAdd(double log_a, double log_b) {
    const double larger = log_a < log_b ? log_b : log_a, difference = (log_a < log_b ? log_a : log_b) - larger;
    return difference < -18.42 || std::isnan(difference) ? larger : larger + std::log1p(std::exp(difference));
}

double THLogSub(double log_a, double log_b) {
    if (log_a < log_b) THError("LogSub: log_a (%f) should be greater than log_b (%f)", log_a, log_b);
    const double difference = log_b - log_a;
    if (log_a == log_b) return THLogZero;
    return difference < -18.42 ? log_a : log_a + std::log1p(-std::exp(difference));
}

// (1 + x/8 + (x/8)^2/2 + ... + (x/8)^4/24) to the power -8.
double THExpMinusApprox(const double x) {
    if (!(x < 13.0)) return 0;
    double y = 1 + x * (0.125 + x * (0.0078125 + x * (0.00032552083 + x * 1.0172526e-5)));
    y *= y;
    y *= y;
    y *= y;
    return 1 / y;
}

// ---- Lists of sizes -------------------------------------------------------------------------------------------------

int THSize_isSameSizeAs(const int64_t *sizeA, int64_t dimsA, const int64_t *sizeB, int64_t dimsB) {
    if (dimsA != dimsB) return 0;
    for (int64_t d = 0; d < dimsA; d++)
        if (sizeA[d] != sizeB[d]) return 0;
    return 1;
}

ptrdiff_t THSize_nElement(int64_t dims, int64_t *size) {
    ptrdiff_t elements = dims > 0;
    for (int64_t d = 0; d < dims; d++) elements *= size[d];
    return elements;
}

THDescBuff _THSizeDesc(const int64_t *size, const int64_t ndim) {
    THDescBuff text;
    const int room = sizeof text.str;
    int used = snprintf(text.str, room, "[");
    for (int64_t d = 0; d < ndim && used < room; d++)
        used += snprintf(text.str + used, size_t(room - used), d + 1 < ndim ? "%" PRId64 " x " : "%" PRId64, size[d]);
    if (used < room - 1)
        snprintf(text.str + used, size_t(room - used), "]");
    else
        snprintf(text.str + room - 5, 5, "...]");
    return text;
}

// ---- Scalar functions -----------------------------------------------------------------------------------------------

double THLog1p(const double x) { return std::log1p(x); }
double THLog2(const double x) { return std::log2(x); }
double THExpm1(const double x) { return std::expm1(x); }
}
