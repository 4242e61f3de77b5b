"""tests/bridge/test_bridge_faults_memory.py: memory that C and PyTorch share: kept, resized from both sides,
refused."""

import gc

import numpy as np
import pytest
import torch

from support import th_probe

probe = th_probe.probe()

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")


@pytest.fixture(autouse=True)
def nothing_kept():
    yield
    probe.release()


def occupy(count):
    """Takes memory that would be free if someone had lost it."""
    return [torch.full((count,), 9.0) for _ in range(8)]


# Kept by C past the call

KEEP = {
    "tensor": lambda tensor: probe.keep(tensor),
    "storage": lambda tensor: probe.keep_storage(tensor.storage()),
}


@pytest.fixture(params=KEEP)
def keep(request):
    return KEEP[request.param]


def test_what_c_keeps_outlives_python_s_reference(keep):
    tensor = torch.full((1000,), 2.0)
    keep(tensor)
    del tensor
    gc.collect()
    occupied = occupy(1000)
    assert probe.sum_of_kept() == 2000 and len(occupied) == 8


def test_what_c_keeps_is_freed_by_c(keep):
    freed = []

    class Owner(np.ndarray):
        def __del__(self):
            freed.append(True)

    tensor = torch.from_numpy(np.ones(10, np.float32).view(Owner))
    keep(tensor)
    del tensor
    gc.collect()
    assert probe.sum_of_kept() == 10 and not freed
    probe.release()
    gc.collect()
    assert freed


def test_what_c_keeps_follows_a_resize_in_python(keep):
    tensor = torch.ones(4)
    keep(tensor)
    tensor.resize_(1_000_000).fill_(3)
    occupied = occupy(4)
    is_storage = keep is KEEP["storage"]  # whose size is all that PyTorch's has now
    assert probe.sum_of_kept() == (3_000_000 if is_storage else 12) and len(occupied) == 8
    tensor.resize_(0).resize_(2_000_000).fill_(5)
    assert probe.sum_of_kept() == (10_000_000 if is_storage else 20)


def test_what_c_keeps_grows_python_s_storage(keep):
    tensor = torch.ones(4)
    view = tensor[1:3]
    keep(tensor)
    probe.resize_kept(1_000_000)
    assert tensor.tolist() == [1] * 4 and view.tolist() == [1, 1]
    assert tensor.untyped_storage().nbytes() == 4_000_000
    tensor.fill_(2)
    assert probe.sum_of_kept() == 8 and probe.size_of_kept() == 1_000_000


def test_both_sides_take_turns():
    tensor = torch.ones(4)
    probe.keep(tensor)
    for size in (10, 50_000, 300_000):
        probe.resize_kept(size)
        tensor.resize_(2 * size).fill_(1)
        assert probe.sum_of_kept() == size
        probe.resize(tensor, 3 * size)
        assert tensor.shape == (3 * size,) and tensor[: 2 * size].eq(1).all() and tensor[2 * size :].eq(0).all()


def test_a_kept_tensor_is_passed_again():
    tensor = torch.ones(4)
    probe.keep(tensor)
    probe.keep(tensor)
    probe.fill(tensor, 3)
    assert probe.sum_of_kept() == probe.sum(tensor) == 12


@pytest.mark.slow
def test_keeping_ten_thousand_times_leaves_nothing_behind(keep):
    def count():
        gc.collect()
        return sum(issubclass(type(each), torch.Tensor) for each in gc.get_objects())

    tensor = torch.ones(4)
    keep(tensor)
    before = count()
    for _ in range(10_000):
        keep(tensor)
    assert count() <= before
    probe.release()
    assert count() <= before


@pytest.mark.slow
@pytest.mark.parametrize("keep", ["keep_until_exit(tensor)", "keep(tensor)", "keep_storage(tensor.storage())"])
@pytest.mark.parametrize("end", [
    pytest.param("", id="return"),
    pytest.param("sys.exit(0)", id="exit"),
    pytest.param("import threading; threading.Thread(target=probe.sum_of_kept).start()", id="thread"),
    pytest.param("import ctypes; ctypes.CDLL(None).exit(0)", id="exit-of-C"),
])  # fmt: skip
def test_what_c_keeps_until_the_end(keep, end):
    done = th_probe.run(f"tensor = torch.ones(100)\nprobe.{keep}\nprint(probe.sum_of_kept(), flush=True)\n{end}")
    assert done.returncode == 0 and done.stdout == "100.0\n"
    assert "Error" not in done.stderr


# Resized


def test_two_views_of_one_storage_of_which_one_is_resized():
    base = torch.arange(6.0)
    head, tail = base[:3], base[3:]
    assert probe.resize_one_sum_other(head, 100_000, tail) == 12
    assert head.shape == (100_000,) and head[:6].tolist() == base.tolist() and tail.tolist() == [3, 4, 5]
    assert probe.resize_one_sum_other(tail, 500_000, head) == 15
    assert base.data_ptr() == head.data_ptr() == tail.data_ptr() - 12


def test_a_view_and_the_storage_below_it():
    base = torch.arange(6.0)
    probe.resize_storage(base[2:].storage(), 200_000)
    assert base.tolist() == [0, 1, 2, 3, 4, 5] and base.storage().size() == 200_000


def test_the_same_tensor_twice_and_its_data():
    tensor = torch.ones(3)
    assert probe.same_pointer(tensor, tensor) == 1 and probe.same_pointer(tensor, tensor.data) == 0
    assert probe.add(tensor, tensor, tensor) == 1 and tensor.tolist() == [2, 2, 2]
    assert probe.resize_one_sum_other(tensor, 100_000, tensor) == 6
    assert tensor.shape == (100_000,)


def test_an_empty_tensor_and_its_view_grow_together():
    tensor = torch.empty(0)
    assert probe.resize_one_sum_other(tensor, 1000, tensor.view(0)) == 0
    assert tensor.shape == (1000,) and tensor.eq(0).all()


def test_python_resizes_while_c_is_between():
    """The callback resizes the tensor that C works on; what C does afterwards is on memory that is there."""
    tensor = torch.ones(4)

    @probe._th_probe.ffi.callback("void(int)")
    def grow(count):
        probe.resize(tensor, count)
        tensor.fill_(1)

    assert probe.call_between(tensor, 8, grow, 500_000) == 8
    assert tensor.shape == (8,) and tensor.untyped_storage().nbytes() == 2_000_000


# Refused before anything is corrupted


def shared():
    return torch.arange(3.0).share_memory_()


def from_numpy():
    return torch.from_numpy(np.arange(3, dtype=np.float32))


def from_buffer():
    return torch.frombuffer(bytearray(np.arange(3, dtype=np.float32).tobytes()), dtype=torch.float32)


def leaf():
    return torch.arange(3.0).requires_grad_()


def leaf_with_room():
    return torch.arange(20.0)[:3].requires_grad_()


def parameter():
    return torch.nn.Parameter(torch.arange(3.0))


def no_leaf():
    return leaf() * 1


def view_of_a_leaf():
    return leaf()[:]


@pytest.mark.parametrize("make", [
    shared, from_numpy, from_buffer, leaf, leaf_with_room, parameter, no_leaf, view_of_a_leaf,
])  # fmt: skip
def test_growth_is_refused_and_the_tensor_intact(make):
    tensor = make()
    bytes_before = tensor.untyped_storage().nbytes()
    with pytest.raises(RuntimeError, match="not resizable|require grad"):
        probe.resize(tensor, 15)
    assert tensor.untyped_storage().nbytes() == bytes_before, "refused before the storage grew"
    assert tensor.tolist() == [0, 1, 2] and tensor.shape == (3,) and tensor.stride() == (1,)
    assert tensor.requires_grad == make().requires_grad and tensor.is_leaf == make().is_leaf
    assert probe.sum(tensor) == 3, "the next call sees it as it was"


@pytest.mark.parametrize("make", [shared, from_numpy, from_buffer])
def test_growth_of_a_storage_is_refused(make):
    tensor = make()
    with pytest.raises(torch.FatalError, match="not resizable"):
        probe.resize_storage(tensor.storage(), 1000)
    assert tensor.tolist() == [0, 1, 2]


@pytest.mark.parametrize("make", [shared, from_numpy, from_buffer])
def test_growth_of_what_c_kept_is_refused(make):
    tensor = make()
    probe.keep(tensor)
    with pytest.raises(torch.FatalError, match="not resizable"):
        probe.resize_kept(1000)
    assert tensor.tolist() == [0, 1, 2]


@pytest.mark.parametrize("make", [shared, from_numpy, from_buffer, leaf, parameter])
def test_the_same_number_of_elements_is_fine(make):
    tensor = make()
    probe.resize2d(tensor, 3, 1)
    assert tensor.tolist() == [[0], [1], [2]]


@pytest.mark.parametrize("make", [leaf, parameter, no_leaf])
def test_without_grad_mode_anything_grows(make):
    tensor = make()
    with torch.no_grad():
        probe.resize(tensor, 1000)
    assert tensor.shape == (1000,) and tensor[:3].tolist() == [0, 1, 2]


def test_a_subclass_stays_one():
    class Subclass(torch.Tensor):
        pass

    tensor = torch.arange(3.0).as_subclass(Subclass)
    probe.resize(tensor, 1000)
    assert type(tensor) is Subclass and tensor.shape == (1000,) and tensor[:3].tolist() == [0, 1, 2]


# Autograd


def test_the_version_counts_what_c_wrote():
    tensor, result = torch.ones(3), torch.empty(0)
    view = tensor[:2]
    probe.sum(tensor)
    probe.keep(tensor)
    probe.add(tensor, tensor, result)
    assert tensor._version == 0, "only read"
    probe.fill(view, 3)
    assert tensor._version == 1, "written through its view"
    version = result._version
    probe.add(tensor, tensor, result)
    assert result._version > version
    with torch.inference_mode():
        probe.fill(torch.ones(3), 3)  # has no version


def test_tensors_that_c_read_can_be_saved():
    factor, output = torch.randn(3), torch.empty(3)
    x = torch.ones(3, requires_grad=True)
    y = x * factor
    probe.add(factor, factor, output)
    y.sum().backward()
    assert torch.equal(x.grad, factor)


def test_tensors_that_c_wrote_cannot_stay_saved():
    factor = torch.randn(3)
    x = torch.ones(3, requires_grad=True)
    y = x * factor
    probe.fill(factor, 2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
