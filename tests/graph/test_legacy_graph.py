# tests/graph/test_legacy_graph.py: old projects under torch.compile: TH functions are operators, old-style
# Functions break the graph.
import re
import shutil

import pytest
import torch

from support import ROOT
from support.graphs import captured
from support.legacy_project import output
from support.messages import names

RELEASE = tuple(map(int, torch.__version__.split(".")[:2]))

BEGIN = """
import torch
from _ext import my_lib
from torch._dynamo.exc import Unsupported
from torch._dynamo.utils import counters
def breaks():  # prints why graphs were broken, once for each reason
    for text in counters["graph_break"]:
        print(text.partition("reason: ")[2].partition(")\\n")[0] or text.splitlines()[0])
def add(a, b):
    output = torch.empty_like(a)
    assert my_lib.my_lib_add_forward(a, b, output) == 1
    return 2 * output
def resizes(a, b):
    output = a.new()
    my_lib.my_lib_add_forward(a, b, output)
    return 2 * output
def compiled(function, backend="aot_eager", fullgraph=True):
    torch._dynamo.reset()
    counters.clear()
    return torch.compile(function, backend=backend, fullgraph=fullgraph, dynamic=True)
def error(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        print(type(error).__name__, " ".join(str(error).split()))
    else:
        print("no error")
a, b = torch.randn(3, 4), torch.randn(3, 4)
want = 2 * (a + b)
"""


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graph") / "script"
    shutil.copytree(ROOT / "examples" / "legacy" / "script", folder)
    output(folder, "exec(open('build.py').read())", PYTHONWARNINGS="ignore")
    return folder


@pytest.mark.slow
@captured
def test_presized_outputs_are_captured(sample):
    printed = output(sample, BEGIN + """
from torch.fx.experimental.proxy_tensor import make_fx
for backend in ("aot_eager", "inductor"):
    print(torch.equal(compiled(add, backend)(a, b), want))
graph = make_fx(add)(a, b)
print(torch.equal(graph(a, b), want), ".my_lib_add_forward.out(" in graph.code)
def in_place(a, b):
    c = a.clone()
    my_lib.my_lib_add_forward(c, b, c)
    my_lib.my_lib_add_forward(c, c, c)
    return c
print(torch.equal(compiled(in_place)(a, b), want))
""")  # fmt: skip
    assert printed.split() == ["True"] * 5


@pytest.mark.slow
@captured
def test_the_call_is_a_mutating_operator_of_the_graph(sample):
    printed = output(sample, BEGIN + """
def show(graph, inputs):
    (node,) = (node for node in graph.graph.nodes if "my_lib" in str(node.target))
    print(node.target, node.target._schema.is_mutable, node.target._schema)
    return graph
print(torch.equal(compiled(add, show)(a, b), want))
""")  # fmt: skip
    operator = "_ext_my_lib.my_lib_add_forward.out"
    schema = "(Tensor(a!) input1, Tensor(b!) input2, Tensor(c!) output) -> ()"
    assert printed.splitlines() == [f"{operator} True _ext_my_lib::my_lib_add_forward.out{schema}", "True"]


PROJECT = """
from functions.add import MyAddFunction, MyStaticAddFunction
for function in MyStaticAddFunction.apply, MyAddFunction():
    x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
    result = compiled(lambda x, y: 2 * function(x + 1, y), fullgraph=False)(x, y)
    result.sum().backward()
    print(result.tolist(), x.grad.tolist(), y.grad.tolist())
    breaks()
"""


@pytest.mark.slow
@captured
def test_the_functions_of_a_project(sample):
    """They resize a new output, and one is of the old style: one break each, with its reason, and no other."""
    resizes = "my_lib_add_forward: its arguments must be tensors with elements, because C may resize a tensor without"
    values = "[6.0, 6.0] [2.0, 2.0] [2.0, 2.0]"
    words = "Skip calling `torch.compiler.disable()`d function"
    assert output(sample, BEGIN + PROJECT).splitlines() == [
        values, resizes if RELEASE >= (2, 8) else words, values, OF_AN_INSTANCE
    ]  # fmt: skip


OTHER = """
#include <TH/TH.h>
int my_lib_add_forward(THFloatTensor *input1, THFloatTensor *input2, THFloatTensor *output)
{
  THFloatTensor_cadd(output, input1, 100, input2);
  return 1;
}
int my_lib_add_backward(THFloatTensor *grad_output, THFloatTensor *grad_input) { return 1; }
"""
TWO = """
import importlib
import torch
from torch.fx.experimental.proxy_tensor import make_fx
one, two = (importlib.import_module(name + "._ext.my_lib") for name in ("one", "two"))
def call(library):
    def add(a, b):
        output = torch.empty_like(a)
        assert library.my_lib_add_forward(a, b, output) == 1
        return output
    return add
a, b = torch.ones(2), torch.ones(2)
for library in one, two:
    graph = make_fx(call(library))(a, b)
    compiled = torch.compile(call(library), backend="aot_eager", fullgraph=True)
    names = [str(node.target) for node in graph.graph.nodes if "my_lib" in str(node.target)]
    print(*(each(a, b).tolist() for each in (call(library), graph, compiled)), *names)
"""


@pytest.mark.slow
@captured
def test_two_projects_with_extensions_of_one_name(sample, tmp_path):
    """Each in its own package, with other C under the same names."""
    for name in "one", "two":
        shutil.copytree(ROOT / "examples" / "legacy" / "script", tmp_path / name)
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / "two" / "src" / "my_lib.c").write_text(OTHER)
    for name in "one", "two":
        output(tmp_path / name, "exec(open('build.py').read())", PYTHONWARNINGS="ignore")
    assert output(tmp_path, TWO).splitlines() == [
        f"{[value] * 2} {[value] * 2} {[value] * 2} {name}__ext_my_lib.my_lib_add_forward.out"
        for name, value in (("one", 2.0), ("two", 101.0))
    ]


@pytest.mark.slow
def test_what_c_resizes(sample):
    lines = output(sample, BEGIN + """
from torch.fx.experimental.proxy_tensor import make_fx
error(compiled(resizes), a, b)
print(torch.equal(compiled(resizes, fullgraph=False)(a, b), want))
print(torch.equal(compiled(resizes, "inductor", fullgraph=False)(a, b), want))
error(make_fx(resizes), a, b)
operator = torch.ops._ext_my_lib.my_lib_add_forward.out
error(operator, a, b, torch.empty(2))
""").splitlines()  # fmt: skip
    reason = "because C may resize a tensor without" if RELEASE >= (2, 8) else ""
    assert lines[0].startswith("Unsupported") and reason in lines[0]
    assert lines[1:3] == ["True", "True"]
    assert lines[3].startswith("ValueError output: expected a tensor with elements in a call that PyTorch records")
    assert re.search(names("RuntimeError", "my_lib_add_forward", "output", "(2,)", "graph", "(3, 4)"), lines[4])


REASON = "an autograd Function whose forward is a method of instances cannot be in a graph; static ones can"
# What is said where an instance is made in a graph, and where one is called, as far as PyTorch lets others say it. Run
# with 2.4, 2.7, 2.10, 2.13 and 2.15.
OF_MAKING = (
    REASON if RELEASE >= (2, 8)
    else "Skip calling `torch.compiler.disable()`d function" if RELEASE >= (2, 7)
    else "call_function UserDefinedClassVariable(<class '__main__.Times'>) [ConstantVariable()] {}"
)  # fmt: skip
OF_AN_INSTANCE = (
    REASON if RELEASE >= (2, 15)
    else "Unsupported autograd.Function context method" if RELEASE >= (2, 8)
    else "autograd.Function context method: __call__"
)  # fmt: skip
OLD_STYLE = """
class Times(torch.autograd.Function):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor
    def forward(self, x):
        self.save_for_backward(x)
        return x * self.factor
    def backward(self, gradient):
        return gradient * self.factor
times = Times(3)
for function in (lambda x: 2 * Times(3)(x + 1), lambda x: 2 * times(x + 1)):
    x = torch.ones(2, requires_grad=True)
    y = compiled(function, fullgraph=False)(x)
    y.sum().backward()
    print(y.tolist(), x.grad.tolist())
    breaks()
"""


@pytest.mark.slow
def test_old_style_functions_break_the_graph(sample):
    values = "[12.0, 12.0] [6.0, 6.0]"
    made, called = [OF_MAKING, OF_AN_INSTANCE], [OF_AN_INSTANCE]
    assert output(sample, BEGIN + OLD_STYLE).splitlines() == [values, *made, values, *called]
