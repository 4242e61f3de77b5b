"""torchthaw/header/reading.py: what a C header declares and says of it, for what is made of a header alone."""

from pathlib import Path
from typing import Any, NamedTuple

import cffi

from . import cdef, comments, description
from .functions import read as read_functions


class Header(NamedTuple):
    """declared: the cdef.Declarations; signatures: as from cdef.signatures(); module: the description.Module."""

    declared: Any
    signatures: dict
    module: Any


def read(header, include_dirs=(), define_flags=()):
    """The Header of a path; the others as in cdef.parse().

    Raises ValueError for what cannot be parsed, AnnotationError for annotations that do not fit, and OSError.
    """
    header = Path(header)
    if not header.is_file():
        got = "which is no regular file" if header.exists() else "which does not exist"
        raise FileNotFoundError(f"HEADER: expected a C header, got {str(header)!r}, {got}")
    try:
        declared = cdef.parse([header], include_dirs, define_flags)
    except (cffi.CDefError, cffi.FFIError) as error:
        raise ValueError(f"{header}: {error}") from None
    signatures = cdef.signatures(declared.text)
    made = read_functions(declared.ffi, signatures)
    module = description.describe(made, declared, header.stem, header.stem, [header])
    comments.add(made, module, declared.annotated, [header], {})
    return Header(declared, signatures, module)
