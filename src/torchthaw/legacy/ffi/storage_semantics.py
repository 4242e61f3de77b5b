"""torchthaw/legacy/ffi/storage_semantics.py: whether C code can tell its TH storages from PyTorch's own.

A TH storage for a tensor's own elements alone, with an offset of 0, needs less of PyTorch: exact storages make a short
call take half as long again. is_exact() finds the code that needs them: code that reads ``storage->size`` or
``storageOffset``, compares storages, passes one on (``setStorage``, ``swap``), and code that is not there to be read.
All other code names storages only to read ``tensor->storage->data``.
"""

import re
from pathlib import Path

from ...base import config, reading
from ...extension import header_folders
from ...header.c_tokens import C_TOKENS, blank

MOST = 64 << 20  # bytes of a source that is read
NAMED = re.compile(r"storage", re.IGNORECASE)
DATA = r"->\s*storage\s*->\s*data\b"
HARMLESS = re.compile(DATA)
# Where views of one storage are told from other tensors: `a->storage->data == b->storage->data`.
COMPARED = re.compile(rf"{DATA}\s*\)*\s*[=!]=|[=!]=[\s(]*(?:\([^()]*\)\s*)?\w+\s*{DATA}(?!\s*\[)")
# Files that a file includes, or has included as TH_GENERIC_FILE; a macro of another name is no file that can be found.
DIRECTIVE = r"^[ \t]*#[ \t]*(?:include(?:_next)?|import"
INCLUDED = re.compile(rf'{DIRECTIVE}|define[ \t]+THC?_GENERIC_FILE)[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
INCLUDED_MACRO = re.compile(rf"{DIRECTIVE})[ \t]+(?!THC?_GENERIC_FILE\b)[A-Za-z_]", re.MULTILINE)

# What no storage is passed to, by the words that link it.
RUNTIMES = {f"-l{name}" for name in "TH THC c m dl rt pthread gomp stdc++ gcc_s cudart".split()}


def is_exact(files, include_dirs=(), flags=(), linked=(), known=()):
    """Whether C code needs storages of PyTorch's own size, with each tensor's offset, one for all tensors on it.

    files: the headers and sources; what they include from beside them, from ``include_dirs`` or from folders that
    ``flags`` or the environment name counts as well. known: folders whose headers do not, as those of the compilers.
    flags: of the compilers. linked: words for the linker, such as ``-lNAME``, and objects whose sources are not among
    the files. What cannot be found or read needs them; what can, where the word ``storage`` is more than
    ``->storage->data``.
    """
    if any(map(NAMED.search, flags)):
        return True
    folders = header_folders.find(flags)
    if folders is None or not all(folder.is_absolute() for folder in folders.given):
        return True
    if any(word.startswith("-l") or not word.startswith("-") for word in {*map(str, linked)} - RUNTIMES):
        return True
    ours = [config.includes() / folder for folder in ("", "TH", "THC", "THCUNN")]
    known = [Path(folder).resolve() for folder in [*ours, config.annotate_includes(), *known, *folders.own]]
    given = dict.fromkeys(Path(folder).resolve() for folder in [*include_dirs, *folders.given])
    return any(map(_tells, _with_included(files, [folder for folder in given if folder not in known], known)))


def _tells(text):
    return INCLUDED_MACRO.search(text) or COMPARED.search(text) or NAMED.search(HARMLESS.sub("", text))


def _with_included(files, folders, known):
    """The text of ``files`` and of what they include, without comments; "storage" for one that cannot be read.

    folders: where included files may be, and are read; known: those in which they need not be.
    """
    waiting, seen = list(map(Path, files)), set()
    while waiting:
        path = waiting.pop().resolve()
        if path in seen:
            continue
        seen.add(path)
        try:
            text = blank(
                reading.read_bytes(path, MOST).decode(errors="replace").replace("\\\n", ""), C_TOKENS, ("comment",)
            )
        except reading.Unreadable:
            yield "storage"
            continue
        for name in INCLUDED.findall(text):
            found = [folder / name for folder in (path.parent, *folders) if (folder / name).is_file()]
            if not found and not any((folder / name).is_file() for folder in known):
                yield "storage"
            waiting += found  # which of several it is depends on more than their order
        yield INCLUDED.sub("", text)
