// cuda_on_cpu/runtime/libraries/curand.cpp: cuRAND's arrays of random numbers.
//
// cuRAND fills an array by many subsequences in turn. Which ones, and how many numbers each gives at a time, was found out by
// calls of cuRAND 10.3's generators of the host: one number, or two normal ones, of 4,096 subsequences of XORWOW or of 81,920 of
// MRG32k3a; four numbers of 65,536 subsequences of Philox.
#include <cuda_on_cpu/access.h>
#include <curand.h>
#include <curand_kernel.h>

#include "errors.h"
#include "memory/memory.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

using namespace cuda_on_cpu;

namespace {

constexpr curandStatus_t good = CURAND_STATUS_SUCCESS;

// What numbers are made: of a seed, from a position on, which each fill() moves on.
class Source {
public:
    virtual ~Source() = default;
    virtual void words(unsigned *to, size_t count) = 0;
    virtual void uniform(float *to, size_t count) = 0;
    virtual void uniform(double *to, size_t count) = 0;
    virtual void normal(float *to, size_t count) = 0;
    virtual void normal(double *to, size_t count) = 0;
    virtual void poisson(unsigned *to, size_t count, double mean) = 0;
    virtual bool pairs_normals() const = 0;  // so that their number is even
};

// Subsequences in turn, each of which keeps its state.
template <typename State, size_t lanes> class InTurn final : public Source {
public:
    InTurn(unsigned long long seed, unsigned long long offset) : seed_(seed), offset_(offset), states_(lanes), begun_(lanes) {}
    void words(unsigned *to, size_t count) override { each(to, count, [](State *state) { return curand(state); }); }
    void uniform(float *to, size_t count) override { each(to, count, [](State *state) { return curand_uniform(state); }); }
    void uniform(double *to, size_t count) override {
        each(to, count, [](State *state) { return curand_uniform_double(state); });
    }
    void normal(float *to, size_t count) override { pairs(to, count, [](State *state) { return curand_normal2(state); }); }
    void normal(double *to, size_t count) override {
        pairs(to, count, [](State *state) { return curand_normal2_double(state); });
    }
    void poisson(unsigned *to, size_t count, double mean) override {
        each(to, count, [mean](State *state) { return curand_poisson(state, mean); });
    }
    bool pairs_normals() const override { return true; }

private:
    State *next() {
        const size_t lane = size_t((offset_ + visits_++) % lanes);
        if (!begun_[lane]) {
            curand_init(seed_, lane, offset_ / lanes + (lane < offset_ % lanes), &states_[lane]);
            begun_[lane] = true;
        }
        return &states_[lane];
    }
    template <typename T, typename Make> void each(T *to, size_t count, Make make) {
        for (size_t i = 0; i < count; i++) to[i] = make(next());
    }
    template <typename T, typename Make> void pairs(T *to, size_t count, Make make) {
        for (size_t i = 0; i + 1 < count; i += 2) {
            const auto both = make(next());
            to[i] = both.x, to[i + 1] = both.y;
        }
    }
    unsigned long long seed_, offset_, visits_ = 0;
    std::vector<State> states_;
    std::vector<bool> begun_;
};

// Philox, whose words are found by their place.
class Philox final : public Source {
public:
    Philox(unsigned long long seed, unsigned long long offset) : seed_(seed), position_(offset) {}
    void words(unsigned *to, size_t count) override {
        fill(to, count, [this](uint64_t lane, uint64_t visit, unsigned(&four)[4]) { block(lane, visit, four); });
    }
    void uniform(float *to, size_t count) override {
        fill(to, count, [this](uint64_t lane, uint64_t visit, float(&four)[4]) { floats(lane, visit, four); });
    }
    void uniform(double *to, size_t count) override {
        fill(to, count, [this](uint64_t lane, uint64_t visit, double(&four)[4]) { doubles(lane, visit, four); });
    }
    void normal(float *to, size_t count) override {
        fill(to, count, [this](uint64_t lane, uint64_t visit, float(&four)[4]) {
            floats(lane, visit, four);
            normals_of(four);
        });
    }
    void normal(double *to, size_t count) override {
        fill(to, count, [this](uint64_t lane, uint64_t visit, double(&four)[4]) {
            doubles(lane, visit, four);
            normals_of(four);
        });
    }
    // Each number has words of its own, far behind those of the others.
    void poisson(unsigned *to, size_t count, double mean) override {
        for (size_t i = 0; i < count; i++, position_++) {
            curandStatePhilox4_32_10_t state;
            curand_init(seed_, position_ % lanes, (1ull << 62) + position_ / lanes * 4096, &state);
            to[i] = curand_poisson(&state, mean);
        }
    }
    bool pairs_normals() const override { return false; }

private:
    static constexpr uint64_t lanes = 65536;
    void block(uint64_t lane, uint64_t number, unsigned (&four)[4]) const {
        const uint4 words = philox({unsigned(number), unsigned(number >> 32), unsigned(lane), 0},
                                   {unsigned(seed_), unsigned(seed_ >> 32)});
        four[0] = words.x, four[1] = words.y, four[2] = words.z, four[3] = words.w;
    }
    void floats(uint64_t lane, uint64_t visit, float (&four)[4]) const {
        unsigned words[4];
        block(lane, visit, words);
        for (int i = 0; i < 4; i++) four[i] = cuda_on_cpu::uniform(words[i]);
    }
    void doubles(uint64_t lane, uint64_t visit, double (&four)[4]) const {
        for (unsigned half = 0; half < 2; half++) {
            unsigned words[4];
            block(lane, 2 * visit + half, words);
            four[2 * half] = cuda_on_cpu::uniform(words[0], words[1]);
            four[2 * half + 1] = cuda_on_cpu::uniform(words[2], words[3]);
        }
    }
    template <typename T> static void normals_of(T (&four)[4]) {
        for (int i = 0; i < 4; i += 2) {
            const auto both = normals(four[i], four[i + 1]);
            four[i] = both.x, four[i + 1] = both.y;
        }
    }
    template <typename T, typename Make> void fill(T *to, size_t count, Make make) {
        T four[4];
        for (size_t i = 0; i < count; i++, position_++) {
            if (i == 0 || position_ % 4 == 0) make(position_ / 4 % lanes, position_ / 4 / lanes, four);
            to[i] = four[position_ % 4];
        }
    }
    unsigned long long seed_, position_;
};

std::unique_ptr<Source> source(curandRngType_t type, unsigned long long seed, unsigned long long offset) {
    switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW: return std::make_unique<InTurn<curandStateXORWOW, 4096>>(seed, offset);
    case CURAND_RNG_PSEUDO_MRG32K3A: return std::make_unique<InTurn<curandStateMRG32k3a, 81920>>(seed, offset);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10: return std::make_unique<Philox>(seed, offset);
    default: return nullptr;
    }
}

}  // namespace

struct curandGenerator_st {
    curandRngType_t type;
    bool of_host;
    unsigned long long seed = 0, offset = 0;
    std::unique_ptr<Source> numbers;

    Source &made() {
        if (!numbers) numbers = source(type, seed, offset);
        return *numbers;
    }
};

namespace {

curandStatus_t make(curandGenerator_t *to, curandRngType_t type, bool of_host) {
    if (!to) return CURAND_STATUS_OUT_OF_RANGE;
    if (initialize()) return CURAND_STATUS_INITIALIZATION_FAILED;
    if (!source(type, 0, 0)) {
        print("curandCreateGenerator: expected XORWOW, MRG32K3A or PHILOX4_32_10, got type %d, which CUDA on the CPU does not serve",
              int(type));
        return CURAND_STATUS_TYPE_ERROR;
    }
    *to = new curandGenerator_st{type, of_host, 0, 0, nullptr};
    return good;
}

// Fills `count` numbers behind what all calls ask first.
template <typename T, typename Fill>
curandStatus_t fill(curandGenerator_t generator, const char *function, T *to, size_t count, Fill into) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    if (initialize()) return CURAND_STATUS_PREEXISTING_FAILURE;
    if (!count) return good;
    const Side side = generator->of_host ? Side::host : Side::device;
    if (count > SIZE_MAX / sizeof(T) || !fits(function, to, count * sizeof(T), side)) return CURAND_STATUS_LAUNCH_FAILURE;
    const Access access;
    into(generator->made());
    return good;
}
template <typename T>
curandStatus_t fill_normal(curandGenerator_t generator, const char *function, T *to, size_t count, T mean, T deviation,
                           bool log) {
    if (generator && count % 2 && generator->made().pairs_normals()) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return fill(generator, function, to, count, [=](Source &numbers) {
        numbers.normal(to, count);
        for (size_t i = 0; i < count; i++) {
            to[i] = mean + deviation * to[i];
            if (log) to[i] = std::exp(to[i]);
        }
    });
}

}  // namespace

extern "C" {
#define API CUDA_ON_CPU_EXPORT curandStatus_t
API curandCreateGenerator(curandGenerator_t *to, curandRngType_t type) { return make(to, type, false); }
API curandCreateGeneratorHost(curandGenerator_t *to, curandRngType_t type) { return make(to, type, true); }
API curandDestroyGenerator(curandGenerator_t generator) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    delete generator;
    return good;
}
API curandGetVersion(int *version) {
    if (!version) return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return good;
}
API curandSetStream(curandGenerator_t generator, cudaStream_t) { return generator ? good : CURAND_STATUS_NOT_INITIALIZED; }
API curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    generator->seed = seed;
    generator->numbers.reset();
    return good;
}
API curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    generator->offset = offset;
    generator->numbers.reset();
    return good;
}
API curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    if (order == CURAND_ORDERING_PSEUDO_BEST || order == CURAND_ORDERING_PSEUDO_DEFAULT) return good;
    print("curandSetGeneratorOrdering: expected CURAND_ORDERING_PSEUDO_BEST or _DEFAULT, got %d, which CUDA on the CPU does not serve",
          int(order));
    return CURAND_STATUS_OUT_OF_RANGE;
}
API curandGenerateSeeds(curandGenerator_t generator) { return generator ? good : CURAND_STATUS_NOT_INITIALIZED; }

API curandGenerate(curandGenerator_t generator, unsigned *to, size_t count) {
    return fill(generator, __func__, to, count, [=](Source &numbers) { numbers.words(to, count); });
}
API curandGenerateLongLong(curandGenerator_t generator, unsigned long long *, size_t) {
    return generator ? CURAND_STATUS_TYPE_ERROR : CURAND_STATUS_NOT_INITIALIZED;
}
API curandGenerateUniform(curandGenerator_t generator, float *to, size_t count) {
    return fill(generator, __func__, to, count, [=](Source &numbers) { numbers.uniform(to, count); });
}
API curandGenerateUniformDouble(curandGenerator_t generator, double *to, size_t count) {
    return fill(generator, __func__, to, count, [=](Source &numbers) { numbers.uniform(to, count); });
}
API curandGenerateNormal(curandGenerator_t generator, float *to, size_t count, float mean, float deviation) {
    return fill_normal(generator, __func__, to, count, mean, deviation, false);
}
API curandGenerateNormalDouble(curandGenerator_t generator, double *to, size_t count, double mean, double deviation) {
    return fill_normal(generator, __func__, to, count, mean, deviation, false);
}
API curandGenerateLogNormal(curandGenerator_t generator, float *to, size_t count, float mean, float deviation) {
    return fill_normal(generator, __func__, to, count, mean, deviation, true);
}
API curandGenerateLogNormalDouble(curandGenerator_t generator, double *to, size_t count, double mean, double deviation) {
    return fill_normal(generator, __func__, to, count, mean, deviation, true);
}
API curandGeneratePoisson(curandGenerator_t generator, unsigned *to, size_t count, double mean) {
    if (generator && !(mean > 0)) return CURAND_STATUS_OUT_OF_RANGE;
    return fill(generator, __func__, to, count, [=](Source &numbers) { numbers.poisson(to, count, mean); });
}
}
