"""tests/fuzz/bridge_calls.py: random headers, whose functions are called with random objects, right and wrong.

    python tests/fuzz/bridge_calls.py [--calls N] [--seed N]

Each function of a header computes a sum of all that it reads, and writes it to all its outputs. What it gives is compared
with NumPy's sum of the same. A call with an object that its parameter does not take is an error of Python that leaves
the outputs as they are. The seed, which is printed, gives the same headers and objects again.
"""

import argparse
import os
import random
import re
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src")]

import numpy  # noqa: E402
import torch  # noqa: E402

import torchthaw  # noqa: E402

# Type of C -> (dtype, range of what a test writes there)
ARRAYS = {
    "float": ("float32", -9, 9), "double": ("float64", -9, 9), "int32_t": ("int32", -99, 99), "int64_t": ("int64", -99, 99),
    "uint8_t": ("uint8", 0, 99), "int16_t": ("int16", -99, 99),
}  # fmt: skip
INTEGERS = {
    "int32_t": (-(2**31), 2**31 - 1),
    "int64_t": (-(2**63), 2**63 - 1),
    "uint8_t": (0, 255),
    "int": (-(2**31), 2**31 - 1),
}
REALS = "double", "float"
CALLS = 2000  # of a header
FUNCTIONS = 10
REFUSED = TypeError, ValueError, OverflowError, RuntimeError, BufferError


@dataclass
class Parameter:
    """kind: input, output, size, integer, real or bool. sizes: names of the sizes of an array."""

    name: str
    kind: str
    type: str
    sizes: tuple = ()

    @property
    def text(self):
        if self.kind in ("input", "output"):
            const = "const " * (self.kind == "input")
            return f"{const}{self.type} *{self.name} THAW_SHAPE({', '.join(self.sizes)})"
        return f"{self.type} {self.name}"


@dataclass
class Function:
    name: str
    parameters: list = field(default_factory=list)

    @property
    def head(self):
        return f"int {self.name}({', '.join(each.text for each in self.parameters)})"


def make_function(chance, name):
    """A function with sizes, inputs, numbers and outputs in any order."""
    sizes = [
        Parameter(f"n{i}", "size", chance.choice(["int64_t", "int32_t", "long"])) for i in range(chance.randrange(1, 3))
    ]
    made = [*sizes]
    shape = tuple(each.name for each in sizes)

    def sizes_of_one():
        return shape[: chance.randrange(1, len(shape) + 1)]

    made.append(Parameter("x0", "input", chance.choice([*ARRAYS]), shape))  # each size has an array that says it
    made += [
        Parameter(f"x{i}", "input", chance.choice([*ARRAYS]), sizes_of_one()) for i in range(1, chance.randrange(1, 3))
    ]
    for i in range(chance.randrange(3)):
        kind = chance.choice(["integer", "real", "bool"])
        type = chance.choice([*INTEGERS]) if kind == "integer" else chance.choice(REALS) if kind == "real" else "bool"
        made.append(Parameter(f"v{i}", kind, type))
    made += [Parameter(f"y{i}", "output", "double", sizes_of_one()) for i in range(chance.randrange(1, 3))]
    chance.shuffle(made)
    return Function(name, made)


def header(functions):
    return "#include <stdbool.h>\n#include <stdint.h>\n#include <torchthaw/annotate.h>\n" + "".join(
        f"THAW_STATUS {each.head};\n" for each in functions
    )


def source(functions):
    text = "#include <stdbool.h>\n#include <stdint.h>\n"
    for each in functions:
        lines = ["double sum = 0;"]
        for p in each.parameters:
            count = " * ".join(f"(int64_t){name}" for name in p.sizes)
            if p.kind == "input":
                lines.append(f"for (int64_t i = 0; i < {count}; ++i) sum += (double){p.name}[i];")
            elif p.kind != "output":
                lines.append(f"sum += (double){p.name};")
        for p in each.parameters:
            count = " * ".join(f"(int64_t){name}" for name in p.sizes)
            if p.kind == "output":
                lines.append(f"for (int64_t i = 0; i < {count}; ++i) {p.name}[i] = sum + i;")
        head = re.sub(r" THAW_SHAPE\([^)]*\)", "", each.head)
        text += f"{head} {{\n    " + "\n    ".join([*lines, "return 1;"]) + "\n}\n"
    return text


def array(chance, type, shape):
    """An array that fits, of PyTorch or NumPy."""
    dtype, least, most = ARRAYS[type]
    values = numpy.array([chance.randint(least, most) for _ in range(int(numpy.prod(shape)))], dtype).reshape(shape)
    return torch.from_numpy(values) if chance.random() < 0.5 else values


def wrong_array(chance, type, shape, is_output):
    """(object, what it is) that a parameter of this type and shape does not take."""
    dtype, *_ = ARRAYS[type]
    right = torch.ones(shape, dtype=getattr(torch, dtype))
    other = next(each for each in ("float64", "int32") if each != dtype)
    twice = [*shape[:-1], 2 * shape[-1] + 2]
    strided = torch.ones(twice, dtype=right.dtype)[..., ::2][..., : shape[-1]]
    shrunk = torch.ones(64, dtype=right.dtype)[: right.numel()].view(shape)
    found = [
        (right.to(getattr(torch, other)), "another dtype"), (right[None], "one more dimension"),
        ("text", "a text"), (object(), "an object"), (right.to_sparse(), "sparse"), (3.5, "a number"),
        (right.numpy().astype(other), "another dtype of NumPy"), (right.numpy().astype(">f8"), "another order of bytes"),
        (numpy.ma.masked_array(right.numpy(), mask=numpy.ones(shape, bool)), "masked"),
        (torch.empty(shape, dtype=right.dtype, device="meta"), "on meta"),
    ]  # fmt: skip
    if right.numel() > 1:
        found.append((strided, "not contiguous"))
        if right.numel() * right.element_size() > 8:
            shrunk.untyped_storage().resize_(1)
            found.append((shrunk, "a storage made smaller"))
    if is_output:
        frozen = right.numpy().copy()
        frozen.flags.writeable = False
        found += [(frozen, "read-only"), (right.numpy().tobytes(), "bytes")]
    return chance.choice(found)


def number(chance, parameter):
    """(object, its value or None where it is refused)"""
    if parameter.kind == "real":
        value = chance.choice([chance.uniform(-9, 9), chance.randrange(-9, 9), numpy.float64(1.5), numpy.int64(3)])
        if chance.random() < 0.1:
            return chance.choice(
                ["1.5", None, [1.0], object(), 1j, numpy.array("1.5"), numpy.datetime64("2020-01-01")]
            ), None
        return value, float(numpy.float32(value)) if parameter.type == "float" else float(value)
    if parameter.kind == "bool":
        value = chance.choice([True, False, 0, 1])
        return (
            (chance.choice(["x", None, 2, -1, 2.5, object()]), None) if chance.random() < 0.1 else (value, float(value))
        )
    least, most = INTEGERS[parameter.type]
    if chance.random() < 0.1:
        return chance.choice([most + 1, least - 1, 1.5, "1", None, object(), numpy.float32(1.9), 2**70, [1]]), None
    value = chance.choice([least, most, 0, 1, numpy.int64(7), chance.randint(0, 99)])
    return value, float(value)


def as_numpy(x):
    return x.numpy() if isinstance(x, torch.Tensor) else numpy.asarray(x)


def make_call(chance, function):
    """(arguments, {output: array}, expected sum, or None, and what is wrong)"""
    sizes = {each.name: chance.choice([1, 2, 3, 5]) for each in function.parameters if each.kind == "size"}
    total, wrong, arguments, outputs = float(sum(sizes.values())), "", [], {}
    spoilt = chance.choice(function.parameters) if chance.random() < 0.4 else None
    for each in function.parameters:
        shape = [sizes[name] for name in each.sizes]
        if each.kind in ("input", "output"):
            if each is spoilt:
                value, what = wrong_array(chance, each.type, shape, each.kind == "output")
                wrong = wrong or f"{each.name}: {what}"
            else:
                value = array(chance, each.type, shape)
                if each.kind == "input":
                    total += float(as_numpy(value).astype(numpy.float64).sum())
                else:
                    outputs[each.name] = value
        elif each.kind == "size":
            value = sizes[each.name]
            if each is spoilt:
                value = chance.choice([value + 1, -1, "n", 1.5, 2**70])
                wrong = wrong or f"{each.name}: {value!r}"
        else:
            value, known = number(chance, each)
            if known is None:
                wrong = wrong or f"{each.name}: {value!r}"
            else:
                total += known
        arguments.append(value)
    return arguments, outputs, total, wrong


def problem(module, function, call):
    """What is wrong with a call, or ""."""
    arguments, outputs, total, wrong = call
    before = {name: as_numpy(each).copy() for name, each in outputs.items()}
    try:
        result = getattr(module, function.name)(*arguments)
    except REFUSED as error:
        if not wrong:
            return f"expected a call, got {type(error).__name__}: {error}"
        if not str(error).strip():
            return "an error without words"
        changed = [name for name, each in outputs.items() if not numpy.array_equal(as_numpy(each), before[name])]
        return f"a refused call wrote to {', '.join(changed)}" if changed else ""
    if wrong:
        return f"expected an error for {wrong}, got {result}"
    if result != 1:
        return f"expected 1, got {result!r}"
    for name, each in outputs.items():
        expected = total + numpy.arange(as_numpy(each).size).reshape(as_numpy(each).shape)
        if not numpy.allclose(as_numpy(each), expected, rtol=1e-12, atol=1e-6):
            return f"{name}: expected {expected.ravel()[:3]}, got {as_numpy(each).ravel()[:3]}"
    return ""


def run(seed, calls):
    """(how many calls were made, [what is wrong])"""
    chance, made, wrong, index = random.Random(seed), 0, [], 0
    while made < calls:
        functions = [make_function(chance, f"f{i}") for i in range(FUNCTIONS)]
        module = torchthaw.load_inline(f"fuzz_{seed}_{index}", c_sources=source(functions), headers=header(functions))
        index += 1
        for _ in range(min(CALLS, calls - made)):
            function = chance.choice(functions)
            call = make_call(chance, function)
            found = problem(module, function, call)
            made += 1
            if found:
                wrong.append(f"call {made}: {function.head}: {[*map(shown, call[0])]}: {found}")
                if len(wrong) >= 20:
                    return made, wrong
    return made, wrong


def shown(x):
    text = repr(x).replace("\n", "")
    return text if len(text) < 60 else f"{text[:57]}..."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TORCHTHAW_CACHE"] = folder
        made, wrong = run(options.seed, options.calls)
    print(*wrong, sep="\n")
    print(f"{made} cases")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
