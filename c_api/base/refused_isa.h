// c_api/base/refused_isa.h: an environment variable that names no instruction set which can be used (base/isa.h).
#pragma once

#include <cstddef>

namespace base {

// What is wrong with isa_variable: "<variable>: expected <names>, got '<value>'" in `text`, of `size` bytes. False where
// it is not set, is empty, or names an instruction set that the library and this processor have.
bool is_refused_isa(char *text, size_t size);

// Defined by each library: isa() calls it on first use where is_refused_isa(). It may throw, and is called again then;
// where it returns, the best instruction set is used.
void on_refused_isa();

}  // namespace base
