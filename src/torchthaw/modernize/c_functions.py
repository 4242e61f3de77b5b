"""torchthaw/modernize/c_functions.py: C functions that read only sizes and elements of contiguous tensors.

Such a function may take pointers and sizes in place of TH tensors. They are found by their text: every use of a tensor
must be one of a few, and no other function of TH may be called.
"""

import re
from typing import NamedTuple

from ..header import cdef, cffi_names
from ..header.c_tokens import C_TOKENS, blank
from ..legacy.ffi import th_types as th
from .project import Project

C_TYPES = {
    "Double": "double", "Float": "float", "Long": "int64_t", "Int": "int32_t", "Short": "int16_t", "Char": "int8_t",
    "Byte": "uint8_t",
}  # fmt: skip
TENSOR = re.compile(r"TH(\w+)Tensor$")
CALLED = r"TH\w*Tensor_"
# Uses of the tensor P that need no TH. Those that give its elements come first.
DATA = (rf"{CALLED}data\s*\(\s*P\s*\)", r"P\s*->\s*storage\s*->\s*data(?:\s*\+\s*P\s*->\s*storageOffset)?")
SIZE = (rf"{CALLED}size\s*\(\s*P\s*,\s*(\d+)\s*\)", r"P\s*->\s*size\s*\[\s*(\d+)\s*\]")
COUNT = (rf"{CALLED}nElement\s*\(\s*P\s*\)",)
RANK = (rf"{CALLED}nDimension\s*\(\s*P\s*\)", r"P\s*->\s*nDimension", rf"{CALLED}isContiguous\s*\(\s*P\s*\)")
KEPT = (rf"\bP\s*=\s*{CALLED}newContiguous\s*\(\s*P\s*\)\s*;", rf"{CALLED}free\s*\(\s*P\s*\)\s*;")
PROTOTYPE = re.compile(r"\b(\w+)\s*\(([^()]*)\)\s*;")
SAME = rf"{CALLED}isSameSizeAs\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)"
TH_CALL = re.compile(r"\bTH(?!Error\b|ArgCheck\b|AssertMsg\b)\w*\s*\(")
# Declarations of pointers without a value.
DECLARED = re.compile(r"\b(?:const\s+)?(?:unsigned\s+|signed\s+)?[A-Za-z_]\w*\s*(?:\*\s*\w+\s*,\s*)*\*\s*\w+\s*;")
ASSIGNED = r"(?:[-+*/%|&^]|<<|>>)?=(?!=)"


class Plain(NamedTuple):
    """path, line: of the definition. prototype: C text of the function without TH."""

    name: str
    path: str
    line: int
    prototype: str


def of_gpus(project: Project, extensions):
    """The names of the functions whose prototypes, in the extensions' headers, take tensors of GPUs."""
    headers = {path for extension in extensions for path in extension.files("headers") if path in project.files}
    texts = [blank(source.text, C_TOKENS, ("comment", "string")) for source in map(project.text, headers) if source]
    return frozenset(name for text in texts for name, arguments in PROTOTYPE.findall(text) if "THCuda" in arguments)


def find(project: Project, extensions):
    """[Plain] of the functions that the extensions' headers declare; none where headers cannot be read."""
    found = {}
    for extension in extensions:
        options = extension.cpu or extension.gpu
        for name, node in _declared(project, options).items():
            for path in options["sources"]:
                source = project.text(path) if path in project.files and not path.endswith(".cu") else None
                plain = _plain(name, node, path, source.text) if source else None
                if plain:
                    found[name] = plain
    return list(found.values())


def _declared(project, options):
    """{function: its pycparser declaration}"""
    from pycparser import c_ast

    headers = [project.root / path for path in options["headers"] if path in project.files]
    folders = [*th.include_dirs(False), *(project.root / folder for folder in options["include_dirs"])]
    flags = [f"-D{name}" if value is None else f"-D{name}={value}" for name, value in options["define_macros"]]
    try:
        text = cdef.parse(headers, folders, flags, th.CDEF).text
        tree = cffi_names.syntax_tree(text)
    except Exception:  # cffi's, pycparser's and the compiler's errors have no common class; the build shows them
        return {}
    return {
        node.name: node for node in tree.ext if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl)
    }


def _plain(name, node, path, text):
    """The Plain of one function; None where it is not defined in ``text``, or needs TH."""
    code = blank(text, C_TOKENS, ("comment", "string"))
    start, body = _body(name, code)
    if body is None or node.type.args is None:
        return None
    from pycparser import c_generator

    generator, parameters = c_generator.CGenerator(), []
    for each in node.type.args.params:
        declaration = generator.visit(each)
        tensor = re.fullmatch(r"(?:const )?(?:struct )?TH(\w+)Tensor \*\s*(\w+)", declaration)
        parameters.append((tensor[2], tensor[1]) if tensor else declaration)
    tensors = [each for each in parameters if isinstance(each, tuple)]
    if not tensors or any(real not in C_TYPES for _, real in tensors):
        return None
    uses = _uses(body, [tensor for tensor, _ in tensors])
    if uses is None:
        return None
    result = generator.visit(node.type.type).replace(f" {name}", "").strip()
    prototype = _prototype(name, result, parameters, uses, body)
    return Plain(name, path, code.count("\n", 0, start) + 1, prototype)


def _body(name, code):
    """(position, text) of a function's definition; (0, None) without one at file scope."""
    for match in re.finditer(rf"\b{name}\s*\(", code):
        closing = end_of(code, match.end() - 1, "()")
        opening = re.compile(r"\s*\{").match(code, closing + 1)
        if opening:
            end = end_of(code, opening.end() - 1, "{}")
            return match.start(), code[opening.end() : end]
    return 0, None


def end_of(code, position, pair):
    depth = 0
    for index in range(position, len(code)):
        depth += {pair[0]: 1, pair[1]: -1}.get(code[index], 0)
        if depth == 0:
            return index
    return len(code)


class Use:
    """Of one tensor: ``sizes`` {dimension: the variable that holds it, or None}, ``counts`` the same of all elements,
    ``access`` "const", "out", "inout" or "unknown"."""

    def __init__(self, tensor, body):
        self.sizes, self.count, self.has_count = {}, None, False
        for pattern in _patterns(SIZE, tensor):
            for match in re.finditer(rf"(?:(\w+)\s*=\s*(?:\(\w+\)\s*)?)?{pattern}", body):
                dimension = int(match[2])
                self.sizes[dimension] = self.sizes.get(dimension) or match[1]
        for pattern in _patterns(COUNT, tensor):
            for match in re.finditer(rf"(?:(\w+)\s*=\s*(?:\(\w+\)\s*)?)?{pattern}", body):
                self.has_count, self.count = True, self.count or match[1]
        rank = re.search(rf"(?:{'|'.join(_patterns(RANK[:2], tensor))})\s*[=!]=\s*(\d+)", body)
        for dimension in range(max([*self.sizes, -1, int(rank[1]) - 1 if rank else -1]) + 1):
            self.sizes.setdefault(dimension, None)
        self.access = _access(tensor, body)


def _patterns(patterns, tensor):
    return [
        pattern.replace("P", tensor) if pattern.startswith("P") else re.sub(r"\bP\b", tensor, pattern)
        for pattern in patterns
    ]


def _uses(body, tensors):
    """{tensor: Use}; None where a tensor is used otherwise, or TH is called for something else."""
    rest = body
    for tensor in tensors:
        for pattern in _patterns((*KEPT, *DATA, *SIZE, *COUNT, *RANK), tensor):
            rest = re.sub(pattern, " ", rest)
    rest = re.sub(SAME, lambda match: " " if {match[1], match[2]} <= set(tensors) else match[0], rest)
    if TH_CALL.search(rest) or any(re.search(rf"\b{tensor}\b", rest) for tensor in tensors):
        return None
    uses = {tensor: Use(tensor, body) for tensor in tensors}
    for first, second in re.findall(SAME, body):
        for one, other in ((uses[first], uses[second]), (uses[second], uses[first])):
            if not one.sizes and not one.has_count:
                one.sizes, one.count, one.has_count = dict(other.sizes), other.count, other.has_count
    return uses if all(use.sizes or use.has_count for use in uses.values()) else None


def _access(tensor, body):
    """How the elements of a tensor are used, by the pointers to them."""
    data = "|".join(_patterns(DATA, tensor))
    names = set(re.findall(rf"(\w+)\s*=\s*(?:\([^()]*\)\s*)?(?:{data})", body))
    direct = len(re.findall(data, body)) - len(re.findall(rf"\w+\s*=\s*(?:\([^()]*\)\s*)?(?:{data})", body))
    while True:
        more = {name for each in names for name in re.findall(rf"\*\s*(?:const\s+)?(\w+)\s*=\s*[^;=]*\b{each}\b", body)}
        if more <= names:
            break
        names |= more
    if direct or any(re.search(rf"\(\s*(?:[^();]*,\s*)?&?{name}\s*(?:\+[^();,]*)?[,)]", body) for name in names):
        return "unknown"  # passed on
    written = [each for name in names for each in _written(name, body)]
    if not written:
        return "const"
    code = DECLARED.sub("", body)
    uses = sum(len(re.findall(rf"\b{name}\s*\[|\*\s*{name}\b(?!\s*=(?!=))", code)) for name in names)
    stores = sum(len(re.findall(rf"\b{name}\s*\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*=(?!=)", code)) for name in names)
    is_plain = all(sign == "=" for sign in written) and uses <= stores
    return "out" if is_plain else "inout"


def _written(name, body):
    """The assignment signs of the statements that write by the pointer ``name``."""
    indexed = re.findall(rf"\b{name}\s*\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*({ASSIGNED}|\+\+|--)", body)
    declared = re.findall(rf"\w\s*\*\s*{name}\s*=", body)
    pointed = re.findall(rf"\*\s*(?:\(\s*)?{name}\b[^=;]*?({ASSIGNED})", body)
    return [*indexed, *pointed[len(declared) :]]


def _prototype(name, result, parameters, uses, body):
    """The declaration with pointers and sizes, in the words of torchthaw/annotate.h; a line for each old parameter."""
    lines, known = [], {each.split()[-1].lstrip("*") for each in parameters if isinstance(each, str)}
    for each in parameters:
        if isinstance(each, str):
            lines.append(each)
            continue
        tensor, real = each
        use = uses[tensor]
        sizes = [use.sizes[dimension] or "{}_size{}".format(tensor, dimension) for dimension in sorted(use.sizes)]
        sizes = sizes or [use.count or f"{tensor}_count"]
        const = "const " if use.access == "const" else ""
        behind = " THAW_INOUT" if use.access in ("inout", "unknown") else ""
        note = " /* const in place of THAW_INOUT, if it is only read */" if use.access == "unknown" else ""
        new = [size for size in dict.fromkeys(sizes) if size not in known]
        known.update(new)
        pointer = f"{const}{C_TYPES[real]} *{tensor} THAW_SHAPE({', '.join(sizes)}){behind}{note}"
        lines.append(", ".join([pointer, *(f"int64_t {size}" for size in new)]))
    has_status = result == "int" and re.search(r"\breturn\s*\(?\s*[01]\s*\)?\s*;", body)
    head = f"{result} {name}("
    return ("THAW_STATUS\n" if has_status else "") + head + (",\n" + " " * len(head)).join(lines) + ");"
