// c_api/base/unknown_isa.h: an environment variable that names no instruction set (base/isa.h).
#pragma once

#include <cstddef>

namespace base {

// What is wrong with isa_variable: "<variable>: expected <names>, got '<value>'" in `text`, of `size` bytes. False where
// it is not set, is empty, or names any instruction set, also one that the library or the CPU does not have.
bool is_unknown_isa(char *text, size_t size);

// Defined by each library: isa() calls it on first use where is_unknown_isa(). It may throw, and is called again then;
// where it returns, the best instruction set is used.
void on_unknown_isa();

}  // namespace base
