"""torchthaw/legacy/run/patches.py: the patches of PyTorch made when torch.utils.ffi is first imported.

``install()`` is what that import calls; it also restores what ``TORCHTHAW_LEGACY_SEMANTICS`` names. The patch of
torch.utils.cpp_extension is made when that is imported, and the one of modules for build scripts when one of them is,
by ``install_for()``. Every name in ``TORCHTHAW_NO_PATCH`` (separated by commas, or ``all``) stays unmade.
"""

from ...base import config
from ..ffi import semantics
from ..patching import Patch, PatchTable
from ..served_modules import STAND_INS
from . import portable_builds, torch_first

PATCHES = PatchTable(
    "patch",
    Patch(
        "instance_functions",
        "autograd Functions whose forward and backward are methods of an instance: F(3)(x)",
        "ffi.function:instance_functions",
    ),
    Patch(
        "function_warning",
        "no DeprecationWarning where a Function is instantiated",
        "ffi.function:function_warning",
    ),
    Patch(
        "function_attributes",
        "ctx.metadata, ctx.requires_grad and other names of ctx that PyTorch made read-only can be assigned",
        "ffi.function:function_attributes",
    ),
    Patch(
        "previous_functions",
        "ctx.previous_functions, with leaf Variables in it",
        "ffi.function:previous_functions",
    ),
    Patch("creator", "x.creator, the Function instance that made x", "ffi.variable:creator"),
    Patch("volatile", "Variable(x, volatile=True) and x.volatile: no graph behind it", "ffi.variable:volatile"),
    Patch(
        "retain_variables",
        "backward(retain_variables=True), of tensors and of torch.autograd",
        "ffi.variable:retain_variables",
    ),
    Patch("loss_gradient", "loss.backward(torch.ones(1)): a loss had one dimension", "ffi.variable:loss_gradient"),
    Patch("data_owner", "x.data.resize_(4), also in C, resizes x", "ffi.data_owner:data_owner"),
    Patch(
        "cpp_extension",
        "torch.utils.cpp_extension compiles sources of PyTorch 0.4 to 1.10: THC/THC.h, AT_CHECK, x.type() in dispatch",
        "cpp.cpp_extension:cpp_extension",
    ),
    Patch(
        "portable",
        "under run --portable, torch.utils.cpp_extension builds one file for every PyTorch, with torchthaw's own headers",
        "run.portable_builds:portable",
    ),
    Patch(
        "build_ext",
        "under run, setuptools' own build_ext compiles sources that see PyTorch's headers in the same way, and makes folders",
        "cpp.cpp_extension:build_ext",
    ),
    Patch(
        "torch_first",
        "under run, an extension that needs PyTorch's libraries loads without an import of torch before",
        "run.torch_first:torch_first",
    ),
    Patch(
        "build_modules",
        "under run, build scripts find pkg_resources and numpy.distutils where they are not installed, and what exec made",
        "served_modules:build_modules",
    ),
)

# Patches of one module alone, which torch.utils.ffi does not import.
OF_MODULE = {
    "torch.utils.cpp_extension": "cpp_extension", "distutils.command.build_ext": "build_ext",
    torch_first.KEY: "torch_first", portable_builds.KEY: "portable",
    **dict.fromkeys(STAND_INS, "build_modules"),
}  # fmt: skip


def switched_off():
    """The names that ``TORCHTHAW_NO_PATCH`` holds; ValueError where one is unknown."""
    names = config.words("TORCHTHAW_NO_PATCH")
    if names == ["all"]:
        return list(PATCHES.patches)
    try:
        return PATCHES.check(names) if names else []
    except ValueError as error:
        raise ValueError(f"TORCHTHAW_NO_PATCH: {error}") from None


def install(*names):
    """Makes the named patches; without names, all that ``TORCHTHAW_NO_PATCH`` does not switch off. Idempotent."""
    if not names:
        off = switched_off()
        names = [name for name in PATCHES.patches if name not in off and name not in OF_MODULE.values()]
        semantics.enable_from_environment()
        if not names:
            return
    PATCHES.make(*names)


def install_for(module):
    """Makes the patch of a module that was executed or is looked for now, unless ``TORCHTHAW_NO_PATCH`` says no."""
    name = OF_MODULE[module]
    if name not in switched_off():
        PATCHES.make_again(name)


def uninstall(*names):
    """Undoes the named patches, or all: PyTorch's classes are then exactly as before.

    A patch on top of which another library put something stays, with a UserWarning.
    """
    PATCHES.undo(*names)


def unavailable():
    """{name: why} of the patches and the items of the old semantics that this PyTorch does not take; imports it."""
    return {**PATCHES.unavailable(), **semantics.SEMANTICS.unavailable()}


def listing():
    """[(name, what it restores, whether it is made now)]; imports nothing."""
    return PATCHES.listing()
