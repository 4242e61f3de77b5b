"""tests/legacy/modernize/test_modernize_examples.py: the samples of examples/legacy, modernized as a user does, built
as wheels, and run in environments of their own by the assertions of their old tests."""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from support import ROOT, SRC
from support.modernize import has_toolkit, names, state
from torchthaw.cli import main

# Each test alone modernizes a sample, which takes up to 14 s; together they share that.
pytestmark = [pytest.mark.timeout(1200), pytest.mark.slow]
SAMPLES = {"script": "my_lib", "package": "my_package", "pooling": "pooling", "cuda": "my_package"}
PARTS = ("python", "generated_tests", "comparison", "replacements")
# No GPU, and one architecture where all code is for GPUs.
ENVIRONMENT = {"PYTHONPATH": "", "CUDA_VISIBLE_DEVICES": "", "TORCH_CUDA_ARCH_LIST": "9.0"}


needs_toolkit = pytest.mark.skipif(not has_toolkit(), reason="no CUDA toolkit")
BUILT = [pytest.param(name, marks=needs_toolkit if name == "cuda" else ()) for name in SAMPLES]


def run(folder, *command, **environment):
    """What a command prints in ``folder``."""
    done = subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True,
        env={**os.environ, **ENVIRONMENT, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def modernize(*words):
    """(the exit status of the command in this process, its report as JSON)"""
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()) as printed:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        status = main(["modernize", *map(str, words), "--json"])
    return status, json.loads(printed.getvalue())


@pytest.fixture(scope="module")
def modernized(tmp_path_factory):
    """modernized(sample) -> (the copy that was modernized, the result, the report as JSON); each once.

    "script" as a user does it, the others in this process; "cuda" without the comparison, which has only CPU tensors.
    """
    made, folder = {}, tmp_path_factory.mktemp("samples")

    def modernized(name):
        if name not in made:
            skipped = shutil.ignore_patterns("__pycache__", "_ext", "build", "*.egg-info")
            shutil.copytree(ROOT / "examples" / "legacy" / name, folder / name, ignore=skipped)
            before = state(folder / name)
            if name == "script":
                words = ("modernize", name, "--output", f"new/{name}", "--json")
                report = json.loads(run(folder, sys.executable, "-m", "torchthaw", *words, PYTHONPATH=str(SRC)))
            else:
                fewer = ["--no-compare"] if name == "cuda" else []
                status, report = modernize(folder / name, "--output", folder / "new" / name, *fewer)
                assert status == 0
            assert state(folder / name) == before
            made[name] = folder / name, folder / "new" / name, report
        return made[name]

    return modernized


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """environment(wheel) -> the Python of a new environment that has PyTorch, torchthaw and this wheel."""
    folder, made = tmp_path_factory.mktemp("environments"), []

    def make(wheel):
        venv = folder / f"venv{len(made)}"
        made.append(venv)
        run(folder, sys.executable, "-m", "venv", "--without-pip", venv)
        (purelib,) = venv.glob("lib/python*/site-packages")
        # What is installed here, and torchthaw as it would be: without the other packages of this checkout.
        seen = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
        (purelib / "packages.pth").write_text("\n".join(seen))
        (purelib / "torchthaw").symlink_to(SRC / "torchthaw")
        shutil.unpack_archive(wheel, purelib, "zip")
        return venv / "bin" / "python"

    return make


@pytest.fixture(scope="module")
def built(modernized, tmp_path_factory):
    """built(sample) -> {"sdist": its source distribution, "wheel": its wheel where it can be built}; each once."""
    made = {}
    code = "import sys, setuptools.build_meta as b; [getattr(b, f'build_{each}')('..') for each in sys.argv[1:]]"

    def build(name):
        if name not in made:
            folder = tmp_path_factory.mktemp("built")
            shutil.copytree(modernized(name)[1], folder / "source")
            kinds = {"sdist": "*.tar.gz", "wheel": "*.whl"}
            if name == "cuda" and not has_toolkit():
                del kinds["wheel"]
            run(folder / "source", sys.executable, "-c", code, *kinds, PYTHONPATH=str(SRC))
            made[name] = {kind: next(folder.glob(pattern)) for kind, pattern in kinds.items()}
        return made[name]

    return build


@pytest.fixture(autouse=True)
def all_parts():
    for name in PARTS:
        pytest.importorskip(f"torchthaw.modernize.{name}")


@pytest.mark.parametrize("name", SAMPLES)
def test_the_result_names_nothing_of_the_past(modernized, name):
    _, result, report = modernized(name)
    assert report["package"] == SAMPLES[name]
    for path in result.rglob("*.py"):
        text = path.read_text()
        assert not re.search(r"torch\.utils\.ffi|torchthaw\.legacy|create_extension|_wrap_function|Variable\(", text), (
            path
        )
    assert {"pyproject.toml", "setup.py", "MANIFEST.in", "MODERNIZED.md"} <= names(result)
    assert not {"build.py", "make.sh", "test.py"} & names(result)
    text = (result / "setup.py").read_text()
    assert "th=True" in text and "sm_" not in text and '.o"' not in text


@pytest.mark.parametrize("name", SAMPLES)
def test_c_stays_as_it_is(modernized, name):
    old, new, _ = modernized(name)
    for path in old.rglob("src/**/*"):
        if path.is_file():
            assert (new / path.relative_to(old)).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", BUILT)
def test_the_wheel_passes_the_old_test(modernized, built, environment, name, tmp_path):
    python = environment(built(name)["wheel"])
    shutil.copy(modernized(name)[1] / "tests" / "test.py", tmp_path / "old_test.py")
    past = "('torchthaw.legacy.run.patches', 'torch.utils.ffi')"
    code = f"""import runpy, sys
runpy.run_path("old_test.py", run_name="__main__")
print([each for each in sys.modules if each.startswith({past})], "{SAMPLES[name]}" in sys.modules)
"""
    assert run(tmp_path, python, "-c", code).splitlines()[-2:] == ["ok", "[] True"]


@pytest.mark.parametrize("name", ["script", "pooling"])
def test_the_new_tests_pass(modernized, built, environment, name, tmp_path):
    python = environment(built(name)["wheel"])
    shutil.copytree(modernized(name)[1] / "tests", tmp_path / "tests")
    printed = run(tmp_path, python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert re.search(r"\b\d+ passed", printed) and "failed" not in printed


@pytest.mark.parametrize("name", ["script", "package", "pooling"])
def test_old_and_new_compute_the_same(modernized, name):
    rows = modernized(name)[2]["comparison"]
    assert rows and {row["outcome"] for row in rows} <= {"equal", "not compared"}
    assert "equal" in {row["outcome"] for row in rows}


@pytest.mark.parametrize("name", SAMPLES)
def test_check_says_the_same(modernized, name):
    old, _, report = modernized(name)
    status, found = modernize(old, "--check")
    assert status == (report["counts"]["look"] > 0)
    assert found["files"] == report["files"] and found["changed"] == report["changed"]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_source_distribution_has_all(modernized, built, name, tmp_path):
    """Its files are enough to build: every C file is in it."""
    shutil.unpack_archive(built(name)["sdist"], tmp_path / "sdist")
    (folder,) = (tmp_path / "sdist").iterdir()
    assert {path for path in names(modernized(name)[1]) if path.startswith(("src/", "tests/"))} <= names(folder)
