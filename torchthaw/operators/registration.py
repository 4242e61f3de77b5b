"""torchthaw/operators/registration.py: enters an operator in PyTorch's dispatcher: schemas, fake kernels, kernels."""

import torch

from ..bridge import _bridge
from . import autograd, fake, kernels

KEYS = {"cpu": "CPU", "cuda": "CUDA"}
# The releases of PyTorch whose tests of kernels in C pass. 2.15 has the interface, and some of them fail there.
NATIVE = {(2, 13)}
RELEASE = tuple(map(int, torch.__version__.split(".")[:2]))


def define(operator, library):
    """Defines the overloads of an operator, without kernels for a device."""
    for overload in operator.overloads:
        name = qualified(operator, overload)
        library.define(name + operator.schemas[overload], tags=(torch.Tag.pt2_compliant_tag,))
        torch.library.register_fake(f"{operator.namespace}::{name}", getattr(fake, overload)(operator), lib=library)
        autograd.register(operator, overload, name, library)
    for key in "Negative", "Conjugate":
        library.impl(qualified(operator, "out"), kernels.resolved(operator), key)


def add_kernels(operators, device, module, library):
    """Gives operators their kernels on one device: C functions of an extension's module, else Python around them."""
    wanted = {qualified(each, overload): each for each in operators for overload in each.overloads}
    bases = {name: base_of(each, device, module) for name, each in wanted.items()}
    native = register_native(module, library.ns, {name: base for name, base in bases.items() if base}, KEYS[device])
    for name, operator in wanted.items():
        if name not in native:
            overload = name.partition(".")[2] or "default"
            library.impl(name, getattr(kernels, overload)(operator), KEYS[device])


def register_native(module, namespace, functions, key):
    """The operators, of ``functions`` {operator: C function}, that got a kernel in C.

    None where such a kernel cannot refuse what autograd would lose, and in a PyTorch with which they were not run.
    """
    if RELEASE not in NATIVE or not _bridge.kernels_refuse_gradients():
        return []
    return _bridge.register_kernels(module, namespace, functions, key)


def base_of(operator, device, module):
    """The name of the function of a module whose kernel serves the operator on a device; None if it has none."""
    found = [each for each in operator.functions[device] if each.module is module]
    plain = [each for each in found if each.name == each.operator]
    return (plain or found)[0].name if found else None


def qualified(operator, overload):
    return operator.name if overload == "default" else f"{operator.name}.{overload}"
