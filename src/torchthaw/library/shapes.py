"""torchthaw/library/shapes.py: the numbers that arrays determine, and the shapes that these give, also as SymInts."""

import torch

_compiled = {}  # expression -> code


def numbers(function, values):
    """{parameter: number or tuple of sizes} of all integers and sizes of a C function.

    values: {parameter: argument} of what the operator got. Raises ValueError for an array with another number of
    dimensions than the header says.
    """
    found = {}
    for each in function.parameters:
        if each.source:
            array, which = each.source
            shape = values[array].shape
            if which == "shape":
                found[each.name] = tuple(shape)
            elif which == "ndim":
                found[each.name] = len(shape)
            else:
                check_dimensions(function, array, values[array])
                found[each.name] = shape[which]
        elif each.kind == "sizes":
            found[each.name] = tuple(values[each.name])
        elif each.kind == "integer":
            found[each.name] = values[each.name]
    return found


def check_dimensions(function, name, array):
    (parameter,) = (each for each in function.parameters if each.name == name)
    for shape in parameter.shapes:
        dims = shape.get("dims")
        if dims is not None and len(dims) != array.dim():
            wanted = f"({', '.join(dims)}{',' * (len(dims) == 1)})"
            raise ValueError(f"{name}: expected shape {wanted}, got {shown(array.shape)}")


def shown(shape):
    """A shape for an error: in a graph for any size, a symbol is a number in this call, unless data decides it."""
    return tuple(size if isinstance(size, int) else _number(size) for size in shape)


def _number(symbol):
    try:
        return int(symbol)
    except RuntimeError:
        return symbol


def expected(shape, numbers):
    """One of a parameter's ``shapes`` as a tuple."""
    if "dims" in shape:
        return tuple(eval(_code(dim), {"__builtins__": {}}, numbers) for dim in shape["dims"])
    if "like" in shape:
        return numbers[shape["like"][0]]
    first, _, second, _ = shape["broadcast"]
    return tuple(torch.broadcast_shapes(numbers[first], numbers[second]))


def _code(expression):
    """C's ``/`` of integers that are not negative is Python's ``//``."""
    if expression not in _compiled:
        _compiled[expression] = compile(expression.replace("/", "//"), "<shape>", "eval")
    return _compiled[expression]
