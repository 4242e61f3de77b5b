// cuda_on_cpu/runtime/memory.h: the arrays that a kernel can reach: allocations, and __device__ variables.
#pragma once

#include <cuda_on_cpu/runtime.h>
#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace cuda_on_cpu {

struct Array {
    char *address;
    size_t bytes;
    cudaMemoryType type;
    std::string name;  // of a variable, else empty
    unsigned number;   // in the order in which they were made
};
// A copy of the list of all.
std::vector<Array> all_arrays();
// The array that holds an address; false if none does.
bool find_array(const void *address, Array *found);

}  // namespace cuda_on_cpu
