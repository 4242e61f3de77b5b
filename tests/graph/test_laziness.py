# tests/graph/test_laziness.py: when operators are registered, and what the import of an extension does.
import json
import os
import re
import subprocess
import sys
import threading
from types import ModuleType

import pytest
import torch

from support import ROOT, SRC
from support.graphs import captured, full
from support.messages import names
from torchthaw import library as operators
from torchthaw.library.namespace import Namespace


def run(text, *arguments, **environment):
    """What a new process prints."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(SRC), str(ROOT), str(ROOT / "tests")]),
        **environment,
    }
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", text, *arguments], cwd=ROOT, env=environment,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


IMPORT = """
import sys, torch
before = set(sys.modules)
from _ext import my_lib
new = {name for name in sys.modules if name not in before}
print(sorted(name for name in new if name.startswith("torch.") or name.startswith("torchthaw.library")))
kind = type(torch.ops.my_lib)
torch.ops.my_lib.lltm_forward
print(kind is not type(torch.ops.aten), type(torch.ops.my_lib) is type(torch.ops.aten), "torch._dynamo" in sys.modules)
x = torch.ones(2, requires_grad=True)
import functions.add
functions.add.add(x, x).sum().backward()
print({"sympy", "torch._decomp.decompositions_for_jvp", "torch._dynamo"} & set(sys.modules))
"""


@pytest.mark.slow
def test_the_import_of_an_extension_registers_nothing():
    """And a first call imports none of what takes PyTorch long: .2 s and more each."""
    assert run(IMPORT).splitlines() == [
        "['torchthaw.library', 'torchthaw.library.functions_attribute']",
        "True True False",
        "set()",
    ]


ORDER = """
import sys
for name in sys.argv[1:]:
    __import__(name)
import torch
from _ext import my_lib
from support.graphs import add
a = torch.randn(3)
assert torch.equal(torch.compile(add, backend="aot_eager", fullgraph=True)(a, a), 4 * a)
"""


@pytest.mark.slow
@captured
@pytest.mark.parametrize("order", [
    ["_ext.my_lib", "torch"], ["torch", "_ext.my_lib"],
    pytest.param(["torch", "torch._dynamo", "_ext.my_lib"], marks=full),
])  # fmt: skip
def test_imports_in_any_order(order):
    run(ORDER, *order)


@pytest.mark.slow
def test_without_kernels_in_c():
    """The kernels in Python, and the check before them, give and refuse the same."""
    text = """
import pytest, sys
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "tests/graph/test_operators.py", "-k",
                      "not opcheck or lltm_forward"]))
"""
    assert " passed" in run(text, TORCHTHAW_NO_NATIVE_KERNELS="1")


WRITE = """
import torch
from _ext import my_lib
from support.graphs import add
class Sum(torch.nn.Module):
    forward = staticmethod(add)
x = torch.ones(3)
torch._inductor.aoti_compile_and_package(torch.export.export(Sum(), (x, x)), package_path=sys.argv[1])
"""
READ = """
import torch
if len(sys.argv) > 2: __import__(sys.argv[2])
x = torch.ones(3)
try:
    print(torch._inductor.aoti_load_package(sys.argv[1])(x, x).tolist())
except RuntimeError as error:
    print(error)
"""


@full
def test_aotinductor_needs_the_import_of_the_extension(tmp_path):
    package = str(tmp_path / "sum.pt2")
    run("import sys" + WRITE, package)
    assert "[4.0, 4.0, 4.0]" in run("import sys" + READ, package, "_ext.my_lib")
    assert re.search(names("schema", "my_lib::my_lib_add_forward.out"), run("import sys" + READ, package))


def module(name, functions, header, namespace="pairs"):
    """A stand-in for an extension's module."""
    description = {"version": 1, "package": name, "namespace": namespace, "headers": [header], "functions": functions}
    made = ModuleType(name)
    made.__file__ = f"/{name}/_pairs.so"
    made.description = json.dumps(description)
    return made


def function(name, dtype, operator=None, result="int", **more):
    array = {"kind": "array", "ctype": "...", "dtype": dtype, "inout": False, "nullable": False, "aliases": []}
    shape = {"shapes": [{"dims": ["n"]}]}
    return {
        "name": name, "operator": operator or name, "result": result, "status": False, "backward_of": None,
        "device": "cpu", "callable": True, "annotated": True, **more,
        "parameters": [
            {"name": "x", "written": False, **array, **shape}, {"name": "n", "kind": "integer", "source": ["x", 0]},
            {"name": "y", "written": True, **array, **shape},
        ],
    }  # fmt: skip


@pytest.fixture
def pairs(monkeypatch):
    """A namespace of stand-ins whose kernels are in Python."""
    monkeypatch.setattr("torchthaw.library.registration.register_native", lambda *_: [])
    monkeypatch.setattr("torchthaw.library.kernels.call_below_modes", lambda function, *given: function(*given))
    space = Namespace("pairs")
    yield space
    space.close()
    for name in [name for name in vars(torch.ops.pairs) if "twice" in name]:
        delattr(torch.ops.pairs, name)  # which PyTorch 2.7 and before keep


def twice(x, n, y):
    y.copy_(2 * x)
    return 1


@pytest.mark.filterwarnings("error:.*overrid:UserWarning")  # a kernel is entered once; PyTorch 2.10 refuses a second
def test_variants_of_two_modules_are_one_operator(pairs):
    pairs.take([(module("a", [function("twice", "float32")], "a.h"), {"twice": twice})])
    pairs.take([(module("b", [function("twice_f64", "float64", "twice")], "b.h"), {"twice_f64": twice})])
    for dtype in torch.float32, torch.float64:
        assert torch.ops.pairs.twice(torch.ones(2, dtype=dtype)).tolist() == [2, 2]
    match = names("x", "torch.float32", "torch.float64", "torch.int64", "tensor.to(torch.float32)")
    with pytest.raises(ValueError, match=match):
        torch.ops.pairs.twice(torch.ones(2, dtype=torch.int64))


def test_two_schemas_under_one_name(pairs):
    other = function("twice", "float32")
    other["parameters"][1]["source"] = None
    first, second = module("a", [function("twice", "float32")], "a.h"), module("b", [other], "b.h")
    pairs.take([(first, {"twice": twice})])
    pairs.check_new()
    pairs.take([(second, {"twice": lambda *arguments: 1})])
    for check in pairs.check_new, lambda: pairs.check("twice"):
        with pytest.raises(ValueError) as caught:
            check()
        declared = "twice as (Tensor x, SymInt n) -> Tensor", "twice as (Tensor x) -> Tensor"
        said = names("torch.ops.pairs.twice", "b.h", "/b/_pairs.so", "a.h", "/a/_pairs.so", *declared, "ops=...")
        assert re.search(said, str(caught.value))
    assert pairs.members[second, "twice"].obstacle == str(caught.value)
    assert torch.ops.pairs.twice(torch.ones(2)).tolist() == [2, 2]


def test_two_functions_of_one_schema(pairs):
    """PyTorch must not call the first one where the second was meant; the same module once more is no second one."""
    for name in "a", "a", "b":
        pairs.take([(module(name, [function("twice", "float32")], f"{name}.h"), {"twice": twice})])
    pairs.check_new()  # it may be imported, for calls that no graph sees
    said = names("torch.ops.pairs.twice", "b.h", "/b/_pairs.so", "a.h", "/a/_pairs.so", "dtypes", "ops=...")
    with pytest.raises(ValueError, match=said):
        pairs.check("twice")
    assert torch.ops.pairs.twice(torch.ones(2)).tolist() == [2, 2]


def test_an_operator_of_somebody_else(pairs):
    """PyTorch's own sparse::qlinear is one: it stays, and PyTorch records no call of ours."""
    theirs = torch.library.Library("pairs", "FRAGMENT")
    theirs.define("twice(Tensor x) -> Tensor")
    theirs.impl("twice", lambda x: x - 1, "CPU")
    made = module("a", [function("twice", "float32"), function("double", "float32")], "a.h")
    match = "^torch.ops.pairs.twice: a.h of /a/_pairs.so declares twice, but PyTorch has this name already; give "
    with pytest.warns(UserWarning, match=match):
        pairs.take([(made, {"twice": twice, "double": twice})])
    assert torch.ops.pairs.twice(torch.ones(2)).tolist() == [0, 0]
    assert torch.ops.pairs.double(torch.ones(2)).tolist() == [2, 2]
    assert "PyTorch has this name already" in pairs.members[made, "twice"].obstacle


@pytest.mark.parametrize("is_used", [True, False], ids=["used", "new"])
def test_two_functions_of_one_schema_in_a_namespace(monkeypatch, is_used):
    """The second one is an error for whoever looks, also where the namespace was used before it came."""
    monkeypatch.setattr("torchthaw.library.registration.register_native", lambda *_: [])
    monkeypatch.setattr(operators, "_modules", [*operators._modules])  # what stands in for a module has no C functions
    name = f"twins_{is_used}"

    def bind(file):
        made = module(f"{file}._pairs", [function("twice", "float32")], f"{file}.h", name)
        operators.note(made, {"twice": twice})

    bind("a")
    if is_used:
        assert getattr(torch.ops, name).twice.default
    bind("b")
    for _ in range(2):
        with pytest.raises(ValueError, match=rf"torch.ops.{name}.twice: b.h of .* and a.h of .* for the same dtypes"):
            getattr(torch.ops, name).twice
    space = getattr(torch.ops, name)
    for operator in space:  # as PyTorch's compiler does with every namespace, whatever it compiles
        getattr(space, operator)
    operators._namespaces[name].close()


def test_threads_make_one_namespace(monkeypatch):
    """Of two, the one that is collected would take its operators out of PyTorch."""
    made, both = [], threading.Barrier(2)

    class Slow(Namespace):
        def __init__(self, name):
            made.append(self)
            try:
                both.wait(0.5)  # for the other thread to be here too
            except threading.BrokenBarrierError:
                pass
            super().__init__(name)

    monkeypatch.setattr("torchthaw.library.namespace.Namespace", Slow)
    monkeypatch.setitem(operators._bound, "raced", [])
    found = []
    threads = [threading.Thread(target=lambda: found.append(operators.register("raced"))) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found[0] is found[1] is made[0] and len(made) == 1
    operators._namespaces.pop("raced").close()


@pytest.mark.parametrize("imported, built, described, expected", [
    ("_ext.my_lib", "_ext.my_lib", "_ext_my_lib", "_ext_my_lib"),
    ("a._ext.my_lib", "_ext.my_lib", "_ext_my_lib", "a__ext_my_lib"),
    ("a._ext.my_lib", "_ext.my_lib", "my_lib", "my_lib"),
    ("a._ext.my_lib", "", "_ext_my_lib", "_ext_my_lib"),
])  # fmt: skip
def test_the_namespace_of_a_package(imported, built, described, expected):
    assert operators._namespace(imported, built, described) == expected


def test_results_that_a_graph_cannot_have(pairs):
    functions = [function("count", "float32"), function("sum", "float32", result="float")]
    trampolines = {"count": lambda x, n, y: 7, "sum": lambda x, n, y: 1.0}
    extension = module("a", functions, "a.h")
    pairs.take([(extension, trampolines)])
    with pytest.raises(RuntimeError, match=names("count", "1", "graph", "result", "7")):
        torch.ops.pairs.count(torch.ones(2))
    why = "it returns float, and an operator can give its result in tensors only"
    assert pairs.members[extension, "sum"].obstacle == why
    assert not hasattr(torch.ops.pairs, "sum")


OLD = """
import torch
vars(torch.compiler).pop("substitute_in_graph", None)
import torch._dynamo
from _ext import my_lib
import functions.add
from support.graphs import add
a = torch.randn(3)
assert torch.equal(torch.compile(add, backend="aot_eager")(a, a), 4 * a)  # with a break
b = a.clone().requires_grad_()
compiled = torch.compile(lambda x: functions.add.add(x.sin(), x).cos(), backend="aot_eager")
(got,) = torch.autograd.grad(compiled(b).sum(), b)
(want,) = torch.autograd.grad((b.sin() + b).cos().sum(), b)
torch.testing.assert_close((compiled(a), compiled(b), got), ((a.sin() + a).cos(), (b.sin() + b).cos(), want))
"""


@pytest.mark.slow
def test_a_pytorch_that_takes_no_substitutes():
    run(OLD)


IMPORTED_MEANWHILE = """
import sys, torch
from torchthaw.library import registration
from _ext.my_lib import functions
define = registration.define

def first_dynamo(*arguments):
    import torch._dynamo
    return define(*arguments)

registration.define = first_dynamo
assert "torch._dynamo" not in sys.modules
print(functions.cube(torch.full((2,), 2.0)).tolist(), sorted(set(dir(functions)) - set(vars(functions))))
"""


@pytest.mark.slow
def test_dynamo_that_is_imported_while_operators_are_defined():
    """As PyTorch 2.7 does once DTensor is there. Dynamo finds all of the functions as attributes."""
    assert run(IMPORTED_MEANWHILE) == "[8.0, 8.0] []\n"


KEYWORD = """
import torch, torch._dynamo, torchthaw
module = torchthaw.load_inline(
    "keywords", headers="int lambda(int value);\\nint from(const float *values, long count);",
    c_sources="int lambda(int value) { return 2 * value; }\\n"
    "int from(const float *values, long count) { return values[0] == 3 && count == 1; }",
)
double, starts = getattr(module, "lambda"), getattr(module, "from")  # Dynamo reads no attribute of such a name
print(torch.compile(lambda tensor: double(5) + starts(tensor, 1), backend="eager")(torch.full((1,), 3.0)))
"""


@pytest.mark.slow
def test_functions_with_names_that_are_words_of_python(tmp_path):
    assert run(KEYWORD, TORCHTHAW_CACHE=str(tmp_path)) == "11\n"
