"""docs/_site/check.py: checks the built site: links, their targets, and that it needs no network. Needs no Sphinx.

    python docs/_site/check.py build/site

Prints each problem, with exit status 1. Links to other sites are not followed.
"""

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src"}  # what a browser loads by itself


class Page(HTMLParser):
    """The identifiers of a page, what it links, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids.update(filter(None, (found.get("id"), found.get("name"))))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if found.get(LOADS.get(tag)) and found.get("rel") not in ("canonical", "prev", "next", "index", "search"):
            self.loads.append(found[LOADS[tag]])


@cache
def read(path):
    return Page(path.read_text())


def problems(site):
    """One line for each."""
    pages = sorted(site.rglob("*.html"))
    if not pages:
        yield f"{site}: expected HTML files, got none"
    for path in pages:
        page = read(path)
        for url in page.loads:
            if urlsplit(url).scheme not in ("", "data") or url.startswith("//"):
                yield f"{path.relative_to(site)}: loads {url} from the network"
        for url in [*page.links, *page.loads]:
            problem = broken(path, url)
            if problem:
                yield f"{path.relative_to(site)}: {url}: {problem}"


def broken(path, url):
    """What is wrong with a link of a page, or ""."""
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        return ""
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_file():
        return "no such file"
    if parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in read(target).ids:
        return "no such place in the page"
    return ""


def main():
    site = Path(sys.argv[1]).resolve()
    found = list(problems(site))
    if found:
        sys.exit("\n".join(found))
    print(f"{len(list(site.rglob('*.html')))} pages, every link leads somewhere")


if __name__ == "__main__":
    main()
