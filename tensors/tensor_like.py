# tensors/tensor_like.py: the methods, operators and attributes of torch.Tensor for types that do not inherit from it.
"""``torch.add(x, y)`` looks for ``__torch_function__`` in ``type(x)`` by itself; ``x.add(y)`` and ``x + y`` do not exist
until somebody writes them. ``TensorLike`` writes them all at once: each is sent to ``__torch_function__`` as the
function of that name in ``torch.Tensor``, so a type handles all spellings of a function in one place."""

import functools

import torch
from torch.overrides import handle_torch_function, resolve_name

# Operators are looked up on the class, never through __getattr__, hence a table.
BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
IN_PLACE = [f"__i{word}__" for word in BINARY] + ["__setitem__"]
OPERATORS = (
    [f"__{word}__" for word in BINARY]
    + [f"__r{word}__" for word in BINARY]
    + IN_PLACE
    + "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __neg__ __pos__ __invert__ __abs__".split()
    + "__getitem__ __len__ __iter__ __contains__".split()
    + "__bool__ __int__ __float__ __complex__ __index__ __array__".split()
)


def dispatch(function, *args, **kwargs):
    """``function(*args, **kwargs)`` by way of ``__torch_function__``: subclasses first, then left to right."""
    try:
        return handle_torch_function(function, (*args, *kwargs.values()), *args, **kwargs)
    except AttributeError as error:
        if error.obj is not function:
            raise
    # PyTorch names the function's module when every type has declined; those written in C have none.
    name = resolve_name(function) or f"torch.Tensor.{function.__name__}"
    types = [type(arg) for arg in args if hasattr(type(arg), "__torch_function__")]
    raise TypeError(f"no implementation found for {name!r} on types that implement __torch_function__: {types}")


def _method(function):
    @functools.wraps(function)
    def method(self, *args, **kwargs):
        return dispatch(function, self, *args, **kwargs)

    return method


class TensorLike:
    """Base of types with ``__torch_function__`` that are no subclass of ``torch.Tensor``.

    An attribute that the type itself lacks is taken from ``torch.Tensor``: a method dispatches when called, a
    property (``shape``, ``requires_grad``) when read or assigned.
    """

    __array_priority__ = 1000  # as torch.Tensor: numpy leaves ``array + x`` to x
    __hash__ = object.__hash__

    def __getattr__(self, name):
        # Private names stay private: copy and pickle probe for hooks that would act on the wrong object.
        attribute = None if name.startswith("_") else getattr(torch.Tensor, name, None)
        if attribute is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if callable(attribute):
            return functools.partial(dispatch, attribute, self)
        return dispatch(attribute.__get__, self)

    def __setattr__(self, name, value):
        descriptor = None if name.startswith("_") else getattr(torch.Tensor, name, None)
        if hasattr(descriptor, "__set__"):
            dispatch(descriptor.__set__, self, value)
        else:
            object.__setattr__(self, name, value)


for _name in OPERATORS:
    if hasattr(torch.Tensor, _name):
        setattr(TensorLike, _name, _method(getattr(torch.Tensor, _name)))


def map_nested(function, value):
    """``value`` with ``function`` applied to every leaf of its lists, tuples and dicts, whose types are kept
    (``torch.Size``, named tuples and ``torch.return_types`` included)."""
    if isinstance(value, dict):
        return type(value)((key, map_nested(function, item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        items = [map_nested(function, item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return function(value)


def leaves(value):
    """The leaves that ``map_nested`` visits, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def written(func, args, kwargs):
    """The arguments that the call ``func(*args, **kwargs)`` writes into: those of ``out=``, and the first one when
    the function works in place by PyTorch's naming rule (``add_``, ``__iadd__``, ``__setitem__``, a property that is
    assigned or deleted) or called with ``inplace=True``."""
    name = func.__name__
    in_place = (
        kwargs.get("inplace")
        or (name.endswith("_") and not name.endswith("__"))
        or name in (*IN_PLACE, "__set__", "__delete__")
    )
    first = next(iter((*args, *kwargs.values())), None)
    out = [leaf for leaf in leaves(kwargs.get("out")) if leaf is not None]
    return leaves(first) + out if in_place else out
