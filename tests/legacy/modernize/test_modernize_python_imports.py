# tests/legacy/modernize/test_modernize_python_imports.py: imports of a project's modules by their new names.
import subprocess
import sys

import pytest

pytest.importorskip("libcst")

from torchthaw.modernize.python import convert  # noqa: E402

MODULES = {"functions": "new.functions", "functions.add": "new.functions.add", "modules": "new.modules",
           "modules.add": "new.modules.add", "_ext": "new._ext", "_ext.my_lib": "new._ext.my_lib"}  # fmt: skip
FILES = {"functions/__init__.py": "", "functions/add.py": "name = 'functions.add'\n", "modules/__init__.py": "",
         "modules/add.py": "name = 'modules.add'\n"}  # fmt: skip


def changed(text, path="script.py", files=FILES, modules=MODULES):
    texts, remarks, _ = convert({**files, path: text}, modules)
    assert all(remark.kind == "done" and remark.rule == "import" for remark in remarks)
    assert bool(remarks) == (texts[path] != text)
    return texts[path]


@pytest.mark.parametrize(("before", "after"), [
    ("from functions.add import name\n", "from new.functions.add import name\n"),
    ("from functions.add import name as n, other\n", "from new.functions.add import name as n, other\n"),
    ("from functions.add import (  # all\n    name,\n)\n", "from new.functions.add import (  # all\n    name,\n)\n"),
    ("from functions import add\n", "from new.functions import add\n"),
    ("from functions.add import *\n", "from new.functions.add import *\n"),
    ("import functions.add as fa\n", "import new.functions.add as fa\n"),
    ("import functions\nfunctions.x\n", "import new.functions as functions\nfunctions.x\n"),
    ("import functions.add\nx = functions.add.name\n", "import new.functions.add\nx = new.functions.add.name\n"),
    ("import os, modules.add, sys\n", "import os, new.modules.add, sys\n"),
    ("from _ext import my_lib\n", "from new._ext import my_lib\n"),
    ("from _ext.my_lib import f\n", "from new._ext.my_lib import f\n"),
    ("import torch.functions\nfrom torch import functions\n", "import torch.functions\nfrom torch import functions\n"),
    ("def f():\n    from modules.add import name  # it\n", "def f():\n    from new.modules.add import name  # it\n"),
])  # fmt: skip
def test_import(before, after):
    assert changed(before) == after


IMPORT = "from importlib import import_module\nimport importlib\n"


@pytest.mark.parametrize(("before", "after"), [
    ("import_module('functions.add')", "import_module('new.functions.add')"),
    ("importlib.import_module(name=n) or importlib.import_module(u'functions')",
     "importlib.import_module(name=n) or importlib.import_module(u'new.functions')"),
    ('import_module(".add", package="functions")', 'import_module(".add", package="new.functions")'),
    ('import_module(".add", "functions")', 'import_module(".add", "new.functions")'),
    ("__import__('functions')", "importlib.import_module('new.functions')"),
    ("__import__('functions.add', fromlist=['name'])", "__import__('new.functions.add', fromlist=['name'])"),
    ("__import__('functions.add', {}, {}, ['name'])", "__import__('new.functions.add', {}, {}, ['name'])"),
    ("import_module('torch.nn') and __import__('os')", "import_module('torch.nn') and __import__('os')"),
    ("import_module('torch.nn.' + name)", "import_module('torch.nn.' + name)"),
])  # fmt: skip
def test_names_of_modules_in_strings(before, after):
    texts, remarks, _ = convert({**FILES, "script.py": f"{IMPORT}x = {before}\n"}, MODULES)
    kept = [line for line in texts["script.py"].split("\n") if "# modernize" not in line]
    assert "\n".join(kept) == f"{IMPORT}x = {after}\n"
    assert {remark.kind for remark in remarks} - {"look"} == ({"done"} if before != after else set())


@pytest.mark.parametrize(("call", "said"), [
    ("import_module('functions.' + name)", "functions is new.functions now"),
    ("import_module('functions.%s' % name)", "functions is new.functions now"),
    ("import_module('functions.{}'.format(name))", "functions is new.functions now"),
    ("import_module(f'functions.{name}')", "functions is new.functions now"),
    ("import_module(name)", "modules of the project have other names now"),
    ("import_module(*names)", "modules of the project have other names now"),
    ("__import__('functions.add')", "functions.add is new.functions.add now, whose first package __import__ gives"),
])  # fmt: skip
def test_names_of_modules_that_cannot_be_decided(call, said):
    before = f"{IMPORT}x = {call}\n"
    texts, (remark,), _ = convert({**FILES, "script.py": before}, MODULES)
    assert (remark.kind, remark.rule, remark.line) == ("look", "import", 3) and said in remark.message
    lines = texts["script.py"].split("\n")
    assert lines[2].startswith("# modernize: import: ") and "\n".join(lines[:2] + lines[-2:]) == before
    texts, remarks, _ = convert({**FILES, "script.py": before}, {name: name for name in MODULES})
    assert texts["script.py"] == before and not remarks


def test_names_that_went_to_different_places():
    modules = {"lib": "new.core", "lib.a": "new.a", "lib.b": "new.core.bb"}
    files = {"lib/__init__.py": "", "lib/a.py": "", "lib/b.py": ""}
    text = changed("# both\nfrom lib import a, b  # here\n", files=files, modules=modules)
    assert text == "# both\nfrom new import a\nfrom new.core import bb as b  # here\n"


def test_imports_beside_the_file_as_in_python_2():
    files = {"pkg/__init__.py": "", "pkg/helper.py": ""}
    modules = {"pkg": "pkg", "pkg.helper": "pkg.helper", "pkg.user": "pkg.user"}
    text = "import helper\nfrom helper import x\nimport copy\n"
    after = "import pkg.helper as helper\nfrom pkg.helper import x\nimport copy\n"
    assert changed(text, "pkg/user.py", files, modules) == after


def test_what_lies_beside_a_script_stays():
    text = "import helper\nfrom helper import x\n"
    assert changed(text, "tools/run.py", {"tools/helper.py": ""}, {}) == text


SCRIPT = "import sys\nsys.path.append('parts')\nfrom helper import *\nimport other as o\n"


@pytest.mark.parametrize("inits", [{}, {"parts/__init__.py": ""}], ids=["folder", "package"])
def test_what_sys_path_leads_to_stays(inits):
    """No package of the result has it, and the project's folder may not be on sys.path."""
    files = {**FILES, **inits, "parts/helper.py": "import other\n", "parts/other.py": "", "train/run.py": SCRIPT}
    names = {f"parts.{name}": f"parts.{name}" for name in ("helper", "other")}
    modules = {**MODULES, **names, "helper": "parts.helper", "other": "parts.other"}
    texts, remarks, _ = convert({**files, "by_name.py": "import parts.helper\n"}, modules)
    assert texts == {**files, "by_name.py": "import parts.helper\n"} and not remarks


@pytest.mark.parametrize(("package", "after"), [
    ("pkg", "from ..functions.add import x\nfrom . import other\nfrom .._ext import my_lib\n"),
    ("new", "from ..functions.add import x\nfrom . import other\nfrom .._ext import my_lib\n"),
])  # fmt: skip
def test_relative_imports_stay_where_they_lead_to_the_same(package, after):
    names = ("", ".functions", ".functions.add", ".modules", ".modules.add", ".modules.other", "._ext", "._ext.my_lib")
    modules = {f"pkg{name}": f"{package}{name}" for name in names}
    files = {f"pkg/{name}": "" for name in ("__init__.py", "functions/__init__.py", "functions/add.py",
                                            "modules/__init__.py", "modules/other.py")}  # fmt: skip
    assert changed(after, "pkg/modules/add.py", files, modules) == after


def test_relative_imports_of_what_went_elsewhere():
    files = {"pkg/__init__.py": "", "pkg/sub/__init__.py": "", "pkg/far.py": ""}
    modules = {"pkg": "new", "pkg.sub": "new.sub", "pkg.far": "other.far", "pkg.sub.mod": "new.sub.mod"}
    assert changed("from ..far import x\n", "pkg/sub/mod.py", files, modules) == "from other.far import x\n"


def test_a_folder_on_the_path():
    """sys.path had lib/, as scripts often put it there; one module alone has the name."""
    files = {"lib/layers/__init__.py": "", "lib/layers/roi.py": ""}
    modules = {"lib.layers": "new.layers", "lib.layers.roi": "new.layers.roi"}
    assert changed("from layers.roi import x\n", "tools/train.py", files, modules) == "from new.layers.roi import x\n"


def test_converted_imports_work(tmp_path):
    text = "import functions.add\nfrom modules import add\nprint(functions.add.name, add.name)\n"
    texts, _, _ = convert({**FILES, "script.py": text}, MODULES)
    for path, text in texts.items():
        place = tmp_path / (f"new/{path}" if "/" in path else path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    (tmp_path / "new" / "__init__.py").touch()
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, timeout=120)
    assert done.stdout == "functions.add modules.add\n", done.stderr
