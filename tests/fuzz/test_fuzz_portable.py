"""tests/fuzz/test_fuzz_portable.py: portable_calls.py finds what is planted; `make harden` calls PyTorch's own build."""

from types import SimpleNamespace

import portable_calls
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]


@pytest.fixture(scope="module")
def module():
    return portable_calls.build("portable")


def other(module, **changes):
    return SimpleNamespace(**{**vars(module), **changes})


def test_the_same_module_twice(module):
    assert portable_calls.run([module, module], 20261129, 1000) == (1000, [])


def refuses(*args, **kwargs):
    raise ValueError


PLANTED = {
    "a value": {"at_neg": lambda x: x},
    "a kind of error": {"int": refuses},
    "what is written": {"zero": lambda x: x},
    "another object": {"object": lambda x: x + x if isinstance(x, list) else x},
}


@pytest.mark.parametrize("plant", PLANTED)
def test_a_planted_fault_is_found(module, plant):
    made, wrong = portable_calls.run([other(module, **PLANTED[plant]), module], 3, 1500)
    (name,) = PLANTED[plant]
    assert made == 1500 and wrong and all(each.startswith(f"{name}(") for each in wrong)
