// cuda_on_cpu/thrust_policy.h: thrust::cuda::par, which old code names, as the policy of thrust's backend for C++.
#pragma once

#include <cuda_runtime_api.h>
#include <thrust/system/cpp/execution_policy.h>

#include <type_traits>

namespace thrust {
namespace cuda {

struct par_t : std::decay_t<decltype(thrust::cpp::par)> {
    const par_t &on(cudaStream_t) const { return *this; }
    // With an allocator for temporary memory, which the host's needs not.
    template <typename Allocator> const par_t &operator()(Allocator &&) const { return *this; }
};
static const par_t par, par_nosync;

}  // namespace cuda
}  // namespace thrust
