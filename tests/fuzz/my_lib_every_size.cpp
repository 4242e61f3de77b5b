// tests/fuzz/my_lib_every_size.cpp: the target my_lib_sizes with every combination of the sizes where products overflow
// and loops do not end: each operator, up to four sizes, with arrays where they are needed, and with NULL.
#include "fuzz/my_lib_sizes.h"

#include <cstdio>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// A byte from which the target makes this size. One that it never makes does not compile.
constexpr uint8_t byte_for(int64_t size) {
    for (size_t choice = 0; choice < size_choices; choice++)
        if (size_of_choice(choice) == size) return uint8_t(choice);
    throw "no size of the target";
}

int main() {
    constexpr uint8_t sizes[] = {byte_for(0), byte_for(1), byte_for(9), byte_for(int64_t(1) << 32),
                                 byte_for(INT64_MAX / 3 + 1), byte_for(INT64_MAX / 2), byte_for(int64_t(3) << 61),
                                 byte_for(INT64_MAX)};
    constexpr uint8_t operators = 64;  // no fewer than there are: the target takes the remainder
    constexpr uint8_t pointers[] = {0, 1};
    int64_t cases = 0;
    for (uint8_t one = 0; one < operators; one++) {
        fprintf(stderr, "operator %d\n", one);  // the last line says which one failed
        for (uint8_t a : sizes)
            for (uint8_t b : sizes)
                for (uint8_t c : sizes)
                    for (uint8_t d : sizes)
                        for (uint8_t pointer : pointers) {
                            uint8_t bytes[32] = {one, a, b, c, d};
                            for (size_t i = 5; i < sizeof bytes; i++) bytes[i] = pointer;
                            LLVMFuzzerTestOneInput(bytes, sizeof bytes);
                            cases++;
                        }
    }
    printf("%lld cases\n", static_cast<long long>(cases));
    return 0;
}
