"""torchthaw/legacy/cpp/numpy_names.py: names of NumPy 1's C interface that NumPy 2 has no more."""

import os
import re
from pathlib import Path

from ...base import config

# Names of flags and types, headers of older interfaces, and members of PyArray_Descr.
GONE = (
    r"\bNPY_(?:(?:C|F)_?CONTIGUOUS|CONTIGUOUS|FORTRAN|OWNDATA|FORCECAST|ENSURECOPY|ENSUREARRAY|ELEMENTSTRIDES|ALIGNED|"
    r"NOTSWAPPED|WRITEABLE|UPDATEIFCOPY|(?:ARRAY_)?UPDATEIFCOPY|BEHAVED(?:_NS)?|[CF]ARRAY(?:_RO)?|DEFAULT|(?:IN|OUT|INOUT)_F?ARRAY|"
    r"UPDATE_ALL)\b"
    r"|\bPyArray_(?:C?DOUBLE|C?FLOAT|U?(?:BYTE|SHORT|INT|LONG|LONGLONG)|INT(?:32|64)|FLOAT(?:32|64)|CHAR|BOOL|OBJECT)\b(?!\s*\()"
    r"|\bPyArray_DESCR\([^()]*\)\s*->\s*(?:elsize|alignment|subarray|fields|names|f|c_metadata)\b"
    r"|#\s*include\s*[<\"]numpy/(?:oldnumeric|old_defines|noprefix)\.h"
)
INCLUDED = r"#\s*include\s*[<\"]numpy/"
INSTEAD = "NPY_ARRAY_..., NPY_DOUBLE and the like, and PyDataType_ELSIZE(descr)"

# Of these names the header names_of_numpy_1.h has none.
NOT_SERVED = re.compile(r"PyArray_DESCR|#\s*include|PyArray_CHAR$")
FIRST_IN_2 = "numpy/npy_2_compat.h"


def first(given, searched):
    """``given``, folders of headers, with that of NumPy 1's names before them if NumPy 2 is in one of ``searched``."""
    has_2 = any((Path(folder) / FIRST_IN_2).exists() for folder in searched)
    return [*([os.fspath(config.my_lib_includes() / "torchthaw_aten" / "NumPy")] if has_2 else []), *given]


def gone(code):
    """[(line, name)] of C without comments: each name once."""
    found = {}
    for match in re.finditer(GONE, code) if re.search(INCLUDED, code) else ():
        found.setdefault(match[0], code.count("\n", 0, match.start()) + 1)
    return sorted((line, name) for name, line in found.items())
