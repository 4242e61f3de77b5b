// c_api/thc/math/linear.cpp: products of matrices and vectors on the GPU, added to a tensor.
#include "thc/math/blas.h"
#include "thc/runtime/export.h"
#include "thc/runtime/launch.h"
#include "thc/tensor/tensor.h"

#include <algorithm>
#include <climits>
#include <vector>

namespace th {
namespace {

template <typename T> constexpr bool has_blas = is_floating<T> || is_cuda_half<T>;

// Matrices of one size, `count` of them, each `batch_stride` elements behind the last.
template <typename T> struct Matrices {
    T *data;
    int64_t rows, columns, row_stride, column_stride, batch_stride;

    // The last two dimensions of t.
    explicit Matrices(Tensor<T> *t)
        : data(t->data()), rows(t->size[t->nDimension - 2]), columns(t->size[t->nDimension - 1]),
          row_stride(t->stride[t->nDimension - 2]), column_stride(t->stride[t->nDimension - 1]),
          batch_stride(t->nDimension == 3 ? t->stride[0] : 0) {}

    Matrices transposed() const {
        Matrices other = *this;
        std::swap(other.rows, other.columns);
        std::swap(other.row_stride, other.column_stride);
        return other;
    }
    // Columns that BLAS can walk: dense, one after another, none overlapping.
    bool by_columns() const { return (rows == 1 || row_stride == 1) && (columns == 1 || column_stride >= rows); }
    bool by_rows() const { return transposed().by_columns(); }
    int64_t leading() const { return std::max(columns == 1 ? rows : column_stride, int64_t(1)); }
    Matrices at(int64_t i) const {
        Matrices one = *this;
        one.data += i * batch_stride;
        return one;
    }
};

// Matrices as BLAS takes them: themselves, read as their transposes, or a copy.
template <typename T> class Factor {
public:
    explicit Factor(Tensor<T> *t, int64_t select = -1) : kept_(retained(t)), view_(t) {
        if (!view_.by_columns() && !view_.by_rows()) {
            kept_ = contiguous(t);
            view_ = Matrices<T>(kept_.get());
        }
        if (select >= 0) view_ = view_.at(select);
        if (!view_.by_columns()) trans_ = 't', view_ = view_.transposed();
    }
    char trans() const { return trans_; }
    char other() const { return trans_ == 'n' ? 't' : 'n'; }
    const Matrices<T> *operator->() const { return &view_; }

private:
    Owned<T> kept_;
    Matrices<T> view_;
    char trans_ = 'n';
};

// r = beta r + alpha a b for each matrix of a batch; r is a matrix that BLAS can walk by columns or by rows.
template <typename T>
void multiply(const Matrices<T> &r, T beta, T alpha, const Factor<T> &a, const Factor<T> &b, int64_t inner,
              int64_t count) {
    if (r.by_columns())
        blas::gemm_strided<T>(a.trans(), b.trans(), r.rows, r.columns, inner, alpha, a->data, a->leading(),
                              a->batch_stride, b->data, b->leading(), b->batch_stride, beta, r.data, r.leading(),
                              r.batch_stride, count);
    else  // r' = b' a'
        blas::gemm_strided<T>(b.other(), a.other(), r.columns, r.rows, inner, alpha, b->data, b->leading(),
                              b->batch_stride, a->data, a->leading(), a->batch_stride, beta, r.data,
                              r.transposed().leading(), r.batch_stride, count);
}

// r holding t (unless beta is 0), or memory that BLAS can walk, which end() copies to r. r may be a factor.
template <typename T> class Sum {
public:
    Sum(Tensor<T> *r, T beta, Tensor<T> *t, Tensor<T> *factor1, Tensor<T> *factor2) : r_(r) {
        const bool walkable = r->nDimension < 2 || !same_size(r, t) || Matrices<T>(r).by_columns() ||
                              Matrices<T>(r).by_rows();
        const bool shared = r->storage && (r->storage == factor1->storage || r->storage == factor2->storage);
        sum_ = walkable && !shared ? retained(r) : make<T>(shape_of(t));
        if (sum_ == t) return;
        if (sum_ == r) resizeAs(r, t);
        if (element_as<double>(beta) != 0) copy<T, T>(sum_, t);
    }
    Tensor<T> *operator->() const { return sum_; }
    Tensor<T> *get() const { return sum_; }
    void end() {
        if (sum_.get() == r_) return;
        resizeAs(r_, sum_.get());
        copy<T, T>(r_, sum_);
    }

private:
    Tensor<T> *r_;
    Owned<T> sum_;
};

// The stride of a vector as BLAS takes it.
template <typename T> int64_t step(const Tensor<T> *vector) { return vector->size[0] == 1 ? 1 : vector->stride[0]; }

}  // namespace

template <typename T> CudaAccumulate<T> dot(Tensor<T> *self, Tensor<T> *source) {
    if constexpr (has_blas<T>) {
        TH_ARGUMENT(elements_of(self) == elements_of(source), 2, "sizes do not match");
        if (!self->nDimension) return 0;
        OnDevice guard(device_of(self));
        const Owned<T> a = contiguous(self), b = contiguous(source);
        return element_as<CudaAccumulate<T>>(blas::dot<T>(elements_of(a), a->data(), 1, b->data(), 1));
    } else {
        TH_ERROR("unimplemented data type");
    }
}

template <typename T> void addmv(Tensor<T> *r, T beta, Tensor<T> *t, T alpha, Tensor<T> *mat, Tensor<T> *vec) {
    if constexpr (has_blas<T>) {
        TH_CHECK(mat->nDimension == 2 && vec->nDimension == 1, "matrix and vector expected, got %dD, %dD",
                 mat->nDimension, vec->nDimension);
        TH_CHECK(mat->size[1] == vec->size[0], "size mismatch, %s, %s", describe(mat).str, describe(vec).str);
        TH_CHECK(t->nDimension == 1, "vector expected, got t: %dD", t->nDimension);
        TH_CHECK(t->size[0] == mat->size[0], "size mismatch, t: %s, mat: %s", describe(t).str, describe(mat).str);
        OnDevice guard(device_of(mat));
        Sum<T> sum(r, beta, t, mat, vec);
        const Factor<T> factor(mat);
        const Owned<T> x = vec->stride[0] > 0 ? retained(vec) : clone(vec);
        blas::gemv<T>(factor.trans(), factor->rows, factor->columns, alpha, factor->data, factor->leading(),
                      x->data(), step<T>(x), beta, sum->data(), step<T>(sum.get()));
        sum.end();
    } else {
        TH_ERROR("unimplemented data type");
    }
}

template <typename T> void addmm(Tensor<T> *r, T beta, Tensor<T> *t, T alpha, Tensor<T> *m1, Tensor<T> *m2) {
    if constexpr (has_blas<T>) {
        TH_CHECK(m1->nDimension == 2 && m2->nDimension == 2, "matrices expected, got %dD, %dD tensors",
                 m1->nDimension, m2->nDimension);
        TH_CHECK(t->nDimension == 2, "matrix expected, got %dD tensor for t", t->nDimension);
        TH_CHECK(m1->size[1] == m2->size[0], "size mismatch, m1: %s, m2: %s", describe(m1).str, describe(m2).str);
        TH_CHECK(t->size[0] == m1->size[0] && t->size[1] == m2->size[1], "size mismatch, t: %s, m1: %s, m2: %s",
                 describe(t).str, describe(m1).str, describe(m2).str);
        OnDevice guard(device_of(m1));
        Sum<T> sum(r, beta, t, m1, m2);
        multiply<T>(Matrices<T>(sum.get()), beta, alpha, Factor<T>(m1), Factor<T>(m2), m1->size[1], 1);
        sum.end();
    } else {
        TH_ERROR("unimplemented data type");
    }
}

template <typename T> void addr(Tensor<T> *r, T beta, Tensor<T> *t, T alpha, Tensor<T> *vec1, Tensor<T> *vec2) {
    if constexpr (has_blas<T>) {
        TH_CHECK(vec1->nDimension == 1 && vec2->nDimension == 1, "vector and vector expected, got %dD, %dD tensors",
                 vec1->nDimension, vec2->nDimension);
        TH_CHECK(t->nDimension == 2, "expected matrix, got %dD tensor for t", t->nDimension);
        TH_CHECK(t->size[0] == vec1->size[0] && t->size[1] == vec2->size[0], "size mismatch, t: %s, vec1: %s, vec2: %s",
                 describe(t).str, describe(vec1).str, describe(vec2).str);
        // a product of n x 1 and 1 x n
        const Owned<T> column = alias(vec1), row = alias(vec2);
        unsqueeze1d<T>(column, nullptr, 1);
        unsqueeze1d<T>(row, nullptr, 0);
        addmm<T>(r, beta, t, alpha, column, row);
    } else {
        TH_ERROR("unimplemented data type");
    }
}

namespace {

template <typename T> void check_batches(Tensor<T> *t, Tensor<T> *batch1, Tensor<T> *batch2, int dims_of_t) {
    TH_ARGUMENT(t->nDimension == dims_of_t, 4, "expected %dD tensor", dims_of_t);
    TH_ARGUMENT(batch1->nDimension == 3, 6, "expected 3D tensor");
    TH_ARGUMENT(batch2->nDimension == 3, 7, "expected 3D tensor");
    TH_ARGUMENT(batch1->size[0] == batch2->size[0], 7, "equal number of batches expected");
    const int64_t *of_matrix = t->size + dims_of_t - 2;
    TH_ARGUMENT(dims_of_t == 2 || t->size[0] == batch1->size[0], 6, "equal number of batches expected");
    TH_ARGUMENT(of_matrix[0] == batch1->size[1], 6, "first dimension must match first dimension of input");
    TH_ARGUMENT(of_matrix[1] == batch2->size[2], 7, "second dimension must match second dimension of input");
    TH_ARGUMENT(batch1->size[2] == batch2->size[1], 6, "wrong matrix size");
}

}  // namespace

template <typename T> void addbmm(Tensor<T> *r, T beta, Tensor<T> *t, T alpha, Tensor<T> *batch1, Tensor<T> *batch2) {
    if constexpr (has_blas<T>) {
        check_batches(t, batch1, batch2, 2);
        OnDevice guard(device_of(batch1));
        Sum<T> sum(r, beta, t, batch1, batch2);
        const Matrices<T> result(sum.get());
        for (int64_t i = 0; i < batch1->size[0]; i++)
            multiply<T>(result, i ? element_as<T>(1.f) : beta, alpha, Factor<T>(batch1, i), Factor<T>(batch2, i),
                        batch1->size[2], 1);
        sum.end();
    } else {
        TH_ERROR("unimplemented data type");
    }
}

template <typename T> void baddbmm(Tensor<T> *r, T beta, Tensor<T> *t, T alpha, Tensor<T> *batch1, Tensor<T> *batch2) {
    if constexpr (has_blas<T>) {
        check_batches(t, batch1, batch2, 3);
        OnDevice guard(device_of(batch1));
        Sum<T> sum(r, beta, t, batch1, batch2);
        multiply<T>(Matrices<T>(sum.get()), beta, alpha, Factor<T>(batch1), Factor<T>(batch2), batch1->size[2],
                    batch1->size[0]);
        sum.end();
    } else {
        TH_ERROR("unimplemented data type");
    }
}

// ---- Batches of factors ---------------------------------------------------------------------------------------------

namespace {

// A copy of a batch's matrices, each stored by columns, and where each begins, on the GPU.
template <typename T> class Columns {
public:
    explicit Columns(Tensor<T> *batch)
        : rows_(batch->size[1]), count_(batch->size[0]), matrices_(alias(batch)),
          addresses_(size_t(count_) * sizeof(T *)) {
        for (int d = 0; d < 3; d++)
            TH_CHECK(batch->size[d] <= INT_MAX, "cuBLAS counts in int, but the batch is %s", describe(batch).str);
        transpose<T>(matrices_, nullptr, 1, 2);
        matrices_ = clone<T>(matrices_);
        transpose<T>(matrices_, nullptr, 1, 2);
        T **addresses = addresses_.template get<T *>();
        launch_addresses(Addresses<T>{{addresses, count_}, matrices_->data(), rows_ * batch->size[2]}, count_);
    }
    Tensor<T> *tensor() const { return matrices_; }
    T **addresses() const { return addresses_.template get<T *>(); }
    const T **read_only() const { return addresses_.template get<const T *>(); }
    int rows() const { return int(rows_); }
    int count() const { return int(count_); }

private:
    int64_t rows_, count_;
    Owned<T> matrices_;
    DeviceBuffer addresses_;
};

// 1, 2, …, n for each matrix: no row was exchanged.
void set_to_identity(Tensor<int> *pivots, int n) {
    std::vector<int> rows(size_t(elements_of(pivots)));
    for (size_t i = 0; i < rows.size(); i++) rows[i] = int(i % size_t(n)) + 1;
    upload(pivots->data(), rows.data(), rows.size() * sizeof(int));
}

void check_factors(Tensor<int> *infos) {
    std::vector<int> info(size_t(elements_of(infos)));
    download(info.data(), infos->data(), info.size() * sizeof(int));
    for (size_t i = 0; i < info.size(); i++)
        TH_CHECK(!info[i], "failed to factorize batch element %lld (info == %d)", (long long)i, info[i]);
}

template <typename T> constexpr bool has_factors = is_floating<T>;  // cuBLAS has none of half

}  // namespace

template <typename T>
void btrifact(Tensor<T> *ra, Tensor<int> *rpivots, Tensor<int> *rinfo, int pivot, Tensor<T> *a) {
    if constexpr (has_factors<T>) {
        if (!a) a = ra;
        TH_ARGUMENT(a->nDimension == 3, 3, "expected 3D tensor, got %dD", a->nDimension);
        TH_ARGUMENT(a->size[1] == a->size[2], 3, "matrices must be square");
        OnDevice guard(device_of(a));
        const Columns<T> factors(a);
        const int64_t count = factors.count(), n = factors.rows();
        const Owned<int> pivots = make<int>(), infos = make<int>();
        resize<int>(pivots, {count, n});
        resize<int>(infos, {count});
        blas::getrf<T>(int(n), factors.addresses(), int(n), pivot ? pivots->data() : nullptr, infos->data(),
                       factors.count());
        if (!rinfo) check_factors(infos);
        if (!pivot) set_to_identity(pivots, int(n));
        resizeAs(ra, a);
        copy<T, T>(ra, factors.tensor());
        resizeAs(rpivots, pivots.get());
        copy<int, int>(rpivots, pivots);
        if (!rinfo) return;
        resizeAs(rinfo, infos.get());
        copy<int, int>(rinfo, infos);
    } else {
        TH_ERROR("unimplemented data type");
    }
}

template <typename T> void btrisolve(Tensor<T> *rb, Tensor<T> *b, Tensor<T> *atf, Tensor<int> *pivots) {
    if constexpr (has_factors<T>) {
        if (!b) b = rb;
        TH_ARGUMENT(atf->nDimension == 3, 3, "expected 3D tensor, got %dD", atf->nDimension);
        TH_ARGUMENT(b->nDimension == 2 || b->nDimension == 3, 4, "expected 2D or 3D tensor");
        TH_ARGUMENT(atf->size[0] == b->size[0], 3, "number of batches must be equal");
        TH_ARGUMENT(atf->size[1] == atf->size[2], 3, "A matrices must be square");
        TH_ARGUMENT(atf->size[1] == b->size[1], 3, "dimensions of A and b must be equal");
        TH_ARGUMENT(elements_of(pivots) == atf->size[0] * atf->size[1], 5, "expected %lld pivots, got %lld",
                    (long long)(atf->size[0] * atf->size[1]), (long long)elements_of(pivots));
        OnDevice guard(device_of(atf));
        const Owned<T> sides = alias(b);
        if (b->nDimension == 2) unsqueeze1d<T>(sides, nullptr, 2);
        const Columns<T> factors(atf), x(sides);
        const Owned<int> rows = contiguous(pivots);
        int info = 0;
        blas::getrs<T>('n', factors.rows(), int(sides->size[2]), factors.read_only(), factors.rows(), rows->data(),
                       x.addresses(), factors.rows(), &info, factors.count());
        TH_CHECK(!info, "getrsBatched: argument %d is wrong", -info);
        resizeAs(rb, b);
        copy<T, T>(rb, x.tensor());
    } else {
        TH_ERROR("unimplemented data type");
    }
}

}  // namespace th

extern "C" {
#define THC_GENERIC_FILE "thc/math/linear_exports.h"
#include <THC/THCGenerateAllTypes.h>
}
