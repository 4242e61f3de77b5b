# tests/graph/test_legacy_graph.py: old projects under torch.compile: TH functions are operators, old-style
# Functions break the graph.
import shutil

import pytest

from support import ROOT
from support.legacy_project import output

BEGIN = """
import torch
from _ext import my_lib
from torch._dynamo.exc import Unsupported
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
    assert lines[0].startswith("Unsupported") and "because C may resize a tensor without" in lines[0]
    assert lines[1:3] == ["True", "True"]
    assert lines[3].startswith("ValueError output: expected a tensor with elements in a call that PyTorch records")
    assert lines[4] == (
        "RuntimeError my_lib_add_forward: output: expected its shape (2,) to stay in a graph, but C resized it to "
        "(3, 4); give it this shape before the call"
    )


OLD_STYLE = """
import torch
from torch._dynamo.utils import counters
from torch.autograd import Function
class Times(Function):
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
    torch._dynamo.reset()
    counters.clear()
    x = torch.ones(2, requires_grad=True)
    y = torch.compile(function, backend="aot_eager")(x)
    y.sum().backward()
    print(y.tolist(), x.grad.tolist())
    print(*(" ".join(text.split()) for text in counters["graph_break"]))
"""


def test_old_style_functions_break_the_graph(tmp_path):
    lines = output(tmp_path, OLD_STYLE).splitlines()
    assert lines[0] == lines[2] == "[12.0, 12.0] [6.0, 6.0]"
    assert "an autograd Function whose forward is a method of instances cannot be in a graph" in lines[1]
    assert "autograd.Function" in lines[3] or "torch.compiler.disable" in lines[3]  # Dynamo's words, by version
