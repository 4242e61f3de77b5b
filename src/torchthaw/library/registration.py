"""torchthaw/library/registration.py: enters an operator in PyTorch's dispatcher: schemas, fake kernels, kernels."""

from functools import lru_cache
from threading import Thread

import torch

from ..bridge import _bridge
from ..bridge.private_names import has
from . import fake, kernels
from .derivatives import autograd, gradients

KEYS = {"cpu": "CPU", "cuda": "CUDA"}
TRIALS = []  # their libraries: PyTorch asks later for every operator that it has ever seen


def define(operator, library):
    """Defines the overloads of an operator, without kernels for a device."""
    for overload, text in operator.schemas.items():
        name = qualified(operator, overload)
        library.define(name + text, tags=(torch.Tag.pt2_compliant_tag,))
        kernel = getattr(fake, operator.form(overload))(operator)
        torch.library.register_fake(f"{operator.namespace}::{name}", kernel, lib=library)
        autograd.register(operator, overload, name, library)
    operator.packet = getattr(getattr(torch.ops, operator.namespace), operator.name)
    for overload in operator.schemas:
        if operator.form(overload) == "out":
            for key in "Negative", "Conjugate":
                library.impl(qualified(operator, overload), kernels.resolved(operator), key)


def define_query(function, library):
    """Makes a function of integers, such as the size of a workspace, an operator: in graphs, sizes may be symbols.

    Its result is the length of a tensor, because Inductor calls no operator without a tensor.
    """
    parameters = ", ".join(f"SymInt {each.argument}" for each in function.parameters)
    library.define(f"{function.name}({parameters}) -> Tensor", tags=(torch.Tag.pt2_compliant_tag,))
    library.impl(function.name, kernels.query(function), "CompositeExplicitAutograd")
    torch.library.register_fake(f"{library.ns}::{function.name}", fake.query, lib=library)


def add_kernels(operators, device, module, library):
    """Gives operators their kernels on one device: C functions of an extension's module, else Python around them."""
    wanted = {qualified(each, overload): each for each in operators for overload in each.schemas}
    bases = {name: base_of(each, device, module) for name, each in wanted.items()}
    remedies = {name: gradients.remedy(each) for name, each in wanted.items()}
    bases = {name: base for name, base in bases.items() if base}
    native = register_native(module, library.ns, bases, KEYS[device], remedies)
    for name, operator in wanted.items():
        overload = name.partition(".")[2] or "default"
        if name not in native and (overload, device) not in operator.in_python:
            operator.in_python.add((overload, device))
            library.impl(name, getattr(kernels, operator.form(overload))(operator), KEYS[device])


def register_native(module, namespace, functions, key, remedies):
    """The operators, of ``functions`` {operator: C function}, that got a kernel in C. remedies: see gradients.remedy."""
    return _bridge.register_kernels(module, namespace, functions, key, remedies) if takes_kernels_in_c() else []


@lru_cache(maxsize=None)
def takes_kernels_in_c():
    """Whether kernels in C do with this PyTorch what those in Python do.

    Its stable C interface for kernels came with 2.10. Three things that they need it does not offer: to refuse what
    autograd would lose, to know the schema, and an error's class. PyTorch is asked for each, whatever its version.
    """
    return _bridge.kernels_refuse_gradients() and has("operator_schemas") and keeps_error_classes()


def keeps_error_classes():
    """Whether the class of an error that a kernel in C raises is the one that Python gets; found by a trial.

    In a thread of its own, where no dispatch mode and no transform is active.
    """
    if not _bridge.register_failure("torchthaw", "fail"):
        return False
    library, caught = torch.library.Library("torchthaw", "FRAGMENT"), []
    library.define("fail(Tensor input) -> ()")
    TRIALS.append(library)

    def fail():
        try:
            torch.ops.torchthaw.fail(torch.empty(0, device="cpu"))
        except Exception as error:
            caught.append(type(error))

    thread = Thread(target=fail)
    thread.start()
    thread.join()
    return caught == [OverflowError]


def base_of(operator, device, module):
    """The name of the function of a module whose kernel serves the operator on a device; None if it has none."""
    found = [each for each in operator.functions[device] if each.module is module]
    plain = [each for each in found if each.name == each.operator]
    return (plain or found)[0].name if found else None


def qualified(operator, overload):
    return operator.name if overload == "default" else f"{operator.name}.{overload}"
