"""gpu_check.py: builds, tests and times all CUDA code where there is a GPU.

    make gpu-check                      or, on a machine without .venv:  PYTHONPATH=src:. python3 .ci/gpu_check.py
    make gpu-check part=build           one part; then test, sanitize and times, each a matter of minutes
    .ci/gpu_check.py --only thc         the steps in whose names this regular expression is found

    .ci/gpu_check.py --list             the steps of each part, with their commands; needs no GPU

Needs nvcc, CMake, ninja, compute-sanitizer, and a Python that imports a PyTorch with CUDA, cffi, pytest,
xdist, hypothesis and yaml.
Every step is run even if another fails; one that lacks something is left out, in words. Tests run at once, builds and
times alone. What came of each is kept in benchmarks/results/, in the file of the card, with the date; what each printed
in build/gpu-check/.
"""

import argparse
import functools
import importlib.util
import itertools
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from benchmarks import cards

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
TESTS = ROOT / "tests"
HOST = TESTS / "cuda" / "host"
LOGS = BUILD / "gpu-check"
PARTS = "build", "test", "sanitize", "times"
GPU = "PyTorch that sees the GPU"
MODULES = "cffi", "pytest", "hypothesis", "xdist", "yaml"
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]

# Failures that a test asks for, such as more memory than there is, are no finding.
SANITIZERS = {"memcheck": ["--report-api-errors", "no", "--leak-check", "no"], "racecheck": []}

# The peers that benchmarks.cuda compiles, so that they are there when times are taken.
PEERS = "from benchmarks.peers import extension_cuda, thc_call; extension_cuda.load(), thc_call.load()"


class Step(NamedTuple):
    part: str
    name: str
    command: list
    limit: int  # seconds
    needs: tuple = ()  # tools, and modules of Python
    alone: bool = False  # nothing else runs meanwhile


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
    yield Step("build", "extension", [python, "ffi_build.py"], 300, (*compilers, GPU, "cffi"), True)
    configure = [cmake, "--log-level=WARNING", "-S", ROOT, "-B", BUILD, "-DTORCHTHAW_GPU_TESTS=ON"]
    if not (BUILD / "CMakeCache.txt").exists():
        configure += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}"]
    yield Step("build", "configure", configure, 60, compilers, True)
    yield Step("build", "runtimes and tests", [*build, "legacy", "gpu_tests"], 400, compilers, True)
    yield Step("build", "peers", [python, "-c", PEERS], 300, ("nvcc", "ninja", GPU, "cffi"), True)

    ctest = [tool("ctest"), "--test-dir", BUILD, "-L", "gpu", "--no-tests=error", "--output-on-failure",
             "--parallel", "4"]  # fmt: skip
    yield Step("test", "kernels", ctest, 200, ("ctest",))
    for path in sorted((TESTS / "cuda" / "gpu").glob("test_*.py")):
        yield Step("test", path.stem, [*PYTEST, path.relative_to(ROOT)], 400, (GPU, *MODULES))
    for path in sorted({*HOST.glob("test_cuda_*.py")} - {HOST / "test_cuda_checks.py"}):
        # They compile most of the time.
        yield Step("test", path.stem, [*PYTEST, "-n", "4", path.relative_to(ROOT)], 600, (GPU, *MODULES, "nvcc"))

    calls = [python, TESTS / "portable" / "cuda" / "calls.py", LOGS / "portable"]
    yield Step("test", "portable extensions", calls, 600, (GPU, "nvcc", "ninja", "yaml"))

    for check, options in SANITIZERS.items():
        for program in programs():
            command = [tool("compute-sanitizer"), "--tool", check, "--error-exitcode", "9", *options]
            yield Step("sanitize", f"{check}: {program}", [*command, BUILD / "bin" / program], 300,
                       ("compute-sanitizer",))  # fmt: skip

    yield Step("times", "times", [python, "-m", "benchmarks.cuda", "0.5", results], 500,
               (GPU, "cffi", "nvcc"), True)  # fmt: skip


@functools.cache
def has(name):
    if name == GPU:
        asks = "import torch, sys; sys.exit(not torch.cuda.is_available())"
        return subprocess.run([sys.executable, "-c", asks], capture_output=True).returncode == 0
    return bool(importlib.util.find_spec(name) if name in MODULES else shutil.which(tool(name)))


def lacking(step):
    """What the step needs and this machine has not."""
    return [name for name in step.needs if not has(name)]


def log(step):
    """The file that takes what it prints."""
    return LOGS / f"{step.part}-{re.sub(r'[^a-z0-9]+', '-', step.name)}.log"


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
        with log(step).open("w") as printed:
            code = subprocess.run(command, cwd=ROOT, env=environment, timeout=step.limit, stdout=printed,
                                  stderr=subprocess.STDOUT).returncode  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"took longer than {step.limit} s"
    except OSError as error:
        return str(error)
    return "ok" if code == 0 else f"failed with {code}"


def timed(step):
    begin = time.monotonic()
    return step, run(step), time.monotonic() - begin


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=PARTS, help="only this one; may be given again")
    parser.add_argument("--only", metavar="REGEX", default="", help="only the steps in whose names this is found")
    parser.add_argument("--list", action="store_true", help="print the steps and run none")
    parser.add_argument("--results", type=Path, default=cards.RESULTS, help="folder for what was found")
    return parser.parse_args()


def main():
    chosen = options()
    wanted = [step for step in steps(chosen.results) if step.part in (chosen.part or PARTS)]
    wanted = [step for step in wanted if re.search(chosen.only, step.name)]
    if chosen.list:
        for step in wanted:
            missing = [f"  (no {name})" for name in lacking(step)]
            print(f"{step.part:9} {step.name:34}", *step.command, *missing)
        return
    card = cards.name()
    if not card:
        sys.exit("make gpu-check: no NVIDIA GPU on this machine, nothing was checked.")
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    table, found = [], {}
    for alone, together in itertools.groupby(wanted, lambda step: step.alone):
        with ThreadPoolExecutor(1 if alone else os.cpu_count()) as pool:
            for done in as_completed([pool.submit(timed, step) for step in together]):
                step, outcome, seconds = done.result()
                table.append(f"{step.part:9} {step.name:34} {seconds:6.1f} s  {outcome}")
                print(table[-1], flush=True)
                if log(step).exists() and (outcome != "ok" or step.part == "times"):
                    print(*log(step).read_text().splitlines()[-60:], sep="\n", flush=True)
                found.setdefault(step.part, {})[step.name] = outcome
                cards.keep(card, f"check: {step.part}", found[step.part], chosen.results)
    print("\n".join(["", card, *table]))
    bad = [name for outcomes in found.values() for name, outcome in outcomes.items() if outcome != "ok"]
    sys.exit(f"make gpu-check: {', '.join(bad)}" if bad else 0)


if __name__ == "__main__":
    main()
