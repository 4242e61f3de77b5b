"""tests/packaging/test_walks.py: the functions of a call that docs/architecture.md lists are few, and they exist."""

import re

import pytest

from support import ROOT

MOST = 25
ROW = re.compile(r"^\| (\d+) \| `([\w.:]+)` \| `([\w./]+)` \|", re.MULTILINE)
GENERATED = re.compile(r"^(thaw_(?:call|run|kernel))_\w+$")  # glue.py has the beginning of the name


def walks():
    """{heading: [(number, function, file)]} of the page's two lists."""
    sections = (ROOT / "docs" / "architecture.md").read_text().split("\n## ")
    return {text.partition("\n")[0]: ROW.findall(text) for text in sections if text.startswith("A call, step by step")}


@pytest.mark.parametrize("heading", walks())
def test_a_walk_is_short_and_its_functions_exist(heading):
    rows = walks()[heading]
    assert [int(number) for number, _, _ in rows] == [*range(1, len(rows) + 1)] and len(rows) <= MOST
    for _, function, file in rows:
        name = GENERATED.sub(r"\1", re.split(r"\.|::", function)[-1]).removeprefix("THFloatTensor_")
        assert re.search(rf"\b{name}(\b|_)", (ROOT / file).read_text()), (function, file)


def test_both_walks_are_read():
    assert [len(rows) > 15 for rows in walks().values()] == [True, True]
