// c_api/th/tensor/copy_kernels.cpp: copies between all pairs of types; filling.
#include "th/tensor/copy_kernels.h"

#include "th/runtime/row.h"
#include "th/tensor/convert.h"

namespace th {
namespace TH_ISA {
namespace {

template <typename To, typename From> struct Converted {
    explicit Converted(const void *) {}
    To operator()(From value) const { return convert<To>(value); }
};

template <typename T> void same_type(int64_t n, char *const *data, const int64_t *stride, const void *context) {
    if (stride[0] == 1 && stride[1] == 1)
        __builtin_memmove(data[0], data[1], size_t(n) * sizeof(T));
    else
        row1<Converted<T, T>, T>(n, data, stride, context);
}

template <typename T> struct Filled {
    T value;
    explicit Filled(const void *context) : value(*static_cast<const T *>(context)) {}
    T operator()() const { return value; }
};

}  // namespace

template <typename To, typename From> Row copy_row() {
    if constexpr (std::is_same<To, From>::value)
        return same_type<To>;
    else
        return row1<Converted<To, From>, To, From>;
}

template <typename T> Row fill_row() { return row0<Filled<T>, T>; }

#define TH_TO(From, from, acc)                                                                                         \
    template Row copy_row<uint8_t, from>();                                                                            \
    template Row copy_row<int8_t, from>();                                                                             \
    template Row copy_row<int16_t, from>();                                                                            \
    template Row copy_row<int32_t, from>();                                                                            \
    template Row copy_row<int64_t, from>();                                                                            \
    template Row copy_row<float, from>();                                                                              \
    template Row copy_row<double, from>();                                                                             \
    template Row copy_row<THHalf, from>();                                                                             \
    template Row fill_row<from>();
TH_EVERY_TYPE(TH_TO)

}  // namespace TH_ISA
}  // namespace th
