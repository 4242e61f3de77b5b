// tests/th/test_index_base.cpp: what TH_INDEX_BASE counts from; run without it, with 1 and with a bad value (arguments
// 0, 1, bad), and once under TH_COMPAT=7, which does not change it.
#include "expect.h"

#include <cstdlib>

namespace {

int base;

THLongTensor *positions(std::vector<long> sizes, std::vector<long> from_zero) {
    THLongTensor *t = THLongTensor_newWithSize2d(sizes[0], sizes.size() > 1 ? sizes[1] : 1);
    if (sizes.size() == 1) THLongTensor_resize1d(t, sizes[0]);
    for (size_t i = 0; i < from_zero.size(); i++) THLongTensor_data(t)[i] = from_zero[i] + base;
    return t;
}

std::string text(const char *format, int number) {
    char line[200];
    snprintf(line, sizeof line, format, number);
    return line;
}

// Positions below the first one and above the last one of `size` are refused with `error`; they stand last in `at`.
template <typename Body> void refused(THLongTensor *at, long size, const std::string &error, const Body &body) {
    long *const last = (long *)THLongTensor_data(at) + THLongTensor_nElement(at) - 1, good = *last;
    for (long bad : {base - 1L, base + size, INT64_MIN, INT64_MAX}) {
        *last = bad;
        const std::string got = raised(body);
        if (got != error) failures++, fprintf(stderr, "%ld: got %s, not %s\n", bad, got.c_str(), error.c_str());
    }
    *last = good;
    EXPECT(raised(body) == "");
}

THDoubleTensor *const x = tensor({3, 2}, {1, 2, 3, 4, 5, 6}), *const v = tensor({3}, {7, 8, 9});

bool are(THDoubleTensor *t, std::vector<double> expected) { return difference(values_of(t), expected) == 0; }

void slices() {
    THDoubleTensor *r = THDoubleTensor_new(), *src = tensor({2, 2}, {10, 20, 30, 40}), *pair = tensor({2}, {10, 20});
    THLongTensor *rows = positions({2}, {2, 0}), *columns = positions({2}, {1, 0});
    const std::string dimension = text("4: Indexing dim %d is out of bounds of tensor", 2 + base);

    THDoubleTensor_indexSelect(r, x, 0, rows);
    EXPECT(are(r, {5, 6, 1, 2}));
    THDoubleTensor_indexSelect(r, x, 1, columns);
    EXPECT(are(r, {2, 1, 4, 3, 6, 5}));
    THDoubleTensor_indexSelect(r, v, 0, rows);
    EXPECT(are(r, {9, 7}));
    refused(rows, 3, "0: index out of range", [&] { THDoubleTensor_indexSelect(r, x, 0, rows); });
    refused(columns, 2, "3: out of range", [&] { THDoubleTensor_indexSelect(r, x, 1, columns); });
    EXPECT(raised([&] { THDoubleTensor_indexSelect(r, x, 2, rows); }) == dimension);
    EXPECT(raised([&] { THDoubleTensor_indexSelect(r, x, -1, rows); }) ==
           text("4: Indexing dim %d is out of bounds of tensor", -1 + base));

    THDoubleTensor *changed = THDoubleTensor_newClone(x), *line = THDoubleTensor_newClone(v);
    THDoubleTensor_indexCopy(changed, 0, rows, src);
    EXPECT(are(changed, {30, 40, 3, 4, 10, 20}));
    THDoubleTensor_indexCopy(line, 0, rows, pair);
    EXPECT(are(line, {20, 8, 10}));
    refused(rows, 3, "3: out of range", [&] { THDoubleTensor_indexCopy(changed, 0, rows, src); });
    refused(rows, 3, "2: out of range", [&] { THDoubleTensor_indexCopy(line, 0, rows, pair); });
    EXPECT(raised([&] { THDoubleTensor_indexCopy(changed, 2, rows, src); }) == dimension);

    THDoubleTensor_copy(changed, x);
    THDoubleTensor_indexAdd(changed, 0, rows, src);
    EXPECT(are(changed, {31, 42, 3, 4, 15, 26}));
    refused(rows, 3, "3: out of range", [&] { THDoubleTensor_indexAdd(changed, 0, rows, src); });
    EXPECT(raised([&] { THDoubleTensor_indexAdd(changed, 2, rows, src); }) == dimension);

    THDoubleTensor_copy(changed, x);
    THDoubleTensor_indexFill(changed, 0, rows, -1);
    EXPECT(are(changed, {-1, -1, 3, 4, -1, -1}));
    refused(rows, 3, "3: out of range", [&] { THDoubleTensor_indexFill(changed, 0, rows, 0); });
    EXPECT(raised([&] { THDoubleTensor_indexFill(changed, 2, rows, 0); }) == dimension);

    for (THDoubleTensor *each : {r, src, pair, changed, line}) THDoubleTensor_free(each);
    THLongTensor_free(rows), THLongTensor_free(columns);
}

void lines() {
    THDoubleTensor *r = tensor({2, 2}, {0, 0, 0, 0}), *src = tensor({2, 2}, {10, 20, 30, 40});
    THLongTensor *at = positions({2, 2}, {2, 0, 1, 1});

    THDoubleTensor_gather(r, x, 0, at);
    EXPECT(are(r, {5, 2, 3, 4}));
    refused(at, 3, "0: Invalid index in gather", [&] { THDoubleTensor_gather(r, x, 0, at); });

    THDoubleTensor *changed = THDoubleTensor_newClone(x);
    THDoubleTensor_scatter(changed, 0, at, src);
    EXPECT(are(changed, {1, 20, 30, 40, 10, 6}));
    refused(at, 3, "0: Invalid index in scatter", [&] { THDoubleTensor_scatter(changed, 0, at, src); });

    THDoubleTensor_copy(changed, x);
    THDoubleTensor_scatterAdd(changed, 0, at, src);
    EXPECT(are(changed, {1, 22, 33, 44, 15, 6}));
    refused(at, 3, "0: Invalid index in scatterAdd", [&] { THDoubleTensor_scatterAdd(changed, 0, at, src); });

    THDoubleTensor_copy(changed, x);
    THDoubleTensor_scatterFill(changed, 0, at, -1);
    EXPECT(are(changed, {1, -1, -1, -1, -1, 6}));
    refused(at, 3, "0: Invalid index in scatter", [&] { THDoubleTensor_scatterFill(changed, 0, at, 0); });

    // Messages about sizes came from macros that printed their argument.
    THDoubleTensor_resize2d(r, 2, 1);
    EXPECT(raised([&] { THDoubleTensor_gather(r, x, 0, at); }).find("apart from dimension 0") != std::string::npos);
    for (THDoubleTensor *each : {r, src, changed}) THDoubleTensor_free(each);
    THLongTensor_free(at);
}

void joining() {
    THDoubleTensor *r = THDoubleTensor_new(), *inputs[] = {x, x};
    THDoubleTensor_cat(r, x, x, -1 - base);  // what a caller writes -1
    EXPECT(are(r, {1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6}));
    THDoubleTensor_fill(r, 0);
    THDoubleTensor_catArray(r, inputs, 2, -1 - base);
    EXPECT(are(r, {1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6}));
    THDoubleTensor_cat(r, x, x, 0);
    EXPECT(are(r, {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
    EXPECT(raised([&] { THDoubleTensor_cat(r, x, x, -2 - base); }) == "4: invalid dimension -2");
    EXPECT(raised([&] { THDoubleTensor_catArray(r, inputs, 2, -base); }) == (base ? "4: invalid dimension 0" : ""));
    EXPECT(raised([&] { THDoubleTensor_catArray(r, inputs, 0, -1 - base); }) == "3: invalid number of inputs 0");
    THDoubleTensor_free(r);
}

void dimensions_in_messages() {
    THDoubleTensor *r = THDoubleTensor_new();
    THLongTensor *i = THLongTensor_new();
    const std::string range = text("2: dimension %d out of range", 2 + base);
    const std::string second = text("2: invalid dimension %d", 2 + base);
    const std::string third = text("3: invalid dimension %d", 2 + base);
    EXPECT(raised([] { THDoubleTensor_size(x, 2); }) == range + " of 2D tensor");
    EXPECT(raised([] { THDoubleTensor_stride(x, 5); }) == text("2: dimension %d out of range of 2D tensor", 5 + base));
    EXPECT(raised([&] { THDoubleTensor_sum(r, x, 2, 0); }) == range);
    EXPECT(raised([&] { THDoubleTensor_prod(r, x, 2, 0); }) == range);
    EXPECT(raised([&] { THDoubleTensor_cumsum(r, x, 2); }) == range);
    EXPECT(raised([&] { THDoubleTensor_cumprod(r, x, 2); }) == range);
    EXPECT(raised([&] { THDoubleTensor_max(r, i, x, 2, 0); }) == range);
    EXPECT(raised([&] { THDoubleTensor_min(r, i, x, 2, 0); }) == range);
    EXPECT(raised([&] { THDoubleTensor_mean(r, x, 2, 0); }) == second);
    EXPECT(raised([&] { THDoubleTensor_sort(r, i, x, 2, 0); }) == second);
    EXPECT(raised([&] { THDoubleTensor_bhistc(r, v, 3, 0, 1); }) == text("2: invalid dimension %d", 1 + base));
    EXPECT(raised([&] { THDoubleTensor_var(r, x, 2, 0, 0); }) == third);
    EXPECT(raised([&] { THDoubleTensor_std(r, x, 2, 0, 0); }) == third);
    EXPECT(raised([&] { THDoubleTensor_norm(r, x, 2, 2, 0); }) == third);
    EXPECT(raised([&] { THDoubleTensor_renorm(r, x, 1, 2, 1); }) == third);
    EXPECT(raised([&] { THDoubleTensor_cross(r, x, x, 2); }) == text("3: dimension %d out of range", 2 + base));
    EXPECT(raised([&] { THDoubleTensor_cross(r, x, x, 1); }) == text("3: dimension %d does not have size 3", 1 + base));
    THGenerator *g = THGenerator_new();
    THDoubleTensor *none = THDoubleTensor_new();
    EXPECT(raised([&] { THDoubleTensor_multinomial(i, g, none, 1, 1); }) ==
           text("2: dimension %d out of range of 0D tensor", base));
    THGenerator_free(g);
    THDoubleTensor_free(none);
    THDoubleTensor_free(r);
    THLongTensor_free(i);
}

bool are(THLongTensor *t, std::vector<long> expected) {
    return THLongTensor_isContiguous(t) && THLongTensor_nElement(t) == ptrdiff_t(expected.size()) &&
           !memcmp(THLongTensor_data(t), expected.data(), expected.size() * sizeof(long));
}

// What counts from 0 whatever the base is.
void the_rest() {
    THDoubleTensor *r = THDoubleTensor_new(), *mixed = tensor({3}, {8, 0, 9});
    THLongTensor *i = THLongTensor_new();
    THDoubleTensor_sort(r, i, mixed, 0, 0);
    EXPECT(are(i, {1, 0, 2}));
    THDoubleTensor_topk(r, i, mixed, 2, 0, 1, 1);
    EXPECT(are(i, {2, 0}));
    THDoubleTensor_max(r, i, mixed, 0, 0);
    EXPECT(are(i, {2}));
    THDoubleTensor_min(r, i, mixed, 0, 0);
    EXPECT(are(i, {1}));
    THDoubleTensor_max(r, i, x, 0, 0);
    EXPECT(are(i, {2, 2}));
    THDoubleTensor_min(r, i, x, 0, 0);
    EXPECT(are(i, {0, 0}));
    THDoubleTensor_median(r, i, mixed, 0, 0);
    EXPECT(are(i, {0}));
    THDoubleTensor_kthvalue(r, i, mixed, 1, 0, 0);
    EXPECT(are(i, {1}));
    THDoubleTensor_mode(r, i, mixed, 0, 0);
    EXPECT(are(i, {1}));
    THDoubleTensor_nonzero(i, mixed);
    EXPECT(are(i, {0, 2}));
    THLongTensor_resize1d(i, 2);
    THLongTensor_data(i)[0] = 0, THLongTensor_data(i)[1] = -1;
    THDoubleTensor_take(r, mixed, i);
    EXPECT(are(r, {8, 9}));
    THDoubleTensor_put(mixed, i, r, 1);
    EXPECT(are(mixed, {16, 0, 18}));
    EXPECT(THDoubleTensor_get1d(v, 0) == 7);
    THDoubleTensor_select(r, x, 1, 1);
    EXPECT(are(r, {2, 4, 6}));
    THDoubleTensor_free(r);
    THDoubleTensor_free(mixed);
    THLongTensor_free(i);
}

// Each call that counts names the variable; the others work.
void bad_value() {
    const std::string error = "0: TH_INDEX_BASE: expected 0 or 1, got 'one'";
    THDoubleTensor *r = THDoubleTensor_newClone(x);
    THLongTensor *i = positions({1}, {0}), *at = positions({3, 2}, {0, 0, 0, 0, 0, 0});
    for (int round = 0; round < 2; round++) {
        EXPECT(raised([&] { THDoubleTensor_indexSelect(r, x, 0, i); }) == error);
        EXPECT(raised([&] { THDoubleTensor_indexFill(r, 0, i, 1); }) == error);
        EXPECT(raised([&] { THDoubleTensor_gather(r, x, 0, at); }) == error);
        EXPECT(raised([&] { THDoubleTensor_scatterFill(r, 0, at, 1); }) == error);
        EXPECT(raised([&] { THDoubleTensor_cat(r, x, x, 0); }) == error);
    }
    EXPECT(are(r, {1, 2, 3, 4, 5, 6}));
    THDoubleTensor_add(r, x, 1);
    EXPECT(are(r, {2, 3, 4, 5, 6, 7}));
    THDoubleTensor_free(r);
    THLongTensor_free(i), THLongTensor_free(at);
}

}  // namespace

int main(int argc, char **argv) {
    catch_errors();
    if (argc > 1 && !strcmp(argv[1], "bad")) {
        bad_value();
    } else {
        base = argc > 1 ? atoi(argv[1]) : 0;
        slices();
        lines();
        joining();
        dimensions_in_messages();
        the_rest();
    }
    THDoubleTensor_free(x);
    THDoubleTensor_free(v);
    return failures != 0;
}
