# bindings/host-jax/check.py: the test program of JAX: version, vectors, marks, threads, time, own.
import timeit
from pathlib import Path

import jax
import my_lib_jax
import vectors
from jax import numpy as jnp
from vectors import READ, WRITTEN


def call(function, given, wanted, **numbers):
    """{name: array} of the outputs ``wanted``. given: {name: array or None}."""
    some = {} if len(wanted) == len(WRITTEN[function]) else {"outputs": wanted}
    arrays = {name: None if x is None else jnp.asarray(x) for name, x in given.items()}
    made = getattr(my_lib_jax, function)(**arrays, **numbers, **some)
    return dict(zip(wanted, made if isinstance(made, tuple) else [made]))


def replay(entry, folder):
    given, expected = entry.arrays(folder)
    wanted = [name for name, x in expected.items() if x is not None]
    entry.compare(call(entry.function, given, wanted, **entry.number()), expected)


def add_refuses(*arrays):
    try:
        add(*arrays)
    except ValueError as error:
        return str(error)
    raise AssertionError("expected ValueError, got none")


def mark(function, arrays):
    given = dict(zip(READ[function], map(jnp.asarray, arrays)))
    return [*given.values(), *call(function, given, WRITTEN[function]).values()]


def linear(input, weight):
    return my_lib_jax.my_lib_linear_forward(jnp.asarray(input), jnp.asarray(weight))


def add(one, other):
    return my_lib_jax.my_lib_add_forward(jnp.asarray(one), jnp.asarray(other))


def call_time(operator):
    """The least time of a call that adds 25 numbers in a program: what a long chain takes more than a short one."""

    def chain(count):
        def program(x, one):
            for _ in range(count):
                x = jax.lax.optimization_barrier(operator(x, one))  # else XLA makes one loop of its own additions
            return x

        return jax.jit(program)

    x = jnp.ones(25, jnp.float32)
    programs = {count: chain(count) for count in (1, 201)}
    least = dict.fromkeys(programs, float("inf"))
    for _ in range(500):
        for count, each in programs.items():
            least[count] = min(least[count], timeit.timeit(lambda: each(x, x).block_until_ready(), number=1))
    return (least[201] - least[1]) / 200 * 1e9


def time():
    print(f"time {call_time(my_lib_jax.my_lib_add_forward):.1f}")


def own():
    print(f"own {call_time(jnp.add):.1f}")


if __name__ == "__main__":
    library = Path(my_lib_jax.__file__).with_name("libmy_lib_jax.so")
    vectors.host(library, replay, mark, linear, add, add_refuses, time=time, own=own)
