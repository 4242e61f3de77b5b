"""torchthaw/extension/unlisted.py: what a compiler reads or looks for, and does not list as a dependency.

A file that `__has_include` asks for may come or go; the assembler reads what `.incbin` and `.include` name; a word
``@file`` of a command stands for the words in that file.
"""

import hashlib
import os
import re
from pathlib import Path

DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:el)?if\b.*", re.MULTILINE)
PROBE = re.compile(r"\b__has_(?:include(?:_next)?|embed)\s*\(\s*([^)]*)")
NAMED = re.compile(r'<([^>\n]+)>|"([^"\n]+)"')
# In a string of C; the quote before the name is escaped there.
READ_BY_ASSEMBLER = re.compile(
    r'"(?:[^"\\\n]|\\.)*?(?:(?<!\w)|(?<=\\[nt]))\.(?:incbin\b(?:\s*\\?"([^"\\\n]+))?|include\s*\\?"([^"\\\n]+))'
)
UNKNOWN = "a name that a macro makes"  # such a file is looked at by a build only, so that each load is one


def of(files, folders, current):
    """{what: which} of the sources and headers ``files``; other values are a reason to build again.

    folders: those that the compiler looks into. current: the folder that it runs in.
    """
    found = {}
    for file in files:
        try:
            text = Path(file).read_text("utf-8", "replace")
        except OSError:
            continue
        for asked in PROBE.findall("\n".join(DIRECTIVE.findall(text.replace("\\\n", " ")))):
            name = NAMED.match(asked)
            places = [*([os.path.dirname(file)] if asked[:1] == '"' else []), *map(os.fspath, folders)]
            found[f"{file}: {asked}"] = UNKNOWN if name is None else [
                place for place in places if os.path.exists(os.path.join(place, name[1] or name[2]))
            ]  # fmt: skip
        for names in READ_BY_ASSEMBLER.findall(text):
            name = names[0] or names[1]
            paths = [os.path.join(place, name) for place in (current, *folders)]
            path = next(filter(os.path.isfile, paths), None)
            found[f"{file}: {name}"] = digest(path) if path else UNKNOWN
    return found


def words_of_files(words, current):
    """{path: digest} of the files that words such as ``@flags.rsp`` name, and of those that these name in turn."""
    found, waiting = {}, [*words]
    while waiting:
        word = str(waiting.pop())
        path = os.path.join(current, word[1:])
        if not word.startswith("@") or path in found:
            continue
        found[path] = digest(path)
        if found[path]:
            waiting += Path(path).read_text("utf-8", "replace").split()
    return found


def digest(path):
    """The digest of a file's content; None where there is nothing, or nothing that can be read."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except IsADirectoryError:
        return "a folder"
    except OSError:
        return None
