"""tests/guide/test_tensors_overrides.py: the table of supported functions holds, and the documentation shows it."""

import concurrent.futures
import multiprocessing

import pytest
import torch

from support import ROOT
from tensors import LoggingTensor, MetadataTensor, ScalarTensor, overrides
from tensors.scalar_tensor import NEEDS_MEMORY
from tensors.tensor_like import OPERATORS

DOCUMENT = ROOT / "docs" / "reference" / "tensor-types.md"


@pytest.fixture(scope="module")
def survey():
    """In a process of its own: a device that another test registered would let more functions be called."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        return pool.submit(overrides.survey).result()


@pytest.mark.slow
def test_most_functions_are_tried(survey):
    counts, _ = survey
    assert counts["tried"] >= 0.75 * counts["overridable"] > 700


@pytest.mark.slow
def test_scalar_tensor_agrees_or_refuses_to_be_written_into(survey):
    _, names = survey
    assert names[ScalarTensor, "different"] == []
    needs_memory = {function.__name__ for function in NEEDS_MEMORY}
    for name in names[ScalarTensor, "refused"]:
        word = name.rpartition(".")[2]
        assert word in OPERATORS or word.endswith("_") or word in needs_memory, name


@pytest.mark.slow
def test_metadata_tensor_agrees(survey):
    _, names = survey
    assert names[MetadataTensor, "different"] == names[MetadataTensor, "refused"] == []


@pytest.mark.slow
def test_logging_tensor_agrees_where_a_subclass_can(survey):
    _, names = survey
    assert names[LoggingTensor, "refused"] == []
    assert set(names[LoggingTensor, "different"]) <= {
        "torch.Tensor.detach_",
        "torch.Tensor.to_mkldnn",
        "torch.Tensor.to_sparse",
    }


def test_the_survey_sees_a_wrong_rule(monkeypatch):
    monkeypatch.setitem(overrides.HANDLED_FUNCTIONS, torch.trace, lambda cls, input: input.value)
    sample = overrides.find_sample(torch.trace, lambda input: -1)
    assert overrides.outcome(ScalarTensor, torch.trace, *sample) == "different"
    assert overrides.outcome(MetadataTensor, torch.trace, *sample) == "same"


@pytest.mark.slow
def test_the_document_shows_the_table_of_this_version(survey):
    shown = DOCUMENT.read_text().split(overrides.BEGIN)[1].split(overrides.END)[0].strip()
    table = overrides.table(survey[0])
    if shown.split(":")[0] != table.split(":")[0]:
        pytest.skip(f"the document was written for {shown.split(':')[0]}")
    assert shown == table


def test_the_command_replaces_what_stands_between_the_markers(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(overrides, "survey", lambda: ({"overridable": 1, "ignored": 2, "tried": 3} | COUNTS, {}))
    path = tmp_path / "page.md"
    path.write_text(f"before\n{overrides.BEGIN}\nold\n{overrides.END}\nafter\n")
    overrides.main(path)
    overrides.main()
    text = capsys.readouterr().out.strip()
    assert path.read_text() == f"before\n{overrides.BEGIN}\n{text}\n{overrides.END}\nafter\n"
    assert "| refused with TypeError | 5 | 5 | 5 |" in text


COUNTS = {(type_, result): 5 for type_ in overrides.TYPES for result in overrides.ROWS}
