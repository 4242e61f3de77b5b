// c_api/th/linear_algebra/linear_algebra.cpp: systems of equations, eigenvalues, singular values, factors.
//
// LAPACK works by columns. A matrix that a function returns is stored by columns where its tensor was empty, had
// another size, or was stored by columns. A tensor that is input and result keeps its size and strides.
#include "th/linear_algebra/lapack.h"
#include "th/runtime/compat.h"
#include "th/runtime/export.h"
#include "th/runtime/loop.h"

#include <algorithm>
#include <cassert>
#include <climits>
#include <cmath>

namespace th {
namespace {

// A matrix of these sizes, stored by columns.
template <typename T> Owned<T> new_matrix(int64_t rows, int64_t columns) {
    TH_CHECK(rows <= INT_MAX && columns <= INT_MAX, "LAPACK counts in int, but the matrix is %lldx%lld",
             (long long)rows, (long long)columns);
    Owned<T> matrix = make<T>();
    resize<T>(matrix, {columns, rows});
    transpose<T>(matrix, nullptr, 0, 1);
    return matrix;
}

// A copy stored by columns, with zeros below where `rows` is more than the source has.
template <typename T> Owned<T> columns_of(Tensor<T> *source, int64_t rows = 0) {
    Owned<T> matrix = new_matrix<T>(std::max(rows, source->size[0]), source->size[1]);
    Owned<T> top = make<T>();
    narrow<T>(top, matrix, 0, 0, source->size[0]);
    copy<T, T>(top, source);
    return matrix;
}

// self = result, a matrix stored by columns. self gives way if it need not keep its strides.
template <typename T> void give(Tensor<T> *self, Tensor<T> *result) {
    resize<T>(self, {result->size[1], result->size[0]});
    if (is_contiguous(self) || !same_size(self, result)) transpose<T>(self, nullptr, 0, 1);
    copy<T, T>(self, result);
}

// A result that is neither empty nor the input, square, of the right size, and stored neither by rows nor by columns.
// The original gave LAPACK its memory as it was, as n columns of n numbers, gaps and all; so do we, within its storage.
template <typename T> bool is_scattered(Tensor<T> *self, const AnyTensor *source) {
    if (self == source || self->nDimension != 2 || source->nDimension != 2) return false;
    const int64_t n = self->size[0];
    return n == self->size[1] && n == source->size[0] && n == source->size[1] && !is_contiguous(self) &&
           !(self->stride[0] == 1 && self->stride[1] == n) && self->storageOffset + n * n <= self->storage->size;
}

// What LAPACK overwrites to make `self` from `source`.
template <typename T> Owned<T> begin(Tensor<T> *self, Tensor<T> *source) {
    if (!is_scattered(self, source)) return columns_of(source);
    const int64_t n = source->size[0];
    Owned<T> matrix = new_matrix<T>(n, n);
    std::copy_n(self->data(), n * n, matrix->data());
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const int64_t at = i * self->stride[0] + j * self->stride[1];
            if (at < n * n) matrix->data()[at] = source->data()[i * source->stride[0] + j * source->stride[1]];
        }
    return matrix;
}

// self = what has become of it.
template <typename T> void end(Tensor<T> *self, Tensor<T> *result, Tensor<T> *source) {
    note_write(self);
    if (is_scattered(self, source) && same_size(self, result)) {
        copy<T, T>(self, source);  // the elements behind the n * n numbers
        std::copy_n(result->data(), elements_of(result), self->data());
    } else if (self == source && same_size(self, result))
        copy<T, T>(self, result);
    else
        give(self, result);
}

template <typename T> void give_vector(Tensor<T> *self, T *values, int64_t n) {
    resize<T>(self, {n});
    for (int64_t i = 0; i < n; i++) self->data()[i * self->stride[0]] = values[i];
}

template <typename T> void check_square(Tensor<T> *a) {
    TH_ARGUMENT(a->nDimension == 2, 1, "A should be 2 dimensional");
    TH_ARGUMENT(a->size[0] == a->size[1], 1, "A should be square");
}

template <typename T> void check_matrix(Tensor<T> *a) {
    TH_ARGUMENT(a->nDimension == 2, 1, "A should be 2 dimensional");
}

// a x = b, b a matrix or a vector.
template <typename T> void check_system(Tensor<T> *b, Tensor<T> *a, bool square) {
    TH_ARGUMENT(a->nDimension == 2, 2, "A should have 2 dimensions, but has %d", a->nDimension);
    TH_ARGUMENT(b->nDimension == 1 || b->nDimension == 2, 1, "B should have 1 or 2 dimensions, but has %d",
                b->nDimension);
    if (square)
        TH_ARGUMENT(a->size[0] == a->size[1], 2, "A should be square, but is %lldx%lld", (long long)a->size[0],
                    (long long)a->size[1]);
    TH_ARGUMENT(a->size[0] == b->size[0], 2, "A,B size incompatible - A has %lld rows, B has %lld",
                (long long)a->size[0], (long long)b->size[0]);
}

// A matrix itself; a vector as a matrix of one column.
template <typename T> Owned<T> right_sides(Tensor<T> *b) {
    if (b->nDimension == 2) return retained(b);
    Owned<T> matrix = alias(b);
    unsqueeze1d<T>(matrix, matrix, 1);
    return matrix;
}

void check_info(int info, const char *function) {
    TH_CHECK(info >= 0, "Lapack Error in %s : Illegal Argument %d", function, -info);
}

// With infinity or NaN gesvd may never end, and geev writes outside its arrays: its balancing returns no bounds then.
template <typename T> void check_finite(const Owned<T> &matrix, const char *where) {
    bool finite = true;
    each([&](T x) { finite &= bool(std::isfinite(x)); }, matrix.get());
    TH_CHECK(finite, "Lapack Error %s : the matrix holds numbers that are not finite", where);
}

// Of what LAPACK gets: a matrix stored by columns, one behind the other.
template <typename T> int row_count(const Owned<T> &a) {
    assert(a->nDimension == 2 && a->stride[0] == 1 && a->stride[1] == a->size[0] && a->size[0] <= INT_MAX);
    return int(a->size[0]);
}
template <typename T> int column_count(const Owned<T> &a) {
    assert(a->nDimension == 2 && a->size[1] <= INT_MAX);
    return int(a->size[1]);
}

// call(work, size): first with size -1, to learn which size is best, then with that.
template <typename T, typename Call> void with_workspace(const Call &call) {
    T best = 0;
    call(&best, -1);
    const int size = int(std::max(T(1), std::min(T(INT_MAX / 2), best)));
    Buffer<T> work(size);
    call(work.get(), size);
}

// Zeros in (mirror: the other half's numbers) the half that uplo does not name.
template <typename T> void complete_triangle(const Owned<T> &matrix, char uplo, bool mirror) {
    const int64_t n = matrix->size[0];
    assert(n == matrix->size[1]);
    T *const data = matrix->data();
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j + 1; i < n; i++) {
            T &lower = data[i + j * n], &upper = data[j + i * n];
            if (uplo == 'U') lower = mirror ? upper : T(0);
            if (uplo == 'L') upper = mirror ? lower : T(0);
        }
}

}  // namespace

// ---- Solving --------------------------------------------------------------------------------------------------------

template <typename T> void gesv(Tensor<T> *rb, Tensor<T> *ra, Tensor<T> *b, Tensor<T> *a) {
    if (!a) a = ra;
    if (!b) b = rb;
    check_system(b, a, true);
    const Owned<T> lu = begin(ra, a), x = begin<T>(rb, right_sides(b));
    const int n = row_count(lu);
    Buffer<int> pivots(n);
    int info = 0;
    lapack::gesv<T>(n, column_count(x), lu->data(), n, pivots.get(), x->data(), n, &info);
    check_info(info, "gesv");
    TH_CHECK(!info, "Lapack Error in gesv : U(%d,%d) is zero, singular U.", info, info);
    end<T>(ra, lu, a);
    end<T>(rb, x, b);
}

template <typename T>
void trtrs(Tensor<T> *rb, Tensor<T> *ra, Tensor<T> *b, Tensor<T> *a, const char *uplo, const char *trans,
           const char *diag) {
    if (!a) a = ra;
    if (!b) b = rb;
    check_system(b, a, true);
    const Owned<T> triangle = begin(ra, a), x = begin<T>(rb, right_sides(b));
    const int n = row_count(triangle);
    int info = 0;
    lapack::trtrs<T>(*uplo, *trans, *diag, n, column_count(x), triangle->data(), n, x->data(), n, &info);
    check_info(info, "trtrs");
    TH_CHECK(!info, "Lapack Error in trtrs : A(%d,%d) is zero, singular A", info, info);
    end<T>(ra, triangle, a);
    end<T>(rb, x, b);
}

template <typename T> void gels(Tensor<T> *rb, Tensor<T> *ra, Tensor<T> *b, Tensor<T> *a) {
    if (!a) a = ra;
    if (!b) b = rb;
    check_system(b, a, false);
    const Owned<T> factors = begin(ra, a);
    const int m = row_count(factors), n = column_count(factors), ldb = std::max(m, n);
    const Owned<T> sides = right_sides(b), x = m < n ? columns_of<T>(sides, ldb) : begin<T>(rb, sides);
    int info = 0;
    with_workspace<T>([&](T *work, int size) {
        lapack::gels<T>('N', m, n, column_count(x), factors->data(), m, x->data(), ldb, work, size, &info);
    });
    check_info(info, "gels");
    TH_CHECK(!info, "Lapack Error in gels : The %d-th diagonal element of the triangular factor of A is zero", info);
    end<T>(ra, factors, a);
    end<T>(rb, x, b);
    if (torch7()) narrow<T>(rb, nullptr, 0, 0, n);
}

template <typename T> void potrs(Tensor<T> *rb, Tensor<T> *b, Tensor<T> *a, const char *uplo) {
    if (!b) b = rb;
    check_system(b, a, true);
    const Owned<T> factor = columns_of(a), x = begin<T>(rb, right_sides(b));
    const int n = row_count(factor);
    int info = 0;
    lapack::potrs<T>(*uplo, n, column_count(x), factor->data(), n, x->data(), n, &info);
    check_info(info, "potrs");
    TH_CHECK(!info, "Lapack Error in potrs : A(%d,%d) is zero, singular A", info, info);
    end<T>(rb, x, b);
}

// ---- Eigenvalues and singular values --------------------------------------------------------------------------------

template <typename T> void syev(Tensor<T> *re, Tensor<T> *rv, Tensor<T> *a, const char *jobz, const char *uplo) {
    if (!a) a = rv;
    check_square(a);
    const Owned<T> vectors = begin(rv, a);
    const int n = row_count(vectors);
    Buffer<T> values(n);
    int info = 0;
    with_workspace<T>([&](T *work, int size) {
        lapack::syev<T>(*jobz, *uplo, n, vectors->data(), n, values.get(), work, size, &info);
    });
    check_info(info, "syev");
    TH_CHECK(!info, "Lapack Error syev : %d off-diagonal elements didn't converge to zero", info);
    if (*jobz == 'N') std::fill_n(vectors->data(), int64_t(n) * n, T(0));
    end<T>(rv, vectors, a);
    give_vector(re, values.get(), n);
}

template <typename T> void geev(Tensor<T> *re, Tensor<T> *rv, Tensor<T> *a, const char *jobvr) {
    if (!a) a = rv;
    check_square(a);
    const Owned<T> matrix = columns_of(a);
    check_finite(matrix, "in geev");
    const int n = row_count(matrix);
    const bool wanted = *jobvr == 'V';
    Buffer<T> real(n), imaginary(n);
    const Owned<T> vectors = wanted ? new_matrix<T>(n, n) : make<T>();
    int info = 0;
    with_workspace<T>([&](T *work, int size) {
        lapack::geev<T>('N', *jobvr, n, matrix->data(), n, real.get(), imaginary.get(), static_cast<T *>(nullptr), 1,
                        vectors->data(), wanted ? n : 1, work, size, &info);
    });
    check_info(info, "geev");
    TH_CHECK(!info, " Lapack Error in geev : %d off-diagonal elements of an didn't converge to zero", info);
    if (wanted) give<T>(rv, vectors);
    resize<T>(re, {n, 2});
    for (int64_t i = 0; i < n; i++) {
        T *const row = re->data() + i * re->stride[0];
        row[0] = real[i];
        row[re->stride[1]] = imaginary[i];
    }
}

template <typename T>
void gesvd2(Tensor<T> *ru, Tensor<T> *rs, Tensor<T> *rv, Tensor<T> *ra, Tensor<T> *a, const char *jobu) {
    if (!a) a = ra;
    check_matrix(a);
    TH_ARGUMENT(*jobu == 'A' || *jobu == 'S' || *jobu == 'N', 6, "jobu should be A, S or N");
    const Owned<T> matrix = begin(ra, a);
    const int m = row_count(matrix), n = column_count(matrix), k = std::min(m, n);
    check_finite(matrix, "gesvd");
    const Owned<T> u = new_matrix<T>(m, *jobu == 'A' ? m : k);
    Owned<T> v = new_matrix<T>(n, n);  // V' by columns, hence V by rows
    Buffer<T> values(k);
    int info = 0;
    with_workspace<T>([&](T *work, int size) {
        lapack::gesvd<T>(*jobu, *jobu, m, n, matrix->data(), m, values.get(), u->data(), m, v->data(), n, work, size,
                         &info);
    });
    check_info(info, "gesvd");
    TH_CHECK(!info, "Lapack Error gesvd : %d superdiagonals failed to converge.", info);
    transpose<T>(v, nullptr, 0, 1);
    if (*jobu == 'S') narrow<T>(v, nullptr, 1, 0, k);
    give<T>(ru, u);
    give_vector(rs, values.get(), k);
    end<T>(ra, matrix, a);
    resizeAs(rv, v.get());
    copy<T, T>(rv, v);
}

template <typename T> void gesvd(Tensor<T> *ru, Tensor<T> *rs, Tensor<T> *rv, Tensor<T> *a, const char *jobu) {
    const Owned<T> overwritten = make<T>();
    gesvd2<T>(ru, rs, rv, overwritten, a, jobu);
}

// ---- Factors and inverses -------------------------------------------------------------------------------------------

template <typename T> void getri(Tensor<T> *ra, Tensor<T> *a) {
    if (!a) a = ra;
    check_square(a);
    const Owned<T> inverse = begin(ra, a);
    const int n = row_count(inverse);
    Buffer<int> pivots(n);
    int info = 0;
    lapack::getrf<T>(n, n, inverse->data(), n, pivots.get(), &info);
    check_info(info, "getrf");
    TH_CHECK(!info, "Lapack Error getrf : U(%d,%d) is 0, U is singular", info, info);
    with_workspace<T>(
        [&](T *work, int size) { lapack::getri<T>(n, inverse->data(), n, pivots.get(), work, size, &info); });
    check_info(info, "getri");
    TH_CHECK(!info, "Lapack Error getri : U(%d,%d) is 0, U is singular", info, info);
    end<T>(ra, inverse, a);
}

template <typename T> void potrf(Tensor<T> *ra, Tensor<T> *a, const char *uplo) {
    if (!a) a = ra;
    check_square(a);
    const Owned<T> factor = begin(ra, a);
    int info = 0;
    lapack::potrf<T>(*uplo, row_count(factor), factor->data(), row_count(factor), &info);
    check_info(info, "potrf");
    TH_CHECK(!info, "Lapack Error in potrf : the leading minor of order %d is not positive definite", info);
    complete_triangle(factor, *uplo, false);
    end<T>(ra, factor, a);
}

template <typename T> void potri(Tensor<T> *ra, Tensor<T> *a, const char *uplo) {
    if (!a) a = ra;
    check_square(a);
    const Owned<T> inverse = begin(ra, a);
    int info = 0;
    lapack::potri<T>(*uplo, row_count(inverse), inverse->data(), row_count(inverse), &info);
    check_info(info, "potri");
    TH_CHECK(!info, "Lapack Error potri : A(%d,%d) is 0, A cannot be factorized", info, info);
    complete_triangle(inverse, *uplo, true);
    end<T>(ra, inverse, a);
}

template <typename T> void pstrf(Tensor<T> *ra, Tensor<int> *rpiv, Tensor<T> *a, const char *uplo, T tol) {
    if (!a) a = ra;
    check_square(a);
    const Owned<T> factor = begin(ra, a);
    const int n = row_count(factor);
    Buffer<int> pivots(n);
    Buffer<T> work(2 * int64_t(n));
    int rank = 0, info = 0;
    lapack::pstrf<T>(*uplo, n, factor->data(), n, pivots.get(), &rank, tol, work.get(), &info);
    check_info(info, "pstrf");
    TH_CHECK(!info, "Lapack Error pstrf : matrix is rank deficient or not positive semidefinite");
    complete_triangle(factor, *uplo, false);
    end<T>(ra, factor, a);
    give_vector(rpiv, pivots.get(), n);
}

template <typename T> void geqrf(Tensor<T> *ra, Tensor<T> *rtau, Tensor<T> *a) {
    if (!a) a = ra;
    check_matrix(a);
    const Owned<T> compact = begin(ra, a);
    const int m = row_count(compact), n = column_count(compact), k = std::min(m, n);
    Buffer<T> tau(k);
    int info = 0;
    with_workspace<T>(
        [&](T *work, int size) { lapack::geqrf<T>(m, n, compact->data(), m, tau.get(), work, size, &info); });
    check_info(info, "geqrf");
    TH_CHECK(!info, "Lapack Error geqrf : unknown Lapack error. info = %d", info);
    end<T>(ra, compact, a);
    give_vector(rtau, tau.get(), k);
}

namespace {

// As many reflectors as tau has elements, taken from the first columns of a.
template <typename T> void check_reflectors(Tensor<T> *a, Tensor<T> *tau, int64_t order, int argument) {
    TH_ARGUMENT(tau->nDimension == 1, argument, "tau should be 1 dimensional");
    TH_ARGUMENT(tau->size[0] <= a->size[1] && tau->size[0] <= order, argument,
                "tau has %lld elements, more than A can hold reflectors", (long long)tau->size[0]);
}

}  // namespace

template <typename T> void orgqr(Tensor<T> *ra, Tensor<T> *a, Tensor<T> *tau) {
    if (!a) a = ra;
    check_matrix(a);
    check_reflectors(a, tau, a->size[0], 3);
    const Owned<T> q = begin(ra, a), scales = contiguous(tau);
    const int m = row_count(q), k = int(tau->size[0]);
    int info = 0;
    with_workspace<T>(
        [&](T *work, int size) { lapack::orgqr<T>(m, k, k, q->data(), m, scales->data(), work, size, &info); });
    check_info(info, "orgqr");
    TH_CHECK(!info, "Lapack Error orgqr : unknown Lapack error. info = %d", info);
    end<T>(ra, q, a);
}

template <typename T>
void ormqr(Tensor<T> *ra, Tensor<T> *a, Tensor<T> *tau, Tensor<T> *c, const char *side, const char *trans) {
    if (!a) a = ra;
    check_matrix(a);
    TH_ARGUMENT(c->nDimension == 2, 4, "C should be 2 dimensional");
    const int64_t order = *side == 'L' ? c->size[0] : c->size[1];
    TH_ARGUMENT(a->size[0] == order, 4, "A,C size incompatible - A has %lld rows, C has %lldx%lld",
                (long long)a->size[0], (long long)c->size[0], (long long)c->size[1]);
    check_reflectors(a, tau, order, 3);
    const Owned<T> reflectors = columns_of(a), product = begin(ra, c), scales = contiguous(tau);
    const int m = row_count(product), n = column_count(product);
    int info = 0;
    with_workspace<T>([&](T *work, int size) {
        lapack::ormqr<T>(*side, *trans, m, n, int(tau->size[0]), reflectors->data(), row_count(reflectors),
                         scales->data(), product->data(), m, work, size, &info);
    });
    check_info(info, "ormqr");
    TH_CHECK(!info, "Lapack Error ormqr : unknown Lapack error. info = %d", info);
    end<T>(ra, product, c);
}

template <typename T> void qr(Tensor<T> *rq, Tensor<T> *rr, Tensor<T> *a) {
    check_matrix(a);
    const Owned<T> compact = make<T>(), tau = make<T>(), q = make<T>();
    geqrf<T>(compact, tau, a);
    const int64_t n = a->size[1], k = tau->size[0];
    orgqr<T>(q, compact, tau);
    const Owned<T> r = make<T>();
    resize<T>(r, {k, n});
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = i; j < n; j++) r->data()[i * n + j] = compact->data()[i + j * compact->stride[1]];
    give<T>(rq, q);
    narrow<T>(rq, nullptr, 1, 0, k);
    resizeAs(rr, r.get());
    copy<T, T>(rr, r);
}

// ---- Batches --------------------------------------------------------------------------------------------------------

namespace {

// The matrices of a batch, each stored by columns.
template <typename T> Owned<T> batch_by_columns(Tensor<T> *batch) {
    Owned<T> swapped = alias(batch);
    transpose<T>(swapped, nullptr, 1, 2);
    Owned<T> copied = clone<T>(swapped);
    transpose<T>(copied, nullptr, 1, 2);
    TH_CHECK(batch->size[1] <= INT_MAX && batch->size[2] <= INT_MAX, "LAPACK counts in int, but a matrix is %lldx%lld",
             (long long)batch->size[1], (long long)batch->size[2]);
    return copied;
}

}  // namespace

template <typename T> void btrifact(Tensor<T> *ra, Tensor<int> *rpivots, Tensor<int> *rinfo, int pivot, Tensor<T> *a) {
    if (!a) a = ra;
    TH_ARGUMENT(a->nDimension == 3, 1, "expected 3D tensor, got %dD", a->nDimension);
    TH_CHECK(pivot, "btrifact without pivoting is not implemented on the CPU");
    TH_CHECK(a->size[1] == a->size[2], "btrifact is only implemented for square matrices");
    const Owned<T> factors = batch_by_columns(a);
    const int64_t batches = a->size[0], n = a->size[1];
    const Owned<int> pivots = make<int>(), infos = make<int>();
    resize<int>(pivots, {batches, n});
    resize<int>(infos, {batches});
    for (int64_t i = 0; i < batches; i++) {
        int &info = infos->data()[i];
        lapack::getrf<T>(int(n), int(n), factors->data() + i * n * n, int(n), pivots->data() + i * n, &info);
        TH_CHECK(rinfo || !info, "failed to factorize batch element %lld (info == %d)", (long long)i, info);
    }
    resizeAs(ra, a);
    copy<T, T>(ra, factors);
    resizeAs(rpivots, pivots.get());
    copy<int, int>(rpivots, pivots);
    if (!rinfo) return;
    resizeAs(rinfo, infos.get());
    copy<int, int>(rinfo, infos);
}

template <typename T> void btrisolve(Tensor<T> *rb, Tensor<T> *b, Tensor<T> *atf, Tensor<int> *pivots) {
    if (!b) b = rb;
    TH_ARGUMENT(atf->nDimension == 3, 1, "expected 3D tensor, got %dD", atf->nDimension);
    TH_ARGUMENT(b->nDimension == 2 || b->nDimension == 3, 4, "expected 2D or 3D tensor");
    TH_ARGUMENT(atf->size[0] == b->size[0], 3, "number of batches must be equal");
    TH_ARGUMENT(atf->size[1] == atf->size[2], 3, "A matrices must be square");
    TH_ARGUMENT(atf->size[1] == b->size[1], 3, "dimensions of A and b must be equal");
    const int64_t batches = atf->size[0], n = atf->size[1];
    TH_ARGUMENT(elements_of(pivots) == batches * n, 4, "expected %lld pivots, got %lld", (long long)(batches * n),
                (long long)elements_of(pivots));
    const Owned<int> rows = contiguous(pivots);
    for (int64_t i = 0; i < batches * n; i++)
        TH_ARGUMENT(rows->data()[i] >= 1 && rows->data()[i] <= n, 4, "pivots should be from 1 to %lld, but there is %d",
                    (long long)n, rows->data()[i]);
    Owned<T> sides = alias(b);
    if (b->nDimension == 2) unsqueeze1d<T>(sides, sides, 2);
    const Owned<T> factors = batch_by_columns(atf), x = batch_by_columns<T>(sides);
    const int64_t columns = sides->size[2];
    for (int64_t i = 0; i < batches; i++) {
        int info = 0;
        lapack::getrs<T>('N', int(n), int(columns), factors->data() + i * n * n, int(n), rows->data() + i * n,
                         x->data() + i * n * columns, int(n), &info);
        TH_CHECK(!info, "Error: Nonzero info.");
    }
    resizeAs(rb, b);
    copy<T, T>(rb, x);
}

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/linear_algebra/linear_algebra_exports.h"
#include <TH/THGenerateFloatTypes.h>
}
