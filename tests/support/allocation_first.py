"""tests/support/allocation_first.py: what a process does once: it imports the bridge, loads an extension, meets PyTorch
in a first call. The n-th allocation of that fails, each time in a process that has not done it yet."""

import ctypes
import importlib
import os
import sys
import traceback
from itertools import count
from pathlib import Path

import torch

from support import bridge_probe, failing
from torchthaw.base import config


def open_bridge(switch):
    """Loads its code, whose allocations are to fail, but does not import it."""
    path = config.libdir() / "_bridge.abi3.so"
    ctypes.CDLL(os.fspath(path))
    switch.find(path.name)


def import_bridge():
    return importlib.import_module("torchthaw.bridge").__name__


def loader(name):
    """Of an extension."""

    def prepare(switch, places):
        open_bridge(switch)
        import_bridge()
        folder, module = places[name]
        ctypes.CDLL(os.fspath(config.library("th")))  # which one for old projects is linked to
        for library in Path(folder).glob("*.so"):
            ctypes.CDLL(os.fspath(library))
        switch.find(folder)
        return lambda: bridge_probe.load(Path(folder), module).__name__

    return prepare


def first_call(name, call):
    def prepare(switch, places):
        load = loader(name)(switch, places)
        load()
        module = sys.modules[places[name][1]]
        return lambda: call(module)

    return prepare


def prepare_import(switch, places):
    open_bridge(switch)
    return import_bridge


def resized(probe):
    tensor = torch.ones(4)
    probe.resize(tensor, 1000)
    return tensor.shape


def kept(probe):
    probe.keep(torch.ones(4))
    found = probe.sum_of_kept()
    probe.release()
    return found


def written(probe):
    output = torch.zeros(4)
    probe.read_float(output, torch.ones(4), 1)
    return output[0].item(), output._version


def called_back(probe):
    return probe.call_back(probe._misuse.ffi.callback("int(int)", lambda value: value), 3, torch.zeros(4))


FIRST = {
    "import of the bridge": prepare_import, "load of an extension": loader("misuse"), "load of an old one": loader("th"),
    "load of an annotated one": loader("checks"), "a first call": first_call("misuse", written),
    "a first call back": first_call("misuse", called_back),
    "a first refusal": first_call("misuse", lambda probe: probe.read_float(torch.zeros(4), torch.eye(2).to_sparse(), 1)),
    "a first resize": first_call("th", resized), "what is kept first": first_call("th", kept),
    "a first storage": first_call("th", lambda probe: probe.sum_of_storage(torch.ones(4).storage())),
    "a first error": first_call("th", lambda probe: probe.fail_if_negative(-1)),
}  # fmt: skip
ALLOWED = {"MemoryError", "ImportError"}
LOST = "returned NULL without setting an exception"
OF_OLD_PROJECTS = ("FatalError", "std::bad_alloc"), ("FatalError", "$ Torch: not enough memory")
DONE, NOTHING_FAILED, WRONG = 0, 77, 1


def is_lack(got, normal):
    """Whether an outcome says that there is no memory: in calls of old projects by FatalError. Before 3.12 Python loses
    the text of an exception that it has no memory for, or the exception."""
    textless = got == (normal[0], "") and normal[0] != "returned"
    lost = got[1] == LOST or str(got[1]).endswith(f"> {LOST}")
    unnamed = normal[0] == "TypeError" == got[0] and got[1].endswith(
        "<repr raised Error>"
    )  # as pybind11 shows an argument
    return got[0] == "MemoryError" or got in OF_OLD_PROJECTS or textless or lost or unnamed


def usual(prepare, switch, places, outcome):
    """What the call gives where no allocation fails, as text, from a process of its own."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            result, error, _ = switch.call("malloc", -1, prepare(switch, places))
            os.write(writer, repr(outcome(result, error)).encode())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writer)
    os.wait()
    with open(reader) as text:
        return text.read()


def attempt(prepare, switch, places, outcome, expected, maker, n):
    """In a process of its own; its exit status. expected: what usual() gives, which the next call gives too."""
    call = prepare(switch, places)
    result, error, failed = switch.call(maker, n, call)
    got = outcome(result, error)
    error = None
    result, error, _ = switch.call(maker, -1, call)
    normal = outcome(result, error)
    if repr(normal) != expected or (got != normal and got[0] not in ALLOWED and not is_lack(got, normal)):
        print(f"allocation {n}: {got}, and then {normal}", flush=True)
        return WRONG
    return DONE if failed else NOTHING_FAILED


def in_a_process(*arguments):
    child = os.fork()
    if child == 0:
        status = WRONG
        try:
            status = attempt(*arguments)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            # gcov's counters are written by exit(), which make coverage needs.
            (ctypes.CDLL(None).exit if "GCOV_PREFIX" in os.environ else os._exit)(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run(switch, places, outcome, step):
    """(failed allocations, problems); one allocation in ``step`` fails."""
    tried = wrong = 0
    for name, prepare in FIRST.items():
        before, expected = tried, usual(prepare, switch, places, outcome)
        for maker in failing.MAKERS:
            for n in count(1, step):
                status = in_a_process(prepare, switch, places, outcome, expected, maker, n)
                if status == NOTHING_FAILED:
                    break
                tried += 1
                if status != DONE:
                    wrong += 1
                    print(f"{name}, {maker}, allocation {n}: exit status {status}", flush=True)
                    if wrong > 20:
                        return tried, wrong
        print(f"{name}: {tried - before} failed allocations", flush=True)
    return tried, wrong
