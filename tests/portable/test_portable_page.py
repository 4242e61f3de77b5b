"""tests/portable/test_portable_page.py: the page of what is served has the tables of today's headers; since when an operator is there."""

import importlib
import re

import pytest

from support import ROOT, SRC
from torchthaw.portable import operators


@pytest.fixture
def portable_page(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    return importlib.import_module("portable_page")


def test_the_page_is_of_today(portable_page):
    for name, table in portable_page.tables().items():
        assert portable_page.page.part(portable_page.PAGE, name) == f"{table}\n", "run python .ci/portable_page.py"


def test_every_function_of_the_header_is_on_it(portable_page):
    text = (SRC / "torchthaw/portable/include/portable/pytorch.h").read_text()
    assert len(portable_page.ROW.findall(text)) == len(re.findall(r"^    _\(", text, re.M)) > 25


def test_every_header_is_served_by_a_name(portable_page):
    folder = SRC / "torchthaw/portable/include/portable"
    own = {path.relative_to(folder).as_posix() for path in [*folder.glob("*.h"), *folder.glob("core/*.h")]}
    assert own - {*portable_page.headers.NAMES} == {
        "pytorch.h",
        "tensors.h",
        "operator.h",
        "boxed.h",
    }  # others include these


def test_an_operator_names_the_pytorch_that_has_it_first():
    listed = operators.since()
    name, version = next(iter(listed.items()))
    assert len(listed) > 100 and {*listed.values()} == {"2.7", "2.10", "2.13", "2.15"}
    assert operators.first_with(f"at::{name.partition('.')[0]}") == version
    assert operators.first_with("at::no_operator_of_any_pytorch") == ""


@pytest.mark.slow
def test_an_operator_is_new_where_each_of_its_overloads_is():
    newer = operators.newer()
    assert newer["_fused_rms_norm"] == "2.10" and {*newer.values()} <= {*operators.since().values()}
    assert operators.first_with("at::addmm") and not newer.keys() & {"addmm", "mean", "add"}
