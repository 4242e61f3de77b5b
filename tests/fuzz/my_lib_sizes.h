// tests/fuzz/my_lib_sizes.h: the sizes among which the target my_lib_sizes chooses.
#pragma once

#include <cstddef>
#include <cstdint>

constexpr int64_t extreme_sizes[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 2, INT64_MAX / 3 + 1, int64_t(1) << 31,
                                     int64_t(1) << 32, int64_t(3) << 61, 1000, 4097};
constexpr size_t extremes = sizeof extreme_sizes / sizeof *extreme_sizes;
constexpr size_t size_choices = extremes + 30;  // three for each of 0 ... 9

constexpr int64_t size_of_choice(size_t choice) {
    return choice < extremes ? extreme_sizes[choice] : int64_t(choice - extremes) / 3;
}
