"""tests/legacy/modernize/test_modernize_poetry.py: what [tool.poetry] says, in [project], and what cannot be said there.
"""

import pytest

from support.modernize import SCRIPT, command, packages, parts, write  # noqa: F401
from torchthaw import __version__
from torchthaw.legacy.modernize import poetry

tomlkit = pytest.importorskip("tomlkit")
packaging = pytest.importorskip("packaging")
from packaging.markers import Marker  # noqa: E402
from packaging.requirements import Requirement  # noqa: E402
from packaging.specifiers import SpecifierSet  # noqa: E402

# Constraint: what it is as a requirement, versions that it allows, and versions that it does not.
VERSIONS = {
    "^1.2.3": (">=1.2.3,<2", "1.2.3 1.9", "1.2.2 2.0"),
    "^1.2": (">=1.2,<2", "1.2.0 1.99", "1.1.9 2.0.0"),
    "^1": (">=1,<2", "1.0 1.9.9", "0.9 2.0"),
    "^0.2.3": (">=0.2.3,<0.3", "0.2.3 0.2.9", "0.2.2 0.3.0"),
    "^0.0.3": (">=0.0.3,<0.0.4", "0.0.3", "0.0.2 0.0.4"),
    "^0.0": (">=0.0,<0.1", "0.0.9", "0.1.0"),
    "^0": (">=0,<1", "0.9", "1.0"),
    "^1.0rc1": (">=1.0rc1,<2", "1.0rc2 1.0", "1.0b1 2.0"),
    "~1.2.3": (">=1.2.3,<1.3", "1.2.3 1.2.9", "1.2.2 1.3.0"),
    "~1.2": (">=1.2,<1.3", "1.2.0 1.2.9", "1.1 1.3"),
    "~1": (">=1,<2", "1.0 1.9", "0.9 2.0"),
    "*": ("", "0.1 99", ""),
    "1.*": ("==1.*", "1.0 1.9", "0.9 2.0"),
    "1.2.*": ("==1.2.*", "1.2 1.2.9", "1.3"),
    "1.2": ("==1.2", "1.2 1.2.0", "1.2.1"),
    "=1.2": ("==1.2", "1.2.0", "1.3"),
    ">= 1.2, < 1.5": (">=1.2,<1.5", "1.2 1.4.9", "1.1 1.5"),
    ">=1.2 <2 !=1.5": (">=1.2,<2,!=1.5", "1.4", "1.5 2.0"),
    "~=1.4.2": ("~=1.4.2", "1.4.9", "1.5"),
}


@pytest.mark.parametrize("constraint", VERSIONS)
def test_versions(constraint):
    expected, inside, outside = VERSIONS[constraint]
    assert poetry.versions(constraint) == expected
    allowed = SpecifierSet(expected, prereleases=True)
    assert [each for each in inside.split() if each not in allowed] == []
    assert [each for each in outside.split() if each in allowed] == []


@pytest.mark.parametrize("constraint", ["", "one", ">=1 || <0.5", "^1.*", ">=1.0.*", "^", "1.2.x", "<2 - 3"])
def test_constraints_without_words(constraint):
    with pytest.raises(poetry.Left, match="has no words in a requirement"):
        poetry.versions(constraint)


# Constraint on Python: its marker, the Pythons of these that it allows, and requires-python of a package on torchthaw.
PYTHONS = "2.7.18 3.6.0 3.6.9 3.7.0 3.9.2 3.10.0 3.12.1".split()
MARKERS = {
    "^3.6": ('python_version >= "3.6" and python_version < "4"', PYTHONS[1:], ">=3.6,<4"),
    "~3.6": ('python_version >= "3.6" and python_version < "3.7"', PYTHONS[1:3], ""),
    "3.6.*": ('python_version == "3.6.*"', PYTHONS[1:3], ""),
    "<3.7": ('python_version < "3.7"', PYTHONS[:3], ""),
    "<=3.6": ('python_full_version <= "3.6"', PYTHONS[:2], ""),
    ">3.6": ('python_full_version > "3.6"', PYTHONS[2:], ">3.6"),
    ">=3.6.1": ('python_full_version >= "3.6.1"', PYTHONS[2:], ">=3.6.1"),
    "~2.7 || ^3.9": ('python_version >= "2.7" and python_version < "2.8" or '
                     'python_version >= "3.9" and python_version < "4"', [PYTHONS[0], *PYTHONS[4:]], ">=3.9,<4"),
    "<3.7 | >=3.9": ('python_version < "3.7" or python_version >= "3.9"', PYTHONS[:3] + PYTHONS[4:], ">=3.9"),
    "3.*": ('python_version == "3.*"', PYTHONS[1:], "==3.*"),
    "*": ("", PYTHONS, ""),
}  # fmt: skip


@pytest.mark.parametrize("constraint", MARKERS)
def test_pythons(constraint):
    marker, allowed, required = MARKERS[constraint]
    assert poetry.python_marker(constraint) == marker
    assert poetry.requires_python(constraint) == required
    environments = {each: {"python_full_version": each, "python_version": each.rpartition(".")[0]} for each in PYTHONS}
    assert [each for each in PYTHONS if not marker or Marker(marker).evaluate(environments[each])] == allowed


def test_two_ranges_of_pythons_of_today():
    with pytest.raises(poetry.Left, match="requires-python has no words for '>=3.10,<3.11 || >=3.12'"):
        poetry.requires_python(">=3.10,<3.11 || >=3.12")


DEPENDENCIES = {
    '"^1.14"': "a>=1.14,<2",
    '"*"': "a",
    '{ version = "^1.14", extras = ["b", "c"] }': "a[b,c]>=1.14,<2",
    '{ version = "~2.1", python = "<3.12" }': 'a>=2.1,<2.2; python_version < "3.12"',
    '{ version = "1.0", platform = "linux", python = "<3 || ^3.6" }':
        'a==1.0; (python_version < "3" or python_version >= "3.6" and python_version < "4") and sys_platform == "linux"',
    '{ version = "*", markers = "os_name == \'nt\' or extra == \'b\'" }': "a; os_name == 'nt' or extra == 'b'",
    '{ git = "https://example.org/a.git", tag = "v1", subdirectory = "py", python = ">=3.9" }':
        'a @ git+https://example.org/a.git@v1#subdirectory=py ; python_version >= "3.9"',
    '{ url = "https://example.org/a-1.0.tar.gz" }': "a @ https://example.org/a-1.0.tar.gz",
}  # fmt: skip


@pytest.mark.parametrize("given", DEPENDENCIES)
def test_requirements(given):
    found = poetry.requirement("a", tomlkit.parse(f"a = {given}").unwrap()["a"])
    assert found == DEPENDENCIES[given]
    parsed = Requirement(found)
    assert parsed.name == "a" and str(Requirement(str(parsed))) == str(parsed)


LEFT = {
    '{ path = "../a" }': "a requirement has no words for its path",
    '{ git = "git@example.org:a" }': "an address begins with https:// or ssh://, and not as 'git@example.org:a' does",
    '">=1 || <0.5"': "its version '>=1 || <0.5' has no words in a requirement",
    "3": "expected a constraint or a table, got 3",
    "{ version = 1 }": "expected a constraint or a table, got {'version': 1}",
    '{ version = "1", extras = "b" }': "expected the name of a package, and a list of extras",
}  # fmt: skip


@pytest.mark.parametrize("given", LEFT)
def test_dependencies_without_words(given):
    with pytest.raises(poetry.Left) as error:
        poetry.requirement("a", tomlkit.parse(f"a = {given}").unwrap()["a"])
    assert str(error.value) == LEFT[given]


WHOLE = """# Ours since 2018
[tool.poetry]
name = "roi-ops"
version = "1.3.0"
description = "Regions of interest"
license = "MIT"
authors = ["A B <a@example.org>", "C"]
maintainers = ["D <d@example.org>"]  # since 2019
readme = "docs/intro.md"
homepage = "https://example.org"
repository = "https://example.org/git"
keywords = ["roi", "pooling"]
classifiers = ["Programming Language :: Python :: 3.6", "Topic :: Scientific/Engineering"]
packages = [{ include = "functions" }]
exclude = ["*.o"]

[tool.poetry.urls]
"Bug tracker" = "https://example.org/bugs"

[tool.poetry.dependencies]
python = "~2.7 || ^3.5"
torch = "^0.4.1"
numpy = "^1.14"  # arrays
cffi = "*"
scipy = [{ version = "^1.2", python = "^3.5" }, { version = "~1.1", python = "~2.7" }]
visdom = { version = "^0.1.8", optional = true }
tools = [{ path = "../t", optional = true, python = "^3.5" }, { version = "1.0", optional = true, python = "~2.7" }]
own-tools = { path = "../tools" }
inner = { version = "^2", source = "internal" }
lost = { version = "1.0", optional = true }

[tool.poetry.extras]
plots = ["visdom", "tools"]
more = ["Visdom", "tools", "nobody"]

[tool.poetry.dev-dependencies]
pytest = "^5.2"

[tool.poetry.group.dev.dependencies]
black = { version = "*", allow-prereleases = true }

[tool.poetry.group.docs]
optional = true

[tool.poetry.group.docs.dependencies]
sphinx = "^2"

[tool.poetry.scripts]
roi = "functions.double:double"
raw = { reference = "tools/raw.sh", type = "file" }

[tool.poetry.plugins."roi.backends"]
c = "functions.double:double"
"""
BUILD_SYSTEM = '\n[build-system]\nrequires = ["poetry>=0.12"]\nbuild-backend = "poetry.masonry.api"\n'
FILES = {"docs/intro.md": "# ROI\n", "tools/raw.sh": "#!/bin/sh\n"}


@pytest.fixture
def merged(command, tmp_path):
    """merged(text of pyproject.toml) -> (its new text, it as tables, {place: why} of what is left, the result)"""

    def merged(text):
        done = command(write(tmp_path / "project", {**SCRIPT, **FILES, "pyproject.toml": text}), "--json")
        assert done.status == 0, done.err
        new = (done.result / "pyproject.toml").read_text()
        looks = [message for path, _, message, kind in done.remarks("package") if kind == "look"]
        left = dict(each.split(": ", 1) for each in looks if each.startswith("tool.poetry."))
        page = (done.result / "MODERNIZED.md").read_text()
        assert all(f"{place}: {why}" in page for place, why in left.items())
        return new, tomlkit.parse(new).unwrap(), left, done.result

    return merged


@pytest.mark.parametrize("build_system", [BUILD_SYSTEM, ""], ids=["with a backend", "of 2018"])
def test_a_whole_project(merged, build_system):
    """The first releases of Poetry wrote no [build-system]."""
    new, found, left, result = merged(WHOLE + build_system)
    thaw = f"torchthaw>={__version__}"
    assert found["project"] == {
        "name": "roi-ops", "version": "1.3.0", "description": "Regions of interest", "license": "MIT",
        "authors": [{"name": "A B", "email": "a@example.org"}, {"name": "C"}],
        "maintainers": [{"name": "D", "email": "d@example.org"}],
        "readme": "docs/intro.md", "keywords": ["roi", "pooling"], "classifiers": ["Topic :: Scientific/Engineering"],
        "requires-python": ">=3.10,<4",
        "dependencies": [
            "torch>=2.4", thaw, "numpy>=1.14,<2", 'scipy>=1.2,<2; python_version >= "3.5" and python_version < "4"',
            'scipy>=1.1,<1.2; python_version >= "2.7" and python_version < "2.8"', "inner>=2,<3",
        ],
        "urls": {"Homepage": "https://example.org", "Repository": "https://example.org/git",
                 "Bug tracker": "https://example.org/bugs"},
        "optional-dependencies": dict.fromkeys(
            ("plots", "more"),
            ["visdom>=0.1.8,<0.2", 'tools==1.0; python_version >= "2.7" and python_version < "2.8"'],
        ),
        "scripts": {"roi": "roi_ops.functions.double:double"},
        "entry-points": {"roi.backends": {"c": "roi_ops.functions.double:double"}},
    }  # fmt: skip
    assert found["dependency-groups"] == {"dev": ["pytest>=5.2,<6", "black"], "docs": ["sphinx>=2,<3"]}
    assert left == {
        "tool.poetry.packages": "setuptools takes the packages of [tool.setuptools.packages.find]",
        "tool.poetry.exclude": "setuptools takes the files of MANIFEST.in and of [tool.setuptools.package-data]",
        "tool.poetry.dependencies.own-tools": "a requirement has no words for its path",
        "tool.poetry.dependencies.tools": "a requirement has no words for its path",
        "tool.poetry.dependencies.inner": poetry.UNSAID["source"],
        "tool.poetry.dependencies.lost": "it is optional and in none of the extras, so nothing installs it",
        "tool.poetry.extras.more": "tool.poetry.dependencies does not have nobody",
        "tool.poetry.group.dev.dependencies.black": poetry.UNSAID["allow-prereleases"],
        "tool.poetry.scripts.raw": "a script that is a file, or for an extra, is no entry of [project.scripts]",
    }
    assert packages(result)[1:] == ["roi-ops", "1.3.0"]
    for each in [*found["project"]["dependencies"], *found["dependency-groups"]["dev"]]:
        Requirement(each)


def test_the_owners_text_stays(merged):
    """With a comment behind what is left, and none behind the rest."""
    new, _, left, _ = merged(WHOLE + BUILD_SYSTEM)
    lines = {each.partition("  # modernize: ")[0] for each in new.splitlines()}
    assert lines >= set((WHOLE + BUILD_SYSTEM).splitlines()) - {
        'requires = ["poetry>=0.12"]', 'build-backend = "poetry.masonry.api"',
    }  # fmt: skip
    assert 'own-tools = { path = "../tools" }  # modernize: a requirement has no words for its path\n' in new
    assert new.count("# modernize: ") == len(left)


SMALL = '[tool.poetry]\nname = "x"\nversion = "1"\n'


@pytest.mark.parametrize("more, place, why", [
    ('authors = "A"', "authors", "Poetry takes something else than 'A' there"),
    ('authors = ["<a@b>"]', "authors", "a person is written as Name <address>"),
    ('readme = ["a.md", "b.md"]', "readme", "[project] takes one file"),
    ("package-mode = false", "package-mode", "nothing reads this any more"),
    ("keywords = [1]", "keywords", "Poetry takes something else than [1] there"),
    ("[tool.poetry.extras]\na = 3", "extras", "Poetry takes something else than {'a': 3} there"),
    ("[tool.poetry.group.a]\ndependencies = 3", "group.a.dependencies", "Poetry takes something else than 3 there"),
    ("[tool.poetry.group.a]\ninclude-groups = []", "group.a.include-groups", "nothing reads this any more"),
    ("[tool.poetry.dependencies]\npython = 3", "dependencies.python", "expected a constraint or a table, got 3"),
    ('[tool.poetry.dependencies]\na = "x"', "dependencies.a", "its version 'x' has no words in a requirement"),
    ('[tool.poetry.dependencies]\npython = "3.11 || 3.12"', "dependencies.python",
     "requires-python has no words for '3.11 || 3.12': write the Pythons that it runs on into [project]"),
    ('[tool.poetry.build]\nscript = "build.py"  # ours', "build", "setup.py builds the extensions"),
    ('[[tool.poetry.source]]\nname = "internal"', "source", poetry.UNSAID["source"]),
])  # fmt: skip
def test_what_is_left(merged, more, place, why):
    new, found, left, _ = merged(f"{SMALL}{more}\n")
    assert left == {f"tool.poetry.{place}": why}
    assert (found["project"]["name"], found["project"]["version"]) == ("x", "1")
    assert "# ours" in new or "# ours" not in more
    if not more.startswith("[["):
        assert f"modernize: {why}\n" in new


def test_a_licence_that_is_no_spdx_name(merged, command, tmp_path):
    project = write(tmp_path / "other", {**SCRIPT, "pyproject.toml": f'{SMALL}license = "Proprietary"\n'})
    done = command(project, "--json", "--output", tmp_path / "other-result")
    assert any("license='Proprietary' in pyproject.toml is no SPDX name" in each[2] for each in done.remarks("package"))


def test_tables_that_are_not_in_one_place(merged):
    """Between two parts of [tool.poetry] stands another tool."""
    more = 'package-mode = true  # ours\nexclude = "a"  # too\n[tool.black]\nskip = true\n[tool.poetry.own]\na = 1\n'
    new, _, left, _ = merged(SMALL + more)
    nothing = "nothing reads this any more"
    why = {"package-mode": nothing, "exclude": poetry.LEFT["exclude"], "own": nothing}
    assert left == {f"tool.poetry.{key}": text for key, text in why.items()}
    assert "package-mode = true  # ours\n" in new and f'exclude = "a"  # too; modernize: {why["exclude"]}\n' in new
    assert "[tool.poetry.own]  # modernize: nothing reads this any more\na = 1\n" in new
