// c_api/my_lib/runtime/workspace.cuh: cuts the caller's workspace into parts, or counts the bytes that they need.
#pragma once

#include "runtime/errors.h"

#include <cstddef>
#include <cstdint>

namespace my_lib {

// The parts of a workspace, taken in order. On a null workspace nothing but the count is made.
class Workspace {
public:
    explicit Workspace(void *workspace = nullptr) : start_(reinterpret_cast<uintptr_t>(workspace)) {}

    // The bytes taken so far, at any alignment of the workspace; SIZE_MAX, with the error set, where that overflows.
    size_t bytes() const {
        if (!overflow_) return used_ ? used_ + alignment : 0;
        set_error(MY_LIB_ERROR_SIZE_OVERFLOW, "workspace: expected at most %zu bytes, got more", SIZE_MAX);
        return SIZE_MAX;
    }

    template <typename T> T *take(int64_t count) {
        const uintptr_t first = (start_ + alignment - 1) / alignment * alignment + used_;
        size_t size;
        overflow_ |= __builtin_mul_overflow(static_cast<size_t>(count), sizeof(T), &size) ||
                     __builtin_add_overflow(used_, size, &used_) ||
                     __builtin_add_overflow(used_, 2 * alignment, &size);
        used_ = (used_ + alignment - 1) / alignment * alignment;
        return start_ ? reinterpret_cast<T *>(first) : nullptr;
    }

private:
    static constexpr size_t alignment = 256;  // what cuBLAS asks for
    uintptr_t start_;
    size_t used_ = 0;
    bool overflow_ = false;
};

}  // namespace my_lib
