"""torchthaw/export/jax_module.py: what the generated Python module has besides the data and functions of a header."""

import ctypes
import dataclasses
import functools
import operator
import pathlib
from typing import Any

import jax
import jax.ffi
import numpy

STEM, OPERATORS, PAIRS = "", dict[str, Any](), dict[str, Any]()  # the header's, above the line below

# ---- The same for every header --------------------------------------------------------------------------------------

num_threads = 0  # of a call of C, at most, in programs that are traced from now on; 0: as many as the library takes

_DTYPES = ["", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
           "float32", "float64", "complex64", "complex128"]  # fmt: skip
_HALVES = "float16", "bfloat16"
_ABSENT, _UNKNOWN = -1, -2


class _Argument(ctypes.Structure):  # thaw_table_argument
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int), ("ndim", ctypes.c_int), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("integer", ctypes.c_int64), ("real", ctypes.c_double), ("own_shape", ctypes.c_int64 * 64)]  # fmt: skip


class _Call(ctypes.Structure):  # thaw_table_call
    _fields_ = [("op", ctypes.c_void_p), ("arguments", ctypes.POINTER(_Argument)), ("workspace", ctypes.c_void_p), ("stream", ctypes.c_void_p),
                ("num_threads", ctypes.c_int), ("workspace_size", ctypes.c_size_t), ("variant", ctypes.c_void_p),
                ("message", ctypes.c_char * 1024)]  # fmt: skip


_STEP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Call))


class _Table(ctypes.Structure):  # thaw_table
    _fields_ = [("version", ctypes.c_int), ("operator_count", ctypes.c_int), ("operators", ctypes.c_void_p),
                ("find", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)), ("shapes", _STEP), ("call", _STEP)]  # fmt: skip


_library = ctypes.CDLL(str(pathlib.Path(__file__).with_name(f"lib{STEM}_jax.so")))
_get_table = _library[f"{STEM}_table"]
_get_table.restype = ctypes.POINTER(_Table)
_table = _get_table().contents
for _name in OPERATORS:
    jax.ffi.register_ffi_target(_name, jax.ffi.pycapsule(_library[f"{STEM}_jax_{_name}"]), platform="cpu")


def _names(name, *kinds):
    return [word for word, kind, *_ in OPERATORS[name]["parameters"] if kind in kinds]


_NUMBERS = {"integer": "an integer", "float": "a number", "bool": "a truth value", "sizes": "integers"}


def _read(name, given):
    """{parameter: value} of what a caller gives, in C's order: an array or None, or a number."""
    values = {}
    rows = [row for row in OPERATORS[name]["parameters"] if row[1] in ("input", "inout", *_NUMBERS)]
    for (word, kind, *_), value in zip(rows, given):
        if kind in _NUMBERS:
            values[word] = _number(word, kind, value)
        elif value is None or hasattr(value, "shape") and hasattr(value, "dtype"):
            values[word] = None if value is None else jax.numpy.asarray(value)
        else:
            raise TypeError(f"{word}: expected an array, got {value!r}")
    return values


def _number(word, kind, value):
    """A number as an attribute of the call: it is the same for all calls of a traced program."""
    try:
        if kind == "sizes":
            found = tuple(map(operator.index, value))
        else:
            found = {"integer": operator.index, "float": float, "bool": bool}[kind](value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{word}: expected {_NUMBERS[kind]} known while tracing, got {value!r}") from None
    for each in found if kind == "sizes" else (found,):
        if kind in ("integer", "sizes") and not -(2**63) <= each < 2**63:
            raise ValueError(f"{word}: expected an integer that fits int64_t, got {each}")
    return found


def _shapes(name, values, wanted):
    """({output: jax.ShapeDtypeStruct}, bytes of the workspace, {size: its value}); ValueError for what does not fit."""
    rows = OPERATORS[name]["parameters"]
    arguments = (_Argument * len(rows))()
    call = _Call(op=_table.find(name.encode()), arguments=arguments)
    for (word, kind, *_), argument in zip(rows, arguments):
        value, argument.ndim = values.get(word), _ABSENT
        if kind == "output":
            argument.ndim = _UNKNOWN if word in wanted else _ABSENT
        elif kind == "float":
            argument.real = value
        elif kind in ("integer", "bool"):
            argument.integer = value
        elif value is not None:
            shape = value if kind == "sizes" else value.shape
            argument.ndim, argument.shape = len(shape), (ctypes.c_int64 * len(shape))(*shape)
            dtype = "" if kind == "sizes" else str(value.dtype)
            argument.dtype = _DTYPES.index(dtype) if dtype in _DTYPES else 0
    if not _table.shapes(ctypes.byref(call)):
        raise ValueError(call.message.decode())
    outputs, sizes = {}, {}
    for (word, kind, *_), argument in zip(rows, arguments):
        shape = tuple(argument.shape[i] for i in range(argument.ndim))
        if word in wanted:
            dtype = jax.numpy.dtype(_DTYPES[argument.dtype])
            if jax.dtypes.canonicalize_dtype(dtype) != dtype:
                raise ValueError(f"{word}: expected jax_enable_x64 for an output of {dtype}, got jax_enable_x64=False")
            outputs[word] = jax.ShapeDtypeStruct(shape, dtype)
        elif kind in ("size", "shape"):
            sizes[word] = argument.integer if kind == "size" else shape
    return outputs, call.workspace_size, sizes


def _call(name, values, wanted):
    """The outputs ``wanted``, in C's order, by a call of C. values: {parameter: array, number or None}."""
    row = OPERATORS[name]
    rows = row["parameters"]
    given = [word for word in _names(name, "input", "inout") if values[word] is not None]
    there = sum(1 << i for i, (word, *_) in enumerate(rows) if word in given or word in wanted)
    attributes = {"torchthaw.arrays": numpy.uint64(there).astype(numpy.int64)}
    if num_threads:
        attributes["torchthaw.num_threads"] = numpy.int64(operator.index(num_threads))
    types = {"float": numpy.float64, "bool": numpy.int64, "integer": numpy.int64}
    for word, kind, *_ in rows:
        if kind in types:
            attributes[word] = types[kind](values[word])
        elif kind == "sizes":
            attributes[word] = numpy.array(values[word], numpy.int64)

    def call(*arrays):
        outputs, workspace, _ = _shapes(name, {**values, **dict(zip(given, arrays))}, wanted)
        results = [*outputs.values()]
        if workspace:
            results.append(jax.ShapeDtypeStruct((workspace,), jax.numpy.uint8))
        target = jax.ffi.ffi_call(name, results, vmap_method=row["vmap"])
        return tuple(target(*arrays, **attributes)[: len(outputs)])

    places = {word: place for word, _, _, place in rows}
    if all(places[word] is None for word in given):
        return call(*(values[word] for word in given))
    batched_call = jax.custom_batching.custom_vmap(call)

    @batched_call.def_vmap
    def batch(count, batched, *arrays):
        """One call on a larger array where the header says that entries are independent; else one after the other."""
        in_place = [places[word] for word in given]
        out_place = [places[word] for word in _names(name, "output", "inout") if word in wanted]
        if None in [place for place, is_batched in zip(in_place, batched) if is_batched] + out_place:
            outputs = jax.vmap(call, [0 if is_batched else None for is_batched in batched])(*arrays)
            return outputs, (True,) * len(outputs)
        folded = []
        for x, place, is_batched in zip(arrays, in_place, batched):
            if place is not None:
                x = jax.numpy.moveaxis(x if is_batched else jax.numpy.broadcast_to(x, (count, *x.shape)), 0, place)
                size = x.shape[place + 1]
                x = x.reshape(*x.shape[:place], count * size, *x.shape[place + 2 :])
            folded.append(x)
        outputs = [
            jax.numpy.moveaxis(x.reshape(*x.shape[:place], count, size, *x.shape[place + 1 :]), place, 0)
            for x, place in zip(batched_call(*folded), out_place)
        ]
        return tuple(outputs), (True,) * len(outputs)

    return batched_call(*(values[word] for word in given))


def _run(name, *given, outputs=None):
    """What a function of this module returns. outputs: names of those to compute; by default all."""
    pair = PAIRS.get(name)
    asked = _asked(name) if outputs is None else _chosen(name, outputs)
    values = _read(pair["forward"] if pair else name, given)
    dtype = _widen(pair, values) if pair else None
    found = _differentiable(name, *asked)(*_split(name, values))
    found = found[: len(pair["results"])] if pair else found
    if dtype:  # results alone: what backward reads stays as it is
        found = tuple(x.astype(dtype) if x.dtype == numpy.float32 else x for x in found)
    return found if len(found) > 1 else found[0]


def _widen(pair, values):
    """Turns arrays of 16 bits, for which C has no function, into float32; the dtype of the results then, or None."""
    dtype = str(values[pair["alike"][0]].dtype) if values[pair["alike"][0]] is not None else ""
    if dtype not in _HALVES or dtype in pair["dtypes"] or "float32" not in pair["dtypes"]:
        return None
    for word in pair["alike"]:
        if values[word] is not None and values[word].dtype != dtype:
            raise ValueError(f"{word}: expected dtype {dtype}, got {values[word].dtype}")
    for word, x in values.items():
        if isinstance(x, jax.Array) and str(x.dtype) in _HALVES:
            values[word] = x.astype(numpy.float32)
    return dtype


# ---- Derivatives ----------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Facts:
    """What a backward needs to know besides arrays: the inputs that have a gradient, and (size, its value) of each."""

    needs: tuple
    sizes: tuple


jax.tree_util.register_pytree_node(_Facts, lambda facts: ((), facts), lambda facts, _: facts)


def _split(name, values):
    """The arguments of a function of _differentiable(): numbers, then arrays."""
    forward = PAIRS[name]["forward"] if name in PAIRS else name
    numbers = tuple((word, values[word]) for word in _names(forward, *_NUMBERS))
    return numbers, *map(values.get, _names(forward, "input", "inout"))


def _asked(name):
    """The outputs that a function of this module computes: all of an operator; of a pair, what is not for backward alone."""
    if name not in PAIRS:
        return _names(name, "output", "inout")
    pair = PAIRS[name]
    results = [word for word, _ in pair["results"]]
    rows = OPERATORS[pair["forward"]]["parameters"]
    return [word for word, kind, is_nullable, _ in rows if kind == "output" and (word in results or not is_nullable)]


def _chosen(name, outputs):
    """Those of an operator that a caller names, in C's order."""
    every = _asked(name)
    needed = [word for word, kind, is_nullable, _ in OPERATORS[name]["parameters"] if word in every and not is_nullable]
    given = [outputs] if isinstance(outputs, str) else [*outputs]
    if not given or not {*needed} <= {*given} <= {*every}:
        expected = " and ".join(filter(None, [", ".join(needed), f"some of {', '.join(every)}"]))
        raise ValueError(f"outputs: expected {expected}, got {', '.join(map(str, given)) or 'none'}")
    return [word for word in every if word in given]


def _conjugate(x):
    """A gradient in the other convention: that of C's backwards, PyTorch's, is the conjugate of JAX's."""
    return jax.numpy.conj(x) if jax.numpy.iscomplexobj(x) else x


def _array(x):
    """The gradient of a result, which may be an object for zeros; integers have gradients of a dtype of their own."""
    if not isinstance(x, jax.custom_derivatives.SymbolicZero):
        return x
    return numpy.zeros(x.shape, x.dtype) if x.dtype == jax.dtypes.float0 else jax.numpy.zeros(x.shape, x.dtype)


@functools.cache
def _differentiable(name, *asked):
    """The jax.custom_vjp of a pair, or of an operator, which has no derivative: ``f(numbers, *arrays)`` returns a tuple.

    numbers: (name, value) of each. asked: the outputs that are computed. The tuple has a pair's results, and behind them
    those outputs that are none, whose gradients are taken for zero.
    """
    pair = PAIRS.get(name)
    forward = pair["forward"] if pair else name
    arrays = _names(forward, "input", "inout")
    asked = [word for word in _names(forward, "output", "inout") if word in asked]
    results = pair["results"] if pair else []
    others = [word for word in asked if (word, None) not in results]

    @functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
    def function(numbers, *given):
        outputs = dict(zip(asked, _call(forward, {**dict(numbers), **dict(zip(arrays, given))}, asked)))
        entries = (outputs[word] if i is None else outputs[word][i] for word, i in results)
        return *entries, *(outputs[word] for word in others)

    def forwards(numbers, *given):
        needs = tuple(word for word, x in zip(arrays, given) if x is not None and x.perturbed)
        for word in needs:
            if pair is None or word not in pair["gradients"]:
                raise _without_derivative(name, word)
        given = [x if x is None else x.value for x in given]
        inputs = dict(zip(arrays, given))
        read = [of for _, kind, of in pair["given"] if kind == "output"]
        wanted = [word for word in _names(forward, "output") if word in asked or word in read]
        found = _differentiable(name, *wanted)(numbers, *given)  # which can be differentiated again
        more = [word for word in wanted if (word, None) not in results]
        outputs = dict(zip([word if i is None else None for word, i in results] + more, found))
        kept = {**inputs} if name in _FORMULAS else {}
        kept |= {of: {**outputs, **inputs}[of] for _, kind, of in pair["given"] if kind in ("input", "output")}
        facts = _Facts(needs, tuple(_shapes(forward, {**dict(numbers), **inputs}, wanted)[2].items()))
        return (*found[: len(results)], *(outputs[word] for word in others)), (facts, kept)

    def backwards(numbers, residuals, cotangents):
        facts, kept = residuals
        compute = functools.partial(_gradients, pair, dict(numbers), facts)
        cotangents = cotangents[: len(results)]
        if name in _FORMULAS:
            gradients = _with_formula(name, compute, dict(numbers), facts)(kept, tuple(map(_array, cotangents)))
        else:
            gradients = compute(kept, cotangents)
        return tuple(dict(zip(facts.needs, gradients)).get(word) for word in arrays)

    function.defvjp(forwards, backwards, symbolic_zeros=True)
    return function


def _without_derivative(name, word):
    """The exception for an array of which C computes no gradient."""
    of_backward = [each["name"] for each in PAIRS.values() if each["backward"] == name and each["name"]]
    remedy = "".join(f"; give {each} a formula of jax.numpy by @{each}.formula" for each in of_backward)
    return RuntimeError(f"{name}: {word} requires a gradient, of which C computes none{remedy}")


def _gradients(pair, numbers, facts, kept, cotangents):
    """Those of ``facts.needs``, by C."""
    backward = pair["second"] or pair["backward"]
    may_be_absent = {word: is_nullable for word, _, is_nullable, _ in OPERATORS[pair["backward"]]["parameters"]}
    known = {"number": numbers, "size": dict(facts.sizes), "input": kept, "output": kept, "none": {}}

    def value(word, kind, of):
        if kind != "gradient":
            return known[kind].get(of)
        is_zero = isinstance(cotangents[of], jax.custom_derivatives.SymbolicZero)
        return None if is_zero and may_be_absent[word] else _conjugate(_array(cotangents[of]))

    found = {output: _array(cotangents[of]) for output, of in pair["equals"].items()}
    wanted = {pair["gradients"][word] for word in facts.needs} - {*found}
    if wanted:
        asked = _asked(backward)
        if not pair["second"]:
            asked = [word for word in asked if word in wanted or not may_be_absent[word]]
        values = {word: value(word, kind, of) for word, kind, of in pair["given"]}
        outputs = _differentiable(backward, *asked)(*_split(backward, values))
        found |= {word: _conjugate(x) for word, x in zip(asked, outputs) if word in wanted}
    return tuple(found[pair["gradients"][word]] for word in facts.needs)


def _with_formula(name, compute, numbers, facts):
    """``compute(kept, cotangents)``, whose own derivative is that of the formula."""

    def by_formula(inputs, cotangents):
        def results(some):
            values = {**numbers, **inputs, **some}
            found = _FORMULAS[name](*(values[word] for word in _names(PAIRS[name]["forward"], "input", *_NUMBERS)))
            return found if isinstance(found, tuple) else (found,)

        (gradients,) = jax.vjp(results, {word: inputs[word] for word in facts.needs})[1](cotangents)
        return tuple(gradients[word] for word in facts.needs)

    def backwards(residuals, cotangents):
        kept, given = residuals
        inputs = {word: kept[word] for word in _names(PAIRS[name]["forward"], "input")}
        of_inputs, of_given = jax.vjp(by_formula, inputs, given)[1](cotangents)
        return {word: of_inputs.get(word) for word in kept}, of_given

    function = jax.custom_vjp(compute)
    function.defvjp(lambda kept, given: (function(kept, given), (kept, given)), backwards)
    return function


_FORMULAS = {}  # differentiable function -> the same results by jax.numpy, for derivatives of gradients


def _take_formula(name, function):
    """The decorator ``@my_function.formula``."""
    _FORMULAS[name] = function
    return function


for _name, _pair in PAIRS.items():
    if _pair["name"]:
        globals()[_pair["name"]].formula = functools.partial(_take_formula, _name)
