"""torchthaw/library/on_arrays.py: ``functions`` of an extension where PyTorch is not installed: for arrays, without gradients.

As for tensors, the dtypes of the arrays choose the C function, and what only a backward reads is no result.
"""

from inspect import Parameter, Signature

from . import functions
from .schema import argument_name


def entries(package, module, trampolines):
    """{name: function for Python} for each pair of a forward and its backward in the module's headers."""
    of_operator = {}
    for each in functions.read(module, trampolines):
        if each.makes_outputs and each.device == "cpu":
            of_operator.setdefault(each.operator, []).append(each)
    return {
        row["name"]: _entry(package, row["name"], row["results"], of_operator[row["forward"]])
        for row in functions.pairs(module)
        if not row["is_second"]
    }


def _entry(package, name, results, variants):
    base = variants[0]
    parameters = [
        Parameter(
            argument_name(each), Parameter.POSITIONAL_OR_KEYWORD, default=None if each.nullable else Parameter.empty
        )
        for each in base.inputs
    ]
    signature = Signature(parameters)
    names = {argument_name(each): each.name for each in base.inputs}

    def entry(*arguments, **keywords):
        try:
            bound = signature.bind(*arguments, **keywords)
        except TypeError as error:
            raise TypeError(f"{name}{signature}: {error}") from None
        given = {names[each]: value for each, value in bound.arguments.items()}
        made = _fitting(variants, given).trampoline(**given)
        outputs = dict(
            zip([each.name for each in base.written], made if isinstance(made, tuple) else [made], strict=True)
        )
        found = [outputs[output] if last is None else outputs[output][-1] for output, last in results]
        return found[0] if len(found) == 1 else tuple(found)

    entry.__name__, entry.__qualname__, entry.__module__ = name, f"functions.{name}", package
    entry.__doc__, entry.__signature__ = base.comment, signature
    return entry


def _fitting(variants, given):
    """The C function for these arrays; where there is none, the first, whose error names them."""
    dtypes = {name: str(getattr(value, "dtype", "")) for name, value in given.items()}
    for each in variants:
        if all(dtypes.get(x.name) in (x.dtype, "", None) for x in each.inputs if x.is_tensor):
            return each
    return variants[0]
