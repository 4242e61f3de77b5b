"""examples/digits/__main__.py: train an LLTM to read handwritten digits, and time it against its peers.

Run from the top of the checkout, after `make build`: python -m examples.digits
On several processes: torchrun --nproc-per-node 2 -m examples.digits
"""

import argparse
from pathlib import Path

import torch
from torch import distributed, nn
from tqdm import tqdm

from modules import LLTMLayer

from . import data, pictures
from .eager_lltm import EagerLLTMLayer
from .training import Trainer, accuracy

LAYERS = {"modules.LLTMLayer": LLTMLayer, "eager-Python LLTM": EagerLLTMLayer, "nn.LSTM": nn.LSTM}


def arguments():
    parser = argparse.ArgumentParser(
        prog="python -m examples.digits",
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--state-size", type=int, default=128)
    parser.add_argument("--seed", type=int, default=0, help="of parameters, shuffling and shifts; the split is fixed")
    parser.add_argument("--output", type=Path, default=Path("build/demo"), help="folder for the pictures")
    return parser.parse_args()


def train(trainer, held_out, epochs):
    """Return (losses, held-out accuracies), one of each per epoch, under a progress bar."""
    losses, accuracies = [], []
    bar = tqdm(range(epochs), desc="training", unit="epoch", disable=True if trainer.rank else None)
    for _ in bar:
        loss, _ = trainer.epoch()
        losses.append(loss)
        accuracies.append(accuracy(trainer.probabilities(held_out), held_out.labels))
        bar.set_postfix_str(f"loss {loss:.4f}, held-out accuracy {accuracies[-1]:.1f} %")
    return losses, accuracies


def seconds_per_epoch(training, state_size, seed):
    """The faster of two epochs of the same network on each layer; the layers take turns and so share the noise."""
    trainers = {name: Trainer(layer, state_size, training, 2, seed) for name, layer in LAYERS.items()}
    rounds = [{name: trainer.epoch()[1] for name, trainer in trainers.items()} for _ in range(2)]
    return {name: min(seconds[name] for seconds in rounds) for name in LAYERS}


def processes():
    """(rank, number) of the processes that torchrun started, connected; (0, 1) without it."""
    if not distributed.is_torchelastic_launched():
        return 0, 1
    distributed.init_process_group("gloo")
    return distributed.get_rank(), distributed.get_world_size()


def main():
    options = arguments()
    torch.set_num_threads(1)  # batches this small gain nothing from a second one, and lose to whatever else it runs
    training, held_out = data.load()
    rank, count = processes()
    if rank == 0:
        print(
            f"{len(training.labels)} digits to learn from, {len(held_out.labels)} held out; "
            f"8 rows of 8 pixels each, state_size {options.state_size}, processes {count}"
        )
    trainer = Trainer(LLTMLayer, options.state_size, training, options.epochs, options.seed, rank, count)
    losses, accuracies = train(trainer, held_out, options.epochs)
    if distributed.is_initialized():
        distributed.destroy_process_group()
    if rank == 0:  # all processes have the same network now
        report(options, trainer, training, held_out, losses, accuracies)


def report(options, trainer, training, held_out, losses, accuracies):
    """Print accuracy and times, and draw the pictures."""
    print(f"held-out accuracy: {accuracies[-1]:.1f} %")

    seconds = seconds_per_epoch(training, options.state_size, options.seed)
    ours = next(iter(seconds.values()))
    print("\ntime per epoch of the same network (the faster of two)")
    for name, value in seconds.items():
        print(f"  {name:<18} {value * 1000:6.0f} ms  {value / ours:5.2f} x")

    options.output.mkdir(parents=True, exist_ok=True)
    probabilities = trainer.probabilities(held_out).numpy()
    images, labels = (tensor.numpy() for tensor in held_out)
    pictures.curves(losses, accuracies, options.output / "curves.png")
    pictures.confusion_matrix(labels, probabilities.argmax(1), options.output / "confusion_matrix.png")
    pictures.misread(images, labels, probabilities, options.output / "misread.png")
    print(f"\npictures: {', '.join(str(path) for path in sorted(options.output.glob('*.png')))}")


if __name__ == "__main__":
    main()
