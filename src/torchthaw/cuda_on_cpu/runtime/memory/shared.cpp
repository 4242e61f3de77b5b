// cuda_on_cpu/runtime/memory/shared.cpp: where shared arrays are, and what a check writes into them and around them.
#include "memory/shared.h"

#include "checks/check.h"
#include "errors.h"
#include "execution/block.h"
#include "checks/sanitizer.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace cuda_on_cpu {
namespace {

// Each worker's memory: the dynamic part, then all static arrays of the program, each at the same place for all. Only
// what is used becomes memory.
constexpr size_t redzone = 128, statics = 256 << 10, all = 64 << 20;

struct Static {
    size_t offset, bytes;
    const char *name;
    Place place;
};
struct Arrays {
    std::mutex mutex;
    std::vector<Static> list;  // by number - 1
    size_t end = statics + redzone;
};
Arrays &arrays() {
    static Arrays &made = *new Arrays;  // used until the process ends
    return made;
}

}  // namespace

SharedMemory::~SharedMemory() {
    if (memory_) munmap(memory_, all);
}

void SharedMemory::poison(size_t from, size_t to) {
    if (__asan_poison_memory_region && from < to) __asan_poison_memory_region(memory_ + from, to - from);
}

bool SharedMemory::reserve() {
    if (memory_) return true;
    void *memory = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    memory_ = static_cast<char *>(memory);
    if (checking) poison(0, all);
    return true;
}

void SharedMemory::begin_block(size_t dynamic) {
    ++block_;
    if (!checking) return;
    if (__asan_unpoison_memory_region && dynamic > dynamic_)
        __asan_unpoison_memory_region(memory_, dynamic);
    poison(dynamic, dynamic_);
    dynamic_ = dynamic;
    std::memset(memory_, pattern, dynamic);
}

void *SharedMemory::array(SharedArray &array, size_t bytes) {
    int number = __atomic_load_n(&array.number, __ATOMIC_ACQUIRE);
    if (__builtin_expect(!number, 0)) {
        Arrays &known = arrays();
        std::lock_guard<std::mutex> lock(known.mutex);
        if (!array.number) {
            if (known.end + bytes + redzone > all) fatal("the program's shared arrays need more than 64 MiB");
            known.list.push_back({known.end, bytes, array.name, array.place});
            known.end = (known.end + bytes + redzone + 127) & ~size_t(127);
            __atomic_store_n(&array.number, int(known.list.size()), __ATOMIC_RELEASE);
        }
        number = array.number;
    }
    const size_t index = size_t(number) - 1;
    if (__builtin_expect(offsets_.size() <= index, 0)) {
        Arrays &known = arrays();
        std::lock_guard<std::mutex> lock(known.mutex);
        for (size_t i = offsets_.size(); i < known.list.size(); i++) {
            offsets_.push_back(known.list[i].offset);
            if (checking && __asan_unpoison_memory_region)
                __asan_unpoison_memory_region(memory_ + known.list[i].offset, known.list[i].bytes);
        }
        filled_.resize(offsets_.size());
    }
    char *const memory = memory_ + offsets_[index];
    if (checking && filled_[index] != block_) {
        filled_[index] = block_;
        std::memset(memory, pattern, bytes);
    }
    return memory;
}

bool SharedMemory::holds(const void *address) const {
    const char *a = static_cast<const char *>(address);
    return memory_ && a >= memory_ && a < memory_ + all;
}

void SharedMemory::describe(const void *address, char *text, size_t bytes) const {
    text[0] = 0;
    if (!holds(address)) return;
    const size_t at = size_t(static_cast<const char *>(address) - memory_);
    if (at < statics) {
        std::snprintf(text, bytes, "%zu bytes after the %zu bytes of dynamic shared memory", at - dynamic_, dynamic_);
        return;
    }
    Arrays &known = arrays();
    const Static *nearest = nullptr;  // the last one that begins before
    for (const Static &array : known.list)
        if (array.offset <= at + redzone / 2 && (!nearest || array.offset > nearest->offset)) nearest = &array;
    if (!nearest) return;
    const bool before = at < nearest->offset;
    const size_t by = before ? nearest->offset - at : at - nearest->offset - nearest->bytes;
    std::snprintf(text, bytes, "%zu bytes %s the shared array %s of %zu bytes (%s:%d)", by, before ? "before" : "after",
                  nearest->name, nearest->bytes, nearest->place.file, nearest->place.line);
}

void *shared_array(SharedArray &array, size_t bytes) {
    Block *block = Block::running();
    if (!block) fatal("a __shared__ array is used outside of a kernel");
    return block->shared().array(array, bytes);
}
void *dynamic_shared(const char *name, Place place) {
    Block *block = Block::running();
    if (!block) {
        print("%s:%d: extern __shared__ %s: expected in a function that a kernel calls, got outside of all", place.file,
              place.line, name);
        std::abort();
    }
    return block->shared().dynamic();
}

}  // namespace cuda_on_cpu
