# tests/legacy/modernize/test_modernize_python_owners.py: what old code resized through .data has its new size.
import textwrap

import pytest

pytest.importorskip("libcst")

from torchthaw.modernize.python import convert, owners  # noqa: E402

MODULES = {"_ext.grow": "new._ext.grow"}
RESIZED = {"tile": {1}, "read": set(), "*Times": {1}, "*Count": set()}


def converted(before):
    texts, remarks, _ = convert({"a.py": textwrap.dedent(before)}, MODULES, RESIZED)
    return texts["a.py"], [(each.line, each.kind) for each in remarks if each.rule == owners.RULE]


class Grow:
    """Stands for the C extension: ``tile`` gives its second argument the first twice."""

    @staticmethod
    def tile(source, result):
        result.resize_(2 * source.numel())
        result.copy_(source.repeat(2))

    read = tile  # where the text of C does not show it


def run(text):
    names = {"grow": Grow}
    exec(text.replace("from new._ext import grow\n", "").replace("from _ext import grow\n", ""), names)
    return names


METHODS = {
    "a parameter in __init__": """
        import torch
        class Layer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = torch.nn.Parameter(torch.FloatTensor())
                self.weight.data.resize_(2, 3).fill_(0.5)
        result = Layer().weight
        expected = torch.full((2, 3), 0.5)
        """,
    "a variable": """
        import torch
        from torch.autograd import Variable
        def made():
            y = Variable(torch.zeros(6))
            y.data.resize_(2, 3)
            y.data.t_()
            return y
        result = made()
        expected = torch.zeros(3, 2)
        """,
    "a kept .data": """
        import torch
        def made():
            y = torch.ones(2)
            inner = y.data
            inner.unsqueeze_(0)
            return y
        result = made()
        expected = torch.ones(1, 2)
        """,
    "assigned": """
        import torch
        def made():
            y = torch.zeros(6)
            z = y.data.resize_(2, 3)
            z.fill_(1)
            return y
        result = made()
        expected = torch.ones(2, 3)
        """,
}
CALLS = {
    "made empty": """
        import torch
        from _ext import grow
        def made():
            y = torch.FloatTensor()
            grow.tile(torch.ones(2), y.data)
            return y
        result = made()
        expected = torch.ones(4)
        """,
    "made empty for a GPU": """
        import torch
        from _ext import grow
        torch.Tensor.cuda = lambda self: self
        def made():
            y = torch.FloatTensor().cuda()
            grow.read(torch.ones(2), y.data)
            return y
        result = made()
        expected = torch.ones(4)
        """,
    "of another size": """
        import torch
        from torch.autograd import Variable
        from _ext import grow
        def made(x):
            y = Variable(x.data.new(1))
            grow.tile(x.data, y.data)
            return y
        result = made(torch.ones(2))
        expected = torch.ones(4)
        """,
}


@pytest.mark.parametrize("name", [*METHODS, *CALLS])
def test_has_the_size_that_it_had_before(name):
    text, remarks = converted({**METHODS, **CALLS}[name])
    names = run(text)
    assert names["result"].tolist() == names["expected"].tolist(), text
    assert remarks and {kind for _, kind in remarks} == {"done"}


LOOK = {
    "handed on": ("def f(y):\n    g(y.data.resize_(3))\n", 2),
    "another object by then": ("def f(y):\n    d = y.data\n    y = g()\n    d.resize_(3)\n", 4),
    "made anew": ("def f():\n    g().data.resize_(3)\n", 2),
    "by C, of an attribute": (
        "from _ext import grow\nclass A:\n    def f(self, x):\n        grow.tile(x, self.y.data)\n",
        4,
    ),
    "by C, of an argument": ("from _ext import grow\ndef f(x, y):\n    grow.tile(x, y.data)\n", 3),
    "by C, by another name": ("from _ext import grow\ndef f(x, y):\n    d = y.data\n    grow.tile(x, d)\n", 4),
    "by C, in a wrapper": (
        "from _ext import grow\ndef up(x, out):\n    grow.tile(x, out)\ndef f(x, y):\n    up(x, y.data)\n",
        5,
    ),
    "by C, in a wrapper of a wrapper": (
        "from _ext import grow\ndef up(x, out):\n    grow.tile(x, out)\ndef over(out):\n    up(1, out=out)\n"
        "def f(y):\n    over(y.data)\n",
        7,
    ),
    "by C, in a method": (
        "from _ext import grow\nclass A:\n    def up(self, x, out):\n        grow.tile(x, out)\n"
        "    def f(self, x, y):\n        self.up(x, y.data)\n",
        6,
    ),
    "by C, in a static method": (
        "from _ext import grow\nclass A:\n    @staticmethod\n    def up(x, out):\n        grow.tile(x, out)\n"
        "def f(x, y):\n    A.up(x, y.data)\n",
        7,
    ),
    "by C, by an alias": ("from _ext import grow\nt = grow.tile\ndef f(x, y):\n    t(x, y.data)\n", 4),
    "by C, by a local alias": ("from _ext import grow\ndef f(x, y):\n    t = grow.tile\n    t(x, y.data)\n", 4),
    "by C, by an attribute": (
        "from _ext import grow\nclass A:\n    def __init__(self):\n        self.t = grow.tile\n"
        "    def f(self, x, y):\n        self.t(x, y.data)\n",
        6,
    ),
    "by C, by getattr": ("from _ext import grow\ndef f(x, y):\n    getattr(grow, 'tile')(x, y.data)\n", 3),
    "by C, by a name that is made": (
        "from _ext import grow\ndef f(x, y, name):\n    getattr(grow, 'ti' + name)(x, y.data)\n",
        3,
    ),
    "by C that is not known": ("from _ext import grow\ndef f(x, y):\n    grow.other(x, y.data)\n", 3),
    "by C, a macro": ("from _ext import grow\ndef f(x, y):\n    grow.THNN_FloatTimes(x, y.data)\n", 3),
    "by C, of a pair": ("from _ext import grow\ndef f(x, y):\n    d, e = y.data, x\n    grow.tile(e, d)\n", 4),
    "of .data in a function": ("def enlarge(t):\n    t.data.resize_(9)\ndef f(y):\n    enlarge(y.data)\n", 4),
    "by a keyword": ("def enlarge(n, t):\n    t.resize_(n)\ndef f(y):\n    enlarge(9, t=y.data)\n", 4),
    "by a function": ("def enlarge(t):\n    t.resize_(9)\ndef f(y):\n    enlarge(y.data)\n", 4),
}


@pytest.mark.parametrize("name", LOOK)
def test_what_cannot_be_decided_is_said(name):
    before, line = LOOK[name]
    assert [each for each in converted(before)[1] if each[1] == "look"] == [(line, "look")]


@pytest.mark.parametrize(
    "before",
    [
        "def f(y):\n    y.resize_(3)\n    y.data.fill_(3)\n    y.data = y.data.resize_(3)\n",
        "from _ext import grow\ndef f(x, y):\n    grow.tile(x.data, y)\n    grow.read(x.data, y.data)\n",
        "def enlarge(t):\n    t.add_(9)\ndef f(y):\n    enlarge(y.data)\n    print(y.data)\n    y.view_as(y.data)\n",
        "from _ext import grow\nr = grow.read\ndef f(x, y):\n    r(x, y.data)\n    getattr(grow, 'read')(x, y.data)\n",
        "from _ext import grow\ndef f(x, y):\n    grow.tile(x.data, y)\n    grow.THNN_FloatCount(x, y.data)\n",
        "from _ext import grow\ndef up(x, y):\n    grow.tile(x, y)\n"
        "def f(x, y):\n    up(x.data, y)\n    up(y=y, x=x.data)\n",
    ],
)
def test_what_resizes_no_data_stays(before):
    assert converted(before) == (before.replace("from _ext", "from new._ext"), [])


def test_the_names_are_those_of_the_patch():
    from torchthaw.legacy.ffi.data_owner import MUTATORS

    assert owners.MUTATORS == set(MUTATORS)


C = """
#include <TH/TH.h>
/* THFloatTensor_resize1d(kept, 1) */
static void enlarged(THFloatTensor *kept, THFloatTensor *result);
int grow(THFloatTensor *kept, THFloatTensor *result) {
  if (THFloatTensor_nElement(kept) > 3) {
    return 0;
  }
  THFloatTensor_resizeAs(result, kept);
  return 1;
}
int add(int n, THCudaTensor *sum, THCudaTensor *a) { THCudaTensor_cadd(state, sum, a, 1, a); return n; }
int fill(THFloatTensor *t) { THFloatTensor_fill(t, THFloatTensor_get1d(t, 0)); return 1; }
int over(THFloatTensor *kept, THFloatTensor *result) { if (kept) enlarged(kept, result); return 1; }
static void enlarged(THFloatTensor *kept, THFloatTensor *result) { grow(kept, (THFloatTensor *)result); }
int largest(THFloatTensor *v, THLongTensor *i, THFloatTensor *t) { THFloatTensor_max(v, i, t, 0, 1); return 1; }
int handed_on(THFloatTensor *t, THFloatTensor *u) { THArgCheck(t != u, 1, ""); check_sizes(t, u); elsewhere(3, t); }
int other_name(THFloatTensor *t) { THFloatTensor *u = t; THFloatTensor_resize1d(u, 1); return 1; }
int by_hand(THFloatTensor *t, THFloatTensor *u) { t->size[0] = 1; return u->size[0] == 1; }
void THNN_(Twice)(THNNState *state, THTensor *input, THTensor *output) {
  THTensor_(resizeAs)(output, input);
  THNN_(shape)(state, input);
}
static void THNN_(shape)(THNNState *state, THTensor *input) { THTensor_(size)(input, 0); }
#include "more.h"
"""
MORE = "int more(THFloatTensor *t) { THFloatTensor_squeeze(t, t); return 1; }"


def test_arguments_that_c_may_resize(tmp_path):
    from torchthaw.modernize import c_resizes
    from torchthaw.modernize.project import Project

    class Extension:
        def files(self, argument):
            return ["src/a.c", "absent.c"] if argument == "sources" else []

    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").write_text(C)
    (tmp_path / "src" / "more.h").write_text(MORE)
    assert c_resizes.find(Project(tmp_path), [Extension()]) == {
        "grow": {1}, "add": {1}, "fill": set(), "over": {1}, "enlarged": {1}, "largest": {0, 1}, "handed_on": {0},
        "other_name": {0}, "by_hand": {0}, "*Twice": {2}, "*shape": set(), "more": {0},
    }  # fmt: skip
