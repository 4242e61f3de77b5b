"""torchthaw/legacy/ffi/gnu89.py: C code that means by ``inline`` what gcc meant by it before its version 5.

Of ``inline int f(int n) { … }`` no function is made since C99: where a call is not inlined, the module lacks f. Before, a
function was made, as the flag -fgnu89-inline does.
"""

import re
from pathlib import Path

from ...header import cdef
from ...header.c_tokens import C_TOKENS, blank

INLINE = r"(?:inline|__inline|__inline__)"
DEFINED = re.compile(rf"^[ \t]*{INLINE}\b(?![^;{{}}()]*\bstatic\b)[^;{{}}()]*\w\s*\([^;{{}}]*\)\s*\{{", re.MULTILINE)
C99 = re.compile(rf"\bextern\s+{INLINE}\b|\b{INLINE}\s+extern\b")


def flags(headers, sources, include_dirs):
    """["-fgnu89-inline"] where C ``sources`` define functions inline that are not static; else [].

    Not where they say ``extern inline`` too, which means C99's inline, and not where two files of C include such a
    definition, generated C with its ``headers`` among them: both would have the function.
    """
    sources = [source for source in sources if Path(source).suffix == ".c"]
    reached = [
        path for files in (headers, *([source] for source in sources)) for path in cdef.included(files, include_dirs)
    ]
    texts = {path: blank(cdef.read(path), C_TOKENS, ("comment",)) for path in dict.fromkeys(reached)}
    defining = [path for path, text in texts.items() if DEFINED.search(text)]
    is_meant = defining and not any(map(C99.search, texts.values()))
    return ["-fgnu89-inline"] if is_meant and all(reached.count(path) == 1 for path in defining) else []
