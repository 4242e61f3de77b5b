// c_api/my_lib/gemm/workspace.h: how much workspace the matrix products need; the same for every instruction set.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

namespace my_lib {

// Callers may hand over any address; the first bytes go to aligning it.
constexpr int64_t workspace_alignment = 64;

// a / b, rounded up; a may be INT64_MAX, as one size of a matrix without elements.
static inline int64_t ceil_div(int64_t a, int64_t b) {
    assert(a >= 0 && b > 0);
    return a / b + (a % b != 0);
}

template <typename T> static inline T *align(void *workspace) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(workspace);
    return reinterpret_cast<T *>((address + workspace_alignment - 1) / workspace_alignment * workspace_alignment);
}

template <typename T> static inline size_t aligned_bytes(int64_t elements) {
    assert(elements >= 0);
    const size_t bytes = static_cast<size_t>(elements) * sizeof(T);
    return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

// Whether so many elements fit into the workspace from `part` on.
template <typename T>
static inline bool has_room(const T *part, int64_t elements, const void *workspace, size_t workspace_size) {
    const uintptr_t begin = reinterpret_cast<uintptr_t>(workspace), address = reinterpret_cast<uintptr_t>(part);
    return !elements || (address >= begin && address - begin <= workspace_size &&
                         static_cast<size_t>(elements) <= (workspace_size - (address - begin)) / sizeof(T));
}

// The rows of a packed operand come in panels, at most this many bytes wide.
constexpr int64_t widest_panel_bytes = 256;

// Rows whose packed form is kept at once: about half of a second-level cache.
template <typename T> static inline int64_t chunk_rows(int64_t depth) {
    const int64_t step = widest_panel_bytes / sizeof(T), budget = 512 * 1024 / sizeof(T);
    const int64_t rows = depth ? budget / depth / step * step : budget;
    assert(depth >= 0 && rows % step == 0);  // a chunk ends where a panel does
    return rows > step ? rows : step;
}

// Rows and bytes that multiply_transposed() packs into.
template <typename T> static inline int64_t packed_rows(int64_t rows, int64_t depth) {
    const int64_t step = widest_panel_bytes / sizeof(T), chunk = chunk_rows<T>(depth);
    return rows < chunk ? ceil_div(rows, step) * step : chunk;
}

template <typename T> static inline size_t packed_bytes(int64_t rows, int64_t depth) {
    return aligned_bytes<T>(packed_rows<T>(rows, depth) * depth);
}

// Bytes that pack_columns() packs a (depth, columns) matrix into.
template <typename T> static inline size_t column_panels_bytes(int64_t depth, int64_t columns) {
    const int64_t step = widest_panel_bytes / sizeof(T);
    return aligned_bytes<T>(ceil_div(columns, step) * step * depth);
}

}  // namespace my_lib
