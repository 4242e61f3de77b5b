// portable/generator.h: at::Generator, a source of random numbers: an object of Python's torch.Generator.
#pragma once
#include "core/options.h"

namespace torchthaw {
// References to an object of Python, which take the GIL.
void retain_object(void *object);
void release_object(void *object) noexcept;
}  // namespace torchthaw

namespace at {

/// PyTorch's default one where it is undefined. One pointer, as PyTorch's: operators are called by their C++ names without one.
class TORCHTHAW_PUBLIC Generator {
  public:
    Generator() = default;
    Generator(const Generator &other) : python_(other.python_) {
        if (python_) torchthaw::retain_object(python_);
    }
    Generator(Generator &&other) noexcept : python_(std::exchange(other.python_, nullptr)) {}
    Generator &operator=(Generator other) noexcept {
        std::swap(python_, other.python_);
        return *this;
    }
    ~Generator() {
        if (python_) torchthaw::release_object(python_);
    }
    /// Takes over a reference to a torch.Generator.
    static Generator take(void *python) {
        Generator taken;
        taken.python_ = python;
        return taken;
    }

    bool defined() const { return python_; }
    void *python() const { return python_; }
    // Each is c10::Error for an undefined one.
    Device device() const;
    uint64_t current_seed() const;
    void set_current_seed(uint64_t seed);
    uint64_t seed();
    Tensor get_state() const;
    void set_state(const Tensor &state);
    Generator clone() const;
    /// For those who lock it; it is one mutex for all.
    std::mutex &mutex() const;
    bool operator==(const Generator &other) const { return python_ == other.python_; }
    bool operator!=(const Generator &other) const { return !(*this == other); }
    /// Valid until this thread has asked so for 64 others.
    template <class T> T *get() const {
        static thread_local std::list<T> kept;
        for (T &each : kept)
            if (each.is_of(*this)) return &each;
        if (kept.size() == 64) kept.pop_front();
        return &kept.emplace_back(*this);
    }

  private:
    void *python_ = nullptr;
};
static_assert(sizeof(Generator) == sizeof(void *), "operators take an absent one by name");

/// The seed of a generator for which none is given.
constexpr uint64_t default_rng_seed_val = 67280421310721;

/// Numbers of the CPU for loops of C++, those that PyTorch draws: of a generator of Python, or of an own one with a seed.
class CPUGeneratorImpl {
  public:
    explicit CPUGeneratorImpl(uint64_t seed = default_rng_seed_val);
    explicit CPUGeneratorImpl(Generator generator);
    ~CPUGeneratorImpl();
    CPUGeneratorImpl(const CPUGeneratorImpl &) = delete;
    CPUGeneratorImpl &operator=(const CPUGeneratorImpl &) = delete;
    static DeviceType device_type() { return kCPU; }
    std::mutex &mutex_ = Generator().mutex();
    bool is_of(const Generator &generator) const { return generator_ == generator; }
    /// The next 64 random bits, and the next 32.
    uint64_t random64();
    uint32_t random();
    void set_current_seed(uint64_t seed);
    uint64_t current_seed() const;

  private:
    struct Own;
    Generator generator_;
    std::unique_ptr<Own> own_;  // null for a generator of Python
};

namespace detail {
/// torch.default_generator
const Generator &getDefaultCPUGenerator();
Generator createCPUGenerator(uint64_t seed = default_rng_seed_val);
}  // namespace detail

template <class T> Generator make_generator(uint64_t seed = default_rng_seed_val) {
    static_assert(std::is_same_v<T, CPUGeneratorImpl>, "make_generator: only CPUGeneratorImpl is served");
    return detail::createCPUGenerator(seed);
}
template <class T> T *check_generator(const std::optional<Generator> &generator) {
    TORCH_CHECK(generator && generator->defined(), "Expected Generator but received nullopt");
    TORCH_CHECK(generator->device().type() == T::device_type(), "Expected a '", T::device_type(), "' device type for generator but found '", generator->device().type(), "'");
    return generator->get<T>();
}
template <class T> T *get_generator_or_default(const std::optional<Generator> &generator, const Generator &or_else) {
    return generator && generator->defined() ? check_generator<T>(generator) : check_generator<T>(or_else);
}

}  // namespace at
