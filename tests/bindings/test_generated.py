"""tests/bindings/test_generated.py: every generated file of bindings/ is what the generator makes of my_lib.h now."""

import importlib.util

import pytest

from support import ROOT

specification = importlib.util.spec_from_file_location("generate", ROOT / "bindings" / "generate.py")
generate = importlib.util.module_from_spec(specification)
specification.loader.exec_module(generate)


@pytest.mark.parametrize(
    "path, arguments", [pytest.param(*each, id=str(each[0].relative_to(ROOT))) for each in generate.files()]
)
def test_a_file_is_what_the_generator_makes(path, arguments):
    assert path.read_text() == generate.text(arguments), "run: python bindings/generate.py"


def test_a_changed_prototype_makes_another_file(tmp_path, monkeypatch):
    header = tmp_path / "my_lib.h"
    header.write_text(generate.HEADER.read_text().replace("int64_t ndim1,", "int32_t ndim1,"))
    before = generate.text("rust")
    monkeypatch.setattr(generate, "HEADER", header)
    assert generate.text("rust") != before
