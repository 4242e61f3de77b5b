// cuda_on_cpu/runtime/errors.cpp: CUDA's errors, and lines on stderr.
#include "errors.h"

#include "execution/block.h"
#include "checks/record.h"
#include "checks/report.h"
#include "checks/sanitizer.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <utility>

// The C library's, which <assert.h> declares only in some builds.
extern "C" [[noreturn]] void __assert_fail(const char *, const char *, unsigned, const char *) noexcept;

namespace cuda_on_cpu {
namespace {
std::atomic<cudaError_t> failed{cudaSuccess};
__thread cudaError_t last = cudaSuccess;
}  // namespace

void fail(cudaError_t error) {
    cudaError_t none = cudaSuccess;
    failed.compare_exchange_strong(none, error);
}
cudaError_t failure() { return failed; }

cudaError_t record(cudaError_t error) {
    if (const cudaError_t before = failed) error = before;
    if (error) last = error;
    return error;
}

// A card's driver does not work in a child of the process that began to use it.
cudaError_t initialize() {
    static const int begun = pthread_atfork(nullptr, nullptr, [] { fail(cudaErrorInitializationError); });
    (void)begun;
    replay_instead();
    return record(failed);
}

void print(const char *format, ...) {
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    std::fflush(stdout);  // what kernels printed stands before
    std::fprintf(stderr, "torchthaw: %s\n", line);
}

void fatal(const char *what) {
    print("CUDA on the CPU: %s", what);
    std::abort();
}

// A constructor calls it, where an exception could not pass the loader.
void expect_interface(int number, const void *inside) {
    if (number == interface) return;
    Dl_info info{};
    const bool known = dladdr(inside, &info) && info.dli_fname;
    print("%s was compiled with the headers of another torchthaw (interface %d of CUDA on the CPU; this one has %d): build "
          "it again",
          known ? info.dli_fname : "a program", number, interface);
    std::fflush(nullptr);
    _exit(1);
}

cudaError_t refuse(const char *what) {
    print("CUDA on the CPU has no %s", what);
    return record(cudaErrorNotSupported);
}

SourceLine source_of(void *code) {
    SourceLine found{};
    if (!__sanitizer_symbolize_pc) return found;
    char text[1100] = "", *end;
    __sanitizer_symbolize_pc(code, "%l %s", text, sizeof text);
    found.line = int(std::strtol(text, &end, 10));
    if (found.line && *end == ' ') std::snprintf(found.file, sizeof found.file, "%s", end + 1);
    return found;
}

Caller caller() {
    Caller found{};
    void *frames[32];
    const int count = backtrace(frames, 32);
    Dl_info ours{}, information{};
    dladdr(reinterpret_cast<const void *>(&caller), &ours);
    bool inside = false;  // AddressSanitizer's own backtrace() is a frame before ours
    for (int i = 0; i < count; i++) {
        char *const call = static_cast<char *>(frames[i]) - 1;  // a frame has the address behind the call
        if (!dladdr(call, &information)) continue;
        inside |= information.dli_fbase == ours.dli_fbase;
        if (!inside || information.dli_fbase == ours.dli_fbase) continue;
        found.source = source_of(call);
        if (found.source.line) std::snprintf(found.text, sizeof found.text, "%s:%d", found.source.file, found.source.line);
        else if (information.dli_sname) std::snprintf(found.text, sizeof found.text, "the function %s", information.dli_sname);
        else
            std::snprintf(found.text, sizeof found.text, "%s+%#zx", information.dli_fname,
                          size_t(call - static_cast<char *>(information.dli_fbase)));
        return found;
    }
    std::snprintf(found.text, sizeof found.text, "a place that is not known");
    return found;
}

Where where() {
    Where result;
    const Block *block = Block::running();
    if (!block) {
        std::snprintf(result.text, sizeof result.text, "the host");
        return result;
    }
    std::snprintf(result.text, sizeof result.text, "kernel %.300s, block (%u,%u,%u), thread (%u,%u,%u)",
                  block->launch()->kernel, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    return result;
}

void assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
    if (!Block::running()) __assert_fail(condition, file, line, function);
    tell(Rule::assertion, {file, int(line)}, "%s:%u: %s: %s: assertion `%s` failed", file, line, function, where().text, condition);
    Block::running()->abandon(cudaErrorAssert);
}
void trap(Place place) {
    tell(Rule::trap, place, "%s:%d: %s: __trap()", place.file, place.line, where().text);
    if (Block::running()) Block::running()->abandon(cudaErrorLaunchFailure);
    std::abort();
}
void too_many_threads(unsigned most) {
    const Block *block = Block::running();
    if (!block) fatal("a kernel is called as a function");
    const Launch &launch = *block->launch();
    tell(Rule::bounds, launch.place, "kernel %s, launched at %s:%d: expected at most %u threads in a block, as its "
         "__launch_bounds__ says, got %u", launch.kernel, launch.place.file, launch.place.line, most,
         launch.block.x * launch.block.y * launch.block.z);
    Block::running()->abandon(cudaErrorLaunchOutOfResources);
}
void unserved(const char *what, Place place) {
    tell(Rule::unserved, place, "%s:%d: %s: CUDA on the CPU has no %s", place.file, place.line, where().text, what);
    if (Block::running()) Block::running()->abandon(cudaErrorNotSupported);
    std::abort();
}

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

extern "C" {
CUDA_ON_CPU_EXPORT cudaError_t cudaGetLastError() {
    const cudaError_t error = failed ? failed.load() : last;
    last = cudaSuccess;
    return error;
}
CUDA_ON_CPU_EXPORT cudaError_t cudaPeekAtLastError() { return failed ? failed.load() : last; }

#define CUDA_ON_CPU_NAME(name, number, text) case name: return #name;
CUDA_ON_CPU_EXPORT const char *cudaGetErrorName(cudaError_t error) {
    switch (error) { CUDA_ON_CPU_ERRORS(CUDA_ON_CPU_NAME) }
    return "unrecognized error code";
}
#define CUDA_ON_CPU_TEXT(name, number, text) case name: return text;
CUDA_ON_CPU_EXPORT const char *cudaGetErrorString(cudaError_t error) {
    switch (error) { CUDA_ON_CPU_ERRORS(CUDA_ON_CPU_TEXT) }
    return "unrecognized error code";
}
}
