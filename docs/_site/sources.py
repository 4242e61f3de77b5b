"""docs/_site/sources.py: a Sphinx extension: links to files outside docs/ lead to copies of these files in the site.

A file becomes a page with its text in colours, a folder a page that lists what is in it, with pages for all below it.
Diagrams (``.svg``) become part of their page, so that they follow its light and dark colours.
"""

import html
import os
import re
from pathlib import Path

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "files"  # in the site
LARGEST = 400_000  # bytes that are shown in colours
HIDDEN = re.compile(r"\.|__pycache__$")


def setup(app):
    app.connect("doctree-read", find, priority=100)  # before Sphinx copies what a download names
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": False}


def find(app, doctree):
    """Makes links of the page lead to the copies, and notes which copies are needed."""
    docname = app.env.docname
    wanted = app.env.__dict__.setdefault("torchthaw_sources", set())
    for node in [*doctree.findall(addnodes.download_reference), *doctree.findall(addnodes.pending_xref)]:
        target = outside(Path(app.env.doc2path(docname)).parent, node.get("reftarget", ""))
        if target:
            wanted.add(target)
            uri = app.builder.get_relative_uri(docname, page_of(target))
            node.replace_self(nodes.reference("", "", *node.children, internal=True, refuri=uri))
    for image in [*doctree.findall(nodes.image)]:
        if image["uri"].endswith(".svg"):
            path = Path(app.env.doc2path(docname)).parent / image["uri"]
            image.replace_self(nodes.raw("", inline_svg(path.read_text(), image.get("alt", "")), format="html"))


def outside(folder, target):
    """The path from ROOT of a file or folder that a page in ``folder`` links, where it is not in docs/; else None."""
    path = Path(os.path.normpath(folder / target)) if target else folder
    if not path.exists() or not path.is_relative_to(ROOT) or path.is_relative_to(ROOT / "docs"):
        return None
    return path.relative_to(ROOT).as_posix()


def page_of(path):
    """The name of the page that shows a file or folder."""
    return f"{FOLDER}/{path}/index" if (ROOT / path).is_dir() else f"{FOLDER}/{path}"


def inline_svg(text, title):
    """An SVG file's text as part of a page; ``title`` is read to those who cannot see it."""
    svg = text[text.index("<svg") :]
    label = f'<svg role="img" aria-label="{html.escape(title)}"'
    return f'<div class="diagram">{svg.replace("<svg", label, 1)}</div>'


def pages(app):
    """(name, context, template) of each copy: of what is linked, and of all that is in linked folders."""
    linked = getattr(app.env, "torchthaw_sources", set())
    shown = sorted(linked | {each for path in linked for each in below(path)})
    for path in shown:
        body = listing(app, path, shown) if (ROOT / path).is_dir() else text_of(ROOT / path)
        body = f"<h1><code>{html.escape(path)}</code></h1>\n{body}"
        yield page_of(path), {"title": path, "body": body}, "page.html"


def entries(path):
    """What is in a folder, folders first; none for a file."""
    found = [each for each in (ROOT / path).glob("*") if not HIDDEN.match(each.name)]
    return sorted(found, key=lambda each: (each.is_file(), each.name))


def below(path):
    """The files and folders in a folder, and in those."""
    inside = [f"{path}/{each.name}" for each in entries(path)]
    return [*inside, *(each for folder in inside for each in below(folder))]


def listing(app, path, shown):
    """The list of a folder's entries, with links to those that have a page."""
    items = []
    for entry in entries(path):
        name = f"<code>{html.escape(entry.name)}{'/' * entry.is_dir()}</code>"
        inside = f"{path}/{entry.name}"
        if inside in shown:
            uri = html.escape(app.builder.get_relative_uri(page_of(path), page_of(inside)))
            name = f'<a href="{uri}">{name}</a>'
        items.append(f"<li>{name}</li>")
    return f"<ul>{''.join(items)}</ul>"


def text_of(path):
    """A file in colours; what is no text, or very long, is named only."""
    data = path.read_bytes()
    if b"\0" in data:
        return f"<p>{len(data)} bytes that are no text.</p>"
    if len(data) > LARGEST:
        return f"<p>A text of {len(data)} bytes: see the repository.</p>"
    text = data.decode(errors="replace")
    try:
        lexer = get_lexer_for_filename(path.name)
    except ClassNotFound:
        lexer = TextLexer()
    return highlight(text, lexer, HtmlFormatter(cssclass="highlight", wrapcode=True))
