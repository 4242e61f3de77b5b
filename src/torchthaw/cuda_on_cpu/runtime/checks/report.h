// cuda_on_cpu/runtime/checks/report.h: what is found, on stderr and in the file that TORCHTHAW_CUDA_REPORT asks for.
#pragma once

#include <cuda_on_cpu/runtime.h>

#include <string>

namespace cuda_on_cpu {

enum class Rule {
    bounds, order, unwritten_shared, divergent_barrier, grid_barrier, misaligned, host_memory, device_memory, copy, memory, deadlock,
    timeout, assertion, trap, exception, unserved
};

// A line "torchthaw: ..." on stderr, and a result for the file.
[[gnu::format(printf, 3, 4)]] void tell(Rule, Place, const char *format, ...);

// A result for the file alone. TORCHTHAW_CUDA_REPORT names a folder: each process that found something has a file of
// SARIF 2.1.0 in it, torchthaw-PID.sarif, which is complete after each result.
void add_result(Rule, Place, const std::string &text, bool is_note = false);

// Whether a list of names with commas, if there is one, has the kernel's without namespaces and template arguments.
bool is_listed(const Launch &, const char *list);

}  // namespace cuda_on_cpu
