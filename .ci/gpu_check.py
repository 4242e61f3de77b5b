"""gpu_check.py: builds, tests and times the CUDA operators where there is a GPU.

    make gpu-check            or, on a machine without .venv:  PYTHONPATH=. python3 .ci/gpu_check.py

Needs nvcc, CMake, ninja, and a Python that imports a PyTorch with CUDA, cffi and pytest. Everything is run even if a
part fails; the parts that failed are named at the end.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
TESTS = ["elementwise", "batch_norm2d", "linear", "lltm", "lltm_sequence"]


def tool(name):
    return shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}") or name


def has_gpu():
    smi = shutil.which("nvidia-smi")
    return bool(smi) and subprocess.run([smi, "-L"], capture_output=True, text=True).stdout.startswith("GPU")


def steps():
    """(name, command, seconds that it may take) in order."""
    cmake, python = tool("cmake"), sys.executable
    yield "build", [python, "ffi_build.py"], 300
    yield "configure", [cmake, "--log-level=WARNING", "-S", ROOT, "-B", BUILD, "-DTORCHTHAW_GPU_TESTS=ON"], 60
    programs = [f"cuda_{name}" for name in TESTS]
    yield "build the tests", [cmake, "--build", BUILD, "--parallel", os.cpu_count(), "--target", *programs], 200
    yield "kernels", [tool("ctest"), "--test-dir", BUILD, "-L", "gpu", "--output-on-failure"], 120
    yield "operators", [python, "-m", "pytest", "-q", "tests/cuda/operators.py", "tests/cuda/on_gpu.py"], 120
    sanitizer = shutil.which("compute-sanitizer")
    for check in ("memcheck", "racecheck") if sanitizer else ():
        for program in programs:
            command = [sanitizer, "--tool", check, "--error-exitcode", "9", BUILD / "bin" / program]
            yield f"{check}: {program}", command, 100
    yield "times", [python, "-m", "benchmarks.cuda", "2"], 200


def main():
    if not has_gpu():
        sys.exit("make gpu-check: no NVIDIA GPU on this machine, nothing was checked.")
    path = os.pathsep.join(filter(None, [str(ROOT), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]))
    failed, lines = [], []
    for name, command, limit in steps():
        print(f"== {name}", flush=True)
        begin = time.monotonic()
        try:
            code = subprocess.run(
                [str(part) for part in command], cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, timeout=limit
            ).returncode
            outcome = "ok" if code == 0 else f"failed with {code}"
        except subprocess.TimeoutExpired:
            outcome = f"took longer than {limit} s"
        except OSError as error:
            outcome = str(error)
        lines.append(f"{name:30} {time.monotonic() - begin:6.1f} s  {outcome}")
        if outcome != "ok":
            failed.append(name)
            if name.startswith(("build", "configure")):
                break
    if not shutil.which("compute-sanitizer"):
        lines.append("memcheck, racecheck: left out, no compute-sanitizer on PATH")
    print("\n".join(["", *lines]))
    sys.exit(f"make gpu-check: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
