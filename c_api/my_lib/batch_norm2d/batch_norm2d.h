// c_api/my_lib/batch_norm2d/batch_norm2d.h: the arguments of batch_norm2d, and their checks.
#pragma once

#include "runtime/arguments.h"

namespace my_lib {

// The arguments of my_lib_batch_norm2d_forward, in the order of my_lib.h.
template <typename T> struct BatchNorm2dForward {
    const T *input;
    int64_t batch, channels, height, width;
    double eps;
    T *output, *mean, *std;
};

// Those of my_lib_batch_norm2d_backward.
template <typename T> struct BatchNorm2dBackward {
    const T *grad_output, *input, *mean, *std;
    int64_t batch, channels, height, width;
    double eps;
    T *grad_input;
};

// The sizes as the kernels take them.
struct Images {
    int64_t batch, channels, plane;  // plane: height * width

    int64_t count() const { return batch * channels * plane; }
};

template <typename T, template <typename> class Arguments>
bool check_images(const Arguments<T> &a, Images *images) {
    int64_t count;
    if (!check_array_size<T>("input", {a.batch, a.channels, a.height, a.width}, &count)) return false;
    if (!check_array_size<T>("mean", {a.channels})) return false;  // the images may have no element, and these many
    if (a.batch == 1 && a.height == 1 && a.width == 1)
        return set_error(MY_LIB_ERROR_INVALID_SIZE,
                         "input: expected more than 1 value per channel, got shape (1, %lld, 1, 1)",
                         static_cast<long long>(a.channels));
    // Without elements, height * width may be beyond int64_t.
    *images = {count ? a.batch : 0, a.channels, count ? a.height * a.width : 0};
    return a.eps >= 0 || set_error(MY_LIB_ERROR_INVALID_VALUE, "eps: expected at least 0, got %g", a.eps);
}

template <typename T> bool check_arguments(const BatchNorm2dForward<T> &a, Images *images) {
    return check_images(a, images) && check_array("input", a.input, images->count()) &&
           check_array("output", a.output, images->count()) && check_array("mean", a.mean, a.channels) &&
           check_array("std", a.std, a.channels);
}

template <typename T> bool check_arguments(const BatchNorm2dBackward<T> &a, Images *images) {
    return check_images(a, images) && check_array("grad_output", a.grad_output, images->count()) &&
           check_array("input", a.input, images->count()) && check_array("mean", a.mean, a.channels) &&
           check_array("std", a.std, a.channels) && check_optional("grad_input", a.grad_input);
}

}  // namespace my_lib
