"""torchthaw/legacy/window.py: whether C code can tell how much of a torch storage its TH storages show.

They show what a tensor covers, from an offset of 0, which the bridge knows without asking PyTorch for more. Code that
names storages in other ways than to read ``tensor->storage->data``, or compares those pointers, and code that is not
there to be read, gets the storage's own size, the tensor's own offset, and one storage for all tensors on it:
``storage->size``, ``storageOffset``, ``a->storage == b->storage``, ``setStorage``, ``swap`` …
"""

import re
from pathlib import Path

from .. import config
from .doctor.source import C_TOKENS, blank

NAMED = re.compile(r"storage", re.IGNORECASE)
DATA = r"->\s*storage\s*->\s*data\b"
HARMLESS = re.compile(DATA)
# Where views of one storage are told from other tensors: `a->storage->data == b->storage->data`.
COMPARED = re.compile(rf"{DATA}\s*\)*\s*[=!]=|[=!]=[\s(]*(?:\([^()]*\)\s*)?\w+\s*{DATA}(?!\s*\[)")
# Files that a file includes, or has included as TH_GENERIC_FILE; a macro of another name is no file that can be found.
INCLUDED = re.compile(r'^[ \t]*#[ \t]*(?:include|define[ \t]+\w+)[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
INCLUDED_MACRO = re.compile(r"^[ \t]*#[ \t]*include[ \t]+(?!THC?_GENERIC_FILE\b)[A-Za-z_]", re.MULTILINE)

RUNTIMES = {"TH", "THC", "c", "m", "dl", "rt", "pthread", "gomp", "stdc++", "gcc_s", "cudart"}


def is_exact(files, include_dirs, flags, extra_objects, libraries, link_args):
    """Whether an extension needs storages as they are.

    files: the headers and sources; what they include from beside them or ``include_dirs`` counts as well.
    flags: the compilers', macros among them. extra_objects: those whose sources are not among the files.
    """
    if any(flag in ("-include", "-imacros") or NAMED.search(flag) for flag in flags):
        return True
    linked = [arg.removeprefix("-l") for arg in link_args if arg.startswith("-l") or not arg.startswith("-")]
    if extra_objects or set(libraries).union(linked) - RUNTIMES:
        return True
    folders = [Path(folder) for folder in include_dirs if not Path(folder).is_relative_to(config.includes())]
    return any(map(_tells, _with_included(files, folders)))


def _tells(text):
    return INCLUDED_MACRO.search(text) or COMPARED.search(text) or NAMED.search(HARMLESS.sub("", text))


def _with_included(files, folders):
    """The text of ``files`` and of what they include, without comments; one that cannot be read as an empty storage."""
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
