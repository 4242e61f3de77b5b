"""tests/support/kernels_probe.py: operators whose kernels are C: those of tests/bridge/probe_kernels/, and my_lib's."""

import atexit
import importlib
import json
from functools import lru_cache

import torch

import torchthaw
from support import TESTS, built
from support.bridge_probe import load
from torchthaw.bridge import _bridge

# Operator -> schema.
PROBE = {
    "scale": "(Tensor input, Tensor? bias, float by) -> Tensor",
    "scale.out": "(Tensor input, Tensor? bias, float by, Tensor(a!) output) -> ()",
    "accumulate": "(Tensor input, Tensor total) -> Tensor",
    "accumulate.out": "(Tensor input, Tensor(a!) total) -> ()",
    "add": "(Tensor a, Tensor b) -> Tensor",
    "numbers": "(Tensor like, SymInt a, SymInt b, SymInt c, float d, float e, bool f) -> Tensor",
    "many": f"(Tensor like, {', '.join(f'Tensor? x{i}' for i in range(26))}) -> Tensor",
    "full": "(Tensor value, SymInt[] shape, SymInt ndim) -> Tensor",
    "full.out": "(Tensor value, SymInt[] shape, SymInt ndim, Tensor(a!) output) -> ()",
    "reversed": "(Tensor input) -> Tensor",
    "throwing": "(Tensor input, SymInt what) -> Tensor",
    "thread_count": "(Tensor like) -> Tensor",
    "twice.out": "(Tensor(a!) values, SymInt count) -> ()",
    "bytes.out": "(Tensor start, SymInt count, Tensor(a!) to) -> ()",
}

NUMBERS = {"integer": "SymInt", "float": "float", "bool": "bool", "sizes": "SymInt[]"}
ARRAYS = "array", *NUMBERS


def build(folder):
    torchthaw.create_extension(
        "_ext.probe_kernels", headers="probe_kernels.h", sources=["probe_kernels.c", "throwing.cpp"],
        relative_to=folder / "build.py", extra_compile_args=["-Wall", "-Wextra", "-Werror"],
    ).build()  # fmt: skip


@lru_cache(maxsize=None)
def folder():
    """The built extension, for the time of the run."""
    return built.copy("kernels", TESTS / "bridge" / "probe_kernels", build)


@lru_cache(maxsize=None)
def probe():
    """(the extension's package, its operators); built once for all tests of a run."""
    package = load(folder() / "_ext" / "probe_kernels", "probe_kernels")
    module = importlib.import_module("probe_kernels._probe_kernels")
    return package, operators("kernels_of_probe", module, PROBE)


@lru_cache(maxsize=None)
def my_lib():
    """(the extension's package, its operators)."""
    from _ext import my_lib as package
    from _ext.my_lib import _my_lib as module

    return package, operators("kernels_of_my_lib", module, my_lib_schemas(module))


def operators(namespace, module, schemas):
    """torch.ops.<namespace> with these operators, all computed in C."""
    library = torch.library.Library(namespace, "FRAGMENT")
    atexit.register(lambda: library)  # it lasts as long as its kernels
    for name, schema in schemas.items():
        library.define(name + schema)
    functions = {name: name.partition(".")[0] for name in schemas}
    assert _bridge.register_kernels(module, namespace, functions, "CPU") == list(schemas)
    return getattr(torch.ops, namespace)


def my_lib_schemas(module):
    """Operator -> schema, of each annotated function that stands for an operator."""
    found = {}
    for function in described(module):
        given = [each for each in function["parameters"] if each["kind"] in ARRAYS and not each.get("source")]
        outputs = [each for each in given if each["kind"] == "array" and each["written"]]
        inputs = [each for each in given if each not in outputs]
        arguments = ", ".join(f"{type_of(each)} {each['name']}" for each in given)
        found[function["name"] + ".out"] = f"({arguments}) -> ()"
        arguments = ", ".join(f"{type_of(each)} {each['name']}" for each in inputs)
        found[function["name"]] = f"({arguments}) -> ({', '.join(['Tensor'] * len(outputs))})"
    return found


def described(module):
    """The functions of the description that stand for an operator."""
    functions = json.loads(module.description)["functions"]
    return [each for each in functions if each["operator"] == each["name"] and "default" in each["forms"]]


def type_of(parameter):
    """In a schema."""
    if parameter["kind"] in NUMBERS:
        return NUMBERS[parameter["kind"]]
    mark = f"({parameter['name']}!)" if parameter["written"] else ""
    return f"Tensor{mark}{'?' if parameter['nullable'] else ''}"
