// cuda_on_cpu/cub/cub.h: what the headers of cub share.
//
// An algorithm of a device is a launch of one thread, in the order of its stream. In one of a block or a warp, its first
// thread does the work, on what all threads put into shared memory.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace cuda_on_cpu {

template <typename Iterator> using ValueOf = typename std::iterator_traits<Iterator>::value_type;
// What an operation on values adds up to.
template <typename Operation, typename Initial, typename Value>
using Total = std::decay_t<std::invoke_result_t<Operation, Initial, Value>>;

// The first of two calls, without temporary storage, asks for its size; the second one does the work, body().
template <typename Body>
cudaError_t on_device(const char *name, void *storage, size_t &bytes, cudaStream_t stream, Body body) {
    if (storage == nullptr) {
        bytes = 1;
        return cudaSuccess;
    }
    return launch(name, "", body, Shape(dim3(1), dim3(1), 0, stream));
}

// Storage for values in shared memory, where no constructors run.
template <typename T, int N> struct Slots {
    alignas(T) unsigned char bytes[N * sizeof(T)];
    T &operator[](size_t i) { return *reinterpret_cast<T *>(bytes + i * sizeof(T)); }
    void set(size_t i, const T &value) { new (bytes + i * sizeof(T)) T(value); }
};

// A storage as kernels have it in shared memory: what they put behind it may be loaded by 16 bytes.
template <typename Storage> struct alignas(Storage) alignas(16) Aligned : Storage {};

// The base of an algorithm of a block: its storage is the caller's, or the block's own.
template <typename Storage> class OfBlock {
public:
    using TempStorage = Aligned<Storage>;
    OfBlock() : storage_(own()) {}
    OfBlock(TempStorage &storage) : storage_(storage) {}

protected:
    Storage &storage_;
    const unsigned thread_ = rank_in_block();

private:
    static Storage &own() {
        __shared__ Storage storage;
        return storage;
    }
};

// A scalar, or an array of a thread's items, as items.
template <typename T, typename X> struct Items {
    static constexpr int count = std::is_array_v<X> ? int(std::extent_v<X>) : 1;
    X &x;
    auto &operator[](int i) const {
        if constexpr (std::is_array_v<X>) return x[i];
        else return x;
    }
};
template <typename T, typename X> Items<T, X> items(X &x) { return {x}; }

// ---- Numbers ------------------------------------------------------------------------------------------------------

template <typename T> struct Limits {
    static_assert(std::numeric_limits<T>::is_specialized, "cub: expected a number, which has a least and a greatest value");
    static T lowest() { return std::numeric_limits<T>::lowest(); }
    static T max() { return std::numeric_limits<T>::max(); }
};
template <> struct Limits<__half> {
    static __half lowest() { return __half(-65504.f); }
    static __half max() { return __half(65504.f); }
};
template <> struct Limits<__nv_bfloat16> {
    static __nv_bfloat16 lowest() { return __nv_bfloat16(-3.3895314e38f); }
    static __nv_bfloat16 max() { return __nv_bfloat16(3.3895314e38f); }
};

template <size_t bytes> struct Unsigned;
template <> struct Unsigned<1> { using type = uint8_t; };
template <> struct Unsigned<2> { using type = uint16_t; };
template <> struct Unsigned<4> { using type = uint32_t; };
template <> struct Unsigned<8> { using type = uint64_t; };
template <> struct Unsigned<16> { using type = unsigned __int128; };

template <typename Key>
constexpr bool is_floating = std::is_floating_point_v<Key> || std::is_same_v<Key, __half> || std::is_same_v<Key, __nv_bfloat16>;

// A number whose order among unsigned ones is the key's among keys; -0 is the same as 0.
template <typename Key> auto radix_of(const Key &key) {
    using Bits = typename Unsigned<sizeof(Key)>::type;
    constexpr Bits sign = Bits(Bits(1) << (8 * sizeof(Key) - 1));
    Bits bits;
    std::memcpy(&bits, &key, sizeof bits);
    if constexpr (is_floating<Key>) {
        if (bits == sign) bits = 0;
        return Bits(bits & sign ? ~bits : bits | sign);
    } else if constexpr (std::is_signed_v<Key> || std::is_same_v<Key, __int128>) {
        return Bits(bits ^ sign);
    } else {
        return bits;
    }
}

// The places of n keys in their order by the bits from begin to end; equal ones stay as they are.
template <typename Keys>
std::vector<size_t> radix_order(Keys keys, size_t n, int begin, int end, bool descending) {
    using Bits = decltype(radix_of(std::decay_t<decltype(keys[0])>()));
    const int rest = int(8 * sizeof(Bits)) - (end - begin);
    std::vector<std::pair<Bits, size_t>> found;
    found.reserve(n);
    for (size_t i = 0; i < n; i++) {
        const Bits bits = end > begin ? Bits(Bits(Bits(radix_of(keys[i]) >> begin) << rest) >> rest) : Bits(0);
        found.emplace_back(descending ? Bits(~bits) : bits, i);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<size_t> order;
    order.reserve(n);
    for (const auto &each : found) order.push_back(each.second);
    return order;
}

// The places from 0 to n - 1 in the order of before(a, b), which tells whether place a comes first; others stay as they are.
template <typename Before> std::vector<size_t> stable_order(size_t n, Before before) {
    std::vector<size_t> order(n);
    for (size_t i = 0; i < n; i++) order[i] = i;
    std::stable_sort(order.begin(), order.end(), before);
    return order;
}

// values[order[i]] to to[i]; values and to may be the same.
template <typename From, typename To> void permute(From values, To to, const std::vector<size_t> &order) {
    std::vector<std::decay_t<decltype(values[0])>> copy;
    copy.reserve(order.size());
    for (size_t i : order) copy.push_back(values[i]);
    for (size_t i = 0; i < copy.size(); i++) to[i] = copy[i];
}

}  // namespace cuda_on_cpu
