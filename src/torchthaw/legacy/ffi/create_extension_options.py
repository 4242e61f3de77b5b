"""torchthaw/legacy/ffi/create_extension_options.py: the arguments of an old create_extension, as options of torchthaw.extension.Extension."""

import os
import re
import warnings

from ...extension import cuda
from . import extra_objects

# Arguments of setuptools.Extension that are no options; setuptools takes longer to import than ninja takes to build.
OTHER_ARGUMENTS = {"export_symbols", "swig_opts", "depends", "language", "optional", "py_limited_api"}
# PyTorch's libraries with the symbols of TH and THC, of which the build links ours; libATen had both in 0.4.
OF_TH = ("TH", "THC", "ATen")
FILE_OF_TH = re.compile(rf"lib(?:{'|'.join(OF_TH)})\.so(?:\.1)?")
FLAG_OF_TH = re.compile(rf"-l(?:{'|'.join(OF_TH)}|:{FILE_OF_TH.pattern})")
LISTS = (
    "define_macros", "undef_macros", "include_dirs", "libraries", "library_dirs", "runtime_library_dirs",
    "extra_objects", "extra_link_args", "dlink_libraries",
)  # fmt: skip


def divided(given, base):
    """(options, others): the keyword arguments that are options, and the others, which only setuptools gets.

    Relative folders may be below the current folder, or below ``base``, that of the build file.
    """
    others = dict(given)
    options = {name: list(others.pop(name, None) or ()) for name in LISTS}
    for name in ("include_dirs", "library_dirs"):
        options[name] = [os.fspath(place) for folder in options[name] for place in extra_objects.places(base, folder)]
    options["libraries"] = [each for each in options["libraries"] if each not in OF_TH]
    options["extra_link_args"] = [*_without_th(base, options["extra_link_args"])]
    options["extra_objects"] = [each for each in options["extra_objects"] if not _is_of_th(base, each)]
    options["extra_compile_args"] = cuda.compile_args(others.pop("extra_compile_args", None) or ())
    options["dlink"] = others.pop("dlink", False)
    options["suffix"] = others.pop("source_extension", ".c")
    return options, others


def _is_of_th(base, path):
    """Whether a path names one of PyTorch's libraries, in a PyTorch that lacks it."""
    return bool(FILE_OF_TH.fullmatch(os.path.basename(path))) and not extra_objects.first_existing(base, path).exists()


def _without_th(base, flags):
    """The flags of the linker without those of PyTorch's libraries, also where ``-Wl,`` has several."""
    for flag in flags:
        first, *others = flag.split(",") if flag.startswith("-Wl,") else [flag]
        kept = [each for each in [first, *others] if not FLAG_OF_TH.fullmatch(each) and not _is_of_th(base, each)]
        if kept != ["-Wl"] and kept:
            yield ",".join(kept)


def warn_of_unknown(others):
    unknown = [repr(name) for name in others if name not in OTHER_ARGUMENTS]
    if unknown:
        warnings.warn(f"Unknown Extension options: {', '.join(sorted(unknown))}", stacklevel=3)
