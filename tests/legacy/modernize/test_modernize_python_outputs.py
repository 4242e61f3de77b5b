# tests/legacy/modernize/test_modernize_python_outputs.py: a Function that kept its output frees the memory of its calls.
import textwrap
import weakref

import pytest

pytest.importorskip("libcst")

import torch  # noqa: E402

from torchthaw.modernize.python import convert, outputs  # noqa: E402

SAVED = {
    "a variable": """
        def forward(self, x):
            output = x.exp()
            self.output = output
            return output
        def backward(self, grad):
            return grad * self.output
        """,
    "an attribute": """
        def forward(self, x):
            self.output = x.new()
            torch.exp(x, out=self.output)
            return self.output
        def backward(self, grad):
            "It needs the output."
            return grad * self.output
        """,
    "two of three": """
        def __init__(self):
            self.first = None
        def forward(self, x):
            self.first = x.exp()
            second = torch.mul(x, 2)
            self.twice = second
            return self.first, second
        def backward(self, grad, grad2):
            return grad * self.first + grad2 * self.twice / self.twice * 2
        """,
}
LOOK = {
    "saves others": """
        def forward(self, x):
            self.save_for_backward(x)
            self.output = x.exp()
            return self.output
        def backward(self, grad):
            return grad * self.output * self.saved_tensors[0]
        """,
    "on one way": """
        def forward(self, x):
            output = x.exp()
            if x.dim() > 1:
                self.output = output
            return output
        def backward(self, grad):
            return grad * self.output
        """,
    "a tuple": """
        def forward(self, x):
            output = x.exp()
            self.kept = (x, output)
            return output
        def backward(self, grad):
            return grad * self.kept[1]
        """,
    "a view": """
        def forward(self, x):
            output = x.exp()
            self.flat = output.view(-1)
            return output
        def backward(self, grad):
            return grad * self.flat.view_as(grad)
        """,
    "several": """
        def forward(self, x):
            self.parts = self.cut(x)
            return self.parts
        def backward(self, *grads):
            return sum(grads) * len(self.parts)
        """,
    "one of several targets": """
        def forward(self, x):
            output = x.exp()
            self.output, self.n = output, 3
            return output
        def backward(self, grad):
            return grad * self.output
        """,
    "inside of targets": """
        def forward(self, x):
            (self.output, self.a), self.n = self.cut(x), 3
            return self.output
        def backward(self, grad):
            return grad * self.output
        """,
    "a view by a variable": """
        def forward(self, x):
            output = x.exp()
            flat = output.view(-1)
            other = flat
            self.flat = other
            return output
        def backward(self, grad):
            return grad * self.flat.view_as(grad)
        """,
    "a dict": """
        def forward(self, x):
            output = x.exp()
            self.kept = {"output": output}
            return output
        def backward(self, grad):
            return grad * self.kept["output"]
        """,
    "a dict that is called": """
        def forward(self, x):
            output = x.exp()
            self.kept = dict(output=output)
            return output
        def backward(self, grad):
            return grad * self.kept["output"]
        """,
    "an entry": """
        def forward(self, x):
            output = x.exp()
            self.kept["output"] = output
            return output
        def backward(self, grad):
            return grad * self.kept["output"]
        """,
    "an added entry": """
        def forward(self, x):
            output = x.exp()
            self.kept.append(output)
            return output
        def backward(self, grad):
            return grad * self.kept[0]
        """,
    "an added list": """
        def forward(self, x):
            output = x.exp()
            self.kept += [output]
            return output
        def backward(self, grad):
            return grad * self.kept[0]
        """,
    "a helper": """
        def keep(self, y):
            self.output = y
        def forward(self, x):
            output = x.exp()
            self.keep(output)
            return output
        def backward(self, grad):
            return grad * self.output
        """,
    "a helper of a helper": """
        def keep(self, n, z):
            self.outputs = [z]
        def keep_one(self, y):
            self.keep(1, z=y)
        def forward(self, x):
            output = x.exp()
            self.keep_one(output)
            return output
        def backward(self, grad):
            return grad * self.outputs[0]
        """,
    "by setattr": """
        def forward(self, x):
            output = x.exp()
            setattr(self, "output", output)
            return output
        def backward(self, grad):
            return grad * self.output
        """,
    "two names": """
        def forward(self, x):
            self.output = output = x.exp()
            return output
        def backward(self, grad):
            return grad * self.output
        """,
    "another name": """
        def forward(self, x):
            made = x.exp()
            output = made
            if x.dim():
                self.output = made
            return output
        def backward(self, grad):
            return grad * self.output
        """,
    "either": """
        def forward(self, x):
            output = x.exp()
            self.output = output if x.dim() else None
            return output
        def backward(self, grad):
            return grad * self.output
        """,
    "in a tuple that is returned": """
        def forward(self, x):
            outputs = [x.exp(), x.sin()]
            self.outputs = outputs
            return tuple(outputs)
        def backward(self, *grads):
            return sum(grads) * len(self.outputs)
        """,
}
WITHOUT = {
    "what is no output": """
        def __init__(self, x):
            self.x = x
        def keep(self, n, y):
            self.n = n
        def forward(self, x):
            output = x.exp()
            self.keep(x, output)
            self.a, self.b = x, output.size()
            self.c = {"x": x, "n": output.size(0)}
            self.c["y"] = x
            return output
        def backward(self, grad):
            return grad * self.n * self.a
        """,
    "an input": """
        def forward(self, x):
            self.x = x
            output = x * x
            self.size = output.size()
            return output
        def backward(self, grad):
            return 2 * grad * self.x
        """,
}


def converted(methods):
    lines = textwrap.indent(textwrap.dedent(methods), "    ")
    text = f"import torch\nfrom torch.autograd import Function\n\n\nclass F(Function):{lines}"
    texts, remarks, _ = convert({"a.py": text}, {})
    return texts["a.py"], [each.kind for each in remarks if each.rule == outputs.RULE]


@pytest.mark.parametrize("name", SAVED)
def test_no_call_keeps_its_memory(name):
    text, kinds = converted(SAVED[name])
    names = {}
    exec(text, names)
    x, kept = torch.ones(3, requires_grad=True), []

    def call():
        made = names["F"].apply(x)
        made = made if isinstance(made, tuple) else (made,)
        kept.extend(map(weakref.ref, made))
        return sum(each.sum() for each in made)

    call().backward()
    call()
    assert set(kinds) == {"done"} and [each() for each in kept] == [None] * len(kept), text
    expected = torch.e + (2 if len(kept) == 4 else 0)
    assert torch.allclose(x.grad, torch.full((3,), expected)), text


@pytest.mark.parametrize("name", LOOK)
def test_what_cannot_be_saved_is_said(name):
    text, kinds = converted(LOOK[name])
    assert kinds == ["look"] and "save_for_backward and read ctx.saved_tensors" in " ".join(
        text.replace("#", "").split()
    )


@pytest.mark.parametrize("name", WITHOUT)
def test_inputs_and_sizes_stay(name):
    text, kinds = converted(WITHOUT[name])
    assert kinds == [] and "ctx.x = x" in text
