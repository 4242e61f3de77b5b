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
class TensorIndex {
  public:
    TensorIndex(std::nullopt_t) {}
    TensorIndex(EllipsisIndexType) : kind_(Kind::Ellipsis) {}
    TensorIndex(const char *text) : kind_(Kind::Ellipsis) {
        TORCH_CHECK_VALUE(std::string_view(text) == "...", "Expected \"...\" to represent an ellipsis index, but got \"", text, "\"");
    }
    TensorIndex(Slice slice) : kind_(Kind::Slice), slice_(slice) {}
    TensorIndex(Tensor tensor) : kind_(Kind::Tensor), tensor_(std::move(tensor)) {}
    template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    TensorIndex(T value) : kind_(std::is_same_v<T, bool> ? Kind::Bool : Kind::Integer), integer_(static_cast<int64_t>(value)) {}

    bool is_none() const { return kind_ == Kind::None; }
    bool is_ellipsis() const { return kind_ == Kind::Ellipsis; }
    bool is_integer() const { return kind_ == Kind::Integer; }
    bool is_boolean() const { return kind_ == Kind::Bool; }
    bool is_slice() const { return kind_ == Kind::Slice; }
    bool is_tensor() const { return kind_ == Kind::Tensor; }
    int64_t integer() const { return integer_; }
    bool boolean() const { return integer_ != 0; }
    const Slice &slice() const { return slice_; }
    const Tensor &tensor() const { return tensor_; }

  private:
    enum class Kind : uint8_t { None, Ellipsis, Integer, Bool, Slice, Tensor } kind_ = Kind::None;
    int64_t integer_ = 0;
    Slice slice_;
    Tensor tensor_;
};

/// What Python's x[indices] is before its index tensors are used: views for integers, slices, None and bools; the rest,
/// a tensor for each dimension of the view, goes to rest. It is empty where there is none.
Tensor view_of(const Tensor &tensor, ArrayRef<TensorIndex> indices, c10::List<std::optional<Tensor>> &rest);

}  // namespace indexing
}  // namespace at
