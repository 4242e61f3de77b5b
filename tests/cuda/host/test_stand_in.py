"""tests/cuda/host/test_stand_in.py: the stand-in for nvcc takes what nvcc takes."""

import subprocess

from support.stand_in import toolkit

SOURCE = """
#include "own.h"
#include <cuda_runtime.h>
__global__ void f(int *x) { *x = OWN; }
extern "C" void launch(int *x) {
    f << <1, 2 >> >(x);
    f<< <dim3(1), 2>> > (x);
    f <<< 1, 2 >>> (x);
    x[1 << 2] = 1 >> 2;
}
"""


def nvcc(folder, *words):
    (folder / "old.cu").write_text(SOURCE)
    (folder / "own.h").write_text("#define OWN 1\n")
    command = [toolkit.make(folder / "toolkit") / "bin" / "nvcc", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_launches_with_spaces(tmp_path):
    done = nvcc(tmp_path, "-c", "old.cu", "-o", "old.o", "-std=c++17")
    assert done.returncode == 0, done.stderr
    symbols = subprocess.run(["nm", "-C", tmp_path / "old.o"], capture_output=True, text=True).stdout
    assert "f(int*)" in symbols and "note_launch" in symbols


def test_dependencies_as_find_cuda_asks_for_them(tmp_path):
    words = ["-M", "-D__CUDACC__", "old.cu", "-o", "old.depend", "-ccbin", "/usr/bin/cc", "-m64", "-std=c++17"]
    done = nvcc(tmp_path, *words, "-Xcompiler", ',"-fPIC","-O2"', "-gencode", "arch=compute_30,code=sm_30", "-DNVCC")
    assert done.returncode == 0, done.stderr
    listed = (tmp_path / "old.depend").read_text().replace("\\\n", " ").split()
    assert (
        listed[0] == "old.o:"
        and {"old.cu", "own.h"} <= set(listed)
        and any(name.endswith("cuda_runtime.h") for name in listed)
    )
