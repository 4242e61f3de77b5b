"""examples/digits/training.py: the classifier on top of a recurrent layer, one epoch of training, and its test."""

import time

import torch
import torch.nn.functional as F
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

from .data import CLASSES, SIDE, shifted

BATCH = 32
PEAK_LEARNING_RATE = 2e-2


class Classifier(nn.Module):
    """Reads an image row by row and judges by the outputs of all eight rows; the last one alone forgets the top."""

    def __init__(self, layer, state_size):
        super().__init__()
        self.layer = layer(SIDE, state_size, batch_first=True)
        self.dropout = nn.Dropout(0.2)
        self.classify = nn.Linear(SIDE * state_size, CLASSES)

    def forward(self, images):
        output, _ = self.layer(images)
        return self.classify(self.dropout(output.flatten(1)))


class Trainer:
    """A fresh classifier on the given kind of layer, and all that training it for a number of epochs needs.

    rank, processes: this process and how many there are. Each takes its share of every batch, and all of them together
    make the steps that one process alone would make.
    """

    def __init__(self, layer, state_size, training, epochs, seed, rank=0, processes=1):
        torch.manual_seed(seed)
        self.rank, self.processes = rank, processes
        self.generator = torch.Generator().manual_seed(seed)
        self.training = training
        self.model = Classifier(layer, state_size)
        self.parallel = DistributedDataParallel(self.model) if processes > 1 else self.model
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=PEAK_LEARNING_RATE, weight_decay=1e-2)
        steps = epochs * -(-len(training.labels) // BATCH)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(self.optimizer, PEAK_LEARNING_RATE, total_steps=steps)

    def epoch(self):
        """Train on each image once, shifted by up to a pixel; return (mean loss, seconds)."""
        start = time.perf_counter()
        self.model.train()
        total = torch.zeros(())
        for batch in torch.randperm(len(self.training.labels), generator=self.generator).split(BATCH):
            images = shifted(self.training.images[batch], self.generator)[self.rank :: self.processes]
            labels = self.training.labels[batch][self.rank :: self.processes]
            loss = F.cross_entropy(self.parallel(images), labels, reduction="sum")
            self.optimizer.zero_grad()
            (loss * self.processes / len(batch)).backward()  # DistributedDataParallel divides by the processes
            self.optimizer.step()
            self.schedule.step()
            total += loss.detach()
        if self.processes > 1:
            distributed.all_reduce(total)
        return total.item() / len(self.training.labels), time.perf_counter() - start

    @torch.no_grad()
    def probabilities(self, split):
        """(count, 10) probabilities of each digit."""
        self.model.eval()
        return self.model(split.images).softmax(1)


def accuracy(probabilities, labels):
    """Share of rightly read digits, in percent."""
    return (probabilities.argmax(1) == labels).double().mean().item() * 100
