# tensors/overrides.py: counts, function by function, what of PyTorch each type supports.
"""``python -m tensors.overrides`` calls every function that PyTorch lets a type override, once with a plain tensor and
once with each type of this package holding the same values, and prints a table of the outcomes.
``python -m tensors.overrides FILE`` puts the table into FILE, between its two marker lines.

Arguments are found by trial from the parameter names in ``torch.overrides.get_testing_overrides()``: the first sample
that the plain tensor accepts is used. A function without such a sample is counted as *not tried*.
"""

import collections
import inspect
import itertools
import pathlib
import sys
import warnings

import torch
from torch.overrides import get_ignored_functions, get_overridable_functions, get_testing_overrides, resolve_name

from . import LoggingTensor, MetadataTensor, ScalarTensor
from .scalar_tensor import HANDLED_FUNCTIONS
from .tensor_like import OPERATORS, TensorLike, leaves, map_nested

SIZE, VALUE = 3, 2

# How each type comes to hold VALUE · identity(SIZE), and how its results become plain tensors again.
TYPES = {
    ScalarTensor: lambda dtype: ScalarTensor(SIZE, VALUE, dtype=dtype),
    LoggingTensor: lambda dtype: _matrix(dtype).as_subclass(LoggingTensor),
    MetadataTensor: lambda dtype: MetadataTensor(_matrix(dtype), {"unit": "m"}),
}


def _matrix(dtype):
    return VALUE * torch.eye(SIZE, dtype=dtype) if dtype != torch.bool else torch.eye(SIZE, dtype=dtype)


def _plain(value):
    if isinstance(value, ScalarTensor):
        return value.to_dense()
    if isinstance(value, MetadataTensor):
        return value.tensor
    if isinstance(value, LoggingTensor):
        return value.as_subclass(torch.Tensor)
    return value


OPERAND = object()  # stands for the tensor under test
SEQUENCE = [OPERAND, OPERAND]

# What a parameter of this name may be given, most likely value first; any other name gets ANYTHING.
ANYTHING = [OPERAND, 1, (SIZE, SIZE), SEQUENCE]
SAMPLES = {
    "tensors": [SEQUENCE],
    "dim": [0, (0,)],
    "dims": [(0, 1), 0],
    "dim0": [0],
    "dim1": [1],
    "axis": [0, (0,)],
    "index": [torch.zeros(SIZE, SIZE, dtype=torch.int64), torch.zeros(SIZE, dtype=torch.int64), 0],
    "indices": [torch.zeros(SIZE, dtype=torch.int64), (torch.zeros(1, dtype=torch.int64),)],
    "mask": [torch.eye(SIZE, dtype=torch.bool)],
    "dtype": [torch.float64],
    "vec": [torch.arange(float(SIZE))],
    "vec1": [torch.arange(float(SIZE))],
    "vec2": [torch.arange(float(SIZE))],
    "value": [1, OPERAND],
    "equation": ["ij->ji"],
    "target": [OPERAND, torch.zeros(SIZE, dtype=torch.int64)],
    "normalized_shape": [(SIZE,)],
    "p": [1, 0.5],
    "q": [0.5],
    "training": [False],
    "device": ["cpu"],
}

TRIES = 5  # samples at most for each list of parameters
DTYPES = (torch.float32, torch.int64, torch.bool)


def samples(function, override):
    """Argument lists to try, with OPERAND where the tensor under test goes, most likely first."""
    signature = inspect.signature(override).parameters.values()
    required = [p.name for p in signature if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    optional = [p.name for p in signature if p.default is not p.empty and p.name in SAMPLES]
    if any(p.kind is p.VAR_POSITIONAL for p in signature) and not required:
        required = ["tensors"]
    # Some stand-ins do not list all that the function wants: two more tries with one argument added.
    for names in (required, required[:1], required + optional[:1], required + ["other"]):
        first = SAMPLES[names[0]] if names[:1] in (["tensors"], ["equation"]) else [OPERAND, SEQUENCE]
        choices = [first] + [SAMPLES.get(name, ANYTHING) for name in names[1:]]
        yield from itertools.islice(itertools.product(*choices), TRIES)


def _call(function, arguments, operand):
    torch.manual_seed(0)

    def fill(leaf):
        return operand() if leaf is OPERAND else leaf.clone() if isinstance(leaf, torch.Tensor) else leaf

    first, *rest = map_nested(fill, list(arguments))
    if isinstance(first, TensorLike) and resolve_name(function).startswith("torch.Tensor."):
        # A method is spelt as users spell it: those of torch.Tensor themselves take nothing but tensors.
        attribute = getattr(first, _name(function))
        result = attribute if function.__name__ == "__get__" else attribute(*rest)
    else:
        result = function(first, *rest)
    return list(result) if inspect.isgenerator(result) or hasattr(result, "__next__") else result


def find_sample(function, override):
    """(arguments, dtype, result) of the first sample that the function takes with a plain tensor, or None."""
    for dtype in DTYPES:
        for arguments in samples(function, override):
            try:
                result = _call(function, arguments, lambda: _matrix(dtype))
            except Exception:
                continue
            if result is not NotImplemented:
                return arguments, dtype, result
    return None


def _name(function):
    return resolve_name(function).removesuffix(".__get__").rpartition(".")[2]


def _is_public(name):
    """Whether people call it: neither private, nor one of the hooks by which Python copies, pickles or prints."""
    return name in OPERATORS if name.startswith("__") else not name.startswith("_")


# Their results say where and when a tensor lives, or are left as they were in memory: they differ from call to call.
UNREPEATABLE = """const_data_ptr data_ptr empty_like empty_permuted fbgemm_pack_gemm_matrix_fp16 mutable_data_ptr new
                  new_empty new_empty_strided resize_ storage untyped_storage""".split()


def _agree(result, expected):
    result, expected = leaves(result), leaves(expected)
    if len(result) != len(expected):
        return False
    for ours, theirs in zip(map(_plain, result), expected):
        if not isinstance(theirs, torch.Tensor):
            same = type(ours) is type(theirs) and (repr(ours) == repr(theirs) or callable(theirs) or ours == theirs)
        elif not isinstance(ours, torch.Tensor) or ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            same = False
        else:
            ours, theirs = (value.detach().to_dense() for value in (ours, theirs))
            same = torch.allclose(ours.to(torch.complex128), theirs.to(torch.complex128), rtol=1e-4, equal_nan=True)
        if not same:
            return False
    return True


def outcome(type_, function, arguments, dtype, expected):
    """``"same"``, ``"own rule"`` (the same, without the dense matrix), ``"refused"`` (TypeError) or ``"different"``
    for one call with ``type_`` in the place of each plain tensor."""
    try:
        result = _call(function, arguments, lambda: TYPES[type_](dtype))
    except TypeError:
        return "refused"
    except Exception:
        return "different"
    if not _agree(result, expected) and _name(function) not in UNREPEATABLE:
        return "different"
    return "own rule" if type_ is ScalarTensor and function in HANDLED_FUNCTIONS else "same"


def survey():
    """``(counts, names)``: how many functions there are and how many have each outcome for each type, and the names
    of those whose outcome is "refused" or "different"."""
    counts, names = collections.Counter(), collections.defaultdict(list)
    overrides = get_testing_overrides()
    functions = {function for group in get_overridable_functions().values() for function in group}
    functions = {function for function in functions if _is_public(_name(function))}
    counts["overridable"], counts["ignored"] = len(functions), len(get_ignored_functions())
    for function in sorted(functions & set(overrides), key=resolve_name):
        sample = find_sample(function, overrides[function])
        if sample is None:
            continue
        counts["tried"] += 1
        for type_ in TYPES:
            result = outcome(type_, function, *sample)
            counts[type_, result] += 1
            if result in ("refused", "different"):
                names[type_, result].append(resolve_name(function))
    return counts, names


ROWS = {
    "own rule": "same result, by a rule of its own",
    "same": "same result as the plain tensor",
    "refused": "refused with TypeError",
    "different": "anything else",
}


def table(counts):
    """The counts as Markdown."""
    lines = [
        f"PyTorch {torch.__version__.split('+')[0]}: {counts['overridable']} functions can be overridden, "
        f"{counts['ignored']} are never overridden (`get_ignored_functions`); {counts['tried']} were tried.",
        "",
        "| outcome | " + " | ".join(f"`{type_.__name__}`" for type_ in TYPES) + " |",
        "| --- |" + " ---: |" * len(TYPES),
    ]
    for result, text in ROWS.items():
        lines.append(f"| {text} | " + " | ".join(str(counts[type_, result]) for type_ in TYPES) + " |")
    return "\n".join(lines)


BEGIN, END = "<!-- python -m tensors.overrides -->", "<!-- end -->"


def main(path=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated functions are functions too
        text = table(survey()[0])
    if path is None:
        print(text)
        return
    path = pathlib.Path(path)
    before, rest = path.read_text().split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


if __name__ == "__main__":
    main(*sys.argv[1:])
