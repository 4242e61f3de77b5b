"""tests/fuzz/test_fuzz_bridge.py: some calls of bridge_calls.py hold, and it finds what is planted."""

import bridge_calls
import pytest


@pytest.mark.slow
def test_some_calls(monkeypatch, tmp_path):
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path))
    assert bridge_calls.run(20261129, 300) == (300, [])


@pytest.mark.slow
@pytest.mark.parametrize("plant", ["value", "refusal", "write"])
def test_a_planted_fault_is_found(monkeypatch, tmp_path, plant):
    """A wrong value; an object that is taken and should not be; a call that is refused after C has written."""
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path))
    source, array = bridge_calls.source, bridge_calls.wrong_array
    if plant == "value":
        monkeypatch.setattr(bridge_calls, "source", lambda functions: source(functions).replace("sum + i", "sum - i"))
    elif plant == "refusal":
        monkeypatch.setattr(
            bridge_calls,
            "wrong_array",
            lambda chance, type, shape, is_output: (bridge_calls.array(chance, type, shape), "?"),
        )
    else:
        monkeypatch.setattr(bridge_calls, "source", lambda functions: source(functions).replace("return 1", "return 0"))
    made, wrong = bridge_calls.run(3, 300)
    assert (
        wrong
        and {"value": "expected", "refusal": "expected an error for", "write": "expected a call"}[plant] in wrong[0]
    )
    assert array and made <= 300
