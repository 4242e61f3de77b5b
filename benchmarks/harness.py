"""benchmarks/harness.py: times contenders side by side in one run.

Contenders of one group take turns in small blocks of calls, every round in a
new order, so that a slow moment of the machine strikes all of them alike. A
round yields one mean per contender; the median over the rounds is reported
(the minimum for calls below a microsecond, where every disturbance adds).
"""

import gc
import random
import statistics
import timeit
from dataclasses import dataclass, field
from itertools import repeat
from time import perf_counter_ns
from typing import Callable, Optional


@dataclass(frozen=True)
class Contender:
    """One way to do a group's work.

    ``call()`` is timed. With ``prepare``, its untimed result is handed to
    every call: ``call(prepare())``, as a backward pass needs a fresh graph.
    ``enter()`` runs untimed before each of its turns. ``timer`` replaces the
    call by a statement; see ``statement``.
    """

    name: str
    call: Optional[Callable] = None
    prepare: Optional[Callable] = None
    enter: Optional[Callable] = None
    timer: Optional[timeit.Timer] = None


def statement(name, source, **names):
    """A contender that runs ``source`` itself: no call of ours is in what it times.

    For statements so short that the call of a lambda would count.
    """
    return Contender(name, timer=timeit.Timer(source, globals=names, timer=perf_counter_ns))


@dataclass(frozen=True)
class Effort:
    """How long to measure. Times in seconds.

    A group runs for about ``group_seconds``, but at least ``minimum_rounds``
    and at most ``maximum_rounds``; one contender's turn takes about
    ``block_seconds`` and at least one call. ``without`` names contenders to
    leave out because they are slow to set up.
    """

    group_seconds: float = 6.0
    block_seconds: float = 0.0005  # below a time slice: most turns then run undisturbed
    minimum_rounds: int = 15
    maximum_rounds: int = 2000
    without: tuple = ()


SLOW = ("torch.compile", "compiled cell", "cpp_extension.load", "C++ operator", "pybind11", "stable ABI")
QUICK = Effort(group_seconds=0.6, minimum_rounds=5, without=SLOW)


@dataclass
class Spread:
    """Seconds (or bytes) per call over the rounds of a group."""

    value: float  # what the group's statistic picks
    low: float  # first quartile
    high: float  # third quartile


@dataclass
class Group:
    """The contenders of one benchmark at one shape, measured together."""

    benchmark: str
    case: str  # e.g. "forward"
    shape: str  # e.g. "16, 32, 128"
    results: dict[str, Spread]
    threads: int = 1
    unit: str = "s"
    statistic: str = "median"  # over the rounds; or "minimum", or "exact"
    rounds: int = 1

    def has_any(self, peers):
        """Whether one of ``peers`` took part, or none is needed."""
        return not peers or any(peer in self.results for peer in peers)

    def ratio(self, contender, peers):
        """``contender`` ÷ the smallest of those ``peers`` that took part; ÷ 1 without peers."""
        value = self.results[contender].value
        return value / min(self.results[p].value for p in peers if p in self.results) if peers else value

    def difference(self, contender, peers):
        """``contender`` minus the smallest of those ``peers`` that took part."""
        return self.results[contender].value - min(self.results[p].value for p in peers if p in self.results)


@dataclass
class Outcome:
    """All that one benchmark found; ``notes`` say what was left out, and why."""

    groups: list[Group] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    others: float = 0.0  # share of all cores' time that other programs took meanwhile


def block(contender, calls, clock=perf_counter_ns):
    """Mean seconds per call over ``calls`` calls in a row."""
    call, prepare = contender.call, contender.prepare
    if contender.enter:
        contender.enter()
    if contender.timer:
        return contender.timer.timeit(calls) * 1e-9 / calls
    if prepare is None:
        start = clock()
        for _ in repeat(None, calls):
            call()
        return (clock() - start) * 1e-9 / calls
    spent = 0
    for _ in repeat(None, calls):
        prepared = prepare()
        start = clock()
        call(prepared)
        spent += clock() - start
    return spent * 1e-9 / calls


def _plan(contender, effort, clock):
    """Warm up; return (contender, calls per block, seconds a block occupies)."""
    block(contender, 2, clock)
    calls = 1
    while True:
        start = clock()
        per_call = block(contender, calls, clock)
        occupied = (clock() - start) * 1e-9
        if occupied >= effort.block_seconds:
            break
        calls *= 2
    wanted = max(1, round(effort.block_seconds / max(per_call, 1e-9)))
    return contender, wanted, occupied * (wanted + 1) / calls


def interleave(contenders, effort, clock=perf_counter_ns, seed=0):
    """Seconds per call of each contender in each round: {name: [seconds]}."""
    order = random.Random(seed)
    plans = [_plan(contender, effort, clock) for contender in contenders]
    round_seconds = sum(seconds for _, _, seconds in plans)
    rounds = int(effort.group_seconds / max(round_seconds, 1e-9))
    rounds = min(max(rounds, effort.minimum_rounds), effort.maximum_rounds)

    samples = {contender.name: [] for contender in contenders}
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            order.shuffle(plans)
            for contender, calls, _ in plans:
                block(contender, 1, clock)  # untimed: bring back its code and data
                samples[contender.name].append(block(contender, calls, clock))
    finally:
        if collecting:
            gc.enable()
    return samples


def summarise(samples, statistic="median"):
    """{name: [values]} → {name: Spread}."""
    pick = {"median": statistics.median, "minimum": min}[statistic]
    results = {}
    for name, values in samples.items():
        low, _, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
        results[name] = Spread(pick(values), low, high)
    return results


def compare(benchmark, case, shape, contenders, effort, *, threads=1, statistic="median"):
    """Measure ``contenders`` against each other; returns the Group."""
    samples = interleave(contenders, effort)
    rounds = len(next(iter(samples.values())))
    return Group(
        benchmark,
        case,
        shape,
        summarise(samples, statistic),
        threads=threads,
        statistic=statistic,
        rounds=rounds,
    )
