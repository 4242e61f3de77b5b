"""tests/portable/tensor_calls.py MODULE.so: calls all functions of tensors.cpp, and prints what each gives as JSON.

The same binary runs so beside any PyTorch, and PyTorch's own build of the source beside its own.
"""

import importlib.util
import json
import sys
import warnings

import torch

warnings.simplefilter("ignore")
torch.manual_seed(0)
SQUARE = torch.arange(9, dtype=torch.float64).reshape(3, 3).sub(4)
MIXED = torch.tensor([[3.0, -1.0, 2.5], [0.5, -2.0, 1.0], [-0.25, 4.0, -3.0]], dtype=torch.float64)
MASK = MIXED > 0
IMAGE = torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)
VIEWS = {
    "square": SQUARE, "turned": SQUARE.t(), "part": SQUARE[1:, 1:], "empty": torch.empty(0, 3), "number": torch.tensor(3),
    "image": IMAGE, "half": SQUARE.half(), "complex": SQUARE.to(torch.complex64), "leaf": SQUARE.clone().requires_grad_(),
    "bytes": torch.zeros(4, dtype=torch.uint8), "meta": torch.empty(2, 3, device="meta"),
}  # fmt: skip
SPARSE = SQUARE.to_sparse()


class Shown(torch.Tensor):
    pass


def calls():
    """(name of the function, label, arguments)."""
    for function in ("sizes", "strides", "numbers", "words", "flags", "identity"):
        yield from ((function, label, (view,)) for label, view in VIEWS.items())
    yield from (("last", label, (view,)) for label, view in VIEWS.items() if view.dim())
    yield "last", "number", (VIEWS["number"],)
    yield "words", "sparse", (SPARSE,)
    yield "flags", "parameter", (torch.nn.Parameter(SQUARE),)
    yield "identity", "subclass", (SQUARE.as_subclass(Shown),)
    yield "undefined", "", ()
    yield from (("is_defined", str(value is None), (value,)) for value in (None, SQUARE))
    yield from (
        (name, label, (VIEWS[label],))
        for name in ("first_float", "first_long")
        for label in ("square", "meta", "number")
    )
    yield "first_float", "right", (torch.tensor([2.5, 1.0]),)
    yield from (("sum_by_accessor", label, (VIEWS[label],)) for label in ("square", "turned", "part", "number", "half"))
    yield "sum_by_packed_accessor", "", (torch.arange(5.0),)
    for kind in (
        torch.float32,
        torch.float64,
        torch.int32,
        torch.uint8,
        torch.float16,
        torch.bool,
        torch.bfloat16,
        torch.complex64,
    ):
        yield "dispatched", str(kind), (torch.ones(3, dtype=kind),)
        yield "dispatched_by_type", str(kind), (torch.ones(3, dtype=kind),)
    yield "parallel", "", (torch.arange(1000.0),)
    yield "reduced", "", (100000,)
    yield "parallel_operators", "", (100,)
    yield "parallel_error", "", (1000,)
    yield from ((name, "", ()) for name in ("of_values", "of_values_by_strides", "of_vector", "literals", "modes"))
    for name in (
        "factories",
        "conversions",
        "functions",
        "splits",
        "in_place",
        "items",
        "index_written",
        "without_grad",
    ):
        yield name, "", (MIXED.clone(),)
    yield "arithmetic", "", (MIXED, SQUARE)
    yield "arithmetic", "broadcast", (MIXED, SQUARE[0])
    yield "indexed", "", (MIXED, MASK)
    yield "grad_of", "", (MIXED.clone().requires_grad_(),)
    for name in ("check", "check_without_words", "check_index", "check_value", "check_type"):
        yield from ((name, str(n), (n,)) for n in (0, 1))
    yield "wrong_shapes", "", (SQUARE, torch.zeros(2, 2))
    yield "caught", "", (SQUARE, torch.zeros(2, 2))
    yield "wrong_dimension", "", (SQUARE,)
    yield "wrong_size", "", (SQUARE,)
    yield from (("standard", str(n), (n,)) for n in range(3))
    yield from (
        ("type_of", str(kind), (kind,))
        for kind in (torch.float32, torch.int64, torch.bfloat16, torch.complex128, torch.bool)
    )
    yield from (("device_text", text, (torch.device(text),)) for text in ("cpu", "cuda:1", "meta", "cuda"))
    yield from (
        (name, repr(value), (value,)) for name in ("scalar", "scalar_double") for value in (1, -2.5, True, 2**62)
    )
    yield "scalar", "complex", (1 + 2j,)
    yield from (("sum_list", repr(value), (value,)) for value in ([1, 2, 3], (4,), [], torch.Size([2, 2])))
    yield "sum_tensors", "", ([SQUARE, SQUARE],)
    # What a function of another type is given.
    for name in ("sizes", "identity", "sum_list", "scalar", "type_of", "device_text", "check", "sum_tensors"):
        yield from ((name, f"wrong {value!r}", (value,)) for value in (None, "text", 1.5, [1.5], object))
    yield "sizes", "no argument", ()
    yield "sizes", "two arguments", (SQUARE, SQUARE)


def shown(value):
    """A result as JSON has it: of a tensor also its type, strides, and whether it needs a gradient."""
    if isinstance(value, torch.Tensor):
        values = (
            "meta"
            if value.is_meta
            else value.detach().to_dense().tolist()
            if value.layout != torch.strided
            else value.detach().tolist()
        )
        kind = type(value).__name__
        return [
            kind,
            str(value.dtype),
            [*value.shape],
            [*value.stride()] if value.layout == torch.strided else 0,
            value.requires_grad,
            repr(values),
        ]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(shown, value)]
    return repr(value)


def outcome(function, arguments):
    """What a call gives: its result, or the type and the first line of its error."""
    try:
        return shown(function(*arguments))
    except Exception as error:
        return [type(error).__name__, str(error).split("\n")[0]]


def results(path):
    """{call: what it gives}"""
    spec = importlib.util.spec_from_file_location("tensors", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {f"{name} {label}": outcome(getattr(module, name), arguments) for name, label, arguments in calls()}


if __name__ == "__main__":
    print(json.dumps(results(sys.argv[1]), indent=1))
