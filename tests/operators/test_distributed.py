"""tests/operators/test_distributed.py: two processes over gloo, checkpointing, copies."""

import copy
import pickle
import subprocess
import sys

import pytest
import torch
from torch.utils.checkpoint import checkpoint

import modules
from support import ROOT
from support.operator_table import every_operator

WORKER = """
import sys

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

import modules

torch.set_num_threads(1)
distributed.init_process_group("gloo", init_method=sys.argv[1], rank=int(sys.argv[2]), world_size=2)
torch.manual_seed(0)


class Everything(nn.Module):
    def __init__(self):
        super().__init__()
        self.fused = modules.FusedConvBatchNorm2D(1, 2, 3)
        self.conv, self.norm, self.cube = modules.Conv2D(2, 2, 3), modules.BatchNorm2D(), modules.Cube()
        self.layer, self.cell = modules.LLTMLayer(4, 5, batch_first=True), modules.LLTM(5, 6)
        self.linear = modules.Linear(6, 3)
        self.scale, self.add, self.scale_add = modules.MulConstant(0.5), modules.MyAddModule(), modules.ScaleAdd()

    def forward(self, images):
        rows = self.scale(self.cube(self.norm(self.conv(self.fused(images))))).mean(1)
        _, (h, _) = self.layer(rows)
        zeros = h.new_zeros(len(h), 6)
        h, cell = self.cell(h, (zeros, zeros))
        return self.linear(self.scale_add(self.add(h, cell), h))


model = Everything().double()
images = torch.randn(8, 1, 8, 8, dtype=torch.float64)
part = images[4 * int(sys.argv[2]) :][:4]
parallel = DistributedDataParallel(model)
parallel(part).square().mean().backward()
mine = [parameter.grad.clone() for parameter in model.parameters()]

model.zero_grad()
losses = [model(half).square().mean() for half in (images[:4], images[4:])]  # batch norm sees one process's images
(sum(losses) / 2).backward()
for got, parameter in zip(mine, model.parameters(), strict=True):
    torch.testing.assert_close(got, parameter.grad)
print("gradients are the mean of both processes'")
distributed.destroy_process_group()
"""


@pytest.mark.slow
def test_distributed_data_parallel(tmp_path):
    where = f"file://{tmp_path / 'rendezvous'}"
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, where, str(rank)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        for worker in workers:
            output, errors = worker.communicate(timeout=200)
            assert worker.returncode == 0, errors
            assert "gradients are the mean" in output
    finally:
        for worker in workers:
            worker.kill()


@every_operator
@pytest.mark.parametrize("use_reentrant", [False, True])
def test_checkpoint(operator, use_reentrant):
    """Forward runs again in backward, and gives the same gradients."""
    inputs = operator.tensors(requires_grad=True)
    results = operator.call(*inputs)
    expected = torch.autograd.grad(sum(y.square().sum() for y in results), inputs)
    results = checkpoint(operator.call, *inputs, use_reentrant=use_reentrant)
    sum(y.square().sum() for y in results).backward()
    assert all(torch.equal(x.grad, gradient) for x, gradient in zip(inputs, expected))


@every_operator
def test_second_derivative_through_a_checkpoint(operator):
    inputs = operator.tensors(requires_grad=True)

    def second(results):
        first = torch.autograd.grad(sum(y.square().sum() for y in results), inputs, create_graph=True)
        return torch.autograd.grad(sum(x.square().sum() for x in first), inputs)

    actual = second(checkpoint(operator.call, *inputs, use_reentrant=False))
    torch.testing.assert_close(actual, second(operator.expect(*inputs)))


def test_copies_of_a_trained_module():
    layer = modules.LLTMLayer(4, 5)
    x = torch.randn(3, 2, 4)
    layer(x)[0].sum().backward()
    for twin in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.equal(twin(x)[0], layer(x)[0])
        twin.zero_grad()
        twin(x)[0].sum().backward()
        assert torch.equal(twin.weights.grad, layer.weights.grad)
