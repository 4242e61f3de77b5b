"""torchthaw/legacy/modernize/scripts.py: the scripts that build an old project: what they do and tell nvcc."""

import os
import re
import shlex

from ..doctor.project import SHELL_FILES, SHELL_NAMES
from .built import without_architectures, without_old_standard
from .remarks import Remark

# What compiles as pip does it, or only says something.
BUILDS = r"(?:\$\{?PYTHON\}?|python[\d.]*)\s+(?:\S*/)?(?:build\w*|setup|install)\.py"
UNDERSTOOD = re.compile(
    r"(?:cd|echo|set|export|source|printf|nvcc|rm|mkdir|if|elif|fi|done|then|else|:|exit|command|which"
    rf"|{BUILDS}|\S+/nvcc)(?![\w-])|\$[{{(]?NVCC[)}}]?\s|[A-Za-z_]\w*\s*[:?+]?=|\[|\w[\w.-]*:|\.PHONY"
)
# Flags of nvcc that a build of torchthaw gives itself; the value is how many words follow.
GIVEN = {"-c": 0, "--compile": 0, "-o": 1, "--output-file": 1, "-x": 1, "-dc": 0, "-ccbin": 1, "--compiler-bindir": 1}
# Flags with a folder or a name behind them, by the short one that is written together with it.
TOGETHER = {
    "-I": "-I", "--include-path": "-I", "-isystem": "-I", "--system-include": "-I", "-D": "-D", "--define-macro": "-D",
    "-U": "-U", "--undefine-macro": "-U",
}  # fmt: skip
VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\}|\((\w+)\))")
LONGEST = 2000  # characters of a variable's value: one that doubles with each line would fill the memory
ASSIGNMENT = re.compile(r"(?:export\s+)?(\w+)\s*(?::|\?)?=\s*(.*)")
# Folders of these names are PyTorch's or CUDA's own, which FFIExtension finds by itself.
OF_LIBRARIES = re.compile(r"torch|cuda", re.IGNORECASE)
COMMAND = re.compile(r"""(?:"[^"]*"|'[^']*'|["']|[^"';&|]|(?<!&)&(?!&)|(?<!\|)\|(?!\|))+""")  # what && || and ; divide
HOST_SOURCES = (".c", ".cc", ".cpp", ".cxx")
COMPILES = re.compile(r"(?:\S*/)?(?:(nvcc)|(?:g\+\+|gcc|cc|c\+\+|clang|clang\+\+)(?:-\d+)?)(?=\s)|\$[{(]?(NVCC)\b[)}]?")
# What a host compiler was told that a build of torchthaw does not tell it by itself: folders, macros, OpenMP.
OF_HOST = ("-I", "-D", "-U", "-fopenmp")
HOST = re.compile(r"-fPIC|-shared|'?-fPIC'?")


def is_script(name):
    base = os.path.basename(name)
    return base in SHELL_NAMES or os.path.splitext(base)[1] in SHELL_FILES


def builds(text, build_files):
    """Whether a script compiles CUDA code or runs a build file."""
    names = "|".join(re.escape(os.path.basename(name)) for name in [*build_files, "setup.py"])
    return bool(re.search(rf"\bnvcc\b|\b(?:{names})\b", _code(text)))


def not_understood(text):
    """[(line, text)] of what a script does besides the build."""
    return [(number, line) for number, line in _lines(text) if not UNDERSTOOD.match(line)]


def _code(text):
    return "\n".join(line for _, line in _lines(text))


def _lines(text):
    """(number, command) of the lines of a script, continued ones joined, without comments and ``&&``."""
    number = 1
    for line in text.replace("\\\n", "\0").split("\n"):
        code = re.sub(r"(?:^|\s)#.*", "", line.replace("\0", " "))
        for command in COMMAND.findall(code):
            command = command.strip().strip("@-").strip()
            if command:
                yield number, command
        number += 1 + line.count("\0")


def compiler_flags(project, texts, commands, remarks):
    """{source: the flags that it needs besides those of every build}, of scripts and of recorded commands.

    texts: {path of a script: text}. commands: those that build files start, as (path of the file, command). Folders of
    ``-I`` are absolute. Those that a script computes are said in ``remarks``.
    """
    found = {}
    for path, text in texts.items():
        for line, flag in _read(project, path, text, found):
            message = f"nvcc gets {flag}, a folder that the script computes: add what is needed to include_dirs"
            remarks.append(Remark(path, line, "build-script", message, "look"))
    for path, command in commands:
        list(_read(project, path, command, found))
    return found


def _read(project, path, text, found):
    """Adds the flags of a script's lines to ``found``; (line, flag) of the folders that cannot be read."""
    folder, known = os.path.dirname(path), {}
    for line, command in _lines(text):
        if command.startswith("cd "):
            folder = _folder(project, folder, command[3:])
        assigned = ASSIGNMENT.fullmatch(command)
        if assigned:
            known[assigned[1]] = _expanded(assigned[2], known).strip("\"'")
            continue
        for flag in _add(project, folder, _expanded(command, known), found):
            yield line, flag


def _expanded(text, known):
    """``text`` with the values of variables that the script assigns, where they are no results of programs."""

    def value(found):
        text = known.get(found[1] or found[2] or found[3], "$")
        return found[0] if re.search(r"[$`\"']", text) or len(text) > LONGEST else text

    return VARIABLE.sub(value, text)


def _folder(project, folder, target):
    """The folder after ``cd``; that of the script where the target is computed."""
    target = re.sub(r'"?\$\(dirname "?\$0"?\)"?', ".", target.strip()).strip("\"'")
    place = project.relative(os.path.join(folder, target)) if "$" not in target else None
    return place if place is not None and project.has_folder(place) else folder


def _add(project, folder, command, found):
    """Adds the flags of a call of a compiler to ``found``; returns those of nvcc with folders that cannot be read."""
    compiler = COMPILES.match(command)
    if not compiler:
        return []
    is_nvcc = bool(compiler[1] or compiler[2])
    try:
        words = shlex.split(command)[1:]
    except ValueError:
        return []
    sources = [word for word in words if word.endswith(".cu" if is_nvcc else HOST_SOURCES)]
    flags = [word for word in words if word not in sources]
    flags = _own_flags(without_old_standard(without_architectures(flags)))
    unknown = [flag for flag in flags if flag.startswith("-I") and "$" in flag and not OF_LIBRARIES.search(flag)]
    if not is_nvcc:
        flags, unknown = [flag for flag in flags if flag.startswith(OF_HOST)], []
    flags = [f"-I{project.root / folder / flag[2:]}" if flag.startswith("-I") else flag
             for flag in flags if "$" not in flag]  # fmt: skip
    for name in sources:
        place = project.relative(os.path.join(folder, name))
        if place in project.files:
            found.setdefault(place, []).extend(flag for flag in flags if flag not in found.get(place, ()))
    return unknown


def _own_flags(words):
    """The flags without those that every build gives; a folder or name behind one is written together with it."""
    kept = []
    while words:
        word = words.pop(0)
        if word in GIVEN:
            del words[: GIVEN[word]]
        elif word in ("-Xcompiler", "--compiler-options"):
            value = words.pop(0) if words else ""
            if not HOST.fullmatch(value) and "$" not in value:
                kept += [word, value]
        elif word.partition("=")[0] in TOGETHER:
            flag, _, value = word.partition("=")
            kept.append(TOGETHER[flag] + (value or (words.pop(0) if words else "")))
        elif word.startswith("-"):
            kept.append(word)
    return kept
