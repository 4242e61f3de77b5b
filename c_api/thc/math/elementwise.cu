// c_api/thc/math/elementwise.cu: fill, copy, addition, random bits: one element of the result at a time.
#include "thc/runtime/grid.cuh"

namespace th {

template <typename T> void launch_fill(const Elements<T> &out, int64_t n, T value) { launch(n, Fill<T>{out, value}); }

template <typename To, typename From> void launch_copy(const Elements<To> &out, const Elements<From> &in, int64_t n) {
    launch(n, Copy<To, From>{out, in});
}

template <typename T> void launch_add_scaled(const AddScaled<T> &body, int64_t n) { launch(n, body); }

template <typename T> void launch_bernoulli(const Bernoulli<T> &body, int64_t n) { launch(n, body); }

template <typename T> void launch_addresses(const Addresses<T> &body, int64_t n) { launch(n, body); }
template void launch_addresses(const Addresses<float> &, int64_t);
template void launch_addresses(const Addresses<double> &, int64_t);

#define THC_COPY(To, From) template void launch_copy(const Elements<To> &, const Elements<From> &, int64_t);
#define THC_INSTANTIATE(CReal, Real, real, accreal)                                                                    \
    template void launch_fill(const Elements<real> &, int64_t, real);                                                  \
    template void launch_add_scaled(const AddScaled<real> &, int64_t);                                                 \
    template void launch_bernoulli(const Bernoulli<real> &, int64_t);                                                  \
    THC_COPY(real, uint8_t)                                                                                            \
    THC_COPY(real, int8_t)                                                                                             \
    THC_COPY(real, int16_t)                                                                                            \
    THC_COPY(real, int32_t)                                                                                            \
    THC_COPY(real, int64_t)                                                                                            \
    THC_COPY(real, half)                                                                                               \
    THC_COPY(real, float)                                                                                              \
    THC_COPY(real, double)
THC_EVERY_TYPE(THC_INSTANTIATE)

}  // namespace th
