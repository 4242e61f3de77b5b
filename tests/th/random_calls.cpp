// tests/th/random_calls.cpp: draws tensors, storages, sizes and numbers, and knows every function by its parameters.
#include "random_calls.h"

#include "expect.h"
#include "fuzz_functions.h"

#include <climits>
#include <random>
#include <tuple>
#include <type_traits>
#include <utility>

namespace {

// Drawn by an engine or, while there are any, taken from bytes: as few as the number of choices needs.
std::mt19937_64 engine;
struct Bytes {
    const uint8_t *next, *end;
} guide = {};

uint64_t draw(uint64_t last) {  // 0 ... last
    uint64_t x = 0;
    if (guide.next == guide.end) {
        x = engine();
    } else {
        for (uint64_t left = last; left && guide.next < guide.end; left >>= 8) x = x << 8 | *guide.next++;
    }
    return last == UINT64_MAX ? x : x % (last + 1);
}
uint64_t word() { return draw(UINT64_MAX); }
int64_t up_to(int64_t n) { return int64_t(draw(uint64_t(n))); }
bool one_in(int64_t n) { return up_to(n - 1) == 0; }

int64_t number() {
    static const int64_t extremes[] = {INT64_MAX, INT64_MIN, INT64_MAX / 4, -1000000, 60};
    return one_in(200) ? extremes[up_to(4)] : up_to(7) - 1;
}

template <typename T> T value() {
    if (std::is_floating_point<T>::value && one_in(20)) {
        const double edges[] = {NAN, INFINITY, -INFINITY, 1e30, -1e-30, 3e9};
        return T(edges[up_to(5)]);
    }
    if (std::is_floating_point<T>::value) return T(up_to(12) - 4) / 2;
    return one_in(30) ? T(word()) : T(up_to(6) - (std::is_signed<T>::value ? 1 : 0));
}
template <> THHalf value() { return TH_float2half(value<float>()); }
template <> uint8_t value() { return uint8_t(one_in(40) ? word() : up_to(1)); }  // mostly masks

// ---- Tensors and storages of each type ------------------------------------------------------------------------------

template <typename Tensor> struct Kind;
template <typename Storage> struct StorageKind;
#define KIND(Real, real)                                                                                               \
    template <> struct StorageKind<TH##Real##Storage> {                                                                \
        using Element = real;                                                                                          \
        using Tensor = TH##Real##Tensor;                                                                               \
        static TH##Real##Storage *make(ptrdiff_t n) { return TH##Real##Storage_newWithSize(n); }                       \
    };                                                                                                                 \
    template <> struct Kind<TH##Real##Tensor> {                                                                        \
        using Storage = TH##Real##Storage;                                                                             \
        static TH##Real##Tensor *make(Storage *s, ptrdiff_t offset, THLongStorage *size, THLongStorage *stride) {      \
            return TH##Real##Tensor_newWithStorage(s, offset, size, stride);                                           \
        }                                                                                                              \
    };                                                                                                                 \
    void release(TH##Real##Storage *s) { TH##Real##Storage_free(s); }                                                  \
    void release(TH##Real##Tensor *t) { TH##Real##Tensor_free(t); }
KIND(Byte, uint8_t)
KIND(Char, int8_t)
KIND(Short, int16_t)
KIND(Int, int32_t)
KIND(Long, int64_t)
KIND(Float, float)
KIND(Double, double)
KIND(Half, THHalf)

template <typename T> void empty(T *&slot) {
    if (slot) release(slot);
    slot = nullptr;
}

// Elements come from the engine alone: bytes are for what there are fewer of.
template <typename Storage> void fill(Storage *storage) {
    const Bytes kept = std::exchange(guide, Bytes());
    for (ptrdiff_t i = 0; i < storage->size; i++) storage->data[i] = value<typename StorageKind<Storage>::Element>();
    guide = kept;
}
template <typename Storage> Storage *random_storage(ptrdiff_t most) {
    Storage *storage = StorageKind<Storage>::make(up_to(most));
    fill(storage);
    return storage;
}

// Storages that no tensor uses: they may shrink.
template <typename Storage> class Storages {
public:
    static Storages &instance() {
        static Storages storages;
        return storages;
    }
    Storage *pick() { return slots_[up_to(2)]; }
    void renew() {
        for (Storage *&slot : slots_)
            if (!slot || slot->size > 100 || one_in(40)) renew(slot);
    }
    void renew_one() { renew(slots_[up_to(2)]); }
    void renew_needed() {
        for (Storage *&slot : slots_)
            if (!slot || slot->size > 100) renew(slot);
    }
    void clear() {
        for (Storage *&slot : slots_) empty(slot);
    }

private:
    static void renew(Storage *&slot) { empty(slot), slot = random_storage<Storage>(9); }

    Storage *slots_[3] = {};
};

template <typename Tensor> class Tensors {
    using K = Kind<Tensor>;

public:
    static Tensors &instance() {
        static Tensors tensors;
        return tensors;
    }
    Tensor *pick() { return slots_[up_to(5)]; }
    void renew() {
        for (Tensor *&slot : slots_)
            if (!slot || one_in(60) || too_large(slot)) renew(slot);
    }
    void renew_one() { renew(slots_[up_to(5)]); }
    void renew_needed() {
        for (Tensor *&slot : slots_)
            if (!slot || too_large(slot)) renew(slot);
    }
    bool check(const char *called) const {
        for (const Tensor *t : slots_)
            if (t && !valid(t)) {
                fprintf(stderr, "%s left an invalid tensor %s\n", called, _THSizeDesc(t->size, t->nDimension).str);
                return false;
            }
        return true;
    }
    void clear() {
        for (Tensor *&slot : slots_) empty(slot);
    }

private:
    static bool too_large(const Tensor *t) {
        double elements = 1;  // expanded ones may have many
        for (int d = 0; d < t->nDimension; d++) elements *= double(t->size[d]);
        return t->nDimension > 6 || elements > 1e4 || (t->storage && t->storage->size > 3000);
    }
    static bool valid(const Tensor *t) {
        int64_t reach = 1;
        for (int d = 0; d < t->nDimension; d++) {
            if (t->size[d] <= 0 || t->stride[d] < 0) return false;
            reach += (t->size[d] - 1) * t->stride[d];
        }
        if (t->refcount != 1) return false;
        if (!t->nDimension) return true;
        return t->storage && t->storage->data && t->storageOffset >= 0 && t->storageOffset + reach <= t->storage->size;
    }

    void renew(Tensor *&slot) {
        empty(slot);
        const int dims = int(up_to(4));
        THLongStorage *size = THLongStorage_newWithSize(dims), *stride = THLongStorage_newWithSize(dims);
        int64_t dense = 1;
        enum { contiguous, permuted, gaps, expanded, overlapping, layouts };
        const int64_t layout = up_to(layouts - 1);
        for (int d = dims - 1; d >= 0; d--) {
            size->data[d] = one_in(4) ? 1 : 1 + up_to(4);
            stride->data[d] = dense * (layout == gaps ? 2 : 1);
            if (layout == expanded && one_in(2)) stride->data[d] = 0;
            if (layout == overlapping) stride->data[d] = 1 + up_to(2);
            dense *= size->data[d] * (layout == gaps ? 2 : 1);
        }
        if (layout == permuted && dims > 1) {
            std::swap(size->data[0], size->data[dims - 1]);
            std::swap(stride->data[0], stride->data[dims - 1]);
        }
        typename K::Storage *storage = nullptr;
        const ptrdiff_t offset = one_in(3) ? up_to(5) : 0;
        if (one_in(3)) {  // another view of a storage in use
            Tensor *other = slots_[up_to(5)];
            if (other && other->storage) (storage = other->storage)->refcount++;
        }
        if (!storage) storage = random_storage<typename K::Storage>(40);
        slot = K::make(storage, offset, size, stride);
        release(storage);
        THLongStorage_free(size), THLongStorage_free(stride);
        if (slot->storage) fill(slot->storage);
    }

    Tensor *slots_[6] = {};
};

// ---- What else there is one of --------------------------------------------------------------------------------------

THGenerator *generator;
THFile *file;
THLongStorage *list;  // of sizes, for instance
bool called_on_tensors;

void renew_file() {
    static const char *const modes[] = {"rw", "rw", "r", "w"};
    if (file && !one_in(50)) return;
    if (file) THFile_free(file);
    THCharStorage *text = THCharStorage_newWithSize(up_to(200) + 1);
    const char letters[] = "0123456789 .-\nxe";
    for (ptrdiff_t i = 0; i + 1 < text->size; i++) text->data[i] = int8_t(letters[up_to(sizeof letters - 2)]);
    file = THMemoryFile_newWithStorage(text, modes[up_to(3)]);
    THCharStorage_free(text);
}

void renew_list() {
    empty(list);  // a tensor may have it now
    list = THLongStorage_newWithSize(up_to(4));
    for (ptrdiff_t i = 0; i < list->size; i++) list->data[i] = number();
}

// ---- Arguments by type ----------------------------------------------------------------------------------------------

template <typename A> struct Argument {
    static A make() { return value<A>(); }
};
template <typename P> struct Argument<P *> {
    using T = std::remove_const_t<P>;
    template <typename Tensor, typename = typename Kind<Tensor>::Storage> static P *pick(int) {
        return Tensors<Tensor>::instance().pick();
    }
    template <typename Storage, typename = typename StorageKind<Storage>::Element> static P *pick(long) {
        if (called_on_tensors) return Tensors<typename StorageKind<Storage>::Tensor>::instance().pick()->storage;
        return Storages<Storage>::instance().pick();
    }
    static P *make() { return pick<T>(0); }
};
template <> struct Argument<int> {
    static int make() {
        if (!one_in(100)) return int(up_to(6)) - 1;
        const uint32_t any = uint32_t(word());
        return any % 8 == 0 ? INT_MAX : any % 8 == 1 ? INT_MIN : int(any);
    }
};
template <> struct Argument<int64_t> {
    static int64_t make() { return number(); }
};
template <> struct Argument<THGenerator *> {
    static THGenerator *make() { return generator; }
};
template <> struct Argument<THFile *> {
    static THFile *make() { return file; }
};
template <> struct Argument<const char *> {
    static const char *make() {
        static const char *const texts[] = {"N", "T", "U", "L", "V", "F", "X", "C", "A", "S", "R", "?", "*a", "*l"};
        return texts[up_to(13)];
    }
};
template <> struct Argument<THLongStorage *> {
    static THLongStorage *make() { return called_on_tensors ? list : Storages<THLongStorage>::instance().pick(); }
};
template <> struct Argument<const THLongStorage *> : Argument<THLongStorage *> {};

// ---- Functions whose arguments cannot be drawn by their types -------------------------------------------------------

#define VIEWS_OF(Real, real)                                                                                           \
    void adapted_TH##Real##Tensor_setStorageNd(TH##Real##Tensor *t, TH##Real##Storage *storage, ptrdiff_t offset,      \
                                               THLongStorage *size) {                                                  \
        TH##Real##Tensor_setStorageNd(t, storage, offset, int(size->size), size->data,                                 \
                                      one_in(2) ? size->data : nullptr);                                               \
    }                                                                                                                  \
    void adapted_TH##Real##Tensor_resizeNd(TH##Real##Tensor *t, THLongStorage *size) {                                 \
        TH##Real##Tensor_resizeNd(t, int(size->size), size->data, one_in(2) ? size->data : nullptr);                   \
    }                                                                                                                  \
    void adapted_TH##Real##Tensor_expandNd(TH##Real##Tensor *a, TH##Real##Tensor *b, TH##Real##Tensor *c,              \
                                           TH##Real##Tensor *d) {                                                      \
        TH##Real##Tensor *results[] = {a, b}, *sources[] = {c, d};                                                     \
        TH##Real##Tensor_expandNd(results, sources, int(up_to(2)));                                                    \
    }                                                                                                                  \
    void adapted_TH##Real##Tensor_retain(TH##Real##Tensor *t) {                                                        \
        TH##Real##Tensor_retain(t);                                                                                    \
        TH##Real##Tensor_free(t);                                                                                      \
    }                                                                                                                  \
    void adapted_TH##Real##Tensor_freeCopyTo(TH##Real##Tensor *t, TH##Real##Tensor *to) {                              \
        TH##Real##Tensor_retain(t);                                                                                    \
        try {                                                                                                          \
            TH##Real##Tensor_freeCopyTo(t, to);                                                                        \
        } catch (const Caught &) { /* an error leaves t to its caller */                                               \
            TH##Real##Tensor_free(t);                                                                                  \
            throw;                                                                                                     \
        }                                                                                                              \
    }
#define FILES_OF(Real, real)                                                                                           \
    void adapted_THFile_read##Real##Raw() {                                                                            \
        real data[9];                                                                                                  \
        THFile_read##Real##Raw(file, data, size_t(up_to(9)));                                                          \
    }                                                                                                                  \
    void adapted_THFile_write##Real##Raw() {                                                                           \
        real data[9];                                                                                                  \
        for (real &x : data) x = value<real>();                                                                        \
        THFile_write##Real##Raw(file, data, size_t(up_to(9)));                                                         \
    }
#define LISTS_OF(Real, real)                                                                                           \
    void adapted_TH##Real##Tensor_catArray(TH##Real##Tensor *r, TH##Real##Tensor *a, TH##Real##Tensor *b,              \
                                           TH##Real##Tensor *c, int dimension) {                                       \
        TH##Real##Tensor *inputs[] = {a, b, c};                                                                        \
        TH##Real##Tensor_catArray(r, inputs, int(up_to(3)), dimension);                                                \
    }
#define EVERY_TYPE_BUT_HALF(X)                                                                                         \
    X(Byte, uint8_t) X(Char, int8_t) X(Short, int16_t) X(Int, int32_t) X(Long, int64_t) X(Float, float)                \
    X(Double, double)
#define EVERY_TYPE(X) EVERY_TYPE_BUT_HALF(X) X(Half, THHalf)
EVERY_TYPE(VIEWS_OF)
EVERY_TYPE(FILES_OF)
EVERY_TYPE_BUT_HALF(LISTS_OF)

void adapted_THFile_readStringRaw(const char *format) {
    char *text = nullptr;
    THFile_readStringRaw(file, format, &text);
    THFree(text);
}
void adapted_THFile_writeStringRaw(const char *text) { THFile_writeStringRaw(file, text, strlen(text)); }
void adapted_THLongStorage_newInferSize(THLongStorage *sizes, ptrdiff_t elements) {
    THLongStorage_free(THLongStorage_newInferSize(sizes, elements));
}
// These return -1 for an error.
void check(int status) {
    if (status) throw Caught{0, "status"};
}
void adapted_THLongStorage_inferSize2(THLongStorage *output, THFloatTensor *a, THFloatTensor *b) {
    char message[40];
    check(THLongStorage_inferSize2(output, a->size, a->nDimension, b->size, b->nDimension, message, int(up_to(40))));
}
void adapted_THLongStorage_inferSizeN(THLongStorage *output, THFloatTensor *a, THFloatTensor *b, THFloatTensor *c) {
    char message[40];
    int64_t *sizes[] = {a->size, b->size, c->size}, dims[] = {a->nDimension, b->nDimension, c->nDimension};
    check(THLongStorage_inferSizeN(output, int(up_to(3)), sizes, dims, message, int(up_to(40))));
}
void adapted_THLongStorage_inferExpandGeometry(THLongStorage *sizes, THFloatTensor *t) {
    char message[40];
    int64_t *size = nullptr, *stride = nullptr;
    const int status = THLongStorage_inferExpandGeometry(t->size, t->stride, t->nDimension, sizes, &size, &stride,
                                                         message, int(up_to(40)));
    THFree(size), THFree(stride);
    check(status);
}
void adapted_THSize_isSameSizeAs(THFloatTensor *a, THLongTensor *b) {
    THSize_isSameSizeAs(a->size, a->nDimension, b->size, b->nDimension);
}
void adapted_THSize_nElement(THFloatTensor *t) { THSize_nElement(t->nDimension, t->size); }

// ---- Calls ----------------------------------------------------------------------------------------------------------

// on_tensors: storages are those of tensors; made: what is returned is released.
template <bool on_tensors, bool made, typename R, typename... A> bool call(R (*function)(A...), void (*begin)()) {
    called_on_tensors = on_tensors;
    const std::tuple<A...> arguments{Argument<A>::make()...};
    begin();
    try {
        if constexpr (made)
            release(std::apply(function, arguments));
        else
            std::apply(function, arguments);
        return true;
    } catch (const Caught &) {
        return false;
    }
}

#define CALL(symbol, function, on_tensors, made)                                                                       \
    {#symbol, [](void (*begin)()) { return call<on_tensors, made>(function, begin); }},
#define TENSOR(Real, name) CALL(TH##Real##Tensor_##name, TH##Real##Tensor_##name, true, false)
#define TENSOR_NEW(Real, name) CALL(TH##Real##Tensor_##name, TH##Real##Tensor_##name, true, true)
#define TENSOR_ADAPTED(Real, name) CALL(TH##Real##Tensor_##name, adapted_TH##Real##Tensor_##name, true, false)
#define STORAGE(Real, name) CALL(TH##Real##Storage_##name, TH##Real##Storage_##name, false, false)
#define STORAGE_NEW(Real, name) CALL(TH##Real##Storage_##name, TH##Real##Storage_##name, false, true)
#define OTHER(symbol) CALL(symbol, symbol, false, false)
#define OTHER_ADAPTED(symbol) CALL(symbol, adapted_##symbol, false, false)

#define FUNCTIONS_OF_TYPE(Real, real)                                                                                  \
    FUZZ_VIEWS(TENSOR, Real) FUZZ_VIEWS_ADAPTED(TENSOR_ADAPTED, Real) FUZZ_VIEWS_NEW(TENSOR_NEW, Real)                 \
    FUZZ_STORAGE(STORAGE, Real) FUZZ_STORAGE_NEW(STORAGE_NEW, Real)                                                    \
    FUZZ_FILE(OTHER, Real) FUZZ_FILE_ADAPTED(OTHER_ADAPTED, Real)
#define FUNCTIONS_OF_NUMBERS(Real, real) FUZZ_NUMBERS(TENSOR, Real) FUZZ_NUMBERS_ADAPTED(TENSOR_ADAPTED, Real)

}  // namespace

const RandomCall random_calls[] = {
    EVERY_TYPE(FUNCTIONS_OF_TYPE) EVERY_TYPE_BUT_HALF(FUNCTIONS_OF_NUMBERS)
    FUZZ_FLOATING(TENSOR, Float) FUZZ_FLOATING(TENSOR, Double)
    FUZZ_SIGNED(TENSOR, Short) FUZZ_SIGNED(TENSOR, Int) FUZZ_SIGNED(TENSOR, Long)
    FUZZ_SIGNED(TENSOR, Float) FUZZ_SIGNED(TENSOR, Double)
    FUZZ_BYTE(TENSOR, Byte) FUZZ_OTHER(OTHER) FUZZ_OTHER_ADAPTED(OTHER_ADAPTED)
};
const size_t random_calls_count = sizeof random_calls / sizeof *random_calls;

void seed_arguments(uint64_t seed) {
    guide = Bytes();
    engine.seed(seed);
    if (!generator) generator = THGenerator_new();
    THRandom_manualSeed(generator, seed);
}

template <typename Tensor> using StorageOf = typename Kind<Tensor>::Storage;
template <typename... T> static void renew_all() {
    (Tensors<T>::instance().renew(), ...);
    (Storages<StorageOf<T>>::instance().renew(), ...);
}
template <typename... T> static void renew_needed() {
    (Tensors<T>::instance().renew_needed(), ...);
    (Storages<StorageOf<T>>::instance().renew_needed(), ...);
}
template <typename... T> static void renew_one() {
    using Renew = void (*)();
    static const Renew every[] = {[] { Tensors<T>::instance().renew_one(); }...,
                                  [] { Storages<StorageOf<T>>::instance().renew_one(); }...,
                                  [] { renew_list(); },
                                  [] { THFile_free(std::exchange(file, nullptr)), renew_file(); }};
    every[up_to(sizeof every / sizeof *every - 1)]();
}
template <typename... T> static bool all_valid(const char *called) {
    return (Tensors<T>::instance().check(called) && ...);
}
template <typename... T> static void clear_all() {
    (Tensors<T>::instance().clear(), ...);
    (Storages<StorageOf<T>>::instance().clear(), ...);
}
#define TENSORS                                                                                                        \
    THByteTensor, THCharTensor, THShortTensor, THIntTensor, THLongTensor, THFloatTensor, THDoubleTensor, THHalfTensor

void renew_arguments() {
    renew_list();
    renew_file();
    renew_all<TENSORS>();
}

void guide_arguments(const uint8_t *bytes, size_t n) {
    release_arguments();
    seed_arguments(1);
    renew_arguments();
    guide = {bytes, bytes + n};
}

const RandomCall *next_call() {
    if (guide.next == guide.end) return nullptr;
    const RandomCall &call = random_calls[up_to(int64_t(random_calls_count) - 1)];
    for (int64_t n = up_to(3); n; n--) renew_one<TENSORS>();
    const Bytes kept = std::exchange(guide, Bytes());
    renew_needed<TENSORS>();
    guide = kept;
    return &call;
}

bool arguments_are_valid(const char *called) { return all_valid<TENSORS>(called); }

void release_arguments() {
    clear_all<TENSORS>();
    empty(list);
    if (file) THFile_free(std::exchange(file, nullptr));
    if (generator) THGenerator_free(std::exchange(generator, nullptr));
}
