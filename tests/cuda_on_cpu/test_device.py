# tests/cuda_on_cpu/test_device.py: PyTorch's CUDA device on the CPU, in processes that `run` starts; the cases are in
# device_cases.py.
import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from support import ROOT, SRC, cuda_device
from torchthaw.cuda_on_cpu import build_device, torch_c

HERE = Path(__file__).parent
pytestmark = cuda_device.NEEDED
CASES = [
    each.name
    for each in ast.parse((HERE / "device_cases.py").read_text()).body
    if isinstance(each, ast.FunctionDef) and each.name not in ("main", "raises", "on_both")
]


def run(*words, **variables):
    return subprocess.run(
        [sys.executable, "-m", "torchthaw", "run", *map(str, words)], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC), "TORCHTHAW_CUDA": "cpu", **variables},
    )  # fmt: skip


@pytest.fixture(scope="module")
def results():
    made = run(HERE / "device_cases.py")
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_case(results, case):
    assert results[case] == "", results[case]


@pytest.mark.slow
def test_the_check_finds_nothing_in_them():
    """PyTorch's own operators use memory of the device, which the check forbids to code of the host."""
    made = run(HERE / "device_cases.py", TORCHTHAW_CUDA_CHECK="1")
    assert made.returncode == 0 and "check:" not in made.stderr, made.stderr
    failed = {name: text for name, text in json.loads(made.stdout.splitlines()[-1]).items() if text}
    assert not failed, failed


@pytest.mark.slow
def test_a_line_says_so():
    made = run("-c", "import torch; print(torch.cuda.is_available())")
    assert made.stdout == "True\n"
    assert [line for line in made.stderr.splitlines() if "TORCHTHAW_CUDA=cpu" in line and "CPU" in line]


@pytest.mark.slow
def test_never_by_itself(tmp_path):
    code = (
        "import torch; print(torch.cuda.is_available(), torch.version.cuda, hasattr(torch._C, '_cuda_init'), "
        "hasattr(torch._C, '_cudnn'), hasattr(torch.ops.cuda_on_cpu, 'resize_storage'))"
    )
    plain = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    expected = plain.stdout
    assert expected.endswith(" False\n"), plain.stderr
    if torch.version.cuda is None:
        assert expected == "False None False False False\n"
    assert run("-c", code, TORCHTHAW_CUDA="").stdout == expected
    without_run = subprocess.run(
        [sys.executable, "-c", "import torchthaw\n" + code], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC), "TORCHTHAW_CUDA": "cpu"},
    )  # fmt: skip
    assert without_run.stdout == expected, without_run.stderr


def test_an_unknown_value():
    made = run("-c", "pass", TORCHTHAW_CUDA="gpu")
    assert made.returncode != 0 and all(word in made.stderr for word in ("TORCHTHAW_CUDA", "cpu", "gpu"))


@pytest.mark.slow
def test_a_process_after_backward_ends_quietly():
    code = "import torch; x = torch.ones(3, device='cuda', requires_grad=True); (x * x).sum().backward()"
    for _ in range(3):
        made = run("-c", code)
        assert made.returncode == 0 and "terminate" not in made.stderr, made.stderr


@pytest.mark.parametrize(
    ("version", "cuda", "hip", "words"),
    [
        ("2.6.0", None, None, ["2.7", "2.6.0"]), ("2.6.0+cu130", "13.0", None, ["2.7", "2.6.0"]),
        ("2.7.0+cu118", "11.8", None, ["for CPUs", "CUDA 12 or 13", "2.7.0+cu118", "11.8"]),
        ("2.9.0+rocm6", None, "6.4", ["for CPUs", "2.9.0+rocm6", "AMD"]),
    ],
)  # fmt: skip
def test_a_pytorch_that_has_no_device(tmp_path, version, cuda, hip, words):
    (tmp_path / "version.py").write_text(f"__version__ = {version!r}\ncuda = {cuda!r}\nhip = {hip!r}\n")
    with pytest.raises(RuntimeError) as raised:
        build_device.library(str(tmp_path))
    assert all(word in str(raised.value) for word in words)


@pytest.mark.parametrize(("cuda", "kind"), [(None, "for_cpus"), ("12.8", "for_gpus"), ("13.2", "for_gpus")])
def test_the_kind_of_pytorch_chooses_the_sources(tmp_path, cuda, kind):
    (tmp_path / "version.py").write_text(f"__version__ = '2.13.0'\ncuda = {cuda!r}\n")
    chosen = build_device.sources(build_device.PyTorch(str(tmp_path)))
    folders = {path.parent.name for path in chosen}
    assert folders == {"device", kind} and {path.name for path in chosen} >= {
        "fallback.cpp",
        "allocator.cpp",
        "generator.cpp",
    }


@pytest.mark.slow
def test_two_processes_build_it_once(tmp_path, monkeypatch):
    code = f"""
import sys, time
sys.path[:0] = [{str(SRC)!r}]
from pathlib import Path
from torchthaw.cuda_on_cpu import build_device

def build(folder, torch):
    time.sleep(1)
    with open({str(tmp_path / "built")!r}, "a") as file:
        file.write("x")
    (folder / build_device.NAME).write_text("")

build_device._build = build
print(build_device.library({os.path.dirname(torch.__file__)!r}))
"""
    environment = {**os.environ, "TORCHTHAW_CACHE": str(tmp_path / "cache")}
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(2)
    ]
    paths = {process.communicate()[0] for process in processes}
    assert len(paths) == 1 and (tmp_path / "built").read_text() == "x"


# ---- What PyTorch's own Python looks for in torch._C -----------------------------------------------------------------

# Looked for by parts of torch.cuda that have an error of their own without them.
LEFT = re.compile(r"_cuda_(tunableop|record_untuned|\w*Cublas(Lt)?Workspace|get(Hipblaslt|Memory)|setMemoryMetadata|alloc|get_conv"
                  r"|(get|set)_cudnn|\w*Pool\w*)")  # fmt: skip


def test_torch_cuda_finds_what_it_looks_for():
    folder = Path(torch.__file__).parent / "cuda"
    asked = {name for path in folder.rglob("*.py") for name in re.findall(r"torch\._C\.(_cuda_\w+)", path.read_text())}
    given = {*torch_c.REFUSED, *re.findall(r'"(_\w+)": ', Path(torch_c.__file__).read_text())}
    missing = {name for name in asked - given if not LEFT.match(name)}
    assert len(asked) > 30 and not missing, missing


# ---- The wheel: the device is compiled on the user's machine ---------------------------------------------------------


def test_no_library_of_the_wheel_links_pytorch():
    libraries = [path for path in (ROOT / "build" / "lib").glob("*.so*") if not path.is_symlink()]
    assert any(path.name.startswith("libcuda_on_cpu.so") for path in libraries)
    for path in libraries:
        made = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True)
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", made.stdout)
        assert needed and not [name for name in needed if re.match(r"lib(torch|c10|shm)", name)], path
