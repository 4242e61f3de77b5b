// tests/th/failing_malloc.h: the program's malloc, which can be made to fail for libth.
#pragma once

namespace failing_malloc {

extern thread_local long fails_in;  // allocations of libth until one fails, 0 once it has; < 0: none does
bool fails_now();                   // counts one

long live_blocks();

// To be called first: from then on libth's calls are told from others'. False where libth is not found.
bool find_libth();

}  // namespace failing_malloc
