"""torchthaw/legacy/ffi/semantics: what PyTorch changed in silence, restored item by item, only where asked for.

``enable("scalar_index", ...)`` or ``TORCHTHAW_LEGACY_SEMANTICS=scalar_index,...``; ``1`` means all but those that suit
0.1 alone. The environment is read when torch.utils.ffi is first imported, and for torch._six when that is.
"""

from ....base import config
from ...patching import Patch, PatchTable

SEMANTICS = PatchTable(
    "legacy semantics item",
    Patch("contiguous", "new tensors are contiguous, whatever they are made of", "ffi.semantics.memory:contiguous"),
    Patch("integer_division", "/ and div of integers truncate, also in place", "ffi.semantics.numbers:integer_division"),
    Patch("arange", "torch.arange of integers gives floats", "ffi.semantics.numbers:arange"),
    Patch("scalar_index", "x.data[0] of a tensor without dimensions is its value", "ffi.semantics.indexing:scalar_index"),
    Patch("copy_shapes", "x.copy_(y) and x[i] = y of as many elements as x has", "ffi.semantics.shapes:copy_shapes"),
    Patch("tensor_index", "x.index((i, j)) is x[i, j]", "ffi.semantics.indexing:tensor_index"),
    Patch("integer_requires_grad", "integers asked to require grad do not", "ffi.semantics.removed:integer_requires_grad"),
    Patch("method_out", "methods such as x.mul(y, out=z)", "ffi.semantics.removed:method_out"),
    Patch("torch_six", "the module torch._six", "ffi.semantics.removed:torch_six"),
    Patch("all_dtypes", "torch.testing.get_all_dtypes", "ffi.semantics.removed:all_dtypes"),
    Patch("align_corners", "grid_sample and affine_grid align the corners", "ffi.semantics.defaults:align_corners"),
    Patch("keepdim", "reductions keep the dimension, as in 0.1 alone", "ffi.semantics.defaults:keepdim"),
)  # fmt: skip

OF_ONE_VERSION = ("keepdim",)


def enable(*items: str) -> None:
    """Restores the named items; without names, all but ``keepdim``, which suits 0.1 alone. ValueError: unknown name."""
    SEMANTICS.make(*(items or [item for item in SEMANTICS.patches if item not in OF_ONE_VERSION]))


def disable(*items: str) -> None:
    """Undoes ``enable``, for the named items or for all."""
    SEMANTICS.undo(*items)


def asked_for():
    """The items that ``TORCHTHAW_LEGACY_SEMANTICS`` names; none where it is unset, empty or 0."""
    items = config.words("TORCHTHAW_LEGACY_SEMANTICS")
    if items == ["0"]:
        return []
    if items in (["1"], ["all"]):
        return [item for item in SEMANTICS.patches if item not in OF_ONE_VERSION]
    try:
        return SEMANTICS.check(items) if items else []
    except ValueError as error:
        raise ValueError(f"TORCHTHAW_LEGACY_SEMANTICS: {error}") from None


def enable_from_environment():
    """Restores what ``TORCHTHAW_LEGACY_SEMANTICS`` names."""
    items = asked_for()
    if items:
        enable(*items)
