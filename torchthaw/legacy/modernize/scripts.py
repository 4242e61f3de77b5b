"""torchthaw/legacy/modernize/scripts.py: the scripts that build an old project: what they do and tell nvcc."""

import os
import re
import shlex

from ..doctor.project import SHELL_FILES, SHELL_NAMES
from .extensions import without_architectures

# What compiles as pip does it, or only says something.
BUILDS = r"(?:\$\{?PYTHON\}?|python[\d.]*)\s+(?:\S*/)?(?:build\w*|setup|install)\.py"
UNDERSTOOD = re.compile(
    r"(?:cd|echo|set|export|source|printf|nvcc|rm|mkdir|if|elif|fi|done|then|else|:|exit|command|which"
    rf"|{BUILDS}|\S+/nvcc)(?![\w-])|\$\{{?NVCC\}}?\s|[A-Za-z_]\w*=|\[|\w[\w.-]*:|\.PHONY"
)
# Flags of nvcc that a build of torchthaw gives itself; the value is how many words follow.
GIVEN = {"-c": 0, "--compile": 0, "-o": 1, "--output-file": 1, "-x": 1, "-dc": 0}
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
        for command in re.split(r"&&|\|\||;", code):
            command = command.strip().strip("@-").strip()
            if command:
                yield number, command
        number += 1 + line.count("\0")


def nvcc_flags(project, texts, commands):
    """{CUDA source: the flags that it needs besides those of every build}, of scripts and of recorded commands.

    texts: {path of a script: text}. commands: those that build files start, with the folder of each.
    """
    found = {}
    for path, text in texts.items():
        folder = os.path.dirname(path)
        for _, command in _lines(text):
            if command.startswith("cd "):
                folder = _folder(project, folder, command[3:])
            _add(project, folder, command, found)
    for folder, command in commands:
        _add(project, folder, command, found)
    return found


def _folder(project, folder, target):
    """The folder after ``cd``; that of the script where the target is computed."""
    target = re.sub(r'"?\$\(dirname "?\$0"?\)"?', ".", target.strip()).strip("\"'")
    place = project.relative(os.path.join(folder, target)) if "$" not in target else None
    return place if place is not None and project.has_folder(place) else folder


def _add(project, folder, command, found):
    if not re.match(r"(?:\S*/)?nvcc\b|\$\{?NVCC\}?", command):
        return
    try:
        words = shlex.split(command)[1:]
    except ValueError:
        return
    sources = [word for word in words if word.endswith(".cu")]
    flags = _own_flags(without_architectures([word for word in words if word not in sources]))
    for name in sources:
        place = project.relative(os.path.join(folder, name))
        if place in project.files:
            found.setdefault(place, []).extend(flag for flag in flags if flag not in found.get(place, ()))


def _own_flags(words):
    kept = []
    while words:
        word = words.pop(0)
        if word in GIVEN:
            del words[: GIVEN[word]]
        elif word in ("-Xcompiler", "--compiler-options"):
            value = words.pop(0) if words else ""
            if not HOST.fullmatch(value):
                kept += [word, value]
        elif word in ("-D", "-isystem"):
            kept.append(word + (words.pop(0) if words else ""))
        elif word == "-I":
            del words[:1]
        elif word.startswith("-") and "$" not in word and not word.startswith("-I"):
            kept.append(word)
    return kept
