# tests/bindings/test_languages.py: the runner of make languages, languages that need no tools of their own, pages.
import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest

from support import ROOT, instruction_sets

RUNNER = ROOT / "bindings/languages.py"
ROWS = {path.parent.name: json.loads(path.read_text()) for path in (ROOT / "bindings").glob("*/language.json")}
KEYS = {"name", "generated", "manifests", "needs", "packages", "pip", "without_pip", "version", "build", "run", "at_most", "copies",
        "page", "guide", "libraries"}  # fmt: skip
PAGES = ROOT / "docs/languages"


sys.path.insert(0, str(RUNNER.parent))


def load():
    spec = importlib.util.spec_from_file_location("languages", RUNNER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def runner():
    """The runner as a module, with the library installed."""
    module = load()
    module.prepare()
    return module


@pytest.fixture(scope="module")
def c(runner):
    found = runner.Language(ROOT / "bindings/c")
    found.build()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({"c", "cpp", "host-jax", "host-onnxruntime", "python"} & set(ROWS)))
def test_languages_that_every_machine_has(name):
    done = subprocess.run([sys.executable, RUNNER, name], capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    if "not run, needs" in done.stdout:
        pytest.skip(done.stdout.splitlines()[0])
    assert f"{ROWS[name]['name']}: passed" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("path", ["portable", "avx2"])
def test_c_on_other_cpu_paths(c, path):
    instruction_sets.require(path)
    assert c.ask("vectors", str(ROOT / "bindings/vectors"), MY_LIB_CPU=path) == {"vectors": "80", "errors": "3"}
    assert c.ask("train", MY_LIB_CPU=path)["loss"] == c.ask("train")["loss"]


@pytest.mark.parametrize("name", ROWS)
def test_rows_have_known_keys_and_pages(name):
    row = ROWS[name]
    assert set(row) <= KEYS and {"name", "needs", "packages", "version", "build", "run"} <= set(row)
    assert all("==" in each for each in row.get("pip", []))
    assert bool(row.get("page")) == (PAGES / f"{name}.md").exists()


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_pages_are_short_and_have_a_language(page):
    assert page.stem in ROWS
    assert len(page.read_text().splitlines()) <= 40


def test_the_documentation_says_which_languages_need_declarations_and_how_they_are_written():
    generated = {name for name, row in ROWS.items() if row.get("generated")}
    section = (ROOT / "docs/languages.md").read_text().partition("\n## Declarations\n")[2].partition("\n## ")[0]
    listed = set(re.split(", | and ", section.partition(" cannot read")[0].strip()))
    assert listed == {ROWS[name]["name"] for name in generated}
    assert "`python bindings/generate.py`" in section
    pages = {page.stem for page in PAGES.glob("*.md") if "(../languages.md#declarations)" in page.read_text()}
    assert pages == generated


# A language whose test program is a shell script: what it must print, and one mistake in each of the others.
RIGHT = {"version": "version {version}", "vectors": "vectors 80\nerrors 3", "marks": "marks 23",
         "threads": "threads 480", "time": "time 100"}  # fmt: skip
WRONG = {
    "version: expected": {"version": "version 0.0.0"},
    "vectors: expected 80, got 79": {"vectors": "vectors 79\nerrors 3"},
    "errors: expected 3, got 2": {"vectors": "vectors 80\nerrors 2"},
    "marks: expected 23, got 22": {"marks": "marks 22"},
    "threads: expected at least 24 calls, got 3": {"threads": "threads 3"},
    "expected a line `time NUMBER`": {"time": "time soon"},
    "expected a line `marks NUMBER`": {"marks": ""},
    "exit status 1": {"threads": "threads 480; exit 1"},
}


def shell_language(runner, folder, lines, **row):
    version = runner.library_version()
    cases = "".join(
        f"{word}) echo '{line}';;\n".format(version=version).replace("; exit 1'", "'; exit 1")
        for word, line in {**RIGHT, **lines}.items()
    )
    folder.mkdir()
    (folder / "run.sh").write_text(f"case $1 in\n{cases}esac\n")
    (folder / "language.json").write_text(json.dumps({
        "name": "Shell", "needs": ["sh"], "packages": ["dash"], "version": ["echo", "1.2"], "build": [],
        "run": ["sh", "run.sh"], "copies": False, **row}))  # fmt: skip
    return runner.Language(folder)


@pytest.mark.slow
def test_a_language_that_does_all_has_a_row(runner, c, tmp_path):
    row = runner.check(shell_language(runner, tmp_path / "shell", {}, at_most=1), c)
    assert row["language"] == "Shell" and row["version"] == "1.2" and row["arrays not copied"] == "23 of 23"
    assert row["ns a call"] == "100" and float(row["÷ C"]) > 1 and row["goal"] == "≤ 1 **missed**"


@pytest.mark.slow
@pytest.mark.parametrize("message", WRONG)
def test_each_mistake_of_a_language_is_a_failure(runner, c, tmp_path, message):
    with pytest.raises(runner.Failed, match=re.escape(message)):
        runner.check(shell_language(runner, tmp_path / "shell", WRONG[message]), c)


@pytest.mark.slow
def test_declarations_are_written_before_the_build(runner, tmp_path):
    build = [["grep", "-q", "my_lib_add_forward", "native/native.rs"]]
    language = shell_language(runner, tmp_path / "shell", {}, generated={"native/native.rs": "rust"}, build=build)
    language.build()
    (tmp_path / "shell/native/native.rs").write_text("of an older header")
    language.build()


@pytest.mark.slow
def test_a_host_of_graphs_makes_one_error_and_has_its_own_time(runner, c, tmp_path):
    lines = {"vectors": "vectors 80\nerrors 1", "own": "own 50"}
    row = runner.check(shell_language(runner, tmp_path / "shell", lines, guide="other-hosts.md"), c)
    assert (row["errors"], row["host's own"], row["page"]) == ("1", "50.0", "[runs](other-hosts.md)")
    with pytest.raises(runner.Failed, match="own"):
        runner.check(shell_language(runner, tmp_path / "other", lines | {"own": ""}, guide="other-hosts.md"), c)


@pytest.mark.slow
def test_a_language_that_copies_may_have_fewer_marks(runner, c, tmp_path):
    language = shell_language(runner, tmp_path / "shell", {"marks": "marks 9"}, copies=True)
    assert runner.check(language, c)["arrays not copied"] == "9 of 23"


def test_each_language_names_the_libraries_that_it_uses_besides_my_lib():
    named = {name for name, row in ROWS.items() if "th" in row.get("libraries", [])}
    assert named == {name for name, row in ROWS.items() if "libth" in json.dumps(row)}


def test_a_row_may_say_what_differs_without_its_package(runner, tmp_path):
    less = {"name": "Old Shell", "at_most": None}
    language = shell_language(
        runner, tmp_path / "shell", {}, needs=[], pip=["no-package==1.0"], without_pip=less, at_most=1
    )
    assert language.for_this_machine().missing() == "" and language.name == "Old Shell"
    assert language.row["at_most"] is None and language.row["run"] == ["sh", "run.sh"]
    language = shell_language(runner, tmp_path / "other", {}, needs=["no-such-command"], without_pip=less, at_most=1)
    assert language.for_this_machine().name == "Shell" and language.row["at_most"] == 1


def test_java_says_before_it_compiles_that_jna_is_missing(tmp_path):
    commands = re.search(r"^```sh\n(.*?)^```$", (PAGES / "java.md").read_text(), re.DOTALL | re.MULTILINE)[1]
    for name in ("javac", "java"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho {name} $* >> {tmp_path}/log\n")
        (tmp_path / name).chmod(0o755)
    jna = tmp_path / "jna.jar"
    commands = commands.replace("/usr/share/java/jna.jar", str(jna))
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PREFIX": "/usr", "BINDINGS": "bindings"}

    def run(commands):
        (tmp_path / "log").write_text("")
        done = subprocess.run(["sh", "-c", commands], env=environment, capture_output=True, text=True)
        return done.returncode, done.stderr, re.findall(r"^\w+", (tmp_path / "log").read_text(), re.MULTILINE)

    assert run(commands) == (1, f"no {jna}: apt-get install libjna-java, or use Java 22\n", [])
    assert run(commands.replace("calls=Jna", "calls=Ffm")) == (0, "", ["javac", "java"])
    jna.touch()
    assert run(commands) == (0, "", ["javac", "java"])


def test_pages_are_run_as_they_are(runner, tmp_path, monkeypatch):
    language = shell_language(runner, tmp_path / "shell", {}, page={"program": "main.txt"})
    pages = tmp_path / "docs/languages"
    pages.mkdir(parents=True)
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    monkeypatch.setattr(runner, "WORK", tmp_path)
    page = "```shell\nhello\n```\n\n```sh\ncat main.txt; test -d $PREFIX\n```\n\n```text\n{}\n```\n"
    (pages / "shell.md").write_text(page.format("hello"))
    language.page()
    (pages / "shell.md").write_text(page.format("good day"))
    with pytest.raises(runner.Failed, match="expected at the end:\ngood day"):
        language.page()
    (pages / "shell.md").write_text("```text\nhello\n```\n")
    with pytest.raises(runner.Failed, match="expected a program, a sh and a text block"):
        language.page()
