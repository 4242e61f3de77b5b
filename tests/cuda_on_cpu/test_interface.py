"""tests/cuda_on_cpu/test_interface.py: the number that compiled code and libcuda_on_cpu agree in."""

import hashlib
import re

import pytest

from support import cuda_on_cpu
from torchthaw.cuda_on_cpu import toolkit_folder

HEADER = toolkit_folder.HEADERS / "cuda_on_cpu" / "runtime.h"
# Of the header's words, without its comments. Another digest needs another number, in the header and here.
KNOWN = {5: "f6f84d18b61b892f"}


def words(text):
    return re.sub(r"//.*", "", text).split()


def test_what_is_declared_has_this_number():
    text = HEADER.read_text()
    (number,) = re.findall(r"constexpr int interface = (\d+);", text)
    digest = hashlib.sha256(" ".join(words(text)).encode()).hexdigest()[:16]
    assert KNOWN == {int(number): digest}, f"{digest}: raise `interface` in {HEADER.name}, and enter both here"


@pytest.mark.slow
def test_an_object_of_another_number_is_refused_with_a_sentence(tmp_path):
    (tmp_path / "cuda_on_cpu").mkdir()
    other = re.sub(r"(interface = )\d+;", r"\g<1>999;", HEADER.read_text())
    (tmp_path / "cuda_on_cpu" / "runtime.h").write_text(other)
    (tmp_path / "old.cu").write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 3; }\n")
    for flags in (["-o", "old"], ["-shared", "-Xcompiler", "-fPIC", "-o", "old.so"]):
        made = cuda_on_cpu.nvcc(*flags, "-I.", "old.cu", cwd=tmp_path)
        assert made.returncode == 0, made.stderr
    program = cuda_on_cpu.run(tmp_path / "old")
    library = cuda_on_cpu.run(
        "python3", "-c", f"import ctypes; ctypes.CDLL({str(tmp_path / 'old.so')!r}); print('loaded')"
    )
    for result, name in ((program, "old"), (library, "old.so")):
        assert (result.returncode, result.stdout) == (1, ""), result
        (line,) = result.stderr.splitlines()
        for word in (f"{name} was", "999", "build it again"):
            assert word in line, line
