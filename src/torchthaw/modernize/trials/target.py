"""torchthaw/modernize/trials/target.py: what is called in both projects: a Function, or a function of C."""

import re
from typing import NamedTuple


class Target(NamedTuple):
    """An autograd Function, or a C function of an extension, under its names in the new and in the old project.

    constants: how many of the last arguments the old one's ``__init__`` took; 0 for a static Function.
    is_c: whether it is a C function. key: the name of its files, such as ``"max_pool_function"``.
    gpu_calls: the C functions that it calls, where all of them take tensors of GPUs. stars: for each constant "", or
    "*" and "**" where the old ``__init__`` took any number, which is one tuple or dict now.
    """

    module: str
    old_module: str
    name: str
    key: str
    constants: int = 0
    is_c: bool = False
    gpu_calls: tuple = ()
    stars: tuple = ()


def new_row(target, reason=""):
    """What is known of a Target that was not called: a dict that ``child.find`` completes.

    cases: argument lists that it works with; recorded: whether scripts of the project gave some; reason: why there is
    none. gradcheck: see ``checking.gradcheck``; why: what failed in it. opchecks: {operator: arguments that it passes
    opcheck with}; refused: [name, why] of those that do not.
    """
    row = {"key": target.key, "cases": [], "recorded": False, "reason": reason}
    return {**row, "gradcheck": None, "why": "", "opchecks": {}, "refused": []}


def of_result(result):
    """The Targets for the Functions of a Result; one of a name that is there twice has its module's name too."""
    names = [each.name for each in result.functions]
    old = {new: old for old, new in result.modules.items()}
    targets = []
    for each in result.functions:
        key = snake(each.name)
        if names.count(each.name) > 1:
            key = f"{snake(each.module.rpartition('.')[2])}_{key}"
        while any(key == target.key for target in targets):
            key += "_"
        needs_gpu = each.calls and result.gpu_functions.issuperset(each.calls)
        old_module, gpu_calls = old.get(each.module, each.module), tuple(each.calls) if needs_gpu else ()
        stars = tuple(re.match(r"\**", name)[0] for name in each.constants)
        targets.append(Target(each.module, old_module, each.name, key, len(stars), gpu_calls=gpu_calls, stars=stars))
    return targets


def of_c_function(extensions, module, name, taken):
    """The Target for a C function. extensions: {new module: old module}; taken: the keys of others."""
    key = snake(name)
    while key in taken:
        key += "_c"
    return Target(module, extensions[module], name, key, is_c=True)


def snake(name):
    """``MaxPoolFunction`` and ``ROIAlign`` in the way of ``max_pool_function`` and ``roi_align``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower().strip("_")
