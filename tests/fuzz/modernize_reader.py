"""tests/fuzz/modernize_reader.py: the files of a legacy project, as `torchthaw modernize --check` reads them.

Any files give a conversion, a Refused that says what was expected, or NeedsRun for a build file whose arguments are
computed. None of them is executed or written. Python that Python 2 or 3 could parse is Python 3 afterwards; a file that
neither could stays as it is and is named. Every file is carried over, replaced or named.
"""

import ast
import sys
import warnings
from pathlib import Path

import doctor_reader
import guided
from hypothesis import given, strategies as st

from torchthaw.modernize import conversion, recording, report, writing
from torchthaw.modernize.literal import NeedsRun
from torchthaw.modernize.project import Refused

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

WORDS = [
    *doctor_reader.WORDS, "import torch.utils.ffi\n", "relative_to=__file__", "define_macros=[('A', None)]", "with_cuda=True",
    "include_dirs=['src']", "extra_compile_args=['-std=c99']", "libraries=['m']", "extra_objects=['src/k.cu.o']", "package=True",
    "from setuptools import setup\n", "setup(name='a', version='1.0')\n", "install_requires=['torch']", "ext_modules=[]",
    "entry_points={'console_scripts': ['a=m:f']}", "package_data={'a': ['*.h']}", "=== setup.py\n", "=== README.md\n", "=== test.py\n",
    "=== tests/test_a.py\n", "=== setup.cfg\n", "=== pyproject.toml\n", "=== MANIFEST.in\n", "=== build.sh\n", "nvcc -c -o k.o k.cu -arch sm_20\n",
    "A=$B\n", "cd src && ", "from _ext import a\n", "import _ext.a as lib\n", "lib.a_forward(x, y)\n", "F()(x)", "F.apply(x)",
    "def __init__(self, a, *b, **c):\n", "def backward(self, g):\n", "self.save_for_backward(x)\n", "super(F, self).__init__()\n",
    "os.path.join(", "sys.exit()\n", "__import__('os').system('true')\n", "open('found', 'w')\n", "exec('1')\n",
]  # fmt: skip
BUILD = b"""
=== b/build.py
from torch.utils.ffi import create_extension
create_extension('_ext.b', headers=['b.h'], sources=['b.c'], relative_to=__file__)
=== b/b.h
int b(THFloatTensor *x);
=== b/b.c
#include "b.h"
int b(THFloatTensor *x) { return 1; }
"""


def check(data):
    contents = guided.files(data, "build.py")
    if not any(b"create_extension" in content for content in contents.values()):  # else it is refused at once
        contents = guided.files(BUILD + b"=== build.py\n" + data, "b/none")
        if not any(b"create_extension" in content for content in contents.values()):
            return
    with guided.project(contents) as folder:
        try:
            with guided.only_reads(folder):
                made = conversion.convert(folder, folder.with_name("result"), may_run=False)
        except Refused as error:
            if not str(error):
                raise guided.Broken("expected a Refused that says why") from error
            return
        except NeedsRun as error:
            if not error.path or not report.needs_run(folder, error, True):
                raise guided.Broken("expected a NeedsRun that names its file") from error
            return
        examine(made)


def examine(made):
    named = {remark.path for remark in made.result.remarks} | {content.old for content in made.contents.values()}
    for path in made.project.files:
        if path not in named:
            raise guided.Broken(f"expected {path} in the result or among the remarks")
    for path, content in made.contents.items():
        if path.endswith(".py"):
            examine_python(made, path, content)
    tomllib.loads(made.contents["pyproject.toml"].data.decode())
    report.as_json(made, [], 0, False)
    report.as_text(made, [], False)
    report.page(made, [])
    writing.diff(made.project, made.contents)
    with writing.written(made.contents, Path(made.result.folder)):
        pass


def examine_python(made, path, content):
    source = made.project.text(content.old) if content.old else None
    was_python = content.old is None or source and recording.python3(source.text) is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(content.data)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            if was_python and source.declared:
                raise guided.Broken(f"expected Python 3 in {path}, got {error} in {content.data!r}") from error
            looks = [each for each in made.result.remarks if each.path == content.old and each.kind == "look"]
            if not looks:
                raise guided.Broken(f"expected a remark about {content.old}, which is no Python") from error


# ---- Projects that are sensible -------------------------------------------------------------------------------------

LISTS = st.lists(st.sampled_from(["a.h", "src/a.h", "a.c", "src/a.c", "none.c", "../a.c", "", "k.cu"]), max_size=2).map(
    repr
)
ARGUMENTS = st.fixed_dictionaries({
    "name": st.sampled_from(["'_ext.a'", "'a'", "'a.b.c'", "''", "3", "name", "'_ext.' + 'a'"]),
    "headers": LISTS, "sources": LISTS,
}, optional={
    "with_cuda": st.sampled_from(["True", "False", "torch.cuda.is_available()", "x"]),
    "relative_to": st.sampled_from(["__file__", "'build.py'", "'/'", "3", "'..'"]),
    "define_macros": st.sampled_from(["[('A', None)]", "[('A', '1')]", "[]", "'A'", "[1]", "{'A': 1}", "None", "[('A', 1)]"]),
    "include_dirs": LISTS, "libraries": st.sampled_from(["['m']", "'m'", "[1]", "None"]), "package": st.just("True"),
    "extra_objects": st.sampled_from(["['src/k.cu.o']", "['k.o']", "'k.o'", "[None]"]), "extra_link_args": LISTS,
    "extra_compile_args": st.sampled_from(["['-std=c99']", "'-O2'", "{'cxx': ['-O2'], 'nvcc': []}", "{'other': []}", "[1]"]),
    "unknown": st.sampled_from(["1", "lambda: 1"]),
})  # fmt: skip
SETUP = st.fixed_dictionaries({}, optional={
    name: st.sampled_from(["'a'", "'1.0'", "['a', 'b']", "{'a': ['b=c:d'], 'e': 'f'}", "3", "None", "'a\\nb\"]'", "x()", "[1, None]",
                           "{1: 2}", "u'\\ud800'", "'\\0'", "{'a\"]': ['b=c']}"])
    for name in ("name", "version", "description", "author", "author_email", "license", "url", "keywords", "classifiers",
                 "install_requires", "extras_require", "entry_points", "package_data", "scripts", "packages")
})  # fmt: skip


@given(ARGUMENTS, st.none() | SETUP, doctor_reader.blocks(), doctor_reader.blocks())
def generated(arguments, setup, before, module):
    """The same for build files and setup.py with arguments of every kind, and modules in Python 2 and 3."""
    call = ", ".join(f"{name}={value}" for name, value in arguments.items())
    build = f"import torch\nfrom torch.utils.ffi import create_extension\ncreate_extension({call})\n"
    text = f"=== build.py\n{build}=== a.h\nint a(THFloatTensor *x);\n=== a.c\n=== src/a.h\n=== src/a.c\n=== k.cu\n"
    text += "=== m.py\nfrom _ext import a\nfrom torch.autograd import Function\n" + "\n".join(module) + "\n"
    text += "=== n/__init__.py\n" + "\n".join(before) + "\n"
    if setup is not None:
        call = ", ".join(f"{name}={value}" for name, value in setup.items())
        text += f"=== setup.py\nfrom setuptools import setup\nsetup({call})\n"
    check(text.encode())


if __name__ == "__main__":
    sys.exit(guided.main(__file__))
