// tests/portable/library.cpp: TORCH_LIBRARY and its kin; compiled by torchthaw and by PyTorch.
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/extension.h>
#include <torch/library.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

at::Tensor add(const at::Tensor &x, const at::Tensor &y, int64_t times) { return x + y * times; }
at::Tensor like(const at::Tensor &x, const at::Tensor &, int64_t) { return at::empty_like(x); }
std::tuple<at::Tensor, int64_t, std::string> all_kinds(
    const std::optional<at::Tensor> &x, std::vector<at::Tensor> list, at::IntArrayRef sizes, double factor, bool flag, std::string text,
    std::optional<int64_t> n, const at::Scalar &number, std::optional<at::ScalarType> type) {
    auto sum = list.at(0) * factor + number;
    if (x) sum = sum + *x;
    if (type) sum = sum.to(*type);
    return {flag ? sum : sum.neg(), std::accumulate(sizes.begin(), sizes.end(), n.value_or(100)), text + "!"};
}
at::Tensor &scale_(at::Tensor &x, double factor) { return x.mul_(factor); }
void nothing(at::Tensor x) { x.add_(1); }
std::vector<at::Tensor> halves(const at::Tensor &x) { return x.chunk(2); }
at::Tensor inferred(at::Tensor x, int64_t n, double d, bool b) { return b ? x * n + d : x; }
std::string joined(std::vector<std::tuple<std::string, int64_t>> pairs, std::array<int64_t, 2> two) {
    std::ostringstream text;
    for (const auto &[word, number] : pairs) text << word << number + two[0] * two[1];
    return text.str();
}
at::Tensor failing(const at::Tensor &x) { TORCH_CHECK_INDEX(x.numel() == 0, "expected none, got ", x.numel()); return x; }
/// Whether another thread is in here at the same time; it is waited for.
bool meets(const at::Tensor &) {
    static std::atomic<int> inside{0};
    ++inside;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (inside < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return inside >= 2;
}

// Kernels of the key Autograd that call the operator again, which must reach that of CPU.
at::Tensor below(const at::Tensor &x) { return x * 5; }
template <class Guard>
at::Tensor below_autograd(const at::Tensor &x) {
    Guard guard;
    static const auto op = torch::Dispatcher::singleton().findSchemaOrThrow("portable_test::below", "").typed<at::Tensor(const at::Tensor &)>();
    return op.call(x) + 1;
}

}  // namespace

TORCH_LIBRARY(portable_test, m) {
    m.def("add(Tensor x, Tensor y, *, int times=2) -> Tensor");
    m.def("all_kinds(Tensor? x, Tensor[] list, int[] sizes, float factor=1.5, bool flag=True, str text=\"a\", int? n=None, *, "
          "Scalar number=1, ScalarType? type=None) -> (Tensor, int, str)", &all_kinds);
    m.def("scale_(Tensor(a!) x, float factor) -> Tensor(a!)");
    m.def("nothing(Tensor(a!) x) -> ()", &nothing);
    m.def("halves(Tensor x) -> Tensor[]", halves);
    m.def("inferred", &inferred);
    m.def("joined", &joined);
    m.def("failing(Tensor x) -> Tensor", torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN(failing)));
    m.def("meets(Tensor x) -> bool", &meets);
    m.def("below(Tensor x) -> Tensor");
    m.def("below_views(Tensor x) -> Tensor", torch::dispatch(c10::DispatchKey::CompositeImplicitAutograd, below_autograd<at::AutoDispatchBelowADInplaceOrView>));
    m.def("doubled(Tensor x) -> Tensor", [](const at::Tensor &x) { return x * 2; });
}
TORCH_LIBRARY_IMPL(portable_test, CPU, m) {
    m.impl("add", &add);
    m.impl("scale_", TORCH_FN(scale_));
    m.impl("below", &below);
}
TORCH_LIBRARY_IMPL(portable_test, Autograd, m) { m.impl("below", &below_autograd<at::AutoDispatchBelowAutograd>); }
TORCH_LIBRARY_IMPL(portable_test, Meta, m) { m.impl("add", &like); }
TORCH_LIBRARY_FRAGMENT(portable_test, m) { m.def("tripled(Tensor x) -> Tensor", [](at::Tensor x) { return x * 3; }); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}
