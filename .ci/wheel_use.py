"""wheel_use.py: uses an installed torchthaw as its users do, with nothing of the checkout in sight: wheel_use.py SAMPLE

make wheel runs it with the Python of each environment, in an empty folder. SAMPLE is examples/legacy/script, or a copy.
Prints one line for each part; a part that fails raises. What needs PyTorch is left out, and said, where there is none.
"""

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import torchthaw

# A handler that leaves by longjmp, as C programs did, and one that throws. Both pass through libth, which was built by
# another run of the compiler and perhaps carries a libstdc++ of its own.
JUMP = """
#include <TH/TH.h>
#include <setjmp.h>
static jmp_buf before;
static void handle(const char *message, void *data) { longjmp(before, 1); }
static void handle_argument(int argument, const char *message, void *data) { longjmp(before, 1 + argument); }
int main(void) {
    THSetErrorHandler(handle, NULL);
    THSetArgErrorHandler(handle_argument, NULL);
    THFloatTensor *t = THFloatTensor_newWithSize2d(3, 3);
    const int reached = setjmp(before);
    if (!reached) THFloatTensor_size(t, 5);
    THFloatTensor_free(t);
    return reached == 3 ? 0 : 1;
}
"""
THROW = """
extern "C" {
#include <TH/TH.h>
}
#include <stdexcept>
#include <string>
struct Kept { int &left; ~Kept() { ++left; } };
static void handle_argument(int argument, const char *message, void *) {
    throw std::invalid_argument(std::to_string(argument) + message);
}
int main() {
    THSetArgErrorHandler(handle_argument, nullptr);
    THFloatTensor *t = THFloatTensor_newWithSize2d(3, 3);
    int caught = 0, left = 0;
    for (int i = 0; i < 1000; ++i) {
        try {
            Kept kept{left};
            THFloatTensor_size(t, 5);
        } catch (const std::exception &error) {
            caught += error.what()[0] == '2';
        }
    }
    THFloatTensor_free(t);
    return caught == 1000 && left == 1000 ? 0 : 1;
}
"""
OPERATOR = """
#include <my_lib.h>
#include <stdio.h>
int main(void) {
    const float input[3] = {1, 2, 3};
    const int64_t shape[1] = {3};
    float output[3];
    if (!my_lib_mul_constant_forward(input, shape, 1, 0.5, output) || output[2] != 1.5f) return 1;
    printf("%s", my_lib_build_info());
    return 0;
}
"""


def run(*command, **options):
    done = subprocess.run([*map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def expected_cpu():
    """The name in my_lib_build_info(), from what Linux says about the processor."""
    if os.uname().machine != "x86_64":
        return "portable"
    text = Path("/proc/cpuinfo").read_text()
    flags = set(next(line for line in text.splitlines() if line.startswith("flags")).split())
    if not {"avx2", "fma", "f16c"} <= flags:
        return "portable"
    if not {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= flags:
        return "avx2"
    return next((name for name in ("amx_bf16", "avx512_bf16") if {"avx512_bf16", name} <= flags), "avx512")


def config(option):
    return run(sys.executable, "-m", "torchthaw", "config", option).strip()


def c_programs():
    """The C ABI, through what ``config`` prints."""
    library = Path(config("--libdir"))
    for name, text, include, libraries in (
        ("jump.c", JUMP, config("--includes"), ["-lth"]), ("throw.cpp", THROW, config("--includes"), ["-lth"]),
        ("operator.c", OPERATOR, config("--my-lib-includes"), ["-lmy_lib"]),
    ):  # fmt: skip
        Path(name).write_text(text)
        program = Path(name).with_suffix("")
        compiler = "g++" if name.endswith("cpp") else "gcc"
        run(compiler, "-O1", name, f"-I{include}", f"-L{library}", *libraries, f"-Wl,-rpath,{library}", "-o", program)
        printed = run(program.resolve())
    assert f"cpu={expected_cpu()} " in printed, f"expected cpu={expected_cpu()}, got {printed}"
    assert ctypes.CDLL(config("--libmy-lib")).my_lib_abi_version() == 1
    return printed


def inline():
    module = torchthaw.load_inline("inline", c_sources="int two(void) { return 2; }", functions={"two": "Two."})
    assert module.two() == 2


def sample():
    """An old project, built and tested as its readers did."""
    thawed = [sys.executable, "-m", "torchthaw", "run"]
    run(*thawed, "build.py", cwd="sample")
    assert run(*thawed, "test.py", cwd="sample").splitlines()[-1] == "ok"


def modernized(torch):
    """The same project as a package of today; with PyTorch compared with the old one, built, installed and tested.

    It has a pyproject.toml, so that both packages are used that ``torchthaw[modernize]`` brings.
    """
    Path("sample", "pyproject.toml").write_text("[tool.black]\nline-length = 100  # kept\n")
    run(sys.executable, "-m", "torchthaw", "modernize", "sample", "--output", "new", *["--no-compare"] * (not torch))
    report = Path("new", "MODERNIZED.md").read_text()
    assert "# kept\n" in Path("new", "pyproject.toml").read_text()
    assert "Nothing is left that modernize could not decide." in report, report
    if torch:
        assert "equal" in report, report
        run(sys.executable, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps", "./new")
        run(sys.executable, "new/tests/test.py")
    return "compared, installed and tested" if torch else "written"


def main(folder):
    installed = Path(torchthaw.__file__).resolve()
    print("torchthaw", torchthaw.__version__, "from", installed.parent)
    print("C programs:", c_programs())
    inline()
    print("load_inline: ok")
    torch = importlib.util.find_spec("torch")
    shutil.copytree(folder, "sample", ignore=shutil.ignore_patterns("__pycache__", "_ext"))
    print("modernize:", modernized(torch))
    if torch:
        sample()
        print("legacy sample: ok")
    else:
        print("legacy sample: left out, no PyTorch")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
