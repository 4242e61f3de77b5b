"""tests/portable/test_portable_calls.py: calls of a portable extension give what they give with PyTorch's own headers.

record.py has recorded that. The calls run with operators by their C++ names, by Python, and without each function of
portable/pytorch.h that has another way.
"""

import json
import re
import subprocess
import sys

import pytest
from record import HERE, SCRIPTS, is_better

from support import SRC, table_host
from support.messages import names

PAGE = (SRC / "torchthaw" / "portable" / "include" / "portable" / "pytorch.h").read_text()
# name, and what is done without it
ROWS = re.findall(r'^    _\((\w+),.*?"([^"]*)"\)', re.sub(r"\s*\\\n\s+(?=\(|\")", " ", PAGE), re.M)
NEEDED = [name for name, without in ROWS if without == "import fails"]
OTHERS = [name for name, without in ROWS if without != "import fails"]


def expected(name):
    return json.loads((HERE / "expected" / f"{name}.json").read_text())["calls"]


def differing(name, found):
    recorded = expected(name)
    assert recorded.keys() == found.keys()
    return {
        call: (recorded[call], value)
        for call, value in found.items()
        if value != recorded[call] and not is_better(name, call)
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_calls_give_what_they_give_with_pytorch_s_headers(given, name):
    assert not differing(name, given(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_same_by_python(given, name):
    assert not differing(name, given(name, TORCHTHAW_NO_MANGLED_NAMES="1"))


def test_the_page_has_rows_of_both_kinds():
    assert len(NEEDED) > 10 and len(OTHERS) > 10
    assert len(ROWS) == len(re.findall(r"^    _\(", PAGE, re.M))


@pytest.fixture(scope="module")
def without(binary):
    """{row, or rows: results without it, or the text of the error}"""
    # Where no function makes an object of Python from a tensor, Python's own is called.
    rows = [
        *NEEDED,
        *OTHERS,
        "wrap,wrap_moved",
        "wrap,wrap_moved,wrap_value",
        "parallel_for,gomp_parallel",
        ",".join(OTHERS),
    ]
    command = [sys.executable, HERE / "without_rows.py", binary("tensors"), *rows]
    done = subprocess.run(command, capture_output=True, text=True, env=table_host.of_a_host(SRC))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_the_same_without_each_function_of_pytorch_that_has_another_way(without):
    served = {rows: found for rows, found in without.items() if rows not in NEEDED}
    assert len(served) > 15
    for rows, found in served.items():
        assert not differing("tensors", found), rows


@pytest.mark.slow
@pytest.mark.parametrize("row", NEEDED)
def test_a_pytorch_without_what_is_needed_is_refused(without, row):
    symbol = re.search(rf'_\({row},\s+"(\w+)"', PAGE)[1]
    assert f"needs {symbol}, which PyTorch" in without[row]


@pytest.mark.slow
def test_gradients_without_any_of_them(given):
    assert not differing(
        "functions", given("functions", TORCHTHAW_PORTABLE_WITHOUT=",".join(OTHERS), TORCHTHAW_NO_MANGLED_NAMES="1")
    )


LOAD = """
import importlib.util, sys
import torch
{before}
spec = importlib.util.spec_from_file_location("tensors", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
{after}
"""
# How many operators were called by Python.
COUNTED = """
count = 0
for name in ("add", "mul"):
    overload = getattr(torch.ops.aten, name).Tensor
    original = type(overload).__call__
def counting(self, *given, **named):
    global count
    count += 1
    return original(self, *given, **named)
type(overload).__call__ = counting
"""
USED = "x = torch.ones(2, 2)\nassert module.sum_tensors([x, x]).eq(2).all()\nprint(count)"


def load(binary, before="", after="", **variables):
    text = LOAD.format(before=before, after=after)
    return subprocess.run(
        [sys.executable, "-c", text, binary("tensors")],
        capture_output=True,
        text=True,
        env={**table_host.of_a_host(SRC), **variables},
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "by_python"),
    [("2.4.0", False), ("2.13.0+cpu", False), ("2.15.9", False), ("2.16.0a0+git1", True), ("3.0", True)],
)
def test_a_pytorch_newer_than_all_that_were_tested_is_called_by_python(binary, version, by_python):
    done = load(binary, f"torch.__version__ = {version!r}\n{COUNTED}", USED)
    assert done.returncode == 0, done.stderr
    assert (int(done.stdout) > 0) == by_python


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.3.1", "1.13.1"])
def test_an_older_pytorch_is_refused(binary, version):
    done = load(binary, f"torch.__version__ = {version!r}")
    assert done.returncode == 1 and re.search(names("ImportError", "PyTorch", "2.4", version), done.stderr)


# Stands before PyTorch's at::_ops::full::call, and gives what it must not.
WRONG = """
#include <stdexcept>
extern "C" void *wrong(void *) __asm__("{symbol}");
void *wrong(void *) {{ throw std::runtime_error("wrong"); }}
"""


@pytest.mark.slow
def test_a_trial_that_fails_leads_to_python(binary, tmp_path):
    found = subprocess.run(
        ["nm", "-D", "--undefined-only", binary("tensors")], capture_output=True, text=True, check=True
    ).stdout
    symbol = re.search(r"\bw (_ZN2at4_ops4full4call\w+)", found)[1]
    (tmp_path / "wrong.cpp").write_text(WRONG.format(symbol=symbol))
    library = tmp_path / "wrong.so"
    subprocess.run(["c++", "-shared", "-fPIC", tmp_path / "wrong.cpp", "-o", library], check=True)
    done = load(binary, COUNTED, USED, LD_PRELOAD=str(library))
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


@pytest.mark.slow
def test_no_name_of_pytorch_is_strong_and_nothing_else_is_exported(binary):
    def listed(*options):
        return subprocess.run(
            ["nm", "-D", *options, binary("tensors")], capture_output=True, text=True, check=True
        ).stdout

    undefined = [line.split() for line in listed("--undefined-only").splitlines()]
    strong = [
        name
        for kind, name in undefined
        if kind != "w" and re.search(r"_ZN?K?2at|_ZN?K?3c10|_ZN?K?5torch|torch_|THP", name)
    ]
    assert not strong and sum(kind == "w" for kind, _ in undefined) > 100
    assert [line.split()[-1] for line in listed("--defined-only").splitlines()] == ["PyInit_tensors"]


@pytest.mark.slow
def test_threads_and_errors_leave_nothing_behind(binary):
    done = load(
        binary, "", """
import gc, threading
x = torch.ones(3, 3, dtype=torch.float64)
def work():
    for _ in range(2000):
        module.arithmetic(x, x)
        try:
            module.wrong_shapes(x, torch.ones(2, 2, dtype=torch.float64))
        except RuntimeError:
            pass
def tensors():
    gc.collect()
    return sum(isinstance(each, torch.Tensor) for each in gc.get_objects())
work()
before, references = tensors(), sys.getrefcount(x)
threads = [threading.Thread(target=work) for _ in range(3)]
for each in threads: each.start()
for each in threads: each.join()
assert (tensors(), sys.getrefcount(x)) == (before, references)
""",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_memory_of_others_is_freed_with_the_last_tensor(binary):
    done = load(
        binary, "", "import gc\nx = module.of_vector()\ny = x[1:]\ndel x\ngc.collect()\nassert y.tolist() == [2.0, 3.0]"
    )
    assert done.returncode == 0, done.stderr
