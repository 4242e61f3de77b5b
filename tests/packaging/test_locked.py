"""tests/packaging/test_locked.py: what make installs is pinned with the hashes of its files, PyTorch and its packages
excepted."""

import re
import sys

import pytest

from support import ROOT

sys.path.insert(0, str(ROOT / ".ci"))
lock = pytest.importorskip("lock", reason="a source distribution has no .ci")
sys.path.pop(0)


def text(name):
    return (lock.LOCKED / f"{name}.txt").read_text()


def pins(text):
    """{(package, version)} of a file with requirements."""
    found = re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==([^\s;\\]+)", text, re.M)
    assert len(found) == sum(1 for line in text.splitlines() if re.match(r"\w", line))
    return {(lock.package(name), version) for name, version in found}


@pytest.mark.parametrize("name", lock.BELOW)
def test_every_package_has_its_version_and_hashes(name):
    for entry in lock.entries(text(name)):
        first, *hashes = re.split(r" (?=--hash=)", entry.strip())
        assert re.fullmatch(r"[a-z0-9.-]+==\S+( ; [^;]+)?", first), first
        assert hashes and all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", each) for each in hashes), first


@pytest.mark.parametrize("name", lock.BELOW)
def test_a_locked_file_follows_its_source(name):
    """A changed version without a run of .ci/lock.py is seen here."""
    there = set().union(*(pins(text(each)) for each in (name, *lock.BELOW[name])))
    wanted = pins(lock.source(name)[1])
    assert wanted and wanted <= there
    constraints = (lock.PINS / "constraints.txt").read_text()
    held = {package: {v for p, v in pins(constraints) if p == package} for package, _ in pins(constraints)}
    direct = {package for package, _ in wanted}
    assert all(version in held.get(package, {version}) for package, version in there if package not in direct)


@pytest.mark.parametrize("name", [name for name, below in lock.BELOW.items() if below])
def test_what_is_installed_on_top_repeats_nothing(name):
    below = {entry for each in lock.BELOW[name] for entry in lock.entries(text(each))}
    assert below and not below & set(lock.entries(text(name)))


def test_pytorch_is_left_to_its_index():
    assert not [entry for name in lock.BELOW for entry in lock.entries(text(name)) if lock.package(entry) == "torch"]


def test_the_tools_of_a_language_come_with_hashes():
    (entry,) = lock.locked(lock.LANGUAGES, ["ziglang==0.15.2"])
    assert entry.startswith("ziglang==0.15.2 --hash=")
