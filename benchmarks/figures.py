"""benchmarks/figures.py: three pictures for a narrow screen, each of one measurement with all its contenders."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Chart:
    """One picture: the contenders of a group, as multiples of torchthaw's time."""

    name: str  # of the file
    title: str
    group: tuple  # benchmark, case, shape
    ours: str = "torchthaw"
    without: tuple = ()  # contenders that are no peers


CHARTS = (
    Chart("call", "A call of C with three tensors", ("bridge_calls", "three tensors and a size", "25"),
          without=("torchthaw, annotated",)),
    Chart("step", "One LLTM step: batch 16, input 32, state 128", ("lltm", "forward", "16, 32, 128"),
          without=("empty Function",)),
    Chart("sequence", "Backward of 100 LLTM steps: 64, 1024, 128", ("lltm_sequence", "backward", "64, 1024, 128")),
)  # fmt: skip
OURS, PEER = "#c2410c", "#94a3b8"
END = 8  # bars are cut here, so that one slow peer does not make the others too short to read


def ratios(chart, found):
    """[(contender, its time ÷ torchthaw's)] of a run, the fastest first; [] where the group was not measured."""
    groups = {(g.benchmark, g.case, g.shape): g for outcome in found["outcomes"].values() for g in outcome.groups}
    group = groups.get(chart.group)
    if group is None or chart.ours not in group.results:
        return []
    unit = group.results[chart.ours].value
    kept = {name: spread.value / unit for name, spread in group.results.items() if name not in chart.without}
    return sorted(kept.items(), key=lambda item: item[1])


def draw(found, folder):
    """Writes NAME.png of each chart into the folder; returns the names of the files."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    written = []
    for chart in CHARTS:
        rows = ratios(chart, found)
        if not rows:
            continue
        names, values = zip(*reversed(rows))
        figure, axis = pyplot.subplots(figsize=(7.2, 0.9 + 0.42 * len(rows)), layout="constrained")
        axis.barh(
            names, [min(value, END) for value in values], color=[OURS if n == chart.ours else PEER for n in names]
        )
        for place, value in enumerate(values):
            axis.text(min(value, END) + 0.1, place, f"{value:.1f}" if value <= END else f"{value:.1f} →",
                      va="center", fontsize=16)  # fmt: skip
        axis.set_xlim(0, min(max(values), END) * 1.2)
        axis.set_xticks([])
        axis.tick_params(axis="y", labelsize=16, length=0)
        axis.spines[:].set_visible(False)
        figure.suptitle(chart.title, fontsize=17, x=0.01, ha="left")
        written.append(f"{chart.name}.png")
        figure.savefig(folder / written[-1], dpi=100, metadata={"Software": None})
        pyplot.close(figure)
    return written
