"""torchthaw/build/cdef.py: from the text of C headers to declarations that cffi understands."""

import re
import subprocess
import warnings

import cffi

from . import cffi_names, toolchain

# What compilers add to declarations and cffi's parser does not know, with the spelling it takes instead.
NEUTRAL = {
    "__attribute__(x)": "", "__asm__(x)": "", "__declspec(x)": "", "_Static_assert(...)": "",
    "__extension__": "", "__inline__": "inline", "__inline": "inline", "_Noreturn": "",
    "__restrict__": "restrict", "__restrict": "restrict", "__const": "const", "__volatile__": "volatile",
}  # fmt: skip

MARKER = re.compile(r'# (\d+) "((?:[^"\\]|\\.)*)"')
ESCAPED = re.compile(r"\\(.)")
MACRO = re.compile(r"#\s*define\s+(\w+)\s+(.+?)\s*$")
INTEGER = re.compile(r"0[xX][0-9a-fA-F]+|\d+")
ARITHMETIC = re.compile(r"(?:(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*|[-+*/%|&^~()<>\s])+")


def parse(headers, include_dirs=(), define_flags=(), preamble=""):
    """(ffi, declarations): a cffi.FFI that knows what ``headers`` declare, and the text it was given.

    The files are tried as they are. Where they hold more than declarations (``#include``, guards, macros,
    ``extern "C"``, ``static inline``, attributes), the C preprocessor resolves that, and what stands in the headers
    themselves is kept: what they include is not, so a header whose types are needed must be listed too.
    """
    text = "".join(header.read_text() + "\n\n" for header in headers)
    try:
        ffi = _ffi(preamble, text)
    except (cffi.CDefError, cffi.FFIError):
        text = preprocess(headers, include_dirs, define_flags)
        ffi = _ffi(preamble, text)
    return ffi, preamble + text


def _ffi(*texts):
    ffi = cffi.FFI()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about #pragma, which no declaration depends on
        for text in texts:
            ffi.cdef(text)
    return ffi


def preprocess(headers, include_dirs=(), define_flags=()):
    """The declarations of ``headers`` after the C preprocessor, with their integer macros as ``#define NAME ...``."""
    # Defined after the headers' own includes would have used them, these would break the C library's headers.
    neutral = [f"-D{name}={value}" for name, value in NEUTRAL.items()]
    include = [f"-I{folder}" for folder in include_dirs]
    source = include_lines(headers)
    command = [*toolchain.c_compiler(), "-E", "-dD", *define_flags, *neutral, *include, "-x", "c", "-"]
    result = subprocess.run(command, input=source, capture_output=True, text=True)
    if result.returncode:
        raise ValueError(f"headers: the C preprocessor failed\n{result.stderr}")
    names = {str(header) for header in headers}
    kept, macros, ours = [], {}, False
    for line in result.stdout.splitlines():
        marker = MARKER.match(line)
        if marker:
            ours = ESCAPED.sub(r"\1", marker[2]) in names
        elif ours and line.startswith("#"):
            macro = MACRO.match(line)
            if macro and _is_integer(macro[2], macros):
                macros[macro[1]] = macro[2]
        elif ours and line.strip():
            kept.append(line)
    constants = [f"#define {name} ...\n" for name in macros]
    return "".join(constants) + _without_bodies("\n".join(kept)) + "\n"


def include_lines(headers):
    """C text that includes ``headers``, by their paths. Raises ValueError for a path that no directive can name."""
    lines = []
    for path in map(str, headers):
        if "\n" in path or '"' in path and ">" in path:
            raise ValueError(f"headers: expected a path that #include can name, got {path!r}")
        lines.append(f"#include <{path}>\n" if '"' in path else f'#include "{path}"\n')
    return "".join(lines)


def _is_integer(value, known):
    """Whether a macro's text is integer arithmetic, also over the macros found before it."""
    value = re.sub(r"\b[A-Za-z_]\w*\b", lambda name: "0" if name[0] in known else name[0], value)
    return bool(INTEGER.search(value) and ARITHMETIC.fullmatch(value))


def _without_bodies(text):
    """Functions defined in a header (``static inline``) as plain prototypes."""
    kept, depth, start = [], 0, 0
    position = 0
    while position < len(text):
        character = text[position]
        if character == "{":
            if depth == 0 and text[start:position].rstrip().endswith(")"):
                kept.append(text[start:position].rstrip() + ";")
                position = start = _closing(text, position) + 1
                continue
            depth += 1
        elif character == "}":
            depth -= 1
        elif character == ";" and depth == 0:
            kept.append(text[start : position + 1])
            start = position + 1
        position += 1
    kept.append(text[start:])
    return re.sub(r"\b(?:static|inline)\b", "", "".join(kept))


def _closing(text, position):
    """The position of the brace that closes the one at ``position``; string and character literals are skipped."""
    depth = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[{}]', text[position:]):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return position + token.start()
    return len(text) - 1


def signatures(declarations):
    """For each function its C declaration and its parameters' names (None for one without), by function name."""
    from pycparser import c_ast, c_generator

    tree = cffi_names.syntax_tree(declarations)
    generator = c_generator.CGenerator()
    found = {}
    for node in tree.ext:
        if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            parameters = node.type.args.params if node.type.args else []
            names = [getattr(parameter, "name", None) for parameter in parameters]
            declaration = generator.visit(node).replace("__dotdotdot__", "...")
            found[node.name] = declaration, names
    return found
