# tests/packaging/test_words.py: the sentences of the pages are short, and a reader parses each once.
"""What counts: paragraphs and items of lists, without headings, pictures, blocks of code and generated parts. Code between
backticks is one word, and so is a link without spaces. A cell of a table is often no sentence, so that cells count for the
longest sentences only, not for the mean."""

import re

import pytest

from support import ROOT

MEAN, LONG, SHARE = 17, 30, 0.02  # words of a sentence; words, and the share of sentences that may have more


def whole(text):
    return text


def first(text):
    """The first paragraph below the title."""
    return text.split("\n\n")[1]


PAGES = {
    "README.md": whole,
    "CONTRIBUTING.md": whole,
    "docs/index.md": whole,
    "docs/build-stops.md": whole,
    "docs/port-an-old-project.md": whole,
    "docs/test-cuda-code.md": whole,
    "docs/write-an-operator.md": whole,
    "docs/use-from-c.md": whole,
    "docs/languages.md": whole,
    "docs/other-hosts.md": whole,
    "docs/architecture.md": whole,
    "docs/internals/performance.md": whole,
    "docs/internals/derivatives.md": whole,
    "docs/internals/hardening.md": whole,
    "docs/internals/abi.md": first,
    "docs/internals/coverage.md": first,
    "docs/internals/cuda.md": first,
    "docs/internals/dependencies.md": first,
    "docs/internals/mutations.md": whole,
    "docs/internals/releasing.md": first,
    "docs/internals/site.md": first,
    "docs/internals/th.md": first,
    "docs/reference/annotations.md": first,
    "docs/reference/bindings.md": first,
    "docs/reference/c-types.md": first,
    "docs/reference/command-line.md": first,
    "docs/reference/compatibility.md": first,
    "docs/reference/cuda.md": first,
    "docs/reference/derivatives.md": whole,
    "docs/reference/deviations.md": first,
    "docs/reference/environment.md": first,
    "docs/reference/error-messages.md": first,
    "docs/reference/python.md": first,
    "docs/reference/raw-pointers.md": first,
    "docs/reference/side-effects.md": first,
    "docs/reference/tensor-types.md": first,
    "docs/reference/th.md": first,
}
NO_PROSE = re.compile(
    r"^```.*?^```$"  # blocks of code
    r"|<!-- \w+: begin -->.*?<!-- \w+: end -->|<!--.*?-->"  # generated parts, marks
    r"|!\[[^]]*\]\([^)]*\)"  # pictures
    r"|^#.*?$",  # headings
    re.DOTALL | re.MULTILINE,
)
ITEM = re.compile(r"^ *(?:-|\d+\.) ", re.MULTILINE)
# Turns of speech that a reader must parse twice, each with what it hides.
DIALECT = {
    "a noun behind a pronoun": r"\b(?:that|those) of\b",
    "an owner behind a pronoun": r"\bof (?:its|their|one's) own\b",
    "a relative clause without a noun before it": r"\b(?:as|by|from|is|like|of|on|than|with) what\b",
}


def plain(text):
    """Text with each link as its words and each piece of code as one word."""
    text = re.sub(r"\[((?:`[^`]*`|[^]`])*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"``.*?``|`[^`]*`", "code", text, flags=re.DOTALL)


def split(text):
    """The sentences of a paragraph; a title such as "Memory:" is none."""
    pieces = re.split(r"(?<=[.!?])[*)\"']*\s+", " ".join(plain(text).split()))
    return [piece for piece in pieces if words(piece) > 2]


def words(sentence):
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def parts(text):
    """The paragraphs and items of a page, and the cells of its tables."""
    paragraphs = [part for block in NO_PROSE.sub("", text).split("\n\n") for part in ITEM.split(block)]
    prose = [part for part in paragraphs if not part.lstrip().startswith("|")]
    rows = [row for part in paragraphs if part.lstrip().startswith("|") for row in part.split("\n")]
    return prose, [cell for row in rows for cell in re.split(r"(?<!\\)\|", row)]


def sentences(text):
    """The sentences of the prose, and those of the tables."""
    return tuple([sentence for part in kind for sentence in split(part)] for kind in parts(text))


def mean(found):
    return sum(map(words, found)) / len(found)


def too_long(found):
    return [sentence for sentence in found if words(sentence) > LONG]


@pytest.mark.parametrize("page, part", PAGES.items(), ids=list(PAGES))
def test_sentences_are_short(page, part):
    prose, cells = sentences(part((ROOT / page).read_text()))
    assert mean(prose) <= MEAN
    assert len(too_long(prose + cells)) <= SHARE * len(prose + cells), too_long(prose + cells)


@pytest.mark.parametrize("page, part", PAGES.items(), ids=list(PAGES))
def test_each_clause_has_its_noun(page, part):
    text = " ".join(plain(NO_PROSE.sub("", part((ROOT / page).read_text()))).split())
    assert {hides: re.findall(rf".{{0,40}}{turn}.{{0,20}}", text)
            for hides, turn in DIALECT.items() if re.search(turn, text)} == {}  # fmt: skip


SAMPLE = """# A title of many words that nobody counts

For all: one `piece of code` and [two words](page.md#a-b). It has
a second line. Memory:

- libth is an item.
- A longer item of 0.4 words

```sh
code is no sentence.
```
<!-- measured: begin -->
Generated words are not counted.
<!-- measured: end -->
![a picture](x.svg)

| a | b |
| --- | --- |
| `x` | A cell is here. It ends. |
"""


def test_the_counter():
    prose, cells = sentences(SAMPLE)
    assert prose == [
        "For all: one code and two words.", "It has a second line.", "libth is an item.", "A longer item of 0.4 words"
    ]  # fmt: skip
    assert cells == ["A cell is here."] and mean(prose) == (7 + 5 + 4 + 6) / 4
    assert sentences(first(SAMPLE)) == (prose[:2], [])
    assert too_long(["word " * 30, "word " * 31]) == ["word " * 31]
    hidden = "as that of a page of its own, with what it has"
    assert all(re.search(turn, hidden) for turn in DIALECT.values())
