// cuda_on_cpu/runtime/memory/memory.h: the arrays that a kernel can reach: allocations, registered memory, __device__ variables.
#pragma once

#include <cuda_on_cpu/runtime.h>
#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace cuda_on_cpu {

// What an array came from, which says what may free it. A symbol is a variable whose value a check does not keep.
enum class Origin { allocated, registered, variable, symbol };
struct Array {
    char *address;
    size_t bytes;
    cudaMemoryType type;
    Origin origin;
    std::string name;  // of a variable, else empty
    unsigned number;   // in the order in which they were made
};
// A copy of the list of all that kernels can write.
std::vector<Array> all_arrays();
// The array that holds an address; false if none does.
bool find_array(const void *address, Array *found);
// An array at its own address, in a process that has used no memory of the device. False if that is not free.
bool place_array(const Array &);

// ---- Copies: on a card each side of one is checked against what is known of its memory --------------------------------

enum class Side { any, host, device };
// The sides of a cudaMemcpyKind; false for a number that is none.
bool sides_of(int kind, Side *to, Side *from);
// Whether `bytes` from an address on can be of that side; a line says what is wrong with `what` if not. A card gives the
// error alone. Memory that nobody registered is the host's, of any size.
bool fits(const char *what, const void *address, size_t bytes, Side);
// The bytes from the first row's first to the last row's last; false if there are more than addresses.
bool extent(size_t pitch, size_t width, size_t height, size_t *bytes);

// An argument of a launch that no kernel can read from, since it points to memory of the host: its number, else -1.
int argument_of_host(const Launch &);

}  // namespace cuda_on_cpu
