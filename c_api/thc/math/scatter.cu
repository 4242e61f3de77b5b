// c_api/thc/math/scatter.cu: additions to places that an index names, several of which may be one.
#include "thc/runtime/grid.cuh"

#include <THC/THCAtomics.cuh>

namespace th {
namespace {

template <typename T> struct ScatterAdd {
    ScatterPlace<T> target;
    Elements<int64_t> index;
    Elements<T> source;
    __device__ void operator()(int64_t i) const { atomicAdd(target(i, index[i]), source[i]); }
};

}  // namespace

template <typename T>
void launch_scatter_add(const ScatterPlace<T> &target, const Elements<int64_t> &index, const Elements<T> &source,
                        int64_t n) {
    launch(n, ScatterAdd<T>{target, index, source});
}

#define THC_INSTANTIATE(CReal, Real, real, accreal)                                                                    \
    template void launch_scatter_add(const ScatterPlace<real> &, const Elements<int64_t> &, const Elements<real> &,    \
                                     int64_t);
THC_EVERY_TYPE(THC_INSTANTIATE)

}  // namespace th
