"""torchthaw/extension/header_folders.py: where the compilers look for headers, and what their flags make of those."""

import itertools
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..base import child, toolchain

FLAGS = "-isystem", "-iquote", "-idirafter", "-I"
# Of flags, what decides which declarations headers have: these with a word of their own or the next one, and the others.
MACROS_AND_FILES = "-D", "-U", "-include", "-imacros", *FLAGS
OF_LANGUAGE = "-fopenmp", "-std=", "-m"
SPELT = {"--include-path": "-I", "--include-directory": "-I", "--system-include": "-isystem"}  # nvcc's, gcc's, nvcc's
VARIABLES = "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"
# What only says where the compilers' own folders are: they list those themselves, where their command has it.
OWN = r"-(?:isysroot|-?sysroot|nostdinc|-?specs|B)"
# What else decides which headers are read, and is not followed here: other flags, and files of flags.
NOT_FOLLOWED = re.compile(
    rf"{OWN}|-i(?!system(?!-after)|quote|dirafter)|--(?:i|pre-include|options-file)|-[\w+]+-isystem|-I-$|-optf|@"
)
LISTED = re.compile(r"search starts here:\n((?: .*\n)*)")
BY_HAND = "/usr/local/"  # the compilers' own folder there has what administrators put into it


class Folders(NamedTuple):
    """given: the folders that flags and the environment name, and those of headers that were installed by hand.
    own: the compilers' own, for the headers of the system and of the languages.
    """

    given: list
    own: list


def find(flags=()):
    """The Folders of the compilers of C and C++ that are installed. ``flags``: those of any of them, nvcc's too.

    None where they cannot be known. Relative folders of flags stay relative.
    """
    words = _words(flags)
    if any(map(NOT_FOLLOWED.match, words)):
        return None
    environment = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    given, own = [], []
    for language, compiler in {"c": toolchain.c_compiler, "c++": toolchain.cxx_compiler}.items():
        try:
            command = compiler()
        except FileNotFoundError:
            continue  # a build needs not both
        alone = _without_folders(command)
        if any(NOT_FOLLOWED.match(word) and not re.match(OWN, word) for word in _words(alone[1:])):
            return None
        found = [
            _listed(tuple(alone), language, ()),
            _listed((*command, *map("".join, _of_folders(words))), language, tuple(environment.items())),
        ]
        if None in found:
            return None
        own += [folder for folder in found[0] if not folder.startswith(BY_HAND)]
        given += [folder for folder in found[1] if folder not in own]
    return Folders(list(map(Path, dict.fromkeys(given))), list(map(Path, dict.fromkeys(own))))


def of_preprocessor(flags):
    """Those of a C compiler's flags that decide which declarations headers have."""
    words, kept = iter(map(str, flags)), []
    for word in words:
        if word in MACROS_AND_FILES:
            kept += [word, *itertools.islice(words, 1)]
        elif word.startswith((*MACROS_AND_FILES, *OF_LANGUAGE)):
            kept.append(word)
    return kept


def of_flags(flags):
    """The folders of headers that flags name."""
    return [Path(folder) for _, folder in _of_folders(_words(flags))]


def _words(flags):
    """The flags, and those that nvcc passes on, each in one spelling."""
    words = []
    for flag in map(str, flags):
        flag = re.sub(r"^(?:-Xcompiler|--compiler-options)=", "", flag)
        for word in re.split(r"[,\s]+(?=-)", flag):  # -Xcompiler takes several, by commas
            name, equals, value = word.partition("=")
            name = SPELT.get(name, name)
            words += [name, value] if equals and name in FLAGS else [f"{name}{equals}{value}"]
    return words


def _of_folders(words):
    """(flag, folder) of those of ``words`` that name folders of headers, as gcc and clang take them."""
    words = iter(words)
    for word in words:
        flag = next(filter(word.startswith, FLAGS), None)
        if flag:
            yield flag, word[len(flag) :] or next(words, "")


def _without_folders(command):
    """A compiler's command without the flags that name folders of headers: those are none of its own."""
    words = iter(command)
    kept = []
    for word in words:
        flag, *value = _words([word])
        if flag in FLAGS and not value:
            next(words, None)  # its folder is a word of its own
        elif not flag.startswith(FLAGS):
            kept.append(word)
    return kept


@lru_cache(maxsize=None)
def _listed(command, language, environment):
    """The folders that a compiler says it looks into; None where it does not say so."""
    kept = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    environment = {**kept, **dict(environment), "LC_ALL": "C"}
    done = child.answer([*command, "-E", "-v", "-x", language, os.devnull], env=environment, check=False)
    found = "".join(LISTED.findall(done.err))
    return None if done.status or not found else [line.strip() for line in found.splitlines()]
