// tests/portable/names.cpp: names beside tensors: functional, words, ranges, logs, memory; compiled by torchthaw and by PyTorch.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/DLConvertor.h>
#include <ATen/Dispatch_v2.h>
#include <ATen/ceil_div.h>
#include <ATen/div_rtn.h>
#include <ATen/ops/add.h>
#include <ATen/ops/zeros_like.h>
#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Logging.h>
#include <c10/util/irange.h>
#include <torch/extension.h>

#include <condition_variable>

namespace F = torch::nn::functional;

namespace {

std::vector<at::Tensor> padded(at::Tensor x) {
    return {F::pad(x, F::PadFuncOptions({1, 2}).mode(torch::kConstant).value(5)), F::pad(x, F::PadFuncOptions({1, 1}).mode(torch::kReflect)),
            F::pad(x, F::PadFuncOptions({0, 2}).mode(torch::kReplicate))};
}
std::vector<at::Tensor> activations(at::Tensor x) {
    return {F::relu(x), F::softmax(x, F::SoftmaxFuncOptions(1)), F::softmax(x, 0), F::log_softmax(x, 1), F::elu(x, F::ELUFuncOptions().alpha(0.5)),
            F::leaky_relu(x, F::LeakyReLUFuncOptions().negative_slope(0.25)), F::silu(x), F::gelu(x), F::softplus(x), F::logsigmoid(x)};
}
std::vector<at::Tensor> images(at::Tensor x, at::Tensor weight) {
    return {F::interpolate(x, F::InterpolateFuncOptions().size(std::vector<int64_t>{3, 3}).mode(torch::kBilinear).align_corners(false)),
            F::max_pool2d(x, F::MaxPool2dFuncOptions(2)), F::avg_pool2d(x, F::AvgPool2dFuncOptions({2, 2}).stride({1, 1})),
            F::conv2d(x, weight, F::Conv2dFuncOptions().padding(1)), F::normalize(x, F::NormalizeFuncOptions().p(2).dim(1)),
            F::unfold(x, F::UnfoldFuncOptions({2, 2}))};
}
std::vector<at::Tensor> losses(at::Tensor x, at::Tensor y) {
    return {F::mse_loss(x, y), F::mse_loss(x, y, F::MSELossFuncOptions(torch::kSum)), F::l1_loss(x, y, F::L1LossFuncOptions().reduction(torch::kNone)),
            F::cross_entropy(x, torch::tensor({1, 0, 1, 1})), F::cosine_similarity(x, y, F::CosineSimilarityFuncOptions().dim(0)),
            F::linear(x, y), F::one_hot(torch::tensor({1, 0, 2}))};
}
at::Tensor wrong_pad(at::Tensor x) { return F::pad(x, F::PadFuncOptions({9, 9}).mode(torch::kReflect)); }

std::vector<int64_t> ranges() {
    std::vector<int64_t> seen;
    for (const auto i : c10::irange(3)) seen.push_back(i);
    for (const auto i : c10::irange(2, 5)) seen.push_back(i);
    for (const auto i : c10::irange(int64_t(0))) seen.push_back(i);
    for (const auto i : c10::irange(-2)) seen.push_back(i);
    const std::vector<int> values{7, 8};
    for (const auto i : c10::irange(values.size())) seen.push_back(values[i]);
    return seen;
}

// ---- logs and checks of glog
int64_t logged(int64_t n) {
    RECORD_FUNCTION("logged", std::vector<c10::IValue>());
    LOG(INFO) << "not shown " << n;
    LOG_IF(INFO, n > 100) << "not shown either";
    VLOG(2) << "nor this";
    if (n < 0) n = -n;
    CHECK(n >= 0) << "n is " << n;
#ifdef CHECK_EQ  // a newer PyTorch has none
    CHECK_EQ(n, n) << "same";
    CHECK_LT(n, 1000);
#endif
    DCHECK(n >= 0) << "n is " << n;
    return n;
}

// ---- types
std::string by_types(at::Tensor x) {
    std::string found;
    AT_DISPATCH_V2(x.scalar_type(), "by_types", AT_WRAP([&] { found = std::to_string(sizeof(scalar_t)); }), AT_EXPAND(AT_FLOATING_TYPES), at::kHalf,
                   at::kLong);
    return found;
}

// ---- memory
std::vector<double> allocated() {
    c10::DataPtr memory = c10::GetCPUAllocator()->allocate(4 * sizeof(double));
    auto *values = static_cast<double *>(memory.get());
    for (const auto i : c10::irange(4)) values[i] = i * 1.5;
    const c10::DataPtr moved = std::move(memory);
    values = static_cast<double *>(moved.get());
    return {values[0], values[3], double(moved.device().is_cpu()), double(static_cast<bool>(moved))};
}
std::vector<int64_t> rounded(int64_t a, int64_t b) { return {div_rtn<int64_t>(a, b), at::ceil_div<int64_t>(a, b)}; }
std::vector<at::Tensor> by_dlpack(at::Tensor x) {
    auto *managed = at::toDLPack(x);
    TORCH_CHECK(managed->dl_tensor.ndim == x.dim() && managed->dl_tensor.data == x.data_ptr(), "another tensor");
    auto same = at::fromDLPack(managed);
    same.add_(1);
    return {same, x};
}

// ---- random numbers
std::vector<at::Tensor> drawn(std::optional<at::Generator> generator) {
    return {at::rand({2}, generator), torch::randint(0, 9, {3}, generator), torch::randperm(4, generator), at::zeros({2}).uniform_(0, 1, generator)};
}
std::vector<uint64_t> drawn_in_cpp(at::Generator generator) {
    auto *numbers = at::get_generator_or_default<at::CPUGeneratorImpl>(generator, at::detail::getDefaultCPUGenerator());
    const std::lock_guard<std::mutex> lock(numbers->mutex_);
    return {numbers->random64(), numbers->random64()};
}
std::tuple<uint64_t, bool, std::string> of_generator(at::Generator generator) {
    auto other = generator.clone();
    other.set_current_seed(7);
    auto made = at::make_generator<at::CPUGeneratorImpl>(11);
    return {other.current_seed() + made.current_seed(), at::Generator().defined(), generator.device().str()};
}
std::vector<uint64_t> drawn_halves(at::Generator generator) {
    auto *numbers = generator.get<at::CPUGeneratorImpl>();
    return {numbers->random(), numbers->random64(), numbers->random()};
}
std::vector<uint64_t> drawn_by_seed(uint64_t seed) {
    at::CPUGeneratorImpl first(seed), other;
    const std::vector<uint64_t> drawn{first.random(), first.random64(), other.random(), first.current_seed(), other.current_seed()};
    other.set_current_seed(seed);
    TORCH_CHECK(other.random() == drawn[0], "another seed");
    return drawn;
}
at::Generator same_generator(at::Generator generator) { return generator; }

// ---- threads and devices
int64_t launched() {
    std::mutex mutex;
    std::condition_variable changed;
    int64_t sum = 0;
    int64_t left = 3;
    for (const auto i : c10::irange(3)) {
        at::launch([&, i] {
            const std::lock_guard<std::mutex> lock(mutex);
            sum += i;
            if (--left == 0) changed.notify_one();
        });
    }
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return left == 0; });
    return sum;
}
bool devices() { return torch::cuda::is_available() == (torch::cuda::device_count() > 0) && at::get_num_interop_threads() > 0; }
at::Tensor by_ops(at::Tensor x) { return at::add(at::zeros_like(x), x, 2); }

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
#define DEF(name) m.def(#name, &name)
    DEF(padded); DEF(activations); DEF(images); DEF(losses); DEF(wrong_pad); DEF(ranges); DEF(logged); DEF(by_types); DEF(allocated);
    DEF(by_dlpack); DEF(launched); DEF(devices); DEF(by_ops); DEF(drawn); DEF(drawn_in_cpp); DEF(of_generator);
    DEF(same_generator); DEF(drawn_halves); DEF(drawn_by_seed); DEF(rounded);
}
