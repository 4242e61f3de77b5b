// cuda_on_cpu/runtime/checks/record.h: launches in files, which run again alone.
//
// TORCHTHAW_CUDA_RECORD names a folder: the last launch of each kernel is in it, with all memory of the device as it was
// before, and as it was after if the kernel has ended. TORCHTHAW_CUDA_RECORD_KERNELS lists kernels as TORCHTHAW_CUDA_KNOWN
// does; then only those are there.
#pragma once

#include <cuda_on_cpu/runtime.h>

#include <string>

namespace cuda_on_cpu {

// While one exists, its launch runs.
class Recorded {
public:
    explicit Recorded(const Launch &);
    // With what the arrays are now, if the kernel has not failed.
    void end();

private:
    std::string path_;  // empty if nothing is recorded
};

// If TORCHTHAW_CUDA_REPLAY names a file, the program's first call of CUDA is replaced by the launch in it, and the process ends.
void replay_instead();

}  // namespace cuda_on_cpu

// Runs the launch of a file in this process, which has used no memory of the device yet. 0 if the arrays became what they
// had become then, or the kernel did not end then; 1 with a line on stderr if not, or if it cannot run.
extern "C" CUDA_ON_CPU_EXPORT int cuda_on_cpu_replay(const char *path);
