"""benchmarks/peers/extension.py: builds (once) and wraps the C++ extension."""

import fcntl
import functools
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "benchmarks" / "extension"


@functools.cache
def load():
    """The compiled module; the first build takes about half a minute."""
    return load_from(HERE / "extension.cpp", "benchmarks_extension", BUILD)


def load_from(source, name, folder, flags=(), **options):
    """The module ``name``, compiled in ``folder`` unless it is there already; ``options`` go to cpp_extension.load."""
    from torch.utils import cpp_extension

    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "builder", "w") as builder:
        fcntl.flock(builder, fcntl.LOCK_EX)
        # PyTorch waits for this file to go away, for ever where a build was killed. Here one process builds at a time.
        (folder / "lock").unlink(missing_ok=True)
        return cpp_extension.load(
            name, [str(source)], build_directory=str(folder), extra_cflags=["-O3", *flags], **options
        )


class _Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weights, bias, old_h, old_cell):
        outputs = load().lltm_forward(input, weights, bias, old_h, old_cell)
        new_h, new_cell = outputs[:2]
        ctx.save_for_backward(*outputs[1:], weights)
        return new_h, new_cell

    @staticmethod
    def backward(ctx, grad_h, grad_cell):
        return tuple(load().lltm_backward(grad_h, grad_cell, *ctx.saved_tensors))


lltm_cell = _Function.apply
