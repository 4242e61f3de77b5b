"""tests/bridge/test_bridge_identity.py: tensors on one torch storage are tensors on one TH storage, and know of its
growth."""

import gc
import sys
import threading
import weakref

import numpy as np
import pytest
import torch

from support import extent_probe
from support.messages import names

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")


@pytest.fixture(scope="module")
def exact():
    return extent_probe.exact()


@pytest.fixture(scope="module")
def partial():
    return extent_probe.partial()


@pytest.fixture(params=["exact", "partial"])
def either(request):
    return request.getfixturevalue(request.param)


def base():
    return torch.arange(12.0)


VIEWS = {
    "view": lambda x: x.view(12),
    "matrix": lambda x: x.view(3, 4),
    "narrowed": lambda x: x[4:],
    "strided": lambda x: x[1::4],
    "expanded": lambda x: x[3:4].expand(5),
    "number": lambda x: x[5],
    "overlapping": lambda x: x.as_strided((3, 4), (1, 2)),
    "none of it": lambda x: x[6:6],
    "data": lambda x: x.data,
    "detached": lambda x: x.detach(),
    "parameter": lambda x: torch.nn.Parameter(x.data),
    "on the storage": lambda x: torch.empty(0).set_(x.untyped_storage(), 2, (3,), (1,)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", VIEWS)
def test_views_lie_on_one_storage(exact, name):
    x = base()
    view = VIEWS[name](x)
    assert exact.one_storage(x, view) and exact.one_storage(view, x)
    assert exact.one_storage(VIEWS[name](x), view)
    assert exact.offset_in(view) == view.storage_offset()


OTHERS = {
    "a copy": lambda x: x.clone(),
    "another": lambda x: torch.zeros(12),
    "an empty one": lambda x: torch.empty(0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_others_do_not(exact, name):
    x = base()
    assert not exact.one_storage(x, OTHERS[name](x))


@pytest.mark.slow
def test_views_of_a_storage_without_elements(exact):
    empty = torch.empty(0)
    view = empty.view(0, 3)
    assert exact.one_storage(empty, view) and not exact.one_storage(empty, torch.empty(0))
    assert exact.size_after(view, 100, empty) == 100
    assert view.shape == (100,) and empty.shape == (0,) and view.eq(0).all()
    assert view.untyped_storage().data_ptr() == empty.untyped_storage().data_ptr()


SET_TO = {
    "view": (lambda x: x.view(4), True),
    "data": (lambda x: x.data, True),
    "all": (lambda x: x[:], True),
    "shorter": (lambda x: x[:3], False),
    "further on": (lambda x: x[1:], False),
    "matrix": (lambda x: x.view(2, 2), False),
    "copy": (lambda x: x.clone(), False),
}


@pytest.mark.parametrize("name", SET_TO)
def test_is_set_to(either, name):
    make, expected = SET_TO[name]
    x = torch.arange(4.0)
    assert either.is_set_to(x, make(x)) == either.is_set_to(make(x), x) == expected
    shifted = base()[4:8]
    assert either.is_set_to(shifted, make(shifted)) == expected


def test_without_elements_none_is_set_to_another(either):
    assert not either.is_set_to(torch.empty(0), torch.empty(0))


def test_views_that_begin_alike_have_one_address(either):
    x = base()
    assert either.begin_alike(x[3:], x.view(3, 4)[:, 3]) and not either.begin_alike(x, x[1:])


def test_what_c_kept_is_set_to_the_same_tensor(either):
    x = base()
    either.keep(x)
    try:
        assert either.kept_is_set_to(x) and either.kept_is_set_to(x.view(12)) and not either.kept_is_set_to(x[1:])
        x.resize_(50_000)
        x.resize_(12)
        assert either.kept_is_set_to(x), "also where Python moved the memory"
    finally:
        either.release()


def test_a_retained_tensor_keeps_its_sizes(either):
    x = base()
    either.keep(x)
    try:
        x.resize_(3, 4)
        assert not either.kept_is_set_to(x) and either.kept_is_set_to(x.view(12))
        x.t_()
        assert not either.kept_is_set_to(x)
        either.resize(x, 5)
        assert not either.kept_is_set_to(x) and either.kept_is_set_to(x.as_strided((12,), (1,)))
    finally:
        either.release()


@pytest.mark.slow
def test_references_are_those_of_the_tensors_and_of_python(exact):
    x = base()
    assert exact.references(x) == 2
    assert exact.references_of_three(x, x.view(3, 4), x[3:]) == 444
    assert exact.references_of_three(x, x, x[3:]) == 333, "one tensor is one struct"
    assert exact.references_of_three(x, torch.zeros(1), torch.zeros(1)) == 222
    assert exact.references(x) == 2


@pytest.mark.slow
def test_storages_beside_tensors_on_them(exact):
    x = base()
    assert exact.lies_on(x, x.storage()) and exact.lies_on(x[3:], x.storage())
    assert exact.same_pointer(x.storage(), x.view(3, 4).storage())
    assert not exact.lies_on(x, base().storage())
    assert exact.storage_size_after(x[8:], 100, x.storage()) == 108
    assert exact.size_after_storage(x.storage(), 200, x) == 200
    assert x.shape == (12,) and x.untyped_storage().nbytes() == 800


@pytest.mark.slow
def test_a_storage_that_c_returns_is_the_argument(exact):
    storage = base().storage()
    gone = weakref.ref(storage.untyped())
    for _ in range(3):
        assert exact.retained(storage) is storage
    del storage
    gc.collect()
    assert gone() is None, "C's reference was the result's"


@pytest.mark.slow
@pytest.mark.parametrize("count", [20, 1_000_000])
def test_the_base_sees_that_its_storage_grew(exact, count):
    x = base()
    assert exact.size_after(x[8:], count, x) == 8 + count
    exact.write_after(x[4:], 2 * count, x, 11, -1.0)
    assert x[11] == -1 and x.shape == (12,) and x.untyped_storage().nbytes() == 4 * (4 + 2 * count)
    assert x[:11].tolist() == list(range(11))


@pytest.mark.slow
def test_a_view_sees_that_the_storage_grew_below_its_base(exact):
    x = base()
    assert exact.size_after(x, 100, x[8:]) == 100
    exact.write_after(x, 1_000_000, x[8:9], 0, -1.0)
    assert x[8] == -1 and x.shape == (1_000_000,)


@pytest.mark.slow
def test_a_thread_of_c_makes_it_grow(exact):
    x = base()
    assert exact.size_seen_by_a_thread(x[8:], 1_000_000, x) == 1_000_008


@pytest.mark.slow
def test_tensors_of_two_types_cannot_share_a_struct(exact):
    x = base()
    ints = x.view(torch.int32)
    assert exact.is_first_int(ints, x)
    assert exact.ints_after(x[8:], 100, ints) == 108, "but each sees the storage as it is"
    assert ints.tolist() == x.view(torch.int32).tolist()


@pytest.mark.slow
def test_nested_calls_see_that_it_grew(exact):
    x = base()
    ffi = sys.modules["extent_exact"]._extent_exact.ffi
    grow = ffi.callback("void(void)", lambda: exact.resize(x[8:], 1_000_000))
    assert exact.size_around(x, grow) == 1_000_008
    assert torch.empty(0).set_(x.untyped_storage())[-1] == 7


@pytest.mark.slow
def test_both_get_the_sizes_that_c_gave_them(exact):
    x = base()
    view = x[6:]
    exact.resize_both(x, view, 5, 3)
    assert x.shape == (5, 3) and view.shape == (3, 5) and view.storage_offset() == 6
    assert x.flatten()[:12].tolist() == list(range(12)) and view[0].tolist() == [6, 7, 8, 9, 10]


@pytest.mark.slow
def test_versions_move_where_c_wrote(exact):
    x = base()
    data, other = x.data, base()
    exact.exchange(data, other)
    assert data._version == 1 and x._version == 0
    exact.resize_then_at(x, 12, x[3:], 0)
    before = x._version, other._version
    exact.one_storage(x, x.view(12))
    assert (x._version, other._version) == before


# Growth that is refused


@pytest.mark.slow
def test_growth_for_a_tensor_without_grad_beside_one_with(exact):
    x = torch.nn.Parameter(base())
    view = x.data
    assert exact.size_after(view, 100, x) == 100 and exact.size_where_next_is(x, view, 200) == 200
    assert view.shape == (200,) and x.shape == (12,), "whichever comes first"
    with pytest.raises(RuntimeError, match=names("resize", "variables", "grad")):
        exact.size_after(x, 1000, x.view(3, 4))
    with pytest.raises(RuntimeError, match=names("resize", "variables", "grad")):
        exact.size_after(x, 1000, x.data)
    assert x.shape == (12,)


@pytest.mark.slow
@pytest.mark.parametrize("make", [
    lambda: torch.from_numpy(np.arange(12, dtype=np.float32)), lambda: base().share_memory_(),
], ids=["numpy", "shared"])  # fmt: skip
def test_memory_that_cannot_grow(exact, make):
    x = make()
    assert exact.one_storage(x, x[3:])
    with pytest.raises(torch.FatalError, match="not resizable"):
        exact.size_after(x[3:], 100, x)
    assert x.tolist() == base().tolist() and exact.size_below(x) == 12
    assert exact.size_after(x, 6, x[3:]) == 12 and x.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.slow
def test_two_arrays_of_numpy_are_two_storages(exact):
    array = np.arange(12, dtype=np.float32)
    a, b = torch.from_numpy(array), torch.from_numpy(array)
    assert not exact.one_storage(a, b) and exact.is_set_to(a, b), "docs/reference/deviations.md says why"


@pytest.mark.slow
def test_an_error_after_growth(exact):
    x = base()
    view = x[8:]
    with pytest.raises(torch.FatalError, match="^size 108"):
        exact.fail_after(view, 100, x)
    assert view.shape == (4,) and x.shape == (12,) and x.untyped_storage().nbytes() == 432
    assert exact.one_storage(x, view) and exact.references(x) == 2 and exact.size_below(x) == 108


@pytest.mark.slow
def test_an_argument_that_is_refused_behind_others(exact):
    x = base()
    for wrong in (None, x.double(), torch.eye(2).to_sparse(), "text"):
        with pytest.raises(TypeError):
            exact.references_of_three(x, x[3:], wrong)
    assert exact.references_of_three(x, x[3:], x[6:]) == 444


# What C keeps


@pytest.mark.slow
def test_a_storage_that_c_kept(exact):
    x = base()
    exact.keep_storage(x[3:])
    try:
        assert exact.kept_size() == 12 and exact.kept_storage_at(4) == 4
        x.resize_(50_000)
        x[4] = -1
        assert exact.kept_size() == 50_000 and exact.kept_storage_at(4) == -1, "Python's growth"
        exact.resize_kept(100_000)
        assert exact.size_below(x) == 100_000 and x.shape == (50_000,), "C's growth"
        assert exact.size_after(x[:2], 200_000, x) == exact.kept_size() == 200_000, "of another struct"
        del x
        gc.collect()
        assert exact.kept_storage_at(4) == -1
    finally:
        exact.release_storage()


@pytest.mark.slow
@pytest.mark.parametrize("order", [0, 1])
def test_a_storage_that_c_kept_of_two_views(exact, order):
    x = base()
    pair = [x.view(12), x[3:]]
    exact.keep_second(pair[order], pair[1 - order])
    try:
        assert exact.kept_size() == 12 and exact.references_of_three(x, *pair) == 444
        assert exact.kept_storage_at(5) == 5
    finally:
        exact.release_storage()


@pytest.mark.slow
def test_a_storage_that_c_kept_shrinks_for_c_alone(exact):
    x = base()
    exact.keep_storage(x)
    try:
        exact.resize_kept(2)
        assert exact.kept_size() == 2 and exact.size_below(x) == 12
    finally:
        exact.release_storage()


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
def test_a_storage_that_c_kept_of_a_tensor_that_it_moved(exact, shared):
    """The storage's memory is what the tensor lay on, not what it lies on after the call."""
    x, other = base(), torch.full((50_000,), 5.0)
    if shared:
        x.share_memory_()
    exact.keep_storage_and_set(x, other)
    try:
        assert x.data_ptr() == other.data_ptr()
        blocks = [torch.full((12,), 9.0) for _ in range(100)]  # where the memory would be if it were free
        assert [exact.kept_storage_at(i) for i in range(12)] == base().tolist() and len(blocks) == 100
        assert exact.kept_size() == 12
    finally:
        exact.release_storage()


@pytest.mark.slow
def test_tensors_set_to_each_other_in_turn(exact):
    a, b, c = base(), base() + 100, base() + 200
    addresses = b.data_ptr(), c.data_ptr()
    exact.set_in_turn(a, b, c)
    assert (a.data_ptr(), b.data_ptr()) == addresses and a[0] == 100 and b[0] == 200


@pytest.mark.slow
def test_a_view_of_a_tensor_that_moved_stays(exact):
    a, c = base(), base() + 200
    b = a.view(3, 4)
    exact.set_and_turn(a, b, c)
    assert a[0] == 200 and b.shape == (4, 3) and b[1].tolist() == [1, 5, 9]


def test_a_tensor_that_c_narrowed_and_kept(either):
    x = base()
    either.keep_narrowed(x, 2, 3)
    try:
        assert x.tolist() == [2, 3, 4] and x.storage_offset() == 2
        assert [either.kept_element(i) for i in range(3)] == [2, 3, 4]
        either.size_below(x)
        assert [either.kept_element(i) for i in range(3)] == [2, 3, 4]
    finally:
        either.release()


# Threads, and what is left behind


@pytest.mark.slow
def test_threads_with_views_of_one_storage(exact):
    x, failures = base(), []

    def work(number):
        own = base() + number
        for _ in range(300):
            if not exact.one_storage(x, x[number:]) or exact.references_of_three(x, x[1:], own) != 233:
                failures.append("shared")
            if exact.size_after(own[8:], 20, own) < 28:
                failures.append("size")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failures


@pytest.mark.slow
def test_calls_leave_nothing_behind(exact):
    x = base()
    view, storage = x[3:], x.storage()
    things = [x, view, storage, x.untyped_storage()]

    def counts():
        gc.collect()
        return [sys.getrefcount(thing) for thing in things], len(gc.get_objects())

    def call():
        exact.references_of_three(x, view, x)
        exact.lies_on(x, storage)
        exact.keep_second(x, view)
        exact.release_storage()

    for _ in range(100):
        call()
    references, objects = counts()
    for _ in range(1000):
        call()
    after, objects_after = counts()
    # Objects of other tests may be collected meanwhile, so that fewer are left.
    assert max(abs(a - b) for a, b in zip(after, references)) < 20 and objects_after - objects < 100
