// c_api/my_lib/runtime/isa.cpp: libmy_lib's part of the choice of the instruction set.
#include "base/isa.h"

const char *const base::isa_variable = "MY_LIB_CPU";
const base::Isa base::last_isa = base::Isa::amx_bf16;
