"""torchthaw/library/check.py: ``functions.name.check(*arguments)``: what a wrong word or formula would silently spoil.

Outputs hold patterns before a call, which shows what C reads or leaves there. Backward is compared with differences of the
forward, vmap with a loop, the formula with C, and torch.library.opcheck asks what PyTorch's compiler expects of an operator.
"""

from contextlib import nullcontext

import torch
from torch import Tensor
from torch.testing import assert_close

from .derivatives.higher_derivatives import as_tuple
from .filled import filled_calls


def check(operator, *arguments):
    """Raises AssertionError, which names what differs, unless all ways to compute an operator agree on ``arguments``.

    Those of floating point are taken in float64 where C has it. Their values are of the caller's choice, away from
    kinks; batches are made of them.
    """
    arguments = operator.defaults(arguments)
    is_double = not operator.dtypes.isdisjoint((torch.float64, torch.complex128))
    given = [_leaf(x, is_double) for x in arguments]
    for what, function in CHECKS.items():
        if is_double or what not in DOUBLE:
            with torch.random.fork_rng(devices=[]):
                _run(operator, what, function, given)


def _run(operator, what, function, given):
    try:
        function(operator, given)
    except Exception as error:
        hint = HINTS.get(what, "").format(fold=_words(operator), name=operator.what)
        raise AssertionError(f"{operator.what}: {what}{hint}: {error}") from error


def _words(operator):
    return "THAW_ELEMENTWISE" if operator.fold is True else "THAW_BATCH" if operator.fold else "the operator's shapes"


def _leaf(x, is_double):
    if not isinstance(x, Tensor) or not has_gradients(x):
        return x
    double = torch.complex128 if x.is_complex() else torch.float64
    return x.detach().to(double if is_double else x.dtype).clone().requires_grad_()


def has_gradients(x):
    return x.is_floating_point() or x.is_complex()


def _detached(given):
    return [x.detach() if isinstance(x, Tensor) else x for x in given]


def _gradients(results, given):
    wanted = [x for x in given if isinstance(x, Tensor) and x.requires_grad]
    results = [y for y in as_tuple(results) if y.requires_grad]
    generator = torch.Generator().manual_seed(1)
    grads = [torch.randn(y.shape, generator=generator, dtype=y.dtype).to(y.device) for y in results]
    return torch.autograd.grad(results, wanted, grads, allow_unused=True)


def _outputs(operator, given):
    with filled_calls(operator.in_c) or nullcontext():
        _gradients(operator.entry(*given), given)


def _gradcheck(operator, given):
    torch.autograd.gradcheck(operator.entry, given, fast_mode=False)


def _formula(operator, given):
    if operator.formula is not None:
        ours, theirs = operator.entry(*given), operator.formula(*given)
        assert_close(as_tuple(ours), as_tuple(theirs))
        assert_close(_gradients(ours, given), _gradients(theirs, given))


def _second(operator, given):
    if operator.formula is not None or operator.second_gradients is not None:
        torch.autograd.gradgradcheck(operator.entry, given)


def _forward_mode(operator, given):
    if operator.formula is not None or operator.tangents is not None:
        torch.autograd.gradcheck(operator.entry, given, check_forward_ad=True, check_backward_ad=False)


def _vmap(operator, given):
    """Batched together, and each tensor alone."""
    given = _detached(given)
    places = [i for i, x in enumerate(given) if isinstance(x, Tensor)]
    batches = [_batch(x) if isinstance(x, Tensor) else None for x in given]
    for varying in dict.fromkeys([tuple(places), *((i,) for i in places)]):
        dims = tuple(0 if i in varying else None for i, _ in enumerate(given))
        inputs = [batches[i] if i in varying else x for i, x in enumerate(given)]
        loop = [as_tuple(operator.entry(*(x[n] if d == 0 else x for x, d in zip(inputs, dims)))) for n in range(3)]
        found = torch.vmap(operator.entry, dims)(*inputs)
        assert_close(as_tuple(found), tuple(map(torch.stack, zip(*loop))))


def _batch(x):
    """Three entries that differ."""
    entries = [x, x.roll(1) if x.numel() > 1 else x, x.flip(tuple(range(x.dim())))]
    return torch.stack([y * scale if has_gradients(y) else y for y, scale in zip(entries, (1.0, 0.75, 1.25))])


def _transforms(operator, given):
    if operator.formula is None:
        return
    wanted = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]

    def of_wanted(*tensors):
        values = _detached(given)
        for i, x in zip(wanted, tensors):
            values[i] = x
        return operator.entry(*values)

    results, pull = torch.func.vjp(of_wanted, *(given[i].detach() for i in wanted))
    generator = torch.Generator().manual_seed(1)
    grads = [torch.randn(y.shape, generator=generator, dtype=y.dtype).to(y.device) for y in as_tuple(results)]
    eager = as_tuple(operator.entry(*given))
    assert_close(as_tuple(results), tuple(y.detach() for y in eager))
    expected = torch.autograd.grad(eager, [given[i] for i in wanted], grads)
    assert_close(pull(grads[0] if operator.results == 1 else tuple(grads)), tuple(expected))


def _opcheck(operator, given):
    torch.library.opcheck(operator.operator, tuple(given))


CHECKS = {
    "outputs": _outputs,
    "backward against differences": _gradcheck,
    "formula against C": _formula,
    "second derivative": _second,
    "forward mode": _forward_mode,
    "vmap against a loop": _vmap,
    "torch.func against autograd": _transforms,
    "torch.library.opcheck": _opcheck,
}
DOUBLE = "backward against differences", "second derivative", "forward mode"  # their differences need it
HINTS = {
    "backward against differences": "; is the backward of {name} right, or THAW_GRADIENT_OF?",
    "formula against C": "; does the formula of {name} compute what C computes?",
    "vmap against a loop": "; does {fold} hold?",
}
