// c_api/th/tensor/types.h: the C structs as C++ types: what all element types share, and one view of it for each.
#pragma once

#include <TH/TH.h>

#include <type_traits>

namespace th {

// The layout that all TH<Real>Storage and TH<Real>Tensor have. Code that only moves bytes and sizes works on these.
struct AnyStorage {
    void *data;
    ptrdiff_t size;
    int refcount;
    char flag;
    THAllocator *allocator;
    void *allocatorContext;
    AnyStorage *view;
};

struct AnyTensor {
    int64_t *size;
    int64_t *stride;
    int nDimension;
    AnyStorage *storage;
    ptrdiff_t storageOffset;
    int refcount;
    char flag;
};

// Who owns a storage's memory sets this flag to learn whether it was written to: functions that write clear it.
constexpr char unwritten = 64;

// Whose memory stays with this very struct sets this one: swapping moves elements then, and the memory stays.
constexpr char lent = 32;

// Threads that write to different parts of a storage clear that flag at the same time.
inline bool has_flag(const AnyStorage *storage, int flag) {
    return __atomic_load_n(&storage->flag, __ATOMIC_RELAXED) & flag;
}

inline void note_write(AnyStorage *storage) {
    if (storage && has_flag(storage, unwritten)) __atomic_and_fetch(&storage->flag, char(~unwritten), __ATOMIC_RELAXED);
}
inline void note_write(AnyTensor *tensor) {
    if (tensor) note_write(tensor->storage);
}

// The same structs with their element type. They add no members.
template <typename T> struct Storage : AnyStorage {
    T *elements() const { return static_cast<T *>(data); }
};

template <typename T> struct Tensor : AnyTensor {
    T *data() const { return storage ? static_cast<T *>(storage->data) + storageOffset : nullptr; }
};

// X(Real, real, accreal): every type with arithmetic; half has storage, tensor and copies only.
#define TH_EVERY_REAL(X)                                                                                               \
    X(Byte, uint8_t, int64_t)                                                                                          \
    X(Char, int8_t, int64_t)                                                                                           \
    X(Short, int16_t, int64_t)                                                                                         \
    X(Int, int32_t, int64_t)                                                                                           \
    X(Long, int64_t, int64_t)                                                                                          \
    X(Float, float, double)                                                                                            \
    X(Double, double, double)
#define TH_EVERY_TYPE(X) TH_EVERY_REAL(X) X(Half, THHalf, float)

template <typename T> struct Type;
#define TH_TYPE(Real, real, accreal)                                                                                   \
    template <> struct Type<real> {                                                                                    \
        using Accumulate = accreal;                                                                                    \
        static constexpr const char *name = #Real;                                                                     \
    };                                                                                                                 \
    inline Tensor<real> *native(TH##Real##Tensor *t) { return reinterpret_cast<Tensor<real> *>(t); }                   \
    inline const Tensor<real> *native(const TH##Real##Tensor *t) { return reinterpret_cast<const Tensor<real> *>(t); } \
    inline Tensor<real> **native(TH##Real##Tensor **t) { return reinterpret_cast<Tensor<real> **>(t); }                \
    inline Storage<real> *native(TH##Real##Storage *s) { return reinterpret_cast<Storage<real> *>(s); }                \
    inline const Storage<real> *native(const TH##Real##Storage *s) {                                                   \
        return reinterpret_cast<const Storage<real> *>(s);                                                             \
    }
TH_EVERY_TYPE(TH_TYPE)
#undef TH_TYPE
template <typename T> inline T native(T value) { return value; }

// What sums of T are gathered in.
template <typename T> using Accumulate = typename Type<T>::Accumulate;

template <typename T> constexpr bool is_floating = std::is_floating_point<T>::value;
template <typename T> constexpr bool is_half = std::is_same<T, THHalf>::value;

}  // namespace th
