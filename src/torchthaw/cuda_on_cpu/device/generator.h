/* generator.h: random numbers of the device, which a generator for the CPU draws. */
#pragma once

#include <ATen/core/Generator.h>

namespace cuda_on_cpu {

/* The default generator of `cuda:0`, which torch.cuda.manual_seed seeds. */
const at::Generator &default_generator();

at::Generator new_generator();

/* Whether PyTorch gets the default generator in this thread when it asks for a new one: so Python gets an object of it. */
extern thread_local bool gives_default_generator;

/* The generator of CUDA that an operator got, or the default one. Throws for one of the CPU. */
inline const at::Generator &of_cuda(const std::optional<at::Generator> &given) {
    if (!given.has_value() || !given->defined()) return default_generator();
    TORCH_CHECK(given->device().is_cuda(), "Expected a 'cuda' device type for generator but found '",
                given->device().type(), "'");
    return *given;
}

/* The generator that kernels of the CPU get in place of one of CUDA, or of none. Throws for one of the CPU. */
at::Generator generator_on_cpu(const std::optional<at::Generator> &given);

}  // namespace cuda_on_cpu
