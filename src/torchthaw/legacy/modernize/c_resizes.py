"""torchthaw/legacy/modernize/c_resizes.py: the arguments that C functions of a project may resize, by their text."""

import re

from ...header.c_tokens import C_TOKENS, blank
from .c_functions import end_of

DEFINITION = re.compile(r"\b(\w+)\s*\(([^(){};]*)\)\s*\{")
TENSOR = re.compile(r"\bTH\w*Tensor\s*\*\s*(\w+)\s*$")
# Functions of TH that leave the sizes of their first tensor; most others write a result to it.
KEEPS = (
    r"data|storage|storageOffset|nDimension|size|stride|nElement|is\w+|new\w*|retain|free\w*|get\w*|set\dd|fill|zero|copy"
    r"\w*|\w+all|dot|numel|masked(?:Fill|Copy)|scatter\w*|index(?:Copy|Add|Fill)|uniform|normal|bernoulli|random|desc\w*"
    r"|checkGPU|clearFlag"
)


def find(project, extensions):
    """{C function: the positions, from 0, of the tensors that it may resize}, of the extensions' C sources."""
    found = {}
    for path in dict.fromkeys(name for each in extensions for name in each.files("sources")):
        source = project.text(path) if path in project.files else None
        if source:
            for name, positions in _of_text(blank(source.text, C_TOKENS, ("comment", "string"))):
                found.setdefault(name, set()).update(positions)
    return found


def _of_text(code):
    """(name, positions) of each function that is defined in C text."""
    end = 0
    for match in DEFINITION.finditer(code):
        if match.start() < end:  # ``if (x) {`` of the function before
            continue
        end = end_of(code, match.end() - 1, "{}")
        parameters = [TENSOR.search(each) for each in match[2].split(",")]
        body = code[match.end() : end]
        yield match[1], {index for index, each in enumerate(parameters) if each and re.search(_change(each[1]), body)}


def _change(tensor):
    """What matches a call of TH that may resize a tensor."""
    return rf"\bTH\w*Tensor_\(?(?!(?:{KEEPS})\)?\s*\()\w+\)?\s*\(\s*(?:state\s*,\s*)?{tensor}\b"
