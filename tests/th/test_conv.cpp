// tests/th/test_conv.cpp: convolutions against their definition, in place, and with kernels that do not fit.
#include "expect.h"

namespace {

// One plane by definition: for each pair of an input and a kernel element, where do they meet?
std::vector<double> reference(const double *t, int ir, int ic, const double *k, int kr, int kc, int sr, int sc,
                              bool full, bool flip, int &rows, int &columns) {
    rows = full ? (ir - 1) * sr + kr : (ir - kr) / sr + 1;
    columns = full ? (ic - 1) * sc + kc : (ic - kc) / sc + 1;
    std::vector<double> r(size_t(rows) * columns);
    for (int y = 0; y < (full ? ir : rows); y++)
        for (int x = 0; x < (full ? ic : columns); x++)
            for (int i = 0; i < kr; i++)
                for (int j = 0; j < kc; j++) {
                    const double weight = flip != full ? k[(kr - 1 - i) * kc + kc - 1 - j] : k[i * kc + j];
                    if (full)
                        r[size_t(y * sr + i) * columns + x * sc + j] += weight * t[y * ic + x];
                    else
                        r[size_t(y) * columns + x] += weight * t[(y * sr + i) * ic + x * sc + j];
                }
    return r;
}

void every_mode() {
    for (int sr = 1; sr < 4; sr++)
        for (int sc = 1; sc < 3; sc++)
            for (int mode = 0; mode < 4; mode++) {
                const bool full = mode & 1, flip = mode & 2;
                THDoubleTensor *t = tensor({7, 9}), *k = tensor({3, 2}), *r = THDoubleTensor_new();
                THDoubleTensor_conv2Dmul(r, 0, 2, t, k, sr, sc, full ? "F" : "V", flip ? "C" : "X");
                int rows, columns;
                std::vector<double> expected = reference(THDoubleTensor_data(t), 7, 9, THDoubleTensor_data(k), 3, 2, sr,
                                                         sc, full, flip, rows, columns);
                for (double &value : expected) value *= 2;
                EXPECT(r->size[0] == rows && r->size[1] == columns);
                EXPECT(difference(values_of(r), expected) < 1e-13);
                for (THDoubleTensor *each : {t, k, r}) THDoubleTensor_free(each);
            }
}

// A result that is the input, and one with gaps between its columns.
void awkward_results() {
    THDoubleTensor *t = tensor({5, 6}), *k = tensor({3, 3}), *expected = THDoubleTensor_new();
    THDoubleTensor_conv2Dmul(expected, 0, 1, t, k, 1, 1, "V", "X");
    THDoubleTensor *wide = tensor({3, 8}), *gaps = THDoubleTensor_newNarrow(wide, 1, 2, 4);
    const std::vector<double> before = values_of(wide);
    THDoubleTensor_conv2Dmul(gaps, 0, 1, t, k, 1, 1, "V", "X");
    EXPECT(difference(values_of(gaps), values_of(expected)) < 1e-14);
    for (int i = 0; i < 24; i++)
        if (i % 8 < 2 || i % 8 > 5) EXPECT(THDoubleTensor_data(wide)[i] == before[i]);
    THDoubleTensor_conv2Dmul(t, 0, 1, t, k, 1, 1, "V", "X");
    EXPECT(difference(values_of(t), values_of(expected)) < 1e-14);
    for (THDoubleTensor *each : {t, k, expected, gaps, wide}) THDoubleTensor_free(each);
}

void refusals() {
    THDoubleTensor *t = tensor({2, 4, 4}), *k = tensor({2, 3, 3}), *r = THDoubleTensor_new();
    // Elements of the kernel so far apart that it leaves the input.
    EXPECT(says(error_of([&] { THDoubleTensor_conv2DRevger(r, 0, 1, t, k, 2, 1); }), 2, "smaller than kernel"));
    EXPECT(says(error_of([&] { THDoubleTensor_conv2Dger(r, 0, 1, t, k, INT64_MAX, 1, "F", "X"); }), 0, "too large"));
    EXPECT(THDoubleTensor_nElement(r) == 0);
    double untouched = 7;
    THDoubleTensor_validXCorr2Dptr(&untouched, 1, THDoubleTensor_data(t), 4, 4, THDoubleTensor_data(k), 3, 3, 0, 1);
    THDoubleTensor_validXCorr2Dptr(&untouched, 1, THDoubleTensor_data(t), 2, 2, THDoubleTensor_data(k), 3, 3, 1, 1);
    EXPECT(untouched == 7);
    for (THDoubleTensor *each : {t, k, r}) THDoubleTensor_free(each);
}

}  // namespace

int main() {
    catch_errors();
    every_mode();
    awkward_results();
    refusals();
    return failures != 0;
}
