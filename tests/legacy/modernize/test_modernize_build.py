"""tests/legacy/modernize/test_modernize_build.py: from build files to setup.py: what is read and passed on."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from support import ROOT, SRC
from support.modernize import BUILD, SCRIPT, command, has_toolkit, names, parts, write  # noqa: F401
from torchthaw.extension import cuda
from torchthaw.modernize import conversion, literal

BEGIN = """import os, sys, glob
import torch
from torch.utils.ffi import create_extension
here = os.path.dirname(os.path.abspath(__file__))
"""
END = "create_extension('x', headers='h.h', sources=sources, relative_to=__file__)\n"


def sources(text, has_cuda=False, end=END):
    """What the one call of a build file gets for ``sources``, read from the folder /project."""
    (call,) = literal.calls(BEGIN + text + "\n" + end, "/project/build.py", has_cuda)["create_extension"]
    return call["sources"]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("sources = ['a.c'] + ['b.c']", ["a.c", "b.c"]),
        (
            "sources = ['a.c']\nsources += ['b.c']\nsources.append('c.c')\nsources.extend(('d.c',))",
            ["a.c", "b.c", "c.c", "d.c"],
        ),
        ("sources = other = ['a.c']\nother += ['b.c']", ["a.c", "b.c"]),
        ("options = {'s': ['a.c']}\noptions['s'].append('b.c')\nsources = options['s']", ["a.c", "b.c"]),
        ("sources = ['a.c']\noptions = dict(s=sources)\noptions['s'].extend(['b.c'])", ["a.c", "b.c"]),
        ("sources = ['%s.c' % each for each in ('a', 'b') if each != 'b']", ["a.c"]),
        ("sources = [os.path.join(here, 'src', f'{name}.c') for name in ['a']]", ["/project/src/a.c"]),
        ("sources = ['a.c'] if sys.platform != 'win32' else ['b.c']", ["a.c"]),
        (
            "if sys.platform == 'darwin':\n    sources = ['b.c']\n"
            "elif not torch.cuda.is_available():\n    sources = ['a.c']",
            ["a.c"],
        ),
        ("a, b = 'x y'.split()\nsources = [a + '.c', '{}.c'.format(b)]", ["x.c", "y.c"]),
        ("options = dict(s=['a.c'])\nsources = options['s'][:1]", ["a.c"]),
        ("sources = ['a.c']\nos.makedirs('out')\nprint(sources)\nother = unknown()", ["a.c"]),
        ("def f():\n    pass\nfor name in unknown():\n    other = name\nsources = ['a.c']", ["a.c"]),
        ("sources = ['a.c']\nif __name__ == '__main__':\n    sources += ['b.c']", ["a.c", "b.c"]),
        ("sources = sys.platform == 'linux' and ['a.c'] or ['b.c']", ["a.c"]),
        ("sources = ['a.c', 'b.c', 'c.c'][:-2]", ["a.c"]),
    ],
)
def test_what_is_read(text, expected):
    assert list(sources(text)) == expected


@pytest.mark.parametrize(
    "text, line, what",
    [
        ("sources = os.listdir('src')", 6, "sources"),
        ("sources = [f'{name!r}.c' for name in ['a']]", 6, "sources"),
        ("sources = ['a.c'][~0:]", 6, "sources"),
        ("sources = ['a.c' for _ in 'a' for _ in 'b']", 6, "sources"),
        ("sources = ['a'.replace('a', 'b' * 9999).replace('b', 'cc')]", 6, "sources"),
        ("sources = [('a' * 999).join(['b'] * 99)]", 6, "sources"),
        ("sources = [2 ** 3]", 6, "sources"),
        ("sources = ['a.c']\nfill(sources)", 7, "sources"),
        ("sources = ['a.c', 'b.c']\nsources.remove('b.c')", 7, "sources"),
        ("sources = ['a.c', 'b.c']\nlast = sources.pop()", 7, "sources"),
        ("sources = other = ['a.c']\nfill(other)", 7, "sources"),
        ("options = {'s': ['a.c']}\nfill(options['s'])\nsources = options['s']", 8, "sources"),
        ("sources = ['a.c']\noptions = [{'s': sources}]\nfill(*options)", 8, "sources"),
        ("sources = ['a.c']\nfill([sources])", 7, "sources"),
        ("name = 'a'\nname += unknown()\nsources = [name + '.c']", 8, "sources"),
        ("options = {'s': ['a.c']}\noptions['s'].append(unknown())\nsources = options['s']", 8, "sources"),
        ("sources = ['a.c']\ndef add():\n    sources.append('b.c')\nadd()", 9, "sources"),
        ("sources = []\nfor name in ('a', 'b'):\n    sources.append(name)", 8, "sources"),
        ("if os.environ.get('X'):\n    sources = ['a.c']\nelse:\n    sources = ['b.c']", 9, "sources"),
        ("with open('x') as f:\n    sources = ['a.c']", 7, "sources"),
        ("sources = ['a.c']\nos.chdir('src')", 6, "it changes the current folder"),
        (
            "sources = ['a.c']\ntry:\n    create_extension('y', sources=sources)\nfinally:\n    pass",
            7,
            "create_extension is called in a",
        ),
        ("sources = ['a.c']\nif unknown():\n    create_extension('y', sources=sources)", 7, "below an if on unknown()"),
        ("sources = ['a.c']\ndef f():\n    create_extension('y', sources=sources)", 7, "of a function"),
    ],
)
def test_what_needs_a_run(text, line, what):
    with pytest.raises(literal.NeedsRun, match=what.replace("(", "\\(").replace(")", "\\)")) as raised:
        sources(text)
    assert raised.value.line == line


def test_cuda_decides():
    text = "sources = ['a.c']\nif torch.cuda.is_available():\n    sources += ['b.c']\n"
    assert sources(text, False) == ["a.c"] and sources(text, True) == ["a.c", "b.c"]
    refuses = "if not torch.cuda.is_available():\n    raise Exception('only for GPUs')\nsources = ['a.c']\n"
    assert sources(refuses, True) == ["a.c"]
    assert literal.calls(BEGIN + refuses + END, "/project/build.py", False)["create_extension"] == []


RECORDS = """
import json, sys, types
import setuptools
sys.modules["torch"] = torch = types.ModuleType("torch")
sys.modules["torchthaw"] = module = types.ModuleType("torchthaw")
module.BuildExtension, module.FFIExtension = None, lambda name, **given: {"name": name, **given}
made = []
setuptools.setup = lambda **given: made.append(given["ext_modules"])
for has_cuda in (False, True):
    torch.cuda = types.SimpleNamespace(is_available=lambda: has_cuda)
    exec(open("setup.py").read(), {})
print(json.dumps(made))
"""


def setup_py(done):
    """(text, extensions, extensions): the new setup.py, and what its FFIExtensions get without CUDA and with it."""
    words = [sys.executable, "-c", RECORDS]
    result = subprocess.run(words, cwd=done.result, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return (done.result / "setup.py").read_text(), *json.loads(result.stdout)


CUDA_FILES = {
    "src/twice.cu": "", "src/more_kernel.cu": "", "src/twice_cuda.h": "", "src/twice_cuda.c": "", "src/plain.cpp": "",
    "lib/libx.a": b"!",
    "src/own.h": "",
}  # fmt: skip
ARGUMENTS = """import os
import torch
from torch.utils.ffi import create_extension

this = os.path.dirname(os.path.realpath(__file__))
headers, sources, macros, objects = ["src/twice.h"], ["src/twice.c"], [], []
if torch.cuda.is_available():
    headers += ["src/twice_cuda.h"]
    sources += ["src/twice_cuda.c"]
    macros += [("WITH_CUDA", None)]
    objects += ["src/twice.cu.o", "src/more.o"]
ffi = create_extension(
    "_ext.twice", headers, sources, False, torch.cuda.is_available(), define_macros=macros + [("N", "3")],
    undef_macros=["DEBUG"],
    relative_to=__file__, extra_objects=[os.path.join(this, name) for name in objects + ["src/plain.o", "lib/libx.a"]],
    include_dirs=["src", os.path.join(os.path.dirname(torch.__file__) if 0 else "/usr/local/cuda", "include")],
    libraries=["THC", "m"], library_dirs=["lib"], runtime_library_dirs=["lib"],
    extra_compile_args=["-std=c99", "-fopenmp", "-Isrc"], extra_link_args=["-Wl,-O1"], language="c", colour="red",
)
"""
MAKE = """#!/bin/bash
cd src
nvcc -c -o twice.cu.o twice.cu -x cu -Xcompiler -fPIC -O3 --use_fast_math -arch=sm_35 \\
     -gencode arch=compute_52,code=sm_52 -DBLOCK=64
nvcc -c -o more.o more_kernel.cu -Xcompiler -fPIC -I ${TORCH}/include -Xptxas -v
"""


def test_every_argument(command, tmp_path):
    done = command(
        write(tmp_path / "project", {**SCRIPT, **CUDA_FILES, "build.py": ARGUMENTS, "make.sh": MAKE}), "--json"
    )
    text, (cpu,), (gpu,) = setup_py(done)
    old_c = cpu["extra_compile_args"]["cxx"][:6]
    assert old_c[0] == "-fwrapv" and "-Wno-error=int-conversion" in old_c
    assert cpu == {
        "name": "twice._ext.twice", "headers": ["src/twice.h"], "sources": ["src/twice.c", "src/plain.cpp"],
        "define_macros": [["N", "3"]], "include_dirs": ["src"], "libraries": ["m"], "library_dirs": ["lib"],
        "runtime_library_dirs": ["lib"], "extra_objects": ["lib/libx.a"], "extra_link_args": ["-Wl,-O1", "-fopenmp"],
        "extra_compile_args": {"cxx": [*old_c, "-std=c99", "-fopenmp", "-UDEBUG"], "nvcc": []},
        "th": True, "with_cuda": False,
    }  # fmt: skip
    flags = gpu.pop("extra_compile_args")
    assert flags["cxx"] == [*old_c, "-std=c99", "-fopenmp", "-UDEBUG"]
    assert flags["nvcc"] == ["-O3", "--use_fast_math", "-DBLOCK=64", "-Xptxas", "-v"]
    assert gpu["sources"] == ["src/twice.c", "src/plain.cpp", "src/twice_cuda.c", "src/twice.cu", "src/more_kernel.cu"]
    assert sorted(gpu["define_macros"]) == [["N", "3"], ["WITH_CUDA", None]] and gpu["with_cuda"] is True
    assert gpu["headers"] == ["src/twice.h", "src/twice_cuda.h"] and gpu["extra_objects"] == ["lib/libx.a"]
    assert "sm_" not in text and "arch" not in text
    assert [message.partition(":")[0] for *_, message, kind in done.remarks("argument") if kind == "look"] == ["colour"]
    assert {message.partition(" is ")[0] for *_, message, _ in done.remarks("found-by-itself")} == {
        "include_dirs: /usr/local/cuda/include", "libraries: THC",
    }  # fmt: skip


MAKEFILE = """NVCC ?= nvcc
INC = ../include
FLAGS := -I$(INC) --include-path=own -I /usr/local/cuda/include -D SIZE=3 -DBLOCK
ROOT = $(shell python -c "import torch; print(torch.__path__[0])")
all:
\tcd src && $(NVCC) -c -o twice.cu.o twice.cu -x cu $(FLAGS) -I$(ROOT) -I$(TORCH)/include -Igone -Xcompiler "$(CFLAGS)"
"""


def test_folders_and_macros_of_nvcc(command, tmp_path):
    """Those of scripts and Makefiles, whose folders become include_dirs; what a script computes is named."""
    build = BUILD.replace("relative_to", "with_cuda=True, extra_objects=['src/twice.cu.o'], relative_to")
    headers = {"include/a.h": "", "src/own/b.h": ""}
    done = command(write(tmp_path / "project", {**SCRIPT, **CUDA_FILES, **headers, "build.py": build,
                                                "Makefile": MAKEFILE}), "--json")  # fmt: skip
    _, (made,), _ = setup_py(done)
    assert made["include_dirs"] == ["include", "src/own", "src/gone"]
    assert made["extra_compile_args"]["nvcc"] == ["-DSIZE=3", "-DBLOCK"]
    assert done.remarks("missing-file") == [("build.py", 3, "nvcc: src/gone is not there", "look")]
    ((_, _, found, _),) = done.remarks("found-by-itself")
    assert found.startswith("nvcc: /usr/local/cuda/include is left out")
    (computed,) = [each for each in done.remarks("build-script") if each[3] == "look"]
    assert computed[:2] == ("Makefile", 6) and computed[2].startswith("nvcc gets -I$(ROOT), a folder that")


def test_an_extension_for_gpus_alone(command, tmp_path):
    build = BUILD.replace(
        "ffi = create", "import torch\nif not torch.cuda.is_available():\n    raise Exception('no')\nffi = create"
    )
    build = build.replace("relative_to", "with_cuda=True, relative_to")
    done = command(write(tmp_path / "project", {**SCRIPT, "build.py": build}))
    text, on_cpu, on_gpu = setup_py(done)
    assert on_cpu == on_gpu and on_gpu[0]["with_cuda"] is True and "is_available" not in text


def test_two_extensions_one_for_gpus(command, tmp_path):
    build = (
        BUILD
        + "import torch\nif torch.cuda.is_available():\n"
        + "    "
        + BUILD.split("\n")[2].replace("twice", "twice_cuda", 1)
    )
    done = command(
        write(tmp_path / "project", {**SCRIPT, "build.py": build.replace("relative_to", "relative_to") + "\n"})
    )
    _, on_cpu, on_gpu = setup_py(done)
    assert [each["name"].rpartition(".")[2] for each in on_cpu] == ["twice"]
    assert [each["name"].rpartition(".")[2] for each in on_gpu] == ["twice", "twice_cuda"]


def test_calls_that_cuda_dropped(command, tmp_path):
    build = BUILD.replace("relative_to", "with_cuda=True, extra_objects=['src/k.cu.o'], relative_to")
    files = {**SCRIPT, "build.py": build, "src/k.cu": "void f() { cudaThreadSynchronize(); }\n"}
    _, (made,), _ = setup_py(command(write(tmp_path / "project", files)))
    assert made["extra_compile_args"]["nvcc"][-2:] == ["-include", "THC/THCRemoved.cuh"]


def test_objects_without_a_source(command, tmp_path):
    build = BUILD.replace("relative_to", "extra_objects=['src/there.o', 'src/gone.o'], relative_to")
    done = command(write(tmp_path / "project", {**SCRIPT, "build.py": build, "src/there.o": b"\x7fELF"}), "--json")
    assert [(message, kind) for *_, message, kind in done.remarks("object")] == [
        ("extra_objects: src/there.o stays: there is no source that it is made of", "look"),
        (
            "extra_objects: src/gone.o is not there, and no source that it is made of; put it there before the build",
            "look",
        ),
    ]
    assert "src/there.o" in names(done.result)


PLACES = """#!/bin/sh
if [ -z "$1" ]; then TORCH=$(python -c "import torch; print(torch.__path__)"); else TORCH="$1"; fi
SRC=src
OUT=build
mkdir -p $OUT
$(which nvcc) "-I$TORCH/lib/include/TH" "-I$SRC" -DBLOCK=64 -c "$SRC/twice.cu" -o "$OUT/lib.so" --compiler-options '-fPIC' -std=c++11
"""
PATTERN = """COMPILE := nvcc -c -o
OUT := build
FLAGS := -x cu -Xcompiler -fPIC -shared
all: $(OUT)/twice.so
\tpython build.py

$(OUT)/%.so: src/%.cu src/twice.h
\t@ mkdir -p $(OUT)
\t$(COMPILE) $@ $< $(FLAGS) -DBLOCK=64 -Isrc
"""


@pytest.mark.parametrize(
    "name, text, made", [("build.sh", PLACES, "build/lib.so"), ("Makefile", PATTERN, "build/twice.so")]
)
def test_objects_that_a_script_makes_elsewhere(command, tmp_path, name, text, made):
    """Their source is in the script's command: neither the name nor the folder of the object leads to it."""
    build = BUILD.replace("relative_to", f"with_cuda=True, extra_objects=['{made}'], relative_to")
    files = {**SCRIPT, "build.py": build, "src/twice.cu": "", "src/more.cu": "", name: text}
    done = command(write(tmp_path / "project", files), "--json")
    _, (arguments,), _ = setup_py(done)
    assert arguments["sources"] == ["src/twice.c", "src/twice.cu"] and "extra_objects" not in arguments
    assert arguments["extra_compile_args"]["nvcc"] == ["-DBLOCK=64"] and arguments["include_dirs"] == ["src"]
    assert {kind for *_, kind in [*done.remarks("object"), *done.remarks("build-script")]} == {"done"}


HOST = """import os, torch
from torch.utils.ffi import create_extension

if torch.cuda.is_available():
    assert os.system("cd src; nvcc init.cu -c -o init.cu.o -ccbin /usr/bin/cc --std c++11 -DNVCC -Iparts") == 0
    ffi = create_extension("_ext.twice", ["src/twice.h"], [], extra_objects=["src/init.cu.o"], with_cuda=True)
else:
    assert os.system("cd src; absent-program && g++ -O3 -fPIC -fopenmp -std=c++11 -DHOST -c init.cpp -o init.cpp.o -I.") == 0
    ffi = create_extension("_ext.twice", ["src/twice.h"], [], extra_objects=["src/init.cpp.o"])
"""


def test_a_build_file_that_starts_the_host_compiler(command, tmp_path):
    """Nothing is started, and what is built without CUDA needs what g++ was told."""
    files = {**SCRIPT, "build.py": HOST, "src/init.cpp": "", "src/init.cu": "", "src/parts/a.h": ""}
    done = command(write(tmp_path / "project", files))
    assert done.status == 0, done.err
    before, after = (done.result / "setup.py").read_text().split("if with_cuda:")
    assert 'sources = ["src/init.cpp"]' in before and 'include_dirs = ["src"]' in before
    assert 'cxx = ["-DHOST", "-fopenmp"]' in before or 'cxx = ["-fopenmp", "-DHOST"]' in before
    assert 'sources = ["src/init.cu"]' in after and '"-DNVCC"' in after and "src/parts" in after
    assert "c++11" not in before + after and "ccbin" not in after and '"-Xcompiler", ' not in after


@pytest.mark.slow
def test_a_build_file_that_fails_without_cuda(command, tmp_path):
    build = "import os, torch\nassert torch.cuda.is_available() or os.path.exists('made')\n" + BUILD
    build = build.replace('["src/twice.c"]', "[each for each in ['src/twice.c'] if os.path.exists(each)]")
    done = command(write(tmp_path / "project", {**SCRIPT, "build.py": build}), "--json")
    message = "without CUDA it ended with AssertionError; what it builds so may be missing in the new setup.py"
    assert (message, "look") in [each[2:] for each in done.remarks("build-run")]


def test_an_old_standard_is_none_of_nvccs(command, tmp_path):
    given = (
        "with_cuda=True, extra_compile_args={'cxx': [], 'nvcc': ['-std=c++11', '--std', 'c++14', '-O3']}, relative_to"
    )
    done = command(write(tmp_path / "project", {**SCRIPT, "build.py": BUILD.replace("relative_to", given)}), "--json")
    assert done.remarks("cuda-standard") and '"nvcc": ["-O3"]' in (done.result / "setup.py").read_text()


HALVES = """import torch
from torch.utils.ffi import create_extension

sources, headers = ["src/twice.c"], ["src/twice.h"]
if torch.cuda.is_available():
    sources += ["src/generated.c"]
ffi = create_extension(
    "_ext.twice", headers, sources, with_cuda=torch.cuda.is_available(), relative_to=__file__,
    extra_objects=["src/k.cu.o", "src/absent.cu.o", "src/of_cuda.o"],
)
"""


def test_what_cuda_alone_needs(command, tmp_path):
    """As in the old build, objects of CUDA are no part of the CPU's; what the new setup.py compiles is not left out."""
    files = {"build.py": HALVES, "src/k.cu": "", "src/of_cuda.o": b"\x7fELF __cudaRegisterFatBinary"}
    done = command(write(tmp_path / "project", {**SCRIPT, **files}), "--json")
    assert not any("left out" in message for *_, message, _ in done.remarks("object"))
    absent = (
        "extra_objects: src/absent.cu.o is not there, and no source that it is made of; put it there before the build"
    )
    assert (absent, "look") in [(message, kind) for *_, message, kind in done.remarks("object")]
    text = (done.result / "setup.py").read_text()
    assert "if with_cuda:" in text
    before, after = text.split("if with_cuda:")
    assert not any(name in before for name in ("k.cu", "absent", "of_cuda", "generated"))
    assert all(name in after for name in ("src/k.cu", "absent.cu.o", "of_cuda.o", "src/generated.c"))


def test_objects_of_cuda_that_no_build_has(command, tmp_path):
    build = BUILD.replace("relative_to", "extra_objects=['src/absent.cu.o'], relative_to")
    done = command(write(tmp_path / "project", {**SCRIPT, "build.py": build}), "--json")
    assert [(message, kind) for *_, message, kind in done.remarks("object")] == [
        ("extra_objects: src/absent.cu.o is CUDA code and left out: with_cuda is false", "look")
    ]
    assert "absent" not in (done.result / "setup.py").read_text()


def test_a_source_that_is_not_there(command, tmp_path):
    files = {name: text for name, text in SCRIPT.items() if name != "src/twice.c"}
    done = command(write(tmp_path / "project", files), "--json")
    ((path, line, message, kind),) = done.remarks("missing-file")
    assert (path, line, kind) == ("build.py", 3, "look")
    assert message == (
        "sources: src/twice.c is not there; a script of the project may have made it: put it there before the build, "
        "or choose build files without it by --build"
    )


CPP = """import torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

extension = CppExtension
setup(name="more", ext_modules=[extension("more", ["more.cpp"])], cmdclass={"build_ext": BuildExtension})
"""


def test_cpp_extensions_are_not_in_the_new_setup_py(command, tmp_path):
    """One that stays is to be run beside it; one that the new setup.py replaces is lost unless somebody adds it."""
    files = {**SCRIPT, "setup.py": CPP, "more.cpp": "", "other/setup.py": CPP, "other/more.cpp": "",
             "tool.py": "from torch.utils.cpp_extension import load\n"}  # fmt: skip
    done = command(write(tmp_path / "project", files), "--json")
    assert done.remarks("cpp-extension") == [
        ("other/setup.py", 0, "builds C++ extensions, and the new setup.py does not: run it too", "look"),
        ("setup.py", 0, "built C++ extensions by torch.utils.cpp_extension, and the new setup.py does not: "
         "put what it built in a setup.py of its own, in another folder", "look"),
    ]  # fmt: skip
    assert "other/setup.py" in names(done.result)


def test_folders_of_libraries_among_the_flags_of_the_linker(command, tmp_path):
    """Those of the project are relative to setup.py; those of one machine, and what pip does not install, are said."""
    build = "import os\nhere = os.path.dirname(os.path.realpath(__file__))\n" + BUILD.replace(
        "relative_to", "extra_link_args=['-Wl,-rpath,' + here + '/lib', '-L' + here + '/lib', '-Wl,-rpath,/opt/x', "
        "'-Wl,-O1'], runtime_library_dirs=[here + '/more'], relative_to"
    )  # fmt: skip
    files = {**SCRIPT, "build.py": build, "lib/libx.so": b"x", "more/liby.so": b"y"}
    done = command(write(tmp_path / "project", files), "--json")
    text, (made,), _ = setup_py(done)
    assert made["runtime_library_dirs"] == ["more", "lib"] and made["library_dirs"] == ["lib"]
    assert made["extra_link_args"] == ["-Wl,-rpath,/opt/x", "-Wl,-O1"] and str(tmp_path) not in text
    where = "an installed package finds no library there; set LD_LIBRARY_PATH, or install the library"
    assert [(message, kind) for *_, message, kind in done.remarks("absolute-path")] == [
        (f"runtime_library_dirs: more is a folder of the project: {where}", "look"),
        (f"extra_link_args: lib is a folder of the project: {where}", "look"),
        ("extra_link_args: /opt/x is a folder of one machine", "look"),
    ]


@pytest.mark.slow
def test_relative_to_may_be_a_folder(command, tmp_path):
    """``os.path.split(...)[0] + "/"``: the folder, not the one above."""
    build = BUILD.replace("__file__", "here").replace(
        "\n\nffi", "\nimport os\nhere = os.path.split(os.path.abspath(__file__))[0] + '/'\nopen(__file__)\n\nffi"
    )
    done = command(write(tmp_path / "project", {**SCRIPT, "build.py": build}), "--json")
    assert done.status == 0 and done.remarks("build-run"), done.err
    assert 'sources=["src/twice.c"]' in (done.result / "setup.py").read_text()


@pytest.mark.slow
def test_what_a_build_file_printed_before_it_ended_is_said(command, tmp_path):
    head = "import os, sys\nsources = os.listdir('src')\nif 'made.c' not in sources:\n    print('run make first')\n    sys.exit(1)\n"
    build = head + BUILD.replace('["src/twice.c"]', "sources")
    done = command(write(tmp_path / "project", {**SCRIPT, "build.py": build}))
    assert done.status == 2 and "and printed 'run make first'" in done.err


@pytest.mark.slow
def test_commands_of_a_build_file_are_recorded(command, tmp_path):
    """It starts nvcc itself: nothing is started, and the flags count."""
    build = (
        "import os, subprocess\nfrom torch.utils.ffi import create_extension\n"
        "for name in ['twice']:\n"
        "    os.system('nvcc -c -o src/%s.cu.o src/%s.cu --use_fast_math -arch=sm_30' % (name, name))\n"
        "    subprocess.check_call(['nvcc', '-c', 'src/more_kernel.cu', '-DK=1'])\n"
        "    subprocess.Popen('make -C src', shell=True).wait()\n"
        "objects = [name for name in sorted(os.listdir('src')) if name.endswith('.cu')]\n"
        "create_extension('_ext.twice', ['src/twice.h'], ['src/twice.c'], with_cuda=True, relative_to=__file__,\n"
        "    extra_objects=['src/' + name + '.o' for name in objects])\n"
    )
    done = command(write(tmp_path / "project", {**SCRIPT, **CUDA_FILES, "build.py": build}))
    assert done.status == 0, done.err
    _, (made,), _ = setup_py(done)
    assert made["extra_compile_args"]["nvcc"] == ["-DK=1", "--use_fast_math"]
    assert made["sources"] == ["src/twice.c", "src/more_kernel.cu", "src/twice.cu"]


# The result is built

PLAIN = """
#include <TH/TH.h>

int scale(THFloatTensor *x, float by, THFloatTensor *y)
{
  long n = THFloatTensor_nElement(x);
  float *from, *to;
  from = THFloatTensor_data(x);
  to = THFloatTensor_data(y);
  if (!THFloatTensor_isSameSizeAs(x, y))
    return 0;
  for (long i = 0; i < n; i++)
    to[i] = by * from[i];
  return 1;
}

void rows(THDoubleTensor *x, THDoubleTensor *total)
{
  THArgCheck(x->nDimension == 2, 1, "a matrix is expected");
  THArgCheck(THDoubleTensor_size(total, 0) == x->size[0], 2, "one total for each row is expected");
  double *from = x->storage->data + x->storageOffset, *to = THDoubleTensor_data(total);
  for (int r = 0; r < x->size[0]; r++)
    for (int c = 0; c < x->size[1]; c++)
      to[r] += from[r * x->size[1] + c];
}

static float first(float *p) { return p[0]; }
float head(THFloatTensor *x) { return first(THFloatTensor_data(x)) + THFloatTensor_nElement(x); }

int strided(THFloatTensor *x) { return THFloatTensor_stride(x, 0); }
int resized(THFloatTensor *x, THFloatTensor *y) { THFloatTensor_resizeAs(y, x); return 1; }
int kept(THFloatTensor *x) { static THFloatTensor *last; last = x; return 1; }
"""
PLAIN_H = """
int scale(THFloatTensor *x, float by, THFloatTensor *y);
void rows(THDoubleTensor *x, THDoubleTensor *total);
float head(THFloatTensor *x);
int strided(THFloatTensor *x);
int resized(THFloatTensor *x, THFloatTensor *y);
int kept(THFloatTensor *x);
"""
PROTOTYPES = {
    "scale": """THAW_STATUS
int scale(const float *x THAW_SHAPE(n), int64_t n,
          float by,
          float *y THAW_SHAPE(n));""",
    "rows": """void rows(const double *x THAW_SHAPE(x_size0, x_size1), int64_t x_size0, int64_t x_size1,
          double *total THAW_SHAPE(total_size0) THAW_INOUT, int64_t total_size0);""",
    "head": "float head(float *x THAW_SHAPE(x_count) THAW_INOUT "
    "/* const in place of THAW_INOUT, if it is only read */, int64_t x_count);",
}  # fmt: skip


def test_c_functions_that_can_leave_th(command, tmp_path):
    done = command(write(tmp_path / "project", {**SCRIPT, "src/twice.h": PLAIN_H, "src/twice.c": PLAIN}), "--json")
    assert {each["name"]: each["prototype"] for each in done.json["plain_c"]} == PROTOTYPES
    assert {each["name"]: each["line"] for each in done.json["plain_c"]} == {"scale": 4, "rows": 17, "head": 28}
    page = (done.result / "MODERNIZED.md").read_text()
    assert PROTOTYPES["scale"] in page and "`src/twice.c:4`" in page


@pytest.mark.slow
def test_c_functions_for_gpus(tmp_path):
    found = conversion.convert(ROOT / "examples" / "legacy" / "pooling", tmp_path).result
    assert found.gpu_functions == {"pooling_cuda_forward", "pooling_cuda_unpool"}


@pytest.mark.slow
def test_the_prototype_is_one(command, tmp_path):
    """The function, moved by hand as MODERNIZED.md says, is checked by its annotations and computes the same."""
    import torch

    import torchthaw

    files = {**SCRIPT, "src/twice.h": PLAIN_H, "src/twice.c": PLAIN}
    done = command(write(tmp_path / "project", files), "--json")
    (scale,) = [each["prototype"] for each in done.json["plain_c"] if each["name"] == "scale"]
    body = "{ for (int64_t i = 0; i < n; i++) y[i] = by * x[i]; return 1; }"
    module = torchthaw.load_inline(
        "modernized_scale",
        c_sources=f"#include <torchthaw/annotate.h>\n{scale.removesuffix(';')}\n{body}\n",
        functions=["scale"],
        build_directory=tmp_path,
    )
    y = torch.empty(3)
    module.scale(x=torch.ones(3), by=2.5, y=y)
    assert y.tolist() == [2.5] * 3
    with pytest.raises(ValueError, match="y: expected"):
        module.scale(x=torch.ones(3), by=2.5, y=torch.empty(4))


USE = "import torch; from twice.functions.double import double; print(double(torch.ones(2)).tolist())"


@pytest.mark.slow
def test_the_result_is_a_package(command, tmp_path):
    """setup.py builds it in place, and a wheel holds what it needs; neither knows torch.utils.ffi."""
    result = command(write(tmp_path / "project", SCRIPT)).result
    shutil.copytree(result, tmp_path / "copy")
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    options = {"env": environment, "capture_output": True, "text": True}
    built = subprocess.run([sys.executable, "setup.py", "build_ext", "--inplace"], cwd=result, **options)
    assert built.returncode == 0, built.stdout + built.stderr
    used = subprocess.run([sys.executable, "-c", USE], cwd=result, **options)
    assert used.stdout == "[2.0, 2.0]\n", used.stderr
    words = ["pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", tmp_path, "."]
    made = subprocess.run([sys.executable, "-m", *map(str, words)], cwd=tmp_path / "copy", **options)
    assert made.returncode == 0, made.stdout + made.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.startswith("twice-0.1.0-cp310-abi3-")
    shutil.unpack_archive(wheel, tmp_path / "site", "zip")
    inside = {name for name in names(tmp_path / "site") if name.startswith("twice/")}
    assert inside == {
        "twice/__init__.py", "twice/functions/__init__.py", "twice/functions/double.py", "twice/_ext/__init__.py",
        *(f"twice/_ext/twice/{name}" for name in ("__init__.py", "__init__.pyi", "py.typed", "_twice.abi3.so")),
    }  # fmt: skip
    alone = "import sys; " + USE + "; assert not [m for m in sys.modules if m.startswith('torchthaw.legacy')]"
    used = subprocess.run([sys.executable, "-c", alone], cwd=tmp_path / "site", **options)
    assert used.stdout == "[2.0, 2.0]\n", used.stderr


@pytest.mark.slow
def test_the_cpu_half_is_built_without_what_cuda_needs(command, tmp_path):
    """A source and objects of the branch for CUDA that nothing makes, and one that only nvcc could."""
    build = HALVES.replace('["src/generated.c"]', '["src/generated.c"]\n    objects += ["src/gone.o", "lib/gone.a"]')
    build = build.replace("\nif", '\nobjects = ["src/k.cu.o", "src/absent.cu.o", "src/of_cuda.o"]\nif', 1)
    build = build[: build.index("    extra_objects")] + "    extra_objects=objects,\n)\n"
    files = {"build.py": build, "src/k.cu": "", "src/of_cuda.o": b"\x7fELF __cudaRegisterFatBinary"}
    project = write(tmp_path / "project", {**SCRIPT, **files})
    result = command(project).result
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""}
    environment.pop("TORCHTHAW_BUILD_CUDA", None)
    options = {"env": environment, "capture_output": True, "text": True, "cwd": result}
    built = subprocess.run([sys.executable, "setup.py", "build_ext", "--inplace"], **options)
    assert built.returncode == 0, built.stdout + built.stderr
    used = subprocess.run([sys.executable, "-c", USE], **options)
    assert used.stdout == "[2.0, 2.0]\n", used.stderr


@pytest.mark.slow
@pytest.mark.skipif(not has_toolkit(), reason="no CUDA toolkit")
def test_cuda_code_is_built_where_it_is_asked_for(command, tmp_path):
    """The sample's kernel, which its make.sh compiled for sm_52."""
    skipped = shutil.ignore_patterns("__pycache__", "_ext", "*.o")
    shutil.copytree(ROOT / "examples" / "legacy" / "pooling", tmp_path / "project", ignore=skipped)
    done = command(tmp_path / "project", "--json")
    assert ("src/cuda/pooling_kernel.cu" in (done.result / "setup.py").read_text()) and done.json["counts"]["look"] == 0
    wanted = {"TORCHTHAW_BUILD_CUDA": "1", "TORCH_CUDA_ARCH_LIST": "9.0"}
    options = {"cwd": done.result, "capture_output": True, "text": True}
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    words = [sys.executable, "setup.py", "build_ext", "--inplace"]
    built = subprocess.run(words, env={**environment, **wanted}, **options)
    assert built.returncode == 0, built.stdout + built.stderr
    code = "from pooling._ext import pooling; print(callable(pooling.pooling_cuda_forward))"
    used = subprocess.run([sys.executable, "-c", code], env=environment, **options)
    assert used.stdout == "True\n", used.stderr
    assert cuda.embedded(done.result / "pooling" / "_ext" / "pooling" / "_pooling.abi3.so") == ["90"]
