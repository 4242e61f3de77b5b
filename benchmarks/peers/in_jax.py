"""benchmarks/peers/in_jax.py: an LLTM step in JAX, in a process of its own: python -m benchmarks.peers.in_jax '[SHAPE, SECONDS]'

The last line that it prints is JSON: the groups.
"""

import json
import sys
from dataclasses import asdict

import jax
import my_lib_jax
from jax import numpy as jnp

from benchmarks.harness import Contender, Effort, compare


def formula(input, weights, bias, old_h, old_cell):
    i, o, c = jnp.split(jnp.concatenate([old_h, input], 1) @ weights.T + bias, 3, 1)
    new_cell = old_cell + jax.nn.elu(c) * jax.nn.sigmoid(i)
    return jnp.tanh(new_cell) * jax.nn.sigmoid(o), new_cell


def main(shape, seconds):
    batch, input_size, state_size = shape
    sizes = (batch, input_size), (3 * state_size, state_size + input_size), (3 * state_size,), (batch, state_size)
    keys = jax.random.split(jax.random.key(0), 5)
    arrays = [0.1 * jax.random.normal(key, size) for key, size in zip(keys, (*sizes, sizes[-1]))]
    groups, steps = [], {"torchthaw": my_lib_jax.lltm, "jax.numpy": formula}

    def gradients(step):
        return jax.grad(lambda *x: sum(y.sum() for y in step(*x)), argnums=range(5))

    for case, programs in (
        ("LLTM step under jax.jit", {name: jax.jit(step) for name, step in steps.items()}),
        ("LLTM gradient under jax.jit", {name: jax.jit(gradients(step)) for name, step in steps.items()}),
    ):
        ours, theirs = (program(*arrays) for program in programs.values())
        assert all(jnp.allclose(x, y, 1e-4, 1e-4) for x, y in zip(ours, theirs, strict=True)), "jax.numpy differs"
        contenders = [
            Contender(name, lambda program=program: jax.block_until_ready(program(*arrays)))
            for name, program in programs.items()
        ]
        effort = Effort(group_seconds=seconds)
        groups.append(asdict(compare("hosts", case, ", ".join(map(str, shape)), contenders, effort)))
    print(json.dumps(groups))


if __name__ == "__main__":
    main(*json.loads(sys.argv[1]))
