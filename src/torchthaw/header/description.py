"""torchthaw/header/description.py: what is known of each function of an extension: its types, and what is annotated.

describe() joins both, refuses annotations that do not fit, and says which parameters the others determine. The result
is written into the extension twice: as JSON (see Module.json), and as C by generate_checks.py and generate_c.py.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from . import c_type_kinds, cffi_names, dimensions, pairs
from .annotations import AnnotationError

VERSION = 1
DTYPES = {
    c_type_kinds.INT: "int", c_type_kinds.UINT: "uint", c_type_kinds.FLOAT: "float", c_type_kinds.COMPLEX: "complex",
}  # fmt: skip
STRUCTS = {f"THAW_{kind}": kind.lower() for kind in ("TH_TENSOR", "TH_STORAGE", "THC_TENSOR", "THC_STORAGE")}
MAX_DIMENSIONS = 64  # THAW_MAX_DIMENSIONS
MAX_PARAMETERS = 64  # the bits of thaw_parameter.aliases
# Word before a function that stands for no operator -> (the Module's field, its result, what it takes).
OF_MODULE = {
    "THAW_ERROR_MESSAGE": ("error_message", "const char *", "void"), "THAW_ERROR_CODE": ("error_code", "int", "void"),
    "THAW_NUM_THREADS": ("num_threads", "int", "int"),
}  # fmt: skip
INHERITED = (  # by variants, of the words before a function
    "THAW_STATUS", "THAW_BACKWARD_OF", "THAW_TANGENT_OF", "THAW_ELEMENTWISE", "THAW_BATCH", "THAW_AUTOCAST",
)  # fmt: skip


@dataclass
class Parameter:
    """A parameter: how it crosses to C, and its role in an operator. Shapes as in the JSON; ``dims`` parsed besides."""

    crossing: c_type_kinds.Parameter
    kind: str
    dtype: Any = None
    is_written: bool = False
    is_inout: bool = False
    is_nullable: bool = False
    is_checked: bool = False
    shapes: list = field(default_factory=list)
    aliases: list = field(default_factory=list)
    source: Any = None  # (name of an array, number of its dimension, "ndim" or "shape")
    size: Any = None
    call: Any = None
    saved: Any = None  # the Word THAW_SAVED
    gradient_of: Any = None  # the Word THAW_GRADIENT_OF
    equals: Any = None  # the Word THAW_EQUALS

    @property
    def name(self):
        return self.crossing.name

    @property
    def is_array(self):
        return self.kind in ("array", "sizes")

    @property
    def is_output(self):
        """An array of which nothing is read. Of a function that is not annotated it may be read."""
        return self.kind == "array" and self.is_written and not self.is_inout

    @property
    def is_tensor(self):
        """What is a tensor in an operator."""
        return self.kind == "array" or self.kind in STRUCTS.values()

    @property
    def shape_text(self):
        """Its shapes in words, or ""."""
        found = []
        for shape in self.shapes:
            if "dims" in shape:
                found.append(f"({', '.join(shape['dims'])}{',' * (len(shape['dims']) == 1)})")
            elif "like" in shape:
                found.append(f"of shape {shape['like'][0]}")
            else:
                found.append(f"of the shape that {shape['broadcast'][0]} and {shape['broadcast'][2]} broadcast to")
        return " and ".join(found)

    def as_json(self):
        found = {"name": self.name, "ctype": c_type(self.crossing.type), "kind": self.kind}
        if self.is_array:
            found.update(
                dtype=self.dtype, written=self.is_written, inout=self.is_inout, nullable=self.is_nullable,
                shapes=[{key: shape[key] for key in shape if key != "parsed"} for shape in self.shapes],
                aliases=self.aliases,
            )  # fmt: skip
        if self.kind in STRUCTS.values():
            found["dtype"] = self.dtype
        if self.kind in ("integer", "sizes"):
            found["source"] = self.source
        if self.kind == "workspace":
            found.update(size=self.size, call=self.call)
        return found


@dataclass
class Function:
    """A function: see the JSON. ``base``: the module's function that stands for its operator, or None."""

    made: Any  # the functions.Function
    prototype: Any  # the Prototype, None where no header has an annotation
    parameters: list
    device: str = "cpu"
    operator: str = ""
    is_annotated: bool = False
    has_status: bool = False
    backward_of: Any = None
    tangent_of: Any = None
    words: dict = field(default_factory=dict)  # before it: name -> Word
    fold: Any = None  # see folding.along()
    base: Any = None
    variants: list = field(default_factory=list)

    @property
    def name(self):
        return self.made.name

    @property
    def forms(self):
        """The overloads of its operator: "out" writes to given arrays, "default" returns new ones.

        A result other than void, or an int that says whether it went well, would be lost.
        """
        kinds = {each.kind for each in self.parameters}
        if self.base or not self.made.direct or kinds & {"handle", "cffi", "th_storage", "thc_storage"}:
            return []
        if self.made.result not in ("THAW_VOID", "THAW_INT32") or not any(each.is_tensor for each in self.parameters):
            return []
        return ["out", "default"] if self.is_functional else ["out"]

    @property
    def is_functional(self):
        """Whether all outputs can be made: their shapes are known, and an input says where and of which dtype."""
        arrays = [each for each in self.parameters if each.kind == "array"]
        outputs = [each for each in arrays if each.is_written]
        return (
            self.is_annotated
            and bool(outputs)
            and all(each.shapes if each.is_output else not each.is_nullable for each in outputs)
            and any(not each.is_output and not each.is_nullable for each in arrays)
            and not any(each.kind in STRUCTS.values() for each in self.parameters)
        )

    @property
    def makes_outputs(self):
        """Whether a call by keywords may leave out all that it writes, and returns it; find_made() of the bridge agrees."""
        written = [each for each in self.parameters if each.kind == "array" and each.is_written]
        returns = self.made.result != "THAW_VOID" and not self.has_status
        return (
            self.made.direct and self.is_functional and self.device == "cpu" and not returns
            and all(each.is_output for each in written)
        )  # fmt: skip

    def as_json(self):
        return {
            "name": self.name, "operator": self.operator, "doc": self.made.text,
            "result": c_type(self.made.type.result), "status": self.has_status, "backward_of": self.backward_of,
            "device": self.device, "callable": self.made.direct, "annotated": self.is_annotated, "forms": self.forms,
            "makes_outputs": self.makes_outputs, "fold": self.fold,
            "parameters": [each.as_json() for each in self.parameters],
        }  # fmt: skip


@dataclass
class Module:
    """All functions of an extension, in order of name, how they report failures, and the names of const arrays."""

    package: str
    namespace: str
    headers: list
    functions: list
    error_message: Any = None  # names of C functions
    error_code: Any = None
    runtime_codes: tuple = ()
    num_threads: Any = None  # the name of a C function
    read_only: list = field(default_factory=list)
    pairs: list = field(default_factory=list)  # of pairs.Pair

    def json(self):
        """As the extension has it: see docs/internals/abi.md."""
        found = {
            "version": VERSION, "package": self.package, "namespace": self.namespace, "headers": self.headers,
            "functions": [each.as_json() for each in self.functions],
            **({"read_only": self.read_only} if self.read_only else {}),
            **({"pairs": [each.as_json() for each in self.pairs]} if self.pairs else {}),
        }  # fmt: skip
        return json.dumps(found, separators=(",", ":"))


def c_type(type):
    """A type as C has it, with ``const`` in front."""
    text = type.get_c_name().strip()
    return re.sub(r"^([\w ]+?) const \*", r"const \1 *", text)


def describe(made, declared, package, namespace, headers):
    """The Module of the functions ``made``, a list of functions.Function, which the cdef.Declarations ``declared`` have.

    Raises AnnotationError for an annotation that does not fit.
    """
    annotated, text = declared.annotated, declared.preprocessed
    functions = [Function(each, annotated.get(each.name), [plain(p) for p in each.parameters]) for each in made]
    for function in functions:
        mark_stream(function)
        _Annotator(function, annotated).annotate()
    read_only = cffi_names.read_only(declared.ffi)
    module = Module(package, namespace, [header.name for header in headers], functions, read_only=read_only)
    join_variants(functions)
    for prototype in annotated.values():
        read_module_words(prototype, module, text)
    taken = [name for name, _ in cffi_names.constants(declared.ffi)]
    module.pairs = pairs.make(functions, annotated, package, namespace, taken)
    for each in functions:
        each.made.described = each
    return module


def plain(crossed):
    """The Parameter without annotations."""
    kind, element = crossed.kind, (crossed.code, crossed.bits)
    if getattr(getattr(crossed.type, "totype", None), "name", "") == "char":
        return Parameter(crossed, "handle")  # text, no numbers
    if kind == "THAW_ARRAY":
        is_sizes = crossed.flags == "THAW_SIZES"
        return Parameter(
            crossed, "sizes" if is_sizes else "array", dtype_name(*element), is_written=crossed.flags == "THAW_WRITTEN"
        )
    if kind in STRUCTS:
        return Parameter(crossed, STRUCTS[kind], dtype_name(*element), is_written=True)
    if kind in ("THAW_FLOAT", "THAW_DOUBLE"):
        return Parameter(crossed, "float")
    if kind in ("THAW_BOOL", "THAW_HANDLE", "THAW_CFFI"):
        return Parameter(crossed, kind.removeprefix("THAW_").lower())
    return Parameter(crossed, "integer")


def dtype_name(code, bits):
    """torch's name of a dtype; None for ``void *``."""
    if code == c_type_kinds.ANY:
        return None
    if code == c_type_kinds.BOOL:
        return "bool"
    return "bfloat16" if code == c_type_kinds.BFLOAT else f"{DTYPES[code]}{bits}"


def mark_stream(function):
    """The bridge's rule for functions on a GPU: the name ends with _cuda, the last parameter is ``void *stream``."""
    last = function.parameters[-1] if function.parameters else None
    is_stream = last and last.kind == "array" and last.dtype is None and last.name == "stream"
    if is_stream and function.name.endswith("_cuda") and not function.made.type.ellipsis:
        last.kind, function.device = "stream", "cuda"
    if any(each.kind.startswith("thc_") for each in function.parameters):
        function.device = "cuda"


def join_variants(functions):
    """For each operator the function that stands for it: the base, else the first variant."""
    leading = {}
    for function in functions:
        if function.name == function.operator:
            leading[function.operator] = function
    for function in functions:
        first = leading.setdefault(function.operator, function)
        if first is not function:
            function.base = first
            first.variants.append(function)


def read_module_words(prototype, module, text):
    """What the words of functions that stand for no operator say of the module."""
    for word in prototype.words:
        if word.name not in OF_MODULE:
            continue
        where = f"{word.place}: {prototype.name}: {word.name}"
        attribute, result, takes = OF_MODULE[word.name]
        if word.name == "THAW_ERROR_CODE":
            module.runtime_codes = word.arguments
            for code in word.arguments:
                if not re.fullmatch(r"-?\s*\w+", code) or not is_constant(code, text):
                    raise AnnotationError(f"{where}: expected integer constants, got {code}")
        declared = prototype.result
        given = ", ".join(each.c_type for each in prototype.parameters) or "void"
        if given != takes or not re.fullmatch(result.replace(" *", r"\s*\*"), declared):
            got = ", ".join(each.name or each.c_type for each in prototype.parameters) or "void"
            expected = f"{result}{'' if result.endswith('*') else ' '}f({takes})"
            raise AnnotationError(f"{where}: expected a function {expected}, got {declared} f({got})")
        known = getattr(module, attribute)
        if known:
            raise AnnotationError(f"{where}: expected one such function, got another than {known}")
        setattr(module, attribute, prototype.name)


def is_constant(code, text):
    """Whether it is a number, or an enumerator in the preprocessed text."""
    if re.fullmatch(r"-?\s*(0[xX][0-9a-fA-F]+|\d+)", code):
        return True
    return any(re.search(rf"\b{code}\b", body) for body in re.findall(r"\benum\b[^{;]*\{([^}]*)\}", text))


class _Annotator:
    """Puts what a function's prototype says, and that of its base, into its parameters."""

    def __init__(self, function, annotated):
        self.function, self.annotated = function, annotated
        self.by_name = {each.name: each for each in function.parameters}

    def error(self, word, expected, got, parameter=None):
        of = f"{self.function.name}: {parameter.name}" if parameter else self.function.name
        return AnnotationError(f"{word.place}: {of}: {word.name}: expected {expected}, got {got}")

    def annotate(self):
        function, prototype = self.function, self.function.prototype
        function.operator = function.name
        if prototype is None:
            return
        before, behind = list(prototype.words), [each.words for each in prototype.parameters]
        base = self.base(prototype)
        if base:
            function.operator = base.name
            before += [word for word in base.words if word.name in INHERITED]
            inherited = [each.words for each in base.parameters]
            inherited += [()] * (len(behind) - len(inherited))
            behind = [own or theirs for own, theirs in zip(behind, inherited)]
        function.is_annotated = bool(before or any(behind))
        if not function.is_annotated:
            return
        if len(function.parameters) > MAX_PARAMETERS:
            raise AnnotationError(
                f"{prototype.place}: {function.name}: expected at most {MAX_PARAMETERS} parameters where anything is "
                f"annotated, got {len(function.parameters)}"
            )
        for word in before:
            self.read_before(word)
        for parameter in function.parameters:
            parameter.is_checked = parameter.is_array
        for parameter, words in zip(function.parameters, behind):
            for word in words:
                self.read_behind(parameter, word)
        self.find_roles()
        self.find_sources()

    def base(self, prototype):
        """The Prototype that this one is a variant of, or None."""
        words = [word for word in prototype.words if word.name == "THAW_VARIANT_OF"]
        if not words:
            return None
        word = words[0]
        base = self.declared(word, word.arguments[0])
        if any(each.name == "THAW_VARIANT_OF" for each in base.words) or base is prototype:
            raise self.error(word, "a function that is no variant", base.name)
        own, theirs = ([each.type + (each.name,) for each in every.parameters] for every in (prototype, base))
        more = [(each.name, each.type) for each in prototype.parameters[len(theirs) :]]
        if own[: len(theirs)] != theirs or more not in ([], [("stream", ("*", False))]):
            raise self.error(
                word, f"the parameters of {base.name} ({_names(base)}), and at most void *stream besides",
                f"({_names(prototype)})" if _names(base) != _names(prototype) else "others of these names",
            )  # fmt: skip
        if more and self.function.device != "cuda":
            raise self.error(word, "a name that ends with _cuda, as it has a stream", prototype.name)
        if base.result != prototype.result:
            raise self.error(word, f"a function that returns {base.result}", prototype.result)
        return base

    def declared(self, word, name, parameter=None):
        if name not in self.annotated:
            raise self.error(word, "a function that the headers declare", name, parameter)
        return self.annotated[name]

    def read_before(self, word):
        self.function.words.setdefault(word.name, word)
        if word.name == "THAW_STATUS":
            result = c_type(self.function.made.type.result)
            if result != "int":
                raise self.error(word, "a function that returns int", result)
            self.function.has_status = True
        elif word.name == "THAW_BACKWARD_OF":
            self.function.backward_of = self.declared(word, word.arguments[0]).name
        elif word.name == "THAW_TANGENT_OF":
            self.function.tangent_of = self.declared(word, word.arguments[0]).name

    def read_behind(self, parameter, word):
        if not parameter.is_array:
            raise self.error(word, "an array of numbers", c_type(parameter.crossing.type), parameter)
        getattr(self, f"read_{word.name.removeprefix('THAW_').lower()}")(parameter, word)

    def read_nullable(self, parameter, word):
        parameter.is_nullable = True

    def read_inout(self, parameter, word):
        if not parameter.is_written:
            raise self.error(word, "an array that is not const", c_type(parameter.crossing.type), parameter)
        parameter.is_inout = True

    def read_saved(self, parameter, word):
        parameter.saved = word

    def read_gradient_of(self, parameter, word):
        parameter.gradient_of = word

    def read_equals(self, parameter, word):
        parameter.equals = word

    def read_alias(self, parameter, word):
        if not parameter.is_written:
            raise self.error(word, "an array that is not const", c_type(parameter.crossing.type), parameter)
        if not word.arguments:
            raise self.error(word, "names of arrays in parentheses", "none", parameter)
        for name in word.arguments:
            other = self.by_name.get(name)
            if other is None or other.kind != "array" or other is parameter:
                raise self.error(word, f"another array of {self.function.name}", name, parameter)
        parameter.aliases += word.arguments

    def read_shape(self, parameter, word):
        parsed = [self.dimension(parameter, word, text) for text in word.arguments]
        if len(parsed) > MAX_DIMENSIONS:
            raise self.error(word, f"at most {MAX_DIMENSIONS} sizes", len(parsed), parameter)
        parameter.shapes.append({"dims": [dimensions.text(each) for each in parsed], "parsed": parsed})

    def dimension(self, parameter, word, text):
        try:
            parsed = dimensions.parse(text)
        except ValueError as error:
            raise self.error(word, error, text, parameter) from None
        for name in dimensions.names(parsed):
            self.integer(parameter, word, name)
        return parsed

    def integer(self, parameter, word, name):
        """Raises unless ``name`` is an integer parameter."""
        found = self.by_name.get(name)
        if found is None:
            raise self.error(word, f"integer parameters of {self.function.name}", name, parameter)
        if found.kind != "integer":
            raise self.error(
                word, f"integer parameters of {self.function.name}", f"{name}, which is {kind_of(found)}", parameter
            )

    def sizes(self, parameter, word, pairs):
        """Raises unless names are (sizes, number of them), each of a parameter."""
        for name, count in pairs:
            found = self.by_name.get(name)
            if found is None or found.crossing.flags != "THAW_SIZES" or found is parameter:
                got = name if found is None else f"{name}, which is {kind_of(found)}"
                raise self.error(word, f"a parameter const int64_t * of {self.function.name}", got, parameter)
            self.integer(parameter, word, count)

    def read_like(self, parameter, word):
        self.sizes(parameter, word, [word.arguments])
        parameter.shapes.append({"like": list(word.arguments)})

    def read_broadcast(self, parameter, word):
        self.sizes(parameter, word, [word.arguments[:2], word.arguments[2:]])
        parameter.shapes.append({"broadcast": list(word.arguments)})

    def read_workspace(self, parameter, word):
        if parameter.dtype is not None or not parameter.is_written:
            raise self.error(word, "a parameter void *", c_type(parameter.crossing.type), parameter)
        size, call = word.arguments
        self.integer(parameter, word, size)
        called = re.fullmatch(r"(\w+) ?\((.*)\)", call)
        if not called:
            raise self.error(word, "a call, such as f_workspace_size(batch)", call, parameter)
        name, arguments = called[1], [each.strip() for each in called[2].split(",") if each.strip()]
        for argument in arguments:
            self.integer(parameter, word, argument)
            if argument == size:
                raise self.error(word, "parameters that say the workspace's size", size, parameter)
        function = self.declared(word, name, parameter)
        if "size_t" not in function.result.split() or len(function.parameters) != len(arguments):
            expected = f"a function that returns size_t and takes {len(arguments)} integers"
            raise self.error(word, expected, f"{function.result} {name}({_names(function) or 'void'})", parameter)
        if any(other.kind == "workspace" for other in self.function.parameters):
            raise self.error(word, "one workspace", "another", parameter)
        parameter.kind = "workspace"
        parameter.size, parameter.call = size, [name, arguments]
        self.by_name[size].kind = "workspace_size"

    def find_roles(self):
        """Arrays of int64_t that no shape names are arrays like any other; those that one names have its length."""
        used = {}
        for parameter in self.function.parameters:
            for shape in parameter.shapes:
                words = shape.get("like") or shape.get("broadcast") or []
                used.update(zip(words[::2], words[1::2]))
        for parameter in self.function.parameters:
            if parameter.kind != "sizes":
                continue
            if parameter.name not in used:
                parameter.kind = "array" if parameter.shapes else "sizes"
            elif not parameter.shapes:
                count = used[parameter.name]
                parameter.shapes.append({"dims": [count], "parsed": [count]})

    def find_sources(self):
        """For each integer and array of sizes the first array that determines it: one that is read and is not NULL."""
        known = {}
        for array in self.function.parameters:
            if array.kind != "array" or array.is_nullable or array.is_output:
                continue
            for shape in array.shapes:
                for index, text in enumerate(shape.get("dims", ())):
                    known.setdefault(text, [array.name, index])
                if "like" in shape:
                    sizes, count = shape["like"]
                    known.setdefault(sizes, [array.name, "shape"])
                    known.setdefault(count, [array.name, "ndim"])
        for parameter in self.function.parameters:
            if parameter.kind in ("integer", "sizes"):
                parameter.source = known.get(parameter.name)


def kind_of(parameter):
    """What an annotation named instead of what it should."""
    return c_type(parameter.crossing.type)


def _names(prototype):
    return ", ".join(each.name or "unnamed" for each in prototype.parameters)
