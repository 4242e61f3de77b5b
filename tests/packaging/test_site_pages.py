# tests/packaging/test_site_pages.py: what the site fills in, its checks and its diagrams; all that needs no Sphinx.
import argparse
import os
import re
import subprocess
import sys

import pytest

import torchthaw
from support import ROOT
from torchthaw import legacy

sys.path.insert(0, str(ROOT / "docs"))
from _site import check, commands, diagrams, pages  # noqa: E402

DOCS = ROOT / "docs"


def filled(text, docname="index"):
    source = [text]
    pages.fill(None, docname, source)
    return source[0]


def test_every_page_can_be_found_from_the_front_page():
    found = ["index"]
    for name in ("index", "languages"):
        text = filled((DOCS / f"{name}.md").read_text(), name)
        for tree in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL):
            found += [line for line in tree.splitlines() if line and not line.startswith(":")]
    pages_there = sorted(path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.glob("**/*.md"))
    assert len(pages_there) > 40 and sorted(found) == pages_there  # each one once


def test_the_python_page_has_all_that_is_public():
    text = filled((DOCS / "reference" / "python.md").read_text(), "reference/python")
    shown = set(re.findall(r"^\.\. auto(?:function|class|exception):: ([\w.]+)$", text, re.MULTILINE))
    public = {f"torchthaw.{name}" for name in torchthaw.__all__}
    public |= {f"torchthaw.legacy.{name}" for name in legacy.__all__}
    assert public - shown == {"torchthaw.__version__"} and "`torchthaw.__version__`" in text
    assert ".. autoexception:: torchthaw.BuildError" in text and ".. autofunction:: torchthaw.load\n" in text


def test_a_class_has_the_members_that_are_named_and_no_others():
    assert pages.python("torchthaw.extension.Extension:build") == (
        "```{eval-rst}\n.. autoclass:: torchthaw.extension.Extension\n   :members: build\n   :show-inheritance:\n```"
    )
    assert ":members:" not in pages.python("torchthaw.FFIExtension")
    assert pages.python("torchthaw.load") == "```{eval-rst}\n.. autofunction:: torchthaw.load\n```"
    text = filled((DOCS / "reference" / "python.md").read_text(), "reference/python")
    assert re.findall(r":members:(.*)", text) == [" build", " with_options"]
    with pytest.raises(AttributeError, match="no_such"):
        pages.python("torchthaw.extension.Extension:no_such")


@pytest.mark.parametrize("page", sorted(DOCS.glob("**/*.md")), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_links_to_pages_have_words_and_no_file_names(page):
    found = re.findall(r"\[([^]]*)\]\(([\w./-]+\.md)[^)]*\)", page.read_text())
    assert [link for link in found if link[0].endswith(".md")] == []


def test_each_command_has_its_help(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    text = commands.page()
    sections = dict(re.findall(r"^### `(\w+)`\n\n```text\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE))
    listed = subprocess.run([sys.executable, "-m", "torchthaw", "--help"], capture_output=True, text=True, cwd=ROOT)
    assert set(sections) == set(re.findall(r"^    ([a-z]+)(?: |$)", listed.stdout, re.MULTILINE))
    options = re.findall(r"--[a-z-]+", " ".join(
        word for parser in commands.parsers().values() for word in parser.format_usage().split()))  # fmt: skip
    assert len(options) > 10 and set(options) <= set(re.findall(r"--[a-z-]+", text))
    assert max(map(len, text.splitlines())) <= 80 and os.environ["COLUMNS"] == "200"
    assert isinstance(commands.parsers()["doctor"], argparse.ArgumentParser)


@pytest.mark.parametrize("body, problem", [
    ('<a href="two.html#there">x</a><a href="#own"></a><p id="own"><a href="https://example.org/x">y</a>', None),
    ('<a href="three.html">x</a>', "one.html: three.html: no such file"),
    ('<a href="two.html#gone">x</a>', "one.html: two.html#gone: no such place in the page"),
    ('<a href="#gone">x</a>', "one.html: #gone: no such place in the page"),
    ('<img src="lost.png">', "one.html: lost.png: no such file"),
    ('<script src="https://example.org/a.js"></script>', "one.html: loads https://example.org/a.js from the network"),
    ('<link rel="stylesheet" href="//example.org/a.css">', "one.html: loads //example.org/a.css from the network"),
])  # fmt: skip
def test_the_check_of_the_built_site(tmp_path, body, problem):
    (tmp_path / "one.html").write_text(f"<html><body>{body}</body></html>")
    (tmp_path / "two.html").write_text('<p id="there">')
    assert list(check.problems(tmp_path)) == ([problem] if problem else [])
    done = subprocess.run([sys.executable, check.__file__, tmp_path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == ((1, f"{problem}\n") if problem else (0, ""))


@pytest.mark.parametrize("source", sorted(DOCS.glob("diagrams/*.dot")), ids=lambda path: path.name)
def test_diagrams_are_made_from_their_source(source):
    svg = source.with_suffix(".svg").read_text()
    assert diagrams.made_from(svg) == diagrams.digest(source.read_text()), "run docs/_site/diagrams.py"
    for label in re.findall(r'label="(.*?)"', source.read_text()):
        for line in label.split("\\n"):
            assert line.replace("'", "&#39;") in svg, line


def test_folders_in_the_layers_exist():
    named = re.findall(r"(?:modules|functions|torchthaw|c_api)/[\w/.]+", (DOCS / "diagrams" / "layers.dot").read_text())
    assert (
        len(named) >= 7
        and [name for name in named if not ((ROOT / name).exists() or (ROOT / "src" / name).exists())] == []
    )


def test_the_front_page_says_how_to_install_before_its_first_section():
    text = filled((DOCS / "index.md").read_text())
    assert "```sh\npip install -v '.[legacy,portable]' " in text.partition("\n## ")[0]
    uses = re.findall(r"^## (.*)", (ROOT / "README.md").read_text(), re.MULTILINE)[:3]
    assert re.findall(r"^## (.*)", text, re.MULTILINE)[:3] == uses
    links = [link for link in re.findall(r"\]\(([^)#]+)", pages.readme()) if "://" not in link]
    assert links and [link for link in links if not (DOCS / link).exists()] == []
