"""torchthaw/legacy/ffi/data_owner.py: x.data was x's own tensor: resizing it resized x.

Today ``x.data`` is a new tensor on x's memory each time. Here it remembers x, weakly, so that keeping ``x.data`` keeps
neither x nor its graph; and the methods that change a tensor's sizes or strides in place do the same to x. A C function
that resizes a remembered tensor does it by these methods: the bridge is told which those are.
"""

import weakref
from functools import wraps

import torch

from ...bridge.private_names import native
from ..patching import Change

MUTATORS = ("as_strided_", "resize_", "resize_as_", "set_", "squeeze_", "t_", "transpose_", "unsqueeze_")

_data = native(torch.Tensor, "data")
_aliases = {}  # id(alias) -> _Alias


class _Alias(weakref.ref):
    """A tensor made by ``x.data``, and x; ``key`` is where it stands among ``aliases``."""

    __slots__ = ("aliases", "key", "owner")


def _forget(alias):
    """Reads no global: at the interpreter's exit they may be gone before the last tensor."""
    if alias.aliases.get(alias.key) is alias:
        del alias.aliases[alias.key]


def remember(tensor, owner):
    """From now on ``owner`` follows when ``tensor`` changes its sizes in place, as long as both share memory."""
    alias = _Alias(tensor, _forget)
    alias.aliases, alias.key, alias.owner = _aliases, id(tensor), weakref.ref(owner)
    _aliases[alias.key] = alias


def owner_of(tensor):
    """The tensor whose ``.data`` this is and whose memory it still shares, or None."""
    alias = _aliases.get(id(tensor))
    if alias is None or alias() is not tensor:
        return None
    owner = alias.owner()
    if owner is None or owner.untyped_storage() is not tensor.untyped_storage():
        return None
    return owner


def following(method):
    """``method``, which changes its tensor in place, and then the owners of that tensor likewise."""

    @wraps(method)
    def mutate(self, *args, **kwargs):
        if id(self) not in _aliases:
            return method(self, *args, **kwargs)
        owners, owner = [], owner_of(self)
        while owner is not None:
            owners.append(owner)
            owner = owner_of(owner)
        result = method(self, *args, **kwargs)
        for owner in owners:
            _data.__set__(owner, self)
        return result

    return mutate


def data_owner():
    global _aliases
    try:
        from .structs import followed as _aliases
    except ImportError:  # nothing is built yet, so no C function resizes anything
        pass

    def get(self):
        data = _data.__get__(self)
        remember(data, self)
        return data

    yield Change(torch.Tensor, "data", property(get, _data.__set__, doc=_data.__doc__))
    for name in MUTATORS:
        yield Change(torch.Tensor, name, following(getattr(torch.Tensor, name)))
