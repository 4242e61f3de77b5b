// cuda_on_cpu/runtime/memory/addresses.cpp: the range of addresses that all memory of the device is in.
//
// A card's memory has addresses of its own. So has this one: a pointer tells whether it is the device's.
#include "memory/addresses.h"

#include "checks/sanitizer.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace cuda_on_cpu {
namespace {

constexpr size_t alignment = 256, step = size_t(4) << 20, least = size_t(1) << 26, most = size_t(1) << 40;
constexpr size_t returned = size_t(16) << 20;  // what is larger goes back to the system at once

// The bytes of the host.
size_t memory() {
    static const size_t all = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
    return all;
}

class Range {
public:
    void *take(size_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        bytes = rounded(bytes);
        if (bytes > memory() - std::min(memory(), used_) || !reserve()) return nullptr;
        const auto found = by_size_.lower_bound({bytes, nullptr});
        char *address = nullptr;
        if (found != by_size_.end()) {
            const auto [size, begin] = *found;
            erase(begin, size);
            if (size > bytes) insert(begin + bytes, size - bytes);
            address = begin;
        } else if (grow(bytes)) {
            address = end_;
            end_ += bytes;
        } else {
            return nullptr;
        }
        used_ += bytes;
        return address;
    }

    bool take_at(char *address, size_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        bytes = rounded(bytes);
        if (!reserve() || uintptr_t(address) % alignment || address < end_ || bytes > memory() ||
            address + bytes > begin_ + reserved_)
            return false;
        const size_t before = size_t(address - end_);
        if (!grow(before + bytes)) return false;
        if (before) insert(end_, before);
        end_ = address + bytes;
        used_ += bytes;
        return true;
    }

    void give_back(void *memory, size_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        char *address = static_cast<char *>(memory);
        bytes = rounded(bytes);
        used_ -= bytes;
        if (bytes >= returned) {
            const size_t page = size_t(sysconf(_SC_PAGESIZE));
            char *begin = address + (page - uintptr_t(address) % page) % page;
            char *end = address + bytes - uintptr_t(address + bytes) % page;
            madvise(begin, size_t(end - begin), MADV_DONTNEED);
        }
        const auto after = by_address_.lower_bound(address);
        if (after != by_address_.begin()) {
            const auto before = std::prev(after);
            if (before->first + before->second == address) {
                const auto [begin, size] = *before;
                erase(begin, size);
                address = begin;
                bytes += size;
            }
        }
        const auto next = by_address_.lower_bound(address);
        if (next != by_address_.end() && next->first == address + bytes) {
            const auto [begin, size] = *next;
            erase(begin, size);
            bytes += size;
        }
        insert(address, bytes);
    }

    bool holds(const void *address) const {
        const char *inside = static_cast<const char *>(address);
        return begin_ && inside >= begin_ && inside < begin_ + reserved_;
    }

private:
    static size_t rounded(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
    // The range, of which nothing is memory yet. Of a limited number of addresses it takes a quarter.
    bool reserve() {
        rlimit limit{};
        getrlimit(RLIMIT_AS, &limit);
        const size_t first = limit.rlim_cur == RLIM_INFINITY ? most : std::min<size_t>(most, limit.rlim_cur / 4);
        for (size_t bytes = first / step * step; !begin_ && bytes >= least; bytes /= 2) {
            void *memory = mmap(usual(), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (memory == MAP_FAILED) continue;
            end_ = ready_ = begin_ = static_cast<char *>(memory);
            reserved_ = bytes;
        }
        return begin_;
    }
    // The same in each process, if it is free there: a launch that was recorded runs again at its addresses.
    static void *usual() { return reinterpret_cast<void *>(uintptr_t(sizeof(void *) == 8 ? uint64_t(0x200000000000) : 0)); }
    // Makes `bytes` behind the end readable.
    bool grow(size_t bytes) {
        if (bytes > size_t(begin_ + reserved_ - end_)) return false;
        if (bytes <= size_t(ready_ - end_)) return true;
        const size_t left = size_t(begin_ + reserved_ - ready_), wanted = size_t(end_ + bytes - ready_);
        const size_t more = std::min(left, (wanted + step - 1) / step * step);
        if (mprotect(ready_, more, PROT_READ | PROT_WRITE)) return false;
        ready_ += more;
        return true;
    }
    void insert(char *begin, size_t size) {
        by_address_[begin] = size;
        by_size_.insert({size, begin});
    }
    void erase(char *begin, size_t size) {
        by_address_.erase(begin);
        by_size_.erase({size, begin});
    }

    std::mutex mutex_;
    char *begin_ = nullptr, *end_ = nullptr, *ready_ = nullptr;  // the range; behind what was given; behind what is memory
    size_t reserved_ = 0, used_ = 0;
    std::map<char *, size_t> by_address_;  // what is free before end_
    std::set<std::pair<size_t, char *>> by_size_;
};
Range &range() {
    static Range &made = *new Range;  // used until the process ends
    return made;
}

}  // namespace

void *take(size_t bytes) {
    if (bytes > memory()) return nullptr;
    if (!__asan_address_is_poisoned) return range().take(bytes);
    void *memory;
    return posix_memalign(&memory, alignment, bytes) ? nullptr : memory;
}
bool take_at(void *memory, size_t bytes) {
    return !__asan_address_is_poisoned && range().take_at(static_cast<char *>(memory), bytes);
}
void give_back(void *memory, size_t bytes) {
    if (__asan_address_is_poisoned) std::free(memory);
    else range().give_back(memory, bytes);
}
bool is_of_host(const void *address) {
    if (__asan_address_is_poisoned) return !__asan_address_is_poisoned(address);
    return !range().holds(address);
}

}  // namespace cuda_on_cpu
