"""torchthaw/portable/operators.py: PyTorch's operators as inline functions of C++, from the list in the PyTorch at hand.

Each calls at::_ops::NAME::call, which is weak: where it is absent, or may not be used, Python's torch.ops.aten is called.
All of them are megabytes of C++, so a build gets those whose names its sources mention.
"""

import functools
import json
import re
from importlib import metadata
from pathlib import Path

from ..base import cache, config, extras, writing

FOLDER = "portable_operators"
METHODS, OPERATORS = "methods.h", "operators.h"
# Types of PyTorch that portable/ does not have, or has with another layout.
NO_CPP_NAME = re.compile(r"c10::List<|Dimname|at::Storage|at::Stream|IntrusivePtr")
NOT_SERVED = re.compile(
    r"Dimname|Storage|at::Stream|QScheme|Quantizer|c10::Symbol|TensorIterator|DeviceIndex|ArrayRef<at::Scalar>|SymBool"
)
# What portable/tensor.h and portable/tensors.h have by hand.
BY_HAND = {
    "item", "is_contiguous", "contiguous", "size", "stride", "numel", "is_complex", "is_floating_point", "requires_grad_",
    "data", "dim", "sym_size", "sym_numel", "sym_stride", "sym_storage_offset", "is_same", "output_nr",
    "retain_grad", "layout", "backward", "from_blob", "get_device", "set_data", "is_leaf", "is_signed",
}  # fmt: skip
RESULTS = {"at::Tensor", "::std::vector<at::Tensor>", "bool", "int64_t", "double", "at::Scalar", "at::ScalarType"}
INCLUDE = re.compile(r"^\s*#\s*include\s*[\"<]([^\">]+)[\">]", re.M)
OF_OPERATOR = re.compile(r"ATen/ops/(\w+)\.h")
WORD = re.compile(r"\b[A-Za-z_]\w*")
OPTIONS = {"dtype": "dtype_opt", "layout": "layout_opt", "device": "device_opt", "pin_memory": "pinned_memory_opt"}


def write(folder, sources, include_dirs=()):
    """Writes ``portable_operators/`` into ``folder``, for ``sources`` and what they include of ``include_dirs``.

    Also the headers ``ATen/ops/NAME.h`` of operators, as far as they are included.

    A file that would not change is left as it is, so that what includes it is not compiled again.
    """
    from . import headers

    known, own = operators(), headers.OWN / "portable" / "tensors.h"
    # Of torchthaw's headers that one alone calls operators; others name functions of Python.
    words, included = mentioned([*sources, own], [each for each in include_dirs if Path(each) != headers.OWN])
    chosen = [known[name] for name in sorted(words & known.keys())]
    names = dict.fromkeys(line for each in chosen for line in each["names"])
    text = {
        METHODS: "".join(each["methods"] for each in chosen),
        OPERATORS: "\n".join([
            "#pragma once", "namespace at {", "namespace _ops {", *names, "}  // namespace _ops",
            *(each["functions"] for each in chosen), "}  // namespace at", "namespace torch {",
            *(each["factories"] for each in chosen if each["factories"]), "}  // namespace torch", "",
        ]),
    }  # fmt: skip
    files = {f"{FOLDER}/{name}": content for name, content in text.items()}
    files |= {name: "#include <portable/aten.h>\n" for name in included if is_of_operator(name, known)}
    for name, content in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != content:
            writing.write(path, content)


def mentioned(sources, include_dirs=()):
    """({words}, {names of headers}) in ``sources`` and the files that they include, as far as these are there or in ``include_dirs``."""
    words, names, seen, waiting = set(), set(), set(), [Path(source).resolve() for source in sources]
    while waiting:
        path = waiting.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        text = path.read_text("utf-8", "replace")
        words.update(WORD.findall(text))
        for name in INCLUDE.findall(text):
            names.add(name)
            waiting += [Path(folder, name).resolve() for folder in (path.parent, *include_dirs)]
    return words, names


def is_of_operator(header, known):
    """Whether PyTorch has this header for an operator: ATen/ops/add.h, ATen/ops/add_ops.h."""
    match = OF_OPERATOR.fullmatch(header)
    return bool(match) and bool({match[1], f"{match[1]}_", re.sub(r"_(?:ops|native)$", "", match[1])} & known.keys())


def operators():
    """{name in C++: its parts of the generated headers} of the PyTorch at hand; kept in the cache, since it takes seconds."""
    key = cache.digest(
        f"{config.__version__} {metadata.version('torch')} {Path(__file__).read_text('utf-8')} {since()}"
    )

    def fill(folder):
        writing.write(folder / "operators.json", json.dumps(_generate()))

    made = cache.made_once("portable_operators", key, fill)
    return json.loads((made / "operators.json").read_text("utf-8"))


@functools.cache
def since():
    """{name of an operator, with its overload: the oldest PyTorch that has it}, of those that PyTorch 2.4 lacks."""
    lines = Path(__file__).with_name("operators_since.txt").read_text("utf-8").splitlines()
    return dict(line.split() for line in lines if not line.startswith("#"))


def first_with(name):
    """The PyTorch that has an operator first, by its name in C++ such as ``at::add`` or ``at::Tensor::add_``; "" if unknown."""
    base = name.rpartition("::")[2]
    return _first(version for listed, version in since().items() if listed.partition(".")[0] == base)


def newer():
    """{name in C++: the oldest PyTorch that has it}, of the operators at hand of which 2.4 has no overload."""
    return {name: each["since"] for name, each in operators().items() if each["since"]}


def _first(versions):
    """The oldest of versions such as "2.10"; "" of none, and where one is "", which 2.4 has."""
    return min(versions, key=lambda version: [int(part) for part in version.split(".") if part], default="")


class _Parts:
    """What the generated headers have of one name of C++; keys are the types of its arguments."""

    def __init__(self):
        self.methods, self.names, self.functions, self.factories, self.definitions = {}, {}, {}, {}, {}
        self.has_options, self.versions = False, []

    def as_json(self):
        return {
            "methods": "".join(f"    {line}\n" for line in self.methods.values()),
            "names": [*self.names.values()],
            "functions": "\n".join([*self.functions.values(), *self.definitions.values()]),
            "factories": "\n".join(self.factories.values()) if self.has_options else "",
            "since": _first(self.versions),
        }


def _generate():
    extras.require("yaml", "portable")
    import torchgen
    from torchgen import local
    from torchgen.gen import parse_native_yaml

    here = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"
    found = {}
    for function in parse_native_yaml(str(here / "native_functions.yaml"), str(here / "tags.yaml")).native_functions:
        lists, const = function.part_of_structured_group, function.use_const_ref_for_mutable_tensors
        with local.parametrize(use_const_ref_for_mutable_tensors=const, use_ilistref_for_tensor_lists=lists):
            _add(function, found)
    return {name: parts.as_json() for name, parts in found.items() if parts.methods or parts.functions}


def _add(function, found):
    """Adds an operator of PyTorch's list to ``found``, in each form that C++ has of it."""
    from torchgen.api.types import CppSignatureGroup
    from torchgen.model import Variant

    for method in (False, True):
        if (Variant.method if method else Variant.function) not in function.variants:
            continue
        by_hand = function.manual_cpp_binding
        group = CppSignatureGroup.from_native_function(function, method=method, fallback_binding=by_hand)
        for signature in group.signatures(symint=False):
            declared, name = _with_integers(signature.decl()), signature.name()
            if name.removeprefix("__dispatch_") in BY_HAND or NOT_SERVED.search(declared):
                continue
            parts = found.setdefault(name, _Parts())
            parts.versions.append(since().get(str(function.func.name), ""))
            key = tuple(_with_integers(argument.type) for argument in signature.arguments())
            body = _body(function, signature, method, parts)
            if body is None:
                continue
            if method and key not in parts.methods:
                parts.methods[key] = f"{declared} const;"
                parts.definitions[key] = f"inline {_with_integers(signature.defn(prefix='Tensor::'))} const {body}"
            elif not method and key not in parts.functions:
                parts.functions[key] = f"inline {declared} {body}"
                parts.has_options |= "at::TensorOptions" in key
                parts.factories[key] = _factory(signature, declared)


def _with_integers(text):
    """A type or a declaration with integers for symbolic ones, which the C++ of extensions does not have."""
    return text.replace("c10::SymIntArrayRef", "at::IntArrayRef").replace("c10::SymInt", "int64_t").rstrip()


def _factory(signature, declared):
    """The function of namespace torch, which also takes requires_grad of its options."""
    names = [argument.name for argument in signature.arguments()]
    given = ", ".join("torchthaw::without_grad(options)" if name == "options" else name for name in names)
    call = f"at::{signature.name()}({given})"
    result = f"torchthaw::with_grad({call}, options.requires_grad())" if "options" in names else call
    return f"inline {declared} {{ return {result}; }}"


def _body(function, signature, method, parts):
    """The body of a function or method: by C++'s name if it is there, else by Python. None if a result has no type here."""
    schema = function.func
    values = _values(schema, signature, method)
    result = re.match(rf"(.*?) {re.escape(signature.name())}\(", _with_integers(signature.decl()), re.S).group(1)
    by_python = _by_python(schema, values, result, method)
    if by_python is None:
        return None
    positional = len([*schema.arguments.flat_positional])
    # One without a default is passed as None where it is absent.
    named = [*schema.schema_order_arguments()][positional:]
    keywords = [argument.name if argument.default is not None else f"{argument.name}!" for argument in named]
    operator = '{"%s", "%s", %d, "%s", "%s"}' % (
        schema.name.name, schema.name.overload_name or "default", positional, "".join(f"{name}," for name in keywords),
        since().get(str(schema.name), ""),
    )  # fmt: skip
    by_name = _by_name(schema, signature, method, parts)
    return f"{{\n{by_name}    static torchthaw::Operator operator_{operator};\n    {by_python}\n}}"


def _values(schema, signature, method):
    """{argument of the schema: the expression of C++ that has it}, in the schema's order."""
    from torchgen.model import SelfArgument, TensorOptionsArguments

    given = {"self": "*this"} if method else {}
    for binding in signature.arguments():
        if isinstance(binding.argument, TensorOptionsArguments):
            given.update({name: f"{binding.name}.{member}()" for name, member in OPTIONS.items()})
        elif isinstance(binding.argument, SelfArgument):
            given[binding.argument.argument.name] = binding.name
        else:
            given[binding.argument.name] = binding.name
    return {argument.name: given.get(argument.name, "std::nullopt") for argument in schema.schema_order_arguments()}


def _by_name(schema, signature, method, parts):
    """The line that calls at::_ops::NAME::call; empty where a type of it is not ours."""
    from torchgen.api.translate import translate
    from torchgen.api.types import DispatcherSignature

    target = DispatcherSignature.from_schema(schema)
    declared = target.decl(name="call")
    if NO_CPP_NAME.search(declared):
        return ""
    name = schema.name.unambiguous_name()
    given = ", ".join(part.expr for part in translate(signature.arguments(), target.arguments(), method=method))
    generators = "".join(
        f" && !torchthaw::is_given({part.name})" for part in signature.arguments() if "Generator" in part.type
    )
    parts.names[name] = f"struct TORCHTHAW_PUBLIC {name} {{ TORCHTHAW_WEAK static {declared}; }};"
    return (
        f"    if (C10_LIKELY(torchthaw::mangled_names && &_ops::{name}::call != nullptr{generators})) "
        f"return _ops::{name}::call({given});\n"
    )


def _by_python(schema, values, result, method):
    """The statement that calls the operator by Python; None for a result that is not served."""
    listed = "{" + ", ".join(values.values()) + "}"
    for_effect = f"torchthaw::call<void>(operator_, {listed});"
    for_result = f"return torchthaw::call<{result}>(operator_, {listed});"
    outputs = [argument.name for argument in schema.arguments.out]
    if result.startswith("::std::tuple<"):
        each = [part.strip() for part in result.removeprefix("::std::tuple<").removesuffix(">").split(",")]
        if all(part.endswith("&") for part in each):
            return f"{for_effect} return {result}({', '.join(values[name] for name in outputs)});"
        return for_result if {*each} <= RESULTS else None
    if result.endswith("&"):
        changed = values[outputs[0]] if outputs else "const_cast<Tensor &>(*this)" if method else [*values.values()][0]
        return f"{for_effect} return {changed};"
    return for_effect if result == "void" else for_result if result in RESULTS else None
