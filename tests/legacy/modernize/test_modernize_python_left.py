# tests/legacy/modernize/test_modernize_python_left.py: Functions and calls that a person must decide about: they stay
# as they are, with a comment and a remark.
import ast
import textwrap

import pytest

pytest.importorskip("libcst")

from torchthaw.modernize.python import convert  # noqa: E402

HEAD = "import torch\nfrom torch import nn\nfrom torch.autograd import Function\n\n\n"
PLAIN = """
class F(Function):
    def __init__(self, k, bias=0):
        self.k, self.bias = k, bias

    def forward(self, x, y=None):
        return x * self.k + self.bias

    def backward(self, grad):
        return grad * self.k
"""
FORWARD = """
    def forward(self, x):
        return x

    def backward(self, grad):
        return grad
"""


def converted(text):
    text = HEAD + textwrap.dedent(text).lstrip("\n")
    texts, remarks, functions = convert({"a.py": text}, {})
    ast.parse(texts["a.py"])
    return text, texts["a.py"], remarks, functions


CLASSES = {
    "any number and keywords alone": (
        "class F(Function):\n    def __init__(self, *args, k=1):\n        self.args, self.k = args, k\n",
        "takes any number of arguments, and some by keyword alone"),
    "an early return": ("class F(Function):\n    def __init__(self, k):\n        self.k = k\n        return\n",
                        "returns early"),
    "its own way to be called": ("class F(Function):\n    def __call__(self, x):\n        return 1\n",
                              "are made or called"),
    "a property": ("class F(Function):\n    @property\n    def k(self):\n        return 1\n", "k has a decorator"),
    "a method that is passed on": (
        "class F(Function):\n    def g(self, x):\n        return x\n\n    def h(self, xs):\n"
        "        return map(self.g, xs)\n",
        "g is passed on"),
    "a variable named ctx": ("class F(Function):\n    def g(self):\n        ctx = 1\n        return ctx\n",
                             "named ctx"),
    "super() that is handed on": ("class F(Function):\n    def g(self):\n        return h(super(F, self))\n",
                                  "g uses super() otherwise than for a method"),
    "a second base": ("class F(Function, object):\n    k = 1\n", "a second base"),
    "a variable named as an input": ("class F(Function):\n    def __init__(self, k):\n        x = k\n"
                                     "        self.k = x\n",
                                     "forward's argument x"),
}  # fmt: skip


@pytest.mark.parametrize("name", CLASSES)
def test_class_stays(name):
    source, why = CLASSES[name]
    before, after, remarks, functions = converted(source + FORWARD + "\n\ny = F(1)(x)\n")
    assert [line for line in after.split("\n") if not line.strip().startswith("#")] == before.split("\n")
    (remark,) = [each for each in remarks if each.kind == "look"]
    assert why in remark.message and remark.rule == "instance-function" and not functions
    line = before.split("\n")[remark.line - 1]
    assert line.startswith("class F(")
    lines = after.split("\n")
    assert lines[lines.index(line) - 1].startswith("#")


def test_families_stay_together():
    before, after, remarks, _ = converted(
        PLAIN + "\n\nclass G(F):\n    def __init__(self, k):\n        super(F, self).__init__(k, 1)\n"
    )
    assert [line for line in after.split("\n") if not line.startswith("#")] == before.split("\n")
    messages = [each.message for each in remarks]
    assert "G stays an instance Function: its __init__ calls super(F, ...) in place of super(G, ...)" in messages
    assert "F stays an instance Function: G, of the same family, stays as it is" in messages


def test_defaults_of_another_file_stay():
    base = HEAD + "FACTOR = 2\n" + PLAIN.replace("bias=0", "bias=FACTOR")
    below = "from a import F\n\n\nclass G(F):\n    def __init__(self, k):\n        F.__init__(self, k)\n"
    inherits = "from b import G\n\n\nclass H(G):\n    pass\n"
    texts, remarks, _ = convert({"a.py": base, "b.py": below, "c.py": inherits}, {})
    assert {each.kind for each in remarks} == {"done"} and "FACTOR" not in texts["b.py"]  # G has no such argument
    for below in (
        "class G(F):\n    pass\n",
        "class G(F):\n    def forward(self, x):\n        return F.forward(self, x)\n",
    ):
        last = "from b import G\n\n\nclass H(G):\n    def __init__(self, k):\n        G.__init__(self, k)\n"
        _, remarks, _ = convert({"a.py": base, "b.py": f"from a import F\n\n\n{below}", "c.py": last}, {})
        why = "G stays an instance Function: __init__ of its base F, in another file, has a default that is no literal"
        assert why in [each.message for each in remarks]


def test_overridden_helpers_stay():
    _, after, remarks, _ = converted(
        "class F(Function):\n    def g(self, x):\n        return x\n" + FORWARD
        + "\n\nclass G(F):\n    def g(self, x):\n        return 2 * x\n"
    )  # fmt: skip
    assert "ctx" not in after and any("it overrides g of its base" in each.message for each in remarks)


CALLS = {
    "an unknown keyword": ("y = F(1, shift=2)(x)", "__init__ has no argument shift"),
    "a missing argument": ("y = F()(x)", "argument k is missing"),
    "too many arguments": ("y = F(1, 2, 3)(x)", "__init__ takes 2 arguments, and gets 3"),
    "keywords": ("y = F(**options)(x)", "**keywords"),
    "named inputs": ("y = F(1)(x=x)", "inputs are named"),
    "starred inputs": ("y = F(1)(*inputs)", "starred"),
    "too few inputs": ("y = F(1)()", "fewer inputs"),
    "forward itself": ("y = F(1).forward(x)", "forward is called without autograd"),
}


@pytest.mark.parametrize("name", CALLS)
def test_call_stays(name):
    call, why = CALLS[name]
    before, after, remarks, _ = converted(f"{PLAIN}\n\n{call}\n")
    (remark,) = [each for each in remarks if each.kind == "look"]
    assert why in remark.message and remark.rule == "function-call"
    assert before.split("\n")[remark.line - 1] == call
    lines = after.split("\n")
    assert lines[lines.index(call) - 1].startswith("#")


ANY = """
class F(Function):
    def __init__(self, k, *rest, **options):
        self.k, self.rest, self.options = k, rest, options

    def forward(self, x):
        return x * self.k + len(self.rest) + len(self.options)

    def backward(self, grad):
        return grad * self.k
"""
CALLS_OF_ANY = {
    "all starred": ("y = F(*numbers)(x)", "a starred argument may be k or one of any number"),
    "all from a dict": ("y = F(**options)(x)", "**keywords"),
    "k twice": ("y = F(1, 2, k=3)(x)", "__init__ has no argument k"),
    "k missing": ("y = F(shift=2)(x)", "argument k is missing"),
}


@pytest.mark.parametrize("name", CALLS_OF_ANY)
def test_call_with_any_number_stays(name):
    call, why = CALLS_OF_ANY[name]
    before, after, remarks, _ = converted(f"{ANY}\n\n{call}\n")
    (remark,) = [each for each in remarks if each.kind == "look"]
    assert why in remark.message and remark.rule == "function-call"
    lines = after.split("\n")
    assert lines[lines.index(call) - 1].startswith("#")


def test_starred_arguments_before_keywords_stay():
    source = ANY.replace("*rest, ", "").replace("self.rest, ", "").replace("rest, ", "").replace("len(self.rest)", "0")
    _, after, remarks, _ = converted(source + "\n\ny = F(*numbers)(x)\n")
    (remark,) = [each for each in remarks if each.kind == "look"]
    assert "keywords stand behind them" in remark.message and "y = F(*numbers)(x)\n" in after


def test_classes_that_are_handed_on_are_named():
    before, after, remarks, _ = converted(PLAIN + "\n\nf = F if fast else slow\nassert isinstance(f, F)\n")
    (remark,) = [each for each in remarks if each.kind == "look"]
    assert "F is handed on" in remark.message and before.split("\n")[remark.line - 1] == "f = F if fast else slow"


INNER = {
    "in a class": (f"class Outer:{textwrap.indent(PLAIN, '    ')}", "inside of a class"),
    "two of one name": (f"def make(k):\n    if k:{textwrap.indent(PLAIN, '        ')}\n    else:"
                        f"{textwrap.indent(PLAIN, '        ')}", "several classes of this name"),
    "with a class below it": (f"def make(k):{textwrap.indent(PLAIN, '    ')}\n    class G(F):\n        pass\n",
                              "inherits from it"),
}  # fmt: skip


@pytest.mark.parametrize("name", INNER)
def test_classes_inside_of_others_are_named(name):
    source, why = INNER[name]
    before, after, remarks, functions = converted(source)
    looks = [each for each in remarks if each.kind == "look"]
    assert looks and all("F stays an instance Function: " in each.message and why in each.message for each in looks)
    assert [line for line in after.split("\n") if not line.strip().startswith("#")] == before.split("\n")
    assert not functions


def test_old_wrappers_are_named():
    _, _, remarks, _ = converted("from torch.utils.ffi import _wrap_function\n")
    assert [each.rule for each in remarks] == ["torch-utils-ffi"]


def test_attributes_of_an_instance_are_named():
    _, _, remarks, _ = converted(PLAIN + "\n\nf = F(1)\ny = f(x)\nprint(f.k)\n")
    (remark,) = [each for each in remarks if each.kind == "look"]
    assert "f.k was an attribute of the instance" in remark.message


def test_state_between_calls_is_named():
    source = PLAIN.replace("return x * self.k", "self.bias += 1\n        return x * self.k")
    module = (
        "\n\nclass M(nn.Module):\n    def __init__(self):\n        self.f = F(2)\n\n    def forward(self, x):\n"
        + ("        return self.f(x)\n")
    )
    _, after, remarks, _ = converted(source + module)
    (remark,) = [each for each in remarks if each.kind == "look"]
    assert remark.rule == "function-state" and "F kept bias from call to call" in remark.message
    assert "F.apply(x, None, *self.f)" in after
    direct = converted(source + "\n\ny = F(2)(x)\n")[2]  # a new instance for each call has no state
    assert not [each for each in direct if each.kind == "look"]


@pytest.mark.slow
def test_kept_instances_that_others_use():
    """Another class or object may use the attribute: it stays something that can be called."""
    module = (
        "\n\nclass M(nn.Module):\n    def __init__(self):\n        self.f = F(2, 3)\n\n    def forward(self, x):\n"
        + ("        return self.f(x)\n")
    )
    kept = converted(PLAIN + module)[1]
    assert "self.f = (2, 3)" in kept and "return F.apply(x, None, *self.f)" in kept
    below = "\n\nclass N(M):\n    def twice(self, x):\n        return self.f(self.f(x))\n"
    for more in ("\n\ny = net.f(x)\n", "\n\nhandle = M().f\n", below):
        _, after, _, _ = converted(PLAIN + module + more)
        assert "self.f = lambda x, y=None, *, constants=(2, 3): F.apply(x, y, *constants)" in after
        assert "return self.f(x)" in after and after.endswith(more)


def test_functions_of_today_stay():
    before, after, remarks, functions = converted(
        "class F(Function):\n    @staticmethod\n    def forward(ctx, x, k):\n        ctx.k = k\n"
        "        return x * k\n\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return grad * ctx.k, None\n\n\ny = F.apply(x, 2)\n"
    )
    assert after == before and not remarks
    assert functions[0].tensors == ("x", "k")
