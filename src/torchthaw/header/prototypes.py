"""torchthaw/header/prototypes.py: from C, C++ or CUDA source text to the prototypes of functions that it defines."""

import re

from . import annotations, cffi_names
from .errors import of_cxx

# What is no part of a declaration: comments, texts, preprocessor lines.
SKIPPED = re.compile(
    r"/\*.*?\*/|//(?:\\\n|[^\n])*"
    r'|(?P<text>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\')'
    r"|^[ \t]*#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)
FUNCTION = re.compile(
    r"(?P<result>[\w\s*]+?[\s*])(?P<name>[A-Za-z_]\w*)\s*\((?P<parameters>.*)\)\s*(?:noexcept)?", re.DOTALL
)
# The words of torchthaw/annotate.h that stand before a function.
ANNOTATIONS = re.compile(r"(?:\s*THAW_\w+(?:\s*\([^()]*\))?(?=\s))*")
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|__attribute__\s*\(\(.*?\)\)", re.DOTALL)

HEADER = """/* The functions that Python calls. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
{annotate}#ifdef __cplusplus
extern "C" {{
#endif
{prototypes}
#ifdef __cplusplus
}}
#endif
"""


def header(text, names):
    """The text of a C header that declares the functions ``names``, which ``text`` defines or declares.

    Raises ValueError, which names the function: where there is none of that name at file scope, it is ``static``, its
    signature is one of C++ alone, or it has a word that begins with ``THAW_`` and is no annotation.
    """
    found, others = {}, []
    for statement in statements(text):
        annotated = ANNOTATIONS.match(statement)[0]
        function = FUNCTION.fullmatch(statement, len(annotated))
        if not function or function["name"] not in names:
            others.append(statement)
            continue
        words = [word for word in function["result"].split() if word not in ("extern", "inline")]
        if "static" in words:
            raise ValueError(f"functions: expected functions that others can call, got static {function['name']}")
        parameters = " ".join(function["parameters"].split())
        prototype = f"{annotated} {' '.join(words)} {function['name']}({parameters})".lstrip()
        _check(function["name"], prototype)
        found.setdefault(function["name"], f"{prototype};")
    for name in names:
        if name not in found:
            for statement in others:
                if re.search(rf"(?<![\w:.]){name}\s*\(", statement):
                    _check(name, " ".join(statement.split()))
            raise ValueError(f"functions: expected functions that the sources define, got {name!r}")
    prototypes = "\n".join(found[name] for name in names)
    annotate = "#include <torchthaw/annotate.h>\n" if "THAW_" in prototypes else ""
    return HEADER.format(annotate=annotate, prototypes=prototypes)


def _check(name, statement):
    """Raises ValueError for a signature that no header of C can have."""
    unknown = annotations.unknown(statement)
    if unknown:
        raise ValueError(f"functions: {name}: {unknown}")
    what = of_cxx(statement)
    if what and not _is_c(statement):
        raise ValueError(
            f"functions: {name}: expected a signature with types of C, got {what} in {statement!r}; let it take arrays "
            "as pointers, such as const float *, and their sizes as numbers: Python passes tensors for them"
        )


def _is_c(statement):
    """Whether C's parser takes a declaration of types that every header has. Annotations are no part of C."""
    try:
        lines, _ = annotations.take([annotations.Line("", 1, f"{statement};")])
        cffi_names.syntax_tree(lines[0].text)
    except Exception:  # an AnnotationError, cffi's errors, and those of the parser that it calls
        return False
    return True


def statements(text):
    """The declarations and heads of definitions at file scope, without bodies; ``extern "C" {`` is no scope."""
    text = SKIPPED.sub(lambda found: '""' if found["text"] else " ", text)
    text = re.sub(r'\bextern\s*""\s*\{', ";", ATTRIBUTE.sub(" ", text))
    text = re.sub(r'\bextern\s*""', "extern", text)
    depth, start = 0, 0
    for found in re.finditer(r"[{};]", text):
        if depth == 0:
            yield text[start : found.start()].strip()
        depth = max(0, depth + {"{": 1, "}": -1}.get(found[0], 0))
        start = found.end()
