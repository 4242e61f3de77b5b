"""docs/_site/index_readme.py: README.md as package indexes show it, where the files that it links are not beside it.

scikit-build-core calls dynamic_metadata() for METADATA, as pyproject.toml says. Needs the standard library alone.
"""

import re
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:)([^)\s#]+)(#[^)\s]*)?\)")
SETTINGS = {"pages", "pictures"}


def dynamic_metadata(field, settings, project):
    """The field ``readme`` of [project].

    settings: ``pages`` and ``pictures``, the addresses of a file, in which {Source}, {version} and {path} stand for the
    entry of [project.urls], the version without a local part, and the file's path in the repository.
    """
    if field != "readme" or settings.keys() != SETTINGS:
        raise ValueError(f"{field}: expected the field readme with {sorted(SETTINGS)}, got {sorted(settings)}")
    text = README.read_text()
    source = project["urls"].get("Source") if "urls" in project else None
    if source:
        known = {"Source": source.rstrip("/"), "version": project["version"].partition("+")[0]}
        addresses = [settings[name].format(path="{path}", **known) for name in ("pages", "pictures")]
        text = linked(text, *addresses)
    else:
        text = unlinked(text)
    return {"content-type": "text/markdown", "text": text}


def where(source):
    """What README says before its first command: how to get the repository whose address is ``source``, if it has one."""
    return f"In a copy, from `git clone {source}`:" if source else "In a copy of this repository:"


def linked(text, pages, pictures):
    """``text`` with each link into the repository as an address: ``pages`` or ``pictures``, where {path} stands for it."""

    def address(match):
        mark, words, path, anchor = match.groups(default="")
        return f"{mark}[{words}]({(pictures if mark else pages).format(path=path)}{anchor})"

    return LINK.sub(address, text)


def unlinked(text):
    """``text`` without pictures, and with the path of each file that it links in place of the link."""

    def named(match):
        mark, words, path, _ = match.groups(default="")
        return "" if mark else words if words == path else f"{words} (`{path}`)"

    return LINK.sub(named, text)
