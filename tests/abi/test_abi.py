"""tests/abi/test_abi.py: extensions as every version of the bridge had them made work with today's bridge.

tests/abi/<version>/ holds them as text; `python tests/support/abi_snapshot.py` writes the one of today's version.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest

from support import ROOT, SRC, TESTS, abi_snapshot, foreign_python
from torchthaw.base import toolchain
from torchthaw.cuda_on_cpu import toolkit_folder
from torchthaw.extension import ninja
from torchthaw.extension.create import LIMITED_API

BRIDGE = abi_snapshot.BRIDGE
TODAY = abi_snapshot.version_of(BRIDGE / "bridge.h")
SNAPSHOTS = abi_snapshot.snapshots()
EVERY_SNAPSHOT = pytest.mark.parametrize("snapshot", SNAPSHOTS, ids=lambda path: path.name)
EVERY_EXTENSION = pytest.mark.parametrize("name", abi_snapshot.EXTENSIONS)
EVERY_KEPT_EXTENSION = pytest.mark.parametrize("snapshot, name", [
    pytest.param(snapshot, name, id=f"{name}-{snapshot.name}")
    for snapshot in SNAPSHOTS for name in abi_snapshot.extensions(snapshot)
])  # fmt: skip

# The bridge in the folder lib/ of the first argument; a library of TH is found there too.
RUN = """
import sys
from pathlib import Path
from torchthaw.base import config

if sys.argv[1]:
    config.prefix = lambda: Path(sys.argv[1])
import pytest
raise SystemExit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""


def check(package, prefix=""):
    """Runs the check.py of a package that was built; prefix: where another bridge lies."""
    return subprocess.run(
        [sys.executable, "-c", RUN, str(prefix), str(package / "check.py"), "--rootdir", str(package.parent)],
        capture_output=True, text=True, cwd=package.parent, env={**os.environ, "PYTHONPATH": str(SRC)},
    )  # fmt: skip


def text_without_comments(path):
    """The code of a C file, on one line."""
    return " ".join(re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S).split())


@pytest.mark.slow
@EVERY_KEPT_EXTENSION
def test_an_extension_of_every_version_works(snapshot, name, tmp_path):
    package = abi_snapshot.build(snapshot, name, tmp_path)
    done = check(package)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


def test_todays_version_has_a_snapshot():
    snapshot = TESTS / "abi" / ".".join(map(str, TODAY))
    assert snapshot.is_dir(), "raised versions begin with `python tests/support/abi_snapshot.py`"
    for name in ("bridge.h", "regions.h"):
        assert text_without_comments(BRIDGE / name) == text_without_comments(snapshot / name), (
            f"{name} is another than that of {snapshot.name}: raise THAW_BRIDGE_MINOR; "
            "docs/internals/abi.md has the rules"
        )


@EVERY_SNAPSHOT
def test_a_snapshot_names_no_machine(snapshot):
    for path in snapshot.rglob("*"):
        if path.is_file():
            assert not re.search(r"""["'<](/|[A-Z]:)|/(home|root|tmp|work)/""", path.read_text()), path


@pytest.mark.slow
@EVERY_EXTENSION
def test_the_command_writes_one_that_works(name, tmp_path):
    """As it stands, with what create_extension writes today."""
    abi_snapshot.write(tmp_path / "today")
    done = check(abi_snapshot.build(tmp_path / "today", name, tmp_path))
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


def test_a_snapshot_is_not_overwritten(monkeypatch):
    with pytest.raises(SystemExit, match="exists: raise THAW_BRIDGE_MINOR"):
        abi_snapshot.main()


@pytest.mark.skipif(shutil.which("aarch64-linux-gnu-g++") is None, reason="not installed: aarch64-linux-gnu-g++")
def test_structs_are_the_same_on_aarch64(tmp_path):
    """The build compiles the same file for this machine."""
    folders = [toolkit_folder.HEADERS, ROOT / "c_api", ROOT / "c_api" / "include"]
    flags = ["-std=c++17", "-fsyntax-only", "-w", "-DTORCHTHAW_BRIDGE", f"-D{'='.join(LIMITED_API)}"]
    includes = [*(f"-I{folder}" for folder in folders), "-isystem", foreign_python.headers(tmp_path)]
    command = ["aarch64-linux-gnu-g++", *flags, *includes, TESTS / "abi" / "test_abi_layout.cpp"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# A bridge of the future

LONGER = {
    "thaw_parameter": "    const char *unit;\n", "thaw_function": "    const char *unit;\n    int order, width;\n",
    "thaw_region": "    void *later;\n", "thaw_module": "    const char *licence;\n",
    "thaw_bridge": "    void (*later)(void);\n",
}  # fmt: skip
# A line of load.cpp after which a function's records are read, and what the later bridge has there.
READ = "        callable.names = to->names.data() + to->names.size();"
NOT_ZERO = """
    if (module_.licence != nullptr || callable.unit != nullptr || callable.order != 0) return lacks("zeros");
    for (int i = 0; i < function.parameter_count; ++i) {
        if (callable.parameters[i].unit != nullptr) return lacks("zeros of a parameter");
    }
"""


@pytest.fixture(scope="module")
def later(tmp_path_factory):
    """A folder with the bridge of a later version in lib/, whose records are all longer, and its source.

    It refuses extensions whose records have something in the fields that only this bridge has.
    """
    folder = tmp_path_factory.mktemp("later")
    header = (BRIDGE / "bridge.h").read_text()
    for record, fields in LONGER.items():
        header, count = re.subn(rf"^}} {record};", f"{fields}}} {record};", header, flags=re.M)
        assert count == 1
    header = header.replace(f"MINOR {TODAY[1]}", f"MINOR {TODAY[1] + 1}")
    header = header.replace("X(THAW_THC_STORAGE, 19)", "X(THAW_THC_STORAGE, 19) X(THAW_LATER, 20)")
    shutil.copytree(BRIDGE, folder / "bridge")
    shutil.copytree(BRIDGE.parent / "legacy" / "ffi" / "structs", folder / "structs")
    (folder / "bridge" / "bridge.h").write_text(header)
    source = (folder / "bridge" / "torch" / "load.cpp").read_text()
    assert source.count(READ) == 1
    (folder / "bridge" / "torch" / "load.cpp").write_text(source.replace(READ, f"{READ}\n{NOT_ZERO}"))
    flags = ["-std=c++17", "-O1", "-fPIC", f"-D{'='.join(LIMITED_API)}", f"-I{toolchain.python_include()}"]
    (folder / "lib").mkdir()
    sources = {path: [] for path in sorted(folder.rglob("*.cpp"))}
    (folder / "build.ninja").write_text(
        ninja.shared_object("lib/_bridge.abi3.so", sources, [*flags, f"-I{folder}"], [])
    )
    ninja.run(folder)
    (folder / "lib" / "libth.so.1").symlink_to(abi_snapshot.config.library("th"))
    return folder


@pytest.mark.slow
@EVERY_EXTENSION
def test_a_later_bridge_reads_shorter_records(later, name, tmp_path):
    done = check(abi_snapshot.build(SNAPSHOTS[-1], name, tmp_path), later)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_an_extension_of_a_later_bridge_is_refused(later, tmp_path):
    package = abi_snapshot.build(SNAPSHOTS[-1], "pointers", tmp_path, headers=later / "bridge")
    done = check(package, later)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr
    done = check(package)
    version, here = ".".join(map(str, (TODAY[0], TODAY[1] + 1))), ".".join(map(str, TODAY))
    message = (
        rf"ImportError: pointers._pointers: built for torchthaw's bridge {version}, got {here}, which lacks "
        r"a field of thaw_region; upgrade torchthaw"
    )
    assert re.search(message, done.stdout), done.stdout + done.stderr
