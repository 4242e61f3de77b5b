"""torchthaw/base/toolchain.py: which compilers and tools to run."""

import functools
import hashlib
import importlib.util
import os
import shlex
import shutil
import sysconfig


def _compiler(variable, candidates):
    given = os.environ.get(variable)
    if given:
        command = shlex.split(given)
        if shutil.which(command[0]) is None:
            raise FileNotFoundError(f"{variable}: expected a compiler on PATH, got {given!r}")
        return command
    for name in candidates:
        if shutil.which(name):
            return [name]
    raise FileNotFoundError(
        f"no {'C++' if variable == 'CXX' else 'C'} compiler found: tried {', '.join(candidates)}; "
        f"install one (Debian: apt install g++), or set {variable}"
    )


def c_compiler():
    """The C compiler as a list of words: ``CC``, else gcc, cc or clang."""
    return _compiler("CC", ("gcc", "cc", "clang"))


def cxx_compiler():
    """The C++ compiler as a list of words: ``CXX``, else g++, c++ or clang++."""
    return _compiler("CXX", ("g++", "c++", "clang++"))


def identity(command):
    """What tells one compiler from another: its command, and the content of the programs that this names.

    A command names two where the first one starts the other, such as ``ccache gcc``. Where ``gcc`` itself is a link to
    ccache, that starts the next ``gcc`` on ``PATH``: all of a name count.
    """
    words = [*map(str, command)]
    places = [(word, None) for word in words]
    places += [(os.path.basename(word), folder) for word in words for folder in os.get_exec_path()]
    programs = dict.fromkeys(filter(None, (shutil.which(name, path=folder) for name, folder in places)))
    return [*words, *(part for program in programs for part in (program, _content(program)))]


def _content(path):
    """The digest of a file's content, of which many builds in one process ask."""
    status = os.stat(path)
    return _digest(path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@functools.lru_cache(maxsize=None)
def _digest(path, *status):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def tool(name):
    """The path of ``ninja`` or ``cmake``: from the Python package of that name, else from ``PATH``."""
    # The package's own launcher of cmake is a Python script; data/bin has the program itself.
    package = importlib.util.find_spec(name)
    folders = [*(package.submodule_search_locations or ())] if package else []
    folders = [os.path.join(folder, "data", "bin") for folder in folders]
    if package:
        folders.append(sysconfig.get_path("scripts"))
    path = shutil.which(name, path=os.pathsep.join(folders)) if folders else None
    path = path or shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"{name} not found; install it: pip install {name}")
    return path


def python_include():
    """The folder of ``Python.h``."""
    folder = sysconfig.get_path("include")
    if not os.path.exists(os.path.join(folder, "Python.h")):
        raise FileNotFoundError(f"Python.h not found in {folder}; install it (Debian: apt install python3-dev)")
    return folder


def missing():
    """What a build of an extension lacks, and how to install it; "" where compilers and Python.h are there."""
    for find in (c_compiler, cxx_compiler, python_include):
        try:
            find()
        except FileNotFoundError as error:
            return str(error)
    return ""
