// c_api/my_lib/batch_norm2d/batch_norm2d.cpp: batch normalisation over images, and its gradient.
//
// Channels are independent and shared among the threads; a channel is summed in an order that depends on its sizes
// alone. Sums are taken in double. What is then computed for each element is in the element type, around a mean in
// two parts, so that values far from zero lose nothing to the mean's rounding.
#include "runtime/isa.h"

#include "batch_norm2d/batch_norm2d.h"
#include "runtime/simd.h"
#include "runtime/threads.h"

#include <cassert>

namespace my_lib {

MY_LIB_EVERY_ISA(
    template <typename T> void batch_norm2d_forward(const BatchNorm2dForward<T> &a, Images images);
    template <typename T> void batch_norm2d_backward(const BatchNorm2dBackward<T> &a, Images images);)

namespace MY_LIB_ISA {

using Doubles = Vec<double>;

// As many elements of T as Doubles has lanes.
template <typename T> struct narrow_of { typedef T type __attribute__((vector_size(lanes<double> * sizeof(T)))); };

template <typename T> [[gnu::always_inline]] inline void read(double &to, const T *from) {
    to = static_cast<double>(*from);
}

template <typename T> [[gnu::always_inline]] inline void read(Doubles &to, const T *from) {
    typename narrow_of<T>::type narrow;
    __builtin_memcpy(&narrow, from, sizeof narrow);
    to = __builtin_convertvector(narrow, Doubles);
}

// A double as the sum of two T, as far as two of them can tell: first + second.
template <typename T> struct two_parts {
    T first, second;
    explicit two_parts(double value)
        : first(static_cast<T>(value)), second(static_cast<T>(value - static_cast<double>(first))) {}
};

// sums[k] = the sum over one channel of terms[k], which term(i, terms) computes for the element, or the elements
// from, offset i.
template <int count, typename Term>
static inline void sum_channel(Images images, int64_t channel, double (&sums)[count], Term term) {
    constexpr int unroll = 4;  // hides the latency of the additions
    constexpr int64_t step = lanes<double>;
    Doubles whole[unroll][count] = {}, terms[count];
    double rest[count] = {}, single[count];
    for (int64_t image = 0; image < images.batch; ++image) {
        int64_t i = (image * images.channels + channel) * images.plane;
        const int64_t end = i + images.plane;
        for (; i + unroll * step <= end; i += unroll * step)
            for (int u = 0; u < unroll; ++u) {
                term(i + u * step, terms);
                for (int k = 0; k < count; ++k) whole[u][k] += terms[k];
            }
        for (; i + step <= end; i += step) {
            term(i, terms);
            for (int k = 0; k < count; ++k) whole[0][k] += terms[k];
        }
        for (; i < end; ++i) {
            term(i, single);
            for (int k = 0; k < count; ++k) rest[k] += single[k];
        }
    }
    for (int k = 0; k < count; ++k) {
        const Doubles total = (whole[0][k] + whole[1][k]) + (whole[2][k] + whole[3][k]);
        sums[k] = rest[k];
        for (int lane = 0; lane < lanes<double>; ++lane) sums[k] += total[lane];
    }
}

// output[i] = compute(inputs[i]...) for the elements of one channel, a vector or a single one at a time.
template <typename T, typename Compute, typename... Inputs>
static inline void fill_channel(Images images, int64_t channel, T *output, Compute compute, const Inputs *...inputs) {
    for (int64_t image = 0; image < images.batch; ++image) {
        int64_t i = (image * images.channels + channel) * images.plane;
        const int64_t end = i + images.plane;
        for (; i + lanes<T> <= end; i += lanes<T>) store<T>(output + i, compute(load(inputs + i)...));
        for (; i < end; ++i) output[i] = compute(inputs[i]...);
    }
}

template <typename Body> static inline void for_each_channel(Images images, Body body) {
    assert(images.batch * images.plane != 1);  // kernels divide by one less
    const int64_t grain = elementwise_grain / (images.batch * images.plane + 1) + 1;
    parallel_for(images.channels, grain, [=](int64_t begin, int64_t end) {
        for (int64_t channel = begin; channel < end; ++channel) body(channel);
    });
}

template <typename T> void batch_norm2d_forward(const BatchNorm2dForward<T> &a, Images images) {
    const T *input = a.input;
    const double eps = a.eps;
    T *output = a.output, *mean = a.mean, *std = a.std;
    for_each_channel(images, [=](int64_t channel) {
        const double n = static_cast<double>(images.batch * images.plane);
        // Sums are taken around the channel's first value, so that a constant channel has std 0 exactly.
        double pivot = n != 0 ? static_cast<double>(input[channel * images.plane]) : 0;
        if (!__builtin_isfinite(pivot)) pivot = 0;

        double sum[1];
        sum_channel(images, channel, sum, [=](int64_t i, auto &terms) {
            read(terms[0], input + i);
            terms[0] -= pivot;
        });
        const double center = pivot + sum[0] / n;

        // The second sum is zero up to the rounding of `center`; its square takes that rounding out of the first.
        double squares[2];
        sum_channel(images, channel, squares, [=](int64_t i, auto &terms) {
            read(terms[1], input + i);
            terms[1] -= center;
            terms[0] = terms[1] * terms[1];
        });
        const double variance = (squares[0] - squares[1] * squares[1] / n) / (n - 1);
        const double deviation = __builtin_sqrt(variance < 0 ? 0 : variance);

        const two_parts<T> around(center);
        const T scale = static_cast<T>(1 / (deviation + eps));
        fill_channel(
            images, channel, output, [=](auto x) { return (x - around.first - around.second) * scale; }, input);
        mean[channel] = static_cast<T>(center);
        std[channel] = static_cast<T>(deviation);
    });
}

template <typename T> void batch_norm2d_backward(const BatchNorm2dBackward<T> &a, Images images) {
    const T *grad_output = a.grad_output, *input = a.input, *mean = a.mean, *std = a.std;
    const double eps = a.eps;
    T *grad_input = a.grad_input;
    for_each_channel(images, [=](int64_t channel) {
        const double n = static_cast<double>(images.batch * images.plane);
        const double rounded_mean = static_cast<double>(mean[channel]);
        const double deviation = static_cast<double>(std[channel]);

        double sums[3];
        sum_channel(images, channel, sums, [=](int64_t i, auto &terms) {
            read(terms[0], grad_output + i);
            read(terms[1], input + i);
            terms[1] -= rounded_mean;
            terms[2] = terms[0] * terms[1];
        });
        // `mean` was rounded to T; the sum of x - mean tells by how much, and corrects the product sum.
        const two_parts<T> around(rounded_mean + sums[1] / n);
        const double product = sums[2] - sums[0] * sums[1] / n;

        const double inverse = 1 / (deviation + eps);
        const T mean_gradient = static_cast<T>(sums[0] / n), scale = static_cast<T>(inverse);
        const T slope = static_cast<T>(deviation == 0 ? 0 : product * inverse / ((n - 1) * deviation));
        fill_channel(
            images, channel, grad_input,
            [=](auto gradient, auto x) {
                return (gradient - mean_gradient - (x - around.first - around.second) * slope) * scale;
            },
            grad_output, input);
    });
}

template void batch_norm2d_forward(const BatchNorm2dForward<float> &, Images);
template void batch_norm2d_forward(const BatchNorm2dForward<double> &, Images);
template void batch_norm2d_backward(const BatchNorm2dBackward<float> &, Images);
template void batch_norm2d_backward(const BatchNorm2dBackward<double> &, Images);

}  // namespace MY_LIB_ISA
}  // namespace my_lib

#if MY_LIB_ENTRY_POINTS

namespace my_lib {
namespace {

template <typename T> int forward(const BatchNorm2dForward<T> &a) {
    Images images = {};
    if (!check_arguments(a, &images) || !check_cpu()) return 0;
    MY_LIB_CHOOSE(batch_norm2d_forward<T>)(a, images);
    return 1;
}

template <typename T> int backward(const BatchNorm2dBackward<T> &a) {
    Images images = {};
    if (!check_arguments(a, &images) || !check_cpu()) return 0;
    if (a.grad_input && images.count()) MY_LIB_CHOOSE(batch_norm2d_backward<T>)(a, images);
    return 1;
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with the suffix _f64, for double.
#define MY_LIB_BATCH_NORM2D(T, suffix)                                                                                 \
    int my_lib_batch_norm2d_forward##suffix(const T *input, int64_t batch, int64_t channels, int64_t height,           \
                                            int64_t width, double eps, T *output, T *mean, T *std) {                   \
        return my_lib::forward<T>({input, batch, channels, height, width, eps, output, mean, std});                    \
    }                                                                                                                  \
    int my_lib_batch_norm2d_backward##suffix(const T *grad_output, const T *input, const T *mean, const T *std,        \
                                             int64_t batch, int64_t channels, int64_t height, int64_t width,           \
                                             double eps, T *grad_input) {                                              \
        return my_lib::backward<T>({grad_output, input, mean, std, batch, channels, height, width, eps,                \
                                    grad_input});                                                                      \
    }

MY_LIB_BATCH_NORM2D(float, )
MY_LIB_BATCH_NORM2D(double, _f64)

#endif
