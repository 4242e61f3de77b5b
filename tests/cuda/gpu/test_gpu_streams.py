"""tests/cuda/gpu/test_gpu_streams.py: what only a GPU can show: streams, graphs, threads. Run by make gpu-check."""

import subprocess
import sys
import threading

import pytest
import torch

from _ext import my_lib_cuda
from functions.add import add
from functions.lltm import lltm
from functions.lltm_sequence import lltm_sequence

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")


def lltm_arguments(batch=16, input_size=32, state_size=128, steps=None, seed=0):
    generator = torch.Generator("cuda").manual_seed(seed)
    leading = (batch,) if steps is None else (steps, batch)
    shapes = (*leading, input_size), (3 * state_size, state_size + input_size), (3 * state_size,)
    shapes += ((batch, state_size),) * 2
    return [torch.randn(shape, device="cuda", generator=generator) * 0.1 for shape in shapes]


def test_work_goes_to_the_current_stream():
    side = torch.cuda.Stream()
    a = torch.zeros(1 << 20, device="cuda")
    add(a, a.fill_(0))  # the first launch of a kernel loads it, for which CUDA may wait
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(2_000_000_000)  # an add on any other stream would come before what follows
        a.fill_(3)
        output = add(a, a)
    assert not side.query(), "a call waited for its stream"
    side.synchronize()
    assert (output == 6).all()


def test_a_graph_replays_with_new_values():
    my_lib_cuda.my_lib_cuda_prepare(torch.cuda.current_device())
    sequences = [lltm_arguments(steps=7), lltm_arguments(steps=7, state_size=256)]  # the second, shared by a grid
    for function, arguments in (lltm, lltm_arguments()), *((lltm_sequence, each) for each in sequences):
        with torch.no_grad():
            function(*arguments)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                captured = function(*arguments)
            arguments[0].copy_(torch.randn_like(arguments[0]))
            graph.replay()
            expected = function(*arguments)
            for got, want in zip(captured, expected, strict=True):
                assert torch.equal(got, want)


def test_a_capture_without_prepare_names_it():
    script = """
import torch
from functions.lltm import lltm
a = [torch.zeros(s, device="cuda") for s in [(2, 3), (12, 7), (12,), (2, 4), (2, 4)]]
torch.cuda.synchronize()
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        lltm(*a)
except RuntimeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "my_lib_cuda_prepare(0) before the capture" in done.stdout, done.stdout + done.stderr


def test_threads_on_streams_of_their_own_get_the_serial_results():
    cases = [lltm_arguments(seed=seed) for seed in range(8)]

    def compute(arguments):
        leaves = [each.detach().clone().requires_grad_() for each in arguments]
        outputs = lltm(*leaves)
        return [*outputs, *torch.autograd.grad(outputs, leaves, [torch.ones_like(each) for each in outputs])]

    expected = [compute(arguments) for arguments in cases]
    torch.cuda.synchronize()
    wrong = []

    def work(index):
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                for _ in range(20):
                    got = compute(cases[index])
                    torch.cuda.current_stream().synchronize()
                    if not all(torch.equal(a, b) for a, b in zip(got, expected[index], strict=True)):
                        wrong.append(index)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(cases))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_cpu_tensor_among_cuda_tensors_is_refused():
    with pytest.raises(ValueError, match="input2: expected a tensor on cuda:0, got one on the CPU"):
        add(torch.ones(2, device="cuda"), torch.ones(2))


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one GPU")
def test_another_gpu_than_the_current_one():
    a = torch.ones(5, device="cuda:1")
    assert torch.equal(add(a, a), 2 * a) and torch.cuda.current_device() == 0
