# tests/guide/test_example_digits.py: the demo runs as a user runs it, on fixed data, and its parts do what they say.
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import numpy as np
import pytest
import torch

from examples.digits import data, pictures
from examples.digits.eager_lltm import EagerLLTMLayer
from examples.digits.training import Trainer
from modules import LLTMLayer
from support import ROOT

PICTURES = {"confusion_matrix.png", "curves.png", "misread.png"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """(printed text, folder of pictures) of what make demo runs."""
    output = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "examples.digits", "--output", str(output)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout, output


@pytest.mark.slow
def test_accuracy_stands_on_a_line_of_its_own(demo):
    (percent,) = re.findall(r"^held-out accuracy: (\d\d\.\d) %$", demo[0], re.MULTILINE)
    assert float(percent) >= 97


@pytest.mark.slow
def test_times_stand_beside_each_other(demo):
    for name in ("modules.LLTMLayer", "eager-Python LLTM", "nn.LSTM"):
        assert re.search(rf"^  {re.escape(name)} +\d+ ms +\d+\.\d\d x$", demo[0], re.MULTILINE), demo[0]


@pytest.mark.slow
def test_pictures_are_written(demo):
    assert {path.name for path in demo[1].iterdir()} == PICTURES
    for path in demo[1].iterdir():
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 10_000


@pytest.mark.slow
def test_progress_bar_on_a_terminal(tmp_path):
    terminal, screen = pty.openpty()
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 110, 0, 0))
    command = [sys.executable, "-m", "examples.digits", "--epochs", "2", "--state-size", "8", "--output", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=screen, text=True, timeout=240)
    shown = os.read(terminal, 65536).decode()
    assert done.returncode == 0, shown
    assert "training: 100%" in shown and "2/2" in shown
    assert re.search(r"loss \d\.\d{4}, held-out accuracy \d+\.\d %", shown)


def accuracy_of(output):
    (percent,) = re.findall(r"^held-out accuracy: (\d+\.\d) %$", output, re.MULTILINE)
    return float(percent)


@pytest.mark.slow
def test_two_processes_learn_as_one_does(demo, tmp_path):
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
        "-m",
        "examples.digits",
        "--output",
        str(tmp_path),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr
    assert "processes 2" in done.stdout and {path.name for path in tmp_path.iterdir()} == PICTURES
    assert abs(accuracy_of(done.stdout) - accuracy_of(demo[0])) <= 1


def test_shares_of_two_processes_make_the_steps_of_one(monkeypatch):
    """Gradients of both shares, added up, are those of the whole batch; the last batch is odd."""
    training, _ = data.load()
    training = data.Split(training.images[:35], training.labels[:35])

    def gradients(rank, processes):
        monkeypatch.setattr("examples.digits.training.DistributedDataParallel", lambda model: model)
        monkeypatch.setattr("examples.digits.training.distributed.all_reduce", lambda total: None)
        trainer = Trainer(LLTMLayer, 8, training, 1, 0, rank, processes)
        trainer.model.dropout.p = 0.0
        found = []
        trainer.optimizer.step = lambda: found.append([p.grad.clone() for p in trainer.model.parameters()])
        loss, _ = trainer.epoch()
        return found, loss

    whole, loss = gradients(0, 1)
    (first, loss1), (second, loss2) = gradients(0, 2), gradients(1, 2)
    assert len(whole) == 2 and loss == pytest.approx(loss1 + loss2)
    for step, a, b in zip(whole, first, second, strict=True):
        torch.testing.assert_close(step, [(x + y) / 2 for x, y in zip(a, b)])


def test_split_is_fixed_stratified_and_complete():
    training, held_out = data.load()
    assert len(training.labels) == 1347 and len(held_out.labels) == 450
    assert training.images.shape[1:] == (8, 8) and 0 <= training.images.min() and training.images.max() == 1
    shares = [split.labels.bincount() / len(split.labels) for split in (training, held_out)]
    torch.testing.assert_close(*shares, atol=0.003, rtol=0)
    for split, again in zip(data.load(), (training, held_out)):
        assert torch.equal(split.images, again.images) and torch.equal(split.labels, again.labels)


def test_no_held_out_image_is_trained_on():
    training, held_out = ({image.numpy().tobytes() for image in split.images} for split in data.load())
    assert not training & held_out


def test_shift_moves_by_at_most_a_pixel():
    images = torch.zeros(200, 8, 8)
    images[:, 4, 4] = 1
    moved = data.shifted(images, torch.Generator().manual_seed(0)).nonzero()[:, 1:]
    assert {tuple(place) for place in moved.tolist()} == {(r, c) for r in (3, 4, 5) for c in (3, 4, 5)}


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("with_state", [False, True])
def test_eager_layer_is_the_same_network(batch_first, with_state):
    layer = LLTMLayer(5, 7, batch_first=batch_first, dtype=torch.float64)
    eager = EagerLLTMLayer(5, 7, batch_first=batch_first).double()
    eager.load_state_dict(layer.state_dict())
    x = torch.randn((3, 6, 5) if batch_first else (6, 3, 5), dtype=torch.float64)
    state = tuple(torch.randn(2, 3, 7, dtype=torch.float64)) if with_state else None
    torch.testing.assert_close(layer(x, state), eager(x, state))


@pytest.mark.parametrize("wrong", [0, 3, 40])
def test_misread_picture_takes_any_number_of_errors(tmp_path, wrong):
    probabilities = np.full((50, 10), 0.1)
    labels = np.zeros(50, dtype=int)
    labels[:wrong] = 1
    pictures.misread(np.zeros((50, 8, 8)), labels, probabilities, tmp_path / "misread.png")
    assert (tmp_path / "misread.png").stat().st_size > 1000
