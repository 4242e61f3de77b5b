"""torchthaw/legacy/run/stand_ins/numpy_distutils.py: numpy.distutils, system_info and misc_util as setup scripts use them:
where a library is.

NumPy has no numpy.distutils for Python 3.12 and later; the one for older Pythons fails beside setuptools 81 and later.
get_info() answers from pkg-config. For BLAS and LAPACK it answers with scipy-openblas32 where that finds none.
"""

import importlib
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

from torchthaw.base import cache, child, extras

OF_OPENBLAS = ("openblas", "blas", "cblas", "lapack")
# Names of numpy.distutils -> those of pkg-config, the first that it has.
PKG_CONFIG = {
    "blas_opt": OF_OPENBLAS[:3],
    "lapack_opt": ("openblas", "lapack"),
    "openblas_lapack": ("openblas",),
    "mkl": ("mkl-sdl", "mkl-dynamic-lp64-iomp"),
}
OPTIONS = {"-I": "include_dirs", "-L": "library_dirs", "-l": "libraries", "-D": "define_macros"}


class NotFoundError(Exception):
    pass


def get_info(name, notfound_action=0):
    """{keyword of Extension: list} for a library; empty, or with 2 a NotFoundError, where it is not found."""
    names = PKG_CONFIG.get(name, (name,))
    found = next(filter(None, map(_pkg_config, names)), None) or ({*names} & {*OF_OPENBLAS} and _openblas()) or {}
    if not found and notfound_action == 2:
        raise NotFoundError(f"name: expected a library that pkg-config knows, got {name!r}")
    return found


def get_numpy_include_dirs():
    return [importlib.import_module("numpy").get_include()]


def _pkg_config(name):
    program = shutil.which(os.environ.get("PKG_CONFIG", "pkg-config"))
    if program is None:
        return {}
    done = child.answer([program, "--cflags", "--libs", name], check=False)
    return _keywords(shlex.split(done.out)) if done.status == 0 else {}


def _keywords(words):
    found = {}
    for word in words:
        keyword = OPTIONS.get(word[:2])
        if keyword == "define_macros":
            macro, _, value = word[2:].partition("=")
            found.setdefault(keyword, []).append((macro, value or None))
        elif keyword:
            found.setdefault(keyword, []).append(word[2:])
        else:
            found.setdefault("extra_link_args" if word.startswith("-Wl,") else "extra_compile_args", []).append(word)
    return found


def _openblas():
    """scipy-openblas32, whose functions have a prefix: a header gives them their names.

    Many setup scripts use ``libraries`` alone; CPATH and LDFLAGS tell compilers the rest.
    """
    try:
        package = extras.require("scipy_openblas32", "legacy")
    except ImportError as error:
        print(f"torchthaw: numpy.distutils: pkg-config finds no BLAS; {error}", file=sys.stderr)
        return {}
    include, library = package.get_include_dir(), package.get_lib_dir()
    text = (Path(include) / "cblas.h").read_text("utf-8", "replace")
    names = sorted({*re.findall(r"\bscipy_((?:cblas|openblas)_\w+)", text)})
    lines = [
        "/* Made by torchthaw. */",
        *(f"#define {name} scipy_{name}" for name in names),
        f'#include "{include}/cblas.h"',
    ]
    headers = os.fspath(cache.layout("blas", {"cblas.h": "\n".join(lines) + "\n"}, {}))
    _add("CPATH", os.pathsep, headers)
    _add("LDFLAGS", " ", shlex.join(["-L" + library, "-Wl,-rpath," + library]))
    return {
        "libraries": [package.get_library()], "library_dirs": [library], "runtime_library_dirs": [library],
        "include_dirs": [headers, include], "language": "c", "define_macros": [("HAVE_CBLAS", None)],
    }  # fmt: skip


def _add(variable, separator, value):
    given = os.environ.get(variable, "")
    if value not in given:
        os.environ[variable] = separator.join(filter(None, [given, value]))
