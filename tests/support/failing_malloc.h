// tests/support/failing_malloc.h: the program's malloc, which can be made to fail for some libraries.
//
// What a library allocates through libstdc++, by operator new or in a std::string, is its own.
#pragma once

namespace failing_malloc {

extern thread_local long fails_in;  // allocations of the libraries until one fails, 0 once it has; < 0: none does
bool fails_now();                   // counts one

long live_blocks();

// From then on the calls of libraries with this in their path are told from others'. False where there is none.
bool find(const char *name);

// Whether the code at an address is that of a library that was found.
bool is_ours(const void *code);

}  // namespace failing_malloc
