"""torchthaw/library/derivatives/transforms.py: an operator inside torch.func's transforms, one of them at a time.

PyTorch asks this kernel before all others while a transform is active, and never otherwise. vmap becomes a loop; grad,
vjp and jvp are refused where they would need a derivative, and else see the operator as a constant.
"""

import torch

from ...bridge.private_names import Missing, get
from . import batching, gradients
from .higher_derivatives import transforms_active

KEY = "FuncTorchDynamicLayerFrontMode"


def kernel(operator, overload):
    """The kernel of one overload."""
    rule = getattr(batching, operator.form(overload))(operator)
    parameters = operator.parameters(overload)

    def transform(*arguments):
        arguments = alive(arguments)
        current, names = current_transform(f"torch.ops.{operator.namespace}.{operator.name}")
        target = operator.overload(overload)
        if len(names) == 2:
            return batched(current, target, rule, arguments, *names)
        gradients.refuse(operator, parameters, arguments)
        return constant(current, target, arguments, *names)

    return transform


# Transform -> the private names of PyTorch that go through it
NAMES = {"Vmap": ("unwrap_batched", "add_batch_dim"), "Grad": ("unwrap_for_grad",), "Jvp": ("unwrap_for_grad",)}


def current_transform(name, functionalizes=False):
    """(the innermost transform, what NAMES has for it); RuntimeError where there is no way through it for an operator.

    functionalizes: whether there is one through torch.func.functionalize, without private names.
    """
    try:
        current = get("current_transform")()
        kind = current.key().name
        if kind in NAMES:
            return current, [get(name) for name in NAMES[kind]]
        if functionalizes and kind == "Functionalize":
            return current, []
        why = f"got {kind}"
    except Missing as error:
        why = f"and with this PyTorch none, as {error}"
    raise RuntimeError(f"{name}: expected no transform of torch.func but vmap, grad, vjp and jvp, {why}")


def alive(arguments):
    """The arguments, tensors without the wrapper of a grad or jvp that has ended, which no transform would take off."""
    unwrap = get("unwrap_dead")
    return [unwrap(each) if isinstance(each, torch.Tensor) else each for each in arguments]


def batched(current, target, rule, arguments, unwrap, wrap):
    """The operator for each element of what this vmap batches."""
    level = current.level()
    found = [unwrap(each, level) if isinstance(each, torch.Tensor) else (each, None) for each in arguments]
    values, dims = zip(*found)
    with current.lower():
        if all(dim is None for dim in dims):
            return target(*values)
        results = rule(current.batch_size(), dims, values)
    if results is None:
        return None
    if isinstance(results, torch.Tensor):
        return wrap(results, 0, level)
    return tuple(wrap(result, 0, level) for result in results)


def outer(current, holds, arguments, unwrap, *wrap):
    """Whether something holds of the arguments as a grad or jvp around this transform has them, or what is around all."""
    level = current.level()
    values = [unwrap(each, level) if isinstance(each, torch.Tensor) else each for each in arguments]
    if wrap:
        values = [each[0] if isinstance(each, tuple) else each for each in values]
    with current.lower():
        if not transforms_active():
            return holds(values)
        around, names = current_transform("torch.func")
        return len(names) == 1 and holds(values) or outer(around, holds, values, *names)


def constant(current, target, arguments, unwrap):
    """The operator on tensors that this transform does not differentiate."""
    level = current.level()
    values = [unwrap(each, level) if isinstance(each, torch.Tensor) else each for each in arguments]
    with current.lower():
        return target(*values)
