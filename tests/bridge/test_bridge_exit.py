"""tests/bridge/test_bridge_exit.py: a process that ends while a thread is in a call has the status that plain cffi gives it.

At its end, Python <= 3.13 ends each thread that asks for the GIL by pthread_exit(), wherever it is.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest

from support import ROOT, SRC, TESTS, bridge_probe, kernels_probe

# How the process ends: code, and its exit status.
ENDINGS = {
    "main": ("pass", 0), "_exit": ("os._exit(7)", 7), "exec": ("os.execv('/bin/sh', ['sh', '-c', 'exit 3'])", 3),
    "SIGTERM": ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)", -15), "error": ("sys.exit('failed')", 1),
}  # fmt: skip

# What the thread does for half a second, or for as long as the process lives where it is a daemon.
CALLS = {
    "idle": "time.sleep(0.01)",
    "in C": "probe.sleep_ms(10)",
    "in a callback": "probe.call_back(paused, 3)",
    "in a nested callback": "probe.call_back(nested, 3)",
    "in a failing call": "expect(RuntimeError, probe.throw_exception, 1, None)",
    "in a refused call": "expect(TypeError, probe.read_float, object())",
    "in an operator": "kernels.twice(torch.ones(100_000, dtype=torch.float64), 100_000)",
    "in a failing operator": "expect(RuntimeError, kernels.throwing, torch.ones(1), 1)",
    "in plain cffi": "lib.call_back(paused, 3)",
}

SCRIPT = """
import os, signal, sys, threading, time
from pathlib import Path
from support.bridge_probe import load
probe = load(Path({probe!r}), "probe")
{kernels}
lib = probe._extension.lib
ffi = probe._extension.ffi

def pause(value):
    time.sleep(0.005)
    return value

paused = ffi.callback("int(int)", pause)
nested = ffi.callback("int(int)", lambda value: probe.call_back(paused, value))

def expect(error, function, *arguments):
    try:
        function(*arguments)
    except error:
        return
    raise AssertionError("nothing was raised")

def work():
    started.set()
    ends = time.monotonic() + 0.5
    while {daemon} or time.monotonic() < ends:
        {call}

started = threading.Event()
threads = [threading.Thread(target=work, daemon={daemon}) for _ in range(3)]
for thread in threads:
    thread.start()
started.wait()
time.sleep(0.05)
{ending}
"""
KERNELS = """
import torch
load(Path({kernels!r}), "probe_kernels")
kernels = torch.ops._ext_probe_kernels
"""


def pythons():
    """This Python, and those of other versions on PATH that have cffi."""
    found = {"python": sys.executable}
    for minor in range(10, 15):
        name = f"python3.{minor}"
        other = shutil.which(name) if minor != sys.version_info.minor else None
        if other and subprocess.run([other, "-c", "import cffi"], capture_output=True).returncode == 0:
            found[name] = other
    return found


PYTHONS = pythons()


@pytest.mark.slow
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("daemon", [True, False], ids=["daemon", "joined"])
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("call", CALLS)
def test_exit(call, ending, daemon, python):
    if "operator" in call and daemon and ending in ("main", "error"):
        pytest.skip("PyTorch takes operators of torch.library back at exit, while threads call them")
    code, status = ENDINGS[ending]
    kernels = ""
    if "operator" in call:
        kernels = KERNELS.format(kernels=str(kernels_probe.folder() / "_ext" / "probe_kernels"))
    script = SCRIPT.format(
        probe=str(bridge_probe.folder() / "_ext" / "probe"), kernels=kernels, daemon=daemon, call=CALLS[call],
        ending=code,
    )  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": f"{SRC}:{TESTS}"}
    if kernels and python != "python":
        pytest.skip("only this Python has PyTorch")
    done = subprocess.run([PYTHONS[python], "-c", script], env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == status, done.stderr
    assert done.stderr == ("failed\n" if ending == "error" else "")


# A kernel of CUDA code on the CPU has a stack of its own, at whose end a thread cannot go on to unwind.
NOT_CROSSED = {"src/torchthaw/cuda_on_cpu/runtime/execution/block.cpp"}


def test_no_handler_keeps_a_thread_that_ends():
    """glibc aborts where a handler of everything does not throw the end of a thread on."""
    found = set()
    for path in (path for folder in ("c_api", "src") for path in (ROOT / folder).rglob("*") if path.is_file()):
        if path.suffix in (".h", ".hpp", ".c", ".cpp", ".cu", ".cuh"):
            text = path.read_text()
            for match in re.finditer(r"catch \(\.\.\.\) \{", text):
                before = text[: match.start()].rpartition("try")[2]
                body = text[match.end() :].partition("}")[0]
                if "abi::__forced_unwind" not in before and "throw;" not in body:
                    found.add(str(path.relative_to(ROOT)))
    assert found == NOT_CROSSED
