"""examples/digits/to_onnx.py: trains the demo's classifier, and writes it as an ONNX model that takes any batch.

    python -m examples.digits.to_onnx FOLDER [--epochs 5]

FOLDER has what `python -m torchthaw export onnxruntime c_api/include/my_lib.h -o FOLDER` wrote. Beside model.onnx it gets
digits.npz, the held-out digits and what PyTorch takes them for. serve.py reads both, without PyTorch.
"""

import argparse
import sys
from pathlib import Path

import numpy
import torch

from modules import LLTMLayer

from . import data
from .training import Trainer


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args()
    sys.path.append(str(options.folder))
    import my_lib_onnx

    training, held_out = data.load()
    trainer = Trainer(LLTMLayer, 128, training, options.epochs, 0)
    for _ in range(options.epochs):
        trainer.epoch()
    predictions = trainer.probabilities(held_out).argmax(1)
    model = torch.onnx.export(
        trainer.model.eval(), (held_out.images[:2],), dynamo=True, dynamic_shapes=({0: "batch"},),
        input_names=["images"], output_names=["scores"], custom_translation_table=my_lib_onnx.translations(),
        verbose=False,
    )  # fmt: skip
    model.save(options.folder / "model.onnx")
    numpy.savez(
        options.folder / "digits.npz", images=held_out.images.numpy(), labels=held_out.labels.numpy(),
        predictions=predictions.numpy(),
    )  # fmt: skip


if __name__ == "__main__":
    main()
