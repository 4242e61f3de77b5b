// c_api/my_lib/runtime/pack.cuh: several elements that one thread reads or writes at once, at most 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace my_lib {

template <typename T, int width> struct alignas(width * sizeof(T)) Pack { T values[width]; };

template <typename T> constexpr int widest_pack = 16 / sizeof(T);

template <int width, typename T> __device__ Pack<T, width> load_pack(const T *from) {
    return *reinterpret_cast<const Pack<T, width> *>(from);
}

template <typename T, int width> __device__ void store_pack(T *to, const Pack<T, width> &pack) {
    *reinterpret_cast<Pack<T, width> *>(to) = pack;
}

// Whether all of the pointers are aligned to the widest pack; a null pointer is.
template <typename... Pointers> bool take_packs(const Pointers *...pointers) {
    return ((reinterpret_cast<uintptr_t>(pointers) % 16 == 0) && ...);
}

}  // namespace my_lib
