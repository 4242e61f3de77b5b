"""tests/support/derivatives.py: what has to hold for each differentiable operator; each check gets (operator, arguments).

``operator``: a function of an extension's ``functions``, with its formula; arguments in float64, tensors that require
grad. The expected values are those of eager autograd, which gradcheck compares with differences.
"""

import torch
from torch import Tensor
from torch.testing import assert_close


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)


def leaves(arguments):
    return [x.detach().clone().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in arguments]


def detached(arguments):
    return [x.detach() if isinstance(x, Tensor) else x for x in arguments]


def places(arguments):
    return tuple(i for i, x in enumerate(arguments) if isinstance(x, Tensor))


def loss(function):
    """Weighted differently for each result and element, so that no gradient is mixed up with another."""

    def of(*arguments):
        results = as_tuple(function(*arguments))
        return sum(
            (y * torch.linspace(1, 2, y.numel(), dtype=y.dtype).view(y.shape) * (i + 1)).sum()
            for i, y in enumerate(results)
        )

    return of


def gradients(function, arguments, **options):
    arguments = leaves(arguments)
    wanted = [arguments[i] for i in places(arguments)]
    return torch.autograd.grad(loss(function)(*arguments), wanted, **options)


def value(operator, arguments):
    assert_close(as_tuple(operator(*detached(arguments))), as_tuple(operator.expect(*detached(arguments))))
    assert_close(gradients(operator, arguments), gradients(operator.expect, arguments))


def gradcheck(operator, arguments):
    torch.autograd.gradcheck(operator, arguments)


def some_gradients(operator, arguments):
    every = gradients(operator, arguments)
    for i, place in enumerate(places(arguments)):
        alone = detached(arguments)
        alone[place] = alone[place].clone().requires_grad_()
        (found,) = torch.autograd.grad(loss(operator)(*alone), [alone[place]])
        assert_close(found, every[i])


def gradgradcheck(operator, arguments):
    torch.autograd.gradgradcheck(operator, arguments)


def forward_mode(operator, arguments):
    torch.autograd.gradcheck(operator, arguments, check_forward_ad=True, check_backward_ad=False)


def forward_over_reverse(operator, arguments):
    torch.autograd.gradgradcheck(
        operator, arguments, check_fwd_over_rev=True, check_rev_over_rev=False, check_undefined_grad=False
    )


def batched_gradients(operator, arguments):
    given = leaves(arguments)
    results = as_tuple(operator(*given))
    wanted = [given[i] for i in places(given)]
    grads = [torch.randn(3, *y.shape, dtype=y.dtype) for y in results]
    found = torch.autograd.grad(results, wanted, grads, is_grads_batched=True, retain_graph=True)
    rows = [torch.autograd.grad(results, wanted, [g[i] for g in grads], retain_graph=True) for i in range(3)]
    assert_close(found, tuple(map(torch.stack, zip(*rows))))


def batch_of(x):
    return torch.stack([x, x.flip(tuple(range(x.dim()))) * 0.75, x * 1.25])


def vmap(operator, arguments):
    arguments = detached(arguments)
    for varying in [places(arguments), *((i,) for i in places(arguments))]:
        dims = tuple(0 if i in varying else None for i, _ in enumerate(arguments))
        inputs = [batch_of(x) if i in varying else x for i, x in enumerate(arguments)]
        loop = [as_tuple(operator(*(x[n] if d == 0 else x for x, d in zip(inputs, dims)))) for n in range(3)]
        assert_close(as_tuple(torch.vmap(operator, dims)(*inputs)), tuple(map(torch.stack, zip(*loop))))


def vmap_elsewhere(operator, arguments):
    """The batch is the last dimension."""
    arguments = detached(arguments)
    dims = tuple(-1 if isinstance(x, Tensor) else None for x in arguments)
    inputs = [batch_of(x).movedim(0, -1) if isinstance(x, Tensor) else x for x in arguments]
    loop = [as_tuple(operator(*(x[..., n] if isinstance(x, Tensor) else x for x in inputs))) for n in range(3)]
    assert_close(as_tuple(torch.vmap(operator, dims)(*inputs)), tuple(map(torch.stack, zip(*loop))))


def vmap_of_vmap(operator, arguments):
    arguments = detached(arguments)
    dims = tuple(0 if isinstance(x, Tensor) else None for x in arguments)
    inputs = [batch_of(batch_of(x)) if isinstance(x, Tensor) else x for x in arguments]
    found = as_tuple(torch.vmap(torch.vmap(operator, dims), dims)(*inputs))
    flat = [x.flatten(0, 1) if isinstance(x, Tensor) else x for x in inputs]
    once = as_tuple(torch.vmap(operator, dims)(*flat))
    assert_close(found, tuple(y.unflatten(0, (3, 3)) for y in once))


def vmap_of_nothing(operator, arguments):
    arguments = detached(arguments)
    dims = tuple(0 if isinstance(x, Tensor) else None for x in arguments)
    inputs = [x.new_empty(0, *x.shape) if isinstance(x, Tensor) else x for x in arguments]
    found = as_tuple(torch.vmap(operator, dims)(*inputs))
    assert [y.shape for y in found] == [(0, *y.shape) for y in as_tuple(operator(*arguments))]


def func_grad(operator, arguments):
    found = torch.func.grad(loss(operator), places(arguments))(*detached(arguments))
    assert_close(found, gradients(operator, arguments))


def vmap_of_grad(operator, arguments):
    """Gradients of each sample are those of a loop."""
    arguments = detached(arguments)
    inputs = [batch_of(arguments[0]), *arguments[1:]]
    dims = (0, *(None for _ in arguments[1:]))
    found = torch.vmap(torch.func.grad(loss(operator), places(arguments)), dims)(*inputs)
    rows = [gradients(operator, [inputs[0][n].requires_grad_(), *wanting(arguments[1:])]) for n in range(3)]
    assert_close(found, tuple(map(torch.stack, zip(*rows))))


def wanting(arguments):
    return [x.detach().clone().requires_grad_() if isinstance(x, Tensor) else x for x in arguments]


def jacobians(operator, arguments):
    arguments = detached(arguments)
    where = places(arguments)
    by_rows, by_columns = (f(operator, where)(*arguments) for f in (torch.func.jacrev, torch.func.jacfwd))
    of_formula = torch.func.jacrev(operator.expect, where)(*arguments)
    assert_close(by_rows, of_formula)
    assert_close(by_columns, of_formula)


def grad_of_grad(operator, arguments):
    def first(function):
        return lambda x, *more: torch.func.grad(loss(function))(x, *more).sin().sum()

    arguments = detached(arguments)
    assert_close(torch.func.grad(first(operator))(*arguments), torch.func.grad(first(operator.expect))(*arguments))


def hessian(operator, arguments):
    arguments = detached(arguments)
    found = torch.func.hessian(lambda *a: loss(operator)(*a).sin())(*arguments)
    assert_close(found, torch.func.hessian(lambda *a: loss(operator.expect)(*a).sin())(*arguments))


def jvp(operator, arguments):
    arguments = detached(arguments)
    where = places(arguments)

    def of(function):
        def of_tensors(*tensors):
            given = list(arguments)
            for i, x in zip(where, tensors):
                given[i] = x
            return function(*given)

        tensors = tuple(arguments[i] for i in where)
        return torch.func.jvp(of_tensors, tensors, tuple(x.cos() for x in tensors))

    assert_close(of(operator), of(operator.expect))


def vmap_of_jvp(operator, arguments):
    arguments = detached(arguments)

    def pushed(function):
        return lambda x, t: torch.func.jvp(lambda y: function(y, *arguments[1:]), (x,), (t,))

    batch = batch_of(arguments[0])
    assert_close(
        torch.vmap(pushed(operator))(batch, batch.cos()), torch.vmap(pushed(operator.expect))(batch, batch.cos())
    )


def functionalized(operator, arguments):
    arguments = detached(arguments)
    assert_close(torch.func.functionalize(operator)(*arguments), operator(*arguments))


def same_when_compiled(function, arguments, **options):
    torch.compiler.reset()
    compiled = torch.compile(function, fullgraph=True, backend="aot_eager", **options)
    assert_close(compiled(*detached(arguments)), function(*detached(arguments)))
    assert_close(gradients(compiled, arguments), gradients(function, arguments))


def compiled(operator, arguments):
    same_when_compiled(lambda *a: operator(*a), arguments)


def compiled_dynamic(operator, arguments):
    same_when_compiled(lambda *a: operator(*a), arguments, dynamic=True)


def compiled_grad(operator, arguments):
    torch.compiler.reset()
    function = torch.func.grad(loss(operator), places(arguments))
    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    assert_close(compiled(*detached(arguments)), function(*detached(arguments)))


def compiled_vmap(operator, arguments):
    torch.compiler.reset()
    arguments = detached(arguments)
    dims = (0, *(None for _ in arguments[1:]))
    inputs = [batch_of(arguments[0]), *arguments[1:]]
    compiled = torch.compile(lambda *a: torch.vmap(operator, dims)(*a), fullgraph=True, backend="aot_eager")
    assert_close(compiled(*inputs), torch.vmap(operator, dims)(*inputs))


def compiled_vmap_of_grad(operator, arguments):
    torch.compiler.reset()
    arguments = detached(arguments)
    dims = (0, *(None for _ in arguments[1:]))
    inputs = [batch_of(arguments[0]), *arguments[1:]]
    function = torch.vmap(torch.func.grad(loss(operator), places(arguments)), dims)
    compiled = torch.compile(lambda *a: function(*a), fullgraph=True, backend="aot_eager")
    assert_close(compiled(*inputs), function(*inputs))


def compiled_jvp(operator, arguments):
    torch.compiler.reset()
    arguments = detached(arguments)

    def pushed(x, t):
        return torch.func.jvp(lambda y: operator(y, *arguments[1:]), (x,), (t,))

    compiled = torch.compile(pushed, fullgraph=True, backend="aot_eager")
    assert_close(compiled(arguments[0], arguments[0].cos()), pushed(arguments[0], arguments[0].cos()))


def transforms_of_compiled(operator, arguments):
    """A transform around a compiled function, and forward mode."""
    arguments = detached(arguments)
    more = arguments[1:]
    x, tangent = arguments[0], arguments[0].cos()

    def compiled():
        """Without fullgraph: PyTorch runs a compiled function as it is inside a transform that is not compiled."""
        torch.compiler.reset()
        return torch.compile(lambda y: operator(y, *more), backend="aot_eager")

    def expect(y):
        return operator.expect(y, *more)

    assert_close(torch.func.jvp(compiled(), (x,), (tangent,)), torch.func.jvp(expect, (x,), (tangent,)))
    batch = batch_of(x)
    assert_close(torch.vmap(compiled())(batch), torch.vmap(expect)(batch))
    assert_close(torch.func.grad(loss(compiled()))(x), torch.func.grad(loss(expect))(x))
    function = compiled()
    function(x)  # compiled outside of forward mode
    for made in function, compiled():
        with torch.autograd.forward_ad.dual_level():
            results = as_tuple(made(torch.autograd.forward_ad.make_dual(x, tangent)))
            found = [torch.autograd.forward_ad.unpack_dual(y).tangent for y in results]
        assert_close(found, list(as_tuple(torch.func.jvp(expect, (x,), (tangent,))[1])))


class Module(torch.nn.Module):
    """The operator on an input, its other tensors as parameters."""

    def __init__(self, operator, arguments):
        super().__init__()
        self.operator = operator
        self.numbers = [None if isinstance(x, Tensor) else x for x in arguments[1:]]
        self.weights = torch.nn.ParameterList(x.detach().clone() for x in arguments[1:] if isinstance(x, Tensor))

    def forward(self, input):
        weights = iter(self.weights)
        return self.operator(input, *(next(weights) if x is None else x for x in self.numbers))


def exported(operator, arguments, strict=False):
    module = Module(operator, arguments)
    program = torch.export.export(module, (arguments[0].detach(),), strict=strict)
    trained = program.module()
    input = arguments[0].detach().clone().requires_grad_()
    for model in (module, trained):
        loss(model)(input).backward()
        model.found, input.grad = input.grad, None
    assert_close(trained.found, module.found)
    assert_close([x.grad for x in trained.parameters()], [x.grad for x in module.parameters()])
    decomposed = program.run_decompositions().module()
    with torch.no_grad():
        assert_close(decomposed(input), module(input))
    if hasattr(torch.compiler, "is_exporting"):
        module.zero_grad()
        for model in module, decomposed:
            loss(model)(input).backward()
            model.found, input.grad = input.grad, None
        assert_close(decomposed.found, module.found)
        assert_close([x.grad for x in decomposed.parameters()], [x.grad for x in module.parameters()])


def exported_strictly(operator, arguments):
    exported(operator, arguments, strict=True)


def opcheck(operator, arguments):
    torch.library.opcheck(operator.operator, tuple(leaves(arguments)))


def traced(operator, arguments):
    module = Module(operator, arguments)
    trace = torch.jit.trace(module, (arguments[0].detach(),))
    with torch.no_grad():
        assert_close(trace(arguments[0].detach()), module(arguments[0].detach()))
    input = arguments[0].detach().clone().requires_grad_()
    found = [torch.autograd.grad(loss(model)(input), [input, *model.parameters()]) for model in (module, trace)]
    assert_close(found[1], found[0])


def in_inference_mode(operator, arguments):
    with torch.inference_mode():
        assert_close(operator(*detached(arguments)), operator(*detached(arguments)))
        found = operator.operator(*detached(arguments))
    assert_close(found, operator(*detached(arguments)))


def in_16_bits(operator, arguments):
    for dtype in (torch.bfloat16, torch.float16):
        low = [x.detach().to(dtype).requires_grad_() if isinstance(x, Tensor) else x for x in arguments]
        results, grads = as_tuple(operator(*low)), gradients(operator, low)
        assert all(y.dtype is dtype for y in (*results, *grads))
        wide = [x.detach().float().requires_grad_() if isinstance(x, Tensor) else x for x in low]
        for found, expected in zip((*results, *grads), (*as_tuple(operator(*wide)), *gradients(operator, wide))):
            assert_close(found.float(), expected, rtol=0.05, atol=0.05 * max(1, expected.abs().max().item()))


def compiled_in_16_bits(operator, arguments):
    low = [x.detach().bfloat16().requires_grad_() if isinstance(x, Tensor) else x for x in arguments]
    same_when_compiled(lambda *a: operator(*a), low)


def in_autocast(operator, arguments):
    """With a rule the results have its dtype; gradients come in the arguments' own."""
    given = [x.detach().float().requires_grad_() if isinstance(x, Tensor) else x for x in arguments]
    with torch.autocast("cpu", torch.bfloat16):
        results = as_tuple(operator(*given))
        through = as_tuple(operator.operator(*given))
    assert [y.dtype for y in results] == [y.dtype for y in through]
    assert {y.dtype for y in results} == {torch.bfloat16 if operator.rule == "lower" else torch.float32}
    found = torch.autograd.grad(sum(y.float().sum() for y in results), [given[i] for i in places(given)])
    assert all(g.dtype is torch.float32 for g in found)


def fake(operator, arguments):
    from torch._subclasses.fake_tensor import FakeTensorMode

    shapes = [y.shape for y in as_tuple(operator(*arguments))]
    real = detached(arguments)
    with FakeTensorMode() as mode:
        given = [mode.from_tensor(x).requires_grad_() if isinstance(x, Tensor) else x for x in real]
        results = as_tuple(operator(*given))
        assert [y.shape for y in results] == shapes
        grads = torch.autograd.grad(sum(y.sum() for y in results), [given[i] for i in places(given)])
        assert [g.shape for g in grads] == [arguments[i].shape for i in places(arguments)]


EAGER = [
    value, gradcheck, some_gradients, gradgradcheck, forward_mode, forward_over_reverse, batched_gradients, vmap,
    vmap_elsewhere, vmap_of_vmap, vmap_of_nothing, func_grad, vmap_of_grad, jacobians, grad_of_grad, hessian, jvp,
    vmap_of_jvp, functionalized, opcheck, traced, in_inference_mode, in_16_bits, in_autocast, fake,
]  # fmt: skip
COMPILED = [
    compiled, compiled_dynamic, compiled_grad, compiled_vmap, compiled_vmap_of_grad, compiled_jvp, compiled_in_16_bits,
    transforms_of_compiled, exported, exported_strictly,
]  # fmt: skip
