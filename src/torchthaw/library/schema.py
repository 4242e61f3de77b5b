"""torchthaw/library/schema.py: an operator's two schemas, read off the function's prototype.

``out`` is the C function itself: it writes to the arrays that it is given. ``default`` allocates them, where the header
says enough for that; else it is the same as ``out``. What the shapes of the arrays determine, the workspace and the
stream are parameters of neither.
"""

from string import ascii_lowercase

from .functions import VALUES


def out(function):
    """``(Tensor input, Tensor(a!) output) -> ()``."""
    marks = iter(ascii_lowercase + ascii_lowercase.upper())
    return f"({', '.join(_argument(each, next(marks) if each.is_written else '') for each in function.given)}) -> ()"


def default(function):
    """``(Tensor input) -> Tensor``; that of ``out`` where not every output has a shape, or nothing is read."""
    if not function.is_functional:
        return out(function)
    results = ["Tensor"] * len(function.written)
    arguments = ", ".join(_argument(each, "") for each in function.inputs)
    return f"({arguments}) -> {results[0] if len(results) == 1 else '(' + ', '.join(results) + ')'}"


def _argument(parameter, mark):
    type = VALUES.get(parameter.kind)
    if type is None:
        type = f"Tensor({mark}!)" if mark else "Tensor"
        type += "?" if parameter.nullable else ""
    return f"{type} {parameter.argument}"
