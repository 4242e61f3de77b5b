# tests/legacy/headers/test_dimensions.py: the rows of dimensions.c, one by one.
import pytest
import torch

from support import th_rows
from support.rows import row

program = th_rows.program("dimensions")


@pytest.mark.parametrize("row", th_rows.rows("dimensions"))
def test_row(program, row):
    th_rows.run(program, row)


@row("today's tensors")
def test_tensors_of_today(calls, row):
    assert calls.dimensions(torch.tensor(5.0)) == 1
    assert calls.dimensions(torch.empty(0, 4)) == 0
    assert calls.dimensions(torch.empty(2, 3, 4)) == 3
    transposed = torch.ones(2, 3).t()
    assert [calls.stride(transposed, 0), calls.stride(transposed, 1)] == [1, 3]
    tensor = torch.ones(2, 2)
    calls.resize1d(tensor, 0)
    assert tensor.shape == (0,)
