// c_api/thc/tensor/storage.h: storages on the GPU, beyond what th/storage.h asks of every kind of storage.
#pragma once

#include "th/tensor/storage.h"
#include "thc/runtime/device.h"
#include "thc/runtime/types.h"

namespace th {

// Elements are not set. `allocator` NULL: the one in force, with its own context.
DeviceStorage *new_device_storage(ptrdiff_t size, size_t element, THCDeviceAllocator *allocator, void *context);

inline int device_of(const AnyTensor *t) { return t->storage ? on_device(t->storage)->device : -1; }

}  // namespace th
