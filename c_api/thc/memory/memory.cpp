// c_api/thc/memory/memory.cpp: the host's memory for sizes and strides.
#include "th/runtime/memory.h"

namespace th {

void *allocate(ptrdiff_t bytes) {
    if (bytes == 0) return nullptr;
    void *memory = bytes > 0 ? malloc(size_t(bytes)) : nullptr;
    TH_CHECK(memory, "$ Torch: not enough memory: you tried to allocate %dGB. Buy new RAM!", int(bytes >> 30));
    return memory;
}

ptrdiff_t bytes_for(ptrdiff_t count, size_t element) {
    ptrdiff_t bytes;
    TH_CHECK(count >= 0 && !__builtin_mul_overflow(count, ptrdiff_t(element), &bytes),
             "$ Torch: invalid memory size -- maybe an overflow?");
    return bytes;
}

}  // namespace th
