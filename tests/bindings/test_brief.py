"""tests/bindings/test_brief.py: what each language gets of brief.h, letter for letter: brief/ has the texts."""

import pytest

from support import ROOT
from torchthaw.declarations import interface, render
from torchthaw.declarations.languages import LANGUAGES

HERE = ROOT / "tests" / "bindings"
KEPT = HERE / "brief"


@pytest.fixture(scope="module")
def brief():
    return interface.read(HERE / "brief.h", [ROOT / "c_api" / "include"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_header_gives_the_text_that_is_kept(brief, language):
    """A change that is meant is written by the command, and then read."""
    text = render.text(LANGUAGES[language], brief, f"python -m torchthaw bindings {language} brief.h")
    path = (KEPT / f"{language}.txt").relative_to(ROOT)
    assert text == (ROOT / path).read_text(), (
        f"run: python -m torchthaw bindings {language} tests/bindings/brief.h -I c_api/include --output {path}"
    )


def test_there_is_a_text_of_every_language_and_no_other():
    assert {path.stem for path in KEPT.iterdir()} == {*LANGUAGES}
