// tests/th/test_linear_algebra.cpp: products whose result is a factor, LAPACK with wrong reflectors or pivots.
#include "expect.h"
#include "forked.h"

#include <cstdlib>

namespace {

THDoubleTensor *clone(THDoubleTensor *t) { return THDoubleTensor_newClone(t); }

void products() {
    THDoubleTensor *a = tensor({3, 3}), *b = tensor({3, 3}), *t = tensor({3, 3}), *r = THDoubleTensor_new();
    THDoubleTensor_mul(b, b, 0.5);  // three different matrices
    THDoubleTensor_add(t, t, 1);
    std::vector<double> expected(9);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int l = 0; l < 3; l++) sum += THDoubleTensor_get2d(a, i, l) * THDoubleTensor_get2d(b, l, j);
            expected[i * 3 + j] = 2 * sum + 3 * THDoubleTensor_get2d(t, i, j);
        }
    THDoubleTensor_addmm(r, 3, t, 2, a, b);
    EXPECT(difference(values_of(r), expected) < 1e-14);
    THDoubleTensor *in_place = clone(a);
    THDoubleTensor_addmm(in_place, 3, t, 2, in_place, b);  // the result is a factor
    EXPECT(difference(values_of(in_place), expected) < 1e-14);
    THDoubleTensor *by_columns = clone(t);
    THDoubleTensor_transpose(by_columns, nullptr, 0, 1);
    THDoubleTensor_copy(by_columns, t);
    THDoubleTensor_addmm(by_columns, 3, by_columns, 2, a, b);
    EXPECT(difference(values_of(by_columns), expected) < 1e-14);

    THDoubleTensor_fill(t, NAN);
    THDoubleTensor_fill(r, NAN);
    THDoubleTensor_addmm(r, 0, t, 1, a, b);  // beta 0 reads neither
    EXPECT(values_of(r)[0] == values_of(r)[0]);

    THDoubleTensor *stretched = THDoubleTensor_newWithStorage2d(a->storage, 0, 3, 0, 3, 1);  // one row, three times
    THDoubleTensor_addmm(r, 0, t, 1, stretched, b);
    EXPECT(values_of(r)[0] == values_of(r)[3] && values_of(r)[1] == values_of(r)[7]);
    for (THDoubleTensor *each : {a, b, t, r, in_place, by_columns, stretched}) THDoubleTensor_free(each);
}

void factors() {
    THDoubleTensor *a = tensor({2, 3, 3}), *b = tensor({2, 3}), *lu = THDoubleTensor_new(), *x = THDoubleTensor_new();
    THIntTensor *pivots = THIntTensor_new();
    THDoubleTensor_btrifact(lu, pivots, nullptr, 1, a);
    THDoubleTensor_btrisolve(x, b, lu, pivots);
    for (int i = 0; i < 2; i++)
        for (int row = 0; row < 3; row++) {
            double sum = 0;
            for (int j = 0; j < 3; j++) sum += THDoubleTensor_get3d(a, i, row, j) * THDoubleTensor_get2d(x, i, j);
            EXPECT(std::fabs(sum - THDoubleTensor_get2d(b, i, row)) < 1e-12);
        }
    THIntTensor_set2d(pivots, 1, 2, 1000000);
    EXPECT(says(error_of([&] { THDoubleTensor_btrisolve(x, b, lu, pivots); }), 4, "pivots should be from 1 to 3"));
    THIntTensor_resize1d(pivots, 2);
    EXPECT(says(error_of([&] { THDoubleTensor_btrisolve(x, b, lu, pivots); }), 4, "expected 6 pivots, got 2"));

    THDoubleTensor *m = tensor({4, 2}), *tau = tensor({3}), *c = tensor({3, 2}), *q = THDoubleTensor_new();
    EXPECT(says(error_of([&] { THDoubleTensor_orgqr(q, m, tau); }), 3, "more than A can hold"));
    EXPECT(says(error_of([&] { THDoubleTensor_ormqr(q, m, tau, c, "L", "N"); }), 4, "A has 4 rows"));
    EXPECT(THDoubleTensor_nElement(q) == 0);

    // Singular: an error, and the results stay as they were.
    THDoubleTensor *singular = tensor({2, 2}, {1, 2, 2, 4}), *right = tensor({2, 1}), *kept = tensor({2, 1}, {5, 6});
    EXPECT(says(error_of([&] { THDoubleTensor_gesv(kept, q, right, singular); }), 0, "U(2,2) is zero, singular U."));
    EXPECT(difference(values_of(kept), {5, 6}) == 0);
    for (THDoubleTensor *each : {a, b, lu, x, m, tau, c, q, singular, right, kept}) THDoubleTensor_free(each);
    THIntTensor_free(pivots);
}

// The rows gels leaves, which TH_COMPAT chooses; it is read once, so each setting gets a process.
void sizes_of_least_squares(const char *compat, long rows) {
    EXPECT(holds_in_child([&] {
        setenv("TH_COMPAT", compat, 1);
        THDoubleTensor *a = tensor({5, 3}), *b = tensor({5, 2}), *x = THDoubleTensor_new(), *qr = THDoubleTensor_new();
        THDoubleTensor_gels(x, qr, b, a);
        return x->size[0] == rows && x->size[1] == 2;
    }));
}

bool has_lapack() {
    THDoubleTensor *a = tensor({1, 1}, {2}), *b = tensor({1, 1}, {4});
    const Caught caught = error_of([&] { THDoubleTensor_gesv(b, a, b, a); });
    EXPECT(caught.argument == -1 ? THDoubleTensor_get2d(b, 0, 0) == 2 : says(caught, 0, "no LAPACK library found"));
    for (THDoubleTensor *each : {a, b}) THDoubleTensor_free(each);
    return caught.argument == -1;
}

}  // namespace

int main() {
    catch_errors();
    products();
    if (!has_lapack()) {
        fprintf(stderr, "no LAPACK library: the functions that need one are not tested\n");
        return failures ? 1 : 77;  // 77: skipped
    }
    sizes_of_least_squares("0.3", 5);
    sizes_of_least_squares("7", 3);
    factors();
    return failures != 0;
}
