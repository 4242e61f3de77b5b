"""torchthaw/library/after_decompositions.py: an operator in an exported program, after run_decompositions.

That decomposes operators which have a kernel for Autograd: without a gradient, to the operators of C. The overload
``outputs`` stays, because PyTorch makes its kernel for Autograd. It returns what backward reads, too.
"""

import torch
from torch import Tensor, is_grad_enabled

from .derivatives import transforms
from .derivatives.higher_derivatives import as_tuple, must_compose
from .folding import one_by_one
from .traced_calls import requires_grad

OVERLOAD = "outputs"


def register(operator):
    """Enters the overload of a Differentiable in PyTorch."""
    name = f"{operator.name}.{OVERLOAD}"
    operator.library.define(
        name + operator.schema(operator.results + operator.read_count), tags=(torch.Tag.pt2_compliant_tag,)
    )

    def compute(*arguments):
        outputs = as_tuple(operator.compute(*arguments))
        # An operator of PyTorch does not return one tensor twice.
        found = (*operator.indexed(arguments, outputs), *(each.clone() for each in operator.reads(outputs)))
        return found[0] if len(found) == 1 else found

    def setup_context(ctx, inputs, output):
        arguments, read = operator.defaults(inputs), as_tuple(output)[operator.results :]
        for each, needed in zip(operator.parameters, ctx.needs_input_grad):
            if needed and each.name in operator.without_gradient:
                operator.refuse(each.name)
        ctx.numbers = [None if isinstance(x, Tensor) else x for x in arguments]
        ctx.save_for_backward(*(x if isinstance(x, Tensor) else None for x in arguments), *read)
        ctx.mark_non_differentiable(*read)

    def backward(ctx, *grad_outputs):
        count, grads = len(ctx.numbers), grad_outputs[: operator.results]
        arguments = [x if number is None else number for x, number in zip(ctx.saved_tensors, ctx.numbers)]
        read = ctx.saved_tensors[count:]
        needs = (*ctx.needs_input_grad, *(False,) * count)[:count]
        if must_compose(*grads):
            return operator.compose(needs, grads, arguments, read)
        return operator.gradients(needs, *grads, *arguments, *read)

    def loop(*batch):
        found = one_by_one(overload_of(operator), *batch)
        return found[0] if len(found) == 1 else found

    def in_transform(*arguments):
        current, names = transforms.current_transform(f"torch.ops.{operator.namespace}.{name}")
        overload = overload_of(operator)
        if len(names) == 2:
            return transforms.batched(current, overload, loop, arguments, *names)
        if is_grad_enabled() and any(map(requires_grad, arguments)) or operator.has_tangents(arguments):
            expected = "a program before run_decompositions inside a transform of torch.func that differentiates"
            raise RuntimeError(f"{operator.what}: expected {expected}, got one after")
        return transforms.constant(current, overload, arguments, *names)

    operator.library.impl(name, operator.padded(compute), "CompositeExplicitAutograd")
    operator.library.impl(name, in_transform, transforms.KEY)
    torch.library.register_autograd(
        f"{operator.namespace}::{name}", backward, setup_context=setup_context, lib=operator.library
    )


def call(operator, arguments):
    """The results, by the overload."""
    found = as_tuple(overload_of(operator)(*arguments))[: operator.results]
    return found[0] if operator.results == 1 else found


def overload_of(operator):
    return getattr(operator.operator.overloadpacket, OVERLOAD)
