"""torchthaw/library/traced_calls.py: a trampoline that is called while PyTorch records becomes a call of the operator.

make_fx, non-strict export, fake tensors and every TorchDispatchMode see operators only; C would compute on memory that
a fake tensor does not have, and nothing would be recorded.
"""

import torch

from ..bridge import errors
from ..bridge.private_names import get
from .functions import VALUES


def call(member, arguments, keywords):
    """What the trampoline gives for these arguments: the operator writes to the arrays, and a status is 1; or it makes
    the outputs where all are left out."""
    function = member.function
    if member.obstacle:
        raise TypeError(f"{function.name}: expected a call that PyTorch does not record, got one: {member.obstacle}")
    values = arrange(function, arguments, keywords)
    # As in eager mode, a call by position alone leaves nothing out.
    makes_outputs = (
        bool(keywords) and function.makes_outputs and not any(each.name in values for each in function.written)
    )
    for each in function.inputs if makes_outputs else function.given:
        if each.name not in values:
            raise TypeError(f"{function.name}: expected {each.name}, got none")
    for each in function.tensors:
        if makes_outputs and each in function.written:
            continue
        check_tensor(function, each, values.get(each.name))
        check_written(each, values.get(each.name))
    check_fakes(function, values)
    for each in function.parameters:
        check_number(each, values)
    if makes_outputs:
        return member.operator.overload("default")(*(values[each.name] for each in function.inputs))
    taken = (values[each.name] for each in function.given)  # C takes a tensor that requires grad, and gives no gradient
    member.operator.overload("out")(*(each.detach() if requires_grad(each) else each for each in taken))
    return None if function.result == "void" else 1


def requires_grad(value):
    return isinstance(value, torch.Tensor) and value.requires_grad


def arrange(function, arguments, keywords):
    """{parameter: argument}. What the operator finds out by itself may be missing."""
    names = [each.name for each in function.parameters]
    if len(arguments) > len(names):
        raise TypeError(f"{function.name}: expected {len(names)} arguments, got {len(arguments)}")
    values = dict(zip(names, arguments))
    for name, value in keywords.items():
        if name not in names:
            raise TypeError(f"{function.name}: no parameter is called {name!r}")
        if name in values:
            raise TypeError(f"{function.name}: got {name!r} twice")
        values[name] = value
    return values


def check_tensor(function, parameter, value):
    if value is None and parameter.nullable:
        return
    if not isinstance(value, torch.Tensor):
        raise TypeError(
            f"{parameter.name}: expected a tensor in a call that PyTorch records, or that makes tensors, got "
            f"{type(value).__name__}"
        )
    if function.is_th and value.numel() == 0:
        raise ValueError(
            f"{parameter.name}: expected a tensor with elements in a call that PyTorch records, as {function.name} may "
            f"resize it, got shape {tuple(value.shape)}"
        )


def check_written(parameter, value):
    """Raises RuntimeError for an output that autograd does not allow to be written: a leaf that requires grad, or a view
    of one, in grad mode."""
    if not parameter.is_written or not requires_grad(value) or not torch.is_grad_enabled():
        return
    base = None if value.is_leaf else get("view_base").__get__(value)
    if value.is_leaf or (base is not None and base.is_leaf and base.requires_grad):
        raise RuntimeError(f"{parameter.name}: expected a tensor that may be written, got {errors.leaf(value)}")


def check_fakes(function, values):
    """Raises TypeError for a fake tensor beside one of another mode, or beside one with memory, which its mode refuses."""
    tensors = {each.name: values[each.name] for each in function.tensors if values.get(each.name) is not None}
    modes = {name: x.fake_mode for name, x in tensors.items() if errors.is_fake(x)}
    if not modes:
        return
    first, mode = next(iter(modes.items()))
    for name, x in tensors.items():
        if modes.get(name, mode) is not mode:
            raise TypeError(f"{name}: expected a fake tensor of one mode with {first}, got one of another mode")
        if name not in modes and not mode.allow_non_fake_inputs:
            raise TypeError(f"{name}: expected a fake tensor, as {first} is, got a {type(x).__name__}")


def check_bool(name, value):
    """Raises for what a trampoline does not take, where PyTorch would take the truth of any object."""
    if not isinstance(value, int):
        raise TypeError(f"{name}: expected a bool, got {type(value).__name__}")
    if value not in (0, 1):
        raise OverflowError(f"{name}: expected a bool, got {value}")


def check_number(parameter, values):
    """Raises ValueError for an integer or sizes that an array says otherwise; see check_bool()."""
    value = values.get(parameter.name)
    if parameter.kind == "bool" and not isinstance(value, (bool, torch.SymBool)):
        check_bool(parameter.name, value)
    if parameter.kind in VALUES and isinstance(value, torch.Tensor) and parameter.kind != "sizes":
        raise TypeError(f"{parameter.name}: expected a number, got a tensor; for its value pass tensor.item()")
    if parameter.kind == "stream" and value is not None:
        raise ValueError(f"{parameter.name}: expected None in a call that PyTorch records, got {value!r}")
    if not parameter.source or value is None or parameter.kind not in VALUES:
        return
    array, which = parameter.source
    tensor = values[array]
    if isinstance(which, int) and which >= tensor.dim():
        raise ValueError(f"{array}: expected at least {which + 1} dimensions, for {parameter.name}, got {tensor.dim()}")
    wanted = tuple(tensor.shape) if which == "shape" else tensor.dim() if which == "ndim" else tensor.shape[which]
    got = tuple(value) if which == "shape" else value
    if got != wanted:
        raise ValueError(f"{parameter.name}: expected {wanted}, as {array} has it, got {got}")
