/* operators/workspace.h: scratch memory of kernels on the CPU. */
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace bridge {

/* Uninitialised memory for one call at a time: that of the thread, where it is large enough and not in use. */
class Workspace {
public:
    Workspace() = default;
    Workspace(const Workspace &) = delete;
    ~Workspace() {
        if (borrowed_ != nullptr) borrowed_->in_use = false;
    }

    /* At least `size` bytes, until this object goes; NULL for none. Throws std::bad_alloc. */
    void *take(size_t size) {
        static thread_local OfThread mine;
        assert(own_ == nullptr && borrowed_ == nullptr); /* once for each call */
        if (size == 0) return nullptr;
        if (size > KEPT || mine.in_use) {
            own_ = allocate(size);
            return own_.get();
        }
        if (mine.memory == nullptr) mine.memory = allocate(KEPT);
        mine.in_use = true;
        borrowed_ = &mine;
        return mine.memory.get();
    }

private:
    static constexpr size_t KEPT = size_t{1} << 20; /* with more, the kernel takes far longer than an allocation */
    static constexpr size_t ALIGNMENT = 64;

    struct Free {
        void operator()(void *memory) const { std::free(memory); }
    };
    using Memory = std::unique_ptr<void, Free>;

    struct OfThread {
        Memory memory;
        bool in_use = false; /* a C function that calls Python may get here again */
    };

    static Memory allocate(size_t size) {
        void *memory;
        if (posix_memalign(&memory, ALIGNMENT, size) != 0) throw std::bad_alloc();
        return Memory(memory);
    }

    Memory own_;
    OfThread *borrowed_ = nullptr;
};

}  // namespace bridge
