// tests/thc/test_random.cpp: generators: seeds, states, and the numbers that come of them.
#include "api.h"

#include <THC/THCTensorRandom.h>

// The next 256 bits of the current device's generator.
std::vector<uint8_t> bits() {
    Pair<uint8_t> pair({256});
    THCudaByteTensor_bernoulli(state, pair.cuda, .5);
    return pair.of_cuda();
}

void test_seeds() {
    THCRandom_manualSeed(state, 7);
    const std::vector<uint8_t> first = bits(), second = bits();
    CHECK(first != second && THCRandom_initialSeed(state) == 7);
    THCRandom_manualSeed(state, 7);
    CHECK(bits() == first && bits() == second);
    THCRandom_manualSeed(state, 8);
    CHECK(bits() != first && THCRandom_initialSeed(state) == 8);
    const uint64_t seed = THCRandom_seed(state);
    CHECK(THCRandom_initialSeed(state) == seed && seed != THCRandom_seed(state));
    THCRandom_init(state, 1, 0);
    CHECK(THCRandom_initialSeed(state) != 8);
    THCRandom_shutdown(state);
    CHECK(THCState_getRngState(state) != nullptr);
}

void test_states() {
    THByteTensor *kept = THByteTensor_new();
    THCRandom_manualSeed(state, 7);
    bits();
    THCRandom_getRNGState(state, kept);
    CHECK(THByteTensor_nElement(kept) == 16);
    const std::vector<uint8_t> next = bits();
    THCRandom_seed(state);
    THCRandom_setRNGState(state, kept);
    CHECK(bits() == next && THCRandom_initialSeed(state) == 7);
    THByteTensor_resize1d(kept, 17);
    CHECK_FAILS("invalid argument 2: RNG state is wrong size", THCRandom_setRNGState(state, kept));
    THByteTensor_resize2d(kept, 8, 2);
    THByteTensor_transpose(kept, nullptr, 0, 1);
    CHECK_FAILS("invalid argument 2: RNG state must be contiguous", THCRandom_setRNGState(state, kept));
    THByteTensor_free(kept);
    CHECK_FAILS("THCRandom_generatorStates: there are no MTGP32 generators in this library",
                THCRandom_generatorStates(state));
}

void test_devices() {
    if (!several_devices("a generator for each device")) return;
    THCRandom_manualSeedAll(state, 5);
    const std::vector<uint8_t> here = bits();
    use_device(1);
    CHECK(THCRandom_initialSeed(state) == 5 && bits() == here);
    THCRandom_manualSeed(state, 6);
    use_device(0);
    CHECK(THCRandom_initialSeed(state) == 5);
    const uint64_t seed = THCRandom_seedAll(state);
    use_device(1);
    CHECK(THCRandom_initialSeed(state) == seed);
    use_device(0);
}

int main() {
    test_seeds();
    test_states();
    test_devices();
    return failures() != 0;
}
