"""tests/fuzz/test_fuzz_cuda_text.py: a few texts of cuda_text.py, those that were found, and faults that it must find."""

import cuda_text
import pytest

from torchthaw.cuda_on_cpu.translation import brackets, members, translate

# Each broke a property once.
FOUND = [3801611705, 1983943921]


@pytest.mark.parametrize("seed", [*range(20), *FOUND])
def test_a_text(seed):
    cuda_text.check(seed)


def no_brackets(text, at):
    raise KeyError("a bracket")


def lost_line(text, mark):
    return [(mark.start(), text.find("\n", mark.start()) + 1 or len(text), "")]


@pytest.mark.parametrize(
    "module, name, plant",
    [(brackets, "closing", no_brackets), (translate, "assembly", lost_line), (members, "_is_call", no_brackets)],
)
def test_a_planted_fault_is_found(module, name, plant, monkeypatch):
    monkeypatch.setattr(module, name, plant)
    with pytest.raises(cuda_text.Broken):
        for seed in range(200):
            cuda_text.check(seed)
