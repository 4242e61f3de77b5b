// c_api/th/runtime/isa.cpp: libth's part of the choice of the instruction set.
#include "base/isa.h"

const char *const base::isa_variable = "THAW_CPU";
const base::Isa base::last_isa = base::Isa::avx512;
