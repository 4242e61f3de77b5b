// c_api/my_lib/batch_norm2d/batch_norm2d.h: the checks of batch_norm2d's arguments, the same for every device.
#pragma once

#include "runtime/arguments.h"

namespace my_lib {

struct Images {
    int64_t batch, channels, plane;  // plane: height * width

    int64_t count() const { return batch * channels * plane; }
};

template <typename T>
bool check_images(int64_t batch, int64_t channels, int64_t height, int64_t width, double eps, Images *images) {
    int64_t count;
    if (!check_array_size<T>("input", {batch, channels, height, width}, &count)) return false;
    if (batch == 1 && height == 1 && width == 1)
        return set_error(MY_LIB_ERROR_INVALID_SIZE,
                         "input: expected more than 1 value per channel, got shape (1, %lld, 1, 1)",
                         static_cast<long long>(channels));
    // Without elements, height * width may be beyond int64_t.
    *images = {count ? batch : 0, channels, count ? height * width : 0};
    return eps >= 0 || set_error(MY_LIB_ERROR_INVALID_VALUE, "eps: expected at least 0, got %g", eps);
}

template <typename T>
bool check_batch_norm2d_forward(const T *input, int64_t batch, int64_t channels, int64_t height, int64_t width,
                                double eps, const T *output, const T *mean, const T *std, Images *images) {
    return check_images<T>(batch, channels, height, width, eps, images) &&
           check_array("input", input, images->count()) && check_array("output", output, images->count()) &&
           check_array("mean", mean, channels) && check_array("std", std, channels);
}

template <typename T>
bool check_batch_norm2d_backward(const T *grad_output, const T *input, const T *mean, const T *std, int64_t batch,
                                 int64_t channels, int64_t height, int64_t width, double eps, const T *grad_input,
                                 Images *images) {
    return check_images<T>(batch, channels, height, width, eps, images) &&
           check_array("grad_output", grad_output, images->count()) && check_array("input", input, images->count()) &&
           check_array("mean", mean, channels) && check_array("std", std, channels) &&
           check_optional("grad_input", grad_input);
}

}  // namespace my_lib
