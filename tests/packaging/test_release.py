"""tests/packaging/test_release.py: `make release`, with parts that do nothing."""

import hashlib
import re
import subprocess
import sys

import pytest

from support import ROOT
from support.messages import names

SCRIPT = ROOT / ".ci" / "release.py"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="a source distribution has no .ci")
HEADER = "#define MY_LIB_VERSION_MAJOR 1\n#define MY_LIB_VERSION_MINOR 2\n#define MY_LIB_VERSION_PATCH 3\n"
PARTS = ["lint", "wheel", "compat"]
MAKEFILE = """
lint compat:
\t@echo $@ >> build/ran
\t@test ! -e build/$@-fails
wheel:
\t@mkdir dist && echo content > dist/a-1.2.3.whl && echo $@ >> build/ran
"""


@pytest.fixture
def project(tmp_path):
    """A repository with the script, whose parts are three targets of a Makefile; build/ran has their names."""
    parts = {part: [f"make {part}"] for part in PARTS}
    parts["wheel"].insert(0, "rm -rf dist")
    text = re.sub(r"^PARTS = \{.*?^\}$", f"PARTS = {parts}", SCRIPT.read_text(), flags=re.S | re.M)
    files = {".ci/release.py": text, "Makefile": MAKEFILE, ".gitignore": "build\ndist\n", "build/ran": "",
             "c_api/include/my_lib.h": HEADER, "CHANGELOG.md": "## 1.2.3 — 2026-01-31\n"}  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return tmp_path


def release(project, *parts):
    return subprocess.run([sys.executable, ".ci/release.py", *parts], cwd=project, capture_output=True, text=True)


def ran(project):
    return (project / "build" / "ran").read_text().split()


def test_every_part_once_for_a_commit(project):
    done = release(project)
    assert done.returncode == 0 and ran(project) == PARTS, done.stderr
    assert done.stdout.endswith("every part has passed at this commit\n")
    sums = hashlib.sha256(b"content\n").hexdigest() + "  a-1.2.3.whl\n"
    assert (project / "dist" / "SHA256SUMS").read_text() == sums
    subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=project / "dist", check=True, capture_output=True)
    assert release(project).returncode == 0 and ran(project) == PARTS


def test_it_goes_on_where_it_stopped(project):
    (project / "build" / "compat-fails").touch()
    done = release(project)
    assert done.returncode == 1 and "compat: make compat: exit status 2" in done.stderr
    (project / "build" / "compat-fails").unlink()
    assert release(project).returncode == 0 and ran(project) == [*PARTS, "compat"]


def test_chosen_parts_run_again(project):
    done = release(project, "wheel")
    assert done.returncode == 0 and done.stdout.endswith("not run at this commit: lint, compat\n"), done.stderr
    assert release(project, "wheel", "lint").returncode == 0 and ran(project) == ["wheel", "wheel", "lint"]


def test_another_commit_starts_anew(project):
    release(project, "lint")
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "b", "--allow-empty"],
                   cwd=project, check=True)  # fmt: skip
    assert release(project).returncode == 0 and ran(project) == ["lint", *PARTS]


@pytest.mark.parametrize("content, said", [
    ("## 1.2.3 — unreleased\n", names("CHANGELOG.md", "## 1.2.3", "YEAR-MONTH-DAY", "## 1.2.3 — unreleased")),
    ("## 1.2.2 — 2026-01-31\n", names("CHANGELOG.md", "## 1.2.3", "YEAR-MONTH-DAY", "none")),
])  # fmt: skip
def test_a_version_without_a_date_is_no_release(project, content, said):
    (project / "CHANGELOG.md").write_text(content)
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "b"], cwd=project, check=True)
    done = release(project)
    assert done.returncode == 1 and re.search(said, done.stderr) and ran(project) == []


def test_what_is_not_committed_is_no_release(project):
    (project / "new").touch()
    done = release(project)
    assert done.returncode == 1 and re.search(names("committed"), done.stderr)
    assert "?? new" in done.stderr and ran(project) == []


def test_an_unknown_part_is_named(project):
    done = release(project, "wheels")
    assert done.returncode == 1 and re.search(names("part", "lint, wheel, compat", "wheels"), done.stderr)


def test_every_part_is_a_command_that_exists():
    """Targets of the Makefile, scripts, and what a shell has."""
    targets = set(re.findall(r"^([\w-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    (text,) = re.findall(r"^PARTS = (\{.*?^\})$", SCRIPT.read_text(), flags=re.S | re.M)
    commands = [command.split() for commands in eval(text).values() for command in commands]
    assert len(commands) >= 10
    for program, *words in commands:
        assert words[0] in targets if program == "make" else program == "rm" or (ROOT / program).exists(), program


def test_the_workflow_runs_what_continuous_integration_runs():
    """Its make targets are those of .ci/run, which is what is run here."""
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert "It was not run there" in workflow
    workflow = workflow.partition("\nname:")[2]
    commands = re.compile(r"\bmake ([\w-]+)((?: \w+=\S+)*)")
    run = (ROOT / ".ci" / "run").read_text().partition("set -euo")[2].replace(" share=$half/2", "")
    wanted = {match.group() for match in commands.finditer(run)}
    found = {match.group() for match in commands.finditer(workflow)}
    assert len(wanted) >= 9 and {*wanted, "make test"} <= found
    targets = set(re.findall(r"^([\w-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {match[1] for match in commands.finditer(workflow)} <= targets
