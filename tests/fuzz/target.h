// tests/fuzz/target.h: what the targets share: choices taken from an input, and checks that end the program.
//
// libFuzzer calls LLVMFuzzerTestOneInput() with bytes that it changes until other code runs. The same bytes must do the
// same each time. An expectation that does not hold is a finding, as is whatever the sanitizers see.
#pragma once

#include "th/little_memory.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define MUST(condition)                                                                                                \
    ((condition) ? (void)0                                                                                             \
                 : (fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition), fflush(stderr), abort()))

class Input {
public:
    Input(const uint8_t *bytes, size_t size) : next_(bytes), end_(bytes + size) {}
    bool more() const { return next_ < end_; }
    size_t up_to(size_t last) {  // 0 ... last, from as few bytes as that takes; 0 after the last byte
        size_t x = 0;
        for (size_t left = last; left && more(); left >>= 8) x = x << 8 | *next_++;
        return last == SIZE_MAX ? x : x % (last + 1);
    }
    template <typename T, size_t n> T one_of(const T (&choices)[n]) { return choices[up_to(n - 1)]; }
    template <typename T> T number() {
        T x = T();
        for (size_t i = 0; i < sizeof x && more(); i++) reinterpret_cast<uint8_t *>(&x)[i] = *next_++;
        return x;
    }
    std::vector<uint8_t> text(size_t most) {
        std::vector<uint8_t> bytes(up_to(most));
        for (uint8_t &byte : bytes) byte = uint8_t(up_to(255));
        return bytes;
    }

private:
    const uint8_t *next_, *end_;
};
