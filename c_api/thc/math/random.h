// c_api/thc/math/random.h: random numbers for kernels: a place in a sequence, from which each element takes its own.
#pragma once

#include <cstdint>

namespace th {

// Where the current device's generator stands; n numbers from there on are the caller's. Number i is a hash of the
// result + i * random_step.
uint64_t draw(int64_t n);

constexpr uint64_t random_step = 0x9E3779B97F4A7C15u;

}  // namespace th
