// portable/runtime/pytorch/generator.cpp: at::Generator by Python's torch.Generator.
#include <portable/generator.h>
#include <portable/python/tensors.h>

#include <random>

namespace torchthaw {

void retain_object(void *object) {
    pybind11::gil_scoped_acquire gil;
    Py_INCREF(static_cast<PyObject *>(object));
}
void release_object(void *object) noexcept {
    if (!Py_IsInitialized()) return;
    pybind11::gil_scoped_acquire gil;
    Py_DECREF(static_cast<PyObject *>(object));
}

}  // namespace torchthaw

namespace at {
namespace {

using pybind11::gil_scoped_acquire;
using pybind11::handle;
using pybind11::object;
using pybind11::detail::owned;

handle in_python(const Generator &generator) {
    TORCH_CHECK(generator.defined(), "Expected a defined generator, got an undefined one");
    return static_cast<PyObject *>(generator.python());
}
object torch() {
    if (!torchthaw::start()) throw pybind11::error_already_set();
    return owned(PyImport_ImportModule("torch"));
}

}  // namespace

Device Generator::device() const {
    gil_scoped_acquire gil;
    return in_python(*this).attr("device").cast<Device>();
}
uint64_t Generator::current_seed() const {
    gil_scoped_acquire gil;
    return in_python(*this).attr("initial_seed")().cast<uint64_t>();
}
void Generator::set_current_seed(uint64_t seed) {
    gil_scoped_acquire gil;
    in_python(*this).attr("manual_seed")(seed);
}
uint64_t Generator::seed() {
    gil_scoped_acquire gil;
    return in_python(*this).attr("seed")().cast<uint64_t>();
}
Tensor Generator::get_state() const {
    gil_scoped_acquire gil;
    return in_python(*this).attr("get_state")().cast<Tensor>();
}
void Generator::set_state(const Tensor &state) {
    gil_scoped_acquire gil;
    in_python(*this).attr("set_state")(state);
}
Generator Generator::clone() const {
    gil_scoped_acquire gil;
    object made = torch().attr("Generator")(device().str());
    made.attr("set_state")(get_state());
    return take(made.release().ptr());
}
std::mutex &Generator::mutex() const {
    static std::mutex one;
    return one;
}

/// An integer that a new tensor of this type gets from Tensor.random_(arguments …).
template <class... Arguments>
static int64_t drawn(const Generator &generator, ScalarType type, Arguments... arguments) {
    object made = torch().attr("empty")(1, pybind11::arg("dtype") = type);
    made.attr("random_")(arguments..., pybind11::arg("generator") = in_python(generator));
    return made.attr("item")().template cast<int64_t>();
}

// PyTorch's numbers are those of the Mersenne Twister, of the lower 32 bits of a seed.
struct CPUGeneratorImpl::Own {
    uint64_t seed;
    std::mt19937 numbers{static_cast<uint32_t>(seed)};
};

CPUGeneratorImpl::CPUGeneratorImpl(uint64_t seed) : own_(new Own{seed}) {}
CPUGeneratorImpl::CPUGeneratorImpl(Generator generator) : generator_(std::move(generator)) {}
CPUGeneratorImpl::~CPUGeneratorImpl() = default;

uint64_t CPUGeneratorImpl::random64() {
    if (own_) {
        const uint64_t high = own_->numbers();
        return high << 32 | own_->numbers();
    }
    gil_scoped_acquire gil;
    return static_cast<uint64_t>(drawn(generator_, kLong, std::numeric_limits<int64_t>::min(), pybind11::none()));
}
uint32_t CPUGeneratorImpl::random() {
    if (own_) return static_cast<uint32_t>(own_->numbers());
    // Python has no call that tells all 32 bits: one tells 31 of them, and the rest of a division by 3 the last one.
    gil_scoped_acquire gil;
    const Tensor state = generator_.get_state();
    const uint32_t low = drawn(generator_, kInt);
    generator_.set_state(state);
    return low % 3 == drawn(generator_, kInt, 0, 3) ? low : low | 1u << 31;
}
void CPUGeneratorImpl::set_current_seed(uint64_t seed) {
    if (own_)
        *own_ = Own{seed};
    else
        generator_.set_current_seed(seed);
}
uint64_t CPUGeneratorImpl::current_seed() const { return own_ ? own_->seed : generator_.current_seed(); }

namespace detail {

const Generator &getDefaultCPUGenerator() {
    static const Generator *kept = [] {
        gil_scoped_acquire gil;
        return new Generator(Generator::take(pybind11::getattr(torch(), "default_generator").release().ptr()));
    }();
    return *kept;
}

Generator createCPUGenerator(uint64_t seed) {
    gil_scoped_acquire gil;
    Generator made = Generator::take(torch().attr("Generator")().release().ptr());
    made.set_current_seed(seed);
    return made;
}

}  // namespace detail
}  // namespace at
