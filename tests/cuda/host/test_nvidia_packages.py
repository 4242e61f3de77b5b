"""tests/cuda/host/test_nvidia_packages.py: C of an extension sees the headers and libraries of PyTorch's nvidia packages
that the toolkit lacks."""

import subprocess
import sys
from pathlib import Path

import pytest

import torchthaw
from support import SRC
from support.cuda_toolkit import ARCHITECTURES, toolkit_or_skip

toolkit = toolkit_or_skip()
if (toolkit.include / "cufft.h").exists():
    pytest.skip("this toolkit has cuFFT", allow_module_level=True)

HEADER = '#ifdef __cplusplus\nextern "C"\n#endif\nint cufftGetValue(int value);\n'
SOURCES = {
    "a.c": "#include <cufft.h>\nint of_c(int value) { return cufftGetValue(value); }\n",
    "b.cpp": '#include <cufft.h>\nextern "C" int of_cpp(int value) { return cufftGetValue(value); }\n',
    "c.cu": '#include <cufft.h>\nextern "C" int of_cuda(int value) { return cufftGetValue(value); }\n',
}
DECLARED = "int of_c(int value);\nint of_cpp(int value);\nint of_cuda(int value);\n"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The folder of libraries of a package that has cuFFT, as far as these sources ask."""
    folder = tmp_path / "packages" / "nvidia" / f"cu{toolkit.version.partition('.')[0]}"
    for name in ("include", "lib"):
        (folder / name).mkdir(parents=True)
    (folder / "include" / "cufft.h").write_text(HEADER)
    (tmp_path / "cufft.c").write_text("int cufftGetValue(int value) { return value + 1; }\n")
    library = folder / "lib" / "libcufft.so.12"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "cufft.c", "-o", library, "-Wl,-soname,libcufft.so.12"], cwd=tmp_path, check=True
    )
    others = [each for each in sys.path if not Path(each, "nvidia").exists()]  # those of a PyTorch with CUDA
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages"), *others])
    monkeypatch.delitem(sys.modules, "nvidia", raising=False)
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", ARCHITECTURES)
    for name, text in SOURCES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "a.h").write_text(DECLARED)
    return folder / "lib"


VALUES = "import sys\nsys.path[:0] = {paths}\nfrom _ext import a\nprint(a.of_c(1), a.of_cpp(2), a.of_cuda(3))\n"


def values(folder):
    code = VALUES.format(paths=[str(SRC), str(folder)])
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.slow
def test_old_code_is_linked_with_the_library_too(package, tmp_path):
    from torchthaw.legacy.ffi.create import create_extension

    create_extension(
        "_ext.a", "a.h", [*SOURCES], relative_to=str(tmp_path / "build.py"), with_cuda=True, verbose=False
    ).build()
    assert values(tmp_path) == ["2", "3", "4"]


def test_code_of_today_names_the_library(package, tmp_path):
    torchthaw.create_extension(
        "_ext.a", "a.h", [*SOURCES], relative_to=str(tmp_path / "build.py"), with_cuda=True, libraries=["cufft"],
        runtime_library_dirs=[str(package)],
    ).build()  # fmt: skip
    assert values(tmp_path) == ["2", "3", "4"]
