"""benchmarks/figures.py: one picture of the ratios that have goals."""

from .goals import GOALS

COLOURS = {
    "torchthaw": "#c2410c",
    "torchthaw, raw C": "#c2410c",
    "eager": "#475569",
    "C++ extension": "#94a3b8",
    "jit.script": "#b9c4d3",
    "torch.compile": "#1e293b",
    "compiled cell": "#1e293b",
    "nn.LSTM": "#0e7490",
    "addmm": "#a16207",
    "addmm(out=)": "#ca8a04",
    "products alone": "#a3a3a3",
    "empty Function": "#e2e8f0",
}
PANELS = (  # benchmark, case, what every bar is divided by
    ("lltm", "forward", "LLTM forward ÷ best peer"),
    ("lltm", "backward", "LLTM backward ÷ eager"),
    ("lltm", "backward, input without grad", "backward, input without grad ÷ eager"),
    ("lltm_gemm", "raw forward", "raw C forward ÷ its GEMM alone"),
    ("lltm_sequence", "forward", "100 steps, forward ÷ nn.LSTM"),
    ("lltm_sequence", "backward", "100 steps, backward ÷ nn.LSTM"),
)


def draw(found, path):
    """Bars per shape; the black line on this repository's bar is the goal."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    measured = {(g.benchmark, g.case, g.shape): g for a in found["outcomes"].values() for g in a.groups}
    figure, axes = pyplot.subplots(2, 3, figsize=(15, 8), layout="constrained")
    legend = {}
    for axis, (benchmark, case, title) in zip(axes.flat, PANELS):
        goals = [g for g in GOALS if (g.benchmark, g.case) == (benchmark, case)]
        goals = [g for g in goals if (benchmark, case, g.shape) in measured]
        for place, goal in enumerate(goals):
            group = measured[benchmark, case, goal.shape]
            unit = min(group.results[p].value for p in goal.peers if p in group.results)
            width = 0.8 / len(group.results)
            for index, (name, spread) in enumerate(group.results.items()):
                left, ratio = place - 0.4 + index * width, spread.value / unit
                legend[name] = axis.bar(left, ratio, width, align="edge", color=COLOURS[name])
                if name == goal.contender:
                    axis.hlines(goal.bound, left, left + width, color="black", linewidth=2)
                    axis.text(left + width / 2, 0.03, f"{ratio:.2f}", ha="center", va="bottom",
                              rotation="vertical", color="white", fontsize=10)  # fmt: skip
        axis.axhline(1, color="#64748b", linewidth=0.8, linestyle=":")
        axis.set_ylim(0, 2)
        axis.set_xticks(range(len(goals)), [goal.shape for goal in goals])
        axis.set_title(title, fontsize=11)
        axis.spines[["top", "right"]].set_visible(False)
        if not goals:
            axis.text(0.5, 0.5, "not measured", ha="center", transform=axis.transAxes)
    if legend:
        figure.legend(legend.values(), legend, loc="outside lower center", ncols=(len(legend) + 1) // 2, frameon=False)
    machine = found["machine"]
    figure.suptitle(
        f"{machine['cpu']}, one thread, float32, PyTorch {machine['torch']}; each at batch, input, state; "
        "lower is better, black line: goal, bars end at 2"
    )
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
