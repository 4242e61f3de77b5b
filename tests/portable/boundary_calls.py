"""tests/portable/boundary_calls.py MODULE.so: exceptions of every kind through each way into boundaries.cpp, and tensors of every kind."""

import contextlib
import functools
import importlib.util
import json
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import torch
from tensor_calls import outcome
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

warnings.simplefilter("ignore")
KINDS = [
    "bad_alloc", "exception", "logic_error", "domain_error", "invalid_argument", "length_error", "out_of_range", "runtime_error",
    "range_error", "overflow_error", "underflow_error", "system_error", "bad_cast", "bad_optional_access", "own", "check",
    "check_index", "check_value", "check_type", "check_linalg", "check_not_implemented", "operator", "operator_index", "key_error",
    "stop_iteration", "python", "number", "text", "plain",
]  # fmt: skip
# What PyTorch's own build ends the process for: test_portable_safety.py has these.
ENDS = [("backward", kind) for kind in ("number", "text", "plain")]
X = torch.arange(6.0, dtype=torch.float64).reshape(2, 3)


def leaf():
    return X.clone().requires_grad_()


def holding(module, kind):
    """A Thing whose value throws."""
    own = module.Thing("")
    with contextlib.suppress(BaseException):
        own.value = kind
    return own


def ways(module):
    """{name: a function of a kind, which ends in C++ that throws it}"""
    ops, thing, box = torch.ops.boundaries, module.Thing(""), torch.classes.boundaries.Box("")

    return {
        "function": module.throws,
        "without the GIL": module.throws_without_gil,
        "callback": lambda kind: module.throws_in_callback(kind, module.throws),
        "callback of Python": lambda kind: module.throws_in_callback(kind, lambda kind: module.throws(kind)),
        "constructor": module.Thing,
        "method": thing.method,
        "static method": thing.static_method,
        "property, set": functools.partial(setattr, thing, "value"),
        "property, get": lambda kind: holding(module, kind).value,
        "repr": lambda kind: repr(holding(module, kind)),
        "caster, load": module.to_word,
        "caster, cast": module.of_word,
        "operator": lambda kind: ops.throws(X, kind),
        "operator for CPU": lambda kind: ops.throws_for_cpu(X, kind),
        "class": torch.classes.boundaries.Box,
        "class, method": box.method,
        "forward": lambda kind: module.failing(X, kind, ""),
        "forward with a graph": lambda kind: module.failing(leaf(), kind, ""),
        "backward": lambda kind: module.failing(leaf(), "", kind).sum().backward(),
        "parallel_for": module.in_parallel,
    }


class Plain(torch.Tensor):
    pass


class Asked(torch.Tensor):
    """Notes what __torch_function__ is asked for."""

    seen = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.seen.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


class Wrapper(torch.Tensor):
    """A tensor around another one, which operators reach by __torch_dispatch__."""

    seen = []

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, strides=inner.stride())

    def __init__(self, inner):
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.seen.append(str(func))
        args = tree_map_only(cls, lambda each: each.inner, args)
        return tree_map_only(torch.Tensor, cls, func(*args, **(kwargs or {})))


class Noted(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


def shape_of(value):
    return type(value).__name__, [*value.shape], str(value.dtype)


def uses(module):
    """{name: a function of a tensor}"""
    return {
        "polynomial": module.polynomial, "operator": torch.ops.boundaries.polynomial, "raised": module.raised, "first": module.first,
        "memory": module.has_memory, "about": module.about, "parts": lambda x: module.parts([x, x]),
        "forward": lambda x: module.failing(x, "", ""),
    }  # fmt: skip


def fake(use):
    with FakeTensorMode() as mode:
        found = use(mode.from_tensor(X))
        return shape_of(found) if isinstance(found, torch.Tensor) else str(found)


def wrapped(use):
    Wrapper.seen.clear()
    found = use(Wrapper(X.clone()))
    return found.inner if isinstance(found, Wrapper) else str(found), [*Wrapper.seen]


def asked(use):
    Asked.seen.clear()
    found = use(X.clone().as_subclass(Asked))
    seen = [*Asked.seen]  # before the result is looked at
    return type(found).__name__, seen


def noted(use):
    with Noted() as mode:
        use(X.clone())
    return mode.seen


def with_gradient(x, use):
    found = use(x)
    return type(found).__name__, found.detach(), *torch.autograd.grad(found.sum(), x)


def jvp(use):
    return [*torch.func.jvp(use, (X.clone(),), (torch.ones_like(X),))]


def dual(use):
    with torch.autograd.forward_ad.dual_level():
        x = torch.autograd.forward_ad.make_dual(X.clone(), torch.ones_like(X))
        return [*torch.autograd.forward_ad.unpack_dual(use(x))]


def in_inference(use):
    with torch.inference_mode():
        found = use(X.clone())
    return found.is_inference(), found


# What a use is given, and how.
TENSORS = {
    "parameter": lambda use: with_gradient(torch.nn.Parameter(X.clone()), use),
    "subclass": lambda use: use(X.clone().as_subclass(Plain)),
    "subclass that is asked": asked,
    "subclass around another": wrapped,
    "mode": noted,
    "fake": fake,
    "vmap": lambda use: torch.func.vmap(use)(X.clone()),
    "grad": lambda use: torch.func.grad(lambda x: use(x).sum())(X.clone()),
    "jvp": jvp,
    "dual": dual,
    "functionalize": lambda use: torch.func.functionalize(use)(X.clone()),
    "inference": in_inference,
    "conjugate": lambda use: use(X.to(torch.complex64).conj()),
    "negative": lambda use: use(torch.complex(X, X).conj().imag),
    "sparse": lambda use: use(X.to_sparse()),
    "nested": lambda use: use(torch.nested.nested_tensor([X, X])).to_padded_tensor(0.0),
    "meta": lambda use: use(X.to("meta")),
    "compiled": lambda use: torch.compile(use, backend="aot_eager")(X.clone()),
}


# Those that look at a result which is a tensor.
OF_TENSORS = dict.fromkeys(
    ("parameter", "grad", "jvp", "dual", "inference", "nested"), ("polynomial", "operator", "raised", "forward")
)


def cases(module):
    """{name: a function without arguments}"""
    thrown = {
        f"{way}: {kind}": functools.partial(run, kind)
        for way, run in ways(module).items()
        for kind in KINDS
        if (way, kind) not in ENDS
    }
    given = {
        f"{tensor}: {use}": functools.partial(run, called)
        for tensor, run in TENSORS.items()
        for use, called in uses(module).items()
        if tensor not in OF_TENSORS or use in OF_TENSORS[tensor]
    }
    return {**thrown, **given}


def main(path):
    spec = importlib.util.spec_from_file_location("boundaries", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    print(json.dumps({name: outcome(run, ()) for name, run in cases(module).items()}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
