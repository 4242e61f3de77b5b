"""tests/bridge/test_bridge_not_owned.py: old C code that frees arguments, whose references are the caller's."""

import gc
import sys
import warnings

import pytest
import torch

from support import extent_probe, th_probe

probe = th_probe.probe()

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")


@pytest.fixture(autouse=True)
def nothing_kept():
    yield
    probe.release()


def of_tensor(tensor):
    return probe.free_argument(tensor, 1)


def of_tensor_often(tensor):
    return probe.free_argument(tensor, 1000)


def of_storage(tensor):
    return probe.free_storage(tensor.storage(), 1)


def of_storage_often(tensor):
    return probe.free_storage(tensor.storage(), 1000)


def below_tensor(tensor):
    return probe.free_storage_below(tensor)


FREE = [of_tensor, of_tensor_often, of_storage, of_storage_often, below_tensor]


@pytest.mark.parametrize("free", FREE)
def test_the_argument_stays(free):
    tensor = torch.arange(4.0)
    for _ in range(200):
        assert free(tensor) == 1
    occupied = [torch.full((4,), 9.0) for _ in range(8)]
    assert tensor.tolist() == [0, 1, 2, 3] and probe.sum(tensor) == 6 and len(occupied) == 8
    probe.resize(tensor, 100_000)
    assert tensor.shape == (100_000,) and tensor[:4].tolist() == [0, 1, 2, 3]


@pytest.mark.slow
@pytest.mark.parametrize("free", FREE)
def test_no_reference_is_lost(free):
    tensor = torch.arange(4.0)

    def counts():
        gc.collect()
        return sys.getrefcount(tensor), sum(issubclass(type(each), torch.Tensor) for each in gc.get_objects())

    free(tensor)
    references, tensors = counts()
    for _ in range(200):
        free(tensor)
    after = counts()
    # Tensors of earlier tests may go meanwhile; one lost with each call would be 200 more.
    assert after[0] == references and after[1] < tensors + 100


def test_resized_and_freed():
    tensor = torch.ones(4)
    for count in (2, 300_000, 7):
        assert probe.resize_and_free(tensor, count) == 1
        assert tensor.shape == (count,) and tensor.eq(5).all()


def test_put_on_another_storage_and_freed():
    tensor, source = torch.ones(4), torch.arange(3.0)
    for _ in range(20):
        assert probe.set_and_free(tensor, source) == 1
        assert tensor.data_ptr() == source.data_ptr() and tensor.tolist() == [0, 1, 2]
        tensor = torch.ones(4)


def test_freed_while_c_has_a_reference_of_its_own():
    tensor = torch.arange(4.0)
    for _ in range(20):
        probe.keep(tensor)
        probe.free_argument(tensor, 1)
        probe.free_storage(tensor.storage(), 1)
        probe.keep_and_free(tensor)
        assert probe.sum_of_kept() == 6
    probe.release()
    assert probe.sum(tensor) == 6


def test_freed_before_an_error():
    tensor = torch.arange(4.0)
    for _ in range(20):
        with pytest.raises(torch.FatalError, match="^after it was freed"):
            probe.fail_after_free(tensor)
    assert tensor.tolist() == [0, 1, 2, 3] and probe.sum(tensor) == 6


def test_freed_and_returned():
    tensor = torch.arange(4.0)
    for _ in range(20):
        assert probe.free_and_return(tensor) is tensor
    assert probe.sum(tensor) == 6


def test_a_storage_of_several_arguments():
    exact = extent_probe.exact()
    x = torch.arange(12.0)
    for _ in range(20):
        exact.free_below_both(x, x[3:])
        assert exact.references_of_three(x, x.view(3, 4), x[3:]) == 444
    assert x.tolist() == list(range(12))


# TORCHTHAW_DEBUG


SCRIPT = """
import warnings
tensor = torch.arange(4.0)
for call in (
    lambda: probe.free_argument(tensor, 2), lambda: probe.free_storage(tensor.storage(), 1),
    lambda: probe.free_storage_below(tensor), lambda: probe.resize_and_free(tensor, 3),
    lambda: probe.keep(tensor), lambda: probe.release(), lambda: probe.sum(tensor),
):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    for warning in caught:
        if "C gave up" in str(warning.message):
            print(warning.message, warning.filename)
warnings.simplefilter("error", UserWarning)
for call in (lambda: probe.free_argument(tensor, 1), lambda: probe.fail_after_free(tensor)):
    try:
        call()
        print("not raised")
    except Exception as error:
        print(type(error).__name__, str(error).partition(" at ")[0])
print(probe.sum(tensor), tensor.shape)
"""
EXPECTED = """\
free_argument: tensor: C gave up 2 references that it does not own; it must not free an argument <string>
free_storage: storage: C gave up 1 reference that it does not own; it must not free an argument <string>
free_storage_below: tensor: C gave up 1 reference to its storage that it does not own; it must not free an argument <string>
resize_and_free: tensor: C gave up 1 reference that it does not own; it must not free an argument <string>
UserWarning free_argument: tensor: C gave up 1 reference that it does not own; it must not free an argument
FatalError after it was freed
15.0 torch.Size([3])
"""


@pytest.mark.slow
def test_in_debug_mode_function_and_argument_are_printed():
    done = th_probe.run(SCRIPT, TORCHTHAW_DEBUG="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == EXPECTED


def test_without_debug_mode_nothing_is_said():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        probe.free_argument(torch.ones(4), 1)
