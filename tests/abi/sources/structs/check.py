"""check.py: what each function of structs.h gave when this was written."""

import inspect

import pytest
import structs
import torch

ffi = structs._ffi


def test_tensors():
    a, b, out = torch.arange(6.0).view(2, 3), torch.ones(2, 3), torch.empty(0)
    version = out._version
    assert structs.add(a, b, out) == 1
    assert out.tolist() == [[1, 2, 3], [4, 5, 6]] and out._version > version
    assert structs.add(a, torch.ones(2), out) == 0
    matrix = torch.arange(16, dtype=torch.float64).view(4, 4)
    assert structs.trace(matrix) == 30 and structs.trace(matrix.t()[1:, 1:]) == 30
    assert structs.largest(torch.tensor([[3, 9], [-1, 2]]).t()) == 9
    structs.fill_rows(a, torch.tensor([7, 8]))
    assert a.tolist() == [[7, 7, 7], [8, 8, 8]]


def test_resizing():
    tensor = torch.zeros(2, dtype=torch.uint8)
    structs.resize(tensor, 3, 4)
    assert tensor.tolist() == [[3] * 4] * 3


def test_storages():
    assert structs.sum_of_storage(torch.arange(5.0).storage()) == 10


def test_results():
    matrix = torch.arange(6.0).view(2, 3)
    row = structs.first_row(matrix)
    assert row.tolist() == [0, 1, 2]
    row.fill_(9)
    assert matrix[0].tolist() == [9, 9, 9]
    assert structs.same(matrix) is matrix
    assert list(structs.sizes_of(matrix)) == [2, 3]
    assert structs.same_tensor(matrix, matrix) == 1 and structs.same_tensor(matrix, row) == 0


def test_what_c_keeps():
    tensor = torch.ones(3)
    structs.keep(tensor)
    tensor.mul_(5)
    assert structs.sum_of_kept() == 15
    del tensor
    assert structs.sum_of_kept() == 15


def test_what_cffi_converts():
    assert ffi.string(structs.describe(torch.zeros(2, 3))) == b"[2 x 3]"
    assert structs.call(ffi.callback("int(int)", lambda value: value * 2), 21) == 42
    assert structs.sum_of(2, ffi.cast("int", 20), ffi.cast("int", 22)) == 42
    assert structs.mixed(1, 2, 3, 4, 5.5, 6.5) == 22


def test_refusals():
    with pytest.raises(TypeError, match="THFloatTensor.*THDoubleTensor"):
        structs.add(torch.ones(1), torch.ones(1), torch.ones(1, dtype=torch.float64))
    with pytest.raises(TypeError, match="expected"):
        structs.add(torch.ones(1))


def test_errors():
    with pytest.raises(torch.FatalError, match="expected positive elements"):
        structs.check_positive(torch.tensor([1.0, -1.0]))
    sums = torch.empty(0)
    for threads in (1, 2):
        structs.sum_rows(torch.ones(4, 3), sums, threads)
        assert sums.tolist() == [3, 3, 3, 3]
        with pytest.raises(torch.FatalError, match="row 2 is negative"):
            structs.sum_rows(torch.tensor([1.0, 1, -1]).view(3, 1), sums, threads)


def test_what_help_shows():
    assert str(inspect.signature(structs.add)) == "(input1, input2, output)"
    assert structs.add.__name__ == "add"
