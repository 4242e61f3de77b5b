"""torchthaw/modernize/packaging/scripts.py: the scripts that build an old project: what they do and tell nvcc."""

import os
import re
import shlex
from typing import NamedTuple

from ...doctor.project import SHELL_FILES, SHELL_NAMES
from ..built import without_architectures, without_old_standard
from ..remarks import Remark

# What compiles as pip does it, or only says something.
BUILDS = r"(?:\$\{?PYTHON\}?|python[\d.]*)\s+(?:\S*/)?(?:build\w*|setup|install)\.py"
UNDERSTOOD = re.compile(
    r"(?:cd|echo|set|export|source|printf|nvcc|rm|mkdir|if|elif|fi|done|then|else|:|exit|command|which"
    rf"|{BUILDS}|\S+/nvcc)(?![\w-])|\$[{{(]?NVCC[)}}]?\s|[A-Za-z_]\w*\s*[:?+]?=|\[|[\w%][\w%./-]*\s*:|\.PHONY"
    r"|ifn?eq\b|ifn?def\b|endif\b"
)
# Flags of nvcc that a build of torchthaw gives itself; the value is how many words follow.
GIVEN = {
    "-c": 0, "--compile": 0, "-o": 1, "--output-file": 1, "-x": 1, "-dc": 0, "-ccbin": 1, "--compiler-bindir": 1,
    "-shared": 0, "--shared": 0,
}  # fmt: skip
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
WHICH = re.compile(r"\$\(which ([\w+-]+)\)|`which ([\w+-]+)`")
# A rule of a Makefile, and what its commands call its target and its sources by.
MAKEFILE = re.compile(r"(?:GNU)?[Mm]akefile|.*\.mk")
RULE = re.compile(r"([^\s:=#]+)\s*:(?![:=])\s*(.*)")
AUTOMATIC = re.compile(r"\$([@<^?])")


class Compiled(NamedTuple):
    """What scripts compile: {source: the flags that it needs}, and {object: the source that it is made of}."""

    flags: dict
    sources: dict


def is_script(name):
    base = os.path.basename(name)
    return base in SHELL_NAMES or os.path.splitext(base)[1] in SHELL_FILES


def builds(text, build_files):
    """Whether a script compiles CUDA code or runs a build file."""
    names = "|".join(re.escape(os.path.basename(name)) for name in [*build_files, "setup.py"])
    return bool(re.search(rf"\bnvcc\b|\b(?:{names})\b", _code(text)))


def not_understood(text):
    """[(line, text)] of what a script does besides the build."""
    return [(number, line) for number, line, command in _commands(text) if not UNDERSTOOD.match(command)]


def _code(text):
    return "\n".join(line for _, line in _lines(text))


def _lines(text):
    """(number, command) of the lines of a script, continued ones joined, without comments and ``&&``."""
    number = 1
    for line in text.replace("\\\n", "\0").split("\n"):
        code = WHICH.sub(r"\1\2", re.sub(r"(?:^|\s)#.*", "", line.replace("\0", " ")))
        for command in COMMAND.findall(code):
            command = command.strip().strip("@-").strip()
            if command:
                yield number, command
        number += 1 + line.count("\0")


def compiled(project, texts, commands, remarks):
    """Compiled, with the flags besides those of every build: of scripts and of recorded commands.

    texts: {path of a script: text}. commands: those that build files start, as (path of the file, command). Folders of
    ``-I`` are absolute. Those that a script computes are said in ``remarks``.
    """
    found = Compiled({}, {})
    for path, text in texts.items():
        for line, flag in _read(project, path, text, found):
            message = f"nvcc gets {flag}, a folder that the script computes: add what is needed to include_dirs"
            remarks.append(Remark(path, line, "build-script", message, "look"))
    for path, command in commands:
        list(_read(project, path, command, found))
    return found


def _commands(text):
    """(number, line, the line with the values of variables) of a script's lines that assign nothing."""
    known = {}
    for number, line in _lines(text):
        assigned = ASSIGNMENT.fullmatch(line)
        if assigned:
            known[assigned[1]] = _expanded(assigned[2], known).strip("\"'")
        else:
            yield number, line, _expanded(line, known)


def _read(project, path, text, found):
    """Adds what a script's lines compile to ``found``; (line, flag) of the folders that cannot be read."""
    folder, rule = os.path.dirname(path), None
    is_makefile = MAKEFILE.fullmatch(os.path.basename(path))
    for line, written, command in _commands(text):
        if written.startswith("cd "):
            folder = _folder(project, folder, written[3:])
        rule = is_makefile and RULE.fullmatch(command) or rule
        for each in _of_rule(project, folder, rule, command):
            for flag in _add(project, folder, each, found):
                yield line, flag


def _of_rule(project, folder, rule, command):
    """A command of a Makefile's rule with the names of target and sources; of a rule with ``%`` for each file."""
    if not rule or not AUTOMATIC.search(command):
        return [command]
    target, sources = rule[1], rule[2].split()
    stems = [""]
    if "%" in target and sources:
        before, _, after = sources[0].partition("%")
        pattern = re.compile(f"{re.escape(os.path.normpath(os.path.join(folder, before)))}/?(.+){re.escape(after)}")
        stems = [found[1] for found in map(pattern.fullmatch, project.files) if found]
    values = {"@": target, "<": "".join(sources[:1]), "^": " ".join(sources), "?": " ".join(sources)}
    return [AUTOMATIC.sub(lambda found: values[found[1]].replace("%", stem), command) for stem in stems]


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
    """Adds a call of a compiler to ``found``; returns the flags of nvcc with folders that cannot be read."""
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
    places = [project.relative(os.path.join(folder, name)) for name in sources]
    for place in places:
        if place in project.files:
            known = found.flags.setdefault(place, [])
            known.extend(flag for flag in flags if flag not in known)
    made = [after for word, after in zip(words, words[1:]) if word in ("-o", "--output-file")]
    if len(places) == len(made) == 1 and places[0] in project.files:
        found.sources[project.relative(os.path.join(folder, made[0]))] = places[0]
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
