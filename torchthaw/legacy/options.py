"""torchthaw/legacy/options.py: the arguments of an old create_extension, as options of torchthaw.build.Extension."""

import os
import warnings

from ..build import cuda
from . import objects

# Arguments of setuptools.Extension that are no options; setuptools takes longer to import than ninja takes to build.
OTHER_ARGUMENTS = {"export_symbols", "swig_opts", "depends", "language", "optional", "py_limited_api"}
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
        options[name] = [os.fspath(place) for folder in options[name] for place in objects.places(base, folder)]
    options["libraries"] = [each for each in options["libraries"] if each not in ("TH", "THC")]
    options["extra_compile_args"] = cuda.compile_args(others.pop("extra_compile_args", None) or ())
    options["dlink"] = others.pop("dlink", False)
    options["suffix"] = others.pop("source_extension", ".c")
    return options, others


def warn_of_unknown(others):
    unknown = [repr(name) for name in others if name not in OTHER_ARGUMENTS]
    if unknown:
        warnings.warn(f"Unknown Extension options: {', '.join(sorted(unknown))}", stacklevel=3)
