// tests/operators/test_view.cpp: view<T, N> finds the element that its strides name; fits_int32 draws the line at 2^31.
#include "runtime/view.h"

#include <cstdio>
#include <type_traits>

using my_lib::fits_int32;
using my_lib::view;

static int failures = 0;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                       \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)

template <typename Index> static void reads_and_writes() {
    float data[24];
    for (int i = 0; i < 24; ++i) data[i] = static_cast<float>(i);

    const int64_t sizes[] = {2, 3, 4}, strides[] = {12, 4, 1};
    view<float, 3, Index> contiguous(data, sizes, strides);
    CHECK(contiguous(0, 0, 0) == 0);
    CHECK(contiguous(1, 2, 3) == 23);
    CHECK(&contiguous(1, 0, 2) == data + 14);

    const int64_t permuted_sizes[] = {4, 2, 3}, permuted_strides[] = {1, 12, 4};
    view<const float, 3, Index> permuted(data, permuted_sizes, permuted_strides);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 4; ++k) CHECK(&permuted(k, i, j) == &contiguous(i, j, k));

    const int64_t expanded_sizes[] = {5, 4}, expanded_strides[] = {0, 1};
    view<const float, 2, Index> expanded(data, expanded_sizes, expanded_strides);
    CHECK(expanded(4, 3) == 3 && expanded(0, 3) == 3);

    const int64_t size[] = {24}, backwards[] = {-1};
    view<float, 1, Index> reversed(data + 23, size, backwards);
    CHECK(reversed(0) == 23 && reversed(23) == 0);

    contiguous(1, 1, 1) = 100;
    CHECK(data[17] == 100);
}

static void draws_the_line() {
    const int64_t limit = INT32_MAX;
    struct {
        int64_t sizes[2], strides[2];
        bool fits;
    } const cases[] = {
        {{2, 3}, {3, 1}, true},
        {{2, 2}, {limit - 1, 1}, true},           // the last element is at 2^31 - 1
        {{2, 2}, {limit, 1}, false},              // and here one further
        {{2, 2}, {-limit, -1}, false},
        {{65536, 65536}, {65536, 1}, false},
        {{65536, 65536}, {0, 0}, true},           // expanded: one element
        {{limit, 1}, {1, 1}, true},
        {{limit + 1, 1}, {0, 0}, false},          // the index itself does not fit
        {{int64_t{1} << 62, 2}, {int64_t{1} << 62, 1}, false},
        {{0, 2}, {int64_t{1} << 62, 1}, true},    // nothing to reach
        {{1, 1}, {INT64_MIN, 1}, false},          // never negated
    };
    for (const auto &c : cases) CHECK(fits_int32(c.sizes, c.strides, 2) == c.fits);
}

// A kernel takes a view by value, so it must be as plain as its members.
static_assert(std::is_trivially_copyable<view<float, 4>>::value, "");
static_assert(sizeof(view<float, 4, int32_t>) == sizeof(float *) + 8 * sizeof(int32_t), "");

int main() {
    reads_and_writes<int32_t>();
    reads_and_writes<int64_t>();
    draws_the_line();
    return failures != 0;
}
