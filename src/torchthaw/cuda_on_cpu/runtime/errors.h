// cuda_on_cpu/runtime/errors.h: CUDA's errors, and lines on stderr.
#pragma once

#include <cuda_on_cpu/runtime.h>
#include <cuda_runtime_api.h>

namespace cuda_on_cpu {

// An error that stays, as one of a kernel does: every later call returns it.
void fail(cudaError_t);
cudaError_t failure();
// Returns `error`, which cudaGetLastError() says next if it is none.
cudaError_t record(cudaError_t error);
// What a call that works on the device asks first: an error that stays, as in a child of a process that used CUDA.
cudaError_t initialize();
// The answer of a call, if there is a place for it.
template <typename T, typename V> cudaError_t give(T *to, V value) {
    if (!to) return record(cudaErrorInvalidValue);
    *to = value;
    return cudaSuccess;
}

// A line "torchthaw: ..." on stderr.
[[gnu::format(printf, 1, 2)]] void print(const char *format, ...);
[[noreturn]] void fatal(const char *what);
// What is not served, by a line; returns cudaErrorNotSupported, recorded.
cudaError_t refuse(const char *what);

// The line of an address in code, which AddressSanitizer can tell; "" and 0 where it is not known.
struct SourceLine {
    char file[1024];
    int line;
    Place place() const { return {*file ? file : nullptr, line}; }
};
SourceLine source_of(void *code);
// The place outside of this library from which it was called: "file.cu:12" where that is known, else the function, or the
// file with the offset in it.
struct Caller {
    char text[1200];
    SourceLine source;
};
Caller caller();

// "kernel add<float>, block (0,0,0), thread (31,0,0)" of the thread that runs.
struct Where {
    char text[512];
};
Where where();

}  // namespace cuda_on_cpu
