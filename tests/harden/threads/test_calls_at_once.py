"""tests/harden/threads/test_calls_at_once.py: calls from 8 Python threads, of operators and of code that uses TH."""

import os
import signal
import sys

import numpy
import pytest
import torch

from support import th_probe
from support.at_once import in_threads, meanwhile
from support.operator_table import OPERATORS

from _ext import my_lib  # isort: skip

probe = th_probe.probe()
ffi = probe._th_probe.ffi


@pytest.fixture(autouse=True)
def frequent_switches():
    interval, threads = sys.getswitchinterval(), torch.get_num_threads()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)
    torch.set_num_threads(threads)
    my_lib.my_lib_set_num_threads(0)


def results(operator, tensors, grads):
    """Outputs and gradients of inputs; the inputs' memory is shared, each call has autograd's leaves of its own."""
    leaves = [tensor.detach().requires_grad_() for tensor in tensors]
    outputs = operator.call(*leaves)
    return [output.detach() for output in outputs] + list(torch.autograd.grad(outputs, leaves, grads))


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_with_inputs_that_all_threads_share(name):
    operator = OPERATORS[name]
    tensors = operator.tensors(torch.float32)
    grads = [torch.randn_like(output) for output in operator.call(*tensors)]
    expected = results(operator, tensors, grads)

    def work(number):
        for _ in range(20):
            assert all(map(torch.equal, results(operator, tensors, grads), expected))

    in_threads(work)


def test_large_operators_with_other_numbers_of_threads_meanwhile():
    a, b = torch.randn(200_000), torch.randn(200_000)
    w, bias, x = torch.randn(120, 200), torch.randn(120), torch.randn(150, 200)

    def compute():
        return torch.ops.my_lib.my_lib_add_forward(a, b), torch.ops.my_lib.my_lib_linear_forward(x, w, bias)

    expected = compute()

    def work(number):
        for round in range(10):
            torch.set_num_threads(1 + (number + round) % 3)  # of this thread
            assert all(map(torch.equal, compute(), expected))
            with pytest.raises((RuntimeError, ValueError), match=f"got .{number + 4},?."):
                torch.ops.my_lib.my_lib_add_forward(a, torch.ones(number + 4))

    with meanwhile(lambda number: my_lib.my_lib_set_num_threads(number % 4)):
        in_threads(work)


def test_arrays_that_all_threads_share():
    """The outputs are made in each call, in the threads' own memory; some calls are refused."""
    a, b = numpy.random.default_rng(0).standard_normal((2, 300, 200), numpy.float32)
    total, product = a + b, my_lib.functions.linear(a, b)

    def work(number):
        for _ in range(20):
            assert (my_lib.my_lib_add_forward(input1=a, input2=b) == total).all()
            assert (my_lib.functions.linear(a, memoryview(b)) == product).all()
            with pytest.raises(ValueError, match="input2"):
                my_lib.my_lib_add_forward(input1=a, input2=b[: number + 1])

    in_threads(work)


def test_kernels_of_th_with_a_tensor_that_all_threads_share():
    source, index = torch.randn(600, 200), torch.randint(200, (600, 200))
    expected = source.gather(1, index)

    def work(number):
        for _ in range(10):
            output = torch.empty(600, 200)
            probe.gather(output, source, index)
            assert torch.equal(output, expected)
            output = torch.empty(0)
            probe.add(source, source, output)
            assert torch.equal(output, 2 * source)

    in_threads(work)


@pytest.mark.parametrize("name", ["fail_in_region", "fail_in_dynamic_region"])
def test_errors_in_parallel_regions_of_the_extension(name):
    """Each thread has a region of its own, of three threads, of which one fails or none does."""
    fail, rows = getattr(probe, name), torch.ones(8, 100)

    def work(number):
        for round in range(20):
            mine = rows.clone()
            if round % 3:
                with pytest.raises(torch.FatalError, match="out of range"):
                    fail(mine, round % 8, 3)
            else:
                fail(mine, -1, 3)

    in_threads(work)


def test_errors_in_regions_of_th():
    """TH finds the bad index in the middle of a loop that it has divided among threads."""
    source, index = torch.ones(600, 200), torch.zeros(600, 200, dtype=torch.long)

    def work(number):
        mine, output = index.clone(), torch.empty(600, 200)
        mine[60 * number, number] = 200 + number
        for _ in range(10):
            with pytest.raises(torch.FatalError):
                probe.gather(output, source, mine)

    in_threads(work)


@pytest.mark.slow
def test_children_forked_while_other_threads_call():
    a, b = torch.randn(60_000), torch.randn(60_000)
    sums = torch.empty(60_000)
    expected = a + b

    def call(output):
        probe.add(a, b, output)
        assert torch.equal(output, expected)
        assert torch.equal(torch.ops.my_lib.my_lib_add_forward(a, b), expected)
        with pytest.raises(torch.FatalError):
            probe.fail(b"on purpose")

    def work(number):
        if number > 1:
            for _ in range(20):
                call(torch.empty(60_000))
            return
        for _ in range(3):
            pid = os.fork()
            if pid == 0:
                signal.alarm(60)
                status = 1
                try:
                    probe.add(a, b, sums)
                    torch.ops.my_lib.my_lib_add_forward(a, b)
                    status = 0 if bytes(memoryview(sums.numpy())) == wanted else 2
                finally:
                    os._exit(status)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

    wanted = bytes(memoryview(expected.numpy()))
    in_threads(work)
