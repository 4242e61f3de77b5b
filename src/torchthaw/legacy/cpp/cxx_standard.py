"""torchthaw/legacy/cpp/cxx_standard.py: the C++ standard that PyTorch's headers, or nvcc, need, in place of an older one."""

import itertools
import os
import re
from functools import cache
from pathlib import Path

from ...base import config, installed_torch

# Names of standards, and those of drafts by which compilers knew them; the values can be compared.
STANDARDS = {
    "98": 3, "03": 3, "0x": 11, "11": 11, "1y": 14, "14": 14, "1z": 17, "17": 17, "2a": 20, "20": 20, "2b": 23, "23": 23,
}  # fmt: skip
NAME = r"(?P<kind>c|gnu)\+\+(?P<year>\d\w)"
# In a word, which may hold several flags, or those that nvcc passes to the host's compiler.
FLAG = re.compile(rf"(?P<before>^|[\s,'\"]|^(?:-Xcompiler|--compiler-options)=)--?std={NAME}(?=$|[\s,'\"])")
# Values of these are text of the project, also where they read as a flag.
DEFINITIONS = ("-D", "-U")
# What keeps u8"text" an array of char in C++20: of g++ and clang, and of nvcc, whose two compilers are told.
OLD_CHAR = ["-fno-char8_t"], ["-Xcudafe", "--no_char8_t", "-Xcompiler", "-fno-char8_t"]
# The folders of headers in a command, and a file that has more words of nvcc's: CMake writes folders to one.
FOLDER = re.compile(r"(?:^|\s)(?:-I|-isystem|--include-path|--system-include)[ =]?\"?([^\s\"]+)")
MORE_WORDS = re.compile(r"(?:^|\s)(?:--options-file|-optf)[ =](\S+)")
# The first lines of PyTorch's headers refuse an older compiler: `__cplusplus < 202002L`.
REFUSED = re.compile(r"__cplusplus\s*<\s*20(\d\d)\d\dL")
# In C++17, nvcc of these versions hands TYPENAME to g++ without its first word, which then asks for it.
DROPS_TYPENAME = "13.3", "13.4"
TYPENAME = re.compile(r"\btypename\s+decltype\s*\(")


def installed():
    """The folders of headers of the installed PyTorch; none without one."""
    return [os.fspath(each) for each in installed_torch.include()[:1]]


def needed():
    """The standard that the headers of the installed PyTorch ask for, such as 20; 0 where there are none."""
    return max(map(of_headers, installed()), default=0)


@cache
def of_headers(folder):
    """The standard that ``ATen/ATen.h`` in a folder of headers asks for; 0 where it is absent or asks for none."""
    try:
        found = REFUSED.search((Path(folder) / "ATen" / "ATen.h").read_text("utf-8", "replace"))
    except OSError:
        return 0
    return int(found[1]) if found else 0


def for_nvcc(words, version, folders, sources):
    """(words, changes): C++20 in place of an older standard, or of none, where nvcc of this version needs it.

    That is where a header of PyTorch, in one of the folders, or one of the sources has what it drops in C++17.
    """
    if version not in DROPS_TYPENAME:
        return list(words), []
    files = [*(os.path.join(folder, "ATen", "core", "List_inl.h") for folder in folders), *sources]
    cause = next(filter(_has_typename, map(os.fspath, files)), None)
    if cause is None:
        return list(words), []
    why = f"nvcc {version} compiles {os.path.basename(cause)} in C++20 alone"
    words, changes = current(words, 20, why, of_nvcc=True)
    if not any(word in ("-std", "--std") or FLAG.search(word) for word in words if not word.startswith(DEFINITIONS)):
        words, changes = [*words, "-std=c++20", *OLD_CHAR[True]], [f"{why}: -std=c++20"]
    return words, changes


@cache
def _has_typename(file):
    try:
        return TYPENAME.search(Path(file).read_text("utf-8", "replace")) is not None
    except OSError:
        return False


def is_of_pytorch(folder):
    """Whether a folder of headers is PyTorch's. Ours, which stand in for some of them, are not."""
    file = Path(os.path.realpath(os.path.join(folder, "ATen", "ATen.h")))
    return file.is_file() and not file.is_relative_to(os.path.realpath(config.my_lib_includes()))


def of_environment():
    """The folders of headers that variables of the environment give to compilers."""
    listed = [os.environ.get(name, "").split(os.pathsep) for name in ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")]
    flags = [os.environ[name] for name in ("CFLAGS", "CPPFLAGS", "CXXFLAGS") if name in os.environ]
    return [*filter(None, itertools.chain(*listed)), *folders(flags)]


def of_command(words):
    """The standard that PyTorch's headers ask for in a compiler's command; 0 where it names no folder of theirs."""
    return max(map(of_headers, folders(words)), default=0)


def folders(words):
    """The folders of headers that a compiler's command names."""
    text = " ".join(words)
    for file in MORE_WORDS.findall(text):
        try:
            text += " " + Path(file).read_text("utf-8", "replace")
        except OSError:
            pass  # nvcc says so
    return FOLDER.findall(text)


def current(words, least, why="PyTorch's headers need C++{least}", of_nvcc=False):
    """(words, changes): the flags with ``least`` in place of each older standard; a line about each that was replaced.

    A flag in two words, ``-std c++14``, becomes one: PyTorch adds a standard of its own where it finds no ``-std=``.
    u8"text" stays an array of char, as before C++20.
    """
    result, changes, rest = [], {}, list(words)
    while rest:
        word = rest.pop(0)
        if word in ("-std", "--std") and rest and _is_older(re.fullmatch(NAME, rest[0]), least):
            word = f"{word}={rest.pop(0)}"
        result.append(
            word if word.startswith(DEFINITIONS) else FLAG.sub(lambda flag: _newer(flag, least, why, changes), word)
        )
    if changes and least >= 20:
        result += OLD_CHAR[of_nvcc]
    return result, list(changes)


def _is_older(named, least):
    return named is not None and STANDARDS.get(named["year"], least) < least


def _newer(flag, least, why, changes):
    if not _is_older(flag, least):
        return flag[0]
    old = flag[0][len(flag["before"]) :]
    new = f"-std={flag['kind']}++{least}"
    changes[f"{old}: {why.format(least=least)}; {new} instead"] = None
    return flag["before"] + new
