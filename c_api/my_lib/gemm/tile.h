// c_api/my_lib/gemm/tile.h: the register tile that every matrix product is made of.
//
// The tile multiplies scalars of A, broadcast from wherever they lie, with vectors of B, whose rows are contiguous:
//
//     C[i, j] += sum over p of A[i * row_stride + p * column_stride] * B[p * b_stride + j]
//
// Tiles compute in T, float or double; operands of 16 bits become float as they are packed (gemm/pack.h, gemm/strip.h).
//
// Every product of this library has that form, and a step of an LLTM needs no transposed copy of its weights:
//
//     forward          (X W^T)^T   A = W                   B = X^T, the small operand, transposed as it is packed
//     input gradient   G W         A = G                   B = W
//     weight gradient  G^T X       A = G read by columns   B = X
//     many steps       X W^T       A = X                   B = W^T, transposed once for all of them
//
// Work is split over rows and columns of C, never over p, and each element's sum has one fixed order: results are
// the same for any number of threads, bit for bit.
#pragma once

#include "runtime/simd.h"

#include <utility>

namespace my_lib {
namespace MY_LIB_ISA {

// The tile: up to 3 groups of rows of A times up to `wide` vectors of B, as many as fill the registers: 24 of 32
// accumulate with AVX-512, 12 of 16 elsewhere. Six rows, not more: rows of A at a stride of 4096 bytes compete for the
// same eight lines of the first-level cache. Panels of B and of packed X are as wide as the tile.
constexpr int groups = 3;
#if defined(__AVX512F__)
constexpr int wide = 4;
#else
constexpr int wide = 2;
#endif
constexpr int tile_rows(int vectors) {
#if defined(__AVX512F__)
    return vectors == 4 ? 2 : 4;
#else
    return vectors > 0 ? 2 : 0;
#endif
}

template <typename T> constexpr int64_t panel_width = wide *lanes<T>;

// A as the tile reads it: element (group, row, p) is group * group_stride + row * row_stride + p * column_stride
// elements behind data.
template <typename S> struct Scalars {
    const S *data;
    int64_t group_stride, row_stride, column_stride;
};

// Memory that later tiles will read, or null: lines that are `stride` bytes apart.
struct Ahead {
    const char *data = nullptr;
    int64_t stride = 0;
};

// One element of A, or one pair of elements, in every lane.
template <typename Lane> [[gnu::always_inline]] inline Vec<Arithmetic<Lane>> spread(const Lane *from) {
    if constexpr (is_arithmetic<Lane>) {
        return broadcast(*from);
    } else {
        uint32_t bits;
        static_assert(sizeof bits == sizeof *from, "two 16-bit elements");
        __builtin_memcpy(&bits, from, sizeof bits);
        return same_bits<Vec<float>>(bits - Bits32{});
    }
}

// What one step of the depth, or a step of two, adds to a sum.
template <typename Lane, typename V> [[gnu::always_inline]] inline V multiply_add(V left, V right, V sum) {
#if defined(__AVX512BF16__)
    if constexpr (std::is_same_v<Lane, bfloat16_pair>)
        return same_bits<V>(
            _mm512_dpbf16_ps(same_bits<__m512>(sum), same_bits<__m512bh>(left), same_bits<__m512bh>(right)));
    else
#endif
        return left * right + sum;
}

// Lane is T or, where the CPU multiplies pairs of bfloat16, bfloat16_pair: `depth` then counts pairs, and a step along
// A is two elements. Vectors beyond `wide` are those of the next panels of B, each `b_panel` elements further. One line
// of `ahead` is fetched in each step. Where `copy` is not null, it gets the rows of B, one behind the other.
template <typename Lane, int group_count, int rows, int vectors, typename S, typename T = Arithmetic<Lane>>
[[gnu::always_inline]] inline void multiply_tile(Scalars<S> a, const T *b, int64_t b_stride, int64_t depth,
                                                 Vec<T> (&sum)[group_count * rows][vectors], Ahead ahead = {},
                                                 T *copy = nullptr, int64_t b_panel = 0) {
    const S *a_group[group_count];
#pragma GCC unroll 4
    for (int g = 0; g < group_count; ++g) a_group[g] = a.data + g * a.group_stride;
    for (int64_t p = 0; p < depth; ++p) {
        Vec<T> right[vectors];
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) right[v] = load(b + v / wide * b_panel + v % wide * lanes<T>);
        b += b_stride;
        if constexpr (vectors <= wide)  // of one panel: the others are packed
            if (copy) {
#pragma GCC unroll 4
                for (int v = 0; v < vectors; ++v) store(copy + v * lanes<T>, right[v]);
                copy += vectors * lanes<T>;
            }
        if (ahead.data) {
            __builtin_prefetch(ahead.data, 0, 2);
            ahead.data += ahead.stride;
        }
#pragma GCC unroll 4
        for (int g = 0; g < group_count; ++g) {
#pragma GCC unroll 4
            for (int r = 0; r < rows; ++r) {
                const Vec<T> left = spread(reinterpret_cast<const Lane *>(a_group[g] + r * a.row_stride));
#pragma GCC unroll 8
                for (int v = 0; v < vectors; ++v)
                    sum[g * rows + r][v] = multiply_add<Lane>(left, right[v], sum[g * rows + r][v]);
            }
            a_group[g] += a.column_stride;
        }
    }
}

// Transposes a square of lanes<T> vectors in place: log2(lanes) rounds, each swaps blocks of `half` lanes.
template <typename T, int half, int... lane>
[[gnu::always_inline]] inline void exchange(Vec<T> &a, Vec<T> &b, std::integer_sequence<int, lane...>) {
    constexpr int n = sizeof...(lane);
    const Vec<T> first = __builtin_shufflevector(a, b, (lane & half ? n + lane - half : lane)...);
    b = __builtin_shufflevector(a, b, (lane & half ? n + lane : lane + half)...);
    a = first;
}

template <typename T, int half = 1> [[gnu::always_inline]] inline void transpose(Vec<T> (&square)[lanes<T>]) {
    if constexpr (half < lanes<T>) {
#pragma GCC unroll 16
        for (int i = 0; i < lanes<T>; ++i)
            if (!(i & half))
                exchange<T, half>(square[i], square[i + half], std::make_integer_sequence<int, lanes<T>>{});
        transpose<T, half * 2>(square);
    }
}

// Sums the lanes of each vector of a square: lane i of the result is the sum of square[i].
template <typename T, int half = 1> [[gnu::always_inline]] inline Vec<T> sum_lanes(Vec<T> (&square)[lanes<T>]) {
    if constexpr (half < lanes<T>) {
#pragma GCC unroll 16
        for (int i = 0; i < lanes<T>; i += 2 * half) {
            exchange<T, half>(square[i], square[i + half], std::make_integer_sequence<int, lanes<T>>{});
            square[i] = square[i] + square[i + half];
        }
        return sum_lanes<T, half * 2>(square);
    } else {
        return square[0];
    }
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib
