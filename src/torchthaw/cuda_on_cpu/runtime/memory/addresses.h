// cuda_on_cpu/runtime/memory/addresses.h: the range of addresses that all memory of the device is in.
#pragma once

#include <cstddef>

namespace cuda_on_cpu {

// Memory that begins at a multiple of 256; null if there is none. Under AddressSanitizer it is malloc's, which it knows.
void *take(size_t bytes);
// The same at an address that is a multiple of 256 and behind all that was given before; false if that cannot be.
bool take_at(void *memory, size_t bytes);
// Of the same address and size.
void give_back(void *memory, size_t bytes);
// Whether a kernel that reads from an address reads memory of the host: an address outside of the range. Under
// AddressSanitizer, one that it has no complaint about. The caller has looked for it among the arrays.
bool is_of_host(const void *address);

}  // namespace cuda_on_cpu
