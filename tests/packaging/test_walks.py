"""tests/packaging/test_walks.py: the functions of a call that docs/architecture.md lists are few; each is defined in the
file that the page names, and code of an earlier step calls it."""

import re

import pytest

from support import ROOT

MOST = 25
ROW = re.compile(r"^\| (\d+) \| `([\w.:]+)` \| `([\w./]+)` \| (.*) \|$", re.MULTILINE)
GENERATED = re.compile(r"^(thaw_(?:call|run|kernel))_\w+$")  # generate_c.py has the beginning of the name
# Functions that a macro makes for each type: one line of a list.
LISTED = re.compile(r"^TH(?:Float)Tensor_")


def walks():
    """{heading: [(number, function, file, what it does)]} of the page's two lists."""
    sections = (ROOT / "docs" / "architecture.md").read_text("utf-8").split("\n## ")
    return {text.partition("\n")[0]: ROW.findall(text) for text in sections if text.startswith("A call, step by step")}


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def defines(file, text, function):
    """Whether a file has the body of a function."""
    name = re.split(r"\.|::", function)[-1]
    if file.endswith(".py"):
        made = GENERATED.match(name)
        return made[1] in text if made else bool(re.search(rf"\bdef {name}(?:\b|_\{{)", text))
    if LISTED.match(function):
        return bool(re.search(rf"^TH_\w+\([^)]*\b{LISTED.sub('', function)}\b", text, re.MULTILINE))
    owner = rf"(?:{function.rpartition('::')[0]}::)?" if "::" in function else ""
    parameters = r"\((?:[^;{}()]|\{\}|\((?:[^;{}()]|\([^()]*\))*\))*\)"
    rest = r"(?:\s|const|noexcept|override|->|try|decltype\(\w+\(\)\)|[\w:<>*&])*(?::[^;{]*)?"
    body = rf"[\w>*&\]]\s*[*&]*{owner}\b{name}\s*{parameters}{rest}\{{"
    return bool(re.search(body, without_comments(text)))


def calls(text, function):
    """Whether code names a function otherwise than where it is defined in Python."""
    name = LISTED.sub("", re.split(r"\.|::", function)[-1])
    return bool(re.search(rf"(?<!def )\b{name}\b", without_comments(text)))


@pytest.mark.parametrize("heading", walks())
def test_a_walk_is_short(heading):
    rows = walks()[heading]
    assert [int(number) for number, *_ in rows] == [*range(1, len(rows) + 1)] and len(rows) <= MOST


@pytest.mark.parametrize("heading, function, file", [
    (heading, function, file) for heading, rows in walks().items() for _, function, file, _ in rows
])  # fmt: skip
def test_a_step_is_defined_in_its_file(heading, function, file):
    assert defines(file, (ROOT / file).read_text("utf-8"), function)


@pytest.mark.parametrize("heading", walks())
def test_a_step_is_called_by_an_earlier_one(heading):
    """Generated code is no file; what it calls comes right after it. The first step is the user's call.

    The macro of a list of functions is in the file of what these call first. Other files are those that a step names.
    """
    rows, earlier = walks()[heading], set()
    for index, (_, function, file, does) in enumerate(rows):
        before = rows[index - 1] if index else ("", "", "", "generated")
        if LISTED.match(before[1]):
            earlier.add(file)
        earlier |= {str(path.relative_to(ROOT)) for name in re.findall(r"`(\w+\.cpp)`", does)
                    for path in (ROOT / file).parents[1].rglob(name)}  # fmt: skip
        if not before[3].startswith("generated") and not GENERATED.match(function):
            assert any(calls((ROOT / each).read_text("utf-8"), function) for each in earlier), function
        earlier.add(file)


@pytest.mark.parametrize("text, function, is_defined", [
    ("int twice(int x) {\n}", "twice", True), ("int twice(int x);", "twice", False), ("x = twice(3);", "twice", False),
    ("/* int twice(int x) { */", "twice", False), ("void Call::run() const {", "Call::run", True),
    ("if (twice(3)) {", "twice", False), ("return twice(x) ? f() : g{};", "twice", False),
])  # fmt: skip
def test_what_defines_a_function(text, function, is_defined):
    assert defines("a.cpp", text, function) is is_defined


def test_both_walks_are_read():
    assert [len(rows) > 15 for rows in walks().values()] == [True, True]
