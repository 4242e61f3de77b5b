"""benchmarks/figures.py: one picture of the ratios that have goals."""

from .goals import GOALS

COLOURS = {
    "torchthaw": "#c2410c",
    "torchthaw, raw C": "#c2410c",
    "eager": "#64748b",
    "C++ extension": "#94a3b8",
    "jit.script": "#b9c4d3",
    "torch.compile": "#334155",
    "compiled cell": "#334155",
    "nn.LSTM": "#0e7490",
    "addmm": "#94a3b8",
    "addmm(out=)": "#b9c4d3",
}
PANELS = (  # question, case, what every bar is divided by
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

    measured = {(g.question, g.case, g.shape): g for a in found["answers"].values() for g in a.groups}
    figure, axes = pyplot.subplots(2, 3, figsize=(15, 8), layout="constrained")
    for axis, (question, case, title) in zip(axes.flat, PANELS):
        goals = [g for g in GOALS if (g.question, g.case) == (question, case)]
        goals = [g for g in goals if (question, case, g.shape) in measured]
        labelled = set()
        for place, goal in enumerate(goals):
            group = measured[question, case, goal.shape]
            unit = min(group.results[p].value for p in goal.peers if p in group.results)
            width = 0.8 / len(group.results)
            for index, (name, spread) in enumerate(group.results.items()):
                left = place - 0.4 + index * width
                ratio = spread.value / unit
                axis.bar(left, ratio, width, align="edge", color=COLOURS.get(name, "#cbd5e1"),
                         label=None if name in labelled else name)  # fmt: skip
                labelled.add(name)
                if name == goal.contender:
                    axis.hlines(goal.bound, left, left + width, color="black", linewidth=2)
                    axis.annotate(f"{ratio:.2f}", (left + width / 2, max(ratio, goal.bound)),
                                  (0, 3), textcoords="offset points", ha="center", fontsize=8)  # fmt: skip
        axis.axhline(1, color="#64748b", linewidth=0.8, linestyle=":")
        axis.set_xticks(range(len(goals)), [goal.shape for goal in goals])
        axis.set_title(title, fontsize=11)
        axis.spines[["top", "right"]].set_visible(False)
        if goals:
            axis.legend(fontsize=8, frameon=False, ncols=2)
        else:
            axis.text(0.5, 0.5, "not measured", ha="center", transform=axis.transAxes)
    machine = found["machine"]
    figure.suptitle(
        f"{machine['cpu']}, one thread, float32, PyTorch {machine['torch']}; batch, input, state; "
        "lower is better, black line: goal"
    )
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
