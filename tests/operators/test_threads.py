# tests/operators/test_threads.py: the kernels share PyTorch's OpenMP runtime, whichever package came first, and survive
# fork.
import subprocess
import sys

import pytest
import torch

from support import ROOT


def run(script, timeout=120):
    """Runs a script in a fresh interpreter, where it decides what is imported first; a hang is a failure."""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return done.stdout


HONOURS_TORCH = """
assert my_lib.my_lib_build_info().endswith("openmp=pytorch"), my_lib.my_lib_build_info()
for count in (1, 3, 2):
    torch.set_num_threads(count)
    assert my_lib.my_lib_get_num_threads() == count, (count, my_lib.my_lib_get_num_threads())

def runtimes():
    with open("/proc/self/maps") as maps:
        return {line.split()[-1] for line in maps if "gomp" in line}

before = runtimes()
cell = modules.LLTM(256, 128)
x, state = torch.randn(64, 256), (torch.zeros(64, 128), torch.zeros(64, 128))
cell(x, state)[0].sum().backward()
assert runtimes() == before, "the kernels brought a runtime of their own"

from concurrent.futures import ThreadPoolExecutor
torch.set_num_threads(1)
def count_in_a_new_thread():
    cell(x, state)
    return my_lib.my_lib_get_num_threads()
with ThreadPoolExecutor() as pool:
    assert pool.submit(count_in_a_new_thread).result() == 1
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "imports",
    [
        "import torch",
        "import sklearn.cluster, torch",
        "import torch, sklearn.cluster",
    ],
    ids=["torch alone", "scikit-learn first", "scikit-learn second"],
)
def test_threads_follow_torch(imports):
    run(f"{imports}\nfrom _ext import my_lib\nimport modules\n{HONOURS_TORCH}")


def test_results_do_not_depend_on_the_number_of_threads():
    import modules

    layer = modules.LLTMLayer(200, 96)
    x = torch.randn(5, 70, 200)
    results = []
    threads = torch.get_num_threads()
    try:
        for count in (1, 2, 5):
            torch.set_num_threads(count)
            layer.zero_grad()
            output, (h, c) = layer(x)
            (output.sum() + h.sum() + c.sum()).backward()
            results.append([output, h, c, layer.weights.grad.clone(), layer.bias.grad.clone()])
    finally:
        torch.set_num_threads(threads)
    for other in results[1:]:
        assert all(torch.equal(a, b) for a, b in zip(results[0], other))


LOADER = """
import torch
import modules
from torch.utils.data import DataLoader, Dataset

cell = modules.LLTM(256, 128)

def compute(seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(128, 256, generator=generator)
    with torch.no_grad():
        return cell(x, (torch.zeros(128, 128), torch.zeros(128, 128)))[0]

class Computed(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        torch.set_num_threads(2)  # a worker that asks for threads must still not wait for its parent's
        return compute(index)

torch.set_num_threads(2)
expected = [compute(i) for i in range(8)]  # starts the team that the workers do not inherit
loader = DataLoader(Computed(), batch_size=None, num_workers=2, multiprocessing_context="fork")
for got, want in zip(loader, expected, strict=True):
    assert torch.equal(got, want)
"""


@pytest.mark.slow
def test_forked_workers_compute():
    run(LOADER, timeout=60)
