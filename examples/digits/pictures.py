"""examples/digits/pictures.py: what the demo leaves to look at: curves, confusion matrix, misread digits."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from .data import CLASSES

INK, GRID, BLUE, ORANGE = "#22303c", "#dde3e8", "#2a6f97", "#d1603d"
MISREAD_SHOWN = 18

plt.rcParams.update(
    {
        "figure.dpi": 150,
        "font.size": 10,
        "axes.titlesize": 12,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "grid.color": GRID,
    }
)


def curves(losses, accuracies, path):
    """Training loss and held-out accuracy (percent), one value per epoch."""
    epochs = np.arange(1, len(losses) + 1)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    left.semilogy(epochs, losses, color=ORANGE, linewidth=2)
    left.set(title="Training loss", xlabel="epoch", ylabel="cross entropy")
    right.plot(epochs, accuracies, color=BLUE, linewidth=2)
    right.set(
        title=f"Held-out accuracy: {accuracies[-1]:.1f} %",
        xlabel="epoch",
        ylabel="percent",
        ylim=(min(80, accuracies[-1] - 5), 100),
    )
    right.axhline(97, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    right.annotate("97 %", (epochs[0], 97), xytext=(0, 3), textcoords="offset points", color=INK)
    right.yaxis.set_major_locator(MaxNLocator(integer=True))
    for axes in (left, right):
        axes.grid(True, which="major")
        axes.set_axisbelow(True)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    save(figure, path)


def confusion_matrix(labels, predictions, path):
    """Counts of (digit, what it was read as); errors in orange, so that the few stand out from the diagonal."""
    counts = np.zeros((CLASSES, CLASSES), dtype=int)
    np.add.at(counts, (labels, predictions), 1)
    right = np.diag(np.diag(counts))
    figure, axes = plt.subplots(figsize=(5.6, 5.6), layout="constrained")
    axes.imshow(np.ma.masked_equal(right, 0), cmap="Blues", vmin=0, vmax=2 * counts.max())
    axes.imshow(np.ma.masked_equal(counts - right, 0), cmap="Oranges", vmin=-2, vmax=6)
    for row, column in np.argwhere(counts):
        axes.text(column, row, counts[row, column], ha="center", va="center")
    axes.set(
        title=f"{right.sum()} of {counts.sum()} digits read right",
        xlabel="read as",
        ylabel="digit",
        xticks=range(CLASSES),
        yticks=range(CLASSES),
    )
    axes.set_xticks(np.arange(CLASSES + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(CLASSES + 1) - 0.5, minor=True)
    axes.grid(which="minor")
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    save(figure, path)


def misread(images, labels, probabilities, path):
    """The digits read wrong, the most confident error first, each with what it is and what it was taken for."""
    predictions = probabilities.argmax(1)
    certainty = probabilities[np.arange(len(labels)), predictions]
    wrong = np.flatnonzero(predictions != labels)
    shown = wrong[np.argsort(-certainty[wrong])][:MISREAD_SHOWN]
    columns = 6
    rows = -(-len(shown) // columns)
    figure, grid = plt.subplots(max(rows, 1), columns, figsize=(9, 0.7 + 1.85 * rows), layout="constrained")
    for axes in grid.flat:
        axes.axis("off")
    for axes, index in zip(grid.flat, shown):
        axes.imshow(images[index], cmap="Greys", vmin=0, vmax=1)
        axes.set_title(f"{labels[index]} read as {predictions[index]}", loc="center", fontsize=11, color=ORANGE)
        axes.text(0.5, -0.04, f"{100 * certainty[index]:.0f} % sure", transform=axes.transAxes, ha="center", va="top")
    count = f"{len(wrong)} of {len(labels)} digits misread"
    more = f", the {len(shown)} surest shown" if len(shown) < len(wrong) else ""
    figure.suptitle(count + more, x=0.01, ha="left", weight="bold")
    save(figure, path)


def save(figure, path):
    figure.savefig(path)
    plt.close(figure)
