// c_api/th/runtime/memory.h: allocation inside the library, and memory that is released on every way out.
#pragma once

#include "th/runtime/errors.h"

#include <TH/THAllocator.h>

#include <utility>

namespace th {

// As THAlloc and THRealloc, with an Error for failure.
void *allocate(ptrdiff_t bytes);
void *reallocate(void *memory, ptrdiff_t bytes);

// From an allocator, with an Error for failure.
void *allocate_from(THAllocator *, void *context, ptrdiff_t bytes);
void *reallocate_from(THAllocator *, void *context, void *memory, ptrdiff_t bytes);

// count * element; an Error where that overflows or count is negative.
ptrdiff_t bytes_for(ptrdiff_t count, size_t element);

// An uninitialised array of n plain values.
template <typename T> class Buffer {
public:
    explicit Buffer(ptrdiff_t n = 0) : values_(static_cast<T *>(allocate(bytes_for(n, sizeof(T))))) {}
    Buffer(Buffer &&other) noexcept : values_(other.release()) {}
    Buffer &operator=(Buffer &&other) noexcept {
        std::swap(values_, other.values_);
        return *this;
    }
    ~Buffer() { THFree(values_); }

    T *get() const { return values_; }
    T &operator[](ptrdiff_t i) const { return values_[i]; }
    T *release() { return std::exchange(values_, nullptr); }

private:
    T *values_;
};

}  // namespace th
