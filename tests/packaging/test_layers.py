"""tests/packaging/test_layers.py: each layer of src/torchthaw imports only those below it; docs/architecture.md has them."""

import re
import sys

import pytest

from support import ROOT, SRC

sys.path.insert(0, str(ROOT / "docs"))
from _site import imports  # noqa: E402
from _site.imports import layers_of  # noqa: E402

PACKAGE = SRC / "torchthaw"
# Layer -> those that it may import.
MAY = {
    "base": set(),
    "header": {"base"},
    "bridge": {"base"},
    "library": {"base", "header", "bridge"},
    "extension": {"base", "header", "bridge", "library"},
    "declarations": {"base", "header"},
    "export": {"base", "header"},
    "cuda_on_cpu": {"base", "extension"},
    "selftest": {"base"},
    "legacy": {"base", "header", "bridge", "library", "extension", "cuda_on_cpu"},
}
TOP = {"__init__", "__main__", "activate", "cli"}

pytestmark = pytest.mark.skipif(
    not PACKAGE.is_dir(), reason="an installed torchthaw is tested, without its sources here"
)


def test_what_a_module_imports_is_found():
    assert layers_of("from ..legacy import patches", ["bridge"]) == {"legacy"}
    assert layers_of("def f():\n    from ...base import config", ["bridge", "th"]) == {"base"}
    assert layers_of("from .. import library, cli", ["legacy"]) == {"library", "cli"}
    assert layers_of("from torchthaw.legacy import nvcc\nimport torchthaw.header.cdef", []) == {"legacy", "header"}
    assert layers_of("from . import legacy\nfrom .base import x\nimport json", []) == {"legacy", "base"}
    assert layers_of("from . import views\nfrom .rules import c", ["legacy"]) == {"legacy"}


@pytest.mark.parametrize("layer", MAY)
def test_a_layer_imports_those_below_it(layer):
    files = [*(PACKAGE / layer).rglob("*.py")]
    assert files
    for path in files:
        package = path.relative_to(PACKAGE).parts[:-1]
        assert layers_of(path.read_text(), package) <= MAY[layer] | {layer}, path


def test_the_picture_is_of_today_and_has_no_arrow_upwards():
    assert imports.FILE.read_text() == imports.dot(), "run docs/_site/imports.py, then docs/_site/diagrams.py"
    row = {layer: index for index, row in enumerate(imports.ROWS) for layer in row}
    upwards = [(layer, each) for layer, found in imports.edges().items() for each in found if row[each] <= row[layer]]
    assert not upwards and {*imports.LAYERS} == {*MAY, "cli", "activate"}


@pytest.mark.parametrize("layer, may", [("bridge", ""), ("legacy", "bridge/")])
def test_cpp_includes_what_its_layer_may_know(layer, may):
    """Headers of the own folder, and of those below; the bridge's part in torchthaw.legacy includes bridge/<name>.h."""
    files = [path for path in (PACKAGE / layer).rglob("*") if path.suffix in (".cpp", ".h")]
    assert files
    for path in files:
        for name in re.findall(r'^#include "(.*)"', path.read_text(), re.MULTILINE):
            here = (path.parent / name).resolve()
            own = here.is_file() and (PACKAGE / layer) in here.parents
            assert own or may and name.startswith(may) and (PACKAGE / name).is_file(), (path, name)


def test_every_file_has_a_layer():
    assert {path.stem for path in PACKAGE.glob("*.py")} == TOP
    assert {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))} == {*MAY}


def test_the_page_has_the_same_layers():
    page = (ROOT / "docs" / "architecture.md").read_text()
    table = page.partition("| layer | may import |")[2].partition("\n\n")[0]
    named = [re.findall(r"`(\w+)`", row.split("|")[1]) for row in table.splitlines()[2:]]
    assert {name for row in named for name in row} == {*MAY, "cli", "activate"}
