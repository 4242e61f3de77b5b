// portable/nn.h: torch::nn::functional, by Python's torch.nn.functional: options become keyword arguments.
#pragma once
#include "core/enums.h"
#include "value.h"

namespace torchthaw {

using Options = std::vector<std::pair<const char *, c10::IValue>>;
/// torch.nn.functional.NAME(*arguments, **options), with the GIL taken meanwhile. Throws what Python raises.
c10::IValue functional(const char *name, std::vector<c10::IValue> arguments, const Options &options = {});

}  // namespace torchthaw

namespace torch {
namespace nn {
namespace functional {

// what options are set by; each has the name that it has in Python
#define TORCHTHAW_FUNC_OPTION(_)                                                                                       \
    _(mode) _(value) _(size) _(scale_factor) _(align_corners) _(antialias) _(padding_mode) _(p) _(dim) _(eps)          \
    _(negative_slope) _(alpha) _(inplace) _(approximate) _(beta) _(threshold) _(min_val) _(max_val) _(training)        \
    _(weight) _(bias) _(momentum) _(running_mean) _(running_var) _(stride) _(padding) _(dilation) _(groups)            \
    _(kernel_size) _(ceil_mode) _(count_include_pad) _(divisor_override) _(reduction) _(ignore_index)                  \
    _(label_smoothing) _(pos_weight) _(log_target) _(padding_idx) _(num_groups) _(dtype) _(recompute_scale_factor)
#define TORCHTHAW_SETTER(name)                                                                                         \
    template <class T> FuncOptions &name(const T &given) { return set(#name, given); }                                 \
    template <class T> FuncOptions &name(std::initializer_list<T> given) { return set(#name, std::vector<T>(given)); }

/// The keyword arguments of a function of torch.nn.functional. One class has the setters of all, since each extension
/// is compiled with them.
class FuncOptions {
  public:
    TORCHTHAW_FUNC_OPTION(TORCHTHAW_SETTER)
    const torchthaw::Options &options() const { return options_; }

  protected:
    template <class T> FuncOptions &set(const char *name, const T &value) {
        if constexpr (std::is_same_v<T, enumtype::Word>) options_.emplace_back(name, c10::IValue(value.text));
        else options_.emplace_back(name, c10::IValue(value));
        return *this;
    }

  private:
    torchthaw::Options options_;
};
#undef TORCHTHAW_SETTER

// options, the argument of their constructor
#define TORCHTHAW_FUNC_OPTIONS(_)                                                                                      \
    _(PadFuncOptions, pad) _(InterpolateFuncOptions, size) _(GridSampleFuncOptions, mode) _(NormalizeFuncOptions, p)   \
    _(SoftmaxFuncOptions, dim) _(LogSoftmaxFuncOptions, dim) _(SoftminFuncOptions, dim) _(GLUFuncOptions, dim)         \
    _(LeakyReLUFuncOptions, negative_slope) _(ELUFuncOptions, alpha) _(CELUFuncOptions, alpha)                         \
    _(ReLUFuncOptions, inplace) _(GELUFuncOptions, approximate) _(SoftplusFuncOptions, beta)                           \
    _(HardtanhFuncOptions, min_val) _(ThresholdFuncOptions, threshold) _(DropoutFuncOptions, p)                        \
    _(LayerNormFuncOptions, normalized_shape) _(GroupNormFuncOptions, num_groups) _(BatchNormFuncOptions, momentum)    \
    _(InstanceNormFuncOptions, momentum) _(Conv1dFuncOptions, stride) _(Conv2dFuncOptions, stride)                     \
    _(Conv3dFuncOptions, stride) _(MaxPool1dFuncOptions, kernel_size) _(MaxPool2dFuncOptions, kernel_size)             \
    _(MaxPool3dFuncOptions, kernel_size) _(AvgPool1dFuncOptions, kernel_size) _(AvgPool2dFuncOptions, kernel_size)     \
    _(AvgPool3dFuncOptions, kernel_size) _(AdaptiveAvgPool2dFuncOptions, output_size)                                  \
    _(AdaptiveMaxPool2dFuncOptions, output_size) _(UnfoldFuncOptions, kernel_size) _(FoldFuncOptions, output_size)     \
    _(PixelShuffleFuncOptions, upscale_factor) _(EmbeddingFuncOptions, padding_idx)                                    \
    _(CosineSimilarityFuncOptions, dim) _(MSELossFuncOptions, reduction) _(L1LossFuncOptions, reduction)               \
    _(SmoothL1LossFuncOptions, reduction) _(NLLLossFuncOptions, reduction) _(CrossEntropyFuncOptions, reduction)       \
    _(BinaryCrossEntropyFuncOptions, reduction) _(BinaryCrossEntropyWithLogitsFuncOptions, reduction)                  \
    _(KLDivFuncOptions, reduction)
#define TORCHTHAW_OPTIONS_CLASS(Name, first)                                                                           \
    class Name : public FuncOptions {                                                                                  \
      public:                                                                                                          \
        Name() = default;                                                                                              \
        Name(const FuncOptions &options) : FuncOptions(options) {}                                                     \
        template <class T> Name(const T &given) { set(#first, given); }                                                \
        template <class T> Name(std::initializer_list<T> given) { set(#first, std::vector<T>(given)); }                \
    };
TORCHTHAW_FUNC_OPTIONS(TORCHTHAW_OPTIONS_CLASS)
#undef TORCHTHAW_OPTIONS_CLASS

// Tensors and other arguments, then maybe options.
#define TORCHTHAW_FUNCTIONS(_)                                                                                         \
    _(pad) _(interpolate) _(grid_sample) _(affine_grid) _(normalize) _(softmax) _(log_softmax) _(softmin) _(glu)       \
    _(leaky_relu) _(elu) _(selu) _(celu) _(relu) _(relu6) _(gelu) _(silu) _(mish) _(softplus) _(softsign)              \
    _(logsigmoid) _(hardtanh) _(hardshrink) _(tanhshrink) _(threshold) _(dropout) _(layer_norm) _(group_norm)          \
    _(batch_norm) _(instance_norm) _(linear) _(bilinear) _(conv1d) _(conv2d) _(conv3d) _(max_pool1d) _(max_pool2d)     \
    _(max_pool3d) _(avg_pool1d) _(avg_pool2d) _(avg_pool3d) _(adaptive_avg_pool2d) _(adaptive_max_pool2d) _(unfold)    \
    _(fold) _(pixel_shuffle) _(one_hot) _(embedding) _(cosine_similarity) _(pairwise_distance) _(mse_loss) _(l1_loss)  \
    _(smooth_l1_loss) _(nll_loss) _(cross_entropy) _(binary_cross_entropy) _(binary_cross_entropy_with_logits)         \
    _(kl_div)
#define TORCHTHAW_FUNCTION(name)                                                                                       \
    template <class... A> Tensor name(const Tensor &input, const A &...arguments) {                                    \
        std::vector<c10::IValue> values{input};                                                                        \
        torchthaw::Options options;                                                                                    \
        (detail::put(values, options, arguments), ...);                                                                \
        return torchthaw::functional(#name, std::move(values), options).toTensor();                                    \
    }
namespace detail {
template <class T> void put(std::vector<c10::IValue> &values, torchthaw::Options &options, const T &given) {
    if constexpr (std::is_base_of_v<FuncOptions, T>) options.insert(options.end(), given.options().begin(), given.options().end());
    else values.push_back(c10::IValue(given));
}
}  // namespace detail
TORCHTHAW_FUNCTIONS(TORCHTHAW_FUNCTION)
#undef TORCHTHAW_FUNCTION

}  // namespace functional
}  // namespace nn
}  // namespace torch
