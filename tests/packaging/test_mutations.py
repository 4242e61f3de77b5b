"""tests/packaging/test_mutations.py: what make mutations changes, chooses and reports."""

import importlib
import sys

import pytest

from support import ROOT

SCRIPT = ROOT / ".ci" / "mutations.py"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="a source distribution has no .ci")

CODE = """\
#include <a.h> // 1 < 2
#define MANY 3
// if (never) return 4;
const char *text = "a < b"; /* 5 + 6 */
static_assert(sizeof(int) == 4);
if (a < b && !c) return d + 1;
"""


@pytest.fixture(scope="module")
def mutations():
    sys.path.insert(0, str(SCRIPT.parent))
    yield importlib.import_module("mutations")
    sys.path.remove(str(SCRIPT.parent))


def test_only_code_is_changed(mutations):
    changes = list(mutations.changes_of("a.cpp", CODE))
    assert {change.line for change in changes} == {6}
    assert sorted(change.after for change in changes) == [
        "if (!(a < b && !c)) return d + 1;",
        "if (a < b && !c) return d + 2;",
        "if (a < b && !c) return d - 1;",
        "if (a < b && c) return d + 1;",
        "if (a < b || !c) return d + 1;",
        "if (a <= b && !c) return d + 1;",
    ]


def test_an_edit_elsewhere_changes_no_choice(mutations):
    digests = {change.digest for change in mutations.changes_of("a.cpp", CODE)}
    assert len(digests) == 6
    assert {change.digest for change in mutations.changes_of("a.cpp", "int x = 7;\n" + CODE)} > digests
    assert not digests & {change.digest for change in mutations.changes_of("b.cpp", CODE)}


def test_equal_lines_are_different_places(mutations):
    changes = list(mutations.changes_of("a.cpp", "i < n;\ni < n;\n"))
    assert len({change.digest for change in changes}) == 2
    assert [change.line for change in changes] == [1, 2]


def test_a_change_of_what_the_processor_lacks_is_known(mutations, tmp_path):
    objects = tmp_path / "build" / "c_api" / "my_lib" / "CMakeFiles"
    library, avx2, amx = (
        tmp_path / "build" / "lib" / "libmy_lib.so", objects / "my_lib_avx2.dir" / "a.o", objects / "my_lib_amx_bf16.dir" / "a.o",
    )  # fmt: skip
    for path in (library, avx2, amx):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"as it is")
    lane = mutations.Lane(0)
    lane.copy, lane.lacking = mutations.Copy(tmp_path), ["amx_bf16"]

    def changed(*paths):
        before = lane.built(mutations.SUITES[0])
        for path in paths:
            path.write_bytes(path.read_bytes() + b"changed")
        return [one != other for one, other in zip(before, lane.built(mutations.SUITES[0]))]

    assert changed() == [False, False]
    assert changed(library, amx) == [True, False]
    assert changed(library, avx2, amx) == [True, True]
    lane.lacking = []
    assert changed(library, amx) == [True, True]


def test_each_part_has_files_and_each_suite_tests(mutations):
    assert all(len(changes) > 100 for changes in mutations.chosen().values())
    for suite in mutations.SUITES:
        assert mutations.named_tests(suite.folder)


def test_what_is_listed_by_hand_is_a_change(mutations):
    names = {change.name for changes in mutations.chosen().values() for change in changes}
    assert [name for name in mutations.equivalent() if name not in names] == []


def test_the_page_has_what_the_script_writes(mutations):
    for part in ("mutations", "not noticed", "equivalent"):
        assert mutations.page.part(mutations.PAGE, part).startswith("| ")
