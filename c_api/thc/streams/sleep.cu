// c_api/thc/streams/sleep.cu: a kernel that does nothing for a while.
#include "thc/runtime/grid.cuh"

#include "th/runtime/export.h"

#include <THC/THCSleep.h>

namespace th {
namespace {

__global__ void wait_for_clock(int64_t cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

}  // namespace
}  // namespace th

extern "C" void THC_sleep(THCState *, int64_t cycles) {
    th::guarded([&] { th::launch_kernel(th::wait_for_clock, 1, cycles); });
}
