// portable/indexing.h: x.index({Slice(0, 3), None, "...", mask}) as Python writes x[0:3, None, ..., mask].
#pragma once
#include "operator.h"

namespace at {
namespace indexing {

enum class EllipsisIndexType { Ellipsis };
constexpr auto Ellipsis = EllipsisIndexType::Ellipsis;
constexpr auto None = std::nullopt;

/// start:stop:step, each optional.
struct Slice {
  public:
    Slice(std::optional<int64_t> start = {}, std::optional<int64_t> stop = {}, std::optional<int64_t> step = {})
        : start_(start), stop_(stop), step_(step.value_or(1)) {
        TORCH_CHECK_VALUE(step_ > 0, "step must be greater than zero");
    }
    std::optional<int64_t> start() const { return start_; }
    std::optional<int64_t> stop() const { return stop_; }
    int64_t step() const { return step_; }

  private:
    std::optional<int64_t> start_, stop_;
    int64_t step_;
};

/// One index of x.index(): none, an ellipsis, an integer, a bool, a slice or a tensor.
struct TensorIndex {
    std::variant<std::monostate, EllipsisIndexType, int64_t, bool, Slice, Tensor> index;

    TensorIndex(std::nullopt_t) {}
    TensorIndex(EllipsisIndexType) : index(Ellipsis) {}
    TensorIndex(const char *text) : index(Ellipsis) {
        TORCH_CHECK_VALUE(std::string_view(text) == "...", "Expected \"...\" to represent an ellipsis index, but got \"", text, "\"");
    }
    TensorIndex(Slice slice) : index(slice) {}
    TensorIndex(Tensor tensor) : index(std::move(tensor)) {}
    template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    TensorIndex(T value) {
        if constexpr (std::is_same_v<T, bool>) index = value;
        else index = static_cast<int64_t>(value);
    }
};

/// What Python's x[indices] is before its index tensors are used: views for integers, slices, None and bools; the rest,
/// a tensor for each dimension of the view, goes to rest. It is empty where there is none.
Tensor view_of(const Tensor &tensor, ArrayRef<TensorIndex> indices, c10::List<std::optional<Tensor>> &rest);

}  // namespace indexing
}  // namespace at
