"""torchthaw/modernize/c_resizes.py: the arguments that C functions of a project may resize, by their text."""

import posixpath
import re
from typing import NamedTuple

from ..header.c_tokens import C_TOKENS, blank
from .c_functions import end_of

# The name of a function, or of one that a macro names: ``THNN_(name)``.
NAME = r"\b(?:\w+\s*\(\s*(?P<made>\w+)\s*\)|(?P<name>\w+))\s*\("
DEFINITION = re.compile(NAME + r"(?P<parameters>[^(){};]*)\)\s*\{")
CALL = re.compile(NAME)
INCLUDE = re.compile(r"#\s*include\s*\"([^\"\n]+)\"")
TENSOR = re.compile(r"\bTH\w*Tensor\s*\*\s*(\w+)\s*$")
# Functions of TH that leave the sizes of their first tensor; most others write a result to it.
KEEPS = (
    r"data|storage|storageOffset|nDimension|size|stride|nElement|is\w+|new\w*|retain|free\w*|get\w*|set\dd|fill|zero|copy"
    r"\w*|\w+all|dot|numel|masked(?:Fill|Copy)|scatter\w*|index(?:Copy|Add|Fill)|uniform|normal|bernoulli|random|desc\w*"
    r"|checkGPU|clearFlag"
)
OF_TH = re.compile(r"\bTH\w*Tensor_(?:\s*\(\s*)?\w+")
# Functions of TH with two results or three.
RESULTS = {name: 2 for name in ("max", "min", "sort", "topk", "kthvalue", "mode", "median", "gesv", "gels", "geqrf",
                                "qr", "trtrs", "syev", "geev", "pstrf", "btrifact")} | {"gesvd": 3, "gesvd2": 4}  # fmt: skip
# What keeps the sizes of each tensor that it is given, whoever defines it.
HARMLESS = re.compile(
    r"if|while|for|switch|return|sizeof|\w*(?:check|Check|CHECK|[aA]ssert|ASSERT|rgCheck)\w*|toDeviceTensor\w*"
)
REAL = "(?:Float|Double|Half|Long|Int|Short|Char|Byte|Cuda)"
ANY = None  # of the sizes of C: each argument may be resized


class Function(NamedTuple):
    """tensors: {name of a parameter: its position}. body: its text."""

    tensors: dict
    body: str


def of(resized, name):
    """The positions for a C function by what ``find`` gave; ANY where no source of it was found."""
    if name in resized:
        return resized[name]
    made = [positions for each, positions in resized.items()
            if each.startswith("*") and re.fullmatch(rf"\w*(?:_|{REAL}){each[1:]}", name)]  # fmt: skip
    return set().union(*made) if made else ANY


def find(project, extensions):
    """{C function: the positions, from 0, of the tensors that it may resize}, of the extensions' C sources.

    A function that a macro names, ``THNN_(name)``, is ``*name``.
    """
    functions = {}
    for code in _texts(project, [name for each in extensions for name in each.files("sources")]):
        for name, function in _defined(code):
            functions.setdefault(name, []).append(function)
    found = {name: set() for name in functions}
    while True:
        before = sum(map(len, found.values()))
        for name, those in functions.items():
            found[name].update(position for each in those for position in _resized(each, found))
        if sum(map(len, found.values())) == before:
            return found


def _texts(project, paths):
    """The code of these files and of the project's files that they include."""
    paths = list(dict.fromkeys(paths))
    for path in paths:
        source = project.text(path) if path in project.files else None
        if source is None:
            continue
        for name in INCLUDE.findall(source.text):
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            end = "/" + posixpath.basename(name)
            named = (
                [beside] if beside in project.files else [each for each in project.files if f"/{each}".endswith(end)]
            )
            paths += [each for each in named if each not in paths]
        yield blank(source.text, C_TOKENS, ("comment", "string", "include"))


def _defined(code):
    """(name, Function) of each function that is defined in C text."""
    end = 0
    for match in DEFINITION.finditer(code):
        if match.start() < end:  # ``if (x) {`` of the function before
            continue
        end = end_of(code, match.end() - 1, "{}")
        parameters = [TENSOR.search(each) for each in match["parameters"].split(",")]
        tensors = {each[1]: index for index, each in enumerate(parameters) if each}
        yield match["name"] or f"*{match['made']}", Function(tensors, code[match.end() : end])


def _resized(function, found):
    """The positions of the tensors that a function may resize, by what is known of those that it calls."""
    for tensor, position in function.tensors.items():
        names = {tensor}
        while True:  # its other names
            of_it = "|".join(names)
            more = set(re.findall(rf"(\w+)\s*=\s*(?:\([^()]*\)\s*)?(?:{of_it})\s*[;,]", function.body))
            if more <= names:
                break
            names |= more
        written = rf"\b(?:{of_it})\s*->\s*(?:size|stride|nDimension)\b[^;=<>!]*=(?!=)"
        if re.search(written, function.body) or any(_is_given(function.body, names, found)):
            yield position


def _is_given(body, names, found):
    """For each call in C text that is given a tensor of one of these names: whether it may resize it."""
    for match in CALL.finditer(body):
        arguments = _arguments(body[match.end() : end_of(body, match.end() - 1, "()")])
        places = [index for index, each in enumerate(arguments) if each in names]
        if not places:
            continue
        name = match["name"] or f"*{match['made']}"
        if OF_TH.match(body, match.start()):
            method = match["made"] or name.rpartition("_")[2]
            first = int(arguments[0] == "state")
            keeps = re.fullmatch(KEEPS, method)
            yield not keeps and any(each < first + RESULTS.get(method, 1) for each in places)
        elif not HARMLESS.fullmatch(name.lstrip("*")):
            positions = of(found, name)
            yield positions is ANY or bool(positions.intersection(places))


def _arguments(text):
    """The arguments of a call, without the types that they are cast to."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [re.sub(r"^\s*\([\w\s*]*\*\s*\)", "", each).strip() for each in [*parts, text[start:]]]
