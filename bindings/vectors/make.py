"""bindings/vectors/make.py: writes the arrays that every language's binding must reproduce, and the errors.

    python bindings/vectors/make.py [FOLDER]

Order, names and shapes of the arrays are those of c_api/include/my_lib.h; expected values come from PyTorch's autograd
in float64, of inputs that were rounded to float32 first. Numbers depend on the case's name alone, so that a new case
changes no other. index.txt and index.json say the same; docs/languages.md has the format.
"""

import json
import math
import random
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from _ext.my_lib import _my_lib  # noqa: E402
from support import references  # noqa: E402

DECLARED = {each["name"]: each for each in json.loads(_my_lib.description)["functions"]}
EXACT, PRODUCT, SEQUENCE = (1e-6, 1e-7), (1e-5, 5e-6), (2e-5, 5e-6)  # rtol, atol

# Function -> tolerances, names of the sizes, [(their values, arrays that are absent)]; elementwise: [(shape, absent)].
SHAPES = [(), (0,), (1,), (25,), (1031,), (2, 0, 3), (5, 5), (3, 5, 7), (1, 2, 3, 1, 5)]
LINEAR = [(3, 5, 7), (1, 1, 1), (0, 5, 7), (3, 0, 7), (3, 5, 0), (17, 31, 13), (41, 47, 53)]
STEP = [(3, 5, 4), (1, 1, 1), (0, 5, 4), (3, 0, 4), (3, 5, 0), (7, 13, 33)]
STEPS = [(4, 3, 5, 4), (1, 1, 1, 1), (0, 3, 5, 4), (4, 0, 5, 4), (4, 3, 0, 4), (4, 3, 5, 0), (9, 7, 13, 17)]
FEATURES = ("batch", "in_features", "out_features")
STATE = ("batch", "input_size", "state_size")


def with_absent(sizes, *absent):
    """Every size with all arrays, then the first one once for each tuple of arrays that are absent."""
    return [*((each, ()) for each in sizes), *((sizes[0], each) for each in absent)]


FUNCTIONS = {
    "add_forward": (EXACT, None, with_absent(SHAPES)),
    "add_backward": (EXACT, None, [*with_absent(SHAPES), ((5, 5), ("grad_input1",)), ((5, 5), ("grad_input2",))]),
    "linear_forward": (PRODUCT, FEATURES, [*with_absent(LINEAR, ("bias",)), ((17, 31, 13), ("bias",))]),
    "linear_backward": (PRODUCT, FEATURES, with_absent(
        LINEAR, ("grad_input",), ("weight", "grad_input"), ("input", "grad_weight"), ("grad_bias",),
        ("input", "weight", "grad_input", "grad_weight"))),
    "lltm_forward": (PRODUCT, STATE, with_absent(STEP, ("gates",))),
    "lltm_backward": (PRODUCT, STATE, with_absent(
        STEP, ("d_input",), ("d_weights", "d_bias"), ("d_old_h",), ("d_old_cell",),
        ("d_input", "d_weights", "d_old_h", "d_old_cell"))),
    "lltm_sequence_forward": (SEQUENCE, ("seq_len", *STATE), with_absent(STEPS, ("gates",))),
    "lltm_sequence_backward": (SEQUENCE, ("seq_len", *STATE), with_absent(
        STEPS, ("grad_last_h",), ("grad_last_cell",), ("grad_last_h", "grad_last_cell"), ("d_input",),
        ("d_weights", "d_bias"), ("d_old_h", "d_old_cell"))),
}  # fmt: skip

# Of errors the text is C's own, which tests/bindings/test_vectors.py compares with what C says.
ERRORS = [
    {"name": "add_forward-shapes", "function": "add_forward", "code": 5, "code_name": "MY_LIB_ERROR_SHAPE_MISMATCH",
     "text": "input2: expected shape (2, 3), got (2, 4)", "sizes": {},
     "inputs": [{"name": "input1", "shape": [2, 3]}, {"name": "input2", "shape": [2, 4]}]},
    {"name": "linear_forward-negative", "function": "linear_forward", "code": 3,
     "code_name": "MY_LIB_ERROR_INVALID_SIZE", "text": "batch: expected at least 0, got -1",
     "sizes": dict(zip(FEATURES, (-1, 2, 2))), "inputs": []},
    {"name": "lltm_forward-workspace", "function": "lltm_forward", "code": 7,
     "code_name": "MY_LIB_ERROR_WORKSPACE_TOO_SMALL", "text": "workspace_size: expected at least 1088 bytes, got 0",
     "sizes": dict.fromkeys(STATE, 2),
     "inputs": [{"name": name, "shape": shape} for name, shape in (
         ("input", [2, 2]), ("weights", [6, 4]), ("bias", [6]), ("old_h", [2, 2]), ("old_cell", [2, 2]))]},
]  # fmt: skip


def arrays(function, sizes, shape=None):
    """(inputs, outputs) of a function, {name: shape}, in the order of its prototype; `shape` is that of elementwise."""
    declared = DECLARED.get(f"my_lib_{function}") or DECLARED[function]
    found = {False: {}, True: {}}
    for each in declared["parameters"]:
        if each["kind"] == "array":
            dims = each["shapes"][0].get("dims")
            found[each["written"]][each["name"]] = shape if dims is None else [eval(dim, {}, sizes) for dim in dims]
    return found[False], found[True]


def draw(generator, shape):
    """Numbers between -1 and 1, exact in float32, as float64."""
    numbers = [generator.uniform(-1, 1) for _ in range(math.prod(shape))]
    return torch.tensor(numbers, dtype=torch.float32).double().reshape(shape)


def lltm_gates(input, weights, bias, old_h):
    """[sigmoid, sigmoid, elu] of the step's affine map, which the reference keeps to itself."""
    products = torch.nn.functional.linear(torch.cat([old_h, input], dim=1), weights, bias)
    input_gate, output_gate, candidate = products.chunk(3, dim=1)
    return torch.cat([input_gate.sigmoid(), output_gate.sigmoid(), torch.nn.functional.elu(candidate)], dim=1)


def lltm(input, weights, bias, old_h, old_cell):
    """{name: value} of lltm_forward's outputs."""
    new_h, new_cell = references.lltm(input, weights, bias, old_h, old_cell)
    return {"new_h": new_h, "new_cell": new_cell, "gates": lltm_gates(input, weights, bias, old_h)}


def lltm_sequence(input, weights, bias, old_h, old_cell):
    """{name: value} of lltm_sequence_forward's outputs: every step's."""
    state_size, batch = weights.shape[0] // 3, input.shape[1]
    found = {"h": [], "cell": [], "gates": []}
    for step in input.unbind(0):
        outputs = lltm(step, weights, bias, old_h, old_cell)
        old_h, old_cell = outputs["new_h"], outputs["new_cell"]
        for name, value in zip(found, outputs.values()):
            found[name].append(value)
    width = {"h": 1, "cell": 1, "gates": 3}
    return {
        name: torch.stack(values) if values else input.new_zeros(0, batch, width[name] * state_size)
        for name, values in found.items()
    }


FORWARD = {
    "add": lambda input1, input2: {"output": references.add(input1, input2)},
    "linear": lambda input, weight, bias: {"output": references.linear(input, weight, bias)},
    "lltm": lltm,
    "lltm_sequence": lltm_sequence,
}
# Of each operator's backward: {gradient that it takes: the output of forward, or that output's last step}, and
# {gradient that it gives: the input of forward}.
GRADIENTS = {
    "add": ({"grad_output": "output"}, {"grad_input1": "input1", "grad_input2": "input2"}),
    "linear": ({"grad_output": "output"}, {"grad_input": "input", "grad_weight": "weight", "grad_bias": "bias"}),
    "lltm": ({"grad_h": "new_h", "grad_cell": "new_cell"},
             {f"d_{name}": name for name in ("input", "weights", "bias", "old_h", "old_cell")}),
    "lltm_sequence": ({"grad_h": "h", "grad_last_h": "h", "grad_last_cell": "cell"},
                      {f"d_{name}": name for name in ("input", "weights", "bias", "old_h", "old_cell")}),
}  # fmt: skip


def backward(operator, given, absent, generator, sizes, shape):
    """(all inputs of the backward, its gradients): forward's inputs are drawn, and its outputs rounded."""
    taken, wanted = GRADIENTS[operator]
    shapes, _ = arrays(f"{operator}_forward", sizes, shape)
    inputs = {name: draw(generator, size).requires_grad_() for name, size in shapes.items()}
    outputs = FORWARD[operator](**inputs)
    values = {**inputs, **{name: value.float().double() for name, value in outputs.items()}}
    values.update({name: draw(generator, given[name]) for name in taken})
    total = torch.zeros((), dtype=torch.float64)
    for name, output in taken.items():
        if name not in absent:
            value = outputs[output]
            if name.startswith("grad_last"):  # without a step the state that was given is the last one
                value = value[-1] if len(value) else inputs[f"old_{output}"]
            total = total + (value * values[name]).sum()
    gradients = torch.autograd.grad(total, [inputs[name] for name in wanted.values()], materialize_grads=True)
    return values, dict(zip(wanted, gradients))


def make_case(function, sizes, shape, absent):
    """(name, inputs, outputs), both {name: float64 tensor or None}."""
    values = sizes.values() if shape is None else shape
    parts = [function, "x".join(map(str, values)) or "scalar", *(f"no_{name}" for name in absent)]
    name = "-".join(parts)
    generator = random.Random(name)
    operator, direction = function.rsplit("_", 1)
    given, wanted = arrays(function, sizes, shape)
    if direction == "forward":
        inputs = {each: draw(generator, size) for each, size in given.items()}
        outputs = FORWARD[operator](**{**inputs, **dict.fromkeys(set(absent) & set(inputs))})
    else:
        inputs, outputs = backward(operator, given, absent, generator, sizes, shape)
    for each, size in {**given, **wanted}.items():
        assert tuple({**inputs, **outputs}[each].shape) == tuple(size), (name, each)
    return (
        name,
        *(
            {each: None if each in absent else found[each].detach() for each in expected}
            for found, expected in ((inputs, given), (outputs, wanted))
        ),
    )


def cases():
    """Every case: its entry in the index, and the arrays of its file in order."""
    for function, (tolerances, names, table) in FUNCTIONS.items():
        for values, absent in table:
            sizes, shape = ({}, list(values)) if names is None else (dict(zip(names, values)), None)
            name, inputs, outputs = make_case(function, sizes, shape, absent)
            entry = {
                "name": name,
                "function": function,
                "file": f"{name}.bin",
                "rtol": tolerances[0],
                "atol": tolerances[1],
                "sizes": sizes,
            }
            for key, found in (("inputs", inputs), ("outputs", outputs)):
                entry[key] = [
                    {"name": each, "shape": None if value is None else list(value.shape)}
                    for each, value in found.items()
                ]
            yield entry, [value for value in (*inputs.values(), *outputs.values()) if value is not None]


def lines(entry):
    """The lines of an entry in index.txt, but the first."""
    for name, size in entry["sizes"].items():
        yield f"size {name} {size}"
    for word, key in (("in", "inputs"), ("out", "outputs")):
        for each in entry.get(key, []):
            shape = [-1] if each["shape"] is None else [len(each["shape"]), *each["shape"]]
            yield " ".join([word, each["name"], *map(str, shape)])
    if "text" in entry:
        yield f"text {entry['text']}"
    yield "end"


def write(folder):
    """Writes all files into `folder`; cases of an earlier run that exist no more are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.bin"):
        old.unlink()
    entries, text = [], []
    for entry, values in cases():
        flat = torch.cat([value.flatten() for value in values]).float()
        (folder / entry["file"]).write_bytes(flat.numpy().astype("<f4").tobytes())
        entries.append(entry)
        text += [
            f"case {entry['name']} {entry['function']} {entry['file']} {entry['rtol']:g} {entry['atol']:g}",
            *lines(entry),
        ]
    for entry in ERRORS:
        text += [f"error {entry['name']} {entry['function']} {entry['code']} {entry['code_name']}", *lines(entry)]
    (folder / "index.txt").write_text("\n".join(text) + "\n")
    packed = [json.dumps(entry) for entry in entries], [json.dumps(entry) for entry in ERRORS]
    (folder / "index.json").write_text(
        '{{"cases": [\n{}\n], "errors": [\n{}\n]}}\n'.format(*(",\n".join(each) for each in packed))
    )


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
