"""benchmarks/fused_conv_batch_norm2d.py: memory and time of the fused convolution + batch norm

64 → 64 channels, 3×3 kernel, 32×32 images, batches of 32, float32, one thread.
"bytes saved" counts every tensor autograd keeps between forward and backward,
each storage once, parameters too. Against the same pair unfused: this
repository's Conv2D + BatchNorm2D, and PyTorch's Conv2d + BatchNorm2d without
affine and running statistics.
"""

import torch
from torch import nn

from .harness import Group, Outcome, Spread, compare
from .lltm import bound
from .training import backward_contender, check_same_work, forward_contender

BATCH, CHANNELS, SIZE, KERNEL, EPS = 32, 64, 32, 3, 1e-3


def saved_bytes(run):
    """Bytes of all storages that ``run`` saves for backward."""
    storages = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        storages[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = run()
    del result
    return sum(storages.values())


class TorchPair(nn.Sequential):
    def __init__(self, channels, kernel):
        super().__init__(
            nn.Conv2d(channels, channels, kernel, bias=False),
            nn.BatchNorm2d(channels, eps=EPS, affine=False, track_running_stats=False),
        )


def measure(effort, batch=BATCH, channels=CHANNELS, size=SIZE):
    from modules import BatchNorm2D, Conv2D, FusedConvBatchNorm2D

    generator = torch.Generator().manual_seed(0)
    input = torch.randn(batch, channels, size, size, generator=generator, requires_grad=True)
    fused = FusedConvBatchNorm2D(channels, channels, KERNEL, eps=EPS)
    convolution = Conv2D(channels, channels, KERNEL)
    pair = nn.Sequential(convolution, BatchNorm2D(eps=EPS))
    torch_pair = TorchPair(channels, KERNEL)
    modules = {"fused": fused, "unfused": pair, "PyTorch": torch_pair}
    weight = fused.conv_weight
    for module in (convolution, torch_pair[0]):
        for name, _ in list(module.named_parameters()):
            setattr(module, name, weight)

    runs = {name: bound(module, input) for name, module in modules.items()}
    leaves = [input, weight]
    pattern = torch.randn_like(runs["fused"]())

    def backward(output):  # of a plain sum it would be 0, behind a normalisation
        output.backward(pattern)

    check_same_work(runs, backward, leaves, tolerance=1e-2)  # PyTorch adds eps inside the root
    benchmark, shape = "fused_conv_batch_norm2d", f"{batch}, {channels}, {size}, {size}"
    counts = {name: float(saved_bytes(run)) for name, run in runs.items()}
    saved = {name: Spread(count, count, count) for name, count in counts.items()}
    forward = [forward_contender(name, run) for name, run in runs.items()]
    passes = [backward_contender(name, run, backward, leaves) for name, run in runs.items()]
    return Outcome([
        Group(benchmark, "bytes saved", shape, saved, unit="B", statistic="exact"),
        compare(benchmark, "forward", shape, forward, effort),
        compare(benchmark, "backward", shape, passes, effort),
    ])  # fmt: skip
