# tests/legacy/modernize/test_modernize_whole.py: what decides whether an extension is built, libraries that it links by
# name, a result that appears as a whole, and a package that builds without warnings.
import os
import subprocess
import sys

import pytest

from support import SRC
from support.modernize import write
from torchthaw import modernize
from torchthaw.cli import main

SOURCES = {
    "src/a.h": "int a(THFloatTensor *x);\n", "src/a.c": "#include <TH/TH.h>\nint a(THFloatTensor *x) { return 1; }\n",
    "src/b.h": "int b(THCudaTensor *x);\n", "src/b.c": "#include <THC/THC.h>\nint b(THCudaTensor *x) { return 1; }\n",
}  # fmt: skip
HEAD = """import torch
from torch.utils.ffi import create_extension
a = create_extension('_ext.a', headers=['src/a.h'], sources=['src/a.c'], relative_to=__file__)
b = create_extension('_ext.b', headers=['src/b.h'], sources=['src/b.c'], with_cuda=True, relative_to=__file__)
"""
BUILDS = {
    "below an if": "a.build()\nif torch.cuda.is_available():\n    b.build()\n",
    "in __main__": "if __name__ == '__main__':\n    a.build()\n    if torch.cuda.is_available(): b.build()\n",
    "by the name of a condition": "has = torch.cuda.is_available()\na.build()\nif has:\n    b.build()\n",
    "in a run": "import sys\na.build()\nif torch.cuda.is_available() and len(sys.argv) + 1 > 1:\n    b.build()\n",
}  # fmt: skip
ALWAYS = {
    "always": "a.build()\nb.build()\n", "never": "", "in a function": "def main():\n    a.build()\n    b.build()\nmain()\n",
    "in a loop": "for each in (a, b):\n    each.build()\n", "of a list": "a.build()\n[each.build() for each in [b]]\n",
}  # fmt: skip


def setup_of(tmp_path, end, **more):
    folder = write(tmp_path / "old", {**SOURCES, "build.py": HEAD + end, **more})
    assert main(["modernize", str(folder), "--output", str(tmp_path / "new"), "--no-compare"]) == 0
    return (tmp_path / "new" / "setup.py").read_text()


@pytest.mark.parametrize("name", BUILDS)
def test_an_extension_that_is_built_with_cuda_alone_has_that_condition(tmp_path, name):
    text = setup_of(tmp_path, BUILDS[name])
    assert "\nif with_cuda:\n    extensions.append(\n" in text and text.count("FFIExtension(") == 2


@pytest.mark.parametrize("name", ALWAYS)
def test_an_extension_that_is_built_always_has_none(tmp_path, name):
    assert "with_cuda:" not in setup_of(tmp_path, ALWAYS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["libhelp.so", "help.so"])
def test_a_shared_library_is_linked_by_its_name(tmp_path, name, monkeypatch):
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    folder = write(tmp_path / "old", {
        "src/a.h": SOURCES["src/a.h"], "src/a.c": "#include <TH/TH.h>\nint help(void);\nint a(THFloatTensor *x) { return help(); }\n",
        "build.py": HEAD.split("b = ")[0].replace("relative_to", f"extra_objects=[os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib/{name}')], relative_to")
        .replace("import torch\n", "import os\nimport torch\n") + "a.build()\n", "lib/help.c": "int help(void) { return 7; }\n",
    })  # fmt: skip
    subprocess.run(["cc", "-shared", "-fPIC", "-o", name, "help.c"], cwd=folder / "lib", check=True)
    new = tmp_path / "new"
    assert main(["modernize", str(folder), "--output", str(new), "--no-compare"]) == 0
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=new,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "warn" not in done.stderr.lower() and "Experimental" not in done.stderr, done.stderr
    (made,) = [path for path in new.rglob("_a*.so") if "build" not in path.relative_to(new).parts]
    listed = subprocess.run(["readelf", "-d", made], capture_output=True, text=True, check=True).stdout
    assert f"[{name}]" in listed and str(tmp_path) not in listed


@pytest.mark.slow
@pytest.mark.parametrize("step", ["_complete", "page"])
def test_an_interrupted_run_leaves_nothing(tmp_path, monkeypatch, step):
    def interrupt(*given):
        raise KeyboardInterrupt

    folder = write(tmp_path / "old", {**SOURCES, "build.py": HEAD + "a.build()\nb.build()\n"})
    from torchthaw.modernize import report

    with monkeypatch.context() as patched:
        patched.setattr(modernize if step == "_complete" else report, step, interrupt)
        with pytest.raises(KeyboardInterrupt):
            main(["modernize", str(folder), "--no-compare"])
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert main(["modernize", str(folder), "--no-compare"]) == 0
    assert (tmp_path / "old-modernized" / "MODERNIZED.md").is_file() and len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("text, is_added", [
    ("[project]\nname = 'x'\ndependencies = ['torch']\n", False), ("[project]\nname = 'x'\ndynamic = ['dependencies']\n", True),
    ("[build-system]\nrequires = []\n", True), (None, True),
])  # fmt: skip
def test_the_requirement_is_added_only_where_setuptools_keeps_it(tmp_path, monkeypatch, text, is_added):
    from torchthaw import FFIExtension
    from torchthaw.base import requirement

    if text is not None:
        (tmp_path / "pyproject.toml").write_text(text)
    monkeypatch.chdir(tmp_path)

    class Distribution:
        ext_modules = [FFIExtension("a.b", headers=["a.h"], sources=["a.c"])]
        install_requires = None

    made = Distribution()
    requirement.add(made)
    assert bool(made.install_requires) == is_added
