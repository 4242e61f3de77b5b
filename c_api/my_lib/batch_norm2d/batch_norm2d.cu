// c_api/my_lib/batch_norm2d/batch_norm2d.cu: batch normalisation over images, and its gradient.
//
// A block owns a channel. Sums are taken in double, in an order that the sizes alone decide; what is then computed for
// each element is in the element type, around a mean in two parts, as on the CPU.
#include "batch_norm2d/batch_norm2d.h"

#include "my_lib_cuda.h"
#include "runtime/device.cuh"

#include <climits>

namespace my_lib {
namespace {

constexpr int channel_threads = 512, warp = 32;

// body(offset) for each element of this block's channel, shared among its threads.
template <typename Body> __device__ void for_each_of_channel(const Images &images, Body body) {
    if (images.plane == 0) return;
    const int64_t channel = blockIdx.x, image_step = blockDim.x / images.plane, offset_step = blockDim.x % images.plane;
    int64_t image = threadIdx.x / images.plane, offset = threadIdx.x % images.plane;
    while (image < images.batch) {
        body((image * images.channels + channel) * images.plane + offset);
        image += image_step;
        offset += offset_step;
        if (offset >= images.plane) {
            offset -= images.plane;
            ++image;
        }
    }
}

// Replaces each thread's sums by those of the whole block. Once per kernel for a `count`: of_warps is written once.
template <int count> __device__ void sum_block(double (&sums)[count]) {
    __shared__ double of_warps[channel_threads / warp][count];
    for (int k = 0; k < count; ++k)
        for (int distance = warp / 2; distance > 0; distance /= 2)
            sums[k] += __shfl_xor_sync(0xffffffffu, sums[k], distance);
    if (threadIdx.x % warp == 0)
        for (int k = 0; k < count; ++k) of_warps[threadIdx.x / warp][k] = sums[k];
    __syncthreads();
    for (int k = 0; k < count; ++k) {
        sums[k] = 0;
        for (int i = 0; i < channel_threads / warp; ++i) sums[k] += of_warps[i][k];
    }
}

// A double as the sum of two T, as far as two of them can tell: first + second.
template <typename T> struct TwoParts {
    T first, second;
    __device__ explicit TwoParts(double value)
        : first(static_cast<T>(value)), second(static_cast<T>(value - static_cast<double>(first))) {}
};

template <typename T>
__global__ void __launch_bounds__(channel_threads)
    batch_norm2d_forward_kernel(const T *input, Images images, double eps, T *output, T *mean, T *std) {
    const double n = static_cast<double>(images.batch * images.plane);
    // Sums are taken around the channel's first value, so that a constant channel has std 0 exactly.
    double pivot = n != 0 ? static_cast<double>(input[blockIdx.x * images.plane]) : 0;
    if (!(pivot - pivot == 0)) pivot = 0;

    double sum[1] = {};
    for_each_of_channel(images, [&](int64_t i) { sum[0] += static_cast<double>(input[i]) - pivot; });
    sum_block(sum);
    const double center = pivot + sum[0] / n;

    // The second sum is zero up to the rounding of `center`; its square takes that rounding out of the first.
    double squares[2] = {};
    for_each_of_channel(images, [&](int64_t i) {
        const double x = static_cast<double>(input[i]) - center;
        squares[0] += x * x;
        squares[1] += x;
    });
    sum_block(squares);
    const double variance = (squares[0] - squares[1] * squares[1] / n) / (n - 1);
    const double deviation = sqrt(variance < 0 ? 0 : variance);

    const TwoParts<T> around(center);
    const T scale = static_cast<T>(1 / (deviation + eps));
    for_each_of_channel(images,
                        [&](int64_t i) { output[i] = (input[i] - around.first - around.second) * scale; });
    if (threadIdx.x != 0) return;
    mean[blockIdx.x] = static_cast<T>(center);
    std[blockIdx.x] = static_cast<T>(deviation);
}

template <typename T>
__global__ void __launch_bounds__(channel_threads)
    batch_norm2d_backward_kernel(const T *grad_output, const T *input, const T *mean, const T *std, Images images,
                                 double eps, T *grad_input) {
    const double n = static_cast<double>(images.batch * images.plane);
    const double rounded_mean = static_cast<double>(mean[blockIdx.x]);
    const double deviation = static_cast<double>(std[blockIdx.x]);

    double sums[3] = {};
    for_each_of_channel(images, [&](int64_t i) {
        const double gradient = static_cast<double>(grad_output[i]), x = static_cast<double>(input[i]) - rounded_mean;
        sums[0] += gradient;
        sums[1] += x;
        sums[2] += gradient * x;
    });
    sum_block(sums);
    // `mean` was rounded to T; the sum of x - mean tells by how much, and corrects the product sum.
    const TwoParts<T> around(rounded_mean + sums[1] / n);
    const double product = sums[2] - sums[0] * sums[1] / n;

    const double inverse = 1 / (deviation + eps);
    const T mean_gradient = static_cast<T>(sums[0] / n), scale = static_cast<T>(inverse);
    const T slope = static_cast<T>(deviation == 0 ? 0 : product * inverse / ((n - 1) * deviation));
    for_each_of_channel(images, [&](int64_t i) {
        const T x = input[i] - around.first - around.second;
        grad_input[i] = (grad_output[i] - mean_gradient - x * slope) * scale;
    });
}

// A block for each channel.
bool check_blocks(int64_t channels) {
    return channels <= INT_MAX || set_error(MY_LIB_ERROR_INVALID_SIZE, "channels: expected at most %d, got %lld",
                                            INT_MAX, static_cast<long long>(channels));
}

template <typename T> int forward(const BatchNorm2dForward<T> &a, void *stream) {
    Images images = {};
    return check_arguments(a, &images) && check_blocks(a.channels) &&
           (a.channels == 0 || launch(batch_norm2d_forward_kernel<T>, static_cast<unsigned>(a.channels),
                                      channel_threads, stream, a.input, images, a.eps, a.output, a.mean, a.std));
}

template <typename T> int backward(const BatchNorm2dBackward<T> &a, void *stream) {
    Images images = {};
    return check_arguments(a, &images) && check_blocks(a.channels) &&
           (!a.grad_input || images.count() == 0 ||
            launch(batch_norm2d_backward_kernel<T>, static_cast<unsigned>(a.channels), channel_threads, stream,
                   a.grad_output, a.input, a.mean, a.std, images, a.eps, a.grad_input));
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with _f64 in its name, for double.
#define MY_LIB_BATCH_NORM2D(T, suffix)                                                                                 \
    int my_lib_batch_norm2d_forward##suffix(const T *input, int64_t batch, int64_t channels, int64_t height,           \
                                            int64_t width, double eps, T *output, T *mean, T *std, void *stream) {     \
        return my_lib::forward<T>({input, batch, channels, height, width, eps, output, mean, std}, stream);            \
    }                                                                                                                  \
    int my_lib_batch_norm2d_backward##suffix(const T *grad_output, const T *input, const T *mean, const T *std,        \
                                             int64_t batch, int64_t channels, int64_t height, int64_t width,           \
                                             double eps, T *grad_input, void *stream) {                                \
        return my_lib::backward<T>({grad_output, input, mean, std, batch, channels, height, width, eps,                \
                                    grad_input}, stream);                                                              \
    }

MY_LIB_BATCH_NORM2D(float, _cuda)
MY_LIB_BATCH_NORM2D(double, _f64_cuda)
