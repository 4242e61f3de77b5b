"""examples/digits/data.py: scikit-learn's handwritten digits, split once for all, and their one-pixel shifts."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

SIDE = 8
CLASSES = 10
SPLIT_SEED = 0


class Split(NamedTuple):
    """images: (count, 8, 8) float32 in 0..1, a row of pixels per time step; labels: (count,) int64."""

    images: torch.Tensor
    labels: torch.Tensor


def load():
    """Return the 1,797 digits as (training, held_out): 1,347 and 450, each class in the same proportion."""
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32) / 16
    labels = torch.tensor(digits.target)
    parts = train_test_split(range(len(labels)), test_size=0.25, stratify=digits.target, random_state=SPLIT_SEED)
    return tuple(Split(images[part], labels[part]) for part in parts)


def shifted(images, generator):
    """Move each image by -1, 0 or 1 pixels along both axes; what leaves the frame is lost, what enters is blank."""
    padded = F.pad(images, (1, 1, 1, 1))
    image = torch.arange(len(images)).view(-1, 1, 1)
    row, column = torch.randint(0, 3, (2, len(images), 1, 1), generator=generator)
    return padded[image, row + torch.arange(SIDE).view(-1, 1), column + torch.arange(SIDE)]
