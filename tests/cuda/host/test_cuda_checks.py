"""tests/cuda/host/test_cuda_checks.py: make gpu-check and make cuda-check, as far as they go without a GPU."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import cards
from support import ROOT, SRC
from support.cuda_toolkit import toolkit_or_skip
from torchthaw.base import toolchain

BUILD = ROOT / "build"
toolkit = toolkit_or_skip()


def script(name):
    """A module of .ci/, which may import those beside it."""
    sys.path[:0] = [str(ROOT / ".ci")] * (str(ROOT / ".ci") not in sys.path)
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gpu_check, cuda_check, cuda_samples = script("gpu_check"), script("cuda_check"), script("cuda_samples")


def run(*command, **environment):
    done = subprocess.run(
        [str(part) for part in command], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": str(SRC), **environment},
    )  # fmt: skip
    return done.returncode, done.stdout


# The steps of make gpu-check


@pytest.mark.slow
def test_steps_name_what_is_there(tmp_path):
    """Files, modules, targets of CMake, and the programs that ctest knows by the label."""
    cmake, build = toolchain.tool("cmake"), tmp_path / "build"
    code, out = run(
        cmake, "--log-level=WARNING", "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={toolchain.tool('ninja')}", "-S", ROOT,
        "-B", build, "-DTORCHTHAW_GPU_TESTS=ON", f"-DPython_EXECUTABLE={sys.executable}",
    )  # fmt: skip
    assert code == 0, out
    found = json.loads(run(toolchain.tool("ctest"), "--test-dir", build, "-L", "gpu", "--show-only=json-v1")[1])
    labelled = {test["name"] for test in found["tests"]}
    assert labelled == {*gpu_check.programs(), "cuda_thc_fault"}
    targets = {line.partition(":")[0] for line in run(cmake, "--build", build, "--target", "help")[1].splitlines()}

    steps = list(gpu_check.steps())
    assert {step.part for step in steps} == set(gpu_check.PARTS)
    for step in steps:
        words = [str(word) for word in step.command]
        paths = [word for word in words if word.endswith((".py", ".sh"))]
        assert all((ROOT / path).exists() for path in paths), step
        if "-m" in words:
            assert importlib.util.find_spec(words[words.index("-m") + 1]), step
        if "--target" in words:
            assert targets >= set(words[words.index("--target") + 1 :]), step
        if step.part == "sanitize":
            assert Path(words[-1]).name in labelled and Path(words[-1]).parent == BUILD / "bin"
    named = {str(word) for step in steps for word in step.command}
    assert {f"tests/cuda/gpu/{path.name}" for path in (ROOT / "tests" / "cuda" / "gpu").glob("test_*.py")} <= named


@pytest.mark.slow
@pytest.mark.skipif(not (BUILD / "CMakeCache.txt").exists(), reason="no build/")
def test_programs_for_a_gpu_compile_and_link():
    code, out = run(toolchain.tool("cmake"), "--build", BUILD, "--target", "gpu_tests")
    assert code == 0, out
    for program in gpu_check.programs():
        assert (BUILD / "bin" / program).exists()


def pretended(tmp_path, *arguments, **scripts):
    """gpu_check.py with these commands before all others on PATH: its exit status, its output, what it kept."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in scripts.items():
        (folder / name.replace("_", "-")).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name.replace("_", "-")).chmod(0o755)
    results = tmp_path / "results"
    results.mkdir()
    code, out = run(
        sys.executable, ".ci/gpu_check.py", "--results", results, *arguments,
        PATH=f"{folder}{os.pathsep}{os.environ['PATH']}",
    )  # fmt: skip
    return code, out, {path.name: json.loads(path.read_text()) for path in results.iterdir()}


SMI = 'echo "Pretended Card (TM)"'


def test_a_failing_step_is_named_and_the_others_are_run(tmp_path):
    sanitizer = f'echo "$@" >> {tmp_path}/calls; case "$*" in *racecheck*cuda_lltm) exit 9;; esac'
    code, out, kept = pretended(tmp_path, "--part", "sanitize", nvidia_smi=SMI, compute_sanitizer=sanitizer)
    assert code == 1 and out.splitlines()[-1] == "make gpu-check: racecheck: cuda_lltm"
    calls = (tmp_path / "calls").read_text().splitlines()
    assert len(calls) == 2 * len(gpu_check.programs()) and all("--error-exitcode 9" in call for call in calls)
    ((name, record),) = kept.items()
    assert name == "pretended-card-tm.json" and record["device"] == "Pretended Card (TM)"
    outcomes = record["check: sanitize"]
    assert outcomes.pop("date") == cards.date.today().isoformat()
    assert {step: outcome for step, outcome in outcomes.items() if outcome != "ok"} == {
        "racecheck: cuda_lltm": "failed with 9"
    }


# make cuda-check refuses

SPILLS = """
__global__ void spills(const float *in, float *out) {
    float held[64];
    for (int i = 0; i < 64; i++) held[i] = in[i * 32 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 64; i++) out[i * 32 + threadIdx.x] = held[63 - i] * held[i];
}
"""
WARNS = "__global__ void warns(int *out) { int unused; out[0] = 1; }\n"


@pytest.mark.slow
@pytest.mark.parametrize("source, options, said", [
    (SPILLS, ["-maxrregcount=32"], "spilled"), (WARNS, [], "unused"), ("__global__ void fine() {}\n", [], ""),
], ids=["spill", "warning", "neither"])  # fmt: skip
def test_flags_of_cuda_check_refuse(tmp_path, source, options, said):
    (tmp_path / "kernel.cu").write_text(source)
    command = [toolkit.nvcc, "-arch=sm_75", *cuda_check.REFUSED, *options, "-c", "kernel.cu", "-o", tmp_path / "x.o"]
    done = subprocess.run([str(part) for part in command], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode != 0) == bool(said) and said in done.stderr + done.stdout


DUMP = """
Fatbin elf code:
================
arch = sm_{}

Resource usage:
 Common:
  GLOBAL:0
 Function _Z4fillPf:
  REG:12 STACK:0 SHARED:{} LOCAL:0 CONSTANT[0]:368 TEXTURE:0 SURFACE:0 SAMPLER:0
"""


def test_table_of_cuda_check_names_what_is_missing(tmp_path, capsys):
    found, missing = cuda_check.ARCHITECTURES[:-1], cuda_check.ARCHITECTURES[-1]
    tool = tmp_path / "cuobjdump"
    tool.write_text("#!/bin/sh\ncat <<'END'\n" + "".join(DUMP.format(name, 64) for name in found) + "END\n")
    tool.chmod(0o755)
    lines = cuda_check.report(tmp_path / "libx.so", *cuda_check.resources(tool, tmp_path / "libx.so"))
    assert lines == [f"libx.so: fill is missing for sm_{missing}", f"libx.so: no PTX for sm_{missing}"]
    assert capsys.readouterr().out.splitlines()[-1].split() == ["fill", *["12", "64", "B"] * len(found)]


# The samples of C++ extensions with CUDA


def test_every_cuda_sample_is_compiled():
    samples = ROOT / "examples" / "legacy" / "cpp_extension"
    assert sorted(cuda_samples.SAMPLES) == sorted(
        {path.relative_to(samples).parts[0] for path in samples.rglob("*.cu")}
    )
