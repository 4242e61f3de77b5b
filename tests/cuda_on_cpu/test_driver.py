"""tests/cuda_on_cpu/test_driver.py: the calls of CUDA's driver, linked by a C++ compiler."""

import re
import subprocess

import pytest

from support import cuda_on_cpu
from support.messages import names
from torchthaw.cuda_on_cpu import toolkit_folder


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """The finished program of samples/driver.cpp."""
    path, home = tmp_path_factory.mktemp("driver") / "driver", toolkit_folder.home()
    command = ["g++", "-std=c++17", f"-I{home / 'include'}", cuda_on_cpu.SAMPLES / "driver.cpp", "-o", path,
               f"-L{home / 'lib64'}", "-lcuda", f"-Wl,-rpath,{home / 'lib64'}"]  # fmt: skip
    subprocess.run(command, check=True)
    return cuda_on_cpu.run(path)


def test_calls_of_the_driver_give_what_a_card_gives(result):
    assert (result.stdout, result.returncode) == ("right\n", 0), result


@pytest.mark.parametrize("call", ["cuModuleLoad", "cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel"])
def test_a_call_for_code_of_a_card_is_named(call, result):
    assert re.search(names(call), result.stderr), result


def test_c_takes_the_header(tmp_path):
    (tmp_path / "check.c").write_text("#include <cuda.h>\nint main(void) { return cuInit(0) != CUDA_SUCCESS; }\n")
    words = ["-std=c99", "-pedantic", "-Werror", f"-I{toolkit_folder.home() / 'include'}", "-c", "check.c"]
    subprocess.run(["gcc", *words], check=True, cwd=tmp_path)
