"""tests/packaging/test_encodings.py: files are opened, and programs read, with an encoding that is named.

Without one it is the locale's, and a file that one user writes is another text, or an error, for the next one.
"""

import ast

import pytest

from support import SRC

# Who opens files as text: {name: how many positional arguments come before the encoding}.
METHODS = {"read_text": 0, "write_text": 1}
OPENS = {"open": 3, "fdopen": 3}
PROGRAMS = {"run", "Popen", "check_output", "check_call", "call"}
TEXT = {"text", "universal_newlines"}


def without_encoding(text):
    """The lines of Python code that open a file as text, or read a program's output as text, without an encoding."""
    for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
        name = getattr(call.func, "attr", getattr(call.func, "id", None))
        owner = getattr(getattr(call.func, "value", None), "id", None)
        keywords = {each.arg for each in call.keywords}
        if "encoding" in keywords:
            continue
        if name in METHODS and len(call.args) <= METHODS[name]:
            yield call.lineno
        elif name in OPENS and (owner in (None, "io", "builtins", "codecs") or name == "fdopen"):
            mode = next((each.value for each in call.keywords if each.arg == "mode"), (call.args[1:2] or [None])[0])
            if not (isinstance(mode, ast.Constant) and "b" in str(mode.value)) and len(call.args) <= OPENS[name]:
                yield call.lineno
        elif name in PROGRAMS and owner == "subprocess" and keywords & TEXT:
            yield call.lineno


FILES = sorted(SRC.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda path: str(path.relative_to(SRC)))
def test_text_has_an_encoding(file):
    assert not list(without_encoding(file.read_text("utf-8")))


@pytest.mark.parametrize("code, lines", [
    ("open(x)", [1]), ("\nopen(x, 'w')", [2]), ("open(x, 'rb')", []), ("open(x, mode='wb')", []),
    ("open(x, encoding='utf-8')", []), ("p.read_text()", [1]), ("p.read_text('utf-8')", []),
    ("p.write_text(t)", [1]), ("p.write_text(t, 'utf-8')", []), ("p.read_text(errors='replace')", [1]),
    ("os.open(x, y)", []), ("subprocess.run(x, text=True)", [1]), ("subprocess.run(x)", []),
    ("subprocess.Popen(x, text=True, encoding='utf-8')", []), ("ninja.run(x, text='what')", []),
])  # fmt: skip
def test_what_opens_text(code, lines):
    assert list(without_encoding(code)) == lines
