// c_api/th/runtime/row.h: the loops of elementwise kernels: contiguous and vectorised, or strided.
//
// An operation is a struct with a constructor from `const void *context` and a const operator() on elements.
#pragma once

#include "th/runtime/isa.h"
#include "th/runtime/loop.h"

namespace th {
namespace TH_ISA {

template <typename R, typename A> static inline bool vectorizable(const R *r, const A *a, int64_t n) {
    const char *r0 = reinterpret_cast<const char *>(r), *a0 = reinterpret_cast<const char *>(a);
    const char *r1 = reinterpret_cast<const char *>(r + n), *a1 = reinterpret_cast<const char *>(a + n);
    return (r0 == a0 && sizeof(R) == sizeof(A)) || r1 <= a0 || a1 <= r0;
}

// r = operation()
template <typename Operation, typename R>
static void row0(int64_t n, char *const *data, const int64_t *stride, const void *context) {
    const Operation operation(context);
    R *r = reinterpret_cast<R *>(data[0]);
    const int64_t rs = stride[0];
    if (rs == 1)
        for (int64_t i = 0; i < n; i++) r[i] = operation();
    else
        for (int64_t i = 0; i < n; i++) r[i * rs] = operation();
}

// r = operation(a)
template <typename Operation, typename R, typename A = R>
static void row1(int64_t n, char *const *data, const int64_t *stride, const void *context) {
    const Operation operation(context);
    R *r = reinterpret_cast<R *>(data[0]);
    const A *a = reinterpret_cast<const A *>(data[1]);
    const int64_t rs = stride[0], as = stride[1];
    if (rs == 1 && as == 1 && vectorizable(r, a, n)) {
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) r[i] = operation(a[i]);
    } else {
        for (int64_t i = 0; i < n; i++) r[i * rs] = operation(a[i * as]);
    }
}

// r = operation(a, b)
template <typename Operation, typename R, typename A = R, typename B = A>
static void row2(int64_t n, char *const *data, const int64_t *stride, const void *context) {
    const Operation operation(context);
    R *r = reinterpret_cast<R *>(data[0]);
    const A *a = reinterpret_cast<const A *>(data[1]);
    const B *b = reinterpret_cast<const B *>(data[2]);
    const int64_t rs = stride[0], as = stride[1], bs = stride[2];
    if (rs == 1 && as == 1 && bs == 1 && vectorizable(r, a, n) && vectorizable(r, b, n)) {
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) r[i] = operation(a[i], b[i]);
    } else {
        for (int64_t i = 0; i < n; i++) r[i * rs] = operation(a[i * as], b[i * bs]);
    }
}

// r = operation(a, b, c)
template <typename Operation, typename R>
static void row3(int64_t n, char *const *data, const int64_t *stride, const void *context) {
    const Operation operation(context);
    R *r = reinterpret_cast<R *>(data[0]);
    const R *a = reinterpret_cast<const R *>(data[1]), *b = reinterpret_cast<const R *>(data[2]);
    const R *c = reinterpret_cast<const R *>(data[3]);
    const int64_t rs = stride[0], as = stride[1], bs = stride[2], cs = stride[3];
    if (rs == 1 && as == 1 && bs == 1 && cs == 1 && vectorizable(r, a, n) && vectorizable(r, b, n) &&
        vectorizable(r, c, n)) {
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) r[i] = operation(a[i], b[i], c[i]);
    } else {
        for (int64_t i = 0; i < n; i++) r[i * rs] = operation(a[i * as], b[i * bs], c[i * cs]);
    }
}

}  // namespace TH_ISA
}  // namespace th
