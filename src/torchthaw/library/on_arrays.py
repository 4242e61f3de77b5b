"""torchthaw/library/on_arrays.py: ``functions`` of an extension for arrays of NumPy and others: without gradients.

As for tensors, the dtypes of the arrays choose the C function, and what only a backward reads is no result.
"""

from inspect import Parameter, Signature

from . import functions
from .variants import Variants


def entries(package, module, trampolines):
    """{name: function for Python} for each pair of a forward and its backward in the module's headers."""
    of_operator = {}
    for each in functions.read(module, trampolines):
        if each.device == "cpu":
            of_operator.setdefault(each.operator, []).append(each)
    found = {}
    for row in functions.pairs(module):
        made = None if row["is_second"] else entry(row, of_operator.get(row["forward"], ()))
        if made is not None:
            found[row["name"]] = made
            made.__module__, made.__qualname__ = package, f"functions.{row['name']}"
    return found


def entry(row, variants):
    """The function for Python for a pair, a row of the description, whose forward has these variants; None where C writes to
    what it is given."""
    name, results = row["name"], row["results"]
    variants = [each for each in variants if each.makes_outputs]
    if not variants:
        return None
    base = variants[0]
    parameters = [
        Parameter(
            each.argument, Parameter.POSITIONAL_OR_KEYWORD,
            default=None if each.name in base.optional else Parameter.empty,
        )
        for each in base.inputs
    ]  # fmt: skip
    signature = Signature(parameters)
    names = {each.argument: each.name for each in base.inputs}

    def call(*arguments, **keywords):
        try:
            bound = signature.bind(*arguments, **keywords)
        except TypeError as error:
            raise TypeError(f"{name}{signature}: {error}") from None
        bound.apply_defaults()
        given = {names[each]: value for each, value in bound.arguments.items()}
        made = _fitting(variants, given).trampoline(**given)
        outputs = dict(
            zip([each.name for each in base.written], made if isinstance(made, tuple) else [made], strict=True)
        )
        found = [outputs[output] if last is None else outputs[output][-1] for output, last in results]
        return found[0] if len(found) == 1 else tuple(found)

    call.__name__, call.__doc__, call.__signature__ = name, base.comment, signature
    return call


def _fitting(variants, given):
    """The C function for these arrays; where there is none, the first, whose error names them."""
    try:
        return Variants(variants).of({name: value for name, value in given.items() if hasattr(value, "dtype")})
    except ValueError:
        return variants[0]
