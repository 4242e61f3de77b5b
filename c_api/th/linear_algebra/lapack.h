// c_api/th/linear_algebra/lapack.h: calls of the LAPACK library, with scalars by value, for float and double.
#pragma once

#include "base/once.h"
#include "th/linear_algebra/blas_library.h"
#include "th/runtime/errors.h"

#include <tuple>
#include <type_traits>

namespace th {
namespace lapack {
// Fortran takes the address of every scalar, and the length of every string after the last argument.
template <typename A> A *address(A &scalar) { return &scalar; }
template <typename A> A *address(A *&array) { return array; }
template <typename A> constexpr bool is_letter = std::is_same<A, char>::value;

template <typename... Arguments> void call(void *routine, const char *name, Arguments... arguments) {
    TH_CHECK(routine,
             "%s : no LAPACK library found; pip install 'torchthaw[legacy]' installs one, and the environment variable "
             "THAW_BLAS names another",
             name);
    auto lengths = std::tuple_cat([](auto letter) {
        if constexpr (is_letter<decltype(letter)>)
            return std::tuple<size_t>(1);
        else
            return std::tuple<>();
    }(arguments)...);
    std::apply(
        [&](auto... length) {
            reinterpret_cast<void (*)(decltype(address(arguments))..., decltype(length)...)>(routine)(
                address(arguments)..., length...);
        },
        lengths);
}

#define TH_CALL(name, ...)                                                                                             \
    static base::Once<void *> routine;                                                                                 \
    call(routine.get([] { return blas_routine(std::is_same<T, float>::value ? "s" #name : "d" #name); }), #name,       \
         __VA_ARGS__)

template <typename T> void gesv(int n, int nrhs, T *a, int lda, int *ipiv, T *b, int ldb, int *info) {
    TH_CALL(gesv, n, nrhs, a, lda, ipiv, b, ldb, info);
}
template <typename T>
void trtrs(char uplo, char trans, char diag, int n, int nrhs, T *a, int lda, T *b, int ldb, int *info) {
    TH_CALL(trtrs, uplo, trans, diag, n, nrhs, a, lda, b, ldb, info);
}
template <typename T>
void gels(char trans, int m, int n, int nrhs, T *a, int lda, T *b, int ldb, T *work, int lwork, int *info) {
    TH_CALL(gels, trans, m, n, nrhs, a, lda, b, ldb, work, lwork, info);
}
template <typename T> void syev(char jobz, char uplo, int n, T *a, int lda, T *w, T *work, int lwork, int *info) {
    TH_CALL(syev, jobz, uplo, n, a, lda, w, work, lwork, info);
}
template <typename T>
void geev(char jobvl, char jobvr, int n, T *a, int lda, T *wr, T *wi, T *vl, int ldvl, T *vr, int ldvr, T *work,
          int lwork, int *info) {
    TH_CALL(geev, jobvl, jobvr, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, lwork, info);
}
template <typename T>
void gesvd(char jobu, char jobvt, int m, int n, T *a, int lda, T *s, T *u, int ldu, T *vt, int ldvt, T *work, int lwork,
           int *info) {
    TH_CALL(gesvd, jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info);
}
template <typename T> void getrf(int m, int n, T *a, int lda, int *ipiv, int *info) {
    TH_CALL(getrf, m, n, a, lda, ipiv, info);
}
template <typename T> void getrs(char trans, int n, int nrhs, T *a, int lda, int *ipiv, T *b, int ldb, int *info) {
    TH_CALL(getrs, trans, n, nrhs, a, lda, ipiv, b, ldb, info);
}
template <typename T> void getri(int n, T *a, int lda, int *ipiv, T *work, int lwork, int *info) {
    TH_CALL(getri, n, a, lda, ipiv, work, lwork, info);
}
template <typename T> void potrf(char uplo, int n, T *a, int lda, int *info) { TH_CALL(potrf, uplo, n, a, lda, info); }
template <typename T> void potri(char uplo, int n, T *a, int lda, int *info) { TH_CALL(potri, uplo, n, a, lda, info); }
template <typename T> void potrs(char uplo, int n, int nrhs, T *a, int lda, T *b, int ldb, int *info) {
    TH_CALL(potrs, uplo, n, nrhs, a, lda, b, ldb, info);
}
template <typename T> void pstrf(char uplo, int n, T *a, int lda, int *piv, int *rank, T tol, T *work, int *info) {
    TH_CALL(pstrf, uplo, n, a, lda, piv, rank, tol, work, info);
}
template <typename T> void geqrf(int m, int n, T *a, int lda, T *tau, T *work, int lwork, int *info) {
    TH_CALL(geqrf, m, n, a, lda, tau, work, lwork, info);
}
template <typename T> void orgqr(int m, int n, int k, T *a, int lda, T *tau, T *work, int lwork, int *info) {
    TH_CALL(orgqr, m, n, k, a, lda, tau, work, lwork, info);
}
template <typename T>
void ormqr(char side, char trans, int m, int n, int k, T *a, int lda, T *tau, T *c, int ldc, T *work, int lwork,
           int *info) {
    TH_CALL(ormqr, side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info);
}

#undef TH_CALL

}  // namespace lapack
}  // namespace th
