// cuda_on_cpu/execution.h: launches, shared memory and barriers, as translate.py writes them.
#pragma once

#include <cuda_on_cpu/runtime.h>

#include <tuple>
#include <type_traits>
#include <utility>

constexpr int warpSize = 32;

namespace cuda_on_cpu {

// Each file of an object says its number when it is loaded; a weak function would say that of the first file.
[[gnu::constructor]] static void say_interface() {
    expect_interface(interface, reinterpret_cast<const void *>(&say_interface));
}

// The dynamic shared memory that is declared outside of functions: a pointer, which each use asks for.
template <typename T> struct DynamicShared {
    const char *name;
    Place place;
    T *get() const { return static_cast<T *>(dynamic_shared(name, place)); }
    operator T *() const { return get(); }
    template <typename U> explicit operator U *() const { return reinterpret_cast<U *>(get()); }
};

// What cudaLaunchKernelEx is given. It is converted where that is called, which is the launch's place.
struct Configuration : Shape {
    Configuration(const cudaLaunchConfig_t *config, const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : Shape(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream, file, line) {
        for (unsigned i = 0; i < config->numAttrs; i++)
            if (config->attrs[i].id == cudaLaunchAttributeCooperative) together = config->attrs[i].val.cooperative;
    }
};

// The argument 0, which is a null pointer for a kernel that takes one.
struct Zero {
    template <typename T, typename = std::enable_if_t<std::is_pointer_v<T> || std::is_arithmetic_v<T>>>
    operator T() const {
        return T();
    }
};

// An argument such as {a, b}, which has the type of the kernel's parameter. `make` is called for each thread.
template <typename T> struct Type {
    using type = T;
};
template <typename Make> struct Braces {
    Make make;
    explicit Braces(Make make) : make(make) {}
    template <typename T> operator T() const { return make(Type<T>()); }
};

// A kernel with its arguments, which are evaluated once; each thread gets copies.
template <typename Kernel, typename... Arguments> struct Closure {
    Kernel &kernel;
    std::tuple<Arguments...> arguments;

    static void run(void *self) {
        auto &closure = *static_cast<Closure *>(self);
        while (next_thread()) std::apply(closure.kernel, closure.arguments);
    }
};

template <typename T> const void *pointer_of(const T &value) {
    if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>) return value;
    else return nullptr;
}

template <typename Kernel, typename... Arguments>
cudaError_t launch(const char *name, const char *texts, Kernel kernel, const Shape &shape, Arguments... arguments) {
    const void *const pointers[] = {pointer_of(arguments)..., nullptr};
    Closure<Kernel, Arguments...> closure{kernel, {arguments...}};
    return launch(Launch{name, shape.place, shape.grid, shape.block, shape.shared, shape.stream,
                         &Closure<Kernel, Arguments...>::run, &closure, texts, pointers, sizeof...(Arguments), shape.together,
                         std::is_empty_v<Kernel> ? sizeof closure : 0});
}

// __launch_bounds__, as translate.py writes it; what else it says is for the compiler of a card.
template <typename... Rest> void limit_threads(unsigned most, Rest...) {
    if (__builtin_expect(blockDim.x * blockDim.y * blockDim.z > most, 0)) too_many_threads(most);
}

}  // namespace cuda_on_cpu

inline void __syncthreads(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    cuda_on_cpu::wait_for_block(0, {file, line});
}
inline int __syncthreads_count(int predicate, const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    return cuda_on_cpu::wait_for_block(predicate != 0, {file, line}).sum;
}
inline int __syncthreads_or(int predicate, const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    return cuda_on_cpu::wait_for_block(predicate != 0, {file, line}).sum != 0;
}
inline int __syncthreads_and(int predicate, const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    const cuda_on_cpu::Votes votes = cuda_on_cpu::wait_for_block(predicate != 0, {file, line});
    return votes.sum == votes.threads;
}
namespace cuda_on_cpu {
inline void fence() {
    may_wait();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
}  // namespace cuda_on_cpu
inline void __threadfence() { cuda_on_cpu::fence(); }
inline void __threadfence_block() { cuda_on_cpu::fence(); }
inline void __threadfence_system() { cuda_on_cpu::fence(); }
[[noreturn]] inline void __trap(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    cuda_on_cpu::trap({file, line});
}
inline void __brkpt() {}
inline void __nanosleep(unsigned) { cuda_on_cpu::let_others_run(); }

// Launches by function instead of <<<>>>.
template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cuda_on_cpu::Configuration &config, void (*kernel)(Parameters...),
                               Arguments &&...arguments) {
    return cuda_on_cpu::launch(
        "of cudaLaunchKernelEx", "", [kernel](Parameters &...values) { kernel(values...); }, config,
        static_cast<Parameters>(std::forward<Arguments>(arguments))...);
}
namespace cuda_on_cpu {
template <typename... Parameters, size_t... I>
cudaError_t launch_packed(void (*kernel)(Parameters...), const Shape &shape, void **arguments, std::index_sequence<I...>) {
    return launch("of cudaLaunchKernel", "", [kernel](Parameters &...values) { kernel(values...); }, shape,
                  *static_cast<std::remove_cv_t<Parameters> *>(arguments[I])...);
}
template <typename... Parameters> cudaError_t unpack(const void *kernel, const Shape &shape, void **arguments) {
    using Kernel = void (*)(Parameters...);
    return launch_packed(reinterpret_cast<Kernel>(const_cast<void *>(kernel)), shape, arguments,
                         std::index_sequence_for<Parameters...>());
}
// (void *)kernel, as translate.py writes it: the address alone does not say the parameters.
template <typename... Parameters> void *address_of_kernel(void (*kernel)(Parameters...)) {
    void *const address = reinterpret_cast<void *>(kernel);
    know_kernel(address, &unpack<Parameters...>);
    return address;
}
// Another thing with the name of a kernel.
template <typename T, typename = std::enable_if_t<!std::is_function_v<std::remove_pointer_t<T>>>>
void *address_of_kernel(const T &value) {
    return (void *)value;
}
}  // namespace cuda_on_cpu
template <typename... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                             cudaStream_t stream = nullptr, const char *file = __builtin_FILE(),
                             int line = __builtin_LINE()) {
    return cuda_on_cpu::launch_packed(kernel, cuda_on_cpu::Shape(grid, block, shared, stream, file, line), arguments,
                                      std::index_sequence_for<Parameters...>());
}
template <typename... Parameters>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void **arguments,
                                        size_t shared = 0, cudaStream_t stream = nullptr,
                                        const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    cuda_on_cpu::Shape shape(grid, block, shared, stream, file, line);
    shape.together = true;
    return cuda_on_cpu::launch_packed(kernel, shape, arguments, std::index_sequence_for<Parameters...>());
}
