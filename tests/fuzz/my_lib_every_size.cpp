// tests/fuzz/my_lib_every_size.cpp: the target my_lib_sizes with every combination of the sizes where products overflow
// and loops do not end: each operator, up to four sizes, with arrays where they are needed, and with NULL.
#include <cstdint>
#include <cstdio>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int main() {
    // From these bytes Call::size() of my_lib_sizes.cpp makes INT64_MAX, its half, its third, 2^32, 3 * 2^61, 0, 1, 9.
    constexpr uint8_t sizes[] = {2, 3, 4, 6, 7, 10, 13, 37};
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
