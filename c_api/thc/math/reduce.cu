// c_api/thc/math/reduce.cu: sums over all elements: one number per block, which the host adds up.
#include "thc/runtime/grid.cuh"

#include "th/runtime/memory.h"

#include <THC/THCReduceApplyUtils.cuh>
#include <THC/THCScanUtils.cuh>

namespace th {
namespace {

constexpr int most_blocks = 512;

template <typename T, typename Sum, typename Map>
__global__ void __launch_bounds__(block_size) sum_of_block(int64_t n, const Elements<T> in, const Map map, Sum *sums) {
    __shared__ Sum shared[block_size];
    Sum sum = 0;
    const int64_t step = int64_t(gridDim.x) * block_size;
    for (int64_t i = int64_t(blockIdx.x) * block_size + threadIdx.x; i < n; i += step) sum += map(in[i]);
    sum = reduceBlock(shared, block_size, sum, AddOp<Sum>(), Sum(0));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

template <typename Sum, typename T, typename Map> Sum sum_of(int64_t n, const Elements<T> &in, const Map &map) {
    if (n <= 0) return 0;
    const unsigned blocks = std::min<unsigned>(blocks_for(n), most_blocks);
    DeviceBuffer sums(blocks * sizeof(Sum));
    launch_kernel(sum_of_block<T, Sum, Map>, blocks, n, in, map, sums.get<Sum>());
    Buffer<Sum> host(blocks);
    download(host.get(), sums.get<Sum>(), blocks * sizeof(Sum));
    using Total = typename std::conditional<is_float<Sum>, double, uint64_t>::type;  // integers wrap
    Total total = 0;
    for (unsigned block = 0; block < blocks; block++) total += Total(host[block]);
    return Sum(total);
}

}  // namespace

template <typename T> CudaAccumulate<T> launch_sum(const Elements<T> &in, int64_t n) {
    return sum_of<CudaAccumulate<T>>(n, in, Value<T, CudaAccumulate<T>>{});
}

template <typename T> CudaAccumulate<T> launch_power_sum(const Elements<T> &in, int64_t n, CudaAccumulate<T> p) {
    return sum_of<CudaAccumulate<T>>(n, in, Power<T, CudaAccumulate<T>>{p});
}

#define THC_INSTANTIATE(CReal, Real, real, accreal) template accreal launch_sum(const Elements<real> &, int64_t);
THC_EVERY_TYPE(THC_INSTANTIATE)
template float launch_power_sum(const Elements<half> &, int64_t, float);
template float launch_power_sum(const Elements<float> &, int64_t, float);
template double launch_power_sum(const Elements<double> &, int64_t, double);

}  // namespace th
