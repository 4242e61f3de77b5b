"""torchthaw/modernize/trials/calling.py: calls one Target, forward and backward, in either project."""

import importlib
import inspect
import itertools

import torch


def find(target, is_old):
    """The Function's class or the C function. Raises what importing it raises."""
    module = importlib.import_module(target.old_module if is_old else target.module)
    return getattr(module, target.name)


def result_of(target, found, arguments):
    """{"outputs", "weights", "gradients", "of_sum", "error"} of a call of ``found``, all from a fixed random state.

    outputs: the tensors and numbers that it returns; of a C function, its result and then its tensors as it left them.
    gradients: of the outputs that have one times ``weights``, random numbers, for each argument, with None where there
    is none; of_sum: of their sum, whose gradient is one number expanded. error: why there are no gradients.
    """
    if target.is_c:
        arguments = copies(arguments)
        torch.manual_seed(0)
        returned = found(*arguments)
        kept = returned if isinstance(returned, (bool, int, float, torch.Tensor)) else None
        outputs = [kept, *filter(torch.is_tensor, arguments)]
        return {"outputs": outputs, "weights": [], "gradients": None, "of_sum": None, "error": ""}
    first = _differentiated(target, found, arguments, of_sum=False)
    second = _differentiated(target, found, arguments, of_sum=True)
    return {**first, "of_sum": second["gradients"]}


def _differentiated(target, found, arguments, of_sum):
    leaves, outputs = forward(target, found, arguments)
    result = {"outputs": [plain(output) for output in outputs], "weights": [], "gradients": None, "error": ""}
    used = [output for output in outputs if torch.is_tensor(output) and output.requires_grad]
    given = [leaf for leaf in leaves if leaf is not None]
    if not used:
        result["error"] = "no output requires a gradient"
        return result
    try:
        if of_sum:
            found = torch.autograd.grad(sum(output.sum() for output in used), given, allow_unused=True)
        else:
            result["weights"] = [_random_like(output) for output in used]
            found = torch.autograd.grad(used, given, result["weights"], allow_unused=True)
    except Exception as error:
        result["error"] = f"backward: {type(error).__name__}: {str(error).partition(chr(10))[0]}"
        return result
    gradients = map(plain, found)
    result["gradients"] = [None if leaf is None else next(gradients) for leaf in leaves]
    return result


def forward(target, found, arguments):
    """(the leaf for each argument of floating point, else None; the list of outputs)."""
    arguments = copies(arguments)
    leaves = [each.requires_grad_() if is_floating(each) else None for each in arguments]
    # A Function may write into its input, which must not be a leaf then.
    passed = [each if leaf is None else leaf.clone() for each, leaf in zip(arguments, leaves)]
    torch.manual_seed(0)
    outputs = apply(target, found, passed)
    return leaves, list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]


def apply(target, found, arguments):
    """``F.apply(x, y, a)``, or ``F(a)(x, y)`` for a Function that is called through instances."""
    if is_static(found):
        return found.apply(*arguments)
    tensors = len(arguments) - _constants(target, found, arguments)
    plain, keywords = [], {}
    for value, star in itertools.zip_longest(arguments[tensors:], target.stars[: len(arguments) - tensors]):
        if star == "**":
            keywords.update(value)
        else:
            plain.extend(value if star else [value])
    return found(*plain, **keywords)(*arguments[:tensors])


def is_static(found):
    """Whether a Function is called as ``F.apply(...)``."""
    return isinstance(inspect.getattr_static(found, "forward"), (staticmethod, classmethod))


def _constants(target, found, arguments):
    """How many of the arguments are for ``__init__``: callers may leave out those with a default."""
    parameters = list(inspect.signature(found.forward).parameters.values())[1:]
    if any(each.kind == each.VAR_POSITIONAL for each in parameters):
        return min(target.constants, sum(not torch.is_tensor(each) for each in arguments))
    return len(arguments) - len(parameters)


def copies(arguments):
    """Arguments that a call may change: tensors with the same strides."""
    return [each.detach().clone(memory_format=torch.preserve_format) if torch.is_tensor(each) else each
            for each in arguments]  # fmt: skip


def plain(value):
    """A tensor without history, or another value as it is."""
    return value.detach().clone() if torch.is_tensor(value) else value


def is_floating(value):
    return torch.is_tensor(value) and value.is_floating_point()


def _random_like(output):
    """Random numbers of a fixed state, the same in both projects."""
    generator = torch.Generator().manual_seed(output.numel())
    return torch.randn(output.shape, generator=generator, dtype=torch.float64).to(output)


def text(arguments):
    """Arguments for messages, such as ``float32 (2, 3), 5``."""
    return ", ".join(
        f"{str(each.dtype).removeprefix('torch.')} {tuple(each.shape)}" if torch.is_tensor(each) else repr(each)
        for each in arguments
    )
