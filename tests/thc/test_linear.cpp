// tests/thc/test_linear.cpp: products on the GPU against sums in double, for every layout of every argument.
#include "api.h"

template <typename T> double tolerance() { return std::is_same<T, half>::value ? 2 : 1e-4; }

// A matrix's or vector's elements in row-major order.
template <typename T> std::vector<double> numbers(const Pair<T> &pair) {
    std::vector<double> found;
    for (T value : pair.of_cuda()) found.push_back(double(float(value)));
    return found;
}

template <typename T> void check(const Pair<T> &result, const std::vector<double> &expected) {
    const std::vector<double> got = numbers(result);
    CHECK(got.size() == expected.size());
    for (size_t i = 0; i < got.size(); i++) CHECK(is_near(got[i], expected[i], tolerance<T>()));
}

// `t` scaled by beta (0: not read) plus alpha times the product of rows x inner and inner x columns.
std::vector<double> product(double beta, const double *t, double alpha, const double *a, const double *b, int64_t rows,
                            int64_t inner, int64_t columns) {
    std::vector<double> sums;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double sum = 0;
            for (int64_t k = 0; k < inner; k++) sum += a[i * inner + k] * b[k * columns + j];
            sums.push_back((beta == 0 ? 0 : beta * t[i * columns + j]) + alpha * sum);
        }
    return sums;
}

// A matrix of these sizes in one of four layouts: rows, columns, a window, every second element.
template <typename T> void lay_out(Pair<T> &pair, int how) {
    const int dims = pair.host->nDimension;
    std::vector<int64_t> sizes(pair.host->size, pair.host->size + dims);
    if (how == 1) {
        std::swap(sizes[size_t(dims) - 1], sizes[size_t(dims) - 2]);
        THLongStorage *list = THLongStorage_newWithSize(dims);
        std::copy(sizes.begin(), sizes.end(), list->data);
        auto *view = Cuda<T>::newView(state, pair.cuda, list);
        Cuda<T>::transpose(state, pair.cuda, view, dims - 2, dims - 1);
        Cuda<T>::free(state, view);
        THLongStorage_free(list);
    } else if (how > 1) {
        std::vector<int64_t> strides(sizes.size());
        int64_t stride = how == 2 ? 1 : 2;
        for (int d = dims - 1; d >= 0; d--) {
            strides[size_t(d)] = stride;
            stride *= sizes[size_t(d)] + 1;
        }
        auto *dense = Cuda<T>::newClone(state, pair.cuda);
        auto *fresh = Cuda<T>::make(state);
        Cuda<T>::resizeNd(state, fresh, dims, sizes.data(), strides.data());
        Cuda<T>::copy(state, fresh, dense);
        Cuda<T>::set(state, pair.cuda, fresh);
        Cuda<T>::free(state, dense);
        Cuda<T>::free(state, fresh);
    }
}

template <typename T> void test_matrices() {
    for (int how = 0; how < 64; how++)
        for (double beta : {0., 2.}) {
            Pair<T> t({3, 4}, 1), a({3, 5}, 2), b({5, 4}, 3), r({3, 4}, 4);
            lay_out(a, how % 4), lay_out(b, how / 4 % 4), lay_out(r, how / 16);
            if (beta == 0) Cuda<T>::fill(state, r.cuda, T(NAN));
            const auto expected = product(beta, numbers(t).data(), 3, numbers(a).data(), numbers(b).data(), 3, 5, 4);
            Cuda<T>::addmm(state, r.cuda, T(float(beta)), t.cuda, T(3.f), a.cuda, b.cuda);
            check(r, expected);
            Cuda<T>::addmm(state, t.cuda, T(float(beta)), t.cuda, T(3.f), a.cuda, b.cuda);
            check(t, expected);
        }
    Pair<T> square({4, 4}, 1), fresh;
    const auto expected = product(0, nullptr, 1, numbers(square).data(), numbers(square).data(), 4, 4, 4);
    Cuda<T>::addmm(state, fresh.cuda, T(0.f), square.cuda, T(1.f), square.cuda, square.cuda);
    check(fresh, expected);
    Cuda<T>::addmm(state, square.cuda, T(0.f), square.cuda, T(1.f), square.cuda, square.cuda);  // r is both factors
    check(square, expected);
}

template <typename T> void test_vectors() {
    for (int how = 0; how < 16; how++)
        for (double beta : {0., 2.}) {
            Pair<T> t({3}, 1), mat({3, 5}, 2), vec({5}, 3), r({3}, 4), wide({3, 5}, 5), left({3}, 6);
            lay_out(mat, how % 4), lay_out(wide, how / 4);
            if (how % 2) lay_out(vec, 3), lay_out(r, 3);
            auto expected = product(beta, numbers(t).data(), 3, numbers(mat).data(), numbers(vec).data(), 3, 5, 1);
            Cuda<T>::addmv(state, r.cuda, T(float(beta)), t.cuda, T(3.f), mat.cuda, vec.cuda);
            check(r, expected);
            expected = product(beta, numbers(wide).data(), 3, numbers(left).data(), numbers(vec).data(), 3, 1, 5);
            Cuda<T>::addr(state, wide.cuda, T(float(beta)), wide.cuda, T(3.f), left.cuda, vec.cuda);
            check(wide, expected);
        }
    Pair<T> a({4, 3}, 1), b({4, 3}, 2);
    a.transpose(0, 1), b.transpose(0, 1);
    double expected = 0;
    for (size_t i = 0; i < 12; i++) expected += numbers(a)[i] * numbers(b)[i];
    CHECK(is_near(double(Cuda<T>::dot(state, a.cuda, b.cuda)), expected, tolerance<T>()));
}

template <typename T> void test_batches() {
    for (int how = 0; how < 64; how++)
        for (double beta : {0., 2.}) {
            Pair<T> t({3, 4}, 1), each({2, 3, 4}, 1), a({2, 3, 5}, 2), b({2, 5, 4}, 3);
            lay_out(a, how % 4), lay_out(b, how / 4 % 4), lay_out(each, how / 16);
            std::vector<double> sum = numbers(t), apart;
            for (int i = 0; i < 2; i++) {
                const std::vector<double> xs = numbers(a), ys = numbers(b), zs = numbers(each);
                const double *x = xs.data() + i * 15, *y = ys.data() + i * 20;
                sum = product(i ? 1 : beta, sum.data(), 3, x, y, 3, 5, 4);
                for (double value : product(beta, zs.data() + i * 12, 3, x, y, 3, 5, 4)) apart.push_back(value);
            }
            Cuda<T>::addbmm(state, t.cuda, T(float(beta)), t.cuda, T(3.f), a.cuda, b.cuda);
            check(t, sum);
            Cuda<T>::baddbmm(state, each.cuda, T(float(beta)), each.cuda, T(3.f), a.cuda, b.cuda);
            check(each, apart);
        }
}

// A batch of matrices that are well away from singular.
template <typename T> void fill_matrices(Pair<T> &pair) {
    T *data = reinterpret_cast<T *>(Host<T>::data(pair.host));
    for (ptrdiff_t i = 0; i < Host<T>::nElement(pair.host); i++) data[i] = T((i * i * 31 + i * 7) % 23) - 11;
    const int64_t n = pair.host->size[1];
    for (int64_t i = 0; i < pair.host->size[0] * n; i++) data[i * n + i % n] += T(i % 2 ? 3 : -9);
    Cuda<T>::from_host(state, pair.cuda, pair.host);
}

template <typename T> struct Factors;
template <> struct Factors<float> {
    static constexpr auto make = THCudaTensor_btrifact;
    static constexpr auto solve = THCudaTensor_btrisolve;
};
template <> struct Factors<double> {
    static constexpr auto make = THCudaDoubleTensor_btrifact;
    static constexpr auto solve = THCudaDoubleTensor_btrisolve;
};

template <typename T> void test_factors() {
    for (int64_t n : {1, 2, 5})
        for (int how = 0; how < 16; how++)
            for (int pivot : {1, 0}) {
                Pair<T> a({3, n, n}), b({3, n, 2}, 4), factors({3, n, n}, 1), x;
                Pair<int> pivots, info;
                fill_matrices(a);
                lay_out(a, how % 4), lay_out(b, how / 4), lay_out(factors, how % 3);
                const std::vector<double> as = numbers(a), bs = numbers(b);
                Factors<T>::make(state, factors.cuda, pivots.cuda, info.cuda, pivot, a.cuda);
                CHECK((info.of_cuda() == std::vector<int>{0, 0, 0}) && pivots.cuda->nDimension == 2);
                const std::vector<int> rows = pivots.of_cuda();
                CHECK(rows.size() == size_t(3 * n));
                for (size_t i = 0; i < rows.size(); i++) {
                    const int row = int(i % size_t(n)) + 1;
                    CHECK(pivot ? rows[i] >= row && rows[i] <= n : rows[i] == row);
                }
                Factors<T>::solve(state, x.cuda, b.cuda, factors.cuda, pivots.cuda);
                const std::vector<double> xs = numbers(x);
                for (size_t i = 0; i < 3; i++) {
                    const auto back = product(0, nullptr, 1, as.data() + i * size_t(n * n),
                                              xs.data() + i * size_t(n * 2), n, n, 2);
                    for (size_t k = 0; k < back.size(); k++)
                        CHECK(is_near(back[k], bs[i * back.size() + k], pivot ? 2e-4 : 1e-2));
                }
                // in place of the arguments; a vector for each matrix
                Pair<T> vectors({3, n}, 4);
                const std::vector<double> vs = numbers(vectors);
                Factors<T>::make(state, a.cuda, pivots.cuda, nullptr, 1, a.cuda);
                Factors<T>::solve(state, vectors.cuda, vectors.cuda, a.cuda, pivots.cuda);
                CHECK(vectors.cuda->nDimension == 2);
                const std::vector<double> ys = numbers(vectors);
                for (size_t i = 0; i < 3; i++) {
                    const auto back = product(0, nullptr, 1, as.data() + i * size_t(n * n), ys.data() + i * size_t(n),
                                              n, n, 1);
                    for (size_t k = 0; k < back.size(); k++)
                        CHECK(is_near(back[k], vs[i * size_t(n) + k], 2e-4));
                }
            }
    Pair<T> singular({2, 2, 2}), wide({2, 2, 3}), flat({2, 2}), b({2, 2, 1});
    Pair<int> pivots, info, few({2, 1});
    Cuda<T>::zero(state, singular.cuda);
    Factors<T>::make(state, singular.cuda, pivots.cuda, info.cuda, 1, singular.cuda);
    CHECK((info.of_cuda() == std::vector<int>{1, 1}));
    CHECK_FAILS("failed to factorize batch element 0 (info == 1)",
                Factors<T>::make(state, singular.cuda, pivots.cuda, nullptr, 1, singular.cuda));
    CHECK_FAILS("invalid argument 3: expected 3D tensor, got 2D",
                Factors<T>::make(state, flat.cuda, pivots.cuda, info.cuda, 1, flat.cuda));
    CHECK_FAILS("invalid argument 3: matrices must be square",
                Factors<T>::make(state, wide.cuda, pivots.cuda, info.cuda, 1, wide.cuda));
    const auto solve = [&](auto &sides, auto &factors, auto &rows) {
        Factors<T>::solve(state, sides.cuda, sides.cuda, factors.cuda, rows.cuda);
    };
    Pair<T> more({3, 2, 1}), longer({2, 3, 1}), line({2});
    CHECK_FAILS("invalid argument 3: expected 3D tensor, got 2D", solve(b, flat, pivots));
    CHECK_FAILS("invalid argument 4: expected 2D or 3D tensor", solve(line, singular, pivots));
    CHECK_FAILS("invalid argument 3: number of batches must be equal", solve(more, singular, pivots));
    CHECK_FAILS("invalid argument 3: A matrices must be square", solve(b, wide, pivots));
    CHECK_FAILS("invalid argument 3: dimensions of A and b must be equal", solve(longer, singular, pivots));
    CHECK_FAILS("invalid argument 5: expected 4 pivots, got 2", solve(b, singular, few));
}

void test_errors() {
    Pair<half> halves({2, 2, 2});
    Pair<int> rows;
    CHECK_FAILS("unimplemented data type",
                THCudaHalfTensor_btrifact(state, halves.cuda, rows.cuda, rows.cuda, 1, halves.cuda));
    CHECK_FAILS("unimplemented data type",
                THCudaHalfTensor_btrisolve(state, halves.cuda, halves.cuda, halves.cuda, rows.cuda));
    Pair<float> t({2, 2}), a({2, 3}), b({4, 2}), v({3});
    CHECK_FAILS("size mismatch, m1: [2 x 3], m2: [4 x 2]",
                THCudaTensor_addmm(state, t.cuda, 1, t.cuda, 1, a.cuda, b.cuda));
    CHECK_FAILS("matrices expected, got 2D, 1D tensors",
                THCudaTensor_addmm(state, t.cuda, 1, t.cuda, 1, a.cuda, v.cuda));
    CHECK_FAILS("matrix and vector expected, got 1D, 1D",
                THCudaTensor_addmv(state, v.cuda, 1, v.cuda, 1, v.cuda, v.cuda));
    Pair<int> i({2, 2});
    CHECK_FAILS("unimplemented data type", THCudaIntTensor_addmm(state, i.cuda, 1, i.cuda, 1, i.cuda, i.cuda));
    float *data = THCudaTensor_data(state, t.cuda);
    CHECK_FAILS("trans must be one of: t, n, c",
                THCudaBlas_Sgemm(state, 'T', 'n', 1, 1, 1, 1, data, 1, data, 1, 0, data, 1));
    CHECK_FAILS("gemm: expected sizes and strides of at most 2147483647, got 2147483648",
                THCudaBlas_Sgemm(state, 'n', 'n', 1, 1, INT64_C(1) << 31, 1, data, 1, data, 1, 0, data, 1));
}

// Called as C does: by columns, with leading dimensions that nothing depends on.
void test_functions() {
    Pair<double> a({2, 3}, 1), b({3}, 2), c({2}, 3);  // a by columns is 3 x 2
    double *x = THCudaDoubleTensor_data(state, a.cuda), *y = THCudaDoubleTensor_data(state, b.cuda);
    double *z = THCudaDoubleTensor_data(state, c.cuda);
    const auto expected = product(0, nullptr, 1, numbers(a).data(), numbers(b).data(), 2, 3, 1);
    THCudaBlas_Dgemv(state, 't', 3, 2, 1, x, 3, y, 1, 0, z, 1);
    check(c, expected);
    THCudaDoubleTensor_zero(state, c.cuda);
    THCudaBlas_Dgemm(state, 't', 'n', 2, 1, 3, 1, x, 3, y, 0, 0, z, 0);
    check(c, expected);
    const std::vector<double> ys = numbers(b);
    CHECK(THCudaBlas_Ddot(state, 3, y, 1, y, 1) == product(0, nullptr, 1, ys.data(), ys.data(), 1, 3, 1)[0]);
    THCudaDoubleTensor_zero(state, c.cuda);
    device_values<double> more({0, 0});
    device_values<const double *> as({x, x}), bs({y, y});
    device_values<double *> cs({z, more.data()});
    THCudaBlas_DgemmBatched(state, 't', 'n', 2, 1, 3, 1, as.data(), 3, bs.data(), 3, 0, cs.data(), 2, 2);
    check(c, expected);
    CHECK(more.values()[1] == expected[1]);
    THCudaBlas_DgemmStridedBatched(state, 't', 'n', 2, 1, 3, 1, x, 3, 0, y, 3, 0, 0, z, 2, 0, 1);
    check(c, expected);
    Pair<float> outer({2, 2}, 0), p({2}, 1), q({2}, 2);
    THCudaTensor_zero(state, outer.cuda);
    float *o = THCudaTensor_data(state, outer.cuda), *ps = THCudaTensor_data(state, p.cuda);
    THCudaBlas_Sger(state, 2, 2, 1, ps, 1, THCudaTensor_data(state, q.cuda), 1, o, 2);
    check(outer, product(0, nullptr, 1, numbers(q).data(), numbers(p).data(), 2, 1, 2));
}

int main() {
    auto products = [](auto value) {
        using T = decltype(value);
        test_matrices<T>();
        test_vectors<T>();
        test_batches<T>();
    };
    products(float());
    products(double());
    products(half());
    test_factors<float>();
    test_factors<double>();
    test_errors();
    test_functions();
    CHECK(holds(0));
    return failures() != 0;
}
