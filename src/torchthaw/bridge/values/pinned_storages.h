/* pinned_storages.h: the memory of tensors that C works on while it calls Python, which may resize them. */
#pragma once

#include "bridge/python.h"

#include <vector>

namespace bridge {

/* Keeps memory until the end of a call: what PyTorch frees meanwhile is freed then. Needs the GIL. */
class HeldMemory {
public:
    HeldMemory() = default;
    ~HeldMemory();
    HeldMemory(const HeldMemory &) = delete;

    /* The memory below a tensor on the CPU. Where PyTorch does not tell what frees it, its storage alone: the tensor may
     * get another one, but must not be resized. False with an exception set; may throw std::bad_alloc. */
    bool hold(PyObject *tensor);

private:
    struct Entry {
        Ref storage;
        struct StorageMemory *memory; /* of the storage; NULL where what frees it is not known */
        void *context;                /* what it had when the call began */
    };
    std::vector<Entry> entries_;
};

}  // namespace bridge
