"""tests/packaging/test_layers.py: each layer of src/torchthaw imports only those below it; docs/architecture.md has them."""

import ast
import graphlib
import re
import sys

import pytest

from support import ROOT, SRC

sys.path.insert(0, str(ROOT / "docs"))
from _site import imports  # noqa: E402
from _site.imports import layers_of  # noqa: E402

PACKAGE = SRC / "torchthaw"
LAYERS = [name for name in imports.LAYERS[::-1] if name not in ("cli", "activate")]
PAGE = ROOT / "docs" / "architecture.md"


def of_table(page):
    """{layer: those that it may import}, as the page's table says it."""
    table = page.partition("| layer | may import |")[2].partition("\n\n")[0]
    may = {}
    for row in table.splitlines()[2:]:
        names, says = row.split("|")[1:3]
        common, _, more = says.partition(";")
        named = re.findall(r"`(\w+)`", common)
        named = [*may] if re.search(r"\ball\b", common) else named
        for layer in re.findall(r"`(\w+)`", names):
            own = re.search(rf"`{layer}` also ((?:`\w+`(?:, | and )?)+)", more)
            may[layer] = {*named, *(re.findall(r"`(\w+)`", own[1]) if own else ())} - {layer}
    return may


def of_map(page):
    """{folder: (names of folders and layers, words)} of the last column of the page's map: what each does not depend on."""
    rows = re.findall(r"^\| \[`([\w/]+?)/`\]\([^)]*\) \|.*\| ([^|]*) \|$", page, re.MULTILINE)
    return {folder: ({*re.findall(r"`(\w+)`", says)}, re.sub(r"`\w+`", "", says)) for folder, says in rows}


TEXT = PAGE.read_text("utf-8") if PAGE.is_file() else ""
MAY = of_table(TEXT)
MAP = of_map(TEXT)
TOP = {"__init__", "__main__", "activate", "cli"}

pytestmark = pytest.mark.skipif(
    not PACKAGE.is_dir(), reason="an installed torchthaw is tested, without its sources here"
)


def test_what_a_module_imports_is_found():
    assert layers_of("from ..legacy import patches", ["bridge"]) == {"legacy"}
    assert layers_of("def f():\n    from ...base import config", ["bridge", "th"]) == {"base"}
    assert layers_of("from .. import library, cli", ["legacy"]) == {"library", "cli"}
    assert layers_of("from torchthaw.legacy import loading\nimport torchthaw.header.cdef", []) == {"legacy", "header"}
    assert layers_of("from . import legacy\nfrom .base import x\nimport json", []) == {"legacy", "base"}
    assert layers_of("from . import views\nfrom .rules import c", ["legacy"]) == {"legacy"}


@pytest.mark.parametrize("layer", MAY)
def test_a_layer_imports_what_the_page_says(layer):
    files = imports.files(layer)
    assert files
    for path in files:
        package = path.relative_to(PACKAGE).parts[:-1]
        assert layers_of(path.read_text("utf-8"), package) <= MAY[layer] | {layer}, path


@pytest.mark.slow
def test_the_picture_is_of_today_and_has_no_arrow_upwards():
    assert imports.FILE.read_text() == imports.dot(), "run docs/_site/imports.py, then docs/_site/diagrams.py"
    row = {layer: index for index, row in enumerate(imports.ROWS) for layer in row}
    upwards = [(layer, each) for layer, found in imports.edges().items() for each in found if row[each] <= row[layer]]
    assert not upwards and {*imports.LAYERS} == {*MAY}


@pytest.mark.parametrize("layer", ["bridge", "legacy"])
def test_cpp_includes_what_its_layer_may_know(layer):
    """Headers of the own folder, and those of the bridge, as bridge/<folder>/<name>.h."""
    files = [path for path in (PACKAGE / layer).rglob("*") if path.suffix in (".cpp", ".h")]
    assert files
    for path in files:
        for name in re.findall(r'^#include "(.*)"', path.read_text(), re.MULTILINE):
            here = (path.parent / name).resolve()
            own = here.is_file() and (PACKAGE / layer) in here.parents
            assert own or name.startswith("bridge/") and (PACKAGE / name).is_file(), (path, name)


def module(path):
    """The dotted name of a file of the package."""
    return ".".join(("torchthaw", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


def imported(path, known):
    """Those of the modules ``known`` that a file imports, at its top or in a function."""
    package = module(path).split(".") if path.name == "__init__.py" else module(path).split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            name = ".".join([*above, *filter(None, [node.module])])
            yield from ({f"{name}.{each.name}", name}.intersection(known) for each in node.names)
        elif isinstance(node, ast.Import):
            yield {each.name for each in node.names}.intersection(known)


def circle(graph):
    """The modules of a circle of imports, or none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def test_no_modules_import_each_other():
    paths = {module(path): path for path in PACKAGE.rglob("*.py")}
    graph = {}
    for name, path in paths.items():
        for found in imported(path, paths):
            # A name of a package that is a module of it: the module, not the package.
            graph.setdefault(name, set()).update(found if len(found) < 2 else {max(found, key=len)})
    for name in graph:
        graph[name] -= {name}
    assert circle(graph) == []
    assert circle({**graph, "torchthaw.base.errors": {"torchthaw.legacy.run.finder"}, "torchthaw.legacy.run.finder":
                   {"torchthaw.base.errors"}})  # fmt: skip


@pytest.mark.parametrize(
    "folder, only", [("ffi", "torchthaw.legacy.cpp.nvcc"), ("cpp", "torchthaw.legacy.ffi.th_types")]
)
def test_the_folders_of_legacy_import_what_they_say(folder, only):
    """What old code needs does not know the commands that run it."""
    known = [module(path) for path in (PACKAGE / "legacy").rglob("*.py")]
    for path in (PACKAGE / "legacy" / folder).rglob("*.py"):
        others = {name for found in imported(path, known) for name in found if f".legacy.{folder}" not in name}
        inside = {name for name in others if name.count(".") > 2 or name.endswith((".run", ".cpp", ".ffi"))}
        assert inside <= {only, only.rpartition(".")[0]}, path


def test_no_folder_has_more_entries_than_a_reader_sees_at_once():
    for folder in (PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_dir() and path.name != "__pycache__")):
        entries = sorted(path.name for path in folder.iterdir() if path.name not in ("__pycache__", ".mypy_cache"))
        assert len(entries) <= 25, (folder, entries)


def test_every_file_has_a_layer():
    assert {path.stem for path in PACKAGE.glob("*.py")} == TOP
    assert {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))} == {*LAYERS}


def test_the_table_is_read():
    page = "| layer | may import |\n| --- | --- |\n| `a` | none |\n| `b`, `c` | `a`; `c` also `b`, whose `d` |\n| `e` | all |\n\n"
    assert of_table(page) == {"a": set(), "b": {"a"}, "c": {"a", "b"}, "e": {"a", "b", "c"}}
    assert (
        {*MAY} == {*imports.LAYERS}
        and MAY["base"] == set()
        and MAY["cli"] == {*MAY} - {"cli", "activate", "check", "selftest"}
    )


def test_the_page_allows_no_more_than_the_linter():
    """`make lint only=imports` forbids what leads upwards or sideways; the page says the rest."""
    (contract,) = re.findall(
        r"^layers = \[(.*?)^\]", (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    rows = [re.findall(r"torchthaw\.(\w+)", row) for row in re.findall(r'"([^"]+)"', contract)]
    row = {layer: index for index, names in enumerate(rows) for layer in names}
    assert {*MAY} == {*row} - {"__main__"}
    beside = {(layer, each) for layer in MAY for each in MAY[layer] if row[each] <= row[layer]}
    assert not beside


# What C and C++ of a folder must not include, by the words of the map.
INCLUDES = {
    "Python": r"Python\.h", "PyTorch": r"(?:torch|ATen|c10)/.*", "TH": r"THC?/.*",
    "my_lib": r"my_lib(?:_cuda)?\.h|my_lib/.*", "C++": r"(?:vector|string|memory|cstdint|cstddef|algorithm)",
}  # fmt: skip


@pytest.mark.parametrize("folder", MAP)
def test_what_the_map_says_of_a_folder(folder):
    names, words = MAP[folder]
    layer = folder.removeprefix("src/torchthaw/")
    allowed = MAY.get(layer, set())
    but = re.search(r"everything but", words)
    assert but or not allowed & names, (folder, allowed & names)
    assert not but or allowed == names
    if words.strip() == "everything else":
        assert not allowed
    for path in (ROOT / folder).rglob("*") if folder.startswith("c_api/") else ():
        if path.suffix in (".h", ".c", ".cpp", ".cu", ".cuh") and "torchthaw_aten" not in path.parts:
            included = re.findall(r'^\s*#\s*include ["<](.*)[">]', path.read_text("utf-8"), re.MULTILINE)
            for word in [*names, *re.findall(r"PyTorch|Python|TH\b|C\+\+", words)]:
                wrong = [name for name in included if word in INCLUDES and re.fullmatch(INCLUDES[word], name)]
                assert not wrong, (path, wrong)


def test_the_map_has_every_layer():
    assert {folder.removeprefix("src/torchthaw/") for folder in MAP if folder.startswith("src/")} == {*LAYERS}
