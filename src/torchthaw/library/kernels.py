"""torchthaw/library/kernels.py: an operator computed by its C function, called from Python.

Where the extension has a kernel in C, that one is registered instead: see registration.py.
"""

from threading import local

import torch

from ..bridge import pytorch
from ..bridge._bridge import call_below_modes
from . import shapes
from .derivatives import gradients


def out(operator):
    """The kernel of the overload ``out``: writes to the tensors that it is given, whatever their strides."""

    def kernel(*arguments):
        gradients.refuse(operator, operator.base.given, arguments)
        check_storages(operator.base.given, arguments)
        values = dict(zip((each.name for each in operator.base.given), arguments))
        function = operator.variants(values).of(values)
        if function.is_th:
            _call_th(function, values)
            return
        places = {}  # an output that is not contiguous -> where it is computed
        for each in function.tensors:
            tensor = values[each.name]
            if tensor is None:
                continue
            values[each.name] = dense = _dense(tensor) if not each.is_output else _place(tensor)
            if each.is_written and dense is not tensor:
                places[each.name] = tensor
        _call(function, values)
        for name, tensor in places.items():
            tensor.copy_(values[name])

    return kernel


def resolved(operator):
    """The kernel of the overload ``out`` for tensors with the negative or conjugate bit: calls it without them.

    PyTorch does the same for operators that return what they write.
    """

    def kernel(*arguments):
        values = [each.resolve_conj().resolve_neg() if isinstance(each, torch.Tensor) else each for each in arguments]
        operator.overload("out")(*values)
        for parameter, tensor, value in zip(operator.base.given, arguments, values):
            if parameter.is_written and value is not tensor:
                tensor.copy_(value)

    return kernel


def default(operator):
    """The kernel of the overload ``default``: the arrays that C writes are new."""

    def kernel(*arguments):
        gradients.refuse(operator, operator.base.inputs, arguments)
        check_storages(operator.base.inputs, arguments)
        values = dict(zip((each.name for each in operator.base.inputs), arguments))
        function = operator.variants(values).of(values)
        like = next(value for value in values.values() if isinstance(value, torch.Tensor))
        numbers = shapes.numbers(function, values)
        for each in function.tensors:
            if each.is_output:
                dtype = like.dtype if each.dtype is None else getattr(torch, each.dtype)
                shape = _sizes(each.name, shapes.expected(each.shapes[0], numbers))
                values[each.name] = torch.empty(shape, dtype=dtype, device=like.device)
            elif values[each.name] is not None:
                dense = _dense(values[each.name])
                values[each.name] = dense.clone() if each.is_written and dense is values[each.name] else dense
        _call(function, values)
        results = tuple(values[each.name] for each in function.written)
        return results[0] if len(results) == 1 else results

    return kernel


def query(function):
    """The kernel of a function of integers: a tensor as long as its result, all elements of which are one."""

    def kernel(*numbers):
        result = function.trampoline(*numbers)
        if result == SIZE_MAX:
            raise ValueError(f"{function.name}: expected sizes of arrays that fit into memory, got {numbers}")
        return torch.empty(1, dtype=torch.uint8).expand(result)

    return kernel


def check_storages(parameters, arguments):
    """Raises ValueError for a tensor whose storage was made smaller; a copy of it would read behind the storage."""
    for parameter, tensor in zip(parameters, arguments):
        missing = pytorch.missing_bytes(tensor) if isinstance(tensor, torch.Tensor) else ""
        if missing:
            raise ValueError(
                f"{parameter.name}: expected a tensor whose elements all lie in its storage, got one that {missing}"
            )


def _dense(tensor):
    """The tensor as C can read it; itself where possible."""
    dense = tensor.resolve_conj().resolve_neg().contiguous()
    return dense if _is_aligned(dense) else dense.clone()


def _is_aligned(tensor):
    """Whether its elements lie where C may read them; a number that is complex is two for that."""
    return tensor.data_ptr() % (tensor.element_size() // (1 + tensor.is_complex())) == 0


def _place(tensor):
    """Where C writes what ``tensor`` shall be; itself where possible."""
    if tensor.is_contiguous() and not tensor.is_conj() and not tensor.is_neg() and _is_aligned(tensor):
        return tensor
    return torch.empty_like(tensor, memory_format=torch.contiguous_format)


def _sizes(name, shape):
    if any(size < 0 for size in shape):
        raise ValueError(f"{name}: expected a shape of sizes that are not negative, got {shape}")
    return shape


def _call(function, values):
    """Calls C with what the operator got and everything else that the function takes."""
    numbers = shapes.numbers(function, values)
    space = {}
    arguments = []
    for each in function.parameters:
        if each.kind == "workspace":
            nbytes = _workspace_size(function, each, numbers)
            device = next(value.device for value in values.values() if isinstance(value, torch.Tensor))
            space[each.size] = nbytes
            arguments.append(torch.empty(nbytes, dtype=torch.uint8, device=device))
        elif each.kind == "workspace_size":
            arguments.append(each.name)
        elif each.kind != "stream":  # the last one; the trampoline takes the current stream
            arguments.append(numbers[each.name] if each.source else values[each.name])
    arguments = [space.get(each, each) if isinstance(each, str) else each for each in arguments]
    per_thread.ready  # noqa: B018
    _check_result(function, call_below_modes(function.trampoline, *arguments))


class PerThread(local):
    """PyTorch passes its number of threads to a new thread's OpenMP only where that thread asks for it."""

    def __init__(self):
        torch.get_num_threads()
        self.ready = True


per_thread = PerThread()


def _workspace_size(function, parameter, numbers):
    """What C says; 0 for sizes that are impossible, so that the function itself says so."""
    name, sizes = parameter.call
    nbytes = getattr(function.module.lib, name)(*(numbers[size] for size in sizes))
    return 0 if nbytes == SIZE_MAX else nbytes


SIZE_MAX = 2**64 - 1


def _call_th(function, values):
    """Calls C on TH's structs. What changes a tensor's shape cannot be part of a graph, which has that shape in it."""
    before = {each.name: values[each.name].shape for each in function.tensors}
    result = call_below_modes(function.trampoline, *(values[each.name] for each in function.parameters))
    for name, shape in before.items():
        if values[name].shape != shape:
            raise RuntimeError(
                f"{function.name}: {name}: expected its shape {tuple(shape)} to stay in a graph, but C resized it to "
                f"{tuple(values[name].shape)}; give it this shape before the call"
            )
    _check_result(function, result)


def _check_result(function, result):
    """A graph goes on as if an ``int`` were 1, which means success in C code written for PyTorch."""
    if function.result == "int" and not function.is_status and result != 1:
        raise RuntimeError(
            f"{function.name}: expected 1, which a graph takes for its result, got {result}; call it outside of graphs"
        )
