"""torchthaw/legacy/ffi/semantics/wrapping.py: functions in place of PyTorch's own, which torch.jit.script does not notice."""

from functools import update_wrapper
from types import FunctionType

from ....bridge.private_names import get
from ...patching import Change

_known = {}  # (function, wrap, arguments) -> the function in its place, for good: PyTorch tells functions by id()


def changed(owner, name, wrap, *arguments):
    """The change that puts ``wrap(function, *arguments)`` in the place of a function of a class or module.

    torch.jit.script compiles what stands in a module as if it were the function itself, so that no item of the legacy
    semantics applies in a script.
    """
    function = getattr(owner, name)
    if isinstance(owner, type):  # scripts do not look at the methods of torch.Tensor
        return Change(owner, name, wrap(function, *arguments))
    key = function, wrap, arguments
    if key not in _known:
        _known[key] = _in_place_of(function, wrap(function, *arguments))
    return Change(owner, name, _known[key])


def _in_place_of(function, run):
    def call(*args, **kwargs):
        return run(*args, **kwargs)

    if isinstance(function, FunctionType):
        # Scripts find its source by __wrapped__, and what the names in the source mean in __globals__.
        call = FunctionType(call.__code__, function.__globals__, function.__name__, None, call.__closure__)
    update_wrapper(call, function)
    operator = get("find_builtin")(function)
    if operator is not None:
        get("register_builtin")(call, operator)
    dispatched = get("boolean_dispatched")
    if function in dispatched:
        dispatched[call] = dispatched[function]
    return call
