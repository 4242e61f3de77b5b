// tests/th/test_index_and_order.cpp: indexing and sorting where the original's behaviour was undefined.
#include "expect.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

// What the tests make is released at the end.
std::vector<THFloatTensor *> kept_floats;
std::vector<THLongTensor *> kept_longs;
std::vector<THFloatStorage *> kept_storages;
THFloatTensor *keep(THFloatTensor *t) { return kept_floats.emplace_back(t); }
THLongTensor *keep(THLongTensor *t) { return kept_longs.emplace_back(t); }
THFloatStorage *keep(THFloatStorage *s) { return kept_storages.emplace_back(s); }

void release() {
    for (THFloatTensor *t : kept_floats) THFloatTensor_free(t);
    for (THLongTensor *t : kept_longs) THLongTensor_free(t);
    for (THFloatStorage *s : kept_storages) THFloatStorage_free(s);
}

THFloatTensor *floats(std::vector<float> values, int64_t columns = 0) {
    THFloatTensor *t = columns ? THFloatTensor_newWithSize2d(int64_t(values.size()) / columns, columns)
                               : THFloatTensor_newWithSize1d(int64_t(values.size()));
    std::copy(values.begin(), values.end(), THFloatTensor_data(t));
    return keep(t);
}

THLongTensor *longs(std::vector<int64_t> values, int64_t columns = 0) {
    THLongTensor *t = columns ? THLongTensor_newWithSize2d(int64_t(values.size()) / columns, columns)
                              : THLongTensor_newWithSize1d(int64_t(values.size()));
    std::copy(values.begin(), values.end(), THLongTensor_data(t));
    return keep(t);
}

bool same(float a, float b) { return a == b || (a != a && b != b); }

bool holds(THFloatTensor *t, std::vector<float> values) {
    THFloatTensor *c = THFloatTensor_newContiguous(t);
    const bool equal = THFloatTensor_nElement(c) == ptrdiff_t(values.size()) &&
                       std::equal(values.begin(), values.end(), THFloatTensor_data(c), same);
    THFloatTensor_free(c);
    return equal;
}

bool holds(THLongTensor *t, std::vector<int64_t> values) {
    THLongTensor *c = THLongTensor_newContiguous(t);
    const bool equal = THLongTensor_nElement(c) == ptrdiff_t(values.size()) &&
                       std::equal(values.begin(), values.end(), THLongTensor_data(c));
    THLongTensor_free(c);
    return equal;
}

// Each function refuses each position outside, and leaves its tensor as it was.
void positions_out_of_range() {
    for (int64_t wrong : {int64_t(-1), int64_t(2), INT64_MIN, INT64_MAX}) {
        THFloatTensor *t = floats({1, 2, 3, 4}, 2), *src = floats({5, 6, 7, 8}, 2), *r = keep(THFloatTensor_new());
        THLongTensor *vector = longs({0, wrong}), *matrix = longs({0, 1, 1, wrong}, 2);
        THLongTensor *far = longs({0, 7 + (wrong & 1)});
        for (int dim : {0, 1}) {
            EXPECT(!raised([&] { THFloatTensor_indexSelect(r, t, dim, vector); }).empty());
            EXPECT(raised([&] { THFloatTensor_indexCopy(t, dim, vector, src); }) == "3: out of range");
            EXPECT(raised([&] { THFloatTensor_indexAdd(t, dim, vector, src); }) == "3: out of range");
            EXPECT(raised([&] { THFloatTensor_indexFill(t, dim, vector, 9); }) == "3: out of range");
            EXPECT(raised([&] { THFloatTensor_gather(src, t, dim, matrix); }) == "0: Invalid index in gather");
            EXPECT(raised([&] { THFloatTensor_scatter(t, dim, matrix, src); }) == "0: Invalid index in scatter");
            EXPECT(raised([&] { THFloatTensor_scatterAdd(t, dim, matrix, src); }) == "0: Invalid index in scatterAdd");
            EXPECT(raised([&] { THFloatTensor_scatterFill(t, dim, matrix, 9); }) == "0: Invalid index in scatter");
        }
        EXPECT(raised([&] { THFloatTensor_take(r, t, far); }).substr(0, 15) == "2: out of range");
        EXPECT(!raised([&] { THFloatTensor_put(t, far, floats({1, 2}), 0); }).empty());
        EXPECT(holds(t, {1, 2, 3, 4}) && holds(src, {5, 6, 7, 8}) && THFloatTensor_nDimension(r) == 0);
    }
    // Dimensions that the original did not check.
    THFloatTensor *t = floats({1, 2, 3, 4}, 2), *r = keep(THFloatTensor_new());
    THLongTensor *index = longs({0});
    EXPECT(raised([&] { THFloatTensor_indexSelect(r, t, -1, index); }).substr(0, 2) == "4:");
    EXPECT(raised([&] { THFloatTensor_scatterFill(t, -1, longs({0}, 1), 1); }).substr(0, 2) == "2:");
    // A result too small along dim.
    EXPECT(!raised([&] { THFloatTensor_gather(floats({0, 0}, 2), t, 0, longs({0, 1, 1, 0}, 2)); }).empty());
    EXPECT(!raised([&] { THFloatTensor_scatterAdd(t, 0, longs({0, 1, 1, 0}, 2), floats({1, 1}, 2)); }).empty());
}

// Results that share memory with inputs get what they would if these had been copied.
void aliases() {
    THFloatTensor *t = floats({1, 2, 3, 4});
    THFloatTensor_indexSelect(t, t, 0, longs({3, 2, 1, 0, 0}));
    EXPECT(holds(t, {4, 3, 2, 1, 1}));
    THFloatTensor *g = floats({1, 2, 3});
    THFloatTensor_gather(g, g, 0, longs({1, 2, 0}));
    EXPECT(holds(g, {2, 3, 1}));
    THLongTensor *l = longs({2, 0, 1});
    THLongTensor_scatter(l, 0, l, l);
    EXPECT(holds(l, {0, 1, 2}));
    THLongTensor_take(l, longs({7, 8, 9}), l);
    EXPECT(holds(l, {7, 8, 9}));
    THFloatTensor *s = floats({3, 1, 2});
    THLongTensor *order = keep(THLongTensor_new());
    THFloatTensor_sort(s, order, s, 0, 0);
    EXPECT(holds(s, {1, 2, 3}) && holds(order, {1, 2, 0}));
    THLongTensor *n = longs({0, 5, 0, 6});
    THLongTensor_nonzero(n, n);
    EXPECT(holds(n, {1, 3}));
}

void equal_positions() {
    THFloatTensor *t = floats({0, 0, 0});
    THFloatTensor_indexCopy(t, 0, longs({1, 1}), floats({5, 6}));
    EXPECT(holds(t, {0, 6, 0}));
    THFloatTensor_indexAdd(t, 0, longs({1, 1}), floats({5, 6}));
    EXPECT(holds(t, {0, 17, 0}));
    THFloatTensor_put(t, longs({0, -3}), floats({1, 2}), 1);
    EXPECT(holds(t, {3, 17, 0}));
}

// Slices along each dimension, of tensors that lie in memory in every order.
void slices_in_every_layout() {
    std::vector<float> values(6 * 5 * 4);
    for (size_t i = 0; i < values.size(); i++) values[i] = float(i * i % 101);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int dim = 0; dim < 3; dim++) {
                THFloatTensor *t = floats(values);
                THFloatTensor_resize3d(t, 6, 5, 4);
                THFloatTensor_transpose(t, nullptr, 0, a);
                THFloatTensor_transpose(t, nullptr, 1, b);
                const auto element = [](THFloatTensor *of, int d, int64_t slice, int64_t i, int64_t j) {
                    int64_t at[] = {i, j, 0};
                    std::copy_backward(at + d, at + 2, at + 3);
                    at[d] = slice;
                    return THFloatTensor_get3d(of, at[0], at[1], at[2]);
                };
                THLongTensor *index = longs({1, 3, 1});
                THFloatTensor *chosen = keep(THFloatTensor_new()), *sum = keep(THFloatTensor_newClone(t));
                THFloatTensor *filled = keep(THFloatTensor_newClone(t));
                THFloatTensor *copy = keep(THFloatTensor_newWithStorage3d(  // with t's order of memory
                    keep(THFloatStorage_newWithSize(120)), 0, t->size[0], t->stride[0], t->size[1], t->stride[1],
                    t->size[2], t->stride[2]));
                THFloatTensor_indexSelect(chosen, t, dim, index);
                THFloatTensor_indexAdd(sum, dim, index, chosen);
                THFloatTensor_indexFill(filled, dim, index, -1);
                THLongTensor *all = keep(THLongTensor_new());
                THLongTensor_range(all, t->size[dim] - 1, 0, -1);
                THFloatTensor_indexCopy(copy, dim, all, t);
                THFloatTensor *dense = keep(THFloatTensor_newClone(t));
                THFloatTensor_indexCopy(dense, dim, all, t);
                EXPECT(THFloatTensor_equal(dense, copy));
                for (int64_t i = 0; i < t->size[dim == 0]; i++)
                    for (int64_t j = 0; j < t->size[dim == 2 ? 1 : 2]; j++)
                        for (int64_t s = 0; s < t->size[dim]; s++) {
                            const float x = element(t, dim, s, i, j);
                            if (s < 3) EXPECT(element(chosen, dim, s, i, j) == element(t, dim, s == 1 ? 3 : 1, i, j));
                            EXPECT(element(sum, dim, s, i, j) == (s == 1 ? 3 * x : s == 3 ? 2 * x : x));
                            EXPECT(element(filled, dim, s, i, j) == (s == 1 || s == 3 ? -1 : x));
                            EXPECT(element(copy, dim, t->size[dim] - 1 - s, i, j) == x);
                        }
            }
}

// Above the sizes where threads, radix sort and heaps begin; checked against plain loops in both layouts.
void large() {
    const int64_t rows = 300, columns = 2500;
    std::vector<float> values(rows * columns);
    std::vector<int64_t> index(rows * columns);
    uint32_t state = 1;
    for (size_t i = 0; i < values.size(); i++) {
        state = state * 1664525 + 1013904223;
        values[i] = float(int(state >> 8) % 1000) - 500;
        index[i] = (state >> 5) % 300;
    }
    THFloatTensor *t = floats(values, columns), *r = keep(THFloatTensor_newWithSize2d(rows, columns));
    THLongTensor *at = longs(index, columns), *order = keep(THLongTensor_new());
    for (bool turned : {false, true}) {
        THFloatTensor *tv = keep(THFloatTensor_newTranspose(t, 0, turned));
        THFloatTensor *rv = keep(THFloatTensor_newTranspose(r, 0, turned));
        THLongTensor *iv = keep(THLongTensor_newTranspose(at, 0, turned));
        for (int dim : {0, 1}) {
            const auto value = [&](int64_t i, int64_t j) { return THFloatTensor_get2d(tv, i, j); };
            THFloatTensor_gather(rv, tv, dim, iv);
            for (int64_t i = 0; i < tv->size[0]; i += 7)
                for (int64_t j = 0; j < tv->size[1]; j += 3) {
                    const int64_t k = THLongTensor_get2d(iv, i, j);
                    EXPECT(THFloatTensor_get2d(rv, i, j) == (dim ? value(i, k) : value(k, j)));
                }
            THFloatTensor_zero(rv);
            THFloatTensor_scatterAdd(rv, dim, iv, tv);
            EXPECT(THFloatTensor_sumall(rv) == THFloatTensor_sumall(tv));

            for (int descending : {0, 1}) {
                THFloatTensor *sorted = keep(THFloatTensor_new());
                THFloatTensor_sort(sorted, order, tv, dim, descending);
                THFloatTensor *a = keep(THFloatTensor_newTranspose(sorted, 1, dim));
                THFloatTensor *b = keep(THFloatTensor_newTranspose(tv, 1, dim));
                THLongTensor *o = keep(THLongTensor_newTranspose(order, 1, dim));
                for (int64_t i = 0; i < a->size[0]; i += 11)
                    for (int64_t j = 0; j < a->size[1]; j++) {
                        const float x = THFloatTensor_get2d(a, i, j);
                        const int64_t p = THLongTensor_get2d(o, i, j);
                        EXPECT(x == THFloatTensor_get2d(b, i, p));
                        if (!j) continue;
                        const float before = THFloatTensor_get2d(a, i, j - 1);
                        EXPECT(before == x  ? THLongTensor_get2d(o, i, j - 1) < p
                               : descending ? before > x
                                            : before < x);
                    }
                for (int64_t k : {int64_t(2), int64_t(200)}) {
                    THFloatTensor *top = keep(THFloatTensor_new());
                    THFloatTensor *head = keep(THFloatTensor_newNarrow(sorted, dim, 0, k));
                    THFloatTensor_topk(top, order, tv, k, dim, descending, 1);
                    EXPECT(THFloatTensor_equal(top, head));
                    THFloatTensor_kthvalue(top, order, tv, k, dim, 1);
                    THFloatTensor *kth = keep(THFloatTensor_newNarrow(sorted, dim, k - 1, 1));
                    EXPECT(descending || THFloatTensor_equal(top, kth));
                }
            }
        }
    }
}

void not_a_number() {
    const float nan = NAN, inf = INFINITY;
    THFloatTensor *t = floats({2, nan, -inf, inf, -nan, 0.f, -0.f, 1}), *r = keep(THFloatTensor_new());
    THLongTensor *i = keep(THLongTensor_new());
    THFloatTensor_sort(r, i, t, 0, 0);
    EXPECT(holds(r, {-inf, 0, 0, 1, 2, inf, nan, nan}) && holds(i, {2, 5, 6, 7, 0, 3, 1, 4}));
    THFloatTensor_sort(r, i, t, 0, 1);
    EXPECT(holds(r, {nan, nan, inf, 2, 1, 0, 0, -inf}) && holds(i, {1, 4, 3, 0, 7, 5, 6, 2}));
    THFloatTensor_topk(r, i, t, 3, 0, 1, 1);
    EXPECT(holds(r, {nan, nan, inf}));
    THFloatTensor_kthvalue(r, i, t, 6, 0, 1);
    EXPECT(holds(r, {inf}) && holds(i, {3}));
    THFloatTensor_median(r, i, t, 0, 1);
    EXPECT(holds(r, {nan}) && holds(i, {1}) && std::isnan(THFloatTensor_medianall(t)));
    THFloatTensor_mode(r, i, t, 0, 1);
    EXPECT(holds(r, {0}) && holds(i, {6}));
    EXPECT(THFloatTensor_medianall(floats({4, 1, 3, 2})) == 2);
}

void histograms() {
    THFloatTensor *h = keep(THFloatTensor_new());
    THFloatTensor_histc(h, floats({0, 0.5, 1, 2, NAN, -1, 3}), 2, 0, 2);
    EXPECT(holds(h, {2, 2}));
    THFloatTensor_histc(h, floats({0, 1, NAN}), 2, 0, 0);
    EXPECT(holds(h, {0, 0}));
    THFloatTensor_histc(h, floats({5, 5}), 2, 0, 0);
    EXPECT(holds(h, {0, 2}));
    THFloatTensor_histc(h, floats({-INFINITY, 5, INFINITY}), 4, 0, 0);
    EXPECT(THFloatTensor_sumall(h) == 3);
    EXPECT(raised([&] { THFloatTensor_histc(h, floats({1}), 0, 0, 1); }).substr(0, 2) == "3:");
    EXPECT(raised([&] { THFloatTensor_histc(h, keep(THFloatTensor_new()), 3, 0, 0); }).substr(0, 2) == "1:");
}

// The place of the largest and of the smallest number of a line: the first of several, and the first NaN before all.
void extremes_of_lines() {
    for (int64_t n : {1, 2, 31, 32, 33, 63, 64, 65, 100, 257})
        for (int64_t nan = -1; nan < n; nan++)
            for (bool several : {false, true}) {
                std::vector<float> values(size_t(n), 0.f);
                for (int64_t i = 0; i < n; i++) values[size_t(i)] = several ? float(i % 5) : float((i * 37 + 11) % 263);
                if (nan >= 0) values[size_t(nan)] = NAN;
                if (nan >= 0 && nan + 1 < n) values[size_t(n - 1)] = NAN;
                const auto largest = std::max_element(values.begin(), values.end());
                const auto smallest = std::min_element(values.begin(), values.end());
                const int64_t max_at = nan >= 0 ? nan : largest - values.begin();
                const int64_t min_at = nan >= 0 ? nan : smallest - values.begin();
                THFloatTensor *t = floats(values, n), *value = keep(THFloatTensor_new());
                THLongTensor *place = keep(THLongTensor_new());
                THFloatTensor_max(value, place, t, 1, 1);
                EXPECT(holds(place, {max_at}) && holds(value, {values[size_t(max_at)]}));
                THFloatTensor_min(value, place, t, 1, 1);
                EXPECT(holds(place, {min_at}) && holds(value, {values[size_t(min_at)]}));
            }
}

}  // namespace

int main() {
    catch_errors();
    positions_out_of_range();
    extremes_of_lines();
    aliases();
    equal_positions();
    slices_in_every_layout();
    large();
    not_a_number();
    histograms();
    release();
    return failures != 0;
}
