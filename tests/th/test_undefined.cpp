// tests/th/test_undefined.cpp: what docs/reference/th.md says of cases that the original left undefined.
#include "expect.h"

#include <algorithm>
#include <climits>
#include <initializer_list>

namespace {

struct Ints {
    THIntTensor *t = THIntTensor_new();
    Ints() = default;
    Ints(std::initializer_list<int> values) {
        THIntTensor_resize1d(t, int64_t(values.size()));
        std::copy(values.begin(), values.end(), THIntTensor_data(t));
    }
    ~Ints() { THIntTensor_free(t); }
    Ints(const Ints &) = delete;
    bool operator==(std::initializer_list<int> values) const {
        return THIntTensor_nElement(t) == ptrdiff_t(values.size()) &&
               std::equal(values.begin(), values.end(), THIntTensor_data(t));
    }
};

// Long rows take the vector code, short ones the code for what is left.
void integers() {
    const std::string by_zero = "0: integer division by zero";
    Ints x{7, INT32_MIN, 1, 2, 3, 4, 5, 6, 7}, zeros{1, 2, 3, 4, 5, 6, 7, 8, 0}, r;
    EXPECT(raised([&] { THIntTensor_div(r.t, x.t, 0); }) == by_zero);
    EXPECT(raised([&] { THIntTensor_fmod(r.t, x.t, 0); }) == by_zero);
    EXPECT(raised([&] { THIntTensor_remainder(r.t, x.t, 0); }) == by_zero);
    EXPECT(raised([&] { THIntTensor_cdiv(r.t, x.t, zeros.t); }) == by_zero);
    EXPECT(raised([&] { THIntTensor_cremainder(r.t, x.t, zeros.t); }) == by_zero);
    THIntTensor_div(r.t, x.t, -1);
    EXPECT((r == std::initializer_list<int>{-7, INT32_MIN, -1, -2, -3, -4, -5, -6, -7}));
    THIntTensor_remainder(r.t, x.t, -1);
    EXPECT((r == std::initializer_list<int>{0, 0, 0, 0, 0, 0, 0, 0, 0}));
    THIntTensor_neg(r.t, x.t);
    EXPECT(THIntTensor_get1d(r.t, 1) == INT32_MIN);
    for (int shift : {32, 33, 1000, -1}) {
        THIntTensor_lshift(r.t, x.t, shift);
        EXPECT((r == std::initializer_list<int>{0, 0, 0, 0, 0, 0, 0, 0, 0}));
        THIntTensor_rshift(r.t, x.t, shift);
        EXPECT((r == std::initializer_list<int>{0, 0, 0, 0, 0, 0, 0, 0, 0}));
    }
}

void conversions() {
    THDoubleTensor *x = tensor({5}, {NAN, 1e30, -INFINITY, 300.7, -1.5});
    THByteTensor *bytes = THByteTensor_newWithSize1d(5);
    THIntTensor *ints = THIntTensor_newWithSize1d(5);
    THLongTensor *longs = THLongTensor_newWithSize1d(5);
    THByteTensor_copyDouble(bytes, x), THIntTensor_copyDouble(ints, x), THLongTensor_copyDouble(longs, x);
    for (int i = 0; i < 3; i++) {
        EXPECT(THByteTensor_get1d(bytes, i) == 0);
        EXPECT(THIntTensor_get1d(ints, i) == INT32_MIN);
        EXPECT(THLongTensor_get1d(longs, i) == INT64_MIN);
    }
    EXPECT(THByteTensor_get1d(bytes, 3) == 44 && THByteTensor_get1d(bytes, 4) == 255);
    EXPECT(THIntTensor_get1d(ints, 3) == 300 && THIntTensor_get1d(ints, 4) == -1);
    THDoubleTensor_free(x), THByteTensor_free(bytes), THIntTensor_free(ints), THLongTensor_free(longs);

    THFloatStorage *three = THFloatStorage_newWithSize(3);
    THIntStorage *two = THIntStorage_newWithSize(2);
    EXPECT(raised([&] { THIntStorage_copyFloat(two, three); }) == "2: size mismatch");
    THFloatStorage_free(three), THIntStorage_free(two);
}

void numbers_that_are_none() {
    THDoubleTensor *x = tensor({2, 2}, {1, NAN, 3, 4}), *turned = THDoubleTensor_newTranspose(x, 0, 1);
    for (THDoubleTensor *t : {x, turned})
        EXPECT(std::isnan(THDoubleTensor_minall(t)) && std::isnan(THDoubleTensor_maxall(t)) &&
               std::isnan(THDoubleTensor_medianall(t)));
    THDoubleTensor_free(x), THDoubleTensor_free(turned);

    THDoubleTensor *y = tensor({4}, {NAN, 2, -0.0, 0.0}), *sorted = THDoubleTensor_new();
    THLongTensor *position = THLongTensor_new();
    const int64_t ascending[] = {2, 3, 1, 0}, descending[] = {0, 1, 2, 3};
    THDoubleTensor_sort(sorted, position, y, 0, 0);
    EXPECT(!memcmp(THLongTensor_data(position), ascending, sizeof ascending));
    THDoubleTensor_sort(sorted, position, y, 0, 1);
    EXPECT(!memcmp(THLongTensor_data(position), descending, sizeof descending));
    THDoubleTensor_free(y), THDoubleTensor_free(sorted), THLongTensor_free(position);

    THDoubleTensor *u = THDoubleTensor_new(), *s = THDoubleTensor_new(), *v = THDoubleTensor_new();
    for (double bad : {double(NAN), double(INFINITY)}) {
        THDoubleTensor *a = tensor({2, 2}, {1, bad, 3, 4});
        EXPECT(raised([&] { THDoubleTensor_gesvd(u, s, v, a, "A"); }) ==
               "0: Lapack Error gesvd : the matrix holds numbers that are not finite");
        for (const char *vectors : {"N", "V"})
            EXPECT(raised([&] { THDoubleTensor_geev(s, v, a, vectors); }) ==
                   "0: Lapack Error in geev : the matrix holds numbers that are not finite");
        THDoubleTensor_free(a);
    }
    THDoubleTensor_free(u), THDoubleTensor_free(s), THDoubleTensor_free(v);
}

void sizes() {
    Ints x{1, 2}, r;
    EXPECT(raised([&] { THIntTensor_arange(r.t, 0, 5, 0); }) == "3: step must be a non-null number");
    THLongTensor *all = THLongTensor_new();
    const std::string too_many = "2: too many numbers between the bounds";
    EXPECT(raised([&] { THLongTensor_range(all, 0, INT64_MIN, -1); }) == too_many);
    EXPECT(raised([&] { THLongTensor_arange(all, INT64_MIN, INT64_MAX, 1); }) == too_many);
    THLongTensor_range(all, INT64_MAX, INT64_MIN, INT64_MIN);
    EXPECT(THLongTensor_nElement(all) == 2 && THLongTensor_get1d(all, 1) == -1);
    THLongTensor_free(all);
    const std::string overflow = "0: $ Torch: invalid memory size -- maybe an overflow?";
    EXPECT(raised([&] { THIntTensor_setStorage1d(r.t, x.t->storage, INT64_MAX, 2, 1); }) == overflow);
    EXPECT(raised([&] { THIntTensor_setStorage2d(r.t, x.t->storage, 0, INT64_MAX, 0, 4, 0); }) == overflow);
    EXPECT(raised([&] { THIntTensor_setStorage1d(r.t, x.t->storage, 0, INT64_MAX, INT64_MAX); }) == overflow);
    EXPECT(raised([&] { THIntTensor_cat(r.t, x.t, x.t, INT_MAX); }) == "4: invalid dimension 2147483647");
    for (ptrdiff_t beyond : {PTRDIFF_MAX, PTRDIFF_MAX / ptrdiff_t(sizeof(int))})
        EXPECT(raised([&] { THIntTensor_setStorage1d(r.t, x.t->storage, beyond, 0, 1); }) == overflow);
    EXPECT(r.t->storageOffset == 0);
    EXPECT(THIntTensor_nElement(r.t) == 0 && x.t->storage->refcount == 1 && x.t->storage->size == 2);
}

}  // namespace

int main() {
    catch_errors();
    integers();
    conversions();
    numbers_that_are_none();
    sizes();
    return failures != 0;
}
