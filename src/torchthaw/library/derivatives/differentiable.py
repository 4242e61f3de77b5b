"""torchthaw/library/derivatives/differentiable.py: an operator of PyTorch that has every derivative, and its function for Python.

One operator serves every path; PyTorch's dispatcher chooses among its kernels:

    key                               kernel
    Autograd                          an autograd Function around C; in forward mode the formula
    FuncTorchDynamicLayerFrontMode    vmap: one call on a larger array, or one call for each entry; grad and jvp: the formula
    AutocastCPU, AutocastCUDA         casts, where the operator has a rule for torch.autocast
    CompositeExplicitAutograd         the operators of C, without derivatives

An eager call does not pass through the dispatcher: the function for Python asks for what is unusual, and goes to the
Function or to C. Its text is generated (differentiable_text.py), since each Python frame takes as long as a small kernel.
"""

from functools import cached_property, partial

import torch
from torch import Tensor, is_grad_enabled
from torch.jit import is_tracing

from ...base import emitter
from .. import after_decompositions, check, folding
from . import differentiable_text, once_differentiable, transforms
from .higher_derivatives import Every, as_tuple, derivative, hides_tangent, in_forward_mode, is_batched, once

is_exporting = getattr(torch.compiler, "is_exporting", bool)  # PyTorch 2.4 does not tell
AUTOCAST = {"AutocastCPU": "cpu", "AutocastCUDA": "cuda"}


class Differentiable:
    """An operator and its rules.

    namespace, name: of ``torch.ops``. library: PyTorch's, which gets the operator. parameters: its Arguments.
    results: how many tensors it returns. autocast: ``lower``, ``widest``, ``float32`` or None. fold: see folding.py.
    formula: the same results from PyTorch's operators, or None.

    Set by who makes it: ``compute(*arguments)``, all outputs without derivatives; ``gradients(needs, *grad_outputs,
    *arguments, *read)``, a gradient or None for each argument; ``reads(outputs)``, the outputs that it reads, and their
    number, ``read_count``. Where C has them, ``second_gradients``, the same of operators that can be differentiated, and ``tangents(*tangents, *arguments,
    *outputs)``.
    """

    def __init__(self, namespace, name, library, parameters, results, autocast=None, fold=None, what=None):
        self.namespace, self.name, self.library = namespace, name, library
        self.parameters, self.results, self.autocast, self.fold = parameters, results, autocast, fold
        self.what = what or name
        self.without_gradient = ()  # arguments of which only a formula has a gradient
        self.formula = self.second_gradients = self.tangents = None

    @property
    def in_c(self):
        """The Operators of C functions that it is made of."""
        return ()

    def schema(self, results):
        """Of an overload with this number of results."""
        arguments = ", ".join(each.schema for each in self.parameters)
        return f"({arguments}) -> {'Tensor' if results == 1 else '(' + ', '.join(['Tensor'] * results) + ')'}"

    def register(self):
        """Enters the operator in PyTorch."""
        self.library.define(self.name + self.schema(self.results), tags=(torch.Tag.pt2_compliant_tag,))
        self.operator = getattr(getattr(torch.ops, self.namespace), self.name).default
        self.library.impl(self.name, self.padded(self.plain), "CompositeExplicitAutograd")
        self.library.impl(self.name, self.padded(self.with_autograd), "Autograd")
        self.library.impl(self.name, self.padded(self.in_transform), transforms.KEY)
        if self.autocast:
            for key, device in AUTOCAST.items():
                self.library.impl(self.name, self.padded(self.casting(device)), key)
        after_decompositions.register(self)

    def padded(self, kernel):
        """A kernel that gets all arguments: PyTorch leaves out those behind the last one that was given."""

        def call(*arguments):
            return kernel(*self.defaults(arguments))

        return call

    def defaults(self, arguments):
        """The arguments, None for those that are left out."""
        return [*arguments, *(None,) * (len(self.parameters) - len(arguments))]

    # -- kernels

    def plain(self, *arguments):
        """The results, without derivatives."""
        found = self.indexed(arguments, as_tuple(self.compute(*arguments)))
        return found[0] if self.results == 1 else found

    def indexed(self, arguments, outputs):
        """What the operator returns of all outputs."""
        return outputs[: self.results]

    def with_autograd(self, *arguments):
        if is_tracing():
            # A Function would be recorded as a call of Python, which cannot be saved.
            with torch.no_grad():
                return self.plain(*arguments)
        if in_forward_mode() and self.may_have_tangents(arguments):
            return self.pushed(arguments)
        if is_grad_enabled() and any(isinstance(x, Tensor) and x.requires_grad for x in arguments):
            return self.apply(*arguments)
        return after_decompositions.call(self, arguments) if is_exporting() else self.plain(*arguments)

    def may_have_tangents(self, arguments):
        """The same; true of a graph's tensors, which do not show them, if there is a formula. Without one, the operators
        of C that are in the graph look at the tensors that they get."""
        if any(hides_tangent(x) for x in arguments):
            return self.formula is not None
        return self.has_tangents(arguments)

    @staticmethod
    def has_tangents(arguments):
        """Whether one of them has a tangent; at level 0, the only one, which graphs enter without telling Python."""
        unpack = torch.autograd.forward_ad.unpack_dual
        return any(isinstance(x, Tensor) and unpack(x, level=0).tangent is not None for x in arguments)

    def pushed(self, arguments):
        """The results with their tangents: by the formula, else by C's function for tangents."""
        if self.formula is not None:
            return self.formula(*arguments)
        if self.tangents is None:
            raise RuntimeError(self.lacks("forward mode"))
        return self.in_function(arguments)

    def in_function(self, arguments):
        """The results without a formula."""
        found = self.in_grad.apply(*arguments)[: self.results]
        return found[0] if self.results == 1 else found

    def lacks(self, what):
        return (
            f"{self.what}: {what} needs its formula in PyTorch's operators, got none; give it one by {self.formula_of}"
        )

    @property
    def formula_of(self):
        """How a user gives a formula."""
        return f"@functions.{self.what}.formula"

    def refuse(self, name):
        """For a tensor that requires grad, of which C computes no gradient."""
        if self.formula is None:
            raise RuntimeError(self.lacks(f"{name} requires grad, of which C computes no gradient, and"))

    def in_transform(self, *arguments):
        arguments = transforms.alive(arguments)
        current, names = transforms.current_transform(f"torch.ops.{self.namespace}.{self.name}", functionalizes=True)
        if not names:
            if self.formula is None:
                raise RuntimeError(self.lacks("torch.func.functionalize"))
            return self.formula(*arguments)
        if len(names) == 2:
            return transforms.batched(current, self.operator, self.batch, arguments, *names)
        records = is_grad_enabled() and any(isinstance(x, Tensor) and x.requires_grad for x in arguments)
        has_tangents = self.has_tangents(arguments)
        if not records and not has_tangents:
            return transforms.constant(current, self.operator, arguments, *names)
        if has_tangents or self.formula is not None:
            if self.formula is None and transforms.outer(current, self.has_tangents, arguments, *names):
                raise RuntimeError(self.lacks("forward mode in forward mode"))
            return self.pushed(arguments)
        for each, x in zip(self.parameters, arguments):
            if each.name in self.without_gradient and isinstance(x, Tensor) and x.requires_grad:
                self.refuse(each.name)
        return self.in_function(arguments)

    def batch(self, count, dims, arguments):
        """The operator under vmap: (results, in whose first dimension is the batch)."""
        return folding.batch(self, count, dims, arguments)

    def casting(self, device):
        def cast(*arguments):
            with torch.autocast(device, enabled=False):
                return self.operator(*self.cast(arguments, torch.get_autocast_dtype(device)))

        return cast

    def cast(self, arguments, lower):
        """The arguments in the dtype of the rule. float64 stays, as it does in PyTorch's operators."""
        floating = [x for x in arguments if isinstance(x, Tensor) and x.is_floating_point()]
        dtype = {"lower": lower, "float32": torch.float32}.get(self.autocast)
        if self.autocast == "widest":
            for x in floating:
                dtype = x.dtype if dtype is None else torch.promote_types(dtype, x.dtype)
        keeps = () if self.autocast == "widest" else (torch.float64,)
        return [
            x.to(dtype) if isinstance(x, Tensor) and x.is_floating_point() and x.dtype not in keeps else x
            for x in arguments
        ]

    @cached_property
    def in_grad(self):
        return once_differentiable.function(self)

    # -- backward

    def compose(self, needs, grad_outputs, arguments, read):
        """The gradients where C would lose something of them; ``read``: the outputs that backward reads."""
        if self.formula is not None:
            return derivative(self.formula, arguments, grad_outputs, needs)
        if self.second_gradients is not None and not any(map(is_batched, grad_outputs)):
            return self.second_gradients(needs, *grad_outputs, *arguments, *read)
        with torch.no_grad():
            found = self.gradients(Every([True] * len(needs)), *grad_outputs, *arguments, *read)
        found = tuple(x if need else None for x, need in zip(found, needs))
        return once(self.lacks("its second derivative"), found, [*grad_outputs, *arguments])

    # -- the function for Python

    def make(self, text, names):
        """Makes Function and entry from their text."""
        of_operator = emitter.own(
            compute=self.compute, gradients=self.gradients, compose=self.compose, operator=self.operator,
            refuse=self.refuse,
        )  # fmt: skip
        known = {**names, **of_operator}
        self.entry, self.function, self.apply = differentiable_text.run(f"{self.namespace}.{self.name}", text, known)
        self.entry.Function, self.entry.operator = self.function, self.operator
        self.entry.formula, self.entry.check = self.take_formula, partial(check.check, self)

    def take_formula(self, function):
        """The decorator ``@functions.name.formula``: the same results, of PyTorch's operators."""
        self.formula = function
        return function
