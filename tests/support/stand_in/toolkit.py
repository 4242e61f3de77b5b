"""tests/support/stand_in/toolkit.py: a folder that passes for a CUDA toolkit: the stand-ins for nvcc and CUDA's
runtime."""

import shutil
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADERS = HERE / "thc"

# What C code of old projects sees of CUDA.
IN_C = """
#include <stddef.h>
typedef int cudaError_t;
enum { cudaSuccess = 0 };
typedef void *cudaStream_t;
typedef unsigned long long cudaTextureObject_t;
struct cudaDeviceProp;
typedef struct { unsigned short x; } __half_raw;
const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaGetLastError(void);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
"""

LAUNCH = """
#pragma once
#include <cuda_runtime.h>

namespace cuda_on_host {
template <typename Kernel> void launch(Kernel kernel, dim3 blocks, dim3 threads, size_t = 0, cudaStream_t stream = {}) {
    note_launch(run(blocks, threads, stream, kernel));
}
}  // namespace cuda_on_host
"""


def make(folder):
    """Makes the toolkit ``folder``, for CUDA_HOME."""
    for name in ("bin", "include", "lib"):
        (folder / name).mkdir(parents=True)
    shutil.copy2(HERE / "nvcc", folder / "bin" / "nvcc")
    for name in ("cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "cuda_fp16.h"):
        text = f'#ifdef __cplusplus\n#include "{HEADERS / name}"\n#else\n#include <cuda_in_c.h>\n#endif\n'
        (folder / "include" / name).write_text(text)
    (folder / "include" / "cuda_in_c.h").write_text(f"#pragma once\n{IN_C}")
    (folder / "include" / "cuda_on_host_launch.h").write_text(LAUNCH)
    (folder / "lib" / "libcudart_static.a").write_text("!<arch>\n")  # libthc's stand-in has the runtime
    return folder


def prefix(folder, build):
    """A folder with the libraries of ``build``, libthc's stand-in among them, for torchthaw.base.config.prefix()."""
    (folder / "lib").mkdir(parents=True)
    for name in ("_bridge.abi3.so", "libth.so.1", "libmy_lib.so.1"):
        (folder / "lib" / name).symlink_to(build / "lib" / name)
    (folder / "lib" / "libthc.so.1").symlink_to(build / "thc_on_host" / "libthc.so.1")
    return folder
