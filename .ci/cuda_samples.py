"""cuda_samples.py: compiles the CUDA code of examples/legacy/cpp_extension against a PyTorch with CUDA, without a GPU.

    make cuda-check          this is its second half

Each sample is built by `python -m torchthaw run`, unmodified and once more after `doctor --apply`; both results must
hold code for the architecture that was asked for, load, and pass the sample's own test on the CPU. PyTorch is the
recorded newest one, in an environment that is removed at the end. Needs nvcc.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import compat
import cuda_check

from torchthaw.extension import cuda

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "cuda-check" / "cpp_extension"
# Each with the patch that it no longer needs after the doctor's edits; pairwise keeps THCNumerics and THCudaBlas.
SAMPLES = {"lltm": "cpp_extension", "pairwise": ""}
WAYS = ["unmodified", "after doctor --apply"]
ARCHITECTURE = "8.0"
PACKAGES = ["cffi", "ninja", "numpy", "setuptools"]
HEADERS = """
from torchthaw.extension import cuda
from torchthaw.extension import nvidia_packages
packages = nvidia_packages.folder(cuda.toolkit())
print(packages / "include" if packages else "")
"""


def missing_headers(python, variables):
    """A folder of those headers that PyTorch's packages have and the toolkit lacks; empty where it lacks none.

    `run` finds them itself; PyTorch alone needs them in CPATH.
    """
    environment = {**variables, "PYTHONPATH": os.fspath(ROOT / "src")}
    done = subprocess.run([python, "-c", HEADERS], env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def build(sample, way, python, variables, log):
    """What is wrong with the result, as lines."""
    edited = way != "unmodified"
    project = FOLDER / f"{sample}, {way}"
    compat.remove(project)
    shutil.copytree(ROOT / "examples" / "legacy" / "cpp_extension" / sample, project)
    environment = {**variables, "TORCHTHAW_NO_PATCH": SAMPLES[sample] if edited else ""}
    if environment["TORCHTHAW_NO_PATCH"]:
        environment["CPATH"] = missing_headers(python, variables)
    doctor = [["doctor", ".", "--apply"]] if edited else []
    for step in (*doctor, ["run", "setup.py", "build_ext", "--inplace"], ["run", "test.py"]):
        if compat.run([python, "-m", "torchthaw", *step], log, cwd=project, env=environment):
            return [f"{sample}, {way}: {' '.join(step)} failed"]
    wanted = ARCHITECTURE.replace(".", "")
    for library in project.rglob("*.so"):
        kernels, _ = cuda_check.resources(cuda_check.cuobjdump(), library)
        if kernels and all(wanted in each for each in kernels.values()):
            print(f"{sample}, {way}: {len(kernels)} kernels for sm_{wanted}", flush=True)
            return []
    return [f"{sample}, {way}: no library with kernels for sm_{wanted}"]


def main():
    compat.set_signals()
    try:
        toolkit = cuda.toolkit()
    except FileNotFoundError:
        sys.exit("make cuda-check: no nvcc was found, the samples are not checked.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    log = FOLDER / "log"
    log.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER, prefix="environment-") as prefix:
        python, version = Path(prefix) / "bin" / "python", compat.recorded()
        if not compat.install(sys.executable, Path(prefix), version, PACKAGES, True, log, None):
            raise compat.CellError(f"PyTorch {version} has no wheel for this Python")
        variables = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
            "PYTHONPATH": os.fspath(ROOT / "src"),
            "PATH": os.pathsep.join([os.fspath(python.parent), os.environ["PATH"]]),
            "CUDA_HOME": os.fspath(toolkit.root), "TORCH_CUDA_ARCH_LIST": ARCHITECTURE, "TORCHTHAW_BUILD_CUDA": "1",
        }  # fmt: skip
        bad = [line for sample in SAMPLES for way in WAYS for line in build(sample, way, python, variables, log)]
    sys.exit("\n".join([*bad, f"see {log}"]) if bad else 0)


if __name__ == "__main__":
    try:
        main()
    except compat.CellError as error:
        sys.exit(f"make cuda-check: {error}")
