// cub/util_type.cuh: types that cub's algorithms take and give.
#pragma once

#include <cuda_on_cpu/cub/cub.h>

namespace cub {

struct NullType {
    template <typename T> NullType &operator=(const T &) { return *this; }
    bool operator==(const NullType &) const { return true; }
    bool operator!=(const NullType &) const { return false; }
};

template <int A> struct Int2Type {
    enum { VALUE = A };
};

template <typename Key_, typename Value_> struct KeyValuePair {
    using Key = Key_;
    using Value = Value_;
    Key key;
    Value value;
    KeyValuePair() = default;
    KeyValuePair(const Key &key, const Value &value) : key(key), value(value) {}
    bool operator==(const KeyValuePair &other) const { return key == other.key && value == other.value; }
    bool operator!=(const KeyValuePair &other) const { return !(*this == other); }
};

/* Two buffers, of which a sort leaves its result in the current one. */
template <typename T> struct DoubleBuffer {
    T *d_buffers[2] = {nullptr, nullptr};
    int selector = 0;
    DoubleBuffer() = default;
    DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate} {}
    T *Current() const { return d_buffers[selector]; }
    T *Alternate() const { return d_buffers[selector ^ 1]; }
};

/* An initial value that is read when the algorithm runs. */
template <typename T, typename Iterator = T *> struct FutureValue {
    using value_type = T;
    using iterator_type = Iterator;
    explicit FutureValue(Iterator place) : place_(place) {}
    operator T() const { return *place_; }

private:
    Iterator place_;
};

/* Shared memory for a type whose constructor does not run there. */
template <typename T> struct Uninitialized {
    alignas(T) unsigned char storage[sizeof(T)];
    T &Alias() { return *reinterpret_cast<T *>(storage); }
};

}  // namespace cub
