"""torchthaw/header/matching.py: which parameter of a backward stands for which of its forward, by name first.

Each function here raises AnnotationError for what cannot be matched, with the word that would say it.
"""

import re

from . import dimensions
from .annotations import AnnotationError

GRADIENT, TANGENT = ("grad_", "d_"), ("tangent_",)  # what the name of such an array begins with
NUMBERS = "integer", "float", "bool", "sizes"


def error(function, parameter, word, expected, got):
    """The AnnotationError at a word, of which the name is given, or at the function."""
    words = (parameter.saved, parameter.gradient_of, parameter.equals) if parameter else tuple(function.words.values())
    place = next((each.place for each in words if each and each.name == word), function.prototype.place)
    of = [place, function.name, *([parameter.name] if parameter else []), *([word] if word else [])]
    return AnnotationError(f"{': '.join(of)}: expected {expected}, got {got}")


def arrays(function):
    return [each for each in function.parameters if each.kind == "array"]


def inputs(function):
    return {each.name: each for each in arrays(function) if not each.is_output}


def outputs(function):
    return {each.name: each for each in arrays(function) if each.is_output}


def is_differentiable(array):
    return (array.dtype or "").startswith(("float", "bfloat", "complex"))


def match(pair):
    """Fills results, saved, given, gradients and equals of a pairs.Pair."""
    for function in (pair.forward, pair.backward):
        _check_functional(function, pair.backward, "THAW_BACKWARD_OF")
    known = outputs(pair.forward)
    pair.results = [[name, None] for name, each in known.items() if not each.saved]
    sources = {}  # array of the backward -> [output, index] that it is the gradient of
    for array in inputs(pair.backward).values():
        found = _source(pair, array)
        if found is None:
            continue
        name, index = found
        if found in sources.values():
            word = "THAW_GRADIENT_OF" if array.gradient_of else None
            other = next(each for each, source in sources.items() if source == found)
            raise error(pair.backward, array, word, f"one gradient of {_shown(*found)}", f"another than {other}")
        if not is_differentiable(known[name]):
            raise error(pair.backward, array, None, "the gradient of floating-point numbers", known[name].dtype)
        _check_alike(pair, pair.backward, array, known[name], index)
        sources[array.name] = found
        if index is not None:
            pair.results.append(found)
    if not pair.results:
        saved = next(iter(known.values()))
        raise error(pair.forward, saved, "THAW_SAVED", f"an output of {pair.forward.name} without it", "none")
    pair.saved = [name for name in known if [name, None] not in pair.results]
    for parameter in pair.backward.parameters:
        if parameter.name in sources:
            pair.given.append(_gradient_row(pair, parameter, sources[parameter.name]))
        elif parameter.name in inputs(pair.backward):
            pair.given.append(_array_row(pair, parameter))
        elif parameter.kind in NUMBERS and not parameter.source:
            pair.given.append(_number_row(pair, pair.backward, parameter))
    _match_gradients(pair)
    _match_equal(pair)
    _check_outputs(pair, sources.values())


def _check_functional(function, owner, word):
    """Raises unless PyTorch can have the function as one that returns new tensors. owner: the one with the word."""
    for each in arrays(function):
        if each.is_inout or each.is_written and not each.shapes:
            got = f"{each.name}, {'which is read and written' if each.is_inout else 'without a shape'}"
            got += "" if each.is_inout else counts_as_written([each])
            raise error(owner, None, word, f"outputs of {function.name} that have shapes and are not read", got)
    if "default" not in function.forms:
        expected = (
            f"a function {function.name} of arrays and numbers, with an output, an array that is read and not NULL, "
            "and no result but int"
        )
        written = [each for each in arrays(function) if each.is_written]
        got = function.made.declaration
        if len(written) > 1 and len(written) == len(arrays(function)):
            got += counts_as_written(written)
        raise error(owner, None, word, expected, got)


def counts_as_written(parameters):
    """For an error about arrays that C may only read: why they are outputs, and the edit."""
    names = ", ".join(each.name for each in parameters)
    count = "counts" if len(parameters) == 1 else "count"
    return f"; without const, {names} {count} as written: put const before what C only reads"


def _source(pair, array):
    """[output, index] of the forward that an array of the backward is the gradient of; None where it is none."""
    known = outputs(pair.forward)
    if array.gradient_of is None:
        name = _behind(array.name, GRADIENT)
        is_array = array.name in known or array.name in inputs(pair.forward)
        return [name, None] if name in known and not is_array else None
    text = array.gradient_of.arguments[0]
    said = re.fullmatch(r"(\w+) ?(?:\[(.*)\])?", text)
    if said is None or said[1] not in known:
        expected = f"an output of {pair.forward.name}, or an entry of one, such as h[n - 1]"
        raise error(pair.backward, array, "THAW_GRADIENT_OF", expected, text)
    return [said[1], None if said[2] is None else _index(pair, array, known[said[1]], said[2])]


def _behind(name, prefixes):
    """A name without its prefix, or None."""
    return next((name.removeprefix(each) for each in prefixes if name.startswith(each)), None)


def _shown(name, index):
    return name if index is None else f"{name}[{index}]"


def _index(pair, array, output, text):
    """An index of the first dimension, as dimensions.text() has it."""

    def wrong(expected, got):
        return error(pair.backward, array, "THAW_GRADIENT_OF", expected, got)

    try:
        parsed = dimensions.parse(text)
    except ValueError as expected:
        raise wrong(expected, text) from None
    integers = [each.name for each in pair.forward.parameters if each.kind == "integer"]
    for name in dimensions.names(parsed):
        if name not in integers:
            raise wrong(f"integer parameters of {pair.forward.name}", name)
    if any(each.get("dims") == [] for each in output.shapes):
        raise wrong("an output with dimensions in front of an index", f"{output.name} {output.shape_text}")
    return dimensions.text(parsed)


def _gradient_row(pair, array, source):
    """That of a result; a THAW_SAVED output is none, so that its gradient is NULL."""
    if source in pair.results:
        return [array.name, "gradient", pair.results.index(source)]
    if not array.is_nullable:
        expected = f"THAW_NULLABLE, as {source[0]} of {pair.forward.name} is THAW_SAVED and has no gradient"
        raise error(pair.backward, array, None, expected, "none")
    return [array.name, "none", None]


def _array_row(pair, array):
    """The array of the forward by the same name."""
    for kind, known in (("input", inputs(pair.forward)), ("output", outputs(pair.forward))):
        if array.name in known:
            _check_alike(pair, pair.backward, array, known[array.name])
            return [array.name, kind, array.name]
    of = _or(outputs(pair.forward))
    expected = f"an array of {pair.forward.name}, grad_ and the name of an output, or THAW_GRADIENT_OF({of})"
    raise error(pair.backward, array, None, expected, array.name)


def _or(arrays):
    """Those that can have a gradient, in words."""
    return " or ".join(name for name, each in arrays.items() if is_differentiable(each))


def _number_row(pair, function, number):
    """The number of the forward by the same name."""
    found = {each.name: each for each in pair.forward.parameters if each.kind in NUMBERS}.get(number.name)
    if found is None or found.kind != number.kind:
        got = number.name if found is None else f"{number.name}, which is {_c_type(found)} there"
        expected = f"a number of {pair.forward.name} ({_c_type(number)}), or one that a THAW_SHAPE determines"
        raise error(function, number, None, expected, got)
    return [number.name, "size" if found.source else "number", number.name]


def _c_type(parameter):
    return parameter.as_json()["ctype"]


def _match_gradients(pair):
    """Of an input at most one."""
    known = inputs(pair.forward)
    for array in outputs(pair.backward).values():
        word = "THAW_GRADIENT_OF" if array.gradient_of else None
        if word:
            name = got = array.gradient_of.arguments[0]
            expected = f"an input of {pair.forward.name}"
        else:
            name, got = _behind(array.name, GRADIENT), array.name
            expected = f"grad_ and the name of an input of {pair.forward.name}, or THAW_GRADIENT_OF({_or(known)})"
        if name not in known:
            raise error(pair.backward, array, word, expected, got + counts_as_written([array]))
        if name in pair.gradients:
            raise error(pair.backward, array, word, f"one gradient of {name}", f"another than {pair.gradients[name]}")
        if not is_differentiable(known[name]):
            raise error(pair.backward, array, word, "the gradient of floating-point numbers", known[name].dtype)
        if array.saved:
            raise error(pair.backward, array, "THAW_SAVED", f"a result, as it is the gradient of {name}", "THAW_SAVED")
        _check_alike(pair, pair.backward, array, known[name])
        pair.gradients[name] = array.name


def _match_equal(pair):
    """An output that equals the gradient of a result, as THAW_EQUALS says."""
    of_results = {name: of for name, kind, of in pair.given if kind == "gradient"}
    for array in outputs(pair.backward).values():
        if not array.equals:
            continue
        name = array.equals.arguments[0]
        if name not in of_results:
            expected = f"an array of {pair.backward.name} that is the gradient of a result"
            raise error(pair.backward, array, "THAW_EQUALS", expected, name)
        other = inputs(pair.backward)[name]
        ours, theirs = (f"{each.dtype} {each.shape_text}" for each in (array, other))
        if ours != theirs:
            raise error(pair.backward, array, "THAW_EQUALS", f"{theirs}, as {name} is", ours)
        pair.equals[array.name] = of_results[name]


def _check_outputs(pair, sources):
    """Raises for an output that has no gradient, or is saved for nothing."""
    read = {of for _, kind, of in pair.given if kind == "output"}
    for name, output in outputs(pair.forward).items():
        if output.saved:
            if name not in read and all(each[0] != name for each in sources):
                expected = f"a parameter {name} of {pair.backward.name}, which reads it{_or_scratch(pair)}"
                raise error(pair.forward, output, "THAW_SAVED", expected, "neither")
        elif is_differentiable(output) and [name, None] not in sources:
            expected = f"its gradient in {pair.backward.name}: grad_{name}, or THAW_GRADIENT_OF({name})"
            reads = "" if name in read else f" and a parameter {name} of {pair.backward.name}"
            expected += f"; THAW_SAVED here{reads}, where that reads it{_or_scratch(pair)}"
            raise error(pair.forward, output, None, expected, "none of these")
        if output.saved and pair.second and name in read:
            why = f"as {pair.backward.name} reads {name}, a THAW_SAVED output, which has no derivative"
            expected = f"a formula in Python instead, {why}"
            raise error(pair.second, None, "THAW_BACKWARD_OF", expected, pair.second.name)


def _or_scratch(pair):
    return f"; or THAW_WORKSPACE, for memory that {pair.forward.name} alone uses"


def _check_alike(pair, function, array, other, index=None):
    """Raises unless an array may have the shape and dtype of one of the forward, or of an entry of it."""
    of = f"{_shown(other.name, index)} of {pair.forward.name}"
    if array.dtype and other.dtype and array.dtype != other.dtype:
        raise error(function, array, None, f"{other.dtype}, as {of} is", array.dtype)
    ours, theirs = _dims(array), _dims(other)
    if ours is None or theirs is None:
        return
    theirs = theirs[1:] if index is not None else theirs
    names = {name for each in ours + theirs for name in dimensions.names(dimensions.parse(each))}
    common = {each.name for each in pair.forward.parameters} & {each.name for each in function.parameters}
    if len(ours) != len(theirs) or names <= common and ours != theirs:
        raise error(function, array, None, f"the shape ({', '.join(theirs)}) of {of}", f"({', '.join(ours)})")


def _dims(array):
    """Its sizes as texts; None where other words say its shape."""
    return next((each["dims"] for each in array.shapes if "dims" in each), None)


# ---- Forward mode ---------------------------------------------------------------------------------------------------


def match_tangent(pair):
    """Fills tangents."""
    tangent = pair.tangent
    _check_functional(tangent, tangent, "THAW_TANGENT_OF")
    known, results, given = inputs(pair.forward), outputs(pair.forward), []
    for parameter in tangent.parameters:
        if parameter.name in inputs(tangent):
            given.append(_tangent_row(pair, tangent, parameter, known, results))
        elif parameter.kind in NUMBERS and not parameter.source:
            given.append(_number_row(pair, tangent, parameter))
    found = {}  # output of the forward -> its tangent
    for array in outputs(tangent).values():
        name = _behind(array.name, TANGENT)
        if name not in results or not is_differentiable(results[name]):
            expected = f"tangent_ and the name of a floating-point output of {pair.forward.name}"
            raise error(tangent, array, None, expected, array.name)
        _check_alike(pair, tangent, array, results[name])
        found[name] = array.name
    for name, index in pair.results:
        if name not in found and is_differentiable(results[name]):
            expected = f"tangent_{name} among its outputs, for {_shown(name, index)}"
            raise error(tangent, None, "THAW_TANGENT_OF", expected, "none")
    pair.tangents = {"given": given, "results": [found.get(name) for name, _ in pair.results]}


def _tangent_row(pair, tangent, array, known, results):
    """An array of the forward, or the tangent of an input."""
    for kind, others in (("input", known), ("output", results)):
        if array.name in others:
            _check_alike(pair, tangent, array, others[array.name])
            return [array.name, kind, array.name]
    name = _behind(array.name, TANGENT)
    if name not in known:
        expected = f"an array of {pair.forward.name}, or tangent_ and the name of an input"
        raise error(tangent, array, None, expected, array.name)
    _check_alike(pair, tangent, array, known[name])
    return [array.name, "tangent", name]
