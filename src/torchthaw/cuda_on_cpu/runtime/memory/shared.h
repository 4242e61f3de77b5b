// cuda_on_cpu/runtime/memory/shared.h: the shared memory of the block that runs on a thread of the host.
#pragma once

#include <cuda_on_cpu/runtime.h>

#include <vector>

namespace cuda_on_cpu {

// The most that a launch may ask for.
constexpr size_t most_dynamic = 227 << 10;

class SharedMemory {
public:
    ~SharedMemory();
    // Before each block: its dynamic part has `dynamic` bytes. What a check fills in is `pattern`.
    void begin_block(size_t dynamic);
    // Comes before all else; false if there is no memory.
    bool reserve();
    void *array(SharedArray &, size_t bytes);
    void *dynamic() const { return memory_; }
    bool holds(const void *address) const;
    // "12 bytes after the shared array tile of 128 bytes (file:line)", or "" where `address` is not here.
    void describe(const void *address, char *text, size_t bytes) const;

    unsigned char pattern = 0xff;  // NaNs, and -1

private:
    void poison(size_t from, size_t to);

    char *memory_ = nullptr;
    size_t dynamic_ = 0;
    unsigned block_ = 0;
    std::vector<size_t> offsets_;   // of the arrays that this memory knows
    std::vector<unsigned> filled_;  // for each array the block that it was filled for
};

}  // namespace cuda_on_cpu
