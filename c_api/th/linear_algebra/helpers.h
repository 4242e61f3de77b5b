// c_api/th/linear_algebra/helpers.h: threads that help with the parts of a matrix product.
#pragma once

#include <cstdint>

namespace th {

// Runs part(body, 0) ... part(body, parts - 1) on the calling thread and on sleeping helpers, each part once, and returns
// when all have run. Nobody spins, and nobody waits for a helper that has not begun: where the processors are busy, the
// caller runs all parts itself. OpenMP's team, whose threads must all have come before it ends, cannot do that. While
// another thread has the helpers, the caller goes without. The parts must not throw.
void run_with_helpers(int parts, void (*part)(void *body, int number), void *body);

}  // namespace th
