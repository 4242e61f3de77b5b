"""tests/guide/test_torch_function_wrapper.py: lessons on a wrapper that carries metadata."""

import torch

from tensors import MetadataTensor


def test_the_wrapper_of_the_guide_misses_keywords_and_nested_sequences():
    """What a loop over ``args`` alone does, and why MetadataTensor looks into keywords, lists and tuples."""

    class Shallow:
        def __init__(self, tensor):
            self.tensor = tensor

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            args = [arg.tensor if isinstance(arg, cls) else arg for arg in args]
            return cls(func(*args, **(kwargs or {})))

    ones = torch.ones(2)
    assert torch.add(Shallow(ones), 1).tensor.tolist() == [2, 2]
    for call in (lambda x: torch.add(x, other=x), lambda x: torch.stack([x, x])):
        try:
            call(Shallow(ones))
        except (TypeError, RecursionError):
            pass
        else:
            raise AssertionError("the shallow wrapper went through")
        assert call(MetadataTensor(ones, {"unit": "m"})).metadata == {"unit": "m"}


def test_metadata_merges_from_left_to_right():
    a, b = MetadataTensor([1.0], {"unit": "m", "who": "a"}), MetadataTensor([1.0], {"who": "b", "when": 2026})
    assert (a + b).metadata == {"unit": "m", "who": "a", "when": 2026}
    assert (b + a).metadata == {"unit": "m", "who": "b", "when": 2026}


def test_metadata_merges_out_of_nested_sequences():
    a, b, c = (MetadataTensor([1.0], {name: True}) for name in "abc")
    assert torch.cat([a, torch.ones(1), b]).metadata == {"a": True, "b": True}
    indexed = MetadataTensor(torch.zeros(2, 2), {"table": True}).index_put((MetadataTensor([0], {"row": 1}),), c)
    assert indexed.metadata == {"table": True, "row": 1, "c": True}
    assert torch.einsum("i,i,i", a, b, c).metadata == {"a": True, "b": True, "c": True}


def test_keywords_count_as_arguments():
    a, b = MetadataTensor([1.0], {"a": True}), MetadataTensor([2.0], {"b": True})
    assert torch.add(input=a, other=b).metadata == {"a": True, "b": True}
    layer = torch.nn.functional.linear(torch.ones(1, 1), weight=a.reshape(1, 1), bias=b)
    assert layer.tolist() == [[3]] and layer.metadata == {"a": True, "b": True}


def test_out_is_filled_and_returned():
    out = MetadataTensor(torch.empty(1), {"old": True})
    result = torch.mul(MetadataTensor([3.0], {"unit": "m"}), 2, out=out)
    assert result is out and out.tolist() == [6] and out.metadata == {"unit": "m"}


def test_metadata_survives_a_whole_network_and_its_gradients():
    layers = torch.nn.Conv1d(1, 2, 3), torch.nn.BatchNorm1d(2), torch.nn.ReLU(), torch.nn.Flatten()
    network = torch.nn.Sequential(*layers)
    x = MetadataTensor(torch.randn(4, 1, 8), {"sensor": 7}, dtype=torch.float32)
    x.requires_grad = True
    output = network(x)
    assert output.metadata == {"sensor": 7}
    output.sum().backward()
    assert x.grad.shape == (4, 1, 8) and x.grad.metadata == {"sensor": 7}
