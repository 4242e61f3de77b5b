// c_api/th/runtime/isa.cpp: libth's part of the choice of the instruction set.
#include "base/isa.h"

#include "base/refused_isa.h"
#include "th/runtime/errors.h"

const char *const base::isa_variable = "THAW_CPU";
const base::Isa base::last_isa = base::Isa::avx512;

// The TH function that first chooses a kernel fails.
void base::on_refused_isa() {
    char text[256];
    if (is_refused_isa(text, sizeof text)) TH_ERROR("%s", text);
}
