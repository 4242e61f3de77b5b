// cuda_on_cpu/runtime/memory/objects.h: which of the things that programs create are there: streams, events, arrays, textures.
#pragma once

#include "errors.h"

#include <mutex>
#include <set>

namespace cuda_on_cpu {

// Those that were created and not destroyed.
template <typename T> class Objects {
public:
    T *add(T made) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return *objects_.insert(new T(made)).first;
    }
    bool has(T *object) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return objects_.count(object) != 0;
    }
    cudaError_t destroy(T *object) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!objects_.erase(object)) return record(cudaErrorInvalidResourceHandle);
        }
        delete object;
        return record(cudaSuccess);
    }

private:
    std::mutex mutex_;
    std::set<T *> objects_;
};
}  // namespace cuda_on_cpu
