"""tests/fuzz/portable_calls.py: random calls of a portable extension and of PyTorch's own build of the same source.

    python tests/fuzz/portable_calls.py [--calls N] [--seed N]

Each function of portable_calls.cpp is called with random objects, right and wrong ones, made twice from the same random
numbers. Both builds must give the same value, or an error of the same kind; what was written must be the same too. The
seed, which is printed, gives the same calls again.
"""

import argparse
import random
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src")]

import numpy  # noqa: E402
import torch  # noqa: E402

SOURCE = Path(__file__).with_suffix(".cpp")
DTYPES = (
    torch.float32, torch.float64, torch.int64, torch.int32, torch.uint8, torch.bool, torch.float16, torch.bfloat16,
    torch.complex64,
)  # fmt: skip
NUMBERS = 0, 1, -1, 2, 3, 127, 128, 255, 256, -129, 2**31 - 1, 2**31, -(2**31) - 1, 2**63 - 1, 2**63, 2**64, 10**30
REALS = 0.0, -0.0, 0.5, 1.0, 3.7, -2.25, 1e30, 1e308, float("inf"), float("nan")
TEXTS = "", "a", "text", "ü", "\0", "日本", "a" * 40, "\ud800"


class Index:
    def __index__(self):
        return 5


class Float:
    def __float__(self):
        return 2.5


class Truth:
    def __bool__(self):
        return True


class Shown(torch.Tensor):
    pass


class List(list):
    pass


class Integer(int):
    pass


def function(x):
    return x + 1


def raising(x):
    raise KeyError("of the callback")


def tensor(chance):
    """A tensor of few elements: any dtype, number of dimensions, strides."""
    sizes = [chance.choice((0, 1, 2, 2, 3, 3)) for _ in range(chance.choice((0, 1, 1, 2, 2, 2, 3)))]
    dtype = chance.choice((torch.float32, torch.float64, *DTYPES))
    count = int(numpy.prod(sizes))
    numbers = [
        chance.randrange(0, 4) if dtype in (torch.uint8, torch.bool) else chance.randrange(-4, 5) for _ in range(count)
    ]
    made = torch.tensor(numbers, dtype=torch.float64).to(dtype).reshape(sizes)
    way = chance.randrange(12)
    if way == 0 and made.dim():
        made = made.transpose(0, -1)
    elif way == 1 and made.dim():
        made = torch.cat([made, made])[::2]
    elif way == 2 and made.is_floating_point():
        made.requires_grad_()
    elif way == 3:
        made = made.to("meta")
    elif way == 4:
        made = made.as_subclass(Shown)
    elif way == 5 and made.is_floating_point():
        made = torch.nn.Parameter(made)
    elif way == 6 and made.is_floating_point():
        made = made.requires_grad_() * 2
    return made


def anything(chance, depth=0):
    """An object of Python of any kind."""
    makers = [
        lambda: chance.choice(NUMBERS), lambda: chance.randrange(-10, 10), lambda: chance.choice(REALS),
        lambda: chance.random() < 0.5, lambda: None, lambda: chance.choice(TEXTS), lambda: chance.choice(TEXTS[:4]).encode(),
        lambda: tensor(chance), lambda: tensor(chance), lambda: chance.choice(DTYPES),
        lambda: chance.choice((torch.device("cpu"), torch.device("meta"), torch.device("cuda:1"), "cpu")),
        lambda: chance.choice((Index, Float, Truth))(), lambda: 1.5 + 2j, lambda: Integer(3), lambda: chance.choice((function, raising, len)),
        lambda: chance.choice((numpy.float32(1.5), numpy.int64(4), numpy.bool_(True), numpy.uint8(7), numpy.str_("n"))),
        lambda: numpy.arange(6, dtype=chance.choice(("float64", "float32", "int32", "int64", ">f8"))).reshape(2, 3)[:, ::chance.choice((1, 2))],
        lambda: torch.Size([2, 3]), lambda: range(3), lambda: bytearray(b"ab"), lambda: object,
    ]  # fmt: skip
    if depth < 2:
        makers += [lambda: several(chance, depth, chance.choice((list, tuple, List))) for _ in range(6)]
        makers += [
            lambda: {chance.choice(("a", "b", 1)): anything(chance, depth + 1) for _ in range(chance.randrange(3))},
            lambda: {chance.randrange(5) for _ in range(chance.randrange(4))},
            lambda: iter([1, 2]),
        ]
    return chance.choice(makers)()


def several(chance, depth, kind):
    """A sequence, mostly of one kind of element."""
    one = chance.choice((
        lambda: chance.randrange(-5, 5), lambda: chance.choice(REALS[:6]), lambda: tensor(chance),
        lambda: chance.choice(TEXTS[:4]), lambda: chance.random() < 0.5, lambda: anything(chance, depth + 1),
    ))  # fmt: skip
    return kind(one() for _ in range(chance.randrange(4)))


# Function -> what makes arguments that it often takes; of the others any object is tried.
def integer(chance):
    return chance.randrange(-3, 4)


def tensors(chance):
    return [tensor(chance) for _ in range(chance.randrange(4))]


def sizes(chance):
    return [chance.choice((-1, 0, 1, 2, 3, 6)) for _ in range(chance.randrange(4))]


def dtype(chance):
    return chance.choice(DTYPES)


def flag(chance):
    return chance.random() < 0.5


def maybe_integer(chance):
    return chance.choice((None, integer(chance)))


def maybe_dtype(chance):
    return chance.choice((None, None, dtype(chance)))


def text(chance):
    return chance.choice(TEXTS)


UNARY = (
    "neg exp sigmoid relu abs sum mean argmax nonzero isnan sort unique_consecutive t zeros_like det trace max".split()
)
BINARY = "add mul div matmul mm maximum eq bitwise_and dot outer logical_or atan2 equal masked_select".split()
WITH_INT = "unsqueeze squeeze softmax cumsum chunk flatten topk size".split()
TAKES = {
    **{f"at_{name}": (tensor,) for name in UNARY},
    **{f"at_{name}": (tensor, tensor) for name in BINARY},
    **{f"at_{name}": (tensor, integer) for name in WITH_INT},
    "sum_all": (tensors,), "elements": (tensor,), "dispatched": (tensor,), "facts": (tensor,), "cat": (tensors, integer),
    "stack": (tensors,), "where": (tensor, tensor, tensor), "slice": (tensor, maybe_integer, maybe_integer, integer),
    "reshape": (tensor, sizes), "sum_over": (tensor, sizes, flag, maybe_dtype), "to": (tensor, dtype), "index": (tensor, tensor),
    "item": (tensor,), "scalar": (tensor, integer), "in_place": (tensor, tensor), "zero": (tensor,), "zeros": (sizes, dtype),
    "gradient": (tensor,), "keywords": (integer, integer), "some": (integer,),
}  # fmt: skip
KEYWORDS = {
    "keywords": ("a", "b", "c", "d"),
    "all": ("x", "y"),
    "some": ("a", "z"),
    "noconvert": ("x",),
    "not_none": ("x",),
}


def arguments(chance, name):
    """(args, kwargs) of a call: mostly of the kinds that the function takes."""
    makers = TAKES.get(name, (anything,))
    args = [make(chance) if chance.random() < 0.85 else anything(chance) for make in makers]
    if chance.random() < 0.05:
        args = args[:-1] if chance.random() < 0.5 else [*args, anything(chance)]
    kwargs = {key: anything(chance) for key in KEYWORDS.get(name, ()) if chance.random() < 0.3}
    return args, kwargs


def shown(value, given):
    """What is compared of a value: its type and content. given: the objects of the call, of which one may have come back."""
    for number, each in enumerate(given):
        if value is each and not isinstance(value, (int, str, bytes, float, bool, type(None))):
            return "argument", number, content(value)
    return content(value)


def content(value):
    kind = type(value).__name__
    if isinstance(value, torch.Tensor):
        facts = (
            str(value.dtype),
            tuple(value.shape),
            value.stride(),
            value.requires_grad,
            value.grad_fn is None,
            str(value.device),
        )
        return (
            kind,
            facts,
            None if value.device.type == "meta" else repr(value.detach().as_subclass(torch.Tensor).tolist()),
        )
    if isinstance(value, numpy.ndarray):
        return kind, str(value.dtype), value.shape, value.strides, repr(value.tolist())
    if isinstance(value, (list, tuple)):
        return kind, [content(each) for each in value]
    if isinstance(value, dict):
        return kind, [(content(key), content(each)) for key, each in value.items()]
    if isinstance(value, (Index, Float, Truth)) or hasattr(value, "__next__"):
        return kind
    return kind, repr(value)


def is_mixed(args):
    """Whether there are tensors of two devices: PyTorch's products of such tensors are memory that nothing wrote."""
    flat = [each for arg in args for each in (arg if isinstance(arg, list) else [arg])]
    return len({each.device for each in flat if isinstance(each, torch.Tensor)}) > 1


def outcome(module, name, chance):
    """What a call gives, and what its arguments hold after it."""
    args, kwargs = arguments(chance, name)
    try:
        value = getattr(module, name)(*args, **kwargs)
        gave = "value", type(value).__name__ if is_mixed(args) else shown(value, [*args, *kwargs.values()])
    except Exception as error:
        gave = "error", type(error).__name__
    return gave, [content(each) for each in args]


def build(way):
    """The module of a build: "portable" or "PyTorch"."""
    if way == "portable":
        from torchthaw import portable

        return portable.load("portable_calls", [SOURCE], extra_cflags=["-O1"])
    from torch.utils import cpp_extension

    with tempfile.TemporaryDirectory() as folder:
        return cpp_extension.load("calls_by_pytorch", [str(SOURCE)], build_directory=folder, extra_cflags=["-O1"])


def run(modules, seed, calls):
    """(calls that were made, [what differed])"""
    torch.set_num_threads(1)
    ours, theirs = modules
    names = [name for name in dir(theirs) if not name.startswith("_")]
    wrong = []
    for number in range(calls):
        name = names[number % len(names)]
        key = f"{seed} {number}"
        first, second = (outcome(module, name, random.Random(key)) for module in (ours, theirs))
        if first != second:
            args, kwargs = arguments(random.Random(key), name)
            wrong.append(f"{name}(*{args!r}, **{kwargs!r}), call {number}:\n  expected {second}\n  got      {first}")
    return calls, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    options = parser.parse_args()
    print(f"seed: {options.seed}", flush=True)
    warnings.simplefilter("ignore")
    made, wrong = run([build("portable"), build("PyTorch")], options.seed, options.calls)
    print(*wrong[:40], sep="\n")
    print(f"{made:,} cases, {len(wrong)} differ")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
