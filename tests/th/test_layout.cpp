// tests/th/test_layout.cpp: the structs that compiled extensions have baked in. Compiling it is the check.
#include <TH/TH.h>

#define STORAGE(T)                                                                                                     \
    static_assert(offsetof(T, data) == 0 && offsetof(T, size) == 8 && offsetof(T, refcount) == 16 &&                   \
                      offsetof(T, flag) == 20 && offsetof(T, allocator) == 24 &&                                       \
                      offsetof(T, allocatorContext) == 32 && offsetof(T, view) == 40 && sizeof(T) == 48,               \
                  #T);
#define TENSOR(T)                                                                                                      \
    static_assert(offsetof(T, size) == 0 && offsetof(T, stride) == 8 && offsetof(T, nDimension) == 16 &&               \
                      offsetof(T, storage) == 24 && offsetof(T, storageOffset) == 32 && offsetof(T, refcount) == 40 && \
                      offsetof(T, flag) == 44 && sizeof(T) == 48,                                                      \
                  #T);
#define TYPE(Real) STORAGE(TH##Real##Storage) TENSOR(TH##Real##Tensor)
TYPE(Byte) TYPE(Char) TYPE(Short) TYPE(Int) TYPE(Long) TYPE(Float) TYPE(Double) TYPE(Half)

static_assert(sizeof(THGenerator) == 5048 && offsetof(THGenerator, state) == 24, "THGenerator");
static_assert(sizeof(THAllocator) == 24 && sizeof(THDescBuff) == 64 && sizeof(THHalf) == 2, "small structs");

int main() { return 0; }
