"""tests/guide/test_tensors_metadata.py: metadata goes where values go."""

import copy
import pickle

import pytest
import torch

from tensors import MetadataTensor


def metre(*values):
    return MetadataTensor(list(values), {"unit": "m", "source": "laser"})


def ruler(*values):
    return MetadataTensor(list(values), {"source": "ruler", "year": 1889})


MERGED = {"unit": "m", "source": "laser", "year": 1889}


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: a + b,
        lambda a, b: a.add(b),
        lambda a, b: torch.add(a, b),
        lambda a, b: torch.add(a, other=b),
        lambda a, b: torch.cat([a, b]),
        lambda a, b: torch.stack((a, torch.ones(2), b)),
        lambda a, b: torch.where(torch.tensor([True, False]), a, b),
        lambda a, b: torch.einsum("i,j->ij", a, b),
        lambda a, b: torch.addcmul(torch.ones(2), a, b, value=2),
        lambda a, b: a[b.to(torch.int64) * 0],
    ],
)
def test_metadata_of_all_arguments_merges_and_the_left_one_wins(call):
    a, b = metre(1.0, 2.0), ruler(3.0, 4.0)
    result = call(a, b)
    assert type(result) is MetadataTensor
    assert result.metadata == MERGED
    assert torch.equal(result.tensor, call(a.tensor, b.tensor))
    assert a.metadata == {"unit": "m", "source": "laser"} and b.metadata == {"source": "ruler", "year": 1889}


def test_the_order_of_arguments_decides():
    assert (ruler(1.0) + metre(1.0)).metadata["source"] == "ruler"
    assert (torch.ones(1) - metre(1.0)).metadata["source"] == "laser"


def test_each_result_has_a_dict_of_its_own():
    a = metre(1.0)
    b = a * 2
    b.metadata["unit"] = "km"
    assert a.metadata["unit"] == "m"


def test_results_of_all_kinds():
    a = metre(3.0, 1.0, 2.0)
    values, indices = a.sort()
    assert values.metadata == indices.metadata == a.metadata
    assert type(a.max(dim=0)) is torch.return_types.max
    assert [part.metadata for part in a.unbind()] == [a.metadata] * 3
    assert a.shape == (3,) and type(a.shape) is torch.Size and a.dtype == torch.float32
    assert torch.equal(a, a) is True and a.tolist() == [3, 1, 2] and len(a) == 3 and float(a.sum()) == 6


def test_out_is_returned_and_takes_the_metadata_of_the_inputs():
    out = MetadataTensor([0.0], {"unit": "s", "stale": True})
    assert torch.add(metre(1.0), ruler(2.0), out=out) is out
    assert out.tolist() == [3] and out.metadata == MERGED

    plain = torch.zeros(1)
    assert torch.add(metre(1.0), 2, out=plain) is plain and plain.item() == 3


def test_several_outs():
    values, indices = MetadataTensor([0.0]), MetadataTensor([0])
    result = torch.max(metre(5.0, 7.0).reshape(2, 1), dim=0, out=(values, indices))
    assert result[0] is values and result[1] is indices
    assert values.tolist() == [7] and indices.metadata == {"unit": "m", "source": "laser"}


def test_in_place_returns_itself_with_the_others_added():
    for change in (lambda a, b: a.add_(b), lambda a, b: a.__iadd__(b)):
        a = metre(1.0)
        memory = a.data_ptr()
        assert change(a, ruler(2.0)) is a
        assert a.tolist() == [3] and a.metadata == MERGED and a.data_ptr() == memory
    a[0] = MetadataTensor(9.0, {"zero": False})
    assert a.tolist() == [9] and a.metadata == {**MERGED, "zero": False}


def test_a_function_that_happens_to_return_its_argument_writes_nothing():
    a = metre(1.0)
    b = a.type_as(ruler(1.0))
    assert b.tensor is a.tensor
    assert a.metadata == {"unit": "m", "source": "laser"} and b.metadata == MERGED


def test_autograd_and_attributes_that_are_assigned():
    a = metre(1.0, 2.0)
    a.requires_grad = True
    assert a.tensor.requires_grad
    (a * a).sum().backward()
    assert a.grad.tolist() == [2, 4] and a.grad.metadata == a.metadata
    a.grad = None
    assert a.tensor.grad is None
    a.note = "an attribute of no tensor"
    assert a.note == "an attribute of no tensor"


def test_a_model_takes_it():
    output = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.LayerNorm(4))(metre(1.0, 2.0))
    assert output.metadata["unit"] == "m" and output.shape == (4,)


def test_a_subclass_keeps_its_type():
    class Length(MetadataTensor):
        pass

    assert type(metre(1.0) + Length(1.0)) is Length


def test_is_made_from_all_that_as_tensor_takes():
    tensor = torch.ones(2)
    assert MetadataTensor(tensor).tensor is tensor and MetadataTensor(tensor).metadata == {}
    assert MetadataTensor([1, 2], dtype=torch.float64).dtype == torch.float64
    again = MetadataTensor(metre(1.0), {"unit": "km"})
    assert isinstance(again.tensor, torch.Tensor) and again.metadata == {"unit": "km", "source": "laser"}


def test_copies_and_pickles():
    a = metre(1.0)
    for other in (copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
        assert type(other) is MetadataTensor and other.tolist() == [1] and other.metadata == a.metadata
        assert other.tensor is not a.tensor
    assert repr(a) == "MetadataTensor(tensor([1.]), metadata={'unit': 'm', 'source': 'laser'})"
