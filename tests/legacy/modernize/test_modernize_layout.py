"""tests/legacy/modernize/test_modernize_layout.py: where files go, and what pyproject.toml says."""

import os
import subprocess
from types import SimpleNamespace

import pytest

from support.modernize import BUILD, FUNCTION, SCRIPT, command, names, packages, parts, table, write  # noqa: F401
from torchthaw.extension.build import INIT
from torchthaw.legacy.ffi.legacy_extension import LegacyExtension
from torchthaw.modernize.packaging.package_list import packages_of
from torchthaw.modernize.project import Project

LOOSE = {
    **SCRIPT, "modules/__init__.py": "", "modules/double.py": "from functions.double import double\n",
    "helpers.py": "def f():\n    pass\n", "functions/uses.py": "import helpers\n",
    "datasets/__init__.py": "", "datasets/toy.py": "",
    "train.py": "from modules.double import double\nprint(double)\n",
    "test.py": "from functions.double import double\n",
    "layers.py": "from modules.double import double\n\n\nclass Layer:\n    pass\n",
    "plot.py": "from functions.double import double\n\n\ndef f():\n    pass\n\n\nf()\n", "test/data.npy": b"\0\1", "test/test_more.py": "import torch\n\n\ndef test_it():\n    pass\n",
    "evaluate_test.py": "import argparse\n", "LICENSE": "Permission is hereby granted, free of charge\n",
    "README.md": "# x\n",
}  # fmt: skip


@pytest.mark.slow
def test_loose_folders_become_a_package(command, tmp_path):
    done = command(write(tmp_path / "project", LOOSE), "--json")
    made = names(done.result)
    assert {
        "twice/__init__.py", "twice/_ext/__init__.py", "twice/functions/double.py", "twice/modules/double.py",
        "twice/helpers.py", "twice/layers.py", "plot.py",
        "datasets/toy.py", "train.py", "evaluate_test.py", "tests/test.py", "tests/test_more.py", "tests/data.npy",
        "src/twice.c",
        "tests/test_scripts.py", "pyproject.toml", "setup.py", "MANIFEST.in", "MODERNIZED.md", "LICENSE",
    } <= made  # fmt: skip
    assert not {"build.py", "helpers.py", "functions/double.py", "test.py"} & made
    assert (done.result / "train.py").read_text() == "from twice.modules.double import double\nprint(double)\n"
    assert (done.result / "tests" / "test.py").read_text() == "from twice.functions.double import double\n"
    assert packages(done.result) == [["twice", "twice._ext", "twice.functions", "twice.modules"], "twice", "0.1.0"]
    assert '["test.py"]' in (done.result / "tests" / "test_scripts.py").read_text()
    assert done.json["extensions"] == ["twice._ext.twice"] and done.json["package"] == "twice"


WRAPPERS = {
    "PyTorch 0.4": "from torch.utils.ffi import _wrap_function\nfrom ._twice import lib as _lib, ffi as _ffi\n",
    "torchthaw": INIT.format(
        name="_ext.twice", module="_twice", maker=LegacyExtension.maker, opens=LegacyExtension.opens
    ),
}


@pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)
def test_what_create_extension_wrote_is_left_out(command, tmp_path, wrapper):
    built = {
        "_ext/__init__.py": "",
        "_ext/twice/__init__.py": wrapper,
        "_ext/twice/__init__.pyi": "def f() -> int: ...\n",
    }
    result = command(write(tmp_path / "project", SCRIPT | built)).result
    assert not {name for name in names(result) if "_ext/twice" in name}
    assert "FFIExtension" in (result / "setup.py").read_text()


def test_names_of_modules(command, tmp_path, parts):
    seen = {}
    parts["python"].convert = lambda texts, modules, resized: (seen.update(modules), (texts, [], []))[1]
    command(write(tmp_path / "project", LOOSE))
    assert seen == {
        "_ext": "twice._ext", "_ext.twice": "twice._ext.twice", "functions": "twice.functions",
        "functions.double": "twice.functions.double", "functions.uses": "twice.functions.uses",
        "modules": "twice.modules",
        "modules.double": "twice.modules.double", "helpers": "twice.helpers", "layers": "twice.layers", "plot": "plot", "datasets": "datasets",
        "datasets.toy": "datasets.toy", "train": "train", "evaluate_test": "evaluate_test",
    }  # fmt: skip


PACKAGE = {
    "build.py": BUILD.replace('"_ext.twice"', '"my_package._ext.twice"').replace("relat", "package=True, relat"),
    "setup.py": 'from setuptools import setup\nsetup(name="my-package", version="1.2", cffi_modules=["build.py:f"])\n',
    "my_package/__init__.py": "", "my_package/double.py": FUNCTION.replace("from _ext", "from ._ext"),
    "my_package/tests/test_double.py": "", "my_package/tests/__init__.py": "", "my_package/table.txt": "1",
    "src/twice.h": SCRIPT["src/twice.h"], "src/twice.c": SCRIPT["src/twice.c"],
}  # fmt: skip


@pytest.mark.slow
def test_a_package_keeps_its_place(command, tmp_path):
    result = command(write(tmp_path / "project", PACKAGE)).result
    kept = set(PACKAGE) - {"build.py", "setup.py"}
    assert names(result) == kept | {
        "my_package/_ext/__init__.py", "pyproject.toml", "setup.py", "MANIFEST.in", "MODERNIZED.md",
    }  # fmt: skip
    assert packages(result) == [["my_package", "my_package._ext", "my_package.tests"], "my-package", "1.2"]


# As in detectors of 2017: each operator is a package below lib/, which is no package itself.
OPERATORS = {
    "lib/model/__init__.py": "",
    **{f"lib/model/{name}/{path}": text for name in ("roi", "nms") for path, text in {
        "__init__.py": "", "build.py": BUILD.replace("twice", name).replace("src/", "src/"),
        f"src/{name}.h": "int f(int x);\n", f"src/{name}.c": "int f(int x) { return x; }\n",
        "functions/__init__.py": "", f"functions/{name}.py": f"from .._ext import {name}\n",
        "_ext/__init__.py": "", f"_ext/{name}/__init__.py": "from torch.utils.ffi import _wrap_function\n",
        f"_ext/{name}/_{name}.so": b"\x7fELF",
    }.items()},
    "lib/make.sh": "cd model/roi\npython build.py\ncd ../nms\npython build.py\n",
    "train.py": "import sys\nsys.path.append('lib')\n",
}  # fmt: skip


@pytest.mark.slow
def test_operators_below_a_folder_that_is_no_package(command, tmp_path, parts):
    seen = {}
    parts["python"].convert = lambda texts, modules, resized: (seen.update(modules), (texts, [], []))[1]
    done = command(write(tmp_path / "project", OPERATORS), "--json")
    assert (
        sorted(done.json["extensions"]) == ["model.nms._ext.nms", "model.roi._ext.roi"]
        and done.json["package"] == "model"
    )
    assert table(done.result)["tool"]["setuptools"]["packages"]["find"]["where"] == ["lib"]
    found = ["model", *(f"model.{name}{rest}" for name in ("nms", "roi") for rest in ("", "._ext", ".functions"))]
    assert packages(done.result)[0] == found
    assert seen["model.roi.functions.roi"] == "model.roi.functions.roi"
    assert seen["functions.nms"] == seen["lib.model.nms.functions.nms"] == "model.nms.functions.nms"
    assert seen["_ext.nms"] == seen["model.nms._ext.nms"] == "model.nms._ext.nms"
    assert not [
        name for name in names(done.result) if name.endswith(".so") or "_ext/nms" in name or name.endswith("make.sh")
    ]
    assert 'headers=["lib/model/nms/src/nms.h"]' in (done.result / "setup.py").read_text()


@pytest.mark.slow
def test_a_checkout_that_is_itself_a_package(command, tmp_path):
    """Its users cloned it into their own project and imported it by the name of the folder."""
    files = {
        **{name: text for name, text in SCRIPT.items() if not name.startswith("functions")},
        "__init__.py": "from .double import double\n", "double.py": FUNCTION,
        "layer.py": "from double import double\n\n\nclass L:\n    pass\n",
    }  # fmt: skip
    done = command(write(tmp_path / "project", files), "--json")
    assert done.json["package"] == "twice"
    assert {new for old, new in done.json["files"].items() if old.endswith(".py")} == {
        "twice/__init__.py", "twice/double.py", "twice/layer.py",
    }  # fmt: skip
    assert (done.result / "twice" / "layer.py").read_text().startswith("from twice.double import double\n")
    assert packages(done.result)[0] == ["twice", "twice._ext"]


@pytest.mark.parametrize(
    "folder, setup, expected",
    [
        ("project", None, "twice"),
        ("project", "My-Twice", "My_Twice"),
        ("project", "torch", "twice"),
        ("project", "datasets", "twice"),
    ],
)
def test_the_name_of_the_package(command, tmp_path, folder, setup, expected):
    text = f"from setuptools import setup\nsetup(name={setup!r}, version='1')\n"
    files = {**SCRIPT, "datasets/__init__.py": "", **({"setup.py": text} if setup else {})}
    assert command(write(tmp_path / folder, files), "--json").json["package"] == expected


def test_an_extension_with_a_plain_name(command, tmp_path):
    files = {**SCRIPT, "build.py": BUILD.replace("_ext.twice", "twice"), "use.py": "import twice\ndef f():\n    pass\n"}
    done = command(write(tmp_path / "project", files), "--json")
    assert done.json["extensions"] == ["twice._ext.twice"]
    assert (done.result / "twice" / "use.py").exists()


SETUP = """
from setuptools import setup, find_packages
import os

setup(
    name="twice-ops", version=VERSION, description="Twice.\\n Really", author="A. Author", author_email="a@example.org",
    url="https://example.org/twice", license="MIT", keywords="tensors twice", packages=find_packages(),
    classifiers=[
        "Programming Language :: Python :: 2.7", "License :: OSI Approved :: MIT License",
        "Topic :: Software Development",
    ],
    install_requires=["cffi>=1.0.0", "numpy>=1.7", "torch"], extras_require={"demo": ["pillow"]},
    entry_points={"console_scripts": ["twice = functions.double:main"]}, package_data={"functions": ["*.txt"]},
    cffi_modules=["build.py:ffi"],
)
"""


@pytest.mark.slow
def test_pyproject_has_what_setup_had(command, tmp_path):
    files = {**SCRIPT, "setup.py": SETUP.replace("VERSION", '"1.4"'), "LICENSE.txt": "MIT", "README.md": "# Twice\n"}
    result = command(write(tmp_path / "project", files)).result
    project = table(result)["project"]
    wanted = ("name", "version", "description", "license", "license-files", "readme")
    assert {name: project[name] for name in wanted} == {
        "name": "twice-ops", "version": "1.4", "description": "Twice. Really", "license": "MIT",
        "license-files": ["LICENSE.txt"],
        "readme": "README.md",
    }  # fmt: skip
    assert project["authors"] == [{"name": "A. Author", "email": "a@example.org"}]
    assert project["keywords"] == ["tensors", "twice"] and project["classifiers"] == ["Topic :: Software Development"]
    assert [each.partition(">")[0] for each in project["dependencies"]] == ["torch", "torchthaw[legacy]", "numpy"]
    assert project["optional-dependencies"] == {"demo": ["pillow"]} and project["urls"] == {
        "Homepage": "https://example.org/twice"
    }
    assert project["scripts"] == {"twice": "twice_ops.functions.double:main"}
    assert table(result)["tool"]["setuptools"]["package-data"] == {"twice_ops.functions": ["*.txt"]}
    assert packages(result)[1:] == ["twice-ops", "1.4"]


@pytest.mark.slow
@pytest.mark.parametrize(("authors", "emails", "expected"), [
    ("A. Author, B. Other", "a@example.org, b@example.org",
     [{"name": "A. Author", "email": "a@example.org"}, {"name": "B. Other", "email": "b@example.org"}]),
    ("A. Author, B. Other", "a@example.org", [{"name": "A. Author, B. Other", "email": "a@example.org"}]),
    ("A. Author", "a@example.org; b@example.org",
     [{"name": "A. Author"}, {"email": "a@example.org"}, {"email": "b@example.org"}]),
    ("A. Author", "a at example.org", [{"name": "A. Author"}]),
])  # fmt: skip
def test_several_authors(command, tmp_path, authors, emails, expected):
    """setuptools takes one address for each, and refuses what is none."""
    setup = SETUP.replace("VERSION", '"1.4"').replace("A. Author", authors).replace("a@example.org", emails)
    done = command(write(tmp_path / "project", {**SCRIPT, "setup.py": setup}), "--json")
    assert table(done.result)["project"]["authors"] == expected and packages(done.result)[2] == "1.4"
    said = [message for *_, message, kind in done.remarks("package") if "author_email" in message and kind == "look"]
    assert said == (["author_email: 'a at example.org' is no address; it is left out"] if " at " in emails else [])


@pytest.mark.slow
def test_a_version_that_is_computed(command, tmp_path):
    version = "open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'VERSION')).read().strip()"
    folder = write(
        tmp_path / "project", {**SCRIPT, "setup.py": SETUP.replace("VERSION", version, 1), "VERSION": "2.5\n"}
    )
    done = command(folder, "--json")
    assert table(done.result)["project"]["version"] == "2.5"
    assert [each[0] for each in done.remarks("build-run")] == ["setup.py"]
    done = command(folder, "--check", "--json")
    assert done.status == 1 and [each[0] for each in done.remarks("needs-run")] == ["setup.py"]


@pytest.mark.parametrize(
    "licence, file, expected",
    [
        ("", "Redistribution and use in source and binary forms\n … Neither the name of", "BSD-3-Clause"),
        ("", "Apache License\n    Version 2.0, January 2004", "Apache-2.0"),
        ("Apache 2.0", "", "Apache-2.0"),
        ("own", "Ask us.", None),
    ],
)
def test_licences(command, tmp_path, licence, file, expected):
    setup = f"from setuptools import setup\nsetup(name='x', version='1', license={licence!r})\n"
    done = command(write(tmp_path / "project", {**SCRIPT, "setup.py": setup, "LICENSE": file}), "--json")
    project = table(done.result)["project"]
    assert project.get("license") == expected and project["license-files"] == ["LICENSE"]
    assert any("no SPDX name" in message for *_, message, _ in done.remarks("package")) == (expected is None)


def test_scripts_that_build_are_left_out(command, tmp_path):
    scripts = {
        "make.sh": "#!/bin/bash\ncd \"$(dirname \"$0\")\" && $CUDA/bin/nvcc -c -o a.o a.cu \\\n  -arch=sm_35\npython build.py\n",
        "install.sh": "python build.py\nwget https://example.org/weights\n", "run.sh": "python train.py\n",
    }  # fmt: skip
    done = command(write(tmp_path / "project", {**SCRIPT, **scripts}), "--json")
    assert [(path, line, kind) for path, line, _, kind in done.remarks("build-script")] == [
        ("install.sh", 2, "look"), ("make.sh", 0, "done"),
    ]  # fmt: skip
    assert {"make.sh", "install.sh", "run.sh"} & names(done.result) == {"run.sh"}


def test_manifest_has_the_c_files(command, tmp_path):
    files = {**SCRIPT, "src/generic/body.inl": "", "one.cuh": "", "MANIFEST.in": "include weights.bin\n"}
    text = (command(write(tmp_path / "project", files)).result / "MANIFEST.in").read_text()
    assert text.splitlines() == [
        "include weights.bin", "recursive-include src *.c *.h *.inl", "include one.cuh", "recursive-include tests *",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["MANIFEST.in", "pyproject.toml"])
def test_a_file_that_the_new_one_is_made_of_is_named(command, tmp_path, name):
    text = "[tool.a]\nb = 1\n" if name.startswith("py") else "include weights.bin\n"
    done = command(write(tmp_path / "kept", {**SCRIPT, name: text}), "--json")
    assert done.json["changed"][name][0] == 0 and text in (done.result / name).read_text()


def test_a_manifest_keeps_its_bytes_where_its_encoding_has_all_names(command, tmp_path):
    old = "include caf\xe9.bin\r\n".encode("latin-1")
    for name, encoding in ("one.c", "latin-1"), ("日.c", "utf-8"):
        folder = write(tmp_path / encoding, {**SCRIPT, "MANIFEST.in": old, name: ""})
        result = tmp_path / f"new-{encoding}"
        done = command(folder, "--json", "--output", str(result))
        lines = (result / "MANIFEST.in").read_bytes().decode(encoding)
        assert "include café.bin" in lines and f"include {name}" in lines
        assert [path for path, *_ in done.remarks("encoding")] == ["MANIFEST.in"] * (encoding == "utf-8")


def test_what_tools_left_stays_behind(command, tmp_path):
    left = {
        ".git/HEAD": "", "functions/__pycache__/double.cpython-36.pyc": b"\0", "functions/old.pyc": b"\0",
        "x.egg-info/PKG-INFO": "",
        "build/lib.linux/a.py": "", "dist/x-1.tar.gz": b"\0", "src/twice.o": b"\x7fELF",
    }  # fmt: skip
    kept = {"build/rules.txt": "", ".github/workflows/ci.yml": ""}
    result = command(write(tmp_path / "one", {**SCRIPT, **left})).result
    assert not names(result) & set(left)
    result = tmp_path / "second"
    command(write(tmp_path / "two", {**SCRIPT, **kept}), "--output", result)
    assert set(kept) <= names(result)


def test_diff_is_what_patch_takes(command, tmp_path):
    """git applies it to the old project, which then is the new one."""
    folder = write(tmp_path / "project", LOOSE)
    done = command(folder, "--diff")
    assert done.status == 0 and not done.result.exists()
    patched = write(tmp_path / "patched", {name: text for name, text in LOOSE.items()})
    run = {"cwd": patched, "input": done.out, "text": True, "capture_output": True}
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path)}
    applied = subprocess.run(["git", "apply", "-"], env=environment, **run)
    assert applied.returncode == 0, applied.stderr
    result = command(folder).result
    for name in names(result) - {"MODERNIZED.md"}:
        assert (patched / name).read_bytes() == (result / name).read_bytes(), name
    assert names(patched) == names(result) - {"MODERNIZED.md"}


WITH_PACKAGES = """import os
from setuptools import setup, find_packages
from build import ffi

setup(name=ffi.name.split(".")[0], version=str(len(os.listdir("."))), packages=PACKAGES, ext_modules=[ffi.distutils_extension()])
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "given", ["['my_package', 'helpers', 'helpers.deep']", "find_packages(exclude=['scripts'])", "find_packages()"]
)
def test_packages_of_setup_py(command, tmp_path, given):
    """Those without an extension are installed, too; the name may be that of the extension."""
    files = {**PACKAGE, **{name: SCRIPT[name] for name in ("src/twice.h", "src/twice.c")},
             "setup.py": WITH_PACKAGES.replace("PACKAGES", given), "helpers/__init__.py": "", "helpers/deep/__init__.py": "",
             "scripts/__init__.py": "", "test/__init__.py": ""}  # fmt: skip
    done = command(write(tmp_path / "project", below("python", files)))
    assert done.status == 0, done.err
    made = table(done.result)
    find = made["tool"]["setuptools"]["packages"]["find"]
    assert made["project"]["name"] == "my_package" and find["where"] == ["python"]
    also = ["scripts"] if "()" in given else []
    assert find["include"][::2] == ["my_package", "helpers", *also]


@pytest.mark.parametrize("given, found", [
    ("find_packages('lib')", ["helpers", "others"]),
    ("find_packages(where='lib', exclude=['others'])", ["helpers"]),
    ("find_packages('lib', (), ['help*'])", ["helpers"]),
    ("find_packages('lib', include=['helpers', 'helpers.*'])", ["helpers"]),
    ("[*find_packages('lib', exclude=['helpers*'])]", None),
    ("find_packages('lib') + ['more']", None),
    ("find_packages(WHERE)", None),
    ("find_packages('lib', include=NAMES)", None),
    ("sorted(NAMES)", None),
])  # fmt: skip
def test_packages_in_another_folder(tmp_path, given, found):
    """Of a setup.py that could not be run."""
    names = [f"python/lib/{name}/__init__.py" for name in ("helpers", "others", "helpers/deep")]
    setup = f"import build, setuptools\nPACKAGES = {given}\nsetuptools.setup(packages=PACKAGES)\n"
    project = Project(write(tmp_path, {**dict.fromkeys(names, ""), "python/setup.py": setup}))
    said, layout = [], SimpleNamespace(files={name: name for name in project.files})
    package = SimpleNamespace(
        setup={"package_dir": {"": "lib"}}, path="python/setup.py", project=project, layout=layout,
        say=lambda message, kind: said.append((message, kind)),
    )  # fmt: skip
    made = packages_of(package)
    if found is None:
        assert said == [(f"packages={given}: see whether pyproject.toml names all packages", "look")]
    else:
        assert (made, said) == (dict.fromkeys(found, "python/lib"), [])


def below(folder, files):
    return {f"{folder}/{name}": content for name, content in files.items()}


def test_two_projects_of_one_name(command, tmp_path):
    """A setup.py in one folder, a script beside: the second package has another name."""
    package = {**PACKAGE, **{name: SCRIPT[name] for name in ("src/twice.h", "src/twice.c")}}
    files = {**below("package", package), **below("script", SCRIPT)}
    done = command(write(tmp_path / "project", files), "--json")
    assert done.json["extensions"] == ["my_package._ext.twice", "twice._ext.twice"]
    made = names(done.result)
    assert {"package/my_package/double.py", "script/twice/functions/double.py"} <= made
    text = (done.result / "script" / "twice" / "functions" / "double.py").read_text()
    assert text.startswith("from twice._ext import twice")
    assert (done.result / "package" / "my_package" / "double.py").read_text().startswith("from ._ext import twice")


def test_two_packages_of_one_name_are_refused(command, tmp_path):
    package = {**PACKAGE, **{name: SCRIPT[name] for name in ("src/twice.h", "src/twice.c")}}
    project = write(tmp_path / "project", {**below("old", package), **below("new", package)})
    done = command(project)
    assert done.status == 2 and not done.result.exists()
    assert (
        "expected packages of different names, got my_package of new/build.py and of old/build.py; --build chooses one"
        in done.err
    )
    assert command(project, "--build", "new/build.py").status == 0


def test_extensions_of_one_name_in_two_folders(command, tmp_path):
    """Each folder means its own; scripts above name the folder, which is no package."""
    files = {**below("one", SCRIPT), **below("lib/two", SCRIPT), "train.py": "from one._ext import twice\n",
             "lib/run.py": "import two._ext.twice\nprint(two._ext.twice.twice)\n", "plot.py": "import _ext.twice\n",
             "plain.py": "import os, twice\n", "from.py": "from twice import twice\n"}  # fmt: skip
    done = command(write(tmp_path / "project", files), "--json")
    assert done.json["extensions"] == ["twice._ext.twice", "twice_package._ext.twice"]

    def line(name):
        return (done.result / name).read_text()

    assert line("lib/two/twice/functions/double.py").startswith("from twice._ext import twice\n")
    assert line("one/twice_package/functions/double.py").startswith("from twice_package._ext import twice\n")
    assert line("train.py") == "from twice_package._ext import twice\n"
    assert "import twice._ext.twice\nprint(twice._ext.twice.twice)\n" in line("lib/run.py")
    message = (
        "which extension _ext.twice means is not known; those of today: twice._ext.twice, twice_package._ext.twice"
    )
    assert [each[2:] for each in done.remarks("import") if each[0] == "plot.py"] == [(message, "look")]
    message = message.replace("_ext.twice means", "twice means")
    assert [each[2:] for each in done.remarks("import") if each[0] == "plain.py"] == [(message, "look")]
    assert [each[2:] for each in done.remarks("import") if each[0] == "from.py"] == [(message, "look")]


def test_a_second_script_of_a_name_is_none_that_pytest_collects(command, tmp_path):
    """tests/test_scripts.py runs it: pytest would run it too, when it collects tests, by another name."""
    script = "assert True\n"
    case = "def test_it():\n    pass\n"
    files = {"test.py": script, "more/test.py": script, "test_it.py": case, "more/test_it.py": case}
    result = command(write(tmp_path / "project", {**SCRIPT, **files})).result
    tests = {name for name in names(result) if name.startswith("tests/") and name != "tests/test_scripts.py"}
    assert tests == {"tests/test.py", "tests/more/test.py", "tests/test_it.py", "tests/test_it_more.py"}
    assert '"test.py", "more/test.py"' in (result / "tests" / "test_scripts.py").read_text().replace("\n    ", " ")
