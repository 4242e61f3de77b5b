// c_api/th/linear_algebra/linear.cpp: products of matrices and vectors, added to a tensor.
#include "th/linear_algebra/blas.h"
#include "th/math/pointwise.h"
#include "th/runtime/compat.h"
#include "th/runtime/export.h"
#include "th/runtime/loop.h"
#include "th/runtime/threads.h"

#include <algorithm>
#include <cassert>
#include <initializer_list>

namespace th {
namespace {

// A matrix wherever it lies.
template <typename T> struct Matrix {
    T *data;
    int64_t rows, columns, row_stride, column_stride;

    Matrix transposed() const { return {data, columns, rows, column_stride, row_stride}; }
    // Columns that BLAS can walk: dense, one after another, none overlapping.
    bool by_columns() const { return (rows == 1 || row_stride == 1) && (columns == 1 || column_stride >= rows); }
    int64_t leading() const { return std::max(columns == 1 ? rows : column_stride, int64_t(1)); }
};

template <typename T> Matrix<T> matrix(Tensor<T> *t) {
    assert(t->nDimension == 2);
    return {t->data(), t->size[0], t->size[1], t->stride[0], t->stride[1]};
}

// One matrix of a batch.
template <typename T> Matrix<T> matrix(Tensor<T> *t, int64_t i) {
    assert(t->nDimension == 3 && i >= 0 && i < t->size[0]);
    return {t->data() + i * t->stride[0], t->size[1], t->size[2], t->stride[1], t->stride[2]};
}

// A matrix as BLAS takes it: itself, read as its transpose, or a copy.
template <typename T> class Factor {
public:
    explicit Factor(const Matrix<T> &m) : view_(m) {
        if (m.by_columns()) return;
        trans_ = 't';
        view_ = m.transposed();
        if (view_.by_columns()) return;
        copy_ = Buffer<T>(bytes_for(m.rows, 1) * m.columns);
        for (int64_t i = 0; i < m.rows; i++)
            for (int64_t j = 0; j < m.columns; j++)
                copy_[i * m.columns + j] = m.data[i * m.row_stride + j * m.column_stride];
        view_ = {copy_.get(), m.columns, m.rows, 1, m.columns};
    }
    char trans() const { return trans_; }
    T *data() const { return view_.data; }
    int64_t leading() const { return view_.leading(); }

private:
    Matrix<T> view_;
    char trans_ = 'n';
    Buffer<T> copy_;
};

// r = beta r + alpha a b. beta 0 does not read r.
template <typename T> void multiply(const Matrix<T> &r, T beta, T alpha, const Matrix<T> &a, const Matrix<T> &b) {
    if (!r.by_columns()) {
        if (r.transposed().by_columns())  // r' = b' a'
            return multiply<T>(r.transposed(), beta, alpha, b.transposed(), a.transposed());
        Buffer<T> memory(bytes_for(r.rows, 1) * r.columns);
        const Matrix<T> dense{memory.get(), r.rows, r.columns, 1, r.rows};
        auto each_element = [&](auto &&body) {
            for (int64_t j = 0; j < r.columns; j++)
                for (int64_t i = 0; i < r.rows; i++)
                    body(r.data[i * r.row_stride + j * r.column_stride], dense.data[j * r.rows + i]);
        };
        if (beta != 0) each_element([](T &own, T &other) { other = own; });
        multiply<T>(dense, beta, alpha, a, b);
        each_element([](T &own, T &other) { own = other; });
        return;
    }
    assert(a.rows == r.rows && a.columns == b.rows && b.columns == r.columns);
    const Factor<T> left(a), right(b);
    blas::gemm<T>(left.trans(), right.trans(), r.rows, r.columns, a.columns, alpha, left.data(), left.leading(),
                  right.data(), right.leading(), beta, r.data, r.leading());
}

// Where a sum is gathered that starts with t: r itself, holding t, or another tensor if r, as it is or as it will be
// resized, shares memory with an input.
template <typename T> Owned<T> begin_sum(Tensor<T> *r, T beta, Tensor<T> *t, Tensor<T> *factor1, Tensor<T> *factor2) {
    const bool resized = !same_size(r, t);
    const auto shares = [&](Tensor<T> *input) {
        return (resized && input->storage && input->storage == r->storage) || may_overlap(operand(r), operand(input));
    };
    const bool shared = shares(factor1) || shares(factor2) || (r != t && beta != 0 && shares(t));
    Owned<T> sum = shared ? make<T>(shape_of(t)) : retained(r);
    if (sum != t) {
        if (!shared) resizeAs(r, t);
        if (beta != 0) copy<T, T>(sum, t);
    }
    return sum;
}

template <typename T> void end_sum(Owned<T> sum, Tensor<T> *r, Tensor<T> *t) {
    if (sum.get() == r) return;
    resizeAs(r, t);
    copy<T, T>(r, sum);
}

}  // namespace

template <typename T> void addmv(Tensor<T> *r, T beta, Tensor<T> *t, T alpha, Tensor<T> *mat, Tensor<T> *vec) {
    TH_CHECK(mat->nDimension == 2 && vec->nDimension == 1, "matrix and vector expected, got %dD, %dD", mat->nDimension,
             vec->nDimension);
    TH_CHECK(mat->size[1] == vec->size[0], "size mismatch, %s, %s", describe(mat).str, describe(vec).str);
    TH_CHECK(t->nDimension == 1, "vector expected, got t: %dD", t->nDimension);
    TH_CHECK(t->size[0] == mat->size[0], "size mismatch, t: %s, mat: %s", describe(t).str, describe(mat).str);
    Owned<T> sum = begin_sum(r, beta, t, mat, vec);
    const Factor<T> factor(matrix(mat));
    const bool transposed = factor.trans() == 't';
    const int64_t rows = mat->size[0], columns = mat->size[1];
    blas::gemv<T>(factor.trans(), transposed ? columns : rows, transposed ? rows : columns, alpha, factor.data(),
                  factor.leading(), vec->data(), columns == 1 ? 1 : vec->stride[0], beta, sum->data(),
                  rows == 1 ? 1 : sum->stride[0]);
    end_sum(std::move(sum), r, t);
}

template <typename T> void addmm(Tensor<T> *r, T beta, Tensor<T> *t, T alpha, Tensor<T> *m1, Tensor<T> *m2) {
    TH_CHECK(m1->nDimension == 2 && m2->nDimension == 2, "matrices expected, got %dD, %dD tensors", m1->nDimension,
             m2->nDimension);
    TH_CHECK(m1->size[1] == m2->size[0], "size mismatch, m1: %s, m2: %s", describe(m1).str, describe(m2).str);
    TH_CHECK(t->nDimension == 2, "matrix expected, got %dD tensor for t", t->nDimension);
    TH_CHECK(t->size[0] == m1->size[0] && t->size[1] == m2->size[1], "size mismatch, t: %s, m1: %s, m2: %s",
             describe(t).str, describe(m1).str, describe(m2).str);
    Owned<T> sum = begin_sum(r, beta, t, m1, m2);
    multiply<T>(matrix(sum.get()), beta, alpha, matrix(m1), matrix(m2));
    end_sum(std::move(sum), r, t);
}

template <typename T> void addr(Tensor<T> *r, T beta, Tensor<T> *t, T alpha, Tensor<T> *vec1, Tensor<T> *vec2) {
    TH_CHECK(vec1->nDimension == 1 && vec2->nDimension == 1, "vector and vector expected, got %dD, %dD tensors",
             vec1->nDimension, vec2->nDimension);
    TH_CHECK(t->nDimension == 2, "expected matrix, got %dD tensor for t", t->nDimension);
    TH_CHECK(t->size[0] == vec1->size[0] && t->size[1] == vec2->size[0], "size mismatch, t: %s, vec1: %s, vec2: %s",
             describe(t).str, describe(vec1).str, describe(vec2).str);
    Owned<T> sum = begin_sum(r, beta, t, vec1, vec2);
    if (beta == 0)
        fill<T>(sum, 0);
    else if (beta != 1)
        mul<T>(sum, sum, beta);
    Matrix<T> m = matrix(sum.get());
    Line<T> down{vec1->data(), m.rows, vec1->stride[0]}, across{vec2->data(), m.columns, vec2->stride[0]};
    if (!m.by_columns()) {
        m = m.transposed();
        std::swap(down, across);
    }
    if (m.by_columns())
        blas::ger<T>(m.rows, m.columns, alpha, down.data, m.rows == 1 ? 1 : down.stride, across.data,
                     m.columns == 1 ? 1 : across.stride, m.data, m.leading());
    else
        for (int64_t j = 0; j < m.columns; j++)
            for (int64_t i = 0; i < m.rows; i++) {
                T &element = m.data[i * m.row_stride + j * m.column_stride];
                element = T(element + T(alpha * across[j]) * down[i]);
            }
    end_sum(std::move(sum), r, t);
}

namespace {

template <typename T> void check_batches(Tensor<T> *batch1, Tensor<T> *batch2) {
    TH_ARGUMENT(batch1->size[0] == batch2->size[0], 2, "equal number of batches expected, got %lld, %lld",
                (long long)batch1->size[0], (long long)batch2->size[0]);
    TH_ARGUMENT(batch1->size[2] == batch2->size[1], 2, "wrong matrix size, batch1: %lldx%lld, batch2: %lldx%lld",
                (long long)batch1->size[1], (long long)batch1->size[2], (long long)batch2->size[1],
                (long long)batch2->size[2]);
}

// Dimension by dimension, as many as `sizes` has; the rest is for matrices to complain about.
template <typename T> void check_sum(Tensor<T> *t, std::initializer_list<int64_t> sizes) {
    int d = 0;
    for (const int64_t size : sizes) {
        TH_ARGUMENT(d < t->nDimension, 2, "dimension %d out of range of %dD tensor", d + index_base(), t->nDimension);
        TH_ARGUMENT(t->size[d++] == size, 1, "output tensor of incorrect size");
    }
    TH_CHECK(t->nDimension == d, "matrix expected, got %dD tensor for t", t->nDimension - d + 2);
}

}  // namespace

template <typename T> void addbmm(Tensor<T> *r, T beta, Tensor<T> *t, T alpha, Tensor<T> *batch1, Tensor<T> *batch2) {
    TH_ARGUMENT(batch1->nDimension == 3, 1, "expected 3D tensor");
    TH_ARGUMENT(batch2->nDimension == 3, 2, "expected 3D tensor");
    check_batches(batch1, batch2);
    check_sum(t, {batch1->size[1], batch2->size[2]});
    Owned<T> sum = begin_sum(r, beta, t, batch1, batch2);
    for (int64_t i = 0; i < batch1->size[0]; i++)
        multiply<T>(matrix(sum.get()), i ? T(1) : beta, alpha, matrix(batch1, i), matrix(batch2, i));
    end_sum(std::move(sum), r, t);
}

template <typename T> void baddbmm(Tensor<T> *r, T beta, Tensor<T> *t, T alpha, Tensor<T> *batch1, Tensor<T> *batch2) {
    TH_ARGUMENT(batch1->nDimension == 3, 1, "expected 3D tensor, got %dD", batch1->nDimension);
    TH_ARGUMENT(batch2->nDimension == 3, 2, "expected 3D tensor, got %dD", batch2->nDimension);
    check_batches(batch1, batch2);
    check_sum(t, {batch1->size[0], batch1->size[1], batch2->size[2]});
    Owned<T> sum = begin_sum(r, beta, t, batch1, batch2);
    for (int64_t i = 0; i < batch1->size[0]; i++)
        multiply<T>(matrix(sum.get(), i), beta, alpha, matrix(batch1, i), matrix(batch2, i));
    end_sum(std::move(sum), r, t);
}

template <typename T> void match(Tensor<T> *r, Tensor<T> *m1, Tensor<T> *m2, T gain) {
    TH_ARGUMENT(m1->nDimension > 0, 2, "m1 must not be empty");
    TH_ARGUMENT(m2->nDimension > 0, 3, "m2 must not be empty");
    const int64_t rows = m1->size[0], columns = m2->size[0], length = elements_of(m1) / rows;
    TH_ARGUMENT(elements_of(m2) / columns == length, 3, "m1 and m2 must have the same inner vector dim");
    // Position by position, so that a row of r, m2's vectors side by side, is one run.
    const Owned<T> left = contiguous(m1), right = contiguous(m2);
    Buffer<T> across(bytes_for(columns, 1) * length);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t k = 0; k < length; k++) across[k * columns + j] = right->data()[j * length + k];
    Owned<T> result = make<T>();
    resize<T>(result, {rows, columns});  // r may be m1 or m2
    const T *const a = left->data(), *const b = across.get();
    T *const out = result->data();
    parallel_for(rows, std::max<int64_t>(1, grain / (columns * length)), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            T *const row = out + i * columns;
            for (int64_t k = 0; k < length; k++) {
                const T x = a[i * length + k];
                for (int64_t j = 0; j < columns; j++) {
                    const T difference = T(x - b[k * columns + j]);
                    row[j] = T(row[j] + difference * difference);
                }
            }
            for (int64_t j = 0; j < columns; j++) row[j] = T(gain * row[j]);
        }
    });
    resize<T>(r, {rows, columns});
    copy<T, T>(r, result);
}

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/linear_algebra/linear_exports.h"
#include <TH/THGenerateAllTypes.h>
}
