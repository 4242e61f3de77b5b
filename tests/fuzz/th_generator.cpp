// tests/fuzz/th_generator.cpp: a random generator whose state comes from bytes: either it is refused, or what is drawn
// after it lies where it should.
#include "fuzz/target.h"
#include "th/expect.h"

#include <memory>

namespace {

template <typename T, void (*free)(T *)> struct Free {
    void operator()(T *x) const { free(x); }
};
using Generator = std::unique_ptr<THGenerator, Free<THGenerator, THGenerator_free>>;
using Bytes = std::unique_ptr<THByteTensor, Free<THByteTensor, THByteTensor_free>>;
using Longs = std::unique_ptr<THLongTensor, Free<THLongTensor, THLongTensor_free>>;
using Doubles = std::unique_ptr<THDoubleTensor, Free<THDoubleTensor, THDoubleTensor_free>>;

void draw(Input &input, THGenerator *g) {
    const Doubles numbers(THDoubleTensor_newWithSize1d(7));
    const Longs longs(THLongTensor_newWithSize1d(7));
    double *const x = numbers->storage->data;
    int64_t *const n = longs->storage->data;
    switch (input.up_to(11)) {
    case 0: THRandom_random(g); break;
    case 1: THRandom_random64(g); break;
    case 2: {
        const double u = THRandom_standard_uniform(g);
        MUST(u >= 0 && u < 1);
        break;
    }
    case 3: {
        const float u = THRandom_uniformFloat(g, 0, 1);
        MUST(u >= 0 && u < 1);
        break;
    }
    case 4: THRandom_normal(g, 0, 1); break;
    case 5: THRandom_geometric(g, 0.25); break;
    case 6:
        THLongTensor_randperm(longs.get(), g, 7);
        for (int i = 0, seen = 0; i < 7; i++) {
            MUST(n[i] >= 0 && n[i] < 7 && !(seen >> n[i] & 1));
            seen |= 1 << n[i];
        }
        break;
    case 7:
        THLongTensor_clampedRandom(longs.get(), g, -3, 9);
        for (int i = 0; i < 7; i++) MUST(n[i] >= -3 && n[i] < 9);
        break;
    case 8:
        THDoubleTensor_uniform(numbers.get(), g, 0, 1);
        THDoubleTensor_multinomial(longs.get(), g, numbers.get(), 5, int(input.up_to(1)));
        for (int64_t i = 0; i < THLongTensor_nElement(longs.get()); i++)
            MUST(THLongTensor_data(longs.get())[i] >= 0 && THLongTensor_data(longs.get())[i] < 7);
        break;
    case 9:
        for (int i = 0; i < 7; i++) x[i] = 0.5;
        THLongTensor_bernoulli_DoubleTensor(longs.get(), g, numbers.get());
        for (int i = 0; i < 7; i++) MUST(n[i] == 0 || n[i] == 1);
        break;
    case 10: THDoubleTensor_normal(numbers.get(), g, 0, 1); break;
    case 11: THRandom_standard_gamma(g, 0.5); break;
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const bool prepared = (little_memory(), catch_errors(), true);
    (void)prepared;
    Input input(bytes, size);
    const Generator generator(THGenerator_new());
    THRandom_manualSeed(generator.get(), 1);
    const Bytes state(THByteTensor_new());
    THByteTensor_getRNGState(generator.get(), state.get());
    // Numbers at places of the state: its counters come first, its words after them.
    const int64_t state_size = THByteTensor_nElement(state.get());
    for (size_t changes = input.up_to(8); changes; changes--) {
        const size_t place = input.up_to(1) ? input.up_to(5) * 4 : input.up_to(size_t(state_size) - 8);
        const uint64_t number = input.up_to(1) ? input.up_to(255) : input.number<uint64_t>();
        const size_t width = input.up_to(1) ? 4 : 8;
        memcpy(state->storage->data + place, &number, width);
    }
    if (input.up_to(15) == 1) THByteTensor_resize1d(state.get(), int64_t(input.up_to(2 * size_t(state_size))));
    const Caught refused = error_of([&] { THByteTensor_setRNGState(generator.get(), state.get()); });
    MUST(THGenerator_isValid(generator.get()));
    if (refused.argument < 0) MUST(THByteTensor_nElement(state.get()) == state_size);
    for (int draws = 0; draws < 40 && input.more(); draws++) error_of([&] { draw(input, generator.get()); });
    MUST(THGenerator_isValid(generator.get()));
    return 0;
}
