# tests/support/rows.py: the table rows.ini, and how a test names its row.
import configparser
import re

import pytest

from support import TESTS

FILE = TESTS / "legacy" / "rows.ini"


def row(*names):
    """Marks a test of one row, or of each of several; where the test is parametrised further, this comes first."""
    return pytest.mark.parametrize("row", [pytest.param(name, id=f"row-{name}") for name in names])


def named(table):
    """A table of rows as parameters."""
    return [pytest.param(name, id=f"row-{name}") for name in table]


def table():
    """{(section, row): whether it needs a GPU}"""
    parser = configparser.RawConfigParser(delimiters=("=",), comment_prefixes=("#",))
    parser.optionxform = str
    parser.read(FILE)
    return {
        (section.partition(" ")[0], name): section.endswith(" cuda")
        for section in parser.sections()
        for name in parser[section]
    }


def named_by(test):
    """The rows that a test's id names, as keys of the table: those of its file, and field notes."""
    file, _, function = test.partition("::")
    found = {("notes", number) for number in re.findall(r"note_(\d\d)", function)}
    section = re.search(r"(\w+)\.py$", file)
    name = re.search(r"\[(?:.*-)?row-(.*)\]$", function)
    if name and not name[1].startswith("note_"):
        found.add((section[1], name[1]))
    return found
