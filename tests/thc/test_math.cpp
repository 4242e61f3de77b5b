// tests/thc/test_math.cpp: mathematics on the GPU, against the same in plain loops.
#include "api.h"

template <typename T> void test_fill() {
    for (int how = 0; how < 3; how++) {
        Pair<T> pair({5, 7, 40}, how);
        pair.lay_out(how);
        Cuda<T>::fill(state, pair.cuda, T(float(3)));
        for (T value : pair.of_cuda()) CHECK(float(value) == 3);
        Cuda<T>::zero(state, pair.cuda);
        for (T value : pair.of_cuda()) CHECK(float(value) == 0);
    }
    Pair<T> window({4, 6});  // what lies beside a view stays
    auto *part = Cuda<T>::newNarrow(state, window.cuda, 1, 2, 3);
    Cuda<T>::fill(state, part, T(float(9)));
    const std::vector<T> before = window.of_host(), after = window.of_cuda();
    for (size_t i = 0; i < after.size(); i++)
        CHECK(float(after[i]) == (i % 6 >= 2 && i % 6 < 5 ? 9.f : float(before[i])));
    Cuda<T>::free(state, part);
    Pair<T> empty;
    Cuda<T>::fill(state, empty.cuda, T(float(9)));
    Cuda<T>::zero(state, empty.cuda);
}

// Sums in the type's own arithmetic: integers wrap, half is calculated as float.
template <typename T> T plus(T a, T b, T value, int sign) {
    if constexpr (is_integer<T>) return T(a + T(sign * value) * b);
    return T(float(a) + float(sign) * float(value) * float(b));
}

template <typename T> void test_add() {
    for (int how = 0; how < 9; how++)
        for (int sign : {1, -1}) {
            Pair<T> a({6, 6}, 3), b({6, 6}, 5), result;
            a.lay_out(how % 3 == 1), b.lay_out(how / 3 == 1);
            const auto add = sign > 0 ? Cuda<T>::cadd : Cuda<T>::csub;
            const std::vector<T> x = a.of_cuda(), y = b.of_cuda();
            const T value = T(float(how % 2 ? 200 : 2));
            add(state, result.cuda, a.cuda, value, b.cuda);
            add(state, b.cuda, a.cuda, value, b.cuda);  // in place of an argument
            for (const auto &sums : {result.of_cuda(), b.of_cuda()}) {
                CHECK(sums.size() == x.size());
                for (size_t i = 0; i < sums.size(); i++) {
                    const T expected = plus(x[i], y[i], value, sign);
                    CHECK(!memcmp(&sums[i], &expected, sizeof expected));
                }
            }
        }
    Pair<T> a({2, 3}), b({2, 2}), result;
    CHECK_FAILS("invalid argument 3: sizes do not match",
                Cuda<T>::cadd(state, result.cuda, a.cuda, T(float(1)), b.cuda));
    CHECK(result.cuda->nDimension == 0);
}

template <typename T> void test_sum() {
    for (int64_t n : {1, 31, 255, 256, 257, 3000}) {
        Pair<T> pair({n, 2}, 4);
        pair.transpose(0, 1);
        double expected = 0;
        for (T value : pair.of_host()) expected += double(float(value));
        CHECK(double(Cuda<T>::sumall(state, pair.cuda)) == expected);
    }
    Pair<T> empty;
    CHECK(Cuda<T>::sumall(state, empty.cuda) == 0);
}

// More elements than threads: each thread takes several.
void test_large() {
    const int64_t n = 4096 * 256 + 300;
    Pair<uint8_t> pair({n});
    THCudaByteTensor_fill(state, pair.cuda, 3);
    for (uint8_t value : pair.of_cuda()) CHECK(value == 3);
    CHECK(THCudaByteTensor_sumall(state, pair.cuda) == 3 * n);
}

void test_norm() {
    Pair<double> pair({30, 40}, 3);
    Cuda<double>::csub(state, pair.cuda, pair.cuda, 2, pair.cuda);  // some negative
    pair.transpose(0, 1);
    for (double p : {0., 1., 2., 3., .5}) {
        double expected = 0;
        for (double value : pair.of_cuda()) expected += p == 0 ? value != 0 : std::pow(std::fabs(value), p);
        if (p > 0) expected = std::pow(expected, 1 / p);
        CHECK(is_near(THCudaDoubleTensor_normall(state, pair.cuda, p), expected, 1e-12 * expected));
    }
    Pair<float> threes({9, 1});
    THCudaTensor_fill(state, threes.cuda, 3);
    CHECK(is_near(THCudaTensor_normall(state, threes.cuda, 2), 9, 1e-6));
    Pair<half> halves({9, 1});
    THCudaHalfTensor_fill(state, halves.cuda, 3.f);
    CHECK(THCudaHalfTensor_normall(state, halves.cuda, 1.f) == 27);
}

template <typename T> void test_scatter_add() {
    for (int dim : {0, 1, 2})
        for (int how = 0; how < 4; how++) {
            Pair<T> target({4, 5, 6}, 1), source({4, 5, 6}, 2);
            std::vector<int64_t> sizes = {4, 5, 6};
            sizes[size_t(dim)] = 3;  // an index may be smaller than the source
            Pair<int64_t> index(sizes);
            if (how & 1) target.transpose(0, 0), source.transpose(1, 1);
            const int64_t limit = target.host->size[dim];
            int64_t *numbers = THLongTensor_data(index.host);
            for (ptrdiff_t i = 0; i < THLongTensor_nElement(index.host); i++) numbers[i] = below(int(limit));
            THCudaLongTensor_copyCPU(state, index.cuda, index.host);
            std::vector<T> expected = target.of_host();
            const std::vector<T> values = source.of_host();
            for (int64_t i = 0; i < sizes[0]; i++)
                for (int64_t j = 0; j < sizes[1]; j++)
                    for (int64_t k = 0; k < sizes[2]; k++) {
                        int64_t at[] = {i, j, k};
                        const size_t from = size_t((i * 5 + j) * 6 + k);
                        at[dim] = numbers[(i * sizes[1] + j) * sizes[2] + k];
                        T &to = expected[size_t((at[0] * 5 + at[1]) * 6 + at[2])];
                        to = plus(to, values[from], T(float(1)), 1);
                    }
            Cuda<T>::scatterAdd(state, target.cuda, dim, index.cuda, source.cuda);
            CHECK(same_bits(expected, target.of_cuda()));
        }
    Pair<T> target({2, 3}), source({2, 3});
    Pair<int64_t> index({2, 3}), flat({6}), large({2, 4});
    CHECK_FAILS("invalid argument 2: Index dimension is out of bounds",
                Cuda<T>::scatterAdd(state, target.cuda, 2, index.cuda, source.cuda));
    CHECK_FAILS("invalid argument 3: Index tensor must have same dimensions as input tensor",
                Cuda<T>::scatterAdd(state, target.cuda, 0, flat.cuda, source.cuda));
    CHECK_FAILS("invalid argument 3: Index tensor must not be larger than the source, but is [2 x 4]",
                Cuda<T>::scatterAdd(state, target.cuda, 0, large.cuda, source.cuda));
}

template <typename T> void test_bernoulli() {
    Pair<T> pair({40, 100}), again({40, 100});
    for (double p : {0., .25, 1.}) {
        Cuda<T>::bernoulli(state, pair.cuda, p);
        double ones = 0;
        for (T value : pair.of_cuda()) {
            CHECK(float(value) == 0 || float(value) == 1);
            ones += float(value);
        }
        CHECK(is_near(ones / 4000, p, p > 0 && p < 1 ? .05 : 0));
    }
    Cuda<T>::bernoulli(state, pair.cuda, .5);
    Cuda<T>::bernoulli(state, again.cuda, .5);
    CHECK(!same_bits(pair.of_cuda(), again.of_cuda()));
    CHECK_FAILS("invalid argument 3: must be >= 0 and <= 1", Cuda<T>::bernoulli(state, pair.cuda, 1.5));
}

int main() {
    for_every_type([](auto value) {
        using T = decltype(value);
        test_fill<T>();
        test_add<T>();
        test_sum<T>();
        test_scatter_add<T>();
        test_bernoulli<T>();
    });
    test_norm();
    test_large();
    CHECK(holds(0));
    return failures() != 0;
}
