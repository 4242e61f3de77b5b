"""torchthaw/legacy: PyTorch 0.1 to 0.4 as its C extensions knew it. Importing this package changes nothing."""

__all__ = ["disable", "enable", "install"]

TYPE_CHECKING = False
if TYPE_CHECKING:  # for tools that read this file without running it
    from .ffi.semantics import disable, enable
else:  # by this function they would believe in every name

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from .ffi import semantics  # what runs when an interpreter starts does not need it

        return getattr(semantics, name)


def install() -> None:
    """Makes PyTorch what old projects knew: ``torch.utils.ffi`` can be imported, and the patches are made.

    ``python -m torchthaw run`` does the same for a script, and ``enable`` for an environment. Nothing else patches
    anything; docs/reference/side-effects.md lists what is changed. A second call changes nothing.
    """
    from ..base import import_hook
    from .run import finder

    finder.register()
    import_hook.after_import("torch", _patch)


def _patch() -> None:
    from . import loading

    loading.prepare()
