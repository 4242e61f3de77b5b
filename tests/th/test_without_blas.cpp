// tests/th/test_without_blas.cpp: no BLAS library can be loaded: libth multiplies by itself, and LAPACK's functions say
// what to install.
#include "expect.h"

// libth's, too: an exported one of the program comes first
extern "C" __attribute__((visibility("default"))) void *dlopen(const char *, int) { return nullptr; }

int main() {
    catch_errors();
    THDoubleTensor *a = tensor({2, 2}, {1, 2, 3, 4}), *b = tensor({2, 2}, {5, 6, 7, 8}), *r = THDoubleTensor_new();
    THDoubleTensor *zero = tensor({2, 2}, {0, 0, 0, 0});
    THDoubleTensor_addmm(r, 0, zero, 1, a, b);
    EXPECT(difference(values_of(r), {19, 22, 43, 50}) == 0);
    const Caught caught = error_of([&] { THDoubleTensor_gesv(r, zero, b, a); });
    EXPECT(says(caught, 0, "no LAPACK library found") && says(caught, 0, "pip install 'torchthaw[legacy]'") &&
           says(caught, 0, "THAW_BLAS"));
    for (THDoubleTensor *each : {a, b, r, zero}) THDoubleTensor_free(each);
    return failures != 0;
}
