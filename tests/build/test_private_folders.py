"""tests/build/test_private_folders.py: caches are this user's alone; others' links and files there are refused."""

import ast
import os
import re
import stat
import subprocess
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

import torchthaw
from support import SRC
from support.messages import names
from torchthaw.base import cache as base_cache, private_folders
from torchthaw.check import cells, environments, steps
from torchthaw.cuda_on_cpu import build_device, thrust
from torchthaw.extension import jit
from torchthaw.portable import build as portable_build, headers, jit as portable_jit, operators, runtime_library

OTHER = 54321  # no user's number


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TORCH_EXTENSIONS_DIR", raising=False)
    monkeypatch.setattr(jit, "_loaded", {})
    return tmp_path / "cache"


@pytest.fixture
def umask():
    """The one with which every new file is everybody's, where no mode is given."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def give_away(monkeypatch):
    """give_away(path): makes it another user's; those that are not root are another user then."""

    def give_away(path):
        if os.geteuid() == 0:
            os.lchown(path, OTHER, -1)
        else:
            monkeypatch.setattr(os, "geteuid", lambda: OTHER)

    return give_away


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def load(**options):
    return torchthaw.load_inline("one", c_sources="int one(void) { return 1; }", functions=["one"], **options)


def create(folder):
    folder.mkdir(exist_ok=True)
    (folder / "two.h").write_text("int two(void);\n")
    (folder / "two.c").write_text("int two(void) { return 2; }\n")
    torchthaw.create_extension("two", "two.h", ["two.c"], folder / "build.py").build()


def launcher_home():
    return base_cache.layout("nvcc", {"bin/nvcc": "#!/bin/sh\n"}, {"lib64": "/"})


def cuda_device(folder):
    """What loads PyTorch's CUDA device on the CPU; a file stands for the library, which takes 40 s to compile."""
    (folder / "version.py").write_text("__version__ = '2.13.0'\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build_device, "_build", lambda made, *_: (made / build_device.NAME).touch())
        return build_device.library(os.fspath(folder))


def thrust_headers(folder):
    (folder / "cccl" / "thrust").mkdir(parents=True, exist_ok=True)
    (folder / "cccl" / "thrust" / "sort.h").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thrust, "folder", lambda: folder / "cccl")
        return thrust.flags()


def portable_operators(folder):
    """The list of operators; an empty one stands for PyTorch's, which takes seconds to read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(operators, "_generate", dict)
        return operators.operators()


def checked(folder):
    """A check whose environments cannot be made."""
    (folder / "source").mkdir(exist_ok=True)
    asked = {"torch": ["newest"], "python": ["3.10"], "words": [], "packages": [], "index": None, "seconds": 1}
    asked |= dict.fromkeys(("build", "by_run", "portable", "again", "fresh"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(environments.Environment, "make", Mock(side_effect=steps.StepError("none")))
        matrix = cells.Matrix(folder / "source", SimpleNamespace(**asked))
        return [matrix.check(each, print) for each in matrix.cells()]


class Compiled:
    """Stands for a portable extension, which takes a minute to compile."""

    def __init__(self, *given, **options):
        pass

    def make(self, keep_intermediates):
        return None

    def load(self, is_python_module):
        return None


def portable_load(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(portable_build, "options", lambda sources, **options: options)
        patch.setattr(portable_build, "Portable", Compiled)
        patch.setattr(portable_jit, "_loaded", {})
        return portable_jit._load("one", None, True, False, {}, lambda folder: [])


@pytest.mark.slow
def test_all_that_is_made_is_for_this_user_alone(cache, tmp_path, umask):
    assert load().one() == 1
    create(tmp_path / "project")
    home = launcher_home()
    folders = [cache, *(path for path in cache.rglob("*") if path.is_dir() and not path.is_symlink())]
    roots = [path for path in folders if len(path.relative_to(cache).parts) < 3 or path == home]
    assert {"build", "extensions", "nvcc"} <= {path.name for path in roots} and home in roots
    assert [path for path in roots if mode(path) != 0o700] == []


def test_one_process_makes_a_folder_and_the_others_wait_for_it(cache, tmp_path):
    code = """
import sys, time
from torchthaw.base import cache

def fill(folder):
    time.sleep(0.3)
    (folder / "file").write_text("whole")
    print("made", flush=True)

assert (cache.made_once("kind", "key", fill) / "file").read_text() == "whole"
"""
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(SRC)})
        for _ in range(3)
    ]  # fmt: skip
    assert sorted(each.communicate()[0] for each in processes) == ["", "", "made\n"]
    assert [each.returncode for each in processes] == [0, 0, 0]


def test_a_folder_that_could_not_be_filled_is_not_there(cache):
    def fill(folder):
        (folder / "file").touch()
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        base_cache.made_once("kind", "key", fill)
    assert [path.name for path in (cache / "kind").iterdir()] == [".lock"]
    (cache / "kind" / ".key.new").mkdir()  # of a process that was killed
    (cache / "kind" / ".key.new" / "half").touch()
    made = base_cache.made_once("kind", "key", lambda folder: (folder / "file").touch())
    assert [path.name for path in made.iterdir()] == ["file"]


def test_the_default_is_for_this_user_alone(monkeypatch, tmp_path, umask):
    for name in ("TORCHTHAW_CACHE", "TORCH_EXTENSIONS_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(jit, "_loaded", {})
    load()
    assert (mode(tmp_path / ".cache"), mode(tmp_path / ".cache" / "torchthaw")) == (0o700, 0o700)


# What uses the cache: (folders, a call that uses them, the modules that do so).
PLACES = {
    "load": (("extensions", "extensions/{tag}", "extensions/{tag}/one"), lambda folder: load(), ("extension/jit.py",)),
    "create_extension": (
        ("build", "build/{build}"), lambda folder: create(folder / "project"),
        ("extension/build.py", "legacy/ffi/legacy_extension.py"),
    ),
    "layout": (
        ("nvcc", "nvcc/{nvcc}"), lambda folder: launcher_home(),
        ("cuda_on_cpu/__main__.py", "cuda_on_cpu/toolkit_folder.py", "extension/nvidia_packages.py", "legacy/cpp/moved_headers.py",
         "legacy/cpp/pybind11_headers.py", "legacy/run/cmake.py", "legacy/run/compiler_launchers.py",
         "legacy/run/stand_ins/numpy_distutils.py"),
    ),
    "check": (
        ("check", "check/{check}", "check/{check}/torch-newest-python-3.10"), checked, ("check/cells.py",)
    ),
    "device": (("cuda_device", "cuda_device/{cuda_device}"), cuda_device, ("cuda_on_cpu/build_device.py",)),
    "thrust": (("thrust", "thrust/{thrust}"), thrust_headers, ("cuda_on_cpu/thrust.py",)),
    "portable headers": (
        ("portable_headers", "portable_headers/{portable_headers}"), lambda folder: headers.folder(), ("portable/headers.py",)
    ),
    "portable operators": (
        ("portable_operators", "portable_operators/{portable_operators}"), portable_operators, ("portable/operators.py",)
    ),
    "portable runtime": (
        ("portable", "portable/{portable}"), lambda folder: runtime_library.stubs(), ("portable/runtime_library.py",)
    ),
    "portable.load": (("extensions/{tag}/portable", "extensions/{tag}/portable/one"), portable_load, ("portable/jit.py",)),
}  # fmt: skip
CASES = [(name, place) for name, (places, *_) in PLACES.items() for place in places]


@pytest.fixture
def made(cache, tmp_path, request):
    """(a folder of a cache that is in use, a call that uses it)"""
    name, place = request.param
    PLACES[name][1](tmp_path)
    found = {path.parent.name: path.name for path in cache.glob("*/*") if path.is_dir()}
    jit._loaded.clear()
    return cache / place.format(tag=sys.implementation.cache_tag, **found), lambda: PLACES[name][1](tmp_path)


def modules(finds):
    """The modules of torchthaw for whose tree ``finds`` is true."""
    package = SRC / "torchthaw"
    return {
        path.relative_to(package).as_posix() for path in package.rglob("*.py") if finds(ast.parse(path.read_text()))
    }


@pytest.mark.slow
def test_each_use_of_the_cache_is_tried_here():
    """Those that go around base/cache.py would be found below; those that use it have a row in PLACES."""

    def uses(tree):
        return any(
            isinstance(node, ast.ImportFrom) and any(alias.name == "cache" for alias in node.names)
            and (node.module or "").endswith("base") for node in ast.walk(tree)
        )  # fmt: skip

    assert modules(uses) == {module for *_, used in PLACES.values() for module in used}


@pytest.mark.slow
def test_nothing_goes_around_the_one_way_to_the_cache():
    """Whoever would, has to know one of these names."""
    known = {"TORCHTHAW_CACHE", "TORCH_EXTENSIONS_DIR", "XDG_CACHE_HOME", "private_folders"}

    def knows(tree):
        words = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        words += [alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names]
        return any(word in known or isinstance(word, str) and ".cache" in word for word in words)

    allowed = {
        "base/cache.py",
        "extension/jit.py",  # TORCH_EXTENSIONS_DIR in place of the cache, given to it
        "modernize/trials/projects.py",  # chooses one for child processes
        "selftest/__init__.py",  # the same
        "selftest/facts.py",  # prints the variables
    }
    assert modules(knows) == allowed


@pytest.mark.parametrize("made", CASES, indirect=True)
def test_a_folder_that_others_could_enter_is_closed(made):
    folder, use = made
    folder.chmod(0o775)
    use()
    assert mode(folder) == 0o700


@pytest.mark.parametrize("made", CASES, indirect=True)
def test_a_link_is_not_followed(made, tmp_path):
    folder, use = made
    folder.rename(tmp_path / "planted")
    folder.symlink_to(tmp_path / "planted")
    before = sorted(tmp_path.joinpath("planted").rglob("*"))
    with pytest.raises(PermissionError, match=names(folder, "symbolic", "link")):
        use()
    assert sorted(tmp_path.joinpath("planted").rglob("*")) == before


@pytest.mark.parametrize("made", CASES, indirect=True)
def test_the_folder_of_another_user_is_refused(made, give_away):
    folder, use = made
    give_away(folder)
    with pytest.raises(PermissionError, match=f"it belongs to user .*, and this is user {os.geteuid()}"):
        use()


@pytest.mark.parametrize("made", CASES, indirect=True)
def test_what_others_may_have_planted_is_refused_each_time(made):
    folder, use = made
    folder.chmod(0o777)
    planted = folder / "planted"
    planted.touch()
    planted.chmod(0o666)
    for _ in range(2):
        with pytest.raises(PermissionError, match=names(planted, "users", "remove")):
            use()
        assert mode(folder) == 0o777
    planted.unlink()
    use()
    assert mode(folder) == 0o700


def test_a_file_of_another_user_is_refused(tmp_path, give_away):
    folder = tmp_path / "cache" / "build"
    private_folders.make(folder, tmp_path / "cache")
    (folder / "one.o").touch()
    folder.chmod(0o770)
    give_away(folder / "one.o")
    with pytest.raises(PermissionError, match="it belongs to user"):
        private_folders.make(folder, tmp_path / "cache")


@pytest.mark.parametrize("variable", ["TORCHTHAW_CACHE", "TORCH_EXTENSIONS_DIR"])
def test_the_chosen_folder(cache, tmp_path, monkeypatch, give_away, variable):
    """It may be a link and stays as it is; everybody's is refused unless it is as /tmp, and so is another user's."""
    chosen = tmp_path / "chosen"
    (tmp_path / "real").mkdir()
    chosen.symlink_to(tmp_path / "real")
    monkeypatch.setenv(variable, str(chosen))
    for allowed in (0o755, 0o775, 0o1777):
        chosen.chmod(allowed)
        jit._loaded.clear()
        assert load().one() == 1
        assert (mode(tmp_path / "real"), {mode(path) for path in chosen.iterdir()}) == (allowed, {0o700})
    chosen.chmod(0o777)
    jit._loaded.clear()
    with pytest.raises(PermissionError, match=names(variable, chosen, "users")):
        load()
    chosen.chmod(0o755)
    give_away(chosen)
    with pytest.raises(PermissionError, match=f"^{variable}: expected .*{chosen}: it belongs to user"):
        load()


def test_the_advice_where_nothing_was_chosen(monkeypatch, tmp_path):
    for name in base_cache.CHOICES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".cache" / "torchthaw").mkdir(parents=True)
    (tmp_path / ".cache" / "torchthaw").chmod(0o777)
    monkeypatch.setattr(jit, "_loaded", {})
    with pytest.raises(PermissionError, match=names("users", "TORCHTHAW_CACHE")):
        load()


def test_a_build_directory_is_as_the_caller_made_it_unless_it_is_everybody_s(cache, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    folder.chmod(0o775)
    assert load(build_directory=folder).one() == 1 and mode(folder) == 0o775
    folder.chmod(0o1777)
    with pytest.raises(PermissionError, match=names("build_directory", "users")):
        load(build_directory=folder)


def test_the_lock_is_no_link(cache, tmp_path):
    """Taking the lock once emptied the file that a planted link leads to."""
    folder, target = tmp_path / "mine", tmp_path / "precious"
    folder.mkdir()
    target.write_text("precious")
    (folder / ".lock").symlink_to(target)
    with pytest.raises(OSError, match="symbolic links"):
        load(build_directory=folder)
    assert target.read_text() == "precious"


def test_run_does_without_a_launcher_in_a_folder_of_others(tmp_path):
    """It says why, and takes nothing from there."""
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    (tmp_path / "script.py").write_text("import os\nprint('CMAKE_LIBRARY_PATH' in os.environ)\n")
    given = {key: value for key, value in os.environ.items() if key != "CMAKE_LIBRARY_PATH"}
    done = subprocess.run(
        [sys.executable, "-m", "torchthaw", "run", "script.py"], cwd=tmp_path, capture_output=True, text=True,
        env={**given, "TORCHTHAW_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(SRC)},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "False\n")
    assert re.search(names("users", tmp_path / "cache"), done.stderr) and not any((tmp_path / "cache").iterdir())
