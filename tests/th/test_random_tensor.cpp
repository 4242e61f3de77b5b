// tests/th/test_random_tensor.cpp: the random functions of 0.4, and generator states that must not be taken.
#include "expect.h"

namespace {

// Values of 40-digit arithmetic: minus the derivative by a of the distribution function of Beta(a, b), over the
// density, over 1 - x.
void gradients() {
    THDoubleTensor *x = tensor({6}, {0.3, 0.9, 0.01, 0.999, 0.5, 0.6});
    THDoubleTensor *alpha = tensor({6}, {1.5, 1.5, 0.2, 30, 100, 0.05});
    THDoubleTensor *total = tensor({6}, {3.5, 3.5, 3.2, 30.5, 220, 0.1});
    THDoubleTensor *r = THDoubleTensor_new();
    THDoubleTensor_dirichlet_grad(r, x, alpha, total);
    const double expected[] = {0.28867661206010918, 0.50795023215600592, 0.17108703007449112,
                               0.03359421435046453, 0.0047808726265023507, 126.54132931359239};
    for (int i = 0; i < 6; i++) EXPECT(std::fabs(values_of(r)[i] / expected[i] - 1) < 1e-10);
    THDoubleTensor_set1d(x, 0, NAN);
    THDoubleTensor_set1d(x, 1, 1.5);
    THDoubleTensor_set1d(x, 2, 0);
    THDoubleTensor_dirichlet_grad(x, x, alpha, total);  // in place
    EXPECT(std::isnan(values_of(x)[0]) && std::isnan(values_of(x)[1]) && values_of(x)[2] == 0);
    EXPECT(values_of(x)[5] == values_of(r)[5]);
    for (THDoubleTensor *each : {x, alpha, total, r}) THDoubleTensor_free(each);
}

void blocks_of_normals() {
    THGenerator *generator = THGenerator_new(), *other = THGenerator_new();
    for (int n : {3, 16, 21}) {
        THRandom_manualSeed(generator, 5);
        THRandom_manualSeed(other, 5);
        std::vector<double> drawn(n), expected(n);
        THDoubleVector_normal_fill(drawn.data(), n, generator, 1, 2);
        auto block = [&](double *data) {
            for (int i = 0; i < 8; i++) {
                const double radius = std::sqrt(-2 * std::log(1 - data[i])), angle = 2 * M_PI * data[i + 8];
                data[i] = radius * std::cos(angle) * 2 + 1;
                data[i + 8] = radius * std::sin(angle) * 2 + 1;
            }
        };
        for (double &value : expected) value = n < 16 ? THRandom_normal(other, 1, 2) : THRandom_uniform(other, 0, 1);
        if (n >= 16) block(expected.data());
        if (n > 16) {
            for (int i = n - 16; i < n; i++) expected[i] = THRandom_uniform(other, 0, 1);
            block(expected.data() + n - 16);
        }
        EXPECT(difference(drawn, expected) < 1e-14);
    }
    THGenerator_free(generator);
    THGenerator_free(other);
}

void coins() {
    THGenerator *generator = THGenerator_new();
    THDoubleTensor *p = tensor({4}, {0, 1, 0.5, 0.25}), *a = tensor({4}), *b = tensor({4});
    THRandom_manualSeed(generator, 3);
    THDoubleTensor_bernoulli_Tensor(a, generator, p);
    THRandom_manualSeed(generator, 3);
    THDoubleTensor_bernoulli_DoubleTensor(b, generator, p);
    EXPECT(difference(values_of(a), values_of(b)) == 0 && values_of(a)[1] == 1);

    THDoubleTensor_fill(p, NAN);
    THLongTensor *drawn = THLongTensor_new();
    EXPECT(says(error_of([&] { THDoubleTensor_multinomial(drawn, generator, p, 2, 1); }), 2, "<= 0"));
    THLongTensor_free(drawn);
    for (THDoubleTensor *each : {p, a, b}) THDoubleTensor_free(each);
    THGenerator_free(generator);
}

void states() {
    THGenerator *generator = THGenerator_new();
    THByteTensor *bytes = THByteTensor_new();
    THRandom_manualSeed(generator, 9);
    THByteTensor_getRNGState(generator, bytes);
    const uint64_t next = THRandom_random(generator);
    THByteTensor_setRNGState(generator, bytes);
    EXPECT(THRandom_random(generator) == next);
    // Words still to come, but past the end of the state.
    THGenerator *inside = reinterpret_cast<THGenerator *>(THByteTensor_data(bytes));
    inside->left = _MERSENNE_STATE_N;
    inside->next = _MERSENNE_STATE_N;
    EXPECT(!THGenerator_isValid(inside));
    EXPECT(says(error_of([&] { THByteTensor_setRNGState(generator, bytes); }), 1, "Invalid RNG state"));
    THByteTensor_free(bytes);
    THGenerator_free(generator);
}

// The recurrence of the MT19937 paper, word by word, beside the generator's state; also from words beyond 32 bits, as a
// state that was read from a file may have.
void words_of_the_recurrence() {
    constexpr int N = _MERSENNE_STATE_N, M = _MERSENNE_STATE_M;
    THGenerator *generator = THGenerator_new();
    for (uint64_t beyond : {uint64_t(0), uint64_t(0xABCD) << 40}) {
        THRandom_manualSeed(generator, 1234);
        for (uint64_t &word : generator->state) word |= beyond;
        std::vector<uint64_t> state(generator->state, generator->state + N);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < N; i++) {
                const uint64_t next = state[(i + 1) % N], mixed = (state[i] & 0x80000000) | (next & 0x7FFFFFFF);
                state[i] = state[(i + M) % N] ^ mixed >> 1 ^ (next & 1 ? 0x9908B0DF : 0);
            }
            for (int i = 0; i < N; i++) THRandom_random(generator);
            EXPECT(!memcmp(generator->state, state.data(), sizeof generator->state));
            EXPECT(generator->next == N && generator->left == 1);
        }
    }
    THGenerator_free(generator);
}

}  // namespace

int main() {
    catch_errors();
    words_of_the_recurrence();
    gradients();
    blocks_of_normals();
    coins();
    states();
    return failures != 0;
}
