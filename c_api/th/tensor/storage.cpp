// c_api/th/tensor/storage.cpp: storages: memory from an allocator, counted references, resizing.
#include "th/tensor/storage.h"

#include "th/runtime/export.h"

#include <algorithm>
#include <cassert>

namespace th {
namespace {

void zero(AnyStorage *storage, ptrdiff_t begin, ptrdiff_t end) {
    if (end > begin) memset(static_cast<char *>(storage->data) + begin, 0, size_t(end - begin));
}

AnyStorage *wrap(void *data, ptrdiff_t size, THAllocator *allocator, void *context, Buffer<AnyStorage> &memory) {
    *memory.get() = AnyStorage{data,
                               size,
                               1,
                               TH_STORAGE_REFCOUNTED | TH_STORAGE_RESIZABLE | TH_STORAGE_FREEMEM,
                               allocator,
                               context,
                               nullptr};
    return memory.release();
}

AnyStorage *make(ptrdiff_t size, size_t element, THAllocator *allocator, void *context, bool zero) {
    const ptrdiff_t bytes = bytes_for(size, element);
    Buffer<AnyStorage> memory(1);
    void *data = allocate_from(allocator, context, bytes);
    if (zero && data) memset(data, 0, size_t(bytes));
    return wrap(data, size, allocator, context, memory);
}

}  // namespace

AnyStorage *new_storage(ptrdiff_t size, size_t element, THAllocator *allocator, void *context) {
    return make(size, element, allocator, context, allocator == &THDefaultAllocator);
}

AnyStorage *new_storage(ptrdiff_t size, size_t element) {
    return new_storage(size, element, &THDefaultAllocator, nullptr);
}

AnyStorage *new_storage_uninitialized(ptrdiff_t size, size_t element) {
    return make(size, element, &THDefaultAllocator, nullptr, false);
}

void resize_storage(AnyStorage *storage, ptrdiff_t size, size_t element) {
    TH_CHECK(storage->flag & TH_STORAGE_RESIZABLE, "Trying to resize storage that is not resizable");
    assert(storage->allocator && element > 0);
    const ptrdiff_t before = bytes_for(storage->size, element), bytes = bytes_for(size, element);
    THAllocator *allocator = storage->allocator;
    if (allocator->realloc) {
        storage->data = reallocate_from(allocator, storage->allocatorContext, storage->data, bytes);
    } else {
        void *data = bytes ? allocate_from(allocator, storage->allocatorContext, bytes) : nullptr, *old = storage->data;
        if (data && old) memcpy(data, old, size_t(std::min(before, bytes)));
        storage->data = data;
        if (old && storage->flag & TH_STORAGE_FREEMEM) allocator->free(storage->allocatorContext, old);
    }
    storage->size = size;
    // Other allocators may have more than `before` in use: they see to it themselves.
    if (allocator == &THDefaultAllocator) zero(storage, before, bytes);
}

void retain_storage(AnyStorage *storage) {
    if (!storage || !has_flag(storage, TH_STORAGE_REFCOUNTED)) return;
    assert(THAtomicGet(&storage->refcount) > 0);
    THAtomicIncrementRef(&storage->refcount);
}

void free_storage(AnyStorage *storage) {
    if (!storage || !has_flag(storage, TH_STORAGE_REFCOUNTED) || THAtomicGet(&storage->refcount) <= 0) return;
    if (!THAtomicDecrementRef(&storage->refcount)) return;
    assert(storage->allocator || !(storage->flag & TH_STORAGE_FREEMEM));
    assert(storage->view || !(storage->flag & TH_STORAGE_VIEW));
    if (storage->flag & TH_STORAGE_FREEMEM) storage->allocator->free(storage->allocatorContext, storage->data);
    if (storage->flag & TH_STORAGE_VIEW) free_storage(storage->view);
    THFree(storage);
}

// ---- The exported functions -----------------------------------------------------------------------------------------

namespace storage_functions {

template <typename T> T *data(const Storage<T> *self) { return self->elements(); }
template <typename T> ptrdiff_t size(const Storage<T> *self) { return self->size; }
template <typename T> size_t elementSize() { return sizeof(T); }

template <typename T> T &at(const Storage<T> *self, ptrdiff_t position) {
    TH_ARGUMENT(position >= 0 && position < self->size, 2, "out of bounds");
    return self->elements()[position];
}
template <typename T> void set(Storage<T> *self, ptrdiff_t position, T value) { at(self, position) = value; }
template <typename T> T get(const Storage<T> *self, ptrdiff_t position) { return at(self, position); }

using th::newWithSize;
template <typename T> Storage<T> *make() { return newWithSize<T>(0); }
template <typename T, typename... Values> Storage<T> *newWithValues(Values... values) {
    const T list[] = {values...};
    Storage<T> *self = newWithSize<T>(sizeof...(values));
    std::copy(list, list + sizeof...(values), self->elements());
    return self;
}

template <typename T> Storage<T> *newWithAllocator(ptrdiff_t size, THAllocator *allocator, void *context) {
    return static_cast<Storage<T> *>(new_storage(size, sizeof(T), allocator, context));
}

template <typename T> Storage<T> *newWithMapping(const char *filename, ptrdiff_t size, int flags) {
    struct Context {
        THMapAllocatorContext *value;
        ~Context() {
            if (value) THMapAllocatorContext_free(value);
        }
    };
    Buffer<AnyStorage> memory(1);
    Context context{THMapAllocatorContext_new(filename, flags)};
    if (!context.value) return nullptr;
    void *data = allocate_from(&THMapAllocator, context.value, size > 0 ? bytes_for(size, sizeof(T)) : 0);
    if (size <= 0) size = THMapAllocatorContext_size(context.value) / ptrdiff_t(sizeof(T));
    AnyStorage *self = wrap(data, size, &THMapAllocator, std::exchange(context.value, nullptr), memory);
    self->flag &= ~TH_STORAGE_RESIZABLE;
    return static_cast<Storage<T> *>(self);
}

template <typename T>
Storage<T> *newWithDataAndAllocator(T *data, ptrdiff_t size, THAllocator *allocator, void *context) {
    Buffer<AnyStorage> memory(1);
    return static_cast<Storage<T> *>(wrap(data, size, allocator, context, memory));
}
template <typename T> Storage<T> *newWithData(T *data, ptrdiff_t size) {
    return newWithDataAndAllocator<T>(data, size, &THDefaultAllocator, nullptr);
}

template <typename T> void setFlag(Storage<T> *self, const char flag) { self->flag |= flag; }
template <typename T> void clearFlag(Storage<T> *self, const char flag) { self->flag &= ~flag; }
template <typename T> void retain(Storage<T> *self) { retain_storage(self); }
template <typename T> void release(Storage<T> *self) { free_storage(self); }

template <typename T> void swap_elements(Storage<T> *a, Storage<T> *b) {
    const ptrdiff_t a_size = a->size, b_size = b->size, most = std::max(a_size, b_size);
    if (a_size < most) resize_storage(a, most, sizeof(T));
    if (b_size < most) resize_storage(b, most, sizeof(T));
    if (a->data != b->data) std::swap_ranges(a->elements(), a->elements() + most, b->elements());
    a->size = b_size;
    b->size = a_size;
    note_write(b);
}

template <typename T> void swap(Storage<T> *a, Storage<T> *b) {
    if ((a->flag | b->flag) & lent) return swap_elements(a, b);
    std::swap(static_cast<AnyStorage &>(*a), static_cast<AnyStorage &>(*b));
    std::swap(a->refcount, b->refcount);
}

template <typename T> void resize(Storage<T> *self, ptrdiff_t size) { resize_storage(self, size, sizeof(T)); }
template <typename T> void fill(Storage<T> *self, T value) {
    std::fill(self->elements(), self->elements() + self->size, value);
}

}  // namespace storage_functions
}  // namespace th

extern "C" {
#define TH_STORAGE_EXPORT(returns, name, function, ...)                                                                \
    TH_EXPORT(returns, THStorage_(name), ::th::storage_functions::function, __VA_ARGS__)
#define TH_STORAGE_EXPORT_READER(name, function, ...)                                                                  \
    TH_EXPORT_READER(THStorage_(name), ::th::storage_functions::function, __VA_ARGS__)
#define TH_STORAGE_EXPORT0(returns, name, function)                                                                    \
    TH_EXPORT0(returns, THStorage_(name), ::th::storage_functions::function)
#define TH_GENERIC_FILE "th/tensor/storage_exports.h"
#include <TH/THGenerateAllTypes.h>
#define TH_GENERIC_FILE "th/tensor/storage_exports.h"
#include <TH/THGenerateHalfType.h>
}
