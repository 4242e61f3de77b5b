# tests/packaging/test_docs.py: every snippet of README and docs/ is run, every target, path and variable they name
# exists.
"""How each kind of fenced block is run, from the top of the checkout:

python   the blocks of a file in order, as one program, so that a later one may use what an earlier one made
c, cpp   compiled against my_lib.h with all warnings as errors; one with a main is linked and run as well
cmake    a project of its own beside the file's last program, against an installed libmy_lib
sh       the block as one script, in which `make` only checks that its targets exist, and pip that it would install this;
         those of README one after the other in one shell, and not again in a guide that begins with the same block
yaml     a workflow for examples/cuda, or a package: its steps one after the other, with its variables, where pip only checks names
text     output: what the block before it printed

The pages of docs/languages/ are run by bindings/languages.py.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from benchmarks import cards, report
from support import ROOT, other_torch

sys.path.insert(0, str(ROOT / "docs" / "_site"))
import index_readme  # noqa: E402

pytestmark = pytest.mark.timeout(900)  # one snippet compiles PyTorch's headers
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])
PAGES_OF_LANGUAGES = set(ROOT.glob("docs/languages/*.md"))
RUN_HERE = [document for document in DOCUMENTS if document not in PAGES_OF_LANGUAGES]
# Instead of these two: whether the targets of make exist, and whether pip would install this checkout.
CHECKED_ONLY = """
make() { command make --dry-run "$@" > /dev/null; }
pip() { { [ "$*" = "install -v ." ] || [ "$*" = "install -v .[legacy]" ] || [ "$*" = "install -v .[legacy,portable]" ]; } && [ -f pyproject.toml ]; }
"""
MARK = "-- the next block --"
# In a workflow, what the tests have.
PIP_OF_A_WORKFLOW = """
pip() {
    [ "$1" = install ] && shift
    for word; do case $word in torch|torchthaw|setuptools|--index-url|https://download.pytorch.org/whl/cpu) ;; *) return 1 ;; esac; done
}
"""


class Block(NamedTuple):
    language: str
    line: int  # of its first line of code, counted from 1
    code: str


def blocks(document):
    """The fenced blocks of a Markdown file, in order."""
    found, language = [], None
    for number, line in enumerate(document.read_text().splitlines(), 1):
        fence = re.match(r" *```(\S*)", line)
        if fence and language is None:
            language, code, start = fence[1], [], number + 1
        elif fence:
            found.append(Block(language, start, "\n".join(code) + "\n"))
            language = None
        elif language is not None:
            code.append(line)
    assert language is None, f"{document.name}: a fenced block does not end"
    return found


def snippets(*languages):
    """One test case for each block in these languages, each with what the text block after it says it prints. A case has the
    block's number in its name, not the line."""
    cases = []
    readme = {block.code for block in blocks(ROOT / "README.md")}
    for document in RUN_HERE:
        all_blocks = [block._replace(language="" if block.code in readme and block.language == "sh" else block.language)
                      for block in blocks(document)]  # fmt: skip
        for number, (block, after) in enumerate(zip(all_blocks, [*all_blocks[1:], None]), 1):
            if block.language in languages:
                printed = after.code if after and after.language == "text" else None
                cases.append(pytest.param(block, printed, id=f"{document.relative_to(ROOT)}, block {number}"))
    return cases


def run(*command, variables=None, **options):
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "LD_LIBRARY_PATH": str(ROOT / "build" / "lib"),
        **(variables or {}),
    }
    done = subprocess.run(
        command, cwd=options.pop("cwd", ROOT), env=environment, capture_output=True, text=True, timeout=840, **options
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def compiler(language):
    return (os.environ.get("CC", "cc"), "-std=c99") if language == "c" else (os.environ.get("CXX", "c++"), "-std=c++17")


def includes():
    return f"-I{ROOT / 'c_api' / 'include'}"


def test_the_documents_are_found():
    names = {str(document.relative_to(ROOT)) for document in DOCUMENTS}
    assert {"README.md", "CHANGELOG.md", "docs/architecture.md", "docs/reference/th.md"} <= names


@pytest.mark.parametrize("document", RUN_HERE, ids=lambda document: document.name)
def test_each_block_names_a_language_that_is_run(document):
    assert {block.language for block in blocks(document)} <= {"python", "c", "cpp", "cmake", "sh", "text", "yaml"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [document for document in RUN_HERE if any(block.language == "python" for block in blocks(document))],
    ids=lambda document: document.name,
)
def test_python(document, tmp_path):
    lines = [""] * len(document.read_text().splitlines())
    for block in blocks(document):
        if block.language == "python":
            code = block.code.splitlines()
            lines[block.line - 1 : block.line - 1 + len(code)] = code  # so that a traceback shows the document's line
    program = tmp_path / document.name
    program.write_text("\n".join(lines))
    printed = run(sys.executable, program)
    for block, after in zip(blocks(document), blocks(document)[1:]):
        if block.language == "python" and after.language == "text":
            assert after.code in printed


@pytest.mark.parametrize("block, expected", snippets("c", "cpp"))
def test_c(block, expected, tmp_path):
    source = tmp_path / f"snippet.{block.language}"
    source.write_text(block.code)
    command = [*compiler(block.language), "-pedantic", "-Wall", "-Wextra", "-Werror", includes(), source]
    if "int main(" in block.code:
        run(*command, f"-L{ROOT / 'build' / 'lib'}", "-Wl,--as-needed", "-lmy_lib", "-lth", "-o", tmp_path / "snippet")
        printed = run(tmp_path / "snippet")
        assert expected is None or printed == expected
    else:
        run(*command, "-include", "my_lib.h", "-fsyntax-only", "-Wno-unused")


@pytest.mark.slow
@pytest.mark.parametrize("block, expected", snippets("cmake"))
def test_cmake(block, expected, tmp_path):
    (program,) = [
        other
        for document in RUN_HERE
        if block in blocks(document)
        for other in blocks(document)
        if other.language == "c" and "int main(" in other.code
    ][-1:]
    (tmp_path / "CMakeLists.txt").write_text(block.code)
    for source in re.findall(r"\w+\.c\b", block.code):
        (tmp_path / source).write_text(program.code)
    run("cmake", "--install", ROOT / "build", "--prefix", tmp_path / "prefix")
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}")
    run("cmake", "--build", tmp_path / "build")


@pytest.mark.slow
@pytest.mark.parametrize("block, expected", snippets("sh"))
def test_sh(block, expected, tmp_path):
    if "pkg-config" in block.code and shutil.which("pkg-config") is None:
        pytest.skip("this machine has no pkg-config, which the project does not need")
    for host in re.findall(r"build/hosts/(\w+)", block.code):
        if not (ROOT / "build" / "hosts" / host / "locked.txt").is_file():
            pytest.skip(f"make hosts installs the packages of {host}")
    # Python's own flags ask for debug information, which takes half of the time that PyTorch's headers take.
    flags = {"CFLAGS": "-g0 -O0"} if "cpp_extension" in block.code or "setup.py" in block.code else {}
    flags |= other_versions(tmp_path) if "torchthaw check" in block.code else {}
    printed = run("sh", "-euc", CHECKED_ONLY + block.code, variables=flags)
    assert expected is None or printed == expected


def other_versions(folder):
    """The variables with which check finds versions of PyTorch that take no gigabytes."""
    for version in ("2.10.0+of.tests", "2.97.0"):
        other_torch.wheel(folder, version)
    found = " ".join(filter(None, [os.environ.get("PIP_FIND_LINKS"), str(folder)]))
    return {"PIP_FIND_LINKS": found, "TORCH_INDEX": "", "TORCHTHAW_CACHE": str(folder / "cache")}


def project_of(commands, folder):
    """A project that a workflow has: examples/cuda, or for check a package of Python."""
    if not any("torchthaw check" in command for command in commands):
        return shutil.copytree(ROOT / "examples" / "cuda", folder)
    folder.mkdir()
    (folder / "halves.py").touch()
    (folder / "setup.py").write_text(
        "from setuptools import setup\nsetup(name='halves', version='1', py_modules=['halves'])\n"
    )
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("block, expected", snippets("yaml"))
def test_yaml(block, expected, tmp_path):
    yaml = pytest.importorskip("yaml")
    for name, job in yaml.safe_load(block.code)["jobs"].items():
        variables = {variable: str(value) for variable, value in job["env"].items()}
        commands = [step["run"] for step in job["steps"] if "run" in step]
        folder = project_of(commands, tmp_path / name)
        variables |= {**other_versions(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
        assert commands and not {key for step in job["steps"] for key in step} - {"if", "uses", "with", "run"}
        for command in commands:
            run("sh", "-euc", PIP_OF_A_WORKFLOW + command, cwd=folder, variables={**variables, "CFLAGS": "-g0 -O0"})


@pytest.mark.slow
def test_readme_s_commands_work_one_after_the_other():
    """In one shell, as a reader types them, each from where the reader began. Python is started nowhere where it would import a
    source tree, which a reader who installed torchthaw has not built; and no failure is lost in a pipe."""
    elsewhere = (
        'python() { [ ! -e torchthaw ] || { echo "$PWD has a source tree" >&2; exit 3; }; command python "$@"; }\n'
    )
    all_blocks = blocks(ROOT / "README.md")
    parts = [(block.code, after.code if after and after.language == "text" else "")
             for block, after in zip(all_blocks, [*all_blocks[1:], None]) if block.language == "sh"]  # fmt: skip
    script = f"\necho {MARK}\ncd {ROOT}\n".join(code for code, _ in parts)
    printed = run("sh", "-euc", elsewhere + CHECKED_ONLY + script, variables={"CFLAGS": "-g0 -O0"})
    assert printed.split(f"\n{MARK}\n"[1:]) == [expected for _, expected in parts]
    assert not re.search(r"python.*(?:[^|]\|[^|]|;)", "".join(re.sub("#.*", "", code) for code, _ in parts))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_what_the_text_names_exists(document):
    text = document.read_text()
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([\w-]+)", text)) <= targets
    for link in re.findall(r"\]\(([^)#\s]+)", text):
        assert "://" in link or (document.parent / link).exists(), link
    for path in re.findall(
        r"`((?:c_api|torchthaw|functions|modules|tensors|tests|benchmarks|bindings|examples|docs|cmake|\.ci)"
        r"/[\w./]*)`",
        text,
    ):
        assert (ROOT / path).exists(), path


def test_readme_is_short_and_begins_with_its_uses():
    lines = (ROOT / "README.md").read_text().splitlines()
    uses = [number for number, line in enumerate(lines) if line.startswith("## ")][:3]
    assert (
        len(lines) <= 150
        and uses[-1] < 70
        and all(lines[number].startswith("## I have") or "My " in lines[number] for number in uses)
    )


def test_a_guide_begins_with_the_example_of_readme():
    """Its first block of code is README's, and what that prints follows."""
    doors = blocks(ROOT / "README.md")
    for name in ("build-stops", "write-an-operator", "test-cuda-code"):
        begin, *after = blocks(ROOT / "docs" / f"{name}.md")
        place = next(number for number, block in enumerate(doors) if block.code == begin.code)
        assert doors[place + 1].language == "text" and doors[place + 1].code == after[0].code, name


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/**/*.md")), ids=lambda page: page.name)
def test_each_page_names_its_readers_first(page):
    title, _, text = page.read_text().partition("\n\n")
    assert title.startswith("# ") and text.startswith("For ")


def test_links_name_headings_that_exist():
    def anchors(document):
        headings = re.findall(
            r"^#+ (.*)", re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL), re.MULTILINE
        )
        return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

    for document in DOCUMENTS:
        for path, anchor in re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", document.read_text()):
            assert anchor in anchors(document.parent / path if path else document), f"{document}: {path}#{anchor}"


@pytest.mark.parametrize("command", ["", "run", "enable", "disable", "doctor", "modernize", "config", "export"])
def test_commands_and_options_are_those_of_the_program(command):
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text()
    shown = run(sys.executable, "-m", "torchthaw", *command.split(), "--help")
    words = set(re.findall(r"(?<![\w-])--[a-z-]+", shown)) | set(re.findall(r"^    ([a-z]+) ", shown, re.MULTILINE))
    assert {word for word in words if not re.search(rf"{word}(?![\w-])", page)} == set()


def test_environment_variables_are_those_of_the_code():
    page = (ROOT / "docs" / "reference" / "environment.md").read_text()
    table = "".join(line for line in page.splitlines(keepends=True) if line.startswith("| `"))
    sources = [
        path
        for folder in ("c_api", "src", "functions", "modules", "tensors")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".c", ".cpp", ".h")
    ]
    code = "".join(path.read_text() for path in [*sources, ROOT / ".ci" / "projects.py"])
    read = set(
        re.findall(
            r"(?:getenv\(|environ\.get\(|environ\[|isa_variable = |config\.(?:switch|words)\(|word_of\()\"([A-Z_]+)\"",
            code,
        )
    )
    read |= {
        name for names in re.findall(r"for variable in \(([^)]+)\)", code) for name in re.findall(r"[A-Z_]+", names)
    }
    bootstrap = set(re.findall(r"^# (?:CC, )?([A-Z_]+)  ", (ROOT / ".ci" / "bootstrap").read_text(), re.MULTILINE))
    assert {"MY_LIB_CPU", "TORCHTHAW_CACHE"} <= read and {"PYTHON", "TORCH_INDEX", "CXX"} <= bootstrap
    assert set(re.findall(r"`\$?([A-Z_]{2,})", table)) == read | bootstrap


@pytest.mark.parametrize("document, form", report.DOCUMENTS.items())
def test_benchmark_tables_are_those_of_the_kept_run(document, form):
    text = (ROOT / document).read_text()
    kept = report.load(ROOT / "benchmarks" / "results" / "results.json")
    assert text == report.replace_measured(text, form(kept))


def test_a_wrong_snippet_is_seen(tmp_path):
    """The runners themselves: each kind of mistake is an error."""
    for script in ("make no-such-target", "false", "exit 3", "pip install something", "cd docs; pip install -v ."):
        with pytest.raises(AssertionError):
            run("sh", "-euc", CHECKED_ONLY + script)
    with pytest.raises(AssertionError, match="Wunused|unused"):
        test_c(Block("c", 1, "int main(void) { int unused; return 0; }\n"), None, tmp_path)
    document = tmp_path / "wrong.md"
    document.write_text("text\n\n```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n")
    with pytest.raises(AssertionError, match="line 8"):
        test_python(document, tmp_path / "..")


def test_a_user_reads_what_has_run_on_a_gpu():
    """The GPUs by name, in README and the guide."""
    found = [each for path in cards.RESULTS.glob("*.json") if "device" in (each := json.loads(path.read_text()))]
    for name in ("README.md", "docs/reference/cuda.md", "SUPPORTED.md"):
        assert all(each["device"] in (ROOT / name).read_text() for each in found), name
    assert cards.published() == cards.PAGE.read_text(), "run python -m benchmarks.cards"


def test_what_the_metadata_say_is_true():
    """A beta while nothing is released; the address of the repository stands in pyproject.toml alone."""
    metadata = (ROOT / "pyproject.toml").read_text()
    tags = subprocess.run(["git", "tag"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert ("Development Status :: 4 - Beta" in metadata) == (not tags.strip())
    (source,) = re.findall(r'^Source = "(.*)"', metadata, re.MULTILINE) or [""]
    readme = (ROOT / "README.md").read_text()
    assert f"<!-- source: begin -->\n{index_readme.where(source)}\n<!-- source: end -->" in readme
    assert "`git clone https://example.org/x`" in index_readme.where("https://example.org/x")
