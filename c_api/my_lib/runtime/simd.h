// c_api/my_lib/runtime/simd.h: vectors in memory: loads and stores, whole or in part, which convert 16-bit elements.
#pragma once

#include "runtime/convert.h"

#include <cassert>

namespace my_lib {
namespace MY_LIB_ISA {

// Memory is only ever aligned to its element, hence memcpy, which compiles to one unaligned move.
template <typename S> [[gnu::always_inline]] inline Vec<Arithmetic<S>> load(const S *from) {
    typename Conversion<S>::Stored value;
    __builtin_memcpy(&value, from, sizeof value);
    return Conversion<S>::widen(value);
}

template <typename S> [[gnu::always_inline]] inline void store(S *to, Vec<Arithmetic<S>> value) {
    const auto stored = Conversion<S>::narrow(value);
    __builtin_memcpy(to, &stored, sizeof stored);
}

// The first `count` lanes of a vector in memory; the others read as zero and are not written.
template <typename T> struct Some {
    int64_t count;

    template <typename S> [[gnu::always_inline]] Vec<T> load(const S *from) const {
        assert(count > 0 && count <= lanes<T>);
        if (count == lanes<T>) return MY_LIB_ISA::load<S>(from);
        typename Conversion<S>::Stored value = {};
        __builtin_memcpy(&value, from, static_cast<size_t>(count) * sizeof(S));
        return Conversion<S>::widen(value);
    }

    template <typename S> [[gnu::always_inline]] void store(S *to, Vec<T> value) const {
        assert(count > 0 && count <= lanes<T>);
        if (count == lanes<T>) return MY_LIB_ISA::store<S>(to, value);
        const auto stored = Conversion<S>::narrow(value);
        __builtin_memcpy(to, &stored, static_cast<size_t>(count) * sizeof(S));
    }
};

// What is left of `size` elements at `position`, as the count of the vector there.
template <typename T> [[gnu::always_inline]] inline Some<T> some(int64_t size, int64_t position) {
    return {size - position < lanes<T> ? size - position : lanes<T>};
}

// to = from, element by element; at least one of the types is Arithmetic of the other.
template <typename From, typename To> void convert(const From *from, int64_t size, To *to) {
    if constexpr (std::is_same_v<From, To>) {
        if (size) __builtin_memcpy(to, from, static_cast<size_t>(size) * sizeof(To));
    } else {
        using T = Arithmetic<From>;
        int64_t i = 0;
        for (; i + lanes<T> <= size; i += lanes<T>) store(to + i, load(from + i));
        if (i < size) {
            const Some<T> part = {size - i};
            part.store(to + i, part.load(from + i));
        }
    }
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib
