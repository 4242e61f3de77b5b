"""torchthaw/library/derivatives/generate_calls.py: the text of what calls C for a pair of a forward and its backward.

Where an argument of C comes from is known when the header is read, so that a call is one line. Names of arguments and
outputs are those of C; all others begin with emitter.OWN.
"""

import re

from .differentiable_text import PYTHON, tuple_text

TEXT = """\
def compute({arguments}):
    return {compute}


def indexed(_thaw_arguments, _thaw_outputs):
    {arguments_tuple} = _thaw_arguments
    {outputs_tuple} = _thaw_outputs
    return {results_tuple}


def gradients(_thaw_needs, {grads}, {arguments}{read}):
    {gradients}
"""
COMPUTE = "_thaw_forward({arguments}) if {known} else _thaw_compute_widened({arguments})"
GRADIENTS = """\
{zeros}
try:
    if {known_by_backward} or {first}.dtype not in _thaw_halves:
        {call}
        return {found}
except _thaw_IndexError:
    raise _thaw_changed({of_given}) from None
return _thaw_gradients_widened(_thaw_needs, {grads}, {arguments}{read})
"""
ALL = """\
{written} = _thaw_backward({given})
"""
SOME = """\
if {all_needed} or _thaw_type(_thaw_needs) is _thaw_Every or _thaw_type({first}) not in _thaw_plain:
    {written} = _thaw_backward({given})
else:
    {empty}
    _thaw_backward_out({given}, {passed})
"""
SECOND = """\


def second_gradients(_thaw_needs, {grads}, {arguments}{read}):
    {zeros}
    {written} = _thaw_second({given})
    return {found}
"""
TANGENTS = """\


def tangents({tangents}, {arguments}, {outputs}):
    {zeros}
    {written} = _thaw_tangent({given})
    return {found}
"""
# Without a gradient, in the function for Python.
CALL = """\
if ({known}){exact}:
    {way}
    {outputs} = _thaw_forward({arguments})
    return {results}
"""
WITHOUT_SAVED = """\
if not _thaw_compiling() and {first}.numel() >= {many}:
        {empty}
        _thaw_forward_out({arguments}, {passed})
        return {results}
"""
MANY = 10_000  # elements of the first array from which an output that nobody needs takes longer than the way around it


class Names:
    """The names and expressions of a pair's text. pair: the Pair."""

    def __init__(self, pair):
        self.pair, self.described = pair, pair.described
        self.function = pair.forward.base
        self.arguments = [each.name for each in pair.parameters]
        self.outputs = [self.of(each.name) for each in self.function.written]
        self.grads = [f"_thaw_grad_{i}" for i, _ in enumerate(self.described["results"])]
        self.first = self.of(pair.first)

    def of(self, name):
        """A parameter of the forward as Python has it."""
        return self.function.argument_of(name)

    @property
    def results(self):
        """What the operator returns, as expressions of the outputs."""
        return [
            self.of(name) + (f"[{self.sized(index)}].clone()" if index else "")
            for name, index in self.described["results"]
        ]

    @property
    def read(self):
        return [self.of(each) for each in self.pair.read]

    def known(self, dtypes):
        """Whether C has a kernel for the first array; ``dtypes``: the name of those on the CPU."""
        return f"{self.first}.dtype in _thaw_wide or {self.first}.is_cpu and {self.first}.dtype in {dtypes}"

    def sized(self, expression):
        """An expression of the forward's integers as Python's, of shapes of its arguments."""
        sources = {each.name: each.source for each in self.function.parameters if each.source}

        def of(match):
            if match[0] not in sources:
                return self.of(match[0])
            array, dimension = sources[match[0]]
            return f"{self.of(array)}.shape[{dimension}]"

        return re.sub(r"[A-Za-z_]\w*", of, expression).replace("/", "//")

    def empty(self, output):
        """Memory for an output of the forward."""
        shape = output.shapes[0]
        if "like" in shape:
            source = next(each.source for each in self.function.parameters if each.name == shape["like"][0])
            return f"_thaw_empty_like({self.of(source[0])})" if source else None
        if "dims" not in shape:
            return None
        return f"{self.first}.new_empty({tuple_text(map(self.sized, shape['dims']))})"

    def given(self, rows, parameters):
        """What C gets in place of each parameter."""
        kinds = {name: (kind, of) for name, kind, of in rows}
        return [self.one(*kinds[each.name]) for each in parameters]

    def one(self, kind, of):
        if kind in ("gradient", "tangent"):
            return f"_thaw_grad_{of}" if kind == "gradient" else f"_thaw_tangent_{of}"
        if kind == "none":  # the gradient of an output that nobody gets
            return "None"
        return self.sized(of) if kind == "size" else self.of(of)


def compute(names):
    """An expression: all outputs."""
    return COMPUTE.format(arguments=", ".join(names.arguments), known=names.known("_thaw_known"))


def gradients(names):
    """Lines that return the gradient of each argument; the variable _thaw_needs says which are needed."""
    return GRADIENTS.format(**_words(names), known_by_backward=names.known("_thaw_known_by_backward")).splitlines()


def _words(names):
    """What TEXT, GRADIENTS and SECOND are filled with."""
    described, backward = names.described, names.pair.backward.base
    given = names.given(described["given"], backward.inputs)
    argument_of = {name: names.of(x) for x, name in described["gradients"].items()}  # C's array -> argument
    place = {name: names.arguments.index(argument) for name, argument in argument_of.items()}
    needs = {each.name: f"_thaw_needs[{place[each.name]}]" for each in backward.written}
    equal = described.get("equals", {})
    written = [f"_thaw_of_{each.name}" for each in backward.written]
    by_argument = {}
    for each, name in zip(backward.written, written):
        value = f"_thaw_grad_{equal[each.name]}" if each.name in equal else name
        by_argument[argument_of[each.name]] = f"{value} if {needs[each.name]} else None"
    found = tuple_text(by_argument.get(each, "None") for each in names.arguments)
    words = {
        "arguments": ", ".join(names.arguments), "grads": ", ".join(names.grads),
        "read": "".join(f", {each}" for each in names.read),
        "first": names.first, "given": ", ".join(given), "found": found, "written": ", ".join(written),
        "zeros": "\n".join(_zeros(names)) or "pass",
        "of_given": ", ".join(f"{each}={each}" for each in given if each.isidentifier() and each != "None"),
    }  # fmt: skip
    return {**words, "call": _call(backward, argument_of, needs, equal, words)}


def text(names):
    """The functions of TEXT, and those of SECOND and TANGENTS where C has them."""
    pair, described, function = names.pair, names.described, names.function
    words = _words(names)
    made = "second_gradients = tangents = None  # but where C has them\n\n\n" + TEXT.format(
        **words, compute=compute(names), gradients="\n    ".join(gradients(names)),
        arguments_tuple=tuple_text(names.arguments), outputs_tuple=tuple_text(names.outputs),
        results_tuple=tuple_text(names.results),
    )  # fmt: skip
    if described["second"]:
        made += SECOND.format(**{**words, "zeros": words["zeros"].replace("\n", "\n    ")})
    if described["tangents"]:
        tangent, rows = pair.tangent.base, described["tangents"]
        absent = [
            line for name, kind, of in rows["given"] if kind == "tangent"
            and not next(each.nullable for each in tangent.parameters if each.name == name)
            for line in (f"if _thaw_tangent_{of} is None:", f"    _thaw_tangent_{of} = _thaw_zeros({names.of(of)})")
        ]  # fmt: skip
        made += TANGENTS.format(
            tangents=", ".join(f"_thaw_tangent_{each.name}" for each in function.inputs if each.is_tensor),
            arguments=words["arguments"], outputs=", ".join(names.outputs), zeros="\n    ".join(absent) or "pass",
            written=", ".join(f"_thaw_of_{each.name}" for each in tangent.written),
            given=", ".join(names.given(rows["given"], tangent.inputs)),
            found=tuple_text(
                f"_thaw_of_{each}{f'[{names.sized(index)}].clone()' if index else ''}" if each else "None"
                for each, (_, index) in zip(rows["results"], described["results"])
            ),
        )  # fmt: skip
    return made


def _call(backward, argument_of, needs, equal, words):
    """The lines that call the backward: what nobody needs is neither computed nor allocated, where C takes NULL."""
    computed = [each for each in backward.written if each.name not in equal]
    if not computed:
        return "pass"
    if not all(each.nullable for each in backward.written):
        return ALL.format(**words).strip()
    empty, passed = [], []
    for each in backward.written:
        name = f"_thaw_of_{each.name}"
        passed.append("None" if each.name in equal else name)
        if each.name not in equal:
            empty.append(f"{name} = _thaw_empty_like({argument_of[each.name]}) if {needs[each.name]} else None")
    conditions = ["False"] if equal else list(dict.fromkeys(needs.values()))
    lines = SOME.format(
        **words, all_needed=" and ".join(conditions), empty="\n    ".join(empty), passed=", ".join(passed)
    ).strip()  # fmt: skip
    return lines.replace("\n", "\n        ")


def _zeros(names):
    """Lines that put zeros for a gradient that is None where C takes no NULL."""
    lines = []
    for i in names.pair.zeros:
        name, index = names.described["results"][i]
        lines += [
            f"if _thaw_grad_{i} is None:",
            f"    _thaw_grad_{i} = _thaw_zeros({names.of(name)}{'[0]' if index else ''})",
        ]
    return lines


def call(names):
    """The lines of CALL."""
    pair, function = names.pair, names.function
    exact = "".join(f" and _thaw_type({x.name}) is {PYTHON[x.type]}" for x in pair.parameters if x.type in PYTHON)
    way = "pass"
    unneeded = {each.name for each in function.written if each.nullable and each.name not in names.pair.needed}
    empty = {names.of(each.name): names.empty(each) for each in function.written if each.name not in unneeded}
    if unneeded and pair.is_of_one_dtype and None not in empty.values():
        passed = ["None" if each.name in unneeded else names.of(each.name) for each in function.written]
        way = WITHOUT_SAVED.format(
            first=names.first, many=MANY, arguments=", ".join(names.arguments), passed=", ".join(passed),
            empty="\n        ".join(f"{name} = {value}" for name, value in empty.items()),
            results=", ".join(names.results),
        ).strip()  # fmt: skip
    return CALL.format(
        known=names.known("_thaw_known"), exact=exact, way=way, outputs=", ".join(names.outputs), arguments=", ".join(names.arguments),
        results=", ".join(names.results),
    ).strip()  # fmt: skip
