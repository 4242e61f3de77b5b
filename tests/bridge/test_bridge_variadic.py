"""tests/bridge/test_bridge_variadic.py: the arguments of a variadic function behind its parameters, of which the header
says nothing, where an argument before them runs code."""

import pytest
import torch

from support import misuse_probe

probe, legacy = misuse_probe.probe(), misuse_probe.legacy()
ffi = probe._misuse.ffi


@pytest.mark.parametrize("make", [bytes, bytearray], ids=["plain", "runs code"])
def test_cffi_values_reach_c(make):
    values = [ffi.cast("int64_t", value) for value in range(1, 9)]
    assert probe.add_up(make(b"x" * 8), *values) == 36
    assert probe.add_up(make(b"")) == 0


@pytest.mark.parametrize("make", [bytes, bytearray], ids=["plain", "runs code"])
@pytest.mark.parametrize("count", [1, 2, 40])
def test_tensors_are_refused(make, count):
    """The records behind the parameters are another function's: an argument must not be converted by them."""
    victims = [torch.zeros(1, dtype=torch.int32) for _ in range(count)]
    with pytest.raises(TypeError, match="variadic"):
        probe.add_up(make(b"x" * count), *victims)
    assert not any(victim.any() or victim._version for victim in victims)


@pytest.mark.parametrize("make", [bytes, bytearray], ids=["plain", "runs code"])
def test_an_old_project_gets_structs(make):
    tensors = [torch.zeros(size) for size in range(1, 41)]
    assert legacy.th_count(make(b"x" * 40), *tensors) == sum(range(1, 41))


@pytest.mark.parametrize("make", [bytes, bytearray], ids=["plain", "runs code"])
def test_an_old_project_returns_structs(make):
    first, second = torch.zeros(2), torch.zeros(3)
    assert legacy.th_chosen(make(b".x"), first, second) is second
    assert (first.tolist(), second.tolist(), second._version) == ([0, 0], [7, 7, 7], 1)
    made = legacy.th_chosen(make(b"n."), first, second)
    assert (made.tolist(), first.tolist()) == ([7, 7], [0, 0])
    assert legacy.th_chosen(make(b".."), first, second) is None
