// tests/portable/tensors.cpp: what extensions do with tensors, a function for each; compiled by torchthaw and by PyTorch.
#include <torch/extension.h>

using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

namespace {

// ---- what a tensor says of itself
std::vector<int64_t> sizes(torch::Tensor x) { return x.sizes().vec(); }
std::vector<int64_t> strides(at::Tensor x) { return x.strides().vec(); }
std::tuple<int64_t, int64_t, int64_t, int64_t> numbers(const at::Tensor &x) {
    return {x.dim(), x.numel(), x.storage_offset(), x.element_size()};
}
std::tuple<int64_t, int64_t> last(const at::Tensor &x) { return {x.size(-1), x.stride(-1)}; }
std::string words(const at::Tensor &x) {
    std::stringstream out;
    out << x.scalar_type() << " " << x.dtype() << " " << x.device() << " " << x.sizes() << " " << x.type().toString() << " "
        << x.layout();
    return out.str();
}
std::vector<bool> flags(const at::Tensor &x) {
    return {x.is_contiguous(), x.is_contiguous(at::MemoryFormat::ChannelsLast), x.is_cuda(), x.is_floating_point(), x.is_complex(),
            x.is_sparse(), x.requires_grad(), x.defined(), x.is_cpu(), x.is_non_overlapping_and_dense()};
}
at::Tensor identity(at::Tensor x) { return x; }
at::Tensor undefined() { return at::Tensor(); }
bool is_defined(const std::optional<at::Tensor> &x) { return x.has_value(); }

// ---- memory
template <class T> T first(at::Tensor x) { return x.data_ptr<T>()[0]; }
double sum_by_accessor(at::Tensor x) {
    auto a = x.accessor<double, 2>();
    double sum = 0;
    for (int64_t i = 0; i < a.size(0); ++i)
        for (int64_t j = 0; j < a.size(1); ++j) sum += a[i][j];
    return sum;
}
float sum_by_packed_accessor(at::Tensor x) {
    auto a = x.packed_accessor32<float, 1>();
    float sum = 0;
    for (int i = 0; i < a.size(0); ++i) sum += a[i];
    return sum;
}
at::Tensor dispatched(at::Tensor x) {
    auto y = at::empty_like(x);
    AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBool, x.scalar_type(), "dispatched", [&] {
        auto *from = x.data_ptr<scalar_t>();
        auto *to = y.data_ptr<scalar_t>();
        for (int64_t i = 0; i < x.numel(); ++i) to[i] = static_cast<scalar_t>(from[i] + static_cast<scalar_t>(1));
    });
    return y;
}
at::Tensor dispatched_by_type(at::Tensor x) {
    auto y = torch::zeros_like(x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "dispatched_by_type", ([&] { y.data_ptr<scalar_t>()[0] = scalar_t(3); }));
    return y;
}
at::Tensor parallel(at::Tensor x) {
    auto y = at::zeros({x.numel()}, x.options());
    auto *from = x.data_ptr<float>();
    auto *to = y.data_ptr<float>();
    at::parallel_for(0, x.numel(), 10, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] = 2 * from[i];
    });
    return y;
}
int64_t reduced(int64_t n) {
    return at::parallel_reduce(
        int64_t(0), n, int64_t(100), int64_t(0),
        [](int64_t begin, int64_t end, int64_t sum) {
            for (int64_t i = begin; i < end; ++i) sum += i;
            return sum;
        },
        [](int64_t a, int64_t b) { return a + b; });
}
double parallel_operators(int64_t n) {
    std::vector<double> sums(n);
    at::parallel_for(0, n, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) sums[i] = at::ones({i + 1}, at::kDouble).sum().item<double>();
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}
void parallel_error(int64_t n) {
    at::parallel_for(0, n, 1, [](int64_t begin, int64_t) { TORCH_CHECK(begin < 0, "in a thread"); });
}
at::Tensor of_values() {
    float values[6] = {0, 1, 2, 3, 4, 5};
    return torch::from_blob(values, {2, 3}, torch::kFloat32).clone();
}
at::Tensor of_values_by_strides() {
    int64_t values[6] = {0, 1, 2, 3, 4, 5};
    return torch::from_blob(values, {3, 2}, {1, 3}, torch::TensorOptions().dtype(torch::kInt64)).clone();
}
at::Tensor of_vector() {
    auto *values = new std::vector<double>{1, 2, 3};
    return torch::from_blob(values->data(), {3}, [values](void *) { delete values; }, torch::kFloat64);
}
std::vector<at::Tensor> literals() {
    return {torch::tensor({1, 2, 3}), torch::tensor({1.5, 2.5}), torch::tensor(7), torch::tensor(std::vector<int64_t>{4, 5}),
            torch::tensor({true, false}), torch::tensor({1.0, 2.0}, torch::kFloat64), at::tensor({1.5, 2.5}),
            torch::tensor(std::vector<float>{1, 2}, torch::requires_grad())};
}

// ---- options
std::vector<at::Tensor> factories(at::Tensor like) {
    auto options = torch::TensorOptions().dtype(torch::kFloat64).device(torch::kCPU).requires_grad(true);
    return {torch::zeros({2, 2}, options), torch::ones({2}, like.options()), torch::full({2}, 3, torch::kInt64),
            torch::arange(4, like.options()), torch::empty({0, 3}, at::kBool), torch::zeros_like(like, at::kDouble),
            torch::eye(2), like.new_zeros({3}), torch::linspace(0, 1, 3), at::scalar_tensor(2.5)};
}
std::vector<at::Tensor> conversions(at::Tensor x) {
    return {x.to(torch::kFloat64), x.to(at::kCPU), x.to(x.options().dtype(at::kInt)), x.toType(at::kLong), x.contiguous(), x.cpu(),
            x.detach(), x.clone(), x.to(x.device(), at::kHalf)};
}

// ---- operators
std::vector<at::Tensor> arithmetic(at::Tensor a, at::Tensor b) {
    auto c = a.clone();
    c += b;
    c *= 2;
    c -= 1;
    c /= b;
    return {a + b, a - b, a * b, a / b, a + 1, 1 + a, 1 - a, 2 * a, 2 / (a + 10), -a, a % 2, c, a == b, a != b, a < b, a > 1, 1 > a,
            a >= b, a <= b, (a > 1) & (b > 1), (a > 1) | (b > 1), (a > 1) ^ (b > 1), ~(a > 1)};
}
std::vector<at::Tensor> functions(at::Tensor x) {
    auto pair = x.max(1);
    auto [values, order] = torch::sort(x, 1, true);
    return {torch::sigmoid(x), x.tanh(), at::elu(x, 1.0), torch::cat({x, x}, 1), torch::stack({x, x}), at::addmm(x, x, x.t()),
            x.sum(), x.sum(1), x.sum({0, 1}, true), x.mean(0), std::get<0>(pair), std::get<1>(pair), values, order, x.view({-1}),
            x.reshape({3, 3}), x.transpose(0, 1), x.t(), x.permute({1, 0}), x.unsqueeze(0), x.squeeze(), x.expand({3, 3}),
            x.narrow(0, 0, 2), x.slice(1, 1, 3), x.select(0, 1), x.index_select(0, torch::tensor({0, 2})), x.gather(1, order),
            torch::where(x > 0, x, torch::zeros_like(x)), torch::matmul(x, x), x.mm(x), torch::clamp(x, 0, 1), x.norm(), x.std(0),
            torch::softmax(x, 1), x.argmax(1), x.cumsum(0), x.pow(2), at::div(x, 2, "floor"), torch::nonzero(x > 0), x.fill_diagonal_(1)};
}
std::vector<at::Tensor> splits(at::Tensor x) {
    auto all = x.chunk(3, 0);
    for (auto &each : x.split(2, 1)) all.push_back(each);
    for (auto &each : x.unbind(0)) all.push_back(each);
    return all;
}
std::vector<at::Tensor> in_place(at::Tensor x) {
    auto out = at::empty_like(x);
    at::add_out(out, x, x, 2);
    auto y = x.clone();
    y.zero_();
    y[0] = 5;
    y.select(1, 1) = x.select(1, 0);
    y.index_put_({torch::tensor({2})}, 9);
    auto z = at::zeros_like(x).copy_(x).add_(1).mul_(x).clamp_min_(0);
    return {out, y, z};
}
std::tuple<double, int64_t, bool, float> items(at::Tensor x) {
    return {x[0][0].item<double>(), x.sum().item().toLong(), (x > 0).any().item<bool>(), x.max().item<float>()};
}
std::vector<at::Tensor> indexed(at::Tensor x, at::Tensor mask) {
    return {x[0], x[1][2], x.index({0}), x.index({Slice(), 1}), x.index({Slice(0, 2), Slice(None, None, 2)}), x.index({Ellipsis, 0}),
            x.index({"...", 1}), x.index({None, 0}), x.index({mask}), x.index({torch::tensor({0, 2})}),
            x.index({torch::tensor({0, 2}), torch::tensor({1, 1})}), x.index({Slice(1, None), torch::tensor({0, 1})}), x.index({mask[0]}),
            x.index({true})};
}
at::Tensor index_written(at::Tensor x) {
    x = x.clone();
    x.index_put_({Slice(0, 1)}, 7);
    x.index_put_({torch::tensor({1}), Slice()}, torch::ones({3}, x.options()));
    x.index_put_({2, 2}, torch::tensor(5));
    return x;
}

// ---- gradients and modes
at::Tensor without_grad(at::Tensor x) {
    torch::NoGradGuard guard;
    return x * 2;
}
std::tuple<bool, at::Tensor> grad_of(at::Tensor x) {
    auto y = (x * x).sum();
    y.backward();
    return {x.is_leaf(), x.grad()};
}
std::vector<bool> modes() {
    std::vector<bool> seen{at::GradMode::is_enabled()};
    {
        at::AutoGradMode guard(false);
        seen.push_back(at::GradMode::is_enabled());
        c10::InferenceMode inference;
        seen.push_back(c10::InferenceMode::is_enabled());
    }
    seen.push_back(c10::InferenceMode::is_enabled());
    return seen;
}

// ---- errors
void check(int64_t n) { TORCH_CHECK(n > 0, "n: expected more than 0, got ", n); }
void check_without_words(int64_t n) { TORCH_CHECK(n > 0) }  // no semicolon, as some projects write it
void check_index(int64_t n) { TORCH_CHECK_INDEX(n > 0, "index ", n); }
void check_value(int64_t n) { TORCH_CHECK_VALUE(n > 0, "value ", n); }
void check_type(int64_t n) { TORCH_CHECK_TYPE(n > 0, "type ", n); }
at::Tensor wrong_shapes(at::Tensor a, at::Tensor b) { return a.mm(b); }
at::Tensor wrong_dimension(at::Tensor x) { return x.sum(7); }
int64_t wrong_size(at::Tensor x) { return x.size(9); }
void standard(int64_t n) {
    if (n == 0) throw std::out_of_range("range");
    if (n == 1) throw std::invalid_argument("argument");
    throw std::runtime_error("runtime");
}
std::string caught(at::Tensor a, at::Tensor b) {
    try {
        a.mm(b);
    } catch (const std::exception &) {
        return "caught";
    }
    return "none";
}

// ---- types of Python
at::ScalarType type_of(at::ScalarType type) { return type; }
std::string device_text(at::Device device) { return device.str(); }
at::Scalar scalar(at::Scalar value) { return value; }
double scalar_double(const at::Scalar &value) { return value.toDouble(); }
int64_t sum_list(at::IntArrayRef list) { return std::accumulate(list.begin(), list.end(), int64_t(0)); }
at::Tensor sum_tensors(std::vector<at::Tensor> list) {
    auto sum = list.at(0);
    for (size_t i = 1; i < list.size(); ++i) sum = sum + list[i];
    return sum;
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
#define DEF(name) m.def(#name, &name)
    DEF(sizes); DEF(strides); DEF(numbers); DEF(last); DEF(words); DEF(flags); DEF(identity); DEF(undefined); DEF(is_defined);
    m.def("first_float", &first<float>);
    m.def("first_long", &first<int64_t>);
    DEF(sum_by_accessor); DEF(sum_by_packed_accessor); DEF(dispatched); DEF(dispatched_by_type); DEF(parallel); DEF(reduced);
    DEF(parallel_operators); DEF(parallel_error); DEF(of_values); DEF(of_values_by_strides); DEF(of_vector); DEF(literals); DEF(factories); DEF(conversions);
    DEF(arithmetic); DEF(functions); DEF(splits); DEF(in_place); DEF(items); DEF(indexed); DEF(index_written); DEF(without_grad);
    DEF(grad_of); DEF(modes); DEF(check); DEF(check_without_words); DEF(check_index); DEF(check_value); DEF(check_type);
    DEF(wrong_shapes); DEF(wrong_dimension); DEF(wrong_size); DEF(standard); DEF(caught); DEF(type_of); DEF(device_text); DEF(scalar);
    DEF(scalar_double); DEF(sum_list); DEF(sum_tensors);
}
