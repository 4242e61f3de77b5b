"""tests/legacy/modernize/test_modernize_pyproject.py: the pyproject.toml of an old project is kept, and completed."""

import sys

import pytest

from support import ROOT
from support.modernize import SCRIPT, command, packages, parts, table, write  # noqa: F401
from torchthaw import __version__
from torchthaw.modernize.packaging.requirements import SETUPTOOLS, python_versions

tomlkit = pytest.importorskip("tomlkit")
THAW = f"torchthaw>={__version__}"  # to build
WITH_TH = f"torchthaw[legacy]>={__version__}"  # to run
OWN = """# How this project is built.
[build-system]
requires = [
    "setuptools>=40.8",  # for build_meta
    "wheel",
    "torch==0.4.1",
]

# Formatting
[tool.black]
line-length = 100  # as in our guide
exclude = "functions"

[project]  # who we are
name = "roi-ops"
version = "3.1"
description = "Regions of interest"
requires-python = ">=3.5,<4"
classifiers = [
    "Programming Language :: Python :: 2.7",
    "Programming Language :: Python :: 3.6",
    "Programming Language :: Python :: 3.12",
]
dependencies = [
    "numpy>=1.7",  # arrays
    "torch>=0.4",
    "cffi",
]
license = { text = "BSD" }

[project.scripts]
double = "functions.double:double"

[tool.pytest.ini_options]
addopts = "-q"  # quiet
testpaths = ["checks", "spec"]

[tool.setuptools]
packages = ["functions", "notebooks"]
py-modules = ["functions", "other"]
zip-safe = false

[tool.setuptools.package-data]
functions = ["*.txt"]
"""


@pytest.fixture
def merged(command, tmp_path):
    """merged(text of pyproject.toml, further files) -> (its new text, it as tables, remarks about it as text)."""

    def merged(text, **files):
        files = {name.replace("_py", ".py"): content for name, content in files.items()}
        done = command(write(tmp_path / "project", {**SCRIPT, "pyproject.toml": text, **files}), "--json")
        assert done.status == 0, done.err
        new = (done.result / "pyproject.toml").read_text()
        looks = [m for path, _, m, kind in done.remarks("package") if (path, kind) == ("pyproject.toml", "look")]
        return new, tomlkit.parse(new).unwrap(), looks, done

    return merged


@pytest.mark.slow
def test_what_the_owner_wrote_stays(merged):
    text, found, looks, done = merged(OWN, **{"spec/more.py": "", "notebooks/__init__.py": ""})
    comments = [line.partition("#")[2] for line in OWN.splitlines() if "#" in line]
    assert [line.partition("#")[2] for line in text.splitlines() if "#" in line] == comments
    assert '    "setuptools>=77.0.3",  # for build_meta' in text and '    "torch>=2.4",' in text
    assert found["build-system"] == {
        "requires": ["setuptools>=77.0.3", "wheel", THAW], "build-backend": "setuptools.build_meta",
    }  # fmt: skip
    assert found["tool"]["black"] == {"line-length": 100, "exclude": "functions"}
    assert {name: found["project"][name] for name in ("name", "version", "description", "license")} == {
        "name": "roi-ops", "version": "3.1", "description": "Regions of interest", "license": {"text": "BSD"},
    }  # fmt: skip
    assert found["project"]["dependencies"] == ["numpy>=1.7", "torch>=2.4", WITH_TH]
    assert found["project"]["requires-python"] == ">=3.10,<4"
    assert found["project"]["classifiers"] == ["Programming Language :: Python :: 3.12"]
    assert done.json["package"] == "roi_ops"
    assert found["project"]["scripts"] == {"double": "roi_ops.functions.double:double"}
    assert found["tool"]["pytest"]["ini_options"] == {"addopts": "-q", "testpaths": ["spec", "tests"]}
    tool = found["tool"]["setuptools"]
    assert tool["zip-safe"] is False and tool["py-modules"] == ["other"]
    assert tool["package-data"] == {"roi_ops.functions": ["*.txt"]}
    assert tool["packages"]["find"]["include"] == ["roi_ops", "roi_ops.*", "notebooks"]
    assert looks == ["tool.black.exclude names functions, which is roi_ops/functions now"]
    assert [name for name in packages(done.result)[0] if name != "notebooks"] == [
        "roi_ops", "roi_ops._ext", "roi_ops.functions",
    ]  # fmt: skip
    assert packages(done.result)[1:] == ["roi-ops", "3.1"]


def test_the_report_says_what_was_changed(merged):
    *_, done = merged(OWN)
    page = (done.result / "MODERNIZED.md").read_text()
    for line in (
        f"build-system.requires: setuptools>=77.0.3, {THAW} in place of setuptools>=40.8, torch==0.4.1",
        f"project.dependencies: torch>=2.4, {WITH_TH} in place of torch>=0.4, cffi",
        "project.requires-python: >=3.10,<4 in place of >=3.5,<4",
        "project.classifiers: Programming Language :: Python :: 2.7, Programming Language :: Python :: 3.6 left out",
        "project.scripts.double: roi_ops.functions.double:double in place of functions.double:double",
        "tool.pytest.ini_options.testpaths: tests in place of checks, spec",
        "[tool.setuptools.packages.find] in place of the list tool.setuptools.packages",
    ):
        assert line in page
    assert "pyproject.toml" in done.json["changed"]


TOOLS = '# Only our tools.\n[tool.isort]\nprofile = "black"  # as black wants it\n'
SETUP = "from setuptools import setup\nsetup(name='x-ops', version='2.1', install_requires=['numpy'], license='MIT')\n"


@pytest.mark.slow
def test_tables_of_tools_alone(merged):
    """What setup.py said comes behind them."""
    text, found, looks, done = merged(TOOLS, setup_py=SETUP)
    assert text.startswith(TOOLS) and looks == []
    assert found["project"]["dependencies"] == ["torch>=2.4", WITH_TH, "numpy"] and found["project"]["license"] == "MIT"
    assert found["build-system"] == {
        "requires": ["setuptools>=77.0.3", THAW], "build-backend": "setuptools.build_meta",
    }  # fmt: skip
    assert packages(done.result)[1:] == ["x-ops", "2.1"]


MORE_OF_SETUP = """python_requires='>=3.5,<4', project_urls={'Bugs': 'https://example.org'},
    extras_require={'docs': ['sphinx', 'torch==0.4'], 'old': ['cffi']}, license='MIT')
"""


def test_addresses_pythons_and_extras_of_setup_py(merged):
    _, found, looks, _ = merged(TOOLS, setup_py=SETUP.replace("license='MIT')\n", MORE_OF_SETUP))
    project = found["project"]
    assert project["requires-python"] == ">=3.10,<4" and project["urls"] == {"Bugs": "https://example.org"}
    assert project["optional-dependencies"] == {"docs": ["sphinx"], "old": []} and looks == []


POETRY = """
[tool.poetry]
name = "detector"
version = "0.2.0"
authors = ["A <a@example.org>"]  # us
packages = [{ include = "functions" }]

[tool.poetry.dependencies]
numpy = "^1.14"
"""
POETRY_BUILDS = '[build-system]\nrequires = ["poetry>=0.12"]\nbuild-backend = "poetry.masonry.api"\n'
FLIT = """
[build-system]
requires = ["flit_core>=2"]
build-backend = "flit_core.buildapi"
[tool.flit.metadata]
module = "functions"  # one
"""
HATCH = """
[build-system]
requires = ["hatchling", "hatch-vcs"]
build-backend = "hatchling.build"
[project]
name = "hatched"
dynamic = ["version", "urls"]
dependencies = []
[tool.hatch.version]
source = "vcs"
"""
OWN_BACKEND = """
[build-system]
requires = ["setuptools", "torch"]
build-backend = "backend"
backend-path = ["tools"]
[project]
name = "own"
version = "1"
"""


FINDS = "see whether [tool.setuptools.packages.find] names all packages"
BACKEND = "its build backend was {}; setuptools builds it now, since it compiles the extension"
LEFT = "; [tool.{}] is left, and nothing reads it any more: write what [project] lacks of it into [project]"


@pytest.mark.slow
@pytest.mark.parametrize("text, name, version, title", [
    (POETRY + POETRY_BUILDS, "twice", "0.1.0", BACKEND.format("Poetry") + LEFT.format("poetry")),
    (POETRY, "twice", "0.1.0", BACKEND.format("Poetry") + LEFT.format("poetry")),
    (FLIT, "twice", "0.1.0", BACKEND.format("Flit") + LEFT.format("flit")),
    (HATCH, "hatched", "0.1.0", BACKEND.format("Hatch") + LEFT.format("hatch")),
    (OWN_BACKEND, "own", "1", BACKEND.format("backend")),
], ids=["Poetry", "Poetry of 2018, which wrote no [build-system]", "Flit", "Hatch", "another"])  # fmt: skip
def test_other_build_backends(merged, text, name, version, title):
    """Their table stays as it is, and one line says what a person must do."""
    new, found, looks, done = merged(text)
    assert found["build-system"] == {
        "requires": ["setuptools>=77.0.3", THAW], "build-backend": "setuptools.build_meta",
    }  # fmt: skip
    assert packages(done.result)[1:] == [name, version]
    about = [each for each in looks if "build backend" in each or "tool." in each.partition(":")[0]]
    assert about == [f"{title}; {FINDS}"]
    assert about[0] in (done.result / "MODERNIZED.md").read_text()
    there = text[text.index("[tool.") :].partition("[build-system]")[0].strip() if "[tool." in text else ""
    assert there in new


def test_a_field_that_nothing_finds_any_more(merged):
    _, found, looks, _ = merged(HATCH)
    assert "dynamic" not in found["project"]
    assert "project.dynamic named urls, which setuptools cannot find any more: write it into [project]" in looks


DYNAMIC = """
[project]
name = "x"
dynamic = ["version", "dependencies", "readme"]
[tool.setuptools.dynamic]
version = { attr = "functions.double.__version__" }
dependencies = { file = ["needs.txt"] }
"""


def test_what_setuptools_finds_when_it_builds(merged):
    _, found, looks, _ = merged(DYNAMIC, **{"needs.txt": "numpy\n", "README.md": "# x\n"})
    assert found["project"]["dynamic"] == ["version", "dependencies"] and "dependencies" not in found["project"]
    assert found["project"]["readme"] == "README.md"
    assert found["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "x.functions.double.__version__"}
    assert looks == [f"its dependencies are found when it is built: add torch>=2.4 and {WITH_TH} where they stand"]


FOUND = """
[project]
name = "x"
version = "1"
[tool.setuptools.packages.find]
exclude = ["attic*"]  # old things
[tool.pytest]
testpaths = ["tests"]
"""


@pytest.mark.slow
def test_tables_that_are_there_are_completed(merged):
    text, found, _, done = merged(FOUND)
    assert 'exclude = ["attic*"]  # old things' in text
    find = found["tool"]["setuptools"]["packages"]["find"]
    assert find == {"exclude": ["attic*"], "where": ["."], "namespaces": False}, "all that is no attic, as before"
    assert "x.functions" in packages(done.result)[0]
    assert found["tool"]["pytest"] == {"testpaths": ["tests"]}, "pytest refuses two tables"


@pytest.mark.parametrize("given, expected", [
    (">=3.6", ">=3.10"), (">=3.11", ">=3.11"), (">=3.6,<4", ">=3.10,<4"), ("~=3.6", ">=3.10"), ("==2.7.*", ">=3.10"),
    ("<3.10", ">=3.10"), (">=3.5,!=3.9.*,!=3.11.*", ">=3.10,!=3.11.*"), ("", ">=3.10"), (">3.10, <3.13", ">3.10,<3.13"),
])  # fmt: skip
def test_python_versions(given, expected):
    assert python_versions(given) == expected


def test_line_endings_stay(command, tmp_path):
    folder = write(tmp_path / "project", {**SCRIPT, "pyproject.toml": TOOLS.replace("\n", "\r\n").encode()})
    data = (command(folder).result / "pyproject.toml").read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") > 10


def test_find_with_packages_of_its_own(merged):
    _, found, *_ = merged(FOUND.replace("exclude", 'include = ["extra*"]\nexclude'), **{"extra/__init__.py": ""})
    assert found["tool"]["setuptools"]["packages"]["find"]["include"] == ["extra*", "x", "x.*"]


LEFT_TO_SETUP = """
[project]
name = "x"
dynamic = ["version", "scripts"]
urls = { Home = "https://example.org" }
"""
MORE = "url='https://example.org/old', entry_points={'console_scripts': ['a = functions.double:b']}, name="
ENTRY = SETUP.replace("name=", MORE)


def test_fields_that_setup_py_gave(merged):
    """Those that [project] left to it, and no others."""
    _, found, looks, _ = merged(LEFT_TO_SETUP, setup_py=ENTRY)
    project = found["project"]
    assert project["version"] == "2.1" and project["scripts"] == {"a": "x.functions.double:b"}
    assert project["urls"] == {"Home": "https://example.org"} and "license" not in project and "dynamic" not in project
    assert looks == []


@pytest.mark.parametrize("text, words", [
    ("[project\n", "pyproject.toml: expected TOML: "), ("a = 1\na = 2\n", "pyproject.toml: expected TOML: "),
    ("project = 3\n", "pyproject.toml: project: expected a table, got 3"),
])  # fmt: skip
def test_text_that_is_no_toml(command, tmp_path, text, words):
    done = command(write(tmp_path / "project", {**SCRIPT, "pyproject.toml": text}))
    assert done.status == 2 and words in done.err and not done.result.exists()


def test_the_extra_has_what_modernize_and_its_result_need():
    """An environment of Python 3.10 or 3.11 has an older setuptools at first, which refuses such a pyproject.toml."""
    extra = tomlkit.parse((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["modernize"]
    assert {SETUPTOOLS, "torchthaw[legacy]"} <= {*extra}
    assert SETUPTOOLS.startswith("setuptools>=77"), "licences as SPDX names"


def test_without_tomlkit(command, tmp_path, monkeypatch):
    """Nothing is written that would lose what the owner wrote; a project without that file needs no tomlkit."""
    monkeypatch.setitem(sys.modules, "tomlkit", None)
    done = command(write(tmp_path / "project", {**SCRIPT, "pyproject.toml": TOOLS}))
    assert done.status == 2 and not done.result.exists()
    assert "pyproject.toml: expected the package tomlkit" in done.err
    assert "pip install 'torchthaw[modernize]'" in done.err
    assert command(write(tmp_path / "other", SCRIPT)).status == 0
