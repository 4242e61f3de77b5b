// tests/th/random_calls.h: functions of libth, each ready to be called with random arguments.
//
// Sizes, strides, offsets, dimensions, indices and masks are right most of the time and wrong often enough; arguments
// may be the same tensor, views of one storage, or tensors whose elements overlap.
#pragma once

#include <cstddef>
#include <cstdint>

struct RandomCall {
    const char *name;
    bool (*run)(void (*begin)());  // draws arguments, begins, calls; false where the function raised an error
};
extern const RandomCall random_calls[];
extern const size_t random_calls_count;

// What is drawn from here on depends on the seed alone.
void seed_arguments(uint64_t seed);

// Or on these n bytes: which calls, the shapes and strides of new tensors, which tensors and numbers are arguments. What
// elements are, and what is drawn after the last byte, is the same each time. The bytes must stay until then.
void guide_arguments(const uint8_t *bytes, size_t n);

// The call that the bytes choose next, after new arguments in place of some; NULL after the last byte.
const RandomCall *next_call();

// Between calls that no bytes guide: new arguments in place of some of the old ones.
void renew_arguments();

// Whether every tensor lies within its storage; says which does not.
bool arguments_are_valid(const char *called);

void release_arguments();
