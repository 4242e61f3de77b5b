"""tests/export/jax_programs.py: calls a generated module in JAX; in processes with JAX and without PyTorch.

    python jax_programs.py FOLDER STEM compute CASES.json   reads FOLDER/<case>.npz, writes FOLDER/<case>.out.npz
    python jax_programs.py FOLDER STEM CHECK                one of the functions below

FOLDER has the module STEM_jax. A case is {"function", "arguments": [dtype of an array, null or a number], "needs"}, and its
file has the arrays by index and, for "needs", the arguments with a gradient, gradients g0, g1... of the results. Arrays of
16 bits are float32 in files.
"""

import importlib
import json
import sys
from pathlib import Path

import jax
import numpy
from jax import numpy as jnp
from jax.test_util import check_grads

folder, stem, what, *rest = sys.argv[1:]
sys.path.insert(0, folder)
jax.config.update("jax_enable_x64", what != "without_x64")
module = importlib.import_module(f"{stem}_jax")
HALVES = ("float16", "bfloat16")


def random(*shape, dtype=numpy.float64, seed=0):
    return jnp.asarray(numpy.random.default_rng((seed, *shape)).standard_normal(shape), dtype)


def same(found, expected):
    """Bit for bit."""
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        numpy.testing.assert_array_equal(numpy.asarray(one), numpy.asarray(other))


def near(found, expected, tolerance=1e-12):
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        numpy.testing.assert_allclose(one, other, tolerance, tolerance)


def refused(function, *arguments):
    """(type, text) of the exception."""
    try:
        jax.block_until_ready(function(*arguments))
    except Exception as error:
        return type(error).__name__, str(error)
    raise AssertionError("expected an exception, got none")


# ---- compute --------------------------------------------------------------------------------------------------------


def compute(path):
    for name, case in json.loads(Path(path).read_text()).items():
        stored = numpy.load(Path(folder) / f"{name}.npz")
        function, arguments = getattr(module, case["function"]), case["arguments"]
        arguments = [jnp.asarray(stored[str(i)], x) if isinstance(x, str) else x for i, x in enumerate(arguments)]
        places = [i for i, x in enumerate(case["arguments"]) if isinstance(x, str)]

        def of_arrays(*arrays):
            given = dict(zip(places, arrays))
            return function(*(given.get(i, x) for i, x in enumerate(arguments)))

        arrays = [arguments[i] for i in places]
        results = function(*arguments)
        same(jax.jit(of_arrays)(*arrays), results)
        found = {f"out{i}": x for i, x in enumerate(results if isinstance(results, tuple) else (results,))}
        if case.get("needs"):

            def of_some(*some):
                given = dict(zip(case["needs"], some))
                return function(*(given.get(i, x) for i, x in enumerate(arguments)))

            def gradients(some, cotangents):
                primals, pull = jax.vjp(of_some, *some)
                return primals, pull(cotangents)

            some = [arguments[i] for i in case["needs"]]
            cotangents = [jnp.asarray(stored[f"g{i}"], x.dtype) for i, x in enumerate(found.values())]
            cotangents = tuple(cotangents) if isinstance(results, tuple) else cotangents[0]
            primals, made = gradients(some, cotangents)
            same(primals, results)
            same(jax.jit(gradients)(some, cotangents), (primals, made))
            found.update({f"d{i}": x for i, x in zip(case["needs"], made)})
        arrays = {key: x.astype(jnp.float32) if str(x.dtype) in HALVES else x for key, x in found.items()}
        numpy.savez(Path(folder) / f"{name}.out.npz", **arrays)


# ---- of my_lib.h ----------------------------------------------------------------------------------------------------

STATE = random(3, 5), random(12, 9), random(12), random(3, 4), random(3, 4, seed=1)
SEQUENCE = random(2, 3, 5), *STATE[1:]
IMAGES = random(3, 2, 4, 5)
SMALL = {  # function -> (of arrays alone, the arrays)
    "add": (lambda *x: module.add(*x), [random(2, 3), random(2, 3, seed=1)]),
    "scale_add": (lambda *x: module.scale_add(*x), [random(2, 3), random(2, 3, seed=1)]),
    "mul_constant": (lambda x: module.mul_constant(x, 1.7), [random(2, 3)]),
    "cube": (lambda x: module.cube(x), [random(2, 3)]),
    "linear": (lambda *x: module.linear(*x), [random(3, 5), random(4, 5), random(4)]),
    "linear without bias": (lambda *x: module.linear(*x), [random(3, 5), random(4, 5)]),
    "batch_norm2d": (lambda x: module.batch_norm2d(x, 1e-5), [IMAGES]),
    "lltm": (lambda *x: module.lltm(*x), [*STATE]),
    "lltm_sequence": (lambda *x: module.lltm_sequence(*x), [*SEQUENCE]),
}


def finite_differences():
    for function, arrays in SMALL.values():
        check_grads(function, arrays, order=1, modes=["rev"])


def total(function):
    """The sum of all results, weighted, so that no gradient is the same everywhere."""

    def of(*arrays):
        results = jax.tree.leaves(function(*arrays))
        return sum((jnp.sin(x) * (1 + jnp.arange(x.size).reshape(x.shape))).sum() for x in results)

    return of


def loop(function, axes, arrays):
    """What vmap returns, entry by entry."""
    count = next(x.shape[0] for x, axis in zip(arrays, axes) if axis == 0)
    entries = [function(*(x[i] if axis == 0 else x for x, axis in zip(arrays, axes))) for i in range(count)]
    return jax.tree.map(lambda *every: jnp.stack(every), *entries)


def batches():
    """vmap along each array alone and along all of them; of gradients, and gradients of vmap, along the first and all."""
    for name in ("add", "cube", "linear", "batch_norm2d", "lltm_sequence"):
        function, arrays = SMALL[name]
        count = len(arrays)
        gradients = jax.grad(total(function), argnums=tuple(range(count)))
        each_alone = [tuple(i == k for i in range(count)) for k in range(count)]
        for batched in dict.fromkeys([(True,) * count, *each_alone]):
            axes = tuple(0 if each else None for each in batched)
            given = [random(2, *x.shape, seed=9) if each else x for x, each in zip(arrays, batched)]
            near(jax.vmap(function, axes)(*given), loop(function, axes, given))
            if batched[0]:
                near(jax.vmap(gradients, axes)(*given), loop(gradients, axes, given))
                of_all = jax.grad(total(jax.vmap(function, axes)), argnums=0)
                near(of_all(*given), jax.grad(total(lambda *x: loop(function, axes, x)), argnums=0)(*given))
    near(jax.vmap(jax.vmap(module.cube))(IMAGES), module.cube(IMAGES))
    x = random(2, 6, 3, 5)
    near(jax.vmap(jax.vmap(lambda x: module.linear(x, *SMALL["linear"][1][1:])), in_axes=1, out_axes=1)(x),
         jnp.stack([jnp.stack([module.linear(x[i, k], *SMALL["linear"][1][1:]) for k in range(6)]) for i in range(2)]))  # fmt: skip
    none = jax.vmap(lambda x: module.lltm(x, *STATE[1:]))(random(0, 3, 5))
    assert [x.shape for x in none] == [(0, 3, 4)] * 2


def calls():
    """How often a program calls C, and whether in a loop: as the header says what is independent."""

    def text(function, *arrays):
        return jax.jit(function).lower(*arrays).as_text()

    batch = random(7, 3, 5)
    one = {
        "any shape": text(jax.vmap(module.cube), batch),
        "a batch that grows": text(jax.vmap(lambda x: module.lltm(x, *STATE[1:])), batch),
        "its gradient": text(jax.grad(lambda x: total(jax.vmap(lambda x: module.linear(x, random(4, 5))))(x)), batch),
    }
    for name, program in one.items():
        assert "stablehlo.while" not in program and program.count("stablehlo.custom_call @") <= 2, name
    each = text(jax.vmap(lambda w: module.linear(STATE[0], w)), random(7, 4, 5))
    assert "stablehlo.while" in each
    # What nobody asks for is not computed, nor kept.
    assert "my_lib_add_backward" not in text(jax.grad(total(module.add)), batch, batch)
    assert text(module.lltm, *STATE).count("tensor<3x12xf64>") == 0  # gates
    of_x = text(jax.grad(total(module.linear)), *SMALL["linear"][1])
    assert "4x5xf64>, tensor<4xf64>)" not in of_x.partition("my_lib_linear_backward")[2].partition("\n")[0]


def unused_results():
    """Their gradient is zero, or absent where C takes NULL for it."""
    for name in ("lltm", "lltm_sequence"):
        function, arrays = SMALL[name]
        for i in range(2):
            one = jax.grad(lambda *x: jnp.sin(function(*x)[i]).sum(), (0, 1))(*arrays)
            all_but = jax.grad(lambda *x: sum(jnp.sin(y).sum() * (k == i) for k, y in enumerate(function(*x))), (0, 1))
            near(one, all_but(*arrays))


def chosen_outputs():
    """Those that are named are computed, in C's order."""
    x, weight = SMALL["linear"][1][:2]
    given = x @ weight.T, x, weight, 5
    every = dict(zip(("grad_input", "grad_weight", "grad_bias"), module.my_lib_linear_backward(*given)))
    for names in (("grad_bias", "grad_input"), ("grad_weight",), ("grad_bias",)):
        found = module.my_lib_linear_backward(*given, outputs=names)
        same(found, tuple(x for name, x in every.items() if name in names) if len(names) > 1 else every[names[0]])
    same(module.my_lib_linear_backward(given[0], None, None, 5, outputs="grad_bias"), every["grad_bias"])
    h = module.lltm_forward(*STATE, outputs=["new_h", "new_cell"])
    same(h, module.lltm_forward(*STATE)[:2])
    text = jax.jit(lambda *x: module.lltm_forward(*x, outputs=["new_h", "new_cell"])).lower(*STATE).as_text()
    assert "tensor<3x12xf64>" not in text, "gates are computed"
    wrong = [("new_h",), ("new_h", "new_cell", "h"), ()]
    print(json.dumps([refused(lambda: module.lltm_forward(*STATE, outputs=names)) for names in wrong]))


def formulas():
    """Second derivatives, of arrays, numbers, saved outputs, entries and absent arrays; the first stay those of C."""
    first = {name: jax.grad(total(function))(*arrays) for name, (function, arrays) in SMALL.items()}

    @module.cube.formula
    def cube(x):
        return x**3

    @module.mul_constant.formula
    def mul_constant(x, constant):
        return x * constant

    @module.linear.formula
    def linear(x, weight, bias):
        return x @ weight.T + (0 if bias is None else bias)

    @module.batch_norm2d.formula
    def batch_norm2d(x, eps):
        mean, std = (f(x, (0, 2, 3), keepdims=True) for f in (jnp.mean, lambda *a, **k: jnp.std(*a, ddof=1, **k)))
        return (x - mean) / (std + eps)

    @module.lltm.formula
    def lltm(x, weights, bias, h, cell):
        i, o, c = jnp.split(jnp.concatenate([h, x], 1) @ weights.T + bias, 3, 1)
        cell = cell + jax.nn.elu(c) * jax.nn.sigmoid(i)
        return jnp.tanh(cell) * jax.nn.sigmoid(o), cell

    @module.lltm_sequence.formula
    def lltm_sequence(xs, weights, bias, h, cell):
        every = []
        for x in xs:
            h, cell = lltm(x, weights, bias, h, cell)
            every.append(h)
        return jnp.stack(every), h, cell

    known = {
        "cube": (cube,), "mul_constant": (mul_constant, 1.7), "linear": (linear,), "linear without bias": (linear, None),
        "batch_norm2d": (batch_norm2d, 1e-5), "lltm": (lltm,), "lltm_sequence": (lltm_sequence,),
    }  # fmt: skip
    for name in known:
        function, arrays = SMALL[name]
        same(jax.grad(total(function))(*arrays), first[name])
        formula, *more = known[name]
        two = tuple(range(min(2, len(arrays))))

        def second(f):
            return jax.grad(lambda *x: sum(jnp.cos(y).sum() for y in jax.grad(total(f), two)(*x)), two)

        by_formula = jax.jit(second(lambda *x: formula(*x, *more)))(*arrays)
        near(jax.jit(second(function))(*arrays), by_formula, 1e-9)
    near(jax.grad(jax.grad(jax.grad(module.cube)))(2.0 * jnp.ones(())), jnp.array(6.0))
    near(jax.vmap(jax.grad(jax.grad(module.cube)))(STATE[2]), 6 * STATE[2])


def scan():
    """The step in a loop of XLA is the sequence of C."""
    xs, weights, bias, h, cell = SEQUENCE

    def steps(xs, weights, bias, h, cell):
        def step(state, x):
            state = module.lltm(x, weights, bias, *state)
            return state, state[0]

        (h, cell), every = jax.lax.scan(step, (h, cell), xs)
        return every, h, cell

    near(jax.jit(steps)(*SEQUENCE), module.lltm_sequence(*SEQUENCE))
    five = tuple(range(5))
    near(jax.jit(jax.grad(total(steps), five))(*SEQUENCE), jax.grad(total(module.lltm_sequence), five)(*SEQUENCE))
    near(jax.grad(total(jax.checkpoint(steps)), five)(*SEQUENCE), jax.grad(total(steps), five)(*SEQUENCE))


def programs():
    """An exported program calls C."""
    from jax import export

    allowed = [export.DisabledSafetyCheck.custom_call("my_lib_linear_forward")]
    arrays = [each.astype(jnp.float32) for each in SMALL["linear"][1]]
    exported = export.export(jax.jit(module.linear), disabled_checks=allowed)(*arrays)
    same(exported.call(*arrays), module.linear(*arrays))


def messages():
    x = random(5, 5)
    found = {
        "other shape": refused(jax.jit(module.add), x, x[:, :4]),
        "other size": refused(module.lltm, STATE[0], STATE[1], random(3), *STATE[3:]),
        "other dtype": refused(module.add, x, x.astype(jnp.float32)),
        "other half": refused(module.add, x.astype(jnp.float16), x.astype(jnp.bfloat16)),
        "no variant": refused(module.add, x.astype(jnp.int32), x.astype(jnp.int32)),
        "refused by C": refused(jax.jit(lambda x: module.batch_norm2d(x, -1.0)), IMAGES),
        "None": refused(module.add, x, None),
        "no array": refused(module.add, x, 1.0),
        "traced number": refused(jax.jit(module.mul_constant), x, 1.7),
        "no number": refused(module.mul_constant, x, [1.0]),
        "no derivative": refused(jax.grad(lambda x: module.my_lib_add_forward(x, x).sum()), x),
        "second derivative": refused(jax.grad(lambda x: jax.grad(total(module.cube))(x).sum()), x),
        "forward mode": refused(jax.jvp, module.cube, (x,), (x,)),
    }
    call = jax.ffi.ffi_call("my_lib_add_forward", jax.ShapeDtypeStruct((5, 5), x.dtype))
    found["no arrays"] = refused(call, x, x)
    found["few arrays"] = refused(lambda x: call(x, **{"torchthaw.arrays": numpy.int64(-1)}), x)
    print(json.dumps(found))


def without_x64():
    """float32 and 16 bits, with numbers of 64 bits; what needs 64-bit arrays says so."""
    x = random(2, 3, dtype=jnp.float32)
    assert not jax.config.jax_enable_x64
    same(module.mul_constant(x, 0.1), x * numpy.float32(0.1))
    near(jax.grad(total(module.lltm))(*(each.astype(jnp.float32) for each in STATE)).sum(), jnp.float32(0), 1e9)
    assert module.add(numpy.ones(3), numpy.ones(3)).dtype == jnp.float32  # as JAX takes arrays


# ---- of kinds.h -----------------------------------------------------------------------------------------------------


def kinds():
    x = jnp.arange(6.0, dtype=jnp.float32).reshape(2, 3)
    for keep, expected in ((False, x / 2), (True, x)):
        changed, y = module.kinds_scale(x, 0.5, keep)
        same(changed, expected)
        assert y.shape == (4, 2) and (y == 0.5).all()
    same(x, jnp.arange(6.0, dtype=jnp.float32).reshape(2, 3))  # what is read and written is copied
    z, count = module.kinds_broadcast(jnp.ones((4, 1, 3), jnp.float32), jnp.ones((2, 1), jnp.float32))
    assert z.shape == (4, 2, 3) and count == 24 and count.dtype == jnp.int64
    ones = jnp.ones(5, jnp.float32)
    same(jax.jit(lambda x: module.kinds_fill(x, (2, 2), 2, 0))(ones), jnp.full((2, 2), 5.0, jnp.float32))
    assert module.kinds_fill(ones, (), 0, 0).shape == ()
    same(module.kinds_empty(ones[:2]), jnp.full(2, 2.0, jnp.float32))
    same(module.kinds_i64(jnp.array([1, -2])), jnp.array([-1, 2]))
    same(module.kinds_i64(jnp.array([True])), jnp.array([False]))
    same(jax.vmap(module.kinds_i64)(jnp.arange(6).reshape(2, 3)), -jnp.arange(6).reshape(2, 3))
    of_library = module.kinds_threads(ones, 0)
    limited = jax.jit(lambda x: module.kinds_threads(x, 0))
    module.num_threads = 2
    same([limited(ones), module.kinds_threads(ones, 0)], [jnp.full(5, 2, jnp.int32)] * 2)
    module.num_threads = 0
    assert (limited(ones) == 2).all(), "it was traced before"
    same(module.kinds_threads(ones, 0), of_library)
    assert (of_library != 2).all()
    found = {
        "fits": refused(lambda: module.kinds_fill(ones, (2,), 1, 2**31)),
        "64 bits": refused(lambda: module.kinds_fill(ones, (2**63,), 1, 0)),
        "sizes": refused(lambda: module.kinds_fill(ones, (2.5,), 1, 0)),
        "fails": refused(lambda: module.kinds_fill(ones, (2,), 1, 1)),
    }
    jax.config.update("jax_enable_x64", False)
    found["x64"] = refused(module.kinds_broadcast, ones, ones)
    print(json.dumps(found))


# ---- of pairs.h -----------------------------------------------------------------------------------------------------


def pairs():
    x = random(3, 4)
    check_grads(module.square, [x], order=2, modes=["rev"])
    same(jax.vmap(jax.grad(jax.grad(module.square)))(x[0]), jnp.full(4, 2.0))
    near(jax.jit(jax.jacrev(jax.grad(lambda x: module.square(x).sum())))(x[0]), 2 * jnp.eye(4))
    rows = random(3, 4, dtype=jnp.float32)
    value, place = module.largest(rows)
    same((value, place), (rows.max(1), rows.argmax(1)))
    same(jax.grad(lambda x: module.largest(x)[0].sum())(rows), jnp.asarray(jax.nn.one_hot(place, 4), jnp.float32))
    same(jax.vmap(module.largest)(random(2, 3, 4, dtype=jnp.float32))[1], random(2, 3, 4, dtype=jnp.float32).argmax(2))
    mask = jnp.array([1.0, 0.0, 2.0], jnp.float32)
    same(jax.grad(lambda x: module.masked(x, mask).sum())(mask), mask)
    same(jax.grad(lambda x: (mask.astype(int) * x).sum() + module.masked(x, mask).sum())(mask), 2 * mask)
    three = random(2, 5, 3)
    same(jax.vmap(module.minus)(three), -three)
    assert "stablehlo.while" not in jax.jit(jax.vmap(module.minus)).lower(three).as_text()
    same(jax.vmap(module.minus_one)(three[0, :, 0]), -three[0, :, 0])
    print(json.dumps({"mask": refused(jax.grad(lambda m: module.masked(mask, m).sum()), mask)}))


# ---- of turn.h ------------------------------------------------------------------------------------------------------


def turn():
    """JAX's gradients are the conjugates of PyTorch's, in whose convention a backward in C is."""
    x = random(3) + 1j * random(3, seed=1)

    def same_in_jax(x):
        return (2 + 1j) * x + jnp.conj(x)

    same(module.turn(x), same_in_jax(x))
    for real in (jnp.real, jnp.imag, jnp.abs):
        near(*(jax.grad(lambda x: real(f(x)).sum())(x) for f in (module.turn, same_in_jax)))
    given = random(3, seed=2) + 1j * random(3, seed=3)
    near(*(jax.vjp(f, x)[1](given) for f in (module.turn, same_in_jax)))
    check_grads(module.turn, [x], order=1, modes=["rev"])


# ---- of a header with every type of integers ------------------------------------------------------------------------


def integers(dtypes):
    for dtype, most in json.loads(dtypes).items():
        add_one = getattr(module, f"types_{dtype}")
        x = jnp.array([1, most], dtype)
        for y in (add_one(x), jax.jit(add_one)(x), jax.vmap(add_one)(x[None])[0]):
            assert y.dtype == dtype and y.tolist() == [2, most + 1], (dtype, y)


globals()[what](*rest)
assert "torch" not in sys.modules
