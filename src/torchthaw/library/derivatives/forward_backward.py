"""torchthaw/library/derivatives/forward_backward.py: a differentiable operator from two functions of a header: a forward and its backward."""

from functools import lru_cache

import torch
from torch import Tensor

from ...base import emitter
from ...base.import_hook import after_import
from ...bridge import private_names
from .. import on_arrays
from ..functions import VALUES
from . import differentiable_text, generate_calls
from .differentiable import Differentiable
from .differentiable_text import Argument
from .higher_derivatives import Every, as_tuple

HALVES = torch.bfloat16, torch.float16
DIRECT_CALL = private_names.attribute("direct_call") if private_names.has("direct_call") else None


class Pair(Differentiable):
    """``described``: a row of the description's "pairs"; operators: {name: Operator} of the namespace; pairs: its Pairs."""

    def __init__(self, described, operators, pairs, library):
        self.described, self.pairs = described, pairs
        self.forward, self.backward = operators[described["forward"]], operators[described["backward"]]
        self.tangent = operators.get(described["tangent"])
        function, results = self.forward.base, described["results"]
        fold = function.fold
        if isinstance(fold, dict):
            fold = {each.argument: fold[each.name] for each in function.inputs if each.name in fold}
        super().__init__(
            self.forward.namespace, described["operator"], library, arguments(function), len(results),
            autocast=described["autocast"], fold=fold, what=described["name"],
        )  # fmt: skip
        self.first = first_of(function.inputs)
        self.needed = {name for name, _ in results}  # outputs that the results are made of
        self.read = [of for _, kind, of in described["given"] if kind == "output"]
        self.zeros = self.find_zeros()
        self.read += dict.fromkeys(results[i][0] for i in self.zeros if results[i][0] not in self.read)
        self.read_count = len(self.read)
        self.folded = [self.place_in_result(*each) for each in results]
        known = [function.argument_of(each) for each in described["gradients"]]
        self.without_gradient = [
            each.argument for each in function.inputs if is_floating(each) and each.argument not in known
        ]  # fmt: skip

    def find_zeros(self):
        """The results whose gradient C takes no NULL for, if it takes NULL for another: autograd makes no zeros then."""
        nullable = {each.name: each.nullable for each in self.backward.base.inputs}
        of_results = {of: nullable[name] for name, kind, of in self.described["given"] if kind == "gradient"}
        self.materialize = self.results > 1 and not any(of_results.values())
        if self.results == 1:  # without its gradient backward has nothing to do
            return []
        return [] if self.materialize else [i for i, takes_null in of_results.items() if not takes_null]

    def place_in_result(self, output, index):
        fold = self.forward.base.fold
        place = fold.get(output) if isinstance(fold, dict) else None
        if place is None or index and place == 0:
            return None
        return place - bool(index)

    @property
    def in_c(self):
        return [each for each in (self.forward, self.backward, self.tangent) if each is not None]

    @property
    def keeps_nothing(self):
        """Whether the gradient depends on no array, as that of a sum: backward then keeps none alive, and any may change.

        All arguments must be like the gradient, which stands for them.
        """
        function, backward = self.forward.base, self.backward.base
        arrays = [each for each in function.inputs if each.is_tensor]
        alike = all(each.name in self.described["gradients"] and not each.nullable for each in arrays)
        of_one_dtype = len({each.dtype for each in (*arrays, *function.written)}) == 1
        reads_one = len([each for each in backward.inputs if each.is_tensor]) == self.results == 1
        return self.fold is True and reads_one and alike and of_one_dtype

    @property
    def is_of_one_dtype(self):
        """Whether all outputs have the dtype of the first input, in each of C's functions."""
        return all(
            each.dtype == next(x.dtype for x in function.tensors if x.name == self.first)
            for functions in self.forward.functions.values() for function in functions for each in function.written
        )  # fmt: skip

    @property
    def dtypes(self):
        return dtypes(self.forward, self.first)

    @property
    def formula_of(self):
        """For a backward: the formula of its forward, which ``functions`` has."""
        first = (each for each in self.pairs.values() if each.described["backward"] == self.described["forward"])
        return next((each.formula_of for each in first), super().formula_of)

    def indexed(self, arguments, outputs):
        return self._indexed(arguments, outputs)

    def reads(self, outputs):
        """Those that backward reads."""
        names = [each.name for each in self.forward.base.written]
        return [outputs[names.index(each)] for each in self.read]

    def build(self):
        """Makes what calls C, Function and the function for Python."""
        names = generate_calls.Names(self)
        of_first = (name for name, kind, of in self.described["given"] if of == self.first and kind != "size")
        backward_first = next(of_first, None) or first_of(self.backward.base.inputs)
        known = dtypes(self.forward, self.first)
        known_by_backward = dtypes(self.backward, backward_first)
        in_c = emitter.own(
            forward=direct(self.forward, "default"), forward_out=direct(self.forward, "out"),
            backward=direct(self.backward, "default"), backward_out=direct(self.backward, "out"),
            tangent=direct(self.tangent, "default") if self.tangent else None, second=self.call_second,
            on_arrays=on_arrays.entry(self.described, self.forward.functions.get("cpu", ())),
            known=known, known_by_backward=known_by_backward, wide=(known & known_by_backward) - {*HALVES},
            compute_widened=self.compute_widened, gradients_widened=self.gradients_widened,
            changed=changed, empty_like=empty_like, zeros=torch.zeros_like, IndexError=IndexError,
            plain={torch.Tensor, torch.nn.Parameter}, Every=Every, halves={*HALVES},
        )  # fmt: skip
        wanted = ["compute", "gradients", "indexed", "second_gradients", "tangents"]
        given = {**differentiable_text.KNOWN, **in_c}
        made = emitter.run(f"{self.namespace}.{self.name} in C", generate_calls.text(names), given, wanted)
        self.compute, self.gradients, self._indexed, self.second_gradients, self.tangents = made
        text = differentiable_text.text(
            self.what, self.doc(), self.parameters, names.outputs, names.results, names.read,
            generate_calls.call(names).splitlines(), generate_calls.compute(names), generate_calls.gradients(names), self.autocast,
            self.materialize, self.without_gradient, self.keeps_nothing,
        )  # fmt: skip
        self.make(text, in_c)

    def call_second(self, *arguments):
        """The backward as an operator that can be differentiated in turn."""
        pair = next(each for each in self.pairs.values() if each.described["forward"] == self.described["backward"])
        return pair.operator(*arguments)

    def compute_widened(self, *arguments):
        """What C computes of 16-bit numbers, for which it has no kernel, as float32. Outputs for backward alone stay so."""
        halves = any(isinstance(x, Tensor) and x.dtype in HALVES for x in arguments)
        if not halves or torch.float32 not in self.dtypes:  # C's kernel says what it expects
            return direct(self.forward, "default")(*arguments)
        dtype = arguments[[each.name for each in self.parameters].index(self.first)].dtype
        self.check_dtypes(dtype, arguments)
        found = as_tuple(self.compute(*map(widened, arguments)))
        rounded = [
            x.to(dtype) if each.name in self.needed and x.dtype is torch.float32 else x
            for each, x in zip(self.forward.base.written, found)
        ]  # fmt: skip
        return rounded[0] if len(rounded) == 1 else tuple(rounded)

    def check_dtypes(self, dtype, arguments):
        """ValueError for an array that has another dtype than the first, where C has one for both."""
        function = self.forward.base
        of_first = next(each.dtype for each in function.tensors if each.name == self.first)
        for each, x in zip(function.inputs, arguments):
            if isinstance(x, Tensor) and each.dtype == of_first and x.dtype is not dtype:
                name = each.argument
                raise ValueError(f"{name}: expected dtype {dtype}, got {x.dtype}; pass tensor.to({dtype})")

    def gradients_widened(self, needs, *given):
        """The same of gradients, each in the dtype of its argument."""
        found = self.gradients(needs, *map(widened, given))
        given = given[self.results :]
        return tuple(x if x is None else x.to(of.dtype) for x, of in zip(found, given))

    def doc(self):
        """The comment of the header on the forward."""
        return self.forward.base.comment or f"torch.ops.{self.namespace}.{self.name}"


def arguments(function):
    """The operator's Arguments; nullable arrays have None as default where nothing behind them must be given."""
    return [
        Argument(
            each.argument, VALUES.get(each.kind) or ("Tensor?" if each.nullable else "Tensor"),
            each.name in function.optional,
        )
        for each in function.inputs
    ]  # fmt: skip


def is_floating(parameter):
    """Whether it is an array whose dtype has gradients."""
    return (
        parameter.is_tensor and bool(parameter.dtype) and ("float" in parameter.dtype or "complex" in parameter.dtype)
    )


def first_of(parameters):
    """The name of the array whose dtype says which kernel C has: one that is always given, with gradients if possible."""
    given = [each for each in parameters if each.is_tensor and not each.nullable]
    return next((each for each in given if is_floating(each)), given[0]).name


def empty_like(tensor):
    """Row-major memory."""
    return torch.empty_like(tensor, memory_format=torch.contiguous_format)


def changed(**tensors):
    """The ValueError for tensors that have fewer dimensions than in forward, since which ``x.data = ...`` changed them."""
    got = ", ".join(f"{name} {tuple(x.shape)}" for name, x in tensors.items() if isinstance(x, Tensor))
    return ValueError(f"backward: expected tensors of the shapes that they had in forward, got {got}")


def widened(x):
    return x.float() if isinstance(x, Tensor) and x.dtype in HALVES else x


@lru_cache(maxsize=None)
def direct(operator, overload):
    """An operator's overload without the frame of its Python object; Dynamo, for compiled autograd, sees the overload."""
    found = operator.overload(overload)
    if not DIRECT_CALL:
        return found
    call = getattr(found, DIRECT_CALL)

    def in_graph(*arguments):
        return found(*arguments)

    if hasattr(torch.compiler, "substitute_in_graph"):
        after_import(
            "torch._dynamo", lambda: torch.compiler.substitute_in_graph(call, skip_signature_check=True)(in_graph)
        )
    return call


def dtypes(operator, name):
    """Those of the array ``name`` for which C has a kernel on the CPU, or on the device that it has kernels for."""
    functions = operator.functions.get("cpu") or next(iter(operator.functions.values()))
    found = {next(x.dtype for x in function.tensors if x.name == name) for function in functions}
    return frozenset(getattr(torch, each) for each in found if each)
