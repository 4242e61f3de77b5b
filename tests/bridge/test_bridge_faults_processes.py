"""tests/bridge/test_bridge_faults_processes.py: what ends a process, or is wrong in all of it, is said in clear words."""

import os
import re
import subprocess
import sys

import pytest

import torchthaw
from support import ROOT, SRC, instruction_sets
from support.messages import names
from torchthaw.base import config, toolchain

HEADER = """
void both_fail(int in_region);
int threads_of_region(void);
int lost_children(int count);
float first(const float *values, long count);
"""
SOURCE = """
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
    const char *what() const noexcept override {  // while one is being told, the other fails
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        return std::runtime_error::what();
    }
};
static std::atomic<int> here{0};
static void fail() {
    ++here;
    while (here < 2) {}
    throw Failure("failed");
}
extern "C" void both_fail(int in_region) {
    if (in_region) {
#pragma omp parallel num_threads(2)
        fail();
    } else {
        std::thread one(fail), other(fail);
        one.join();
        other.join();
    }
}
extern "C" int threads_of_region() {
    std::atomic<int> count{0};
#pragma omp parallel num_threads(2)
    ++count;
    return count;
}
extern "C" void in_region(void (*body)(void));
static bool fails_in_region() {
    try {
        in_region([] { throw std::runtime_error("failed"); });
    } catch (const std::runtime_error &) {
        return true;
    }
    return false;
}
// How many children did not catch the error of a region of their own; they are forked while other threads do. The first
// one that waits for ever is killed, and ends it.
extern "C" int lost_children(int count) {
    std::atomic<bool> ended{false};
    std::vector<std::thread> others;
    for (int i = 0; i < 4; i++) others.emplace_back([&] { while (!ended) fails_in_region(); });
    int lost = 0;
    for (int i = 0; i < count && !lost; i++) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(30);
            _exit(fails_in_region() ? 0 : 1);
        }
        int status = -1;
        lost += child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    ended = true;
    for (std::thread &other : others) other.join();
    return lost;
}
extern "C" float first(const float *values, long count) { return count ? values[0] : 0; }
"""
# An exception may leave a region of C; C++ ends the process there.
REGION = """
void in_region(void (*body)(void)) {
#pragma omp parallel num_threads(2)
    body();
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With the extension `faults`."""
    made = tmp_path_factory.mktemp("faults")
    (made / "faults.h").write_text(HEADER)
    (made / "faults.cpp").write_text(SOURCE)
    (made / "region.c").write_text(REGION)
    torchthaw.create_extension(
        "faults", "faults.h", ["faults.cpp", "region.c"], relative_to=made / "build.py",
        extra_compile_args=["-fopenmp"], extra_link_args=["-fopenmp"],
    ).build()  # fmt: skip
    return made


def python(folder, code, path=(), **environment):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, path), str(SRC)]), **environment}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, env=environment, timeout=280
    )


@pytest.mark.slow
@pytest.mark.parametrize("in_region", [0, 1], ids=["threads", "region"])
@pytest.mark.parametrize("imports", ["", "import torch"], ids=["alone", "with PyTorch"])
def test_two_threads_that_fail_at_once(folder, in_region, imports):
    """Nothing can catch an exception there; the first one is told."""
    done = python(folder, f"{imports}\nimport faults\nfaults.both_fail({in_region})\nprint('still here')")
    assert done.returncode == -6 and done.stdout == "", done.stderr
    assert "terminate called after throwing an instance of 'Failure'\n  what():  failed" in done.stderr
    assert "recursively" not in done.stderr


HANDLER = """
#include <exception>
static void fail() { std::terminate(); }
static const auto before = std::set_terminate(fail);
"""


@pytest.mark.slow
def test_a_handler_from_before_that_fails_too(folder):
    """The process ends nevertheless, and does not wait for itself."""
    (folder / "handler.cpp").write_text(HANDLER)
    command = [*toolchain.cxx_compiler(), "-shared", "-fPIC", "handler.cpp", "-o", "handler.so"]
    subprocess.run(command, cwd=folder, check=True)
    code = "import ctypes, signal\nctypes.CDLL('./handler.so')\nimport faults\nsignal.alarm(60)\nfaults.both_fail(0)"
    assert python(folder, code).returncode == -6


@pytest.mark.slow
def test_a_parallel_region_without_pytorch(folder):
    """The extension alone brings OpenMP's runtime, and no other library of the process sees it."""
    assert python(folder, "import faults\nprint(faults.threads_of_region())").stdout == "2\n"


@pytest.mark.slow
def test_children_forked_while_errors_leave_regions(folder):
    """They have none of the threads that hold something at that moment."""
    assert python(folder, "import faults\nprint(faults.lost_children(300))").stdout == "0\n"


# A torch that is none

FAKES = {"empty": "", "half": "class Tensor: pass\ndef is_grad_enabled(): return True\n"}
REFUSED = """
import faults
assert faults.first([1.5], 1) == 1.5
import torch
for value in (torch, 3):
    try:
        faults.first(value, 1)
    except TypeError as error:
        print(error)
assert faults.first([1.5], 1) == 1.5
"""


@pytest.mark.slow
@pytest.mark.parametrize("fake", FAKES)
@pytest.mark.parametrize("before", ["", "import torch\n"], ids=["later", "before"])
def test_a_torch_that_is_no_pytorch(folder, tmp_path, fake, before):
    """A call that wants a tensor names it, with its file; calls without tensors work."""
    package = tmp_path / "torch"
    package.mkdir()
    (package / "__init__.py").write_text(FAKES[fake])
    done = python(folder, f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n{before}{REFUSED}")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) == 2, done.stderr
    for line, got in zip(lines, ("module", "int")):
        assert re.search(names("values", "contiguous", "float32", got, "torch", package, "AttributeError"), line)
    for code in (
        "from torchthaw.legacy import loading as it\nit.prepare()",
        "from torchthaw.legacy.ffi import th_libraries as it\nit.open_libraries()",
    ):
        done = python(folder, f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n{code}")
        assert re.search(names("ImportError", "torch", "PyTorch", package), done.stderr)


@pytest.mark.slow
def test_a_torch_that_cannot_be_imported(folder, tmp_path):
    """Its own error is the one that is raised, and the extension works without it."""
    (tmp_path / "torch.py").write_text("raise OSError('libtorch_cpu.so: no such file')\n")
    code = "try:\n    import torch\nexcept OSError:\n    pass\nimport faults\nprint(faults.first([2], 1))\n"
    done = python(folder, f"{code}import torchthaw.legacy.ffi.th_libraries as th\nth.open_libraries()", [tmp_path])
    assert done.stdout == "2.0\n" and done.stderr.endswith("OSError: libtorch_cpu.so: no such file\n")


# An instruction set that is none

OPERATOR = """
import torch
from _ext import my_lib
x, y = torch.ones(3), torch.zeros(3)
try:
    my_lib.my_lib_add_forward(x, x.shape, 1, x, x.shape, 1, y)
except ValueError as error:
    print(error)
print(y.tolist())
"""
TH = """
import ctypes, sys
th = ctypes.CDLL(sys.argv[1])
th.THFloatTensor_newWithSize1d.restype = ctypes.c_void_p
tensor = ctypes.c_void_p(th.THFloatTensor_newWithSize1d(ctypes.c_int64(int(sys.argv[2]))))
th.THFloatTensor_fill(tensor, ctypes.c_float(2))
print("filled")
"""


@pytest.mark.slow
def test_an_unknown_instruction_set_of_libmy_lib():
    done = python(ROOT, OPERATOR, MY_LIB_CPU="sse9")
    said = names("MY_LIB_CPU", "portable", "avx2", "avx512", "avx512_bf16", "amx_bf16", "'sse9'")
    assert re.search(said, done.stdout) and done.stdout.endswith("\n[0.0, 0.0, 0.0]\n"), done.stderr
    assert python(ROOT, OPERATOR, MY_LIB_CPU="").stdout == "[2.0, 2.0, 2.0]\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", instruction_sets.NAMES)
def test_an_instruction_set_that_the_processor_lacks(name):
    refusal = instruction_sets.refusal(name)
    said = f"{refusal}\n[0.0, 0.0, 0.0]\n" if refusal else "[2.0, 2.0, 2.0]\n"
    done = python(ROOT, OPERATOR, MY_LIB_CPU=name)
    assert done.stdout == said, done.stderr
    if refusal:
        assert re.search(names("MY_LIB_CPU", "portable", "processor", f"'{name}'"), refusal)


@pytest.mark.parametrize("size", [10, 10**6], ids=["one thread", "a region"])
def test_an_unknown_instruction_set_of_libth(tmp_path, size):
    script = tmp_path / "script.py"
    script.write_text(TH)

    def run(value):
        return subprocess.run(
            [sys.executable, script, config.library("th"), str(size)], capture_output=True, text=True,
            env={**os.environ, "THAW_CPU": value}, timeout=280,
        )  # fmt: skip

    done = run("sse9")
    assert re.search(names("THAW_CPU", "portable", "avx2", "avx512", "'sse9'"), done.stdout), done.stderr
    assert done.returncode == 255 and "filled" not in done.stdout
    assert run("portable").stdout == run("").stdout == "filled\n"
