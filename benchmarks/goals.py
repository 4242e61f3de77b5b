"""benchmarks/goals.py: the goals of this project as data, and their verdicts."""

from dataclasses import dataclass

CELL = ("16, 32, 128", "64, 1024, 128", "1, 32, 128", "128, 512, 512")
PEERS = ("eager", "C++ extension", "torch.compile", "jit.script")


TOPICS = {  # the benchmarks that have goals, as the tables name them
    "lltm": "LLTM step",
    "lltm_gemm": "LLTM step in C",
    "lltm_sequence": "LLTM layer, 100 steps",
    "lltm_threads": "LLTM step, two threads",
    "fused_conv_batch_norm2d": "fused convolution + batch norm",
    "operators": "operator",
    "bridge_calls": "call into C",
    "hosts": "other hosts",
    "legacy_calls": "call into old C",
    "legacy_build": "build of old C",
    "th": "libth",
    "cuda_on_cpu": "CUDA on the CPU",
}


@dataclass(frozen=True)
class Goal:
    """``contender`` ÷ the best of ``peers`` must be ``relation`` ``bound``.

    Without peers the bound is for the contender itself, in seconds; with ``minus``, for what it takes more than them.
    """

    benchmark: str
    case: str
    shape: str
    contender: str
    peers: tuple
    bound: float
    relation: str = "≤"
    minus: bool = False

    def value(self, group):
        """What a Group says."""
        return group.difference(self.contender, self.peers) if self.minus else group.ratio(self.contender, self.peers)

    def met(self, value):
        return value <= self.bound if self.relation == "≤" else value >= self.bound


def _row(benchmark, case, contender, peers, bounds):
    return [Goal(benchmark, case, s, contender, peers, b) for s, b in zip(CELL, bounds)]


def _against_cpp(operator, shape, bounds):
    cases = "without grad", "forward", "forward and backward"
    return [
        Goal("operators", f"{operator}, {case}", shape, "torchthaw", ("C++ operator",), bound)
        for case, bound in zip(cases, bounds)
    ]


GOALS = (
    *_row("lltm", "forward", "torchthaw", PEERS, (0.50, 0.78, 0.45, 0.78)),
    *_row("lltm", "backward", "torchthaw", ("eager",), (0.58, 0.72, 0.58, 0.80)),
    *_row("lltm", "backward, input without grad", "torchthaw", ("eager",), (0.56, 0.46, 0.56, 0.62)),
    *_row("lltm", "backward", "torchthaw", ("products alone",), (1.15,) * 4),
    *_row("lltm", "backward, input without grad", "torchthaw", ("products alone",), (1.15,) * 4),
    Goal("lltm", "backward, eight graphs", "64, 1024, 128", "torchthaw", ("eager",), 0.80),
    *_row("lltm_gemm", "raw forward", "torchthaw, raw C", ("addmm", "addmm(out=)"), (0.95, 0.92, 0.95, 0.90)),
    *(
        Goal("lltm_gemm", "raw forward, bfloat16", "64, 1024, 128", contender, ("float32",), bound)
        for contender, bound in (("bfloat16, with instructions", 0.75), ("bfloat16, without instructions", 1.1))
    ),
    *_row("lltm_sequence", "forward", "torchthaw", ("nn.LSTM",), (0.65, 0.65)),
    *_row("lltm_sequence", "forward, without grad", "torchthaw", ("nn.LSTM",), (0.65, 0.65)),
    *_row("lltm_sequence", "backward", "torchthaw", ("nn.LSTM",), (0.58, 0.36)),
    *(
        Goal(
            "lltm_sequence", "inference", f"{batch}, {input_size}, 128", "torchthaw", ("nn.LSTM", "ONNX Runtime"), bound
        )
        for (batch, input_size), bound in zip(
            ((batch, input_size) for batch in (1, 4, 16, 64) for input_size in (32, 1024)),
            (0.75, 0.80, 0.85, 0.80, 0.80, 0.70, 0.75, 0.75),
        )
    ),
    *(
        Goal("lltm_threads", case, "64, 1024, 128", "torchthaw, 1 thread", ("torchthaw, 2 threads",), 1.9, "≥")
        for case in ("raw forward", "forward", "backward")
    ),
    Goal("fused_conv_batch_norm2d", "bytes saved", "32, 64, 32, 32", "fused", ("unfused", "PyTorch"), 0.55),
    *_against_cpp("mul_constant", "5, 5", (0.80, 1.75, 1.2)),
    *_against_cpp("add", "5, 5", (0.85, 1.65, 1.15)),
    *_against_cpp("lltm", "16, 32, 128", (1.0, 1.09, 1.1)),
    Goal("bridge_calls", "three tensors and a size", "25", "torchthaw, annotated", ("torchthaw",), 40e-9, minus=True),
    Goal("bridge_calls", "three tensors and a size", "25", "torchthaw", (), 300e-9),
    Goal("bridge_calls", "three tensors and a size", "25", "torchthaw", ("torch.add(out=)",), 0.30),
    Goal("bridge_calls", "three arrays of NumPy and a size", "25", "torchthaw", ("nanobind",), 0.5),
    Goal("bridge_calls", "three arrays of NumPy and a size", "25", "torchthaw", ("pybind11",), 0.35),
    Goal("bridge_calls", "my_lib_add_forward, shapes at hand", "5, 5", "torchthaw", (), 450e-9),
    Goal("bridge_calls", "my_lib_add_forward, shapes asked for", "5, 5", "torchthaw", (), 450e-9),
    Goal("bridge_calls", "my_lib_add_forward, keywords without shapes", "5, 5", "torchthaw", ("shapes at hand",), 1.0),
    Goal("hosts", "2000 nodes", "25", "torchthaw", ("Sin",), 1.3),
    Goal("hosts", "LLTM step", CELL[0], "NumPy", ("torch.ops",), 0.85),
    Goal("hosts", "LLTM step", CELL[0], "ONNX Runtime", ("torch.ops",), 1.0),
    Goal("hosts", "LLTM step under jax.jit", CELL[0], "torchthaw", ("jax.numpy",), 0.5),
    Goal("legacy_calls", "my_lib_add_forward", "5, 5", "torchthaw", ("torch.add(out=)",), 0.32),
    Goal("legacy_calls", "my_lib_add_forward", "5, 5", "torchthaw", ("casts of torch.utils.ffi",), 0.22),
    Goal("legacy_calls", "my_lib_add_forward", "5, 5", "torchthaw", ("tvm-ffi",), 0.69),
    Goal("legacy_calls", "my_lib_add_forward, output resized", "5, 5", "torchthaw", ("torch.add(out=)",), 1.1),
    Goal("legacy_calls", "error in C, caught", "5, 5", "torchthaw", (), 4e-6),
    Goal("legacy_build", "sources to module", "add", "torchthaw", ("cpp_extension.load",), 0.08),
    Goal("th", "geometric mean", "contiguous", "libth", ("torch",), 1.2),
    Goal("th", "geometric mean", "transposed", "libth", ("torch",), 1.5),
    Goal("th", "elementwise, geometric mean", "contiguous", "libth", ("torch",), 1.1),
    Goal("th", "largest ratio", "any", "libth", ("torch",), 1.3),
    Goal("cuda_on_cpu", "50 operations an element", "1048576", "kernel", ("C loop",), 1.3),
    Goal("cuda_on_cpu", "one barrier, a thread", "1048576", "nine barriers", ("none",), 0.5e-6, minus=True),
    Goal("cuda_on_cpu", "compile a .cu file", "program.cu", "nvcc", ("g++ of the rewritten text",), 3),
)


# README's five ratios, of the goals above: (what, compared with, benchmark, case, shape, peers).
HEADLINES = (
    ("one LLTM step, forward; batch 16, input 32, state 128", "the fastest of four ways in PyTorch",
     "lltm", "forward", "16, 32, 128", PEERS),
    ("100 LLTM steps, backward; batch 64, input 1024, state 128", "`nn.LSTM`",
     "lltm_sequence", "backward", "64, 1024, 128", ("nn.LSTM",)),
    ("a call of old C code with three 5 × 5 tensors", "`torch.add(out=)`",
     "legacy_calls", "my_lib_add_forward", "5, 5", ("torch.add(out=)",)),
    ("the build of an old project", "`cpp_extension.load` of its port to C++",
     "legacy_build", "sources to module", "add", ("cpp_extension.load",)),
    ("the functions of libth on 10⁶ numbers, geometric mean", "PyTorch on the same memory",
     "th", "geometric mean", "contiguous", ("torch",)),
)  # fmt: skip


def verdicts(groups, goals=GOALS):
    """[(goal, value or None, met or None)]; None where nothing was measured."""
    measured = {(g.benchmark, g.case, g.shape): g for g in groups}
    found = []
    for goal in goals:
        group = measured.get((goal.benchmark, goal.case, goal.shape))
        if group is None or goal.contender not in group.results or not group.has_any(goal.peers):
            found.append((goal, None, None))
            continue
        value = goal.value(group)
        found.append((goal, value, goal.met(value)))
    return found
