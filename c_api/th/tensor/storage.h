// c_api/th/tensor/storage.h: what the rest of the library needs of storages.
#pragma once

#include "th/runtime/memory.h"
#include "th/tensor/types.h"

namespace th {

// `element` is the size of an element in bytes. New elements are zero.
AnyStorage *new_storage(ptrdiff_t size, size_t element);
AnyStorage *new_storage(ptrdiff_t size, size_t element, THAllocator *, void *context);
AnyStorage *new_storage_uninitialized(ptrdiff_t size, size_t element);
void resize_storage(AnyStorage *, ptrdiff_t size, size_t element);
void retain_storage(AnyStorage *);
void free_storage(AnyStorage *);

template <typename T> Storage<T> *newWithSize(ptrdiff_t size) {
    return static_cast<Storage<T> *>(new_storage(size, sizeof(T)));
}

}  // namespace th
