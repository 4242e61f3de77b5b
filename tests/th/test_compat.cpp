// tests/th/test_compat.cpp: what TH_COMPAT=7 changes; run without it, with it (argument torch7), and with
// a value that is not understood (bad).
#include "expect.h"

#include <cfloat>
#include <functional>

namespace {

// Sums and products along a dimension of stride 1: in order for Torch7; otherwise in partial ones, near enough.
void order_along_a_line(bool torch7) {
    constexpr int n = 100;
    const double big = 0x1p53, one = 1;
    std::vector<double> large(n, one), cancelling(n, one), factors(n, one);
    large[0] = big;                                          // in order each 1 is lost
    cancelling[0] = 1e17, cancelling[2] = -1e17;             // in order the 1 between them is lost
    factors[0] = factors[1] = 1e200, factors[16] = 1e-300;   // in order the product overflows
    using Run = std::function<void(THDoubleTensor *, THDoubleTensor *)>;
    const auto in_order = [](const std::vector<double> &x, double start, double (*step)(double, double)) {
        for (double value : x) start = step(start, value);
        return start;
    };
    const auto add = [](double a, double b) { return a + b; };
    const auto multiply = [](double a, double b) { return a * b; };
    const auto add_cube = [](double a, double b) { return a + std::pow(std::fabs(b), 3.0); };
    const auto add_square = [](double a, double b) { return a + b * b; };
    std::vector<double> roots = large, cubes = large;
    roots[0] = 0x1p27, cubes[0] = 0x1p18;
    const double mean = in_order(roots, 0, add) / n;
    const struct {
        const char *name;
        const std::vector<double> &line;
        double expected;  // in order
        Run run;
    } cases[] = {
        {"sum", large, in_order(large, 0, add), [](auto *r, auto *t) { THDoubleTensor_sum(r, t, 1, 0); }},
        {"sum", cancelling, in_order(cancelling, 0, add), [](auto *r, auto *t) { THDoubleTensor_sum(r, t, 1, 0); }},
        {"prod", factors, in_order(factors, 1, multiply), [](auto *r, auto *t) { THDoubleTensor_prod(r, t, 1, 0); }},
        {"mean", cancelling, in_order(cancelling, 0, add) / n,
         [](auto *r, auto *t) { THDoubleTensor_mean(r, t, 1, 0); }},
        {"norm 1", large, in_order(large, 0, add), [](auto *r, auto *t) { THDoubleTensor_norm(r, t, 1, 1, 0); }},
        {"norm 2", roots, std::sqrt(in_order(roots, 0, add_square)),
         [](auto *r, auto *t) { THDoubleTensor_norm(r, t, 2, 1, 0); }},
        {"norm 3", cubes, std::pow(in_order(cubes, 0, add_cube), 1 / 3.0),
         [](auto *r, auto *t) { THDoubleTensor_norm(r, t, 3, 1, 0); }},
        {"var", roots, in_order(roots, 0, add_square) / n - mean * mean,
         [](auto *r, auto *t) { THDoubleTensor_var(r, t, 1, 1, 0); }},
    };
    for (auto &c : cases)
        for (long lines : {1, 3}) {
            THDoubleTensor *t = THDoubleTensor_newWithSize2d(lines, n), *r = THDoubleTensor_new();
            for (long i = 0; i < lines * n; i++) THDoubleTensor_data(t)[i] = c.line[i % n];
            c.run(r, t);
            for (double got : values_of(r))
                if ((got == c.expected) != torch7)
                    failures++, fprintf(stderr, "%s of %ld lines: %.17g, not %.17g\n", c.name, lines, got, c.expected);
            THDoubleTensor_free(t);
            THDoubleTensor_free(r);
        }

    // Floats are added up as doubles.
    THFloatTensor *t = THFloatTensor_newWithSize2d(2, n), *r = THFloatTensor_new();
    THFloatTensor_fill(t, 1);
    for (long i : {0, 1}) THFloatTensor_set2d(t, i, 0, 1e17f), THFloatTensor_set2d(t, i, 2, -1e17f);
    THFloatTensor_sum(r, t, 1, 0);
    EXPECT((THFloatTensor_get1d(r, 1) == n - 3) == torch7);
    THFloatTensor_free(t);
    THFloatTensor_free(r);

    // The bound of docs/reference/th.md.
    THDoubleTensor *x = tensor({1, 1000}), *sum = THDoubleTensor_new();
    long double exact = 0, size = 0;
    for (double value : values_of(x)) exact += value, size += std::fabs(value);
    THDoubleTensor_sum(sum, x, 1, 0);
    const double terms = torch7 ? 1000 : 1000 / 32. + 6;
    EXPECT(std::fabs(double(THDoubleTensor_get1d(sum, 0) - exact)) <= terms * DBL_EPSILON / 2 * double(size));
    THDoubleTensor_free(x);
    THDoubleTensor_free(sum);
}

// Each call that it would change names the variable.
void bad_value() {
    const std::string error = "0: TH_COMPAT: expected 0.3 or 7, got '6'";
    THGenerator *g = THGenerator_new();
    THDoubleTensor *t = THDoubleTensor_newWithSize1d(100), *r = THDoubleTensor_new();
    THDoubleTensor_fill(t, 1);
    for (int again = 0; again < 2; again++) {
        EXPECT(raised([&] { THRandom_standard_uniform(g); }) == error);
        EXPECT(raised([&] { THRandom_uniform(g, 0, 1); }) == error);
        EXPECT(raised([&] { THRandom_uniformFloat(g, 0, 1); }) == error);
        EXPECT(raised([&] { THDoubleTensor_uniform(t, g, 0, 1); }) == error);
        EXPECT(raised([&] { THDoubleTensor_sum(r, t, 0, 0); }) == error);
    }
    THDoubleTensor_free(t);
    THDoubleTensor_free(r);
    THGenerator_free(g);
}

}  // namespace

int main(int argc, char **argv) {
    catch_errors();
    if (argc > 1 && !strcmp(argv[1], "bad")) {
        bad_value();
        return failures != 0;
    }
    const bool torch7 = argc > 1;
    order_along_a_line(torch7);

    // The variance of a constant row: two passes give 0, Torch7's sums of rounded squares do not.
    THFloatTensor *t = THFloatTensor_newWithSize2d(1, 10), *r = THFloatTensor_new();
    float most = 0;
    for (float value = 1.1f; value < 2; value += 0.1f) {
        THFloatTensor_fill(t, value);
        THFloatTensor_std(r, t, 1, 1, 0);
        most = std::fmax(most, THFloatTensor_get1d(r, 0));
    }
    EXPECT((most != 0) == torch7);
    EXPECT(most < 1e-3f);
    THFloatTensor_fill(t, 1.1f);
    THFloatTensor_set2d(t, 0, 0, 3.5f);
    THFloatTensor_var(r, t, 1, 0, 0);
    EXPECT(std::fabs(THFloatTensor_get1d(r, 0) - 0.576f) < 1e-5f);

    // Its ratio n / (n - 1) is a float, and a variance that is not a number stays so.
    const float near[] = {5000, 5001, 5003, 5002}, lost[] = {1, NAN, 3, 4};
    THFloatTensor_resize2d(t, 2, 4);
    memcpy(THFloatTensor_data(t), near, sizeof near);
    memcpy(THFloatTensor_data(t) + 4, lost, sizeof lost);
    THFloatTensor_var(r, t, 1, 0, 0);
    EXPECT(std::isnan(THFloatTensor_get1d(r, 1)));
    double mean = 0, squares = 0;
    for (const float x : near) mean += double(x) / 4, squares += double(x * x) / 3;  // each square a float
    EXPECT(THFloatTensor_get1d(r, 0) == (torch7 ? float(squares - double(4.f / 3.f) * mean * mean) : 5 / 3.f));
    THFloatTensor_resize2d(t, 1, 10);

    // 32 bits for a uniform number, where 0.3 takes 53 (24 for floats).
    THGenerator *g = THGenerator_new();
    THRandom_manualSeed(g, 0);
    const double first = THRandom_random(g) * 0x1p-32;
    THRandom_manualSeed(g, 0);
    EXPECT((THRandom_uniform(g, 0, 1) == first) == torch7);
    THRandom_manualSeed(g, 0);
    THFloatTensor_uniform(t, g, 0, 1);
    EXPECT((THFloatTensor_get2d(t, 0, 0) == float(first)) == torch7);
    THRandom_manualSeed(g, 0);
    EXPECT((std::fabs(THRandom_normal(g, 0, 1) - 1.54099611) > 1e-7) == torch7);

    THFloatTensor_free(t);
    THFloatTensor_free(r);
    THGenerator_free(g);
    return failures != 0;
}
