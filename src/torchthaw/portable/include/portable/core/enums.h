// portable/core/enums.h: torch::kMean, torch::kReflect and other words that options of torch::nn take.
#pragma once
#include "base.h"

namespace torch {
namespace enumtype {
/// Such a word, as the operators of ATen spell it: "mean", "reflect".
struct Word {
    const char *text;
    friend bool operator==(Word a, Word b) { return std::string_view(a.text) == b.text; }
    friend bool operator!=(Word a, Word b) { return !(a == b); }
};
inline std::string get_enum_name(Word word) { return word.text; }
}  // namespace enumtype

#define TORCHTHAW_WORDS(_)                                                                                             \
    _(kNone, "none") _(kMean, "mean") _(kSum, "sum") _(kBatchMean, "batchmean") _(kConstant, "constant")               \
    _(kReflect, "reflect") _(kReplicate, "replicate") _(kCircular, "circular") _(kZeros, "zeros")                      \
    _(kBorder, "border") _(kReflection, "reflection") _(kNearest, "nearest") _(kLinear, "linear")                      \
    _(kBilinear, "bilinear") _(kBicubic, "bicubic") _(kTrilinear, "trilinear") _(kArea, "area")                        \
    _(kNearestExact, "nearest-exact") _(kSame, "same") _(kValid, "valid") _(kReLU, "relu") _(kGELU, "gelu")            \
    _(kTanh, "tanh") _(kSigmoid, "sigmoid") _(kFanIn, "fan_in") _(kFanOut, "fan_out") _(kLeakyReLU, "leaky_relu")
#define TORCHTHAW_WORD(name, text) constexpr enumtype::Word name{text};
TORCHTHAW_WORDS(TORCHTHAW_WORD)
#undef TORCHTHAW_WORD
}  // namespace torch
