"""tests/support/times.py: what each test and each shared fixture takes in processor time; `make test-all record=1` asks for it.

A test has the mark `slow` where it takes more than LIMIT seconds, its processes and its part of shared fixtures included:
a fixture of a file, a module or the session is divided among the tests that use it. The cheapest of a file needs no mark.
"""

import ast
import os
import re
import statistics
from collections import Counter, defaultdict

import pytest

LIMIT = 0.5  # seconds
SHOWN = 20  # rows of the table of what takes most


def seconds():
    return sum(os.times()[:4])


class Recorder:
    """A plugin of pytest that writes a line for each test and for each set-up of a shared fixture."""

    def __init__(self, file):
        self.file = file
        self.setting_up = 0.0  # seconds that shared fixtures took during the test that runs

    def write(self, *words):
        with open(self.file, "a") as file:
            file.write("\t".join(map(str, words)) + "\n")

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        before, inner = seconds(), self.setting_up
        try:
            return (yield)
        finally:
            taken = seconds() - before
            if fixturedef.scope != "function":
                # Without the fixtures that this one asked for while it was set up: they have lines of their own.
                own = taken - (self.setting_up - inner)
                self.write("fixture", f"{own:.2f}", f"{fixturedef.baseid}::{fixturedef.argname}")
                self.setting_up = inner + taken

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        before, self.setting_up = seconds(), 0.0
        try:
            return (yield)
        finally:
            mark = "slow" if item.get_closest_marker("slow") else "quick"
            taken = seconds() - before - self.setting_up
            self.write("test", f"{taken:.2f}", mark, ascii(item.nodeid), *item.fixturenames)


class Times:
    """What a file of a Recorder says.

    fixtures: {place::name: seconds of all its set-ups}. tests: [(seconds, mark, node id)], with each test's part of them.
    """

    def __init__(self, text):
        rows = [line.split("\t") for line in text.splitlines()]
        self.fixtures = defaultdict(float)
        for _, taken, name in (row for row in rows if row[0] == "fixture"):
            self.fixtures[name] += float(taken)
        tests = [(float(row[1]), row[2], ast.literal_eval(row[3]), row[4:]) for row in rows if row[0] == "test"]
        used = [self._used(node, names) for _, _, node, names in tests]
        users = Counter(name for each in used for name in each)
        self.tests = [
            (taken + sum(self.fixtures[name] / users[name] for name in shared), mark, node)
            for (taken, mark, node, _), shared in zip(tests, used)
        ]

    def _used(self, node, names):
        """The shared fixtures that a test means by these names: of several, that of the nearest folder or file."""
        found = {}
        for key in self.fixtures:
            place, _, name = key.rpartition("::")
            if name in names and node.startswith(place) and len(place) >= len(found.get(name, "")[: -len(name) - 2]):
                found[name] = key
        return list(found.values())

    def wrong_marks(self):
        """Lines on the functions whose mark is not what their tests take.

        The median of a function's tests counts. Between LIMIT / 2 and 2 * LIMIT either is right.
        """
        functions, cheapest = {}, {}
        for taken, mark, name in sorted(self.tests):
            function = re.sub(r"\[.*", "", name, flags=re.DOTALL)
            functions.setdefault(function, (mark, []))[1].append(taken)
            cheapest.setdefault(name.partition("::")[0], function)
        for function, (mark, taken) in sorted(functions.items()):
            takes = statistics.median(taken)
            if mark == "quick" and takes > 2 * LIMIT and function not in cheapest.values():
                yield f"{function}: takes {takes:.2f} s: expected the mark slow, got none"
            if mark == "slow" and takes <= LIMIT / 2:
                yield f"{function}: takes {takes:.2f} s: expected no mark slow, got one"

    def dearest(self):
        """Lines of the SHOWN files and fixtures that take most: seconds of the file's tests, or of the fixture's set-ups."""
        found = Counter(self.fixtures)
        for taken, _, name in self.tests:
            found[name.partition("::")[0]] += taken
        for name in self.fixtures:  # not twice: a file's tests have their parts of its fixtures
            found[name] = self.fixtures[name]
        yield f"in all {sum(taken for taken, *_ in self.tests):.0f} s"
        yield from (f"{taken:6.0f} s  {name}" for name, taken in found.most_common(SHOWN))
