// cuda_on_cpu/runtime/checks/check.h: TORCHTHAW_CUDA_CHECK=1: a kernel runs in two orders, and what is wrong is reported.
#pragma once

#include "errors.h"
#include "execution/fiber.h"

#include <string>
#include <vector>

namespace cuda_on_cpu {

// Runs a launch with its threads in ascending order, then in descending order, and compares all arrays of the device.
// `run` runs all blocks on this thread; it returns false if the kernel failed.
bool run_checked(const Launch &, bool (*run)(const Launch &, bool descending, unsigned char pattern));

// The text of the i-th argument of a launch, of the texts of all.
std::string argument_text(const char *texts, int i);

// A barrier is to be released: reports threads that have ended before it, and those that wait at another one.
void check_barrier(const Launch &, const std::vector<Fiber *> &waiting, unsigned threads);
// An access of a kernel, such as "a load of", to an address that a card could not read as that type.
void report_misaligned(const Launch &, Place, const char *access, const char *type, const void *address, size_t alignment);
// Of threads that wait for what never comes.
void report_stuck(const Launch &, const std::vector<Fiber *> &waiting, unsigned threads);

}  // namespace cuda_on_cpu
