"""torchthaw/header/pairs.py: a function and its backward are a pair, and their parameters match, by name first.

A pair is what PyTorch needs of both to differentiate the function: docs/reference/annotations.md has the rules. What
cannot be matched is an AnnotationError that names the word which would say it.
"""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from ..base import emitter
from . import dimensions, folding, matching
from .matching import arrays, error

RULES = "lower", "widest", "float32"  # of torch.autocast
OF_FORWARD = "THAW_ELEMENTWISE", "THAW_BATCH", "THAW_AUTOCAST"
DIFFERENTIABLE = "_differentiable"


@dataclass
class Pair:
    """Two of the description's Functions; the fields as in the JSON, see docs/internals/abi.md."""

    forward: Any
    backward: Any
    name: str
    operator: str
    is_second: bool
    second: Any = None  # a Function
    tangent: Any = None  # a Function
    results: list = field(default_factory=list)
    saved: list = field(default_factory=list)
    given: list = field(default_factory=list)
    gradients: dict = field(default_factory=dict)
    equals: dict = field(default_factory=dict)
    tangents: Any = None
    is_elementwise: bool = False
    batch: Any = None
    autocast: Any = None

    def as_json(self):
        return {
            "name": self.name, "operator": self.operator, "forward": self.forward.name,
            "backward": self.backward.name, "second": self.second and self.second.name, "is_second": self.is_second,
            "tangent": self.tangent and self.tangent.name, "results": self.results, "saved": self.saved,
            "given": self.given, "gradients": self.gradients, "equals": self.equals,
            "tangents": self.tangents, "autocast": self.autocast,
        }  # fmt: skip


def make(functions, annotated, package, namespace, constants):
    """The Pairs of a module's Functions. annotated: all prototypes of its headers; constants: the names of its values.

    Raises AnnotationError for words of pairs that do not fit.
    """
    own = {each.name: each for each in functions if each.name == each.operator}
    bases = {word.arguments[0] for each in annotated.values() for word in each.words if word.name == "THAW_BACKWARD_OF"}
    for function in own.values():
        check_words(function, bases)
    backwards, tangents = (joined(own, functions, word) for word in ("THAW_BACKWARD_OF", "THAW_TANGENT_OF"))
    pairs = []
    for forward, backward in backwards.items():
        is_second = bool(own[forward].backward_of) and own[forward].backward_of in own
        name = forward + DIFFERENTIABLE if is_second else public_name(forward, package, namespace)
        operator = name + DIFFERENTIABLE if name in own else name
        second, tangent = backwards.get(backward.name), tangents.pop(forward, None)
        pair = Pair(own[forward], backward, name, operator, is_second, second, tangent)
        matching.match(pair)
        if tangent:
            matching.match_tangent(pair)
        pairs.append(pair)
    for forward, tangent in tangents.items():
        raise error(tangent, None, "THAW_TANGENT_OF", has_backward(forward), "none")
    by_forward = {each.forward.name: each for each in pairs}
    for pair in pairs:
        read_words(pair, by_forward)
    for pair in pairs:
        pair.backward.fold = folding.along(pair, pair.backward)
    for pair in pairs:  # a backward with a backward may have words of its own
        pair.forward.fold = folding.along(pair, pair.forward)
    for function in own.values():
        if is_alone(function, bases):
            read_words_alone(function)
    check_names(pairs, {each.name: each for each in functions}, constants)
    return pairs


def joined(own, functions, word):
    """{name of a function: the one that has ``word`` of it}"""
    every, found = {each.name: each for each in functions}, {}
    for function in own.values():
        said = function.words.get(word)
        if said is None or said.arguments[0] not in every:
            continue
        name = said.arguments[0]
        if name not in own:
            expected = f"{every[name].operator}, of which {name} is a variant, and THAW_VARIANT_OF before the others"
            raise error(function, None, word, expected, name)
        if name in found:
            raise error(function, None, word, f"one such function of {name}", f"another than {found[name].name}")
        found[name] = function
    for name, function in found.items():
        while name in own and own[name] is not function:
            name = own[name].words[word].arguments[0] if word in own[name].words else ""
        if name == function.name:
            raise error(function, None, word, "a function before it", f"{function.name} itself")
    return dict(sorted(found.items()))


# ---- Names ----------------------------------------------------------------------------------------------------------


def public_name(forward, package, namespace):
    """What the pair is called in Python: my_lib_add_forward of my_lib is ``add``."""
    name = forward.removesuffix("_forward")
    for prefix in (f"{package.rpartition('.')[2]}_", f"{namespace}_"):
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


def check_names(pairs, functions, constants):
    """Raises AnnotationError for names that Python, or another function, has."""
    taken = {}  # name -> what has it
    for pair in pairs:
        of = f"{pair.forward.name} is {pair.name} in Python"
        if not pair.name.isidentifier() or pair.name in emitter.OF_OPERATORS:
            raise error(pair.forward, None, None, "a function that Python can name", f"{pair.name!r}: {of}")
        if "functions" in functions or "functions" in constants:
            expected = "another name than functions, by which Python finds what has a backward"
            if "functions" in functions and functions["functions"].prototype:
                raise error(functions["functions"], None, None, expected, "functions")
            raise error(pair.backward, None, "THAW_BACKWARD_OF", f"headers that declare {expected}", "functions")
        if pair.operator in functions:
            expected = (
                f"no function {pair.operator}, as the operator of {pair.forward.name} and its backward has this name"
            )
            raise error(pair.forward, None, None, expected, "one")
        for name in {pair.name, pair.operator}:
            if name in taken:
                raise error(pair.forward, None, None, f"a name of its own: {of}", f"{name}, as {taken[name]} has it")
            taken[name] = pair.forward.name


# ---- Words of a function, whatever its pair -------------------------------------------------------------------------


def check_words(function, bases):
    """Raises AnnotationError for words that fit no pair. bases: the names in all THAW_BACKWARD_OF."""
    words = function.prototype.words if function.prototype else ()
    for word in words:
        if (
            word.name in ("THAW_BACKWARD_OF", "THAW_TANGENT_OF", *OF_FORWARD)
            and sum(each.name == word.name for each in words) > 1
        ):
            raise error(function, None, word.name, "one such word", "several")
    for parameter in function.parameters:
        said = parameter.as_json()["ctype"] + " THAW_INOUT" * parameter.is_inout
        if parameter.saved and not parameter.is_output:
            raise error(function, parameter, "THAW_SAVED", "an output", said)
        if parameter.saved and function.name not in bases:
            raise error(function, parameter, "THAW_SAVED", has_backward(function.name), "none")
        if parameter.gradient_of and not function.backward_of:
            raise error(function, parameter, "THAW_GRADIENT_OF", "THAW_BACKWARD_OF before the function", "none")
        if parameter.gradient_of and parameter.kind != "array":
            raise error(function, parameter, "THAW_GRADIENT_OF", "an array, no sizes or workspace", said)
        if parameter.equals and not (parameter.is_output and function.backward_of):
            raise error(function, parameter, "THAW_EQUALS", "an output of a function with THAW_BACKWARD_OF", said)
    for name in OF_FORWARD:
        needs_backward = name == "THAW_AUTOCAST" or not is_alone(function, bases)
        if name in function.words and function.name not in bases and needs_backward:
            raise error(function, None, name, has_backward(function.name), "none")
    if "THAW_AUTOCAST" in function.words:
        rule = function.words["THAW_AUTOCAST"].arguments[0]
        if rule not in RULES:
            raise error(function, None, "THAW_AUTOCAST", " or ".join(RULES), rule)
    if "THAW_ELEMENTWISE" in function.words and "THAW_BATCH" in function.words:
        raise error(function, None, "THAW_BATCH", "this or THAW_ELEMENTWISE", "both")


def is_alone(function, bases):
    """Whether a function is of no pair."""
    return function.name not in bases and not function.backward_of and "THAW_TANGENT_OF" not in function.words


def read_words_alone(function):
    """What says how a function without a backward serves a batch."""
    rule = SimpleNamespace(is_elementwise="THAW_ELEMENTWISE" in function.words, batch=None)
    if rule.is_elementwise:
        check_elementwise(function, function)
    if "THAW_BATCH" in function.words:
        rule.batch = function.words["THAW_BATCH"].arguments[0]
        check_batch(function, function, rule.batch)
    if rule.is_elementwise or rule.batch:
        function.fold = folding.along(rule, function)


def has_backward(name):
    return f"a function with a backward, which has THAW_BACKWARD_OF({name})"


def read_words(pair, by_forward):
    """What stands before the forward; without, before the function that the forward is the backward of."""
    root = pair
    while root.is_second and not any(word in root.forward.words for word in OF_FORWARD):
        root = by_forward[root.forward.backward_of]
    words, owner = root.forward.words, root.forward
    functions = [each for each in (pair.forward, pair.backward, pair.tangent) if each]
    if "THAW_AUTOCAST" in words:
        pair.autocast = words["THAW_AUTOCAST"].arguments[0]
    if "THAW_ELEMENTWISE" in words:
        pair.is_elementwise = True
        for function in functions:
            check_elementwise(owner, function)
    if "THAW_BATCH" in words:
        pair.batch = words["THAW_BATCH"].arguments[0]
        for function in functions:
            check_batch(owner, function, pair.batch)
        for name, index in pair.results:
            output = matching.outputs(pair.forward)[name]
            if index is not None and any(each.get("dims", [""])[0] == pair.batch for each in output.shapes):
                expected = f"another size than the one along which {name}[{index}] is an entry"
                raise error(owner, None, "THAW_BATCH", expected, pair.batch)


def check_elementwise(owner, function):
    """Raises AnnotationError unless all arrays have one shape. owner: the function that has the word."""
    common = None
    for array in arrays(function):
        said = {repr({key: each[key] for key in each if key != "parsed"}) for each in array.shapes}
        common = said if common is None else common & said
        if not common:
            expected = f"the same shape behind all arrays of {function.name}"
            got = f"{array.name} {array.shape_text or 'without a shape'}"
            raise error(owner, None, "THAW_ELEMENTWISE", expected, got)


def check_batch(owner, function, size):
    """Raises AnnotationError unless a size is one of the function's, and never a part of one."""
    known = {each.name: each for each in function.parameters}
    if size not in known or known[size].kind != "integer":
        raise error(owner, None, "THAW_BATCH", f"an integer parameter of {function.name}", size)
    count = 0
    for array in arrays(function):
        for shape in array.shapes:
            sizes = shape.get("parsed", ())
            having = [each for each in sizes if size in dimensions.names(each)]
            if having not in ([], [size]):
                expected = f"{size} as one size of {array.name} of {function.name}, and no more"
                raise error(owner, None, "THAW_BATCH", expected, array.shape_text)
            count += len(having)
    if not count:
        raise error(owner, None, "THAW_BATCH", f"a size in some THAW_SHAPE of {function.name}", size)
