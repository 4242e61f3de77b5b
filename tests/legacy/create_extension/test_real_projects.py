# tests/legacy/create_extension/test_real_projects.py: how real projects deviate from what they were told.
import re
import subprocess

import pytest
import torch

from support import tree
from support.legacy_project import files, imported, output, python, run_compiler
from support.messages import names
from torchthaw.cli import main
from torchthaw.extension import BuildError


@pytest.fixture(scope="module")
def built(folder):
    """(the project's folder, what building it printed to stderr); run from another folder, as a script may be."""
    project, elsewhere = folder / "project", folder / "elsewhere"
    files(project, tree.SOURCES)
    files(elsewhere, {"include/place.h": "#define PLACE 1 /* in the current folder */\n"})
    for command in tree.COMMANDS:
        run_compiler(project, *command)
    (project / "made").rename(elsewhere / "made")
    stale = {f"native/_ext/all/{name}": "stale" for name in tree.STALE}
    files(project, {"native/__init__.py": "", "native/_ext/__init__.py": "", **stale})
    result = python(elsewhere, project / "build.py")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout == ""
    return project, result.stderr


@pytest.fixture
def lib(built, monkeypatch):
    monkeypatch.syspath_prepend(str(built[0]))
    return imported("native._ext.all")


def of_typedef(lib):
    out = torch.FloatTensor()
    return lib.of_typedef(torch.ones(3), out) == 27 and out.shape == (1, 1, 3, 1)


def generic(lib, kind):
    x = kind([[1, 2], [3, 4]]).t()
    getattr(lib, f"native_{kind.__name__[:-6]}_scale")(x, 2)
    return x.tolist() == [[2, 6], [4, 8]] and getattr(lib, f"native_{kind.__name__[:-6]}_total")(x) == 20


MATRIX = torch.arange(6.0).view(2, 3)
WORKS = {
    "extra-objects": lambda lib: lib.from_object() == 21,
    "extra-objects-prebuilt": lambda lib: (lib.from_shared(), lib.from_archive()) == (22, 23),
    "relative-paths": lambda lib: lib.from_include_folder() == 1,  # the current folder first, then the build file's
    "header-as-string": lambda lib: lib.flip(False) is True,
    "header-with-directives": lambda lib: callable(lib.walk),
    "header-with-macros": lambda lib: (lib.LIMIT, lib.AREA) == (9, 18) and of_typedef(lib),
    "cpp-host-sources": lambda lib: (lib.from_cpp(MATRIX), lib.from_cc(MATRIX)) == (2, 6),
    "std-c99-in-c++": lambda lib: lib.from_cpp(MATRIX) == 2,  # ignored there
    "bool-in-c": lambda lib: (lib.flip(True), lib.flip(0)) == (False, True),
    "struct-access": lambda lib: (
        (lib.walk(MATRIX.t(), 2, 1), lib.walk(MATRIX[1:], 0, 2)) == (5, 5) and lib.first_of_storage(MATRIX) == 0
    ),
    "generic-code": lambda lib: generic(lib, torch.FloatTensor) and generic(lib, torch.DoubleTensor),
    "wrong-printf-types": lambda lib: lib.checked(MATRIX) == 2,  # harmless while the check passes
    "openmp": lambda lib: lib.threads() == 2,  # with the flag parallel
    "aten-named-only": lambda lib: lib.from_cpp(MATRIX) == 2,  # a header that is included and not used
}


@pytest.mark.slow
@pytest.mark.parametrize("case", WORKS)
def test_project(case, lib):
    assert WORKS[case](lib)


def test_missing_object_is_named(create, project):
    """extra_objects must exist."""
    ffi = create("no_object", "src/twice.h", ["src/twice.c"], False, extra_objects=["src/gone.o"])
    with pytest.raises(BuildError, match=names("extra_objects", "file", "'src/gone.o'")):
        ffi.build()
    assert not (project / "no_object" / "_no_object.so").exists()


def lines_about(stderr, name):
    return [line for line in stderr.splitlines() if name in line and line.startswith("torchthaw: ")]


@pytest.mark.slow
def test_missing_cuda_object_is_left_out(built, create, project, capfd):
    """An object that nvcc was to make is left out, with a line on stderr."""
    (line,) = lines_about(built[1], "never.cu.o")
    assert line.endswith("is left out: it was not built, and it is CUDA code")
    missing = ["src/one.o", "src/two.o"]
    files(project, dict.fromkeys(["src/one.cu", "src/two_kernel.cu"], "__global__ void kernel() {}\n"))
    create("sibling", "src/twice.h", ["src/twice.c"], False, extra_objects=missing).build()
    printed = capfd.readouterr().err
    assert all(lines_about(printed, name) for name in missing) and imported("sibling").twice(1) == 2


@pytest.mark.slow
def test_committed_cuda_object_is_left_out(built, lib):
    """It is there, and would leave __cudaUnregisterFatBinary undefined."""
    (line,) = lines_about(built[1], "kernel.cu.o")
    assert line.endswith("is left out: it holds CUDA code, and this build is for the CPU")
    words = ["nm", "-D", str(built[0] / "native" / "_ext" / "all" / "_all.so")]
    symbols = subprocess.run(words, capture_output=True, text=True).stdout
    assert "from_object" in symbols and "cuda" not in symbols and lib.from_object() == 21


@pytest.mark.slow
def test_stale_products_go(built):
    """Python would take one with a tag for the new module."""
    assert [path.name for path in (built[0] / "native" / "_ext" / "all").glob("*.so")] == ["_all.so"]


@pytest.mark.slow
def test_stale_binary_is_not_imported(project):
    """An extension that cffi built on its own, as all were, below a wrapper of that time."""
    files(project, {
        "make.py": "import cffi\nffi = cffi.FFI()\nffi.cdef('int twice(int value);')\n"
        "ffi.set_source('_old', 'static int twice(int value) { return 2 * value; }')\n"
        "ffi.compile(tmpdir='old', verbose=False)\n",
        "old/__init__.py": "from torch.utils.ffi import _wrap_function\nfrom ._old import lib, ffi\n"
        "twice = _wrap_function(lib.twice, ffi)\n",
    })  # fmt: skip
    assert python(project, "make.py").returncode == 0
    code = "try:\n    import old\nexcept ImportError as error:\n    print(error)\n"
    printed = output(project, code)
    assert re.search(names("torch.utils.ffi", "stale", "file"), printed)


@pytest.mark.slow
def test_absolute_paths_are_taken_as_they_are(built):
    """The build file names its objects, and a source of `alone`, from its own place."""
    assert (built[0] / "alone" / "_alone.so").exists()


@pytest.mark.slow
def test_language_and_source_extension(built):
    """Accepted; a misspelt argument gives a warning."""
    assert "UserWarning: Unknown Extension options: 'langauge'" in built[1]
    assert built[1].count("Unknown Extension options") == 1


@pytest.mark.slow
def test_same_symbols_stay_apart(built, lib):
    """In several extensions of one tree."""
    first, second = imported("native._ext.first"), imported("native._ext.second")
    assert (first.which(), second.which(), first.shared_state, second.shared_state) == (1, 2, 100, 200)
    assert (first.next(), second.next(), first.next(), second.next()) == (101, 201, 102, 202)


@pytest.mark.slow
def test_stand_alone_name(built, lib):
    """A folder beside the package's code."""
    assert imported("alone").which() == 2


def test_openmp_pragmas_without_the_flag(create, project):
    """They are ignored."""
    files(project, {"src/twice.c": """
        int twice(int value) {
          int count = 0;
          #pragma omp parallel num_threads(2) reduction(+ : count)
          count += 1;
          return count == 1 ? 2 * value : 0;
        }
    """})  # fmt: skip
    create("pragmas", "src/twice.h", ["src/twice.c"], False).build()
    assert imported("pragmas").twice(21) == 42


@pytest.mark.slow
def test_exit_and_printf(built):
    files(built[0], {"leave.py": "from native._ext import all\nall.say(5)\nall.leave()\nprint('after')\n"})
    result = python(built[0], "leave.py")
    assert (result.stdout, result.returncode) == ("number 5\n", 255) and "cannot go on" in result.stderr


@pytest.mark.slow
def test_cpu_path_runs_without_a_gpu(built):
    code = "import torch\nfrom native._ext import all\nx = torch.ones(3)\n"
    code += "print(all.native_Float_total(x) if not x.is_cuda else all.total_cuda(x))\n"
    assert output(built[0], code) == "3.0\n"


def test_the_doctor_names_signatures_of_0_4_1(project, capsys):
    files(project, {"src/later.c": "#include <TH/TH.h>\nint f(THFloatTensor *t) { return t->dim_; }\n"})
    assert main(["doctor", str(project / "src" / "later.c")]) == 1
    assert "0.4.1" in capsys.readouterr().out
