"""allocations.py: the n-th allocation of a call through the bridge fails, for n = 1, 2, 3 ... until none does.

    python tests/support/allocations.py [--short] [group ...]

After each: no crash, MemoryError or what the call gives anyway, nothing written half, nothing leaked, and the next call
works. Two kinds of allocation fail: those that the bridge and the extension make themselves, by malloc and operator
new, and those that Python makes for them. What PyTorch, cffi and C code allocate does not fail.
"""

import argparse
import gc
import importlib.util
import json
import sys
import tempfile
from itertools import count
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent)]

import numpy  # noqa: E402
import torch  # noqa: E402

from support import allocation_cases, allocation_first, bridge_probe, failing  # noqa: E402

MOST = 5000  # allocations of a call, far more than any has
ROUNDS = 10  # a leak shows in each of them
CALLS = 60  # in all rounds at least: Python itself keeps a few blocks now and then


def plain(value):
    """A result or what a tensor holds, to be compared."""
    if isinstance(value, (torch.Tensor, numpy.ndarray)):
        return tuple(value.shape), value.dtype, value.tolist()
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    return value if isinstance(value, (int, float, str, bytes, type(None))) else type(value).__name__


def outcome(result, error):
    return ("returned", plain(result)) if error is None else (type(error).__name__, str(error))


class Trial:
    """One case, with its allocations of one maker."""

    def __init__(self, switch, name, case, maker):
        self.switch, self.name, self.case, self.maker = switch, name, case, maker
        self.problems, self.failed = {}, 0

    def attempt(self, n):
        """(outcome, what may have changed, whether an allocation failed, the exception)"""
        call, look = self.case()
        before = look()
        result, error, failed = self.switch.call(self.maker, n, call)
        return outcome(result, error), before, look(), failed

    def every(self):
        """Fails each allocation once."""
        for n in count(1):
            got, before, after, failed = self.attempt(n)
            if not failed:
                break
            if got != self.normal and not allocation_first.is_lack(got, self.normal):
                self.problem(n, f"{got[0]}: {got[1]!r} instead of {self.normal}")
            if after not in (before, self.changed):
                self.problem(n, f"{after} is neither {before} nor {self.changed}")
            again, _, changed, _ = self.attempt(-1)
            if (again, changed) != (self.normal, self.changed):
                self.problem(n, f"the next call: {again}, {changed} instead of {self.normal}, {self.changed}")
            if n == MOST:
                return self.problem(n, "there is no end")
        return n - 1

    def problem(self, n, text):
        self.problems.setdefault(text, n)

    def run(self):
        for _ in range(3):  # what a first call sets up for good
            self.normal, _, self.changed, _ = self.attempt(-1)
        self.failed = self.every()
        if self.failed:
            self.look_for_leaks()
        return self

    def look_for_leaks(self):
        """Memory that grows in every round: what Python keeps by chance does not in many more."""
        for more in 1, 4, 16:
            rounds = more * max(ROUNDS, CALLS // self.failed)
            before = self.memory()
            for _ in range(rounds):
                self.every()
            grown = [now - then for now, then in zip(self.memory(), before)]
            if max(grown) < rounds:
                return
        self.problem(0, f"leaks {grown} Python and malloc blocks in {rounds} rounds")

    def memory(self):
        gc.collect()
        return sys.getallocatedblocks(), self.switch.live_blocks()


def try_group(switch, cases):
    """(failed allocations, problems)."""
    failed = wrong = 0
    for name, case in cases.items():
        for maker in failing.MAKERS:
            if sys.stderr.isatty():
                print(f"\x1b[2K    {maker}: {name}", end="\r", file=sys.stderr, flush=True)
            trial = Trial(switch, name, case, maker).run()
            failed += trial.failed
            for text, n in trial.problems.items():
                wrong += 1
                print(f"{name}, {maker}, allocation {n}: {text}", flush=True)
    return failed, wrong


# Name of an extension -> its cases; {} where it is part of another one.
GROUPS = {
    "misuse": allocation_cases.misuse_cases,
    "misuse_th": allocation_cases.misuse_th_cases,
    "th": allocation_cases.th_cases,
    "checks": allocation_cases.checks_cases,
    "operators": allocation_cases.operator_cases,
    "portable": allocation_cases.portable_cases,
}


def build():
    """Where the extensions are: name -> (folder, module)."""
    from support import checks_probe, misuse_probe, th_probe

    made = {
        "misuse": misuse_probe.probe(), "misuse_th": misuse_probe.legacy(), "th": th_probe.probe(),
        "checks": checks_probe.probe(),
    }  # fmt: skip
    found = {name: (str(Path(module.__file__).parent), module.__name__) for name, module in made.items()}
    found["portable"] = portable_extension()
    return {**found, "operators": (str(HERE.parent.parent / "_ext" / "my_lib"), "_ext.my_lib")}


def portable_extension():
    from torchthaw import portable

    source = HERE.parent / "fuzz" / "portable_calls.cpp"
    path = Path(portable.load("portable_calls", [source], extra_cflags=["-O1"]).__file__)
    return str(path.parent), "portable_calls"


def imported(folder, name):
    """The package of an extension of the bridge, or a module that is one file."""
    if not (folder / f"{name}.so").exists():
        return bridge_probe.load(folder, name)
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.so")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def child(arguments):
    """In the process where allocations fail."""
    options = json.loads(arguments)
    torch.set_num_threads(1)
    switch = failing.Failing()
    failed, wrong = 0, 0
    modules = {}
    if "first" in options["groups"]:
        failed, wrong = allocation_first.run(switch, options["places"], outcome, 9 if options["short"] else 1)
    for name, (folder, module) in options["places"].items():
        modules[name] = imported(Path(folder), module)
    switch.find("_bridge.abi3.so")
    for folder, _ in options["places"].values():
        switch.find(folder)
    for name in options["groups"]:
        if name not in GROUPS:
            continue
        more = (modules["misuse"],) if name == "misuse_th" else ()
        cases = GROUPS[name](modules[name], *more)
        if options["short"]:
            cases = {key: cases[key] for key in list(cases)[:: allocation_cases.EACH.get(name, 1)]}
        found = try_group(switch, cases)
        print(f"{name}: {len(cases)} calls, {found[0]} failed allocations")
        failed, wrong = failed + found[0], wrong + found[1]
    print(f"{failed} cases")
    return wrong > 0


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="what continuous integration runs")
    parser.add_argument("groups", nargs="*", metavar="group", help=", ".join(["first", *GROUPS]))
    options = parser.parse_args()
    if unknown := set(options.groups) - {"first", *GROUPS}:
        parser.error(f"group: expected some of {', '.join(['first', *GROUPS])}, got {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as folder:
        given = {"short": options.short, "groups": options.groups or ["first", *GROUPS], "places": build()}
        return failing.run(failing.library(Path(folder)), __file__, ["--child", json.dumps(given)]).returncode


if __name__ == "__main__":
    sys.exit(main())
