/* held.cpp: puts off what frees the memory of PyTorch's storages. */
#include "pinned_storages.h"

#include "bridge/torch/pytorch.h"

#include <cassert>
#include <map>
#include <mutex>

namespace bridge {

/* Within the body of a storage, at::StorageImpl: where its memory is, and what is called with what to free it. */
struct StorageMemory {
    void *data;
    void (*deleter)(void *context);
    void *context;
};

namespace {

/* Memory whose deleter is put_off(). */
struct Held {
    void (*deleter)(void *context); /* PyTorch's */
    int calls;                      /* that hold it */
    bool is_free;                   /* for PyTorch */
};

std::mutex mutex;                                /* PyTorch frees memory in any thread */
auto &held = *new std::map<void *, Held>();      /* by context; PyTorch may free some after the end of Python */

/* What PyTorch calls in place of the deleter. */
void put_off(void *context) {
    void (*deleter)(void *) = nullptr;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        const auto found = held.find(context);
        assert(found != held.end() && !found->second.is_free);
        found->second.is_free = true;
        if (found->second.calls > 0) return;
        deleter = found->second.deleter; /* another storage has got the memory meanwhile, and goes now */
        held.erase(found);
    }
    deleter(context);
}

void begin(StorageMemory *memory) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (memory->deleter != put_off) {
        const bool is_new = held.emplace(memory->context, Held{memory->deleter, 0, false}).second;
        assert(is_new);
        (void)is_new;
        memory->deleter = put_off;
    }
    ++held.at(memory->context).calls;
}

void end(StorageMemory *memory, void *context) {
    void (*deleter)(void *) = nullptr;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        const auto found = held.find(context);
        assert(found != held.end() && found->second.calls > 0);
        if (--found->second.calls > 0) return;
        const bool is_there = memory->deleter == put_off && memory->context == context;
        if (found->second.is_free) deleter = found->second.deleter;
        else if (is_there) memory->deleter = found->second.deleter;
        else return; /* another storage has the memory: it is freed with that one */
        held.erase(found);
    }
    if (deleter != nullptr) deleter(context);
}

/* NULL, perhaps with an exception set, where the memory of a storage is not from PyTorch's allocator for the CPU. Other
 * deleters stay: PyTorch knows shared memory by them. */
StorageMemory *memory_of(PyObject *storage) {
    static void (*ordinary)(void *) = nullptr;
    static bool is_known = false;
    if (!is_known) {
        const Ref found = pytorch_py.call("memory_deleter", nullptr);
        if (found == nullptr) return nullptr;
        ordinary = reinterpret_cast<void (*)(void *)>(PyLong_AsVoidPtr(found));
        is_known = true;
    }
    if (ordinary == nullptr) return nullptr;
    const Ref address = pytorch_py.call("memory_of", "(O)", storage);
    auto *memory = static_cast<StorageMemory *>(address == nullptr ? nullptr : PyLong_AsVoidPtr(address));
    if (memory == nullptr || memory->context == nullptr) return nullptr;
    return memory->deleter == ordinary || memory->deleter == put_off ? memory : nullptr;
}

}  // namespace

bool HeldMemory::hold(PyObject *tensor) {
    static Method untyped_storage{"untyped_storage"};
    entries_.reserve(entries_.size() + 1);
    const bool is_plain = has_plain_attributes(tensor);
    Entry entry{is_plain ? untyped_storage(tensor) : pytorch_py.call("storage_below", "(O)", tensor), nullptr, nullptr};
    if (entry.storage != nullptr) entry.memory = memory_of(entry.storage);
    if (PyErr_Occurred()) return false;
    if (entry.memory != nullptr) {
        begin(entry.memory);
        entry.context = entry.memory->context;
    }
    entries_.push_back(std::move(entry));
    return true;
}

HeldMemory::~HeldMemory() {
    const SavedError saved;
    for (const Entry &entry : entries_) {
        if (entry.memory != nullptr) end(entry.memory, entry.context);
    }
    entries_.clear();
}

}  // namespace bridge
