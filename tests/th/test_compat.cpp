// tests/th/test_compat.cpp: what TH_COMPAT=7 changes; run without and with it (argument torch7).
#include "expect.h"

int main(int argc, char **) {
    const bool torch7 = argc > 1;
    catch_errors();

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
