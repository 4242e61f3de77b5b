# tests/legacy/modernize/test_modernize_python_rules.py: each rule but that of Functions: a source before and after.
import ast
import textwrap

import pytest

pytest.importorskip("libcst")

from torchthaw.modernize.python import convert  # noqa: E402


def changed(before, path="a.py"):
    texts, remarks, _ = convert({path: textwrap.dedent(before)}, {})
    ast.parse(texts[path])
    return texts[path], remarks


CASES = {
    "variable": (
        """
        import torch
        from torch.autograd import Variable
        x = Variable(torch.ones(3))
        y = Variable(torch.ones(3), requires_grad=True)
        z = Variable(x + y, requires_grad=False) * 2
        w = Variable(x.data, True).sum()
        print(isinstance(x, Variable))
        """,
        """
        import torch
        x = torch.ones(3)
        y = torch.ones(3).requires_grad_()
        z = (x + y) * 2
        w = x.data.detach().requires_grad_().sum()
        print(isinstance(x, torch.Tensor))
        """,
    ),
    "variable by its module": (
        """
        import torch
        from torch import autograd
        x = autograd.Variable(torch.ones(3), requires_grad=flag)
        y = torch.autograd.Variable(x)
        """,
        """
        import torch
        from torch import autograd
        x = torch.ones(3).requires_grad_(flag)
        y = x
        """,
    ),
    "variable by another name": (
        """
        import torch, torch.nn as nn
        from torch.autograd import Variable as V
        def f(x, y):
            x, y = V(x), V(y)
            z = V(x)
            # what it is
            x = V(x)
            return isinstance(z, V)
        """,
        """
        import torch, torch.nn as nn
        def f(x, y):
            z = x
            # what it is
            x = x
            return isinstance(z, torch.Tensor)
        """,
    ),
    "variable with a layout": (
        """
        from torch.autograd import Function, Variable
        x = Variable(  # what goes in
            a
            + b
        )
        y = Variable(
            f(a)
        )
        """,
        """
        from torch.autograd import Function
        x = (  # what goes in
            a
            + b
        )
        y = f(a)
        """,
    ),
    "volatile function": (
        """
        from torch.autograd import Variable
        def evaluate(net, x):
            x = Variable(x, volatile=True)
            return net(x).max()
        """,
        """
        import torch
        @torch.no_grad()
        def evaluate(net, x):
            return net(x).max()
        """,
    ),
    "volatile loop": (
        """
        import torch
        from torch.autograd import Variable
        def run(net, train, test):
            for x in train:  # one
                net(Variable(x)).backward()
            for x in test:  # two
                # what is seen
                total += net(Variable(x, volatile=True)).sum()
        """,
        """
        import torch
        def run(net, train, test):
            for x in train:  # one
                net(x).backward()
            for x in test:  # two
                with torch.no_grad():
                    # what is seen
                    total += net(x).sum()
        """,
    ),
    "creator and retain_variables": (
        """
        maker = loss.creator
        loss.backward(retain_variables=True)
        net(x).backward(g, retain_variables=keep)
        """,
        """
        maker = loss.grad_fn
        loss.backward(retain_graph=True)
        net(x).backward(g, retain_graph=keep)
        """,
    ),
    "data index": (
        """
        total += loss.data[0]
        """,
        """
        total += loss.item()
        """,
    ),
    "async": (
        """
        x = x.cuda(async=True)
        """,
        """
        x = x.cuda(non_blocking=True)
        """,
    ),
    "renamed": (
        """
        import torch.nn as nn
        from torch.nn.init import kaiming_normal, constant as fill
        from torch.nn.utils import clip_grad_norm
        nn.init.uniform(w)
        kaiming_normal(w, mode="fan_out")
        fill(b, 0)
        clip_grad_norm(parameters, 1)
        def own(kaiming_normal=0.1):
            kaiming_normal = kaiming_normal * 2
            return w.fill_(kaiming_normal)
        """,
        """
        import torch.nn as nn
        from torch.nn.init import kaiming_normal_, constant_ as fill
        from torch.nn.utils import clip_grad_norm_
        nn.init.uniform_(w)
        kaiming_normal_(w, mode="fan_out")
        fill(b, 0)
        clip_grad_norm_(parameters, 1)
        def own(kaiming_normal=0.1):
            kaiming_normal = kaiming_normal * 2
            return w.fill_(kaiming_normal)
        """,
    ),
    "functional": (
        """
        import torch
        import torch.nn.functional as F
        from torch import nn
        y = F.tanh(F.sigmoid(x))
        a = F.mse_loss(y, t, size_average=False)
        b = nn.CrossEntropyLoss(w, size_average=True, reduce=False)
        c = F.grid_sample(x, F.affine_grid(t, size))
        """,
        """
        import torch
        import torch.nn.functional as F
        from torch import nn
        y = torch.tanh(torch.sigmoid(x))
        a = F.mse_loss(y, t, reduction="sum")
        b = nn.CrossEntropyLoss(w, reduction="none")
        c = F.grid_sample(x, F.affine_grid(t, size, align_corners=True), align_corners=True)
        """,
    ),
    "torch._six": (
        """
        import torch
        from torch._six import container_abcs, inf as infinity, string_classes
        a = isinstance(x, string_classes), infinity, container_abcs.Mapping
        """,
        """
        import torch
        import collections.abc as container_abcs
        from math import inf as infinity
        string_classes = (str, bytes)
        a = isinstance(x, string_classes), infinity, container_abcs.Mapping
        """,
    ),
    "torch._six as a module": (
        """
        import torch
        import torch._six
        a = isinstance(x, torch._six.string_classes) and x < torch._six.inf
        """,
        """
        import torch
        import math
        a = isinstance(x, (str, bytes)) and x < math.inf
        """,
    ),
    "integer division": (
        """
        import torch
        values, indices = torch.rand(3, 4).topk(2)
        rows = indices / 4 / 2
        values = values / 2
        indices /= 2
        counts = indices.div(3)
        """,
        """
        import torch
        values, indices = torch.rand(3, 4).topk(2)
        rows = torch.div(torch.div(indices, 4, rounding_mode="trunc"), 2, rounding_mode="trunc")
        values = values / 2
        indices.div_(2, rounding_mode="trunc")
        counts = indices.div(3, rounding_mode="trunc")
        """,
    ),
    "keepdim": (
        """
        import torch
        def normalized(x):
            return x / x.sum(1).expand_as(x)
        """,
        """
        import torch
        def normalized(x):
            return x / x.sum(1, keepdim=True).expand_as(x)
        """,
    ),
    "python 2 by its names": (
        """
        n = 7
        for i in xrange(n / 2):
            pass
        """,
        """
        n = 7
        for i in range(n // 2):
            pass
        """,
    ),
    "python 2": (
        """
        import torch
        n = 7
        print "half", n / 2  # of them
        for key, value in d.iteritems():
            raise ValueError, "no"
        """,
        """
        import torch
        n = 7
        print("half", n // 2)  # of them
        for key, value in d.items():
            raise ValueError("no")
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_source(name):
    before, after = CASES[name]
    text, remarks = changed(before)
    # Whether blank lines stand between imports and code is not what is tested here.
    assert _lines(text) == _lines(textwrap.dedent(after))
    assert remarks and all(remark.kind == "done" for remark in remarks)
    lines = textwrap.dedent(before).split("\n")
    assert all(lines[remark.line - 1].strip() for remark in remarks)


@pytest.mark.parametrize(
    "own", ["creator = None", "def creator(self): pass", "def __init__(self, creator): self.creator = creator"]
)
def test_a_creator_of_the_project_stays(own):
    before = f"class Author:\n    {own}\nname = author.creator\n"
    text, remarks = changed(before)
    assert text.endswith("name = author.creator\n")
    assert {remark.kind for remark in remarks if remark.rule == "creator"} == {"look"}


def _lines(text):
    return [line for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize("name", CASES)
def test_result_stays_as_it_is(name):
    """What has been converted has nothing left to convert."""
    once, _ = changed(CASES[name][0])
    twice, remarks = changed(once)
    assert twice == once and not remarks


LOOK = {
    "volatile": ("""
        from torch.autograd import Variable
        def wrap(x, test):
            return Variable(x, volatile=test)
        """, 4, "volatile"),
    "a volatile Variable that is returned": ("""
        from torch.autograd import Variable
        def wrap(x):
            y = Variable(x, volatile=True)
            return y
        """, 4, "volatile"),
    "a volatile Variable beside one that learns": ("""
        from torch.autograd import Variable
        def step(x, y):
            x = Variable(x, volatile=True)
            return net(x, Variable(y))
        """, 4, "volatile"),
    "an index of what may be a number": ("""
        total = output.data[0]
        """, 2, "data-index-maybe"),
    "a name of torch._six without a successor": ("""
        from torch._six import with_metaclass
        """, 2, "torch-six"),
    "starred arguments of Variable": ("""
        from torch.autograd import Variable
        x = Variable(*arguments)
        """, 3, "variable"),
    "python 2 that may be python 3": ("""
        n = 7
        half = n / 2
        """, 3, "integer-quotient"),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOK)
def test_what_cannot_be_decided_is_marked(name):
    before, line, rule = LOOK[name]
    before = textwrap.dedent(before)
    text, remarks = changed(before)
    found = [remark for remark in remarks if remark.kind == "look"]
    assert [(remark.line, remark.rule) for remark in found] == [(line, rule)]
    lines, old = text.split("\n"), before.split("\n")[line - 1]
    marked = lines.index(old)  # the line itself stays
    comment = marked - 1
    while not lines[comment].strip().startswith("# modernize: "):
        assert lines[comment].strip().startswith("#   ")
        comment -= 1
    assert lines[comment].strip().startswith(f"# modernize: {rule}: ")
    assert len([each for each in lines if not each.strip().startswith("#")]) == len(before.split("\n"))


@pytest.mark.parametrize("flag, scope", [("test", "set_grad_enabled(not (test))"), ("True", "no_grad()")])
def test_what_replaces_volatile_is_said(flag, scope):
    """Which code computes with a Variable cannot be decided where it is returned."""
    _, (remark,) = changed(f"from torch.autograd import Variable\nf = lambda x: Variable(x, volatile={flag})\n")
    assert remark.message.endswith(f"inside of `with torch.{scope}:`")


def test_what_does_not_parse_stays():
    before = "import torch\nx = (1,\nprint 'a' 'b' if\n"
    texts, remarks, functions = convert({"bad.py": before, "good.py": "xs = map(len, 'a b')[0]\n"}, {})
    assert texts["bad.py"] == before and not functions
    assert [(each.path, each.rule, each.kind) for each in remarks if each.path == "bad.py"] == [
        ("bad.py", "syntax", "look")
    ]


def test_texts_with_an_encoding_that_they_name():
    before = "# -*- coding: latin-1 -*-\nimport torch  # é\nprint 'é'\n"
    texts, _, _ = convert({"a.py": before}, {})
    assert texts["a.py"] == "# -*- coding: latin-1 -*-\nimport torch  # é\nprint('é')\n"


def test_comments_stand_above_whole_statements():
    """Not inside of one that goes over several lines, and not between a decorator and its function."""
    before = textwrap.dedent('''
        import torch
        total = f("""
        a text""", [
            output.data[0],
        ])
        if a:
            pass
        elif output.data[0] > 1:
            pass
        @decorator
        def g(x=output.data[0]): return 1
        ''')
    text, _ = changed(before)
    assert [line for line in text.split("\n") if not line.startswith("#")] == before.split("\n")
    lines = text.split("\n")
    following = [after for line, after in zip(lines, lines[1:]) if line.startswith("#") and not after.startswith("#")]
    assert following == ['total = f("""', "elif output.data[0] > 1:", "@decorator"]
