"""tests/portable/build/test_portable_project_flags.py: what of a build file's words is PyTorch's, and is dropped."""

import pytest

from torchthaw.portable import project_flags

TORCH = "/env/lib/python3.12/site-packages/torch"


@pytest.mark.parametrize("words, kept", [
    ([f"-I{TORCH}/include", "-Imine"], ["-Imine"]),
    (["-isystem", f"{TORCH}/include/torch/csrc/api/include", "-isystem", "mine"], ["-isystem", "mine"]),
    (["-I", f"{TORCH}/include/TH", "-O1"], ["-O1"]),
    (["-std=c++14", "-g"], ["-g"]), (["--std=gnu++11"], []), (["-std=c++0x"], []),
    (["-std=c++20"], ["-std=c++20"]), (["-std=c99"], ["-std=c99"]),
    (["-DTORCH_EXTENSION_NAME=x", "-DPy_LIMITED_API", "-DMINE=1"], ["-DMINE=1"]),
    (["-Itorch/includes", "-Imy_torch/include"], ["-Itorch/includes", "-Imy_torch/include"]),
    (["-I"], ["-I"]),
])  # fmt: skip
def test_compile_args(words, kept):
    assert project_flags.compile_args(words) == kept


@pytest.mark.parametrize("words, kept", [
    (["-ltorch", "-lc10", "-ltorch_cpu", "-ltorch_python", "-lm"], ["-lm"]),
    (["-l", "torch", "-l", "m"], ["-l", "m"]),
    ([f"-L{TORCH}/lib", "-Lmine"], ["-Lmine"]),
    ([f"-Wl,-rpath,{TORCH}/lib", "-Wl,-z,now"], ["-Wl,-z,now"]),
    ([f"{TORCH}/lib/libtorch_cpu.so", "mine/libx.so"], ["mine/libx.so"]),
    (["-ltorch_mine"], ["-ltorch_mine"]),
])  # fmt: skip
def test_link_args(words, kept):
    assert project_flags.link_args(words) == kept


def test_the_lists_of_an_extension():
    assert project_flags.include_dirs([f"{TORCH}/include", "mine"]) == ["mine"]
    assert project_flags.library_dirs([f"{TORCH}/lib", "mine"]) == ["mine"]
    assert project_flags.libraries(["c10", "cudart", "torch", "torch_cpu", "torch_python", "z"]) == ["z"]
    assert project_flags.macros([("TORCH_EXTENSION_NAME", "x"), ("MINE", None)]) == [("MINE", None)]
    assert project_flags.objects([f"{TORCH}/lib/libc10.so", "mine.o"]) == ["mine.o"]


@pytest.mark.parametrize(
    "libraries, found", [([], False), (["z", "torch_cuda"], True), (["cudart"], True), (["c10"], False)]
)
def test_libraries_of_cuda_are_found(libraries, found):
    assert project_flags.names_cuda(libraries) == found
