// c_api/my_lib/runtime/isa.cpp: libmy_lib's part of the choice of the instruction set.
#define MY_LIB_ISA_PORTABLE 1
#include "runtime/isa.h"

#include "base/refused_isa.h"
#include "runtime/errors.h"

#include <atomic>

const char *const base::isa_variable = "MY_LIB_CPU";
const base::Isa base::last_isa = base::Isa::amx_bf16;

// Every function that would choose a kernel asks check_cpu() before.
void base::on_refused_isa() {}

bool my_lib::check_cpu() {
    static std::atomic<bool> is_usable{false};
    if (is_usable.load(std::memory_order_relaxed)) return true;
    char text[256];
    if (base::is_refused_isa(text, sizeof text)) return set_error(MY_LIB_ERROR_INVALID_VALUE, "%s", text);
    is_usable.store(true, std::memory_order_relaxed);
    return true;
}
