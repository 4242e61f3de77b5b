"""tests/packaging/test_benchmarks.py: the harness measures what it says, and its goals are the ones reported."""

import importlib
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace

import pytest
import torch

from benchmarks import (
    BENCHMARKS,
    figures,
    fused_conv_batch_norm2d,
    goals,
    harness,
    machine,
    operators,
    removed_header,
    report,
    th,
    training,
)
from benchmarks.harness import Contender, Effort, Group, Outcome, Spread
from benchmarks.peers import autograd
from support import ROOT

SLOW = (*harness.SLOW, "C++ extension")
OPTIONAL = ("tvm-ffi", "nanobind", "ONNX Runtime")
EITHER = {"bfloat16, with instructions", "bfloat16, without instructions"}  # as the CPU is
TINY = Effort(group_seconds=0.0, block_seconds=1e-4, minimum_rounds=3, without=SLOW)
MACHINE = {
    "cpu": "a CPU", "cores": 2, "system": "Linux", "python": "3.11", "torch": "2.13.0",
    "torch_cpu_capability": "AVX512", "mkl": "2024.2", "onednn": "3", "compiler": "c++", "my_lib": "1.0.0",
}  # fmt: skip


class Clock:
    """Time that moves only when told, in nanoseconds."""

    now = 0

    def __call__(self):
        return self.now

    def spend(self, nanoseconds):
        self.now += nanoseconds


def group(benchmark, case, shape, **seconds):
    results = {n.replace("_", " "): Spread(v, v * 0.9, v * 1.1) for n, v in seconds.items()}
    return Group(benchmark, case, shape, results)


def test_a_block_is_the_mean_of_its_calls():
    clock = Clock()
    durations = iter([1000, 3000, 5000])
    contender = Contender("x", lambda: clock.spend(next(durations)))
    assert harness.block(contender, 3, clock) == pytest.approx(3e-6)


def test_preparation_is_not_timed_and_reaches_the_call():
    clock = Clock()
    received = []

    def prepare():
        clock.spend(10**9)
        return len(received)

    def call(prepared):
        received.append(prepared)
        clock.spend(500)

    assert harness.block(Contender("x", call, prepare), 4, clock) == pytest.approx(5e-7)
    assert received == [0, 1, 2, 3]


def test_enter_runs_untimed_before_every_turn():
    clock = Clock()
    contender = Contender("x", lambda: clock.spend(10), enter=lambda: clock.spend(10**9))
    assert harness.block(contender, 2, clock) == pytest.approx(1e-8)


def test_a_statement_is_timed_without_a_call_around_it():
    found = []
    contender = harness.statement("x", "found.append(0)", found=found)
    assert 0 < harness.block(contender, 1000) < 1e-5
    assert len(found) == 1000


def test_contenders_take_turns_in_changing_order():
    clock, turns = Clock(), []

    def contender(name, nanoseconds):
        return Contender(name, lambda: clock.spend(nanoseconds), enter=lambda: turns.append(name))

    effort = Effort(group_seconds=0.0, block_seconds=1e-6, minimum_rounds=20)
    samples = harness.interleave([contender(n, 1000) for n in "abc"], effort, clock)
    assert {name: len(values) for name, values in samples.items()} == dict.fromkeys("abc", 20)
    measured = turns[-20 * 3 * 2 :: 2]  # each turn enters twice: to warm up, and to measure
    rounds = [tuple(measured[i : i + 3]) for i in range(0, 60, 3)]
    assert all(sorted(r) == ["a", "b", "c"] for r in rounds)
    assert len(set(rounds)) > 3


def test_a_known_ratio_is_found():
    clock = Clock()
    contenders = [Contender("slow", lambda: clock.spend(3000)), Contender("fast", lambda: clock.spend(1500))]
    results = harness.summarise(harness.interleave(contenders, TINY, clock))
    assert Group("q", "c", "s", results).ratio("fast", ("slow",)) == pytest.approx(0.5)


def test_a_slow_round_does_not_move_the_median_but_widens_the_spread():
    spread = harness.summarise({"x": [1.0, 1.0, 1.0, 1.0, 100.0]})["x"]
    assert spread.value == 1.0 and spread.high > 10
    assert harness.summarise({"x": [3.0, 2.0, 5.0]}, "minimum")["x"].value == 2.0


def test_ratio_is_against_the_best_peer_present():
    measured = group("lltm", "forward", "s", torchthaw=1.0, eager=4.0, jit_script=2.0)
    assert measured.ratio("torchthaw", ("eager", "jit script", "torch.compile")) == 0.5


def test_a_goal_without_peers_bounds_the_time_itself():
    goal = goals.Goal("q", "c", "s", "ours", (), 300e-9)
    assert goals.verdicts([group("q", "c", "s", ours=299e-9, peer=1.0)], [goal]) == [(goal, 299e-9, True)]


def test_a_goal_for_a_difference():
    goal = goals.Goal("q", "c", "s", "ours", ("peer", "absent"), 40e-9, minus=True)
    ((_, value, met),) = goals.verdicts([group("q", "c", "s", ours=250e-9, peer=200e-9)], [goal])
    assert value == pytest.approx(50e-9) and met is False
    assert goals.verdicts([group("q", "c", "s", ours=230e-9, peer=200e-9)], [goal])[0][2] is True


def test_verdicts():
    goal = goals.Goal("q", "c", "s", "ours", ("peer",), 0.5)
    speed_up = goals.Goal("q", "c", "s", "ours", ("peer",), 0.5, "≥")
    assert goals.verdicts([group("q", "c", "s", ours=2.0, peer=4.0)], [goal]) == [(goal, 0.5, True)]
    assert goals.verdicts([group("q", "c", "s", ours=2.1, peer=4.0)], [goal]) == [(goal, 0.525, False)]
    assert goals.verdicts([group("q", "c", "s", ours=1.9, peer=4.0)], [speed_up]) == [(speed_up, 0.475, False)]
    assert goals.verdicts([group("q", "other", "s", ours=1, peer=4)], [goal]) == [(goal, None, None)]
    assert goals.verdicts([group("q", "c", "s", ours=1)], [goal]) == [(goal, None, None)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, sizes",
    [
        ("lltm", {"shapes": [(2, 3, 4)]}),
        ("lltm_gemm", {"shapes": [(2, 3, 4)]}),
        ("lltm_sequence", {"shapes": [(2, 3, 4)], "served": [(1, 3, 4)], "steps": 5}),
        ("lltm_threads", {"shapes": [(2, 3, 4)]}),
        ("fused_conv_batch_norm2d", {"batch": 4, "channels": 3, "size": 16}),
        ("operators", {}),
        ("compiled", {"shapes": [(2, 3, 4)]}),
        ("bridge_calls", {}),
        ("bridge_build", {}),
        ("hosts", {}),
        ("legacy_calls", {}),
        ("legacy_build", {}),
    ],
)
def test_every_benchmark_measures_what_its_goals_need(name, sizes):
    threads = torch.get_num_threads()
    outcome = importlib.import_module(f"benchmarks.{name}").measure(TINY, **sizes)
    assert torch.get_num_threads() in (threads, 1)
    torch.set_num_threads(threads)
    measured = {group.case: group.results for group in outcome.groups}
    for goal in goals.GOALS:
        is_missing = (
            goal.case not in measured or goal.contender in OPTIONAL and goal.contender not in measured[goal.case]
        )
        if goal.benchmark == name and not (name == "hosts" and is_missing):  # a host may not be installed
            either = EITHER if goal.contender in EITHER else {goal.contender}
            assert len(either & set(measured[goal.case])) == 1
            assert set(goal.peers) - {*SLOW, *OPTIONAL} <= set(measured[goal.case])
    for results in measured.values():
        assert all(0 < s.low <= s.high and s.value > 0 for s in results.values())


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("c++") is None, reason="PyTorch's C++ extensions need c++ on PATH")
def test_operators_in_cpp_do_the_same_work():
    groups = list(operators.in_several_ways(replace(TINY, without=())))
    assert len(groups) == 5 * len(operators.SEVERAL)
    for group in groups:
        ways = operators.TRANSFORMED if group.case.endswith(("vmap", "jvp")) else autograd.WAYS
        assert list(group.results) == list(ways) and group.statistic == "minimum"


def test_a_way_that_computes_something_else_is_refused():
    functions = {"torchthaw": torch.add, "wrong": torch.sub}
    with pytest.raises(AssertionError, match="wrong differs from torchthaw"):
        list(operators.plain_cases(functions, [torch.ones(2), torch.ones(2)]))


@pytest.mark.slow
def test_draws_are_measured_beside_the_published_generator():
    groups = th.draws(*th.library(), TINY)
    assert [set(group.results) for group in groups] == [{"libth", "published"}] * 2


def test_goals_stand_at_shapes_that_are_measured():
    for benchmark in ("lltm", "lltm_gemm", "lltm_sequence", "lltm_threads"):
        module = importlib.import_module(f"benchmarks.{benchmark}")
        shapes = module.SHAPES + getattr(module, "SERVED", ())
        shapes_of_goals = {goal.shape for goal in goals.GOALS if goal.benchmark == benchmark}
        assert shapes_of_goals <= {", ".join(map(str, shape)) for shape in shapes}
    assert {goal.benchmark for goal in goals.GOALS} <= set(BENCHMARKS)


def test_bytes_saved_counts_each_storage_once():
    x = torch.ones(10, requires_grad=True)  # 40 bytes, saved twice by the product
    assert fused_conv_batch_norm2d.saved_bytes(lambda: (x * x).sum()) == 40
    assert fused_conv_batch_norm2d.saved_bytes(lambda: (x.exp() * x).sum()) == 80


STAT = """cpu  300 0 0 1700 0 0 0 0 0 0
cpu0 100 0 0 900 0 0 0 0 0 0
cpu1 {user} 0 0 {idle} {iowait} 0 0 {steal} 0 0
intr 5
"""


def test_idle_shares_count_waiting_as_idle_and_stolen_time_as_busy():
    before = machine.read_cpu_times(STAT.format(user=100, idle=900, iowait=0, steal=0))
    after = machine.read_cpu_times(STAT.format(user=120, idle=930, iowait=20, steal=30))
    assert machine.idle_shares(before, after) == {1: 0.5}  # core 0 did not tick


def test_own_work_is_not_held_against_others():
    tick = os.sysconf("SC_CLK_TCK")
    before, after = {0: (0, 0), 1: (0, 0)}, {0: (6 * tick, 10 * tick), 1: (9 * tick, 10 * tick)}
    assert machine.others_share(before, after, own_seconds=3.0) == pytest.approx(0.1)
    assert machine.others_share(before, after, own_seconds=5.5) == 0.0
    with machine.others() as share:
        time.sleep(0.05)
    assert 0 <= share[0] <= 1


def test_contenders_that_do_other_work_are_refused():
    x = torch.ones(4, requires_grad=True)
    total = lambda result: result[0].sum().backward()  # noqa: E731
    same = {"a": lambda: (x * 2,), "b": lambda: (x + x,)}
    training.check_same_work(same, total, [x])
    with pytest.raises(AssertionError, match="b differs from a in tensor 0"):
        training.check_same_work({**same, "b": lambda: (x * 2.1,)}, total, [x])
    with pytest.raises(AssertionError, match="b differs from a in tensor 1"):  # the gradient
        training.check_same_work({**same, "b": lambda: (x.detach() * 2 + 0 * x,)}, total, [x])


def test_backward_starts_without_gradients():
    x = torch.ones(4, requires_grad=True)
    contender = training.backward_contender("x", lambda: x * 2, lambda y: y.sum().backward(), [x])
    for _ in range(3):
        contender.call(contender.prepare())
    assert x.grad.tolist() == [2.0] * 4


def test_gradients_accumulate():
    x = torch.ones(4, requires_grad=True)
    contender = training.accumulating_contender("x", lambda: x * 2, lambda y: y.sum().backward(), [x], 8)
    for _ in range(3):
        contender.call(contender.prepare())
    assert x.grad.tolist() == [16.0] * 4


def example():
    """A whole run in which every ratio is 1 : 16 and the two-thread benchmark was skipped."""
    results_of = {}
    for g in goals.GOALS:
        if g.benchmark != "lltm_threads":
            contenders = {g.contender: Spread(2.5e-8, 2e-8, 3e-8), (*g.peers, "peer")[0]: Spread(4e-7, 3e-7, 5e-7)}
            results_of.setdefault((g.benchmark, g.case, g.shape), {}).update(contenders)
    groups = [Group(*key, results) for key, results in results_of.items()]
    outcomes = {q: Outcome([g for g in groups if g.benchmark == q], ["a note"]) for q in BENCHMARKS}
    return report.results(outcomes, MACHINE, quick=False)


def test_results_survive_json(tmp_path):
    found = example()
    report.save(found, tmp_path / "results.json")
    assert report.load(tmp_path / "results.json") == found
    lines = (tmp_path / "results.json").read_text().splitlines()
    groups = sum(len(outcome.groups) for outcome in found["outcomes"].values())
    assert sum(line.startswith('    {"benchmark"') for line in lines) == groups < len(lines) < 3 * groups + 100


def test_a_goal_has_a_verdict_where_it_was_measured():
    by_benchmark = {goal.benchmark: (value, met) for goal, value, met in goals.verdicts(report.groups_of(example()))}
    assert by_benchmark["lltm"] == (0.0625, True) and by_benchmark["lltm_threads"] == (None, None)


def test_the_goal_table_says_met_and_not_met():
    found = example()
    found["outcomes"]["lltm"].groups[0].results["torchthaw"].value = 4e-6
    text = report.goal_table(found)
    assert text.count("**not met**") == 1 and "10.00" in text and "not measured" in text


def test_a_disturbed_run_says_so():
    found = example()
    assert "quiet" not in report.goal_table(found)
    found["outcomes"]["lltm_gemm"].others = 0.2
    assert "no verdict on: lltm_gemm." in report.goal_table(found)


def test_the_kept_run_is_whole():
    kept = report.load(ROOT / "benchmarks" / "results" / "results.json")
    assert kept["quick"] is False and list(kept["outcomes"]) == list(BENCHMARKS)


def test_publishing_writes_every_document(tmp_path):
    for name in report.DOCUMENTS:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n{report.BEGIN}\n{report.END}\n")
    report.publish(example(), tmp_path)
    readme, whole = ((tmp_path / name).read_text() for name in ("README.md", "docs/internals/performance.md"))
    assert "### Goals" not in readme and readme.count("| 0.06 ") == len(goals.HEADLINES)
    assert "### Goals" in whole and report.title("operators") in whole


def test_only_a_whole_run_is_published():
    command = [sys.executable, "-m", "benchmarks", "--publish", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2 and "--publish: expected a whole run" in done.stderr


@pytest.mark.slow
def test_a_compiler_is_timed_with_the_header_of_run_and_without(monkeypatch, tmp_path):
    (tmp_path / "a.cpp").write_text("#ifndef TORCHTHAW_ATEN_REMOVED_H\n#error none\n#endif\n")
    for way in removed_header.WAYS:
        commands = removed_header.commands(way)
        removed_header.seconds(commands["with"], tmp_path)
        with pytest.raises(subprocess.CalledProcessError):
            removed_header.seconds(commands["without"], tmp_path)
    monkeypatch.setattr(removed_header, "SOURCE", "#include <string>\n")
    assert all(seconds > 0 for seconds in removed_header.minima("-fsyntax-only", 2).values())


def test_pictures_show_each_contender_and_cut_long_bars(tmp_path):
    found = report.load(ROOT / "benchmarks" / "results" / "results.json")
    for chart in figures.CHARTS:
        rows = dict(figures.ratios(chart, found))
        assert rows[chart.ours] == 1 and len(rows) >= 4 and list(rows.values()) == sorted(rows.values())
    pytest.importorskip("matplotlib")
    assert figures.draw(found, tmp_path) == [f"{chart.name}.png" for chart in figures.CHARTS]
    assert figures.draw({**found, "outcomes": {}}, tmp_path) == []
