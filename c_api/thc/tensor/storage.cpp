// c_api/thc/tensor/storage.cpp: storages on the GPU: memory from an allocator, counted references, resizing.
#include "thc/tensor/storage.h"

#include "thc/runtime/export.h"
#include "thc/runtime/launch.h"

#include <algorithm>
#include <cassert>

namespace th {
namespace {

THCDeviceAllocator *allocator_of(const AnyStorage *storage) {
    return reinterpret_cast<THCDeviceAllocator *>(storage->allocator);
}

DeviceStorage *wrap(void *data, ptrdiff_t size, THCDeviceAllocator *allocator, void *context,
                    Buffer<DeviceStorage> &memory) {
    DeviceStorage *self = memory.get();
    self->data = data;
    self->size = size;
    self->refcount = 1;
    self->flag = TH_STORAGE_REFCOUNTED | TH_STORAGE_RESIZABLE | TH_STORAGE_FREEMEM;
    self->allocator = reinterpret_cast<THAllocator *>(allocator);
    self->allocatorContext = context;
    self->view = nullptr;
    self->device = current_device();
    return memory.release();
}

void *allocate_from(THCDeviceAllocator *allocator, void *context, ptrdiff_t bytes) {
    void *data = nullptr;
    if (bytes) CUDA_CHECK(allocator->malloc(context, &data, size_t(bytes), current_stream()));
    return data;
}

void check_size(ptrdiff_t size) { TH_ARGUMENT(size >= 0, 2, "invalid size"); }

}  // namespace

DeviceStorage *new_device_storage(ptrdiff_t size, size_t element, THCDeviceAllocator *allocator, void *context) {
    check_size(size);
    if (!allocator) {
        allocator = THCState_getDeviceAllocator(nullptr);
        context = allocator->state;
    }
    Buffer<DeviceStorage> memory(1);
    current_device();  // fails where there is none, before anything is allocated
    return wrap(allocate_from(allocator, context, bytes_for(size, element)), size, allocator, context, memory);
}

AnyStorage *new_storage(ptrdiff_t size, size_t element) { return new_device_storage(size, element, nullptr, nullptr); }

void resize_storage(AnyStorage *storage, ptrdiff_t size, size_t element) {
    check_size(size);
    TH_CHECK(storage->flag & TH_STORAGE_RESIZABLE, "Trying to resize storage that is not resizable");
    const ptrdiff_t before = bytes_for(storage->size, element), bytes = bytes_for(size, element);
    THCDeviceAllocator *allocator = allocator_of(storage);
    assert(allocator && element > 0);
    const int device = current_device();
    if (allocator->realloc) {
        CUDA_CHECK(allocator->realloc(storage->allocatorContext, &storage->data, size_t(before), size_t(bytes),
                                      current_stream()));  // on the device where it lies
    } else {
        void *data = allocate_from(allocator, storage->allocatorContext, bytes), *old = storage->data;
        if (data && old) {
            const cudaError_t code = cudaMemcpyAsync(data, old, size_t(std::min(before, bytes)),
                                                     cudaMemcpyDeviceToDevice, current_stream());
            if (code != cudaSuccess) allocator->free(storage->allocatorContext, data);
            CUDA_CHECK(code);
        }
        storage->data = data;
        if (old && storage->flag & TH_STORAGE_FREEMEM) allocator->free(storage->allocatorContext, old);
        on_device(storage)->device = device;
    }
    storage->size = size;
}

void retain_storage(AnyStorage *storage) {
    if (!storage || !(storage->flag & TH_STORAGE_REFCOUNTED)) return;
    assert(THAtomicGet(&storage->refcount) > 0);
    THAtomicIncrementRef(&storage->refcount);
}

void free_storage(AnyStorage *storage) {
    if (!storage || !(storage->flag & TH_STORAGE_REFCOUNTED) || THAtomicGet(&storage->refcount) <= 0) return;
    if (!THAtomicDecrementRef(&storage->refcount)) return;
    assert(storage->allocator || !(storage->flag & TH_STORAGE_FREEMEM));
    assert(storage->view || !(storage->flag & TH_STORAGE_VIEW));
    if (storage->flag & TH_STORAGE_FREEMEM) allocator_of(storage)->free(storage->allocatorContext, storage->data);
    if (storage->flag & TH_STORAGE_VIEW) free_storage(storage->view);
    THFree(storage);
}

// ---- The exported functions -----------------------------------------------------------------------------------------

namespace storage_functions {

template <typename T> T *data(const Storage<T> *self) { return self->elements(); }
template <typename T> ptrdiff_t size(const Storage<T> *self) { return self->size; }
template <typename T> int elementSize() { return sizeof(T); }
template <typename T> int getDevice(const Storage<T> *self) {
    return static_cast<const DeviceStorage *>(static_cast<const AnyStorage *>(self))->device;
}

template <typename T> T *at(const Storage<T> *self, ptrdiff_t position) {
    TH_ARGUMENT(position >= 0 && position < self->size, 2, "index out of bounds");
    return self->elements() + position;
}
template <typename T> void set(Storage<T> *self, ptrdiff_t position, T value) { store(at(self, position), value); }
template <typename T> T get(const Storage<T> *self, ptrdiff_t position) { return load(at(self, position)); }

template <typename T> Storage<T> *newWithSize(ptrdiff_t size) {
    return static_cast<Storage<T> *>(new_storage(size, sizeof(T)));
}
template <typename T> Storage<T> *make() { return newWithSize<T>(0); }
template <typename T, typename... Values> Storage<T> *newWithValues(Values... values) {
    const T list[] = {values...};
    struct Holder {
        AnyStorage *storage;
        ~Holder() { free_storage(storage); }
    } holder{new_storage(sizeof...(values), sizeof(T))};
    upload(holder.storage->data, list, sizeof list);
    return static_cast<Storage<T> *>(std::exchange(holder.storage, nullptr));
}

template <typename T> Storage<T> *newWithMapping(const char *, ptrdiff_t, int) {
    TH_ERROR("not available yet for THCStorage");
}
template <typename T> Storage<T> *newWithAllocator(ptrdiff_t size, THCDeviceAllocator *allocator, void *context) {
    AnyStorage *self = new_device_storage(size, sizeof(T), allocator, context);
    return static_cast<Storage<T> *>(self);
}
template <typename T>
Storage<T> *newWithDataAndAllocator(T *data, ptrdiff_t size, THCDeviceAllocator *allocator, void *context) {
    Buffer<DeviceStorage> memory(1);
    return static_cast<Storage<T> *>(static_cast<AnyStorage *>(wrap(data, size, allocator, context, memory)));
}
template <typename T> Storage<T> *newWithData(T *data, ptrdiff_t size) {
    THCDeviceAllocator *allocator = THCState_getDeviceAllocator(nullptr);
    return newWithDataAndAllocator<T>(data, size, allocator, allocator->state);
}

template <typename T> void setFlag(Storage<T> *self, const char flag) { self->flag |= flag; }
template <typename T> void clearFlag(Storage<T> *self, const char flag) { self->flag &= ~flag; }
template <typename T> void retain(Storage<T> *self) { retain_storage(self); }
template <typename T> void release(Storage<T> *self) { free_storage(self); }

template <typename T> void resize(Storage<T> *self, ptrdiff_t size) { resize_storage(self, size, sizeof(T)); }
template <typename T> void fill(Storage<T> *self, T value) {
    launch_fill(Elements<T>(self->elements(), self->size), self->size, value);
}

}  // namespace storage_functions
}  // namespace th

extern "C" {
#define THC_STORAGE(returns, name, function, ...)                                                                      \
    THC_EXPORT(returns, THCStorage_(name), ::th::storage_functions::function, __VA_ARGS__)
#define THC_STORAGE_READER(name, function, ...)                                                                        \
    THC_EXPORT_READER(THCStorage_(name), ::th::storage_functions::function, __VA_ARGS__)
#define THC_STORAGE0(returns, name, function)                                                                          \
    THC_EXPORT0(returns, THCStorage_(name), ::th::storage_functions::function)
#define THC_GENERIC_FILE "thc/tensor/storage_exports.h"
#include <THC/THCGenerateAllTypes.h>
}
