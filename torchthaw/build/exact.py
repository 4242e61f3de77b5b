"""torchthaw/build/exact.py: whether C code can tell its TH storages from PyTorch's own.

A TH storage for a tensor's own elements alone, with an offset of 0, needs less of PyTorch: exact storages make a short
call take half as long again. is_exact() finds the code that needs them: code that reads ``storage->size`` or
``storageOffset``, compares storages, passes one on (``setStorage``, ``swap``), and code that is not there to be read.
All other code names storages only to read ``tensor->storage->data``.
"""

import re
from pathlib import Path

from .. import config
from .c_tokens import C_TOKENS, blank

NAMED = re.compile(r"storage", re.IGNORECASE)
DATA = r"->\s*storage\s*->\s*data\b"
HARMLESS = re.compile(DATA)
# Where views of one storage are told from other tensors: `a->storage->data == b->storage->data`.
COMPARED = re.compile(rf"{DATA}\s*\)*\s*[=!]=|[=!]=[\s(]*(?:\([^()]*\)\s*)?\w+\s*{DATA}(?!\s*\[)")
# Files that a file includes, or has included as TH_GENERIC_FILE; a macro of another name is no file that can be found.
INCLUDED = re.compile(r'^[ \t]*#[ \t]*(?:include|define[ \t]+\w+)[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
INCLUDED_MACRO = re.compile(r"^[ \t]*#[ \t]*include[ \t]+(?!THC?_GENERIC_FILE\b)[A-Za-z_]", re.MULTILINE)

# What no storage is passed to, by the words that link it.
RUNTIMES = {f"-l{name}" for name in "TH THC c m dl rt pthread gomp stdc++ gcc_s cudart".split()}


def is_exact(files, include_dirs=(), flags=(), linked=()):
    """Whether C code needs storages of PyTorch's own size, with each tensor's offset, one for all tensors on it.

    files: the headers and sources; what they include from beside them or from ``include_dirs`` counts as well.
    flags: of the compilers. linked: words for the linker, such as ``-lNAME``, and objects whose sources are not among
    the files. What cannot be read needs them; what can, where the word ``storage`` is more than ``->storage->data``.
    """
    if any(flag in ("-include", "-imacros") or NAMED.search(flag) for flag in flags):
        return True
    if any(word.startswith("-l") or not word.startswith("-") for word in {*map(str, linked)} - RUNTIMES):
        return True
    folders = [Path(folder) for folder in include_dirs if not Path(folder).is_relative_to(config.includes())]
    return any(map(_tells, _with_included(files, folders)))


def _tells(text):
    return INCLUDED_MACRO.search(text) or COMPARED.search(text) or NAMED.search(HARMLESS.sub("", text))


def _with_included(files, folders):
    """The text of ``files`` and of what they include, without comments; "storage" for one that cannot be read."""
    waiting, seen = list(map(Path, files)), set()
    while waiting:
        path = waiting.pop().resolve()
        if path in seen:
            continue
        seen.add(path)
        try:
            text = blank(path.read_text(errors="replace").replace("\\\n", ""), C_TOKENS, ("comment",))
        except OSError:
            yield "storage"
            continue
        for name in INCLUDED.findall(text):
            found = (folder / name for folder in (path.parent, *folders))
            waiting += [each for each in found if each.is_file()][:1]
        yield INCLUDED.sub("", text)
