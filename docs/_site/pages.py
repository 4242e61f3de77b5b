"""docs/_site/pages.py: a Sphinx extension: fills in what the pages only name, at their comments ``<!-- site: … -->``.

    contents [FOLDER]        the tree of pages, from the links of each section of the page; index.md gives it titles
    header my_lib.h          a C header below c_api/include/
    python NAME …            the docstrings of functions and classes; of a class with the members in NAME:MEMBER,MEMBER
    commands                 the help of each command of ``python -m torchthaw``
    index WORDS; WORDS …     what the search finds first at this place
    readme                   what README says before "How fast": what torchthaw is for, and an example of each use

In a plain view of the repository these comments are not seen.
"""

import importlib
import inspect
import posixpath
import re
from functools import cache
from pathlib import Path

from . import c_header, commands, prose

ROOT = Path(__file__).resolve().parents[2]
INCLUDES = ROOT / "c_api" / "include"
HEADERS = "my_lib.h", "my_lib_cuda.h", "torchthaw/annotate.h"
MARK = re.compile(r"^<!-- site: (\w+)(.*?) -->$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([\w./-]+)\.md(?:#[\w-]+)?\)")


def setup(app):
    app.connect("source-read", fill)
    app.connect("autodoc-process-docstring", as_fields)
    return {"parallel_read_safe": True}


def fill(app, docname, source):
    """Replaces the marks in a page's text. Raises ValueError for one that is not known."""
    text = source[0]

    def made(mark):
        kind, words = mark[1], mark[2].split()
        if kind == "contents":
            return contents(text, docname, *words)
        if kind == "header":
            return c_page(*words)
        if kind == "python":
            return "\n\n".join(map(python, words))
        if kind == "commands":
            return commands.page()
        if kind == "readme":
            return readme()
        if kind == "index":
            entries = [f"   ! single: {words.strip()}" for words in mark[2].split(";")]
            return "\n".join(["```{eval-rst}", ".. index::", *entries, "```"])
        raise ValueError(f"{docname}: expected contents, header, python, commands, readme or index, got {mark[0]}")

    source[0] = MARK.sub(made, text)


def contents(text, docname, folder=""):
    """Trees of the pages in ``folder`` that each section links, for the navigation; the page shows the links itself.

    A page that several sections link is in the tree of the first.
    """
    trees, known = [], set()
    for section in re.split(r"^## ", FENCED.sub("", text), flags=re.MULTILINE):
        title = section.partition("\n")[0] if docname == "index" and not section.startswith("#") else ""
        linked = dict.fromkeys(posixpath.normpath(link) for link in LINK.findall(section) if link.startswith(folder))
        pages = [page for page in linked if page not in known]
        known.update(pages)
        if pages:
            options = [":hidden:", *([f":caption: {title}"] if title else [])]
            trees.append("\n".join(["```{toctree}", *options, "", *pages, "```"]))
    return "\n\n".join(trees)


def readme():
    """README between its title and "How fast", with links as a page of docs/ has them."""
    text = (ROOT / "README.md").read_text("utf-8").partition("\n## How fast\n")[0].partition("\n")[2]
    return re.sub(r"\]\((docs/)?(?!https?:)", lambda found: "](" if found[1] else "](../", text).strip()


@cache
def headers():
    """The headers of the C reference, by name."""
    return {name: c_header.Header(INCLUDES / name, [INCLUDES]) for name in HEADERS}


def c_page(name):
    """The page of a header, which links the names of all."""
    known = {}
    for header in headers().values():
        known.update(header.names())
    return c_header.page(headers()[name], known)


def python(name):
    """A function, or a class with the members that are named. AttributeError: there is none of that name."""
    name, _, members = name.partition(":")
    module, _, attribute = name.rpartition(".")
    found = getattr(importlib.import_module(module), attribute)
    for member in filter(None, members.split(",")):
        getattr(found, member)
    if not inspect.isclass(found):
        directive = [f".. autofunction:: {name}"]
    elif issubclass(found, BaseException):
        directive = [f".. autoexception:: {name}"]
    else:
        shown = [f"   :members: {members}"] if members else []
        directive = [f".. autoclass:: {name}", *shown, "   :show-inheritance:"]
    return "\n".join(["```{eval-rst}", *directive, "```"])


def as_fields(app, what, name, found, options, lines):
    """Our docstrings have a row ``name: text`` for each argument."""
    lines[:] = prose.docstring(lines)
