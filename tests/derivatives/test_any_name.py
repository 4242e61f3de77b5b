"""tests/derivatives/test_any_name.py: any name and any comment of C, in all that is generated of it for PyTorch."""

import re

import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

import torchthaw
from support.graphs import captured
from torchthaw.base import emitter

# What the generated texts, Python, PyTorch's schemas or its graphs have for themselves.
WORDS = """
    ctx cls self torch type operator error name Function apply args kwargs grad grad_output input output out result
    needs compute gradients indexed tangents forward backward make fake isinstance tuple index Tensor class def lambda is
    None True in not Ellipsis NoneType print sum filter map range len super staticmethod int_ float_ bool_ _ __ ___
    _thaw_needs _thaw_ctx _thaw_entry _thaw_type _thaw_grad_0 _thaw_of_x _grad_0 _needs _x x_ class_ def_ inf nan e1 dtype
    device shape numel primals_1 arg0_1 L G a A
""".split()
COMMENTS = [
    "", 'ends with "', 'has """ and \'\'\' in it', "ends with \\", "\\N{nothing} \\x \\u12 {braces} %s {0}", "a\ttab and \x0c",
    "two\nlines\n\nand more", "// in it", '"', '""', '"""', "??/ ??)", "non-ASCII: \u00e9 \u4e2d \u202e",
]  # fmt: skip
GIVEN = torch.tensor([1.0, -2.0], dtype=torch.float64)


def pair(name, x, comment=""):
    """The header of a pair called ``name`` for y = scale x; ``x``: the name of the parameter."""
    y, n = ("y", "n") if x not in ("y", "n") else ("z", "m")
    return f"""
/* {comment} */
THAW_STATUS
int {name}_forward(const double *{x} THAW_SHAPE({n}), long {n}, double scale, double *{y} THAW_SHAPE({n}));
THAW_STATUS THAW_BACKWARD_OF({name}_forward)
int {name}_backward(const double *grad_{y} THAW_SHAPE({n}), long {n}, double scale, double *grad_{x} THAW_SHAPE({n}));
"""


def build(name, rows):
    """The module of rows (pair, its parameter, its comment)."""
    header = "".join(pair(*row) for row in rows)
    source = ""
    for head in re.findall(r"int [^;]*;", re.sub(r"THAW_SHAPE\(\w+\)", "", header)):
        x, n, _, y = [each.split()[-1].strip("*") for each in head[head.index("(") + 1 : -2].split(",")]
        source += f"{head[:-1]} {{ for (long i_ = 0; i_ < {n}; ++i_) {y}[i_] = scale * {x}[i_]; return 1; }}\n"
    headers = f"#include <torchthaw/annotate.h>\n{header}"
    return torchthaw.load_inline(name, c_sources=source, headers=headers)


def check(function, x):
    """A pair's function, whose first parameter is called ``x`` in Python, in each way to call it."""
    scaled, scales = 3 * GIVEN, torch.full_like(GIVEN, 3)
    assert torch.equal(function(GIVEN, 3.0), scaled)
    assert torch.equal(function(**{x: GIVEN, "scale": 3.0}), scaled)
    assert function(GIVEN.numpy(), 3.0).tolist() == scaled.tolist()
    leaf = GIVEN.clone().requires_grad_()
    assert torch.equal(*torch.autograd.grad(function(leaf, 3.0).sum(), leaf), scales)
    assert torch.equal(torch.vmap(function, (0, None))(GIVEN[None], 3.0), scaled[None])
    assert torch.equal(torch.func.grad(lambda given: function(given, 3.0).sum())(GIVEN), scales)
    with pytest.raises(TypeError, match=re.escape(x)):
        function("no tensor", 3.0)


@pytest.fixture(scope="module")
def named():
    """A module with two pairs for each word: of that name, and with a parameter of that name."""
    of_pairs = [word for word in WORDS if word[:2] not in ("_", "__") and word not in emitter.OF_OPERATORS]  # refused
    rows = [(word, "x", COMMENTS[i % len(COMMENTS)]) for i, word in enumerate(of_pairs)]
    rows += [(f"of_{i}", word) for i, word in enumerate([*WORDS, "y", "n", "scale_", f"of_{len(WORDS) + 3}_forward"])]
    return build("any_name", rows), rows


@pytest.mark.slow
def test_a_pair_and_a_parameter_of_any_name(named):
    module, rows = named
    for name, x, *_ in rows:
        check(getattr(module.functions, name), emitter.python_name(x, emitter.OF_SCHEMAS))


def test_comments_are_shown_as_they_are(named):
    module, rows = named
    for name, _, comment in [row for row in rows if len(row) == 3]:
        shown = " ".join((getattr(module.functions, name).__doc__).split())
        assert " ".join(comment.split()) in shown


@pytest.mark.slow
@captured
def test_all_of_them_in_one_graph(named):
    module, rows = named
    names = [name for name, *_ in rows]
    calls = [getattr(module, f"{name}_forward") for name in names]
    functions = [getattr(module.functions, name) for name in names]

    def program(x, out):
        for call in calls:
            call(x.detach(), x.shape[0], 2.0, out)
        return torch.stack([function(x, 3.0) + out for function in functions])

    leaf = GIVEN.clone().requires_grad_()
    found = torch.compile(program, backend="aot_eager", fullgraph=True)(leaf, torch.empty_like(GIVEN))
    assert torch.equal(found.detach(), (5 * GIVEN).expand(len(names), -1))
    found.sum().backward()
    assert leaf.grad.tolist() == [3 * len(names)] * 2


IDENTIFIERS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,12}", fullmatch=True) | st.sampled_from(WORDS)
TEXTS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=30).map(
    lambda text: re.sub(r"\*/|/\*|\\\s", "", text)
)
TYPES = {"int", "long", "double", "float", "char", "short", "void", "const", "if", "for", "return", "do", "i_", "scale"}


# A build takes seconds: a case that fails is shown as it is.
@pytest.mark.slow
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(st.lists(st.tuples(IDENTIFIERS, IDENTIFIERS, TEXTS), min_size=4, max_size=8))
def test_random_names_and_comments(rows):
    rows = [(f"c{name}_{i}" if name[:1] == "_" else f"{name}_{i}", x, text) for i, (name, x, text) in enumerate(rows)]
    rows = [row for row in rows if row[1] not in TYPES]
    module = build("random_names", rows)
    for name, x, _ in rows:
        check(getattr(module.functions, name), emitter.python_name(x, emitter.OF_SCHEMAS))
