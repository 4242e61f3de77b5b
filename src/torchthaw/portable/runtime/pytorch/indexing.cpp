// portable/runtime/pytorch/indexing.cpp: x[i], x.index({…}) and x.index_put_({…}, value).
#include <portable/tensors.h>

namespace at {
namespace {

using indexing::TensorIndex;
using Indices = c10::List<std::optional<Tensor>>;

/// Dimensions of the tensor that an index takes up.
int64_t taken(const TensorIndex &index) {
    if (index.is_none() || index.is_ellipsis() || index.is_boolean()) return 0;
    if (!index.is_tensor()) return 1;
    const Tensor &mask = index.tensor();
    return mask.scalar_type() == kBool || mask.scalar_type() == kByte ? mask.dim() : 1;
}

/// An integer tensor without dimensions is its number; one of bool or uint8 is a mask of one element.
TensorIndex simple(const TensorIndex &index) {
    const Tensor &tensor = index.tensor();
    if (!index.is_tensor() || tensor.dim() > 0 || !isIntegralType(tensor.scalar_type(), /*includeBool=*/true)) return index;
    const int64_t number = tensor.item().toLong();
    if (tensor.scalar_type() == kBool || tensor.scalar_type() == kByte) return number != 0;
    return number;
}

Tensor with_rest(const Tensor &view, const Indices &rest) { return rest.empty() ? view : view.index(rest); }

}  // namespace

namespace indexing {

Tensor view_of(const Tensor &tensor, ArrayRef<TensorIndex> given, Indices &rest) {
    TORCH_CHECK(!given.empty(), "Passing an empty index list to Tensor::index() is not valid syntax");
    std::vector<TensorIndex> indices;
    for (const TensorIndex &index : given) indices.push_back(simple(index));
    int64_t used = 0;
    for (const TensorIndex &index : indices) used += taken(index);
    TORCH_CHECK_INDEX(used <= tensor.dim(), "too many indices for tensor of dimension ", tensor.dim());
    Tensor view = tensor;
    int64_t dimension = 0;
    std::vector<std::optional<Tensor>> tensors;  // for the dimensions of the view so far
    for (const TensorIndex &index : indices) {
        if (index.is_none() || index.is_boolean()) {
            view = view.unsqueeze(dimension);
            tensors.resize(dimension + 1);
            if (index.is_boolean()) {  // a mask of one element
                tensors[dimension] = at::full(IntArrayRef{1}, index.boolean(), TensorOptions(kBool).device(tensor.device()));
            }
            ++dimension;
        } else if (index.is_ellipsis()) {
            dimension += tensor.dim() - used;
        } else if (index.is_integer()) {
            view = view.select(dimension, index.integer());
        } else if (index.is_slice()) {
            view = view.slice(dimension++, index.slice().start(), index.slice().stop(), index.slice().step());
        } else {
            tensors.resize(dimension + 1);
            tensors[dimension] = index.tensor();
            dimension += taken(index);
            tensors.resize(std::max<size_t>(tensors.size(), dimension));
        }
    }
    rest.clear();
    bool any = false;
    for (const auto &each : tensors) any |= each.has_value();
    if (!any) return view;
    // A mask stands for its dimensions: PyTorch takes one entry for it.
    for (size_t d = 0; d < tensors.size(); ++d) {
        rest.push_back(tensors[d]);
        if (tensors[d] && tensors[d]->scalar_type() == kBool && tensors[d]->dim() > 1) d += tensors[d]->dim() - 1;
    }
    return view;
}

}  // namespace indexing

Tensor Tensor::operator[](int64_t index) const { return select(0, index); }

Tensor Tensor::operator[](const Tensor &index) const {
    TORCH_CHECK_INDEX(index.dim() == 0, "Can only index with tensors that are scalars (zero-dim)");
    return (*this)[index.item()];
}

Tensor Tensor::index(ArrayRef<TensorIndex> indices) const {
    Indices rest;
    const Tensor view = indexing::view_of(*this, indices, rest);
    return with_rest(view.is_same(*this) && rest.empty() ? view.alias() : view, rest);
}

Tensor &Tensor::index_put_(ArrayRef<TensorIndex> indices, const Tensor &value) {
    Indices rest;
    Tensor view = indexing::view_of(*this, indices, rest);
    if (rest.empty()) {
        view.copy_(value);
    } else {
        view.index_put_(rest, value.to(TensorOptions(scalar_type()).device(device())));
    }
    return *this;
}

Tensor &Tensor::index_put_(ArrayRef<TensorIndex> indices, const Scalar &value) {
    return index_put_(indices, at::scalar_tensor(value, TensorOptions(scalar_type()).device(device())));
}

Tensor Tensor::index(std::initializer_list<TensorIndex> indices) const { return index(ArrayRef<TensorIndex>(indices)); }
Tensor &Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Tensor &value) {
    return index_put_(ArrayRef<TensorIndex>(indices), value);
}
Tensor &Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Scalar &value) {
    return index_put_(ArrayRef<TensorIndex>(indices), value);
}

}  // namespace at
