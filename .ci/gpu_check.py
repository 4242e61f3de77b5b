"""gpu_check.py: builds, tests and times all CUDA code where there is a GPU.

    make gpu-check                      or, on a machine without .venv:  PYTHONPATH=src:. python3 .ci/gpu_check.py
    make gpu-check part=build           one part; then test, sanitize and times, each a matter of minutes

    .ci/gpu_check.py --list             the steps of each part, with their commands; needs no GPU

Needs nvcc, CMake, ninja, compute-sanitizer, and a Python that imports a PyTorch with CUDA, cffi, pytest and hypothesis.
Every step is run even if another fails; one that lacks something is left out, in words. What came of each is kept in
benchmarks/results/, in the file of the card, with the date.
"""

import argparse
import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks import cards

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
TESTS = ROOT / "tests"
HOST = TESTS / "cuda" / "host"
PARTS = "build", "test", "sanitize", "times"
GPU = "PyTorch that sees the GPU"
MODULES = "cffi", "pytest", "hypothesis"
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]

# Failures that a test asks for, such as more memory than there is, are no finding.
SANITIZERS = {"memcheck": ["--report-api-errors", "no", "--leak-check", "no"], "racecheck": []}


class Step(NamedTuple):
    part: str
    name: str
    command: list
    limit: int  # seconds
    needs: tuple = ()  # tools, and modules of Python


def tool(name):
    """Its path; the name where there is none."""
    toolkits = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    folders = [str(Path(sys.executable).parent), os.environ["PATH"], *(f"{each}/bin" for each in toolkits if each)]
    return shutil.which(name, path=os.pathsep.join(folders)) or name


def folders_of_cublas():
    """PyTorch brings it, and only a process with PyTorch finds that copy by itself."""
    spec = importlib.util.find_spec("nvidia")
    roots = [Path(folder) for folder in (spec.submodule_search_locations if spec else [])]
    return sorted({str(found.parent) for root in roots for found in root.glob("*/lib/libcublas*.so.*")})


def programs():
    """The C++ tests that compute-sanitizer watches, as CMake names them; a kernel that breaks is for ctest alone."""
    operators = sorted(path.stem for path in (TESTS / "cuda").glob("test_*.cpp") if path.stem != "test_errors")
    runtime = sorted(path.stem for path in (TESTS / "thc").glob("test_*.cpp"))
    return [f"cuda_{name[5:]}" for name in operators] + [f"cuda_thc_{name[5:]}" for name in runtime]


def steps(results=cards.RESULTS):
    """All steps, in order."""
    cmake, python, jobs = tool("cmake"), sys.executable, os.cpu_count()
    build = [cmake, "--build", BUILD, "--parallel", jobs, "--target"]
    compilers = "nvcc", "cmake", "ninja"
    yield Step("build", "extension", [python, "ffi_build.py"], 300, (*compilers, GPU, "cffi"))
    configure = [cmake, "--log-level=WARNING", "-S", ROOT, "-B", BUILD, "-DTORCHTHAW_GPU_TESTS=ON"]
    if not (BUILD / "CMakeCache.txt").exists():
        configure += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}"]
    yield Step("build", "configure", configure, 60, compilers)
    yield Step("build", "runtimes and tests", [*build, "legacy", "gpu_tests"], 400, compilers)

    ctest = [tool("ctest"), "--test-dir", BUILD, "-L", "gpu", "--no-tests=error", "--output-on-failure"]
    yield Step("test", "kernels", ctest, 200, ("ctest",))
    for path in sorted((TESTS / "cuda" / "gpu").glob("test_*.py")):
        yield Step("test", path.stem, [*PYTEST, path.relative_to(ROOT)], 200, (GPU, *MODULES))
    for path in sorted({*HOST.glob("test_cuda_*.py")} - {HOST / "test_cuda_checks.py"}):
        yield Step("test", path.stem, [*PYTEST, path.relative_to(ROOT)], 200, (GPU, *MODULES, "nvcc"))

    for check, options in SANITIZERS.items():
        for program in programs():
            command = [tool("compute-sanitizer"), "--tool", check, "--error-exitcode", "9", *options]
            yield Step("sanitize", f"{check}: {program}", [*command, BUILD / "bin" / program], 120,
                       ("compute-sanitizer",))  # fmt: skip

    yield Step("times", "times", [python, "-m", "benchmarks.cuda", "2", results], 500, (GPU, "cffi", "nvcc"))


@functools.cache
def has(name):
    if name == GPU:
        asks = "import torch, sys; sys.exit(not torch.cuda.is_available())"
        return subprocess.run([sys.executable, "-c", asks], capture_output=True).returncode == 0
    return bool(importlib.util.find_spec(name) if name in MODULES else shutil.which(tool(name)))


def lacking(step):
    """What the step needs and this machine has not."""
    return [name for name in step.needs if not has(name)]


def run(step):
    """What came of it: "ok", or a reason."""
    missing = lacking(step)
    if missing:
        return f"left out, no {', '.join(missing)}"
    environment = dict(os.environ)
    given = {name: os.environ.get(name) for name in ("PYTHONPATH", "LD_LIBRARY_PATH", "PATH")}
    for variable, folders in {
        "PYTHONPATH": [ROOT / "src", ROOT, TESTS, given["PYTHONPATH"]],
        "LD_LIBRARY_PATH": [given["LD_LIBRARY_PATH"], *folders_of_cublas()],
        "PATH": [given["PATH"], Path(tool("nvcc")).parent],
    }.items():
        environment[variable] = os.pathsep.join(str(folder) for folder in folders if folder)
    try:
        command = [str(part) for part in step.command]
        code = subprocess.run(command, cwd=ROOT, env=environment, timeout=step.limit).returncode
    except subprocess.TimeoutExpired:
        return f"took longer than {step.limit} s"
    except OSError as error:
        return str(error)
    return "ok" if code == 0 else f"failed with {code}"


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=PARTS, help="only this one; may be given again")
    parser.add_argument("--list", action="store_true", help="print the steps and run none")
    parser.add_argument("--results", type=Path, default=cards.RESULTS, help="folder for what was found")
    return parser.parse_args()


def main():
    chosen = options()
    wanted = [step for step in steps(chosen.results) if step.part in (chosen.part or PARTS)]
    if chosen.list:
        for step in wanted:
            missing = [f"  (no {name})" for name in lacking(step)]
            print(f"{step.part:9} {step.name:34}", *step.command, *missing)
        return
    card = cards.name()
    if not card:
        sys.exit("make gpu-check: no NVIDIA GPU on this machine, nothing was checked.")
    table, found = [], {}
    for step in wanted:
        print(f"== {step.part}: {step.name}", flush=True)
        begin = time.monotonic()
        outcome = run(step)
        table.append(f"{step.part:9} {step.name:34} {time.monotonic() - begin:6.1f} s  {outcome}")
        found.setdefault(step.part, {})[step.name] = outcome
        cards.keep(card, f"check: {step.part}", found[step.part], chosen.results)
    print("\n".join(["", card, *table]))
    bad = [name for outcomes in found.values() for name, outcome in outcomes.items() if outcome != "ok"]
    sys.exit(f"make gpu-check: {', '.join(bad)}" if bad else 0)


if __name__ == "__main__":
    main()
