// c_api/thc/math/random.cpp: the generators of random numbers: a seed for each device, and how many numbers were drawn.
#include "thc/math/random.h"

#include "th/runtime/export.h"
#include "thc/runtime/device.h"

#include <THC/THCTensorRandom.h>

#include <map>
#include <mutex>
#include <random>

namespace th {
namespace {

struct Generator {
    uint64_t seed, drawn;
};

uint64_t random_seed() {
    std::random_device device;
    return uint64_t(device()) << 32 | device();
}

}  // namespace
}  // namespace th

struct THCRNGState {
    std::mutex lock;
    std::map<int, th::Generator> of_device;
    uint64_t seed_of_others = th::random_seed();

    // Under the lock.
    th::Generator &of(int device) { return of_device.insert({device, {seed_of_others, 0}}).first->second; }
    void seed_all(uint64_t seed) {
        of_device.clear();
        seed_of_others = seed;
    }
};

namespace th {
namespace {

THCRNGState &generators = *new THCRNGState;

// body(the current device's generator)
template <typename Body> auto with_generator(const Body &body) {
    return guarded([&] {
        const int device = current_device();
        std::lock_guard<std::mutex> guard(generators.lock);
        return body(generators.of(device));
    });
}

void seed_all(uint64_t seed) {
    std::lock_guard<std::mutex> guard(generators.lock);
    generators.seed_all(seed);
}

constexpr int state_bytes = sizeof(Generator);

}  // namespace

uint64_t draw(int64_t n) {
    const int device = current_device();
    std::lock_guard<std::mutex> guard(generators.lock);
    Generator &generator = generators.of(device);
    const uint64_t first = generator.drawn;
    generator.drawn += uint64_t(n);
    // Seeds that lie close together are far apart here.
    return (generator.seed ^ generator.seed >> 31) * 0xD6E8FEB86659FD93u + first * random_step;
}

}  // namespace th

extern "C" {

struct THCRNGState *THCState_getRngState(THCState *) { return &th::generators; }

void THCRandom_init(THCState *, int, int) { th::seed_all(th::random_seed()); }
void THCRandom_shutdown(THCState *) {}

void THCRandom_manualSeed(THCState *, uint64_t the_seed_) {
    th::with_generator([&](th::Generator &generator) { generator = {the_seed_, 0}; });
}
void THCRandom_manualSeedAll(THCState *, uint64_t the_seed_) { th::seed_all(the_seed_); }
uint64_t THCRandom_seed(THCState *state) {
    const uint64_t seed = th::random_seed();
    THCRandom_manualSeed(state, seed);
    return seed;
}
uint64_t THCRandom_seedAll(THCState *) {
    const uint64_t seed = th::random_seed();
    th::seed_all(seed);
    return seed;
}
uint64_t THCRandom_initialSeed(THCState *) {
    return th::with_generator([](const th::Generator &generator) { return generator.seed; });
}

void THCRandom_getRNGState(THCState *, THByteTensor *rng_state) {
    const th::Generator generator = th::with_generator([](const th::Generator &current) { return current; });
    THByteTensor_resize1d(rng_state, th::state_bytes);
    THArgCheck(THByteTensor_isContiguous(rng_state), 2, "RNG state must be contiguous");
    memcpy(THByteTensor_data(rng_state), &generator, sizeof generator);
}
void THCRandom_setRNGState(THCState *, THByteTensor *rng_state) {
    th::with_generator([&](th::Generator &generator) {
        TH_ARGUMENT(THByteTensor_nElement(rng_state) == th::state_bytes, 2, "RNG state is wrong size");
        TH_ARGUMENT(THByteTensor_isContiguous(rng_state), 2, "RNG state must be contiguous");
        memcpy(&generator, THByteTensor_data(rng_state), sizeof generator);
    });
}

struct curandStateMtgp32 *THCRandom_generatorStates(THCState *) {
    return th::guarded([]() -> curandStateMtgp32 * {
        TH_ERROR("THCRandom_generatorStates: there are no MTGP32 generators in this library");
    });
}
}
