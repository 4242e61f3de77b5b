"""tests/packaging/test_exact_texts.py: the texts of messages that tests still fix; support/messages.py asks for less.

A text is a string literal in test_*.py, or in test_*.cpp and test_*.c as far as the first rule goes, that
- has the form of this project's errors, "... expected ..., got ...", wherever it stands in the file; or
- has six plain words in a row, and is the match= of pytest.raises or compared by an assertion.
Docstrings, programs of several lines and what a test itself raises do not count. The texts of the original TH, THC and
PyTorch 0.4 are promised: OWN are the folders of their tests, and MARK is the comment of a line elsewhere.
"""

import ast
import re
from collections import Counter

import pytest

from support import TESTS
from support.messages import names

OWN = ("th", "thc")
MARK = "# text of PyTorch 0.4"

# Folder of tests/ -> its texts. Whoever removes some lowers the number; nobody raises it.
LEFT = {
    "abi": 2,
    "base": 1,
    "bindings": 7,
    "bridge": 1,
    "build": 9,
    "cuda": 14,
    "cuda/gpu": 6,
    "cuda/host": 1,
    "graph": 1,
    "harden/threads": 1,
    "legacy/doctor": 12,
    "legacy/functions": 1,
    "legacy/modernize": 31,
    "legacy/semantics": 2,
    "operators": 1,
    "packaging": 8,
}

FORM = re.compile(r"\bexpected\b.*\bgot\b")
SIX = re.compile(r"(?:\b[A-Za-z']+[,:;]? ){5}[A-Za-z']+")
IN_C = re.compile(r'"[^"\n]*\bexpected\b[^"\n]*\bgot\b[^"\n]*"')


def lines_of_texts(node, prose=False):
    """The line of each text below a node of Python; prose: six words in a row are one here."""
    if isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return
    if isinstance(node, ast.Assert):
        yield from lines_of_texts(node.test, prose=True)
    elif isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        text = "".join(part.value if isinstance(part, ast.Constant) else "X" for part in parts).strip("\n")
        if "\n" not in text and (FORM.search(text) or (prose and SIX.search(text))):
            yield node.lineno
    else:
        if isinstance(node, ast.keyword):
            prose = node.arg == "match"
        elif isinstance(node, ast.Call):  # what a function is given, it may not compare
            prose = prose and ast.unparse(node.func) == "re.escape"
        for child in ast.iter_child_nodes(node):
            yield from lines_of_texts(child, prose)


def texts(path):
    """The lines of a test's file that fix a text."""
    source = path.read_text()
    lines = source.splitlines()
    if path.suffix != ".py":
        return [number for number, line in enumerate(lines, 1) for _ in IN_C.findall(line)]
    return [number for number in lines_of_texts(ast.parse(source)) if MARK not in lines[number - 1]]


def test_texts_are_found(tmp_path):
    def found(source, name="test_x.py"):
        path = tmp_path / name
        path.write_text(source)
        return texts(path)

    assert (
        found('"""x: expected 1, got 2"""\nwords = ["x: expected 1, " "got 2", f"x: expected 1, {got} got"]') == [2] * 2
    )
    assert found('raise ValueError("x: expected 1, got 2")\nrun("a\\nx: expected 1, got 2")') == []
    assert found('with pytest.raises(E, match="one two three four five six"): f("one two three four five six")') == [1]
    assert found('with pytest.raises(E, match=re.escape(f"one two {x} four five six")): f()') == [1]
    assert found('assert error == "one two three four five six", "one two three four five six"') == [1]
    assert found('assert f("one two three four five six") and "one two three four five 6" in x') == []
    assert found(f'a = "x: expected 1, got 2"\nb = "x: expected 1, got 2"  {MARK}') == [1]
    assert found('CHECK(a,\n  "x: expected 1, got 2");  // expected 1, got 2', "test_x.cpp") == [2]


def test_parts_are_found_as_words_in_any_order():
    message = "input2: shape (3,) and 10 of torch.float32 were expected, -1 came in x.c:5"
    for parts in ("(3,)", "input2", 10), ("torch.float32", "-1"), ("x.c", 5):
        assert re.search(names(*parts), message)
    for part in "input", "put2", "float", 1, 0, "x", "(4,)":
        assert not re.search(names("input2", part), message), part
    assert not re.search(names("input2", "(3,)"), "input2:\n(3,)"), "of one line"
    with pytest.raises(AssertionError):
        names("input2", "")


def conditions(node):
    """The parts of an assertion that are true or false by themselves."""
    if isinstance(node, ast.BoolOp):
        return [each for value in node.values for each in conditions(value)]
    return conditions(node.operand) if isinstance(node, ast.UnaryOp) else [node]


def patterns_as_conditions(source):
    """The lines of assertions that ask whether a pattern of support/messages.py is true: each one is."""
    if "from support.messages import names" not in source:
        return []
    asserted = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assert)]
    calls = [each for node in asserted for each in conditions(node.test) if isinstance(each, ast.Call)]
    return [call.lineno for call in calls if ast.unparse(call.func) == "names"]


def test_a_pattern_is_no_condition():
    head = "from support.messages import names\n"
    assert patterns_as_conditions(head + "assert names(str(error), 'x') and not names('y')") == [2, 2]
    assert patterns_as_conditions(head + "assert re.search(names('x'), str(error))") == []
    found = {str(path): patterns_as_conditions(path.read_text()) for path in TESTS.rglob("test_*.py")}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.slow
def test_the_number_of_texts_only_falls():
    found, where = Counter(), []
    for path in sorted(path for suffix in ("py", "cpp", "c") for path in TESTS.rglob(f"test_*.{suffix}")):
        inside = path.relative_to(TESTS)
        if inside.parts[0] not in OWN:
            lines = texts(path)
            found[str(inside.parent)] += len(lines)
            where += [f"{inside}:{line}" for line in lines]
    found = {folder: count for folder, count in sorted(found.items()) if count}
    assert found == LEFT, "LEFT names other numbers; the texts: " + " ".join(where)
