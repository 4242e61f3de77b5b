// portable/runtime/pytorch/trial.cpp: whether operators that are called by their C++ names give what they must.
//
// A name of C++ says which types an operator takes, not how these lie in memory. The operators here take every type that
// is passed by its bytes: numbers, sizes, optional values and lists. A PyTorch that is newer than all that were tested
// is not tried: TORCHTHAW_NEWEST_PYTORCH is in start.cpp.
#include <cxxabi.h>

#include "start.h"

namespace torchthaw {
namespace {

using at::Tensor;

bool has(const Tensor &tensor, std::initializer_list<int64_t> sizes, std::initializer_list<double> values) {
    if (tensor.sizes() != at::IntArrayRef(sizes) || tensor.scalar_type() != at::kDouble) return false;
    return std::equal(values.begin(), values.end(), tensor.data_ptr<double>());
}

/// Whether one operator is there and gives this; one that is absent has no wrong result.
template <class Name, class Call>
bool gives(Name *name, Call call, std::initializer_list<int64_t> sizes, std::initializer_list<double> values) {
    return name == nullptr || has(call(), sizes, values);
}

}  // namespace

bool trial() {
    const at::TensorOptions doubles = at::kDouble;
    try {
        at::NoGradGuard no_gradients;
        const std::vector<int64_t> two_by_two{2, 2};
        return gives(&at::_ops::scalar_tensor::call, [&] { return at::scalar_tensor(2.5, doubles); }, {}, {2.5}) &&
               gives(&at::_ops::full::call, [&] { return at::full(two_by_two, 1.5, doubles); }, {2, 2}, {1.5, 1.5, 1.5, 1.5}) &&
               gives(&at::_ops::arange_start_step::call, [&] { return at::arange(0, 6, 2, doubles); }, {3}, {0, 2, 4}) &&
               gives(&at::_ops::sum_dim_IntList::call,
                     [&] { return at::full(two_by_two, 1.5, doubles).sum(at::IntArrayRef{1}, true); }, {2, 1}, {3, 3}) &&
               gives(&at::_ops::cat::call,
                     [&] {
                         const Tensor one = at::full(at::IntArrayRef{1}, 1, doubles);
                         return at::cat(std::vector<Tensor>{one, one.add(one, 2)});
                     },
                     {2}, {1, 3}) &&
               gives(&at::_ops::div_Tensor_mode::call,
                     [&] {
                         const Tensor seven = at::full(at::IntArrayRef{1}, 7, doubles);
                         return at::div(seven, seven.sub(5), std::string_view("floor"));
                     },
                     {1}, {3}) &&
               gives(&at::_ops::max_dim::call,
                     [&] { return std::get<0>(at::arange(0, 4, doubles).reshape(two_by_two).max(1)); }, {2}, {1, 3});
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        return false;
    }
}

}  // namespace torchthaw
