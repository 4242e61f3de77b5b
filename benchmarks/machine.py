"""benchmarks/machine.py: what the figures were measured on, and whether it was idle."""

import os
import platform
import re
import subprocess
import time
from contextlib import contextmanager

IDLE_ENOUGH = 0.97  # share of a core's time that must be free of other programs


def read_cpu_times(text):
    """/proc/stat → {core: (idle, total)} in clock ticks; stolen time counts as busy."""
    times = {}
    for line in text.splitlines():
        match = re.match(r"cpu(\d+) (.*)", line)
        if match:
            # user nice system idle iowait irq softirq steal; guest is inside user
            ticks = [int(t) for t in match[2].split()[:8]]
            times[int(match[1])] = (ticks[3] + ticks[4], sum(ticks))
    return times


def idle_shares(before, after):
    """Share of the time between two readings that each core was idle, 0 to 1."""
    shares = {}
    for core, (idle, total) in after.items():
        if core in before and total > before[core][1]:
            shares[core] = (idle - before[core][0]) / (total - before[core][1])
    return shares


def _cpu_times():
    with open("/proc/stat") as file:
        return read_cpu_times(file.read())


def watch(seconds):
    """Idle share, 0 to 1, of each core this process may use, over ``seconds``."""
    before = _cpu_times()
    time.sleep(seconds)
    shares = idle_shares(before, _cpu_times())
    return {core: shares.get(core, 1.0) for core in sorted(os.sched_getaffinity(0))}


def idle_cores(count, patience=10.0, seconds=1.0):
    """``count`` cores that all stay idle for ``seconds`` seconds, or None.

    Keeps looking for ``patience`` seconds.
    """
    deadline = time.monotonic() + patience
    while True:
        shares = watch(seconds)
        free = [c for c in sorted(shares, key=shares.get, reverse=True) if shares[c] >= IDLE_ENOUGH]
        if len(free) >= count:
            return sorted(free[:count])
        if time.monotonic() > deadline:
            return None


def pin_one():
    """Bind this process to the core that is least busy now; returns its number."""
    shares = watch(0.3)
    core = max(shares, key=lambda c: (shares[c], c))
    os.sched_setaffinity(0, {core})
    return core


def others_share(before, after, own_seconds):
    """Share of all cores' time between two readings that other programs took, 0 to 1."""
    busy = sum(total - idle for idle, total in after.values())
    busy -= sum(total - idle for idle, total in before.values())
    total = sum(t for _, t in after.values()) - sum(t for _, t in before.values())
    own = own_seconds * os.sysconf("SC_CLK_TCK")
    return max(0.0, (busy - own) / total) if total > 0 else 0.0


@contextmanager
def others():
    """Yields a list that holds, after the body, ``others_share`` over it."""
    share = []
    before, own = _cpu_times(), sum(os.times()[:4])
    yield share
    share.append(others_share(before, _cpu_times(), sum(os.times()[:4]) - own))


def _first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "none"


def compiler():
    """The first line in which the C++ compiler names itself."""
    return _first_line(os.environ.get("CXX", "c++"), "--version")


def _cpu_model():
    with open("/proc/cpuinfo") as file:
        text = file.read()
    match = re.search(r"^model name\s*: (.*)$", text, re.M)
    return match[1].strip() if match else platform.machine()


def _found(pattern, text):
    match = re.search(pattern, text)
    return match[1] if match else "none"


def describe():
    """CPU model, cores and versions, all strings or ints, for the JSON."""
    import torch

    from _ext import my_lib

    build = torch.__config__.show()
    info = my_lib.my_lib_build_info()
    return {
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "torch_cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "mkl": _found(r"Math Kernel Library Version (\S+?)-", build),
        "onednn": _found(r"MKL-DNN v(\S+)", build),
        "compiler": compiler(),
        "my_lib": info.decode() if isinstance(info, bytes) else info,
    }
