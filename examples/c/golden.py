# examples/c/golden.py: writes golden.h, what lltm_step.c must compute, from PyTorch's autograd in float64.
#
#     python examples/c/golden.py > examples/c/golden.h
import torch

BATCH, INPUT_SIZE, STATE_SIZE, LEARNING_RATE = 3, 5, 4, 0.125


def numbers(first, *shape):
    """The same numbers as fill() in lltm_step.c: exact in binary, between -0.8 and 0.8."""
    count = torch.Size(shape).numel()
    return ((torch.arange(first, first + count, dtype=torch.float64) * 37) % 103 - 51).div(64).reshape(shape)


def lltm(input, weights, bias, old_h, old_cell):
    gates = torch.cat([old_h, input], dim=1) @ weights.t() + bias
    input_gate, output_gate, candidate = gates.chunk(3, dim=1)
    new_cell = old_cell + torch.nn.functional.elu(candidate) * torch.sigmoid(input_gate)
    return torch.tanh(new_cell) * torch.sigmoid(output_gate), new_cell


def step():
    """One step of gradient descent on half the squared norm of the new state; every number that it yields."""
    input = numbers(0, BATCH, INPUT_SIZE)
    weights = numbers(100, 3 * STATE_SIZE, STATE_SIZE + INPUT_SIZE).requires_grad_()
    bias = numbers(300, 3 * STATE_SIZE).requires_grad_()
    old_h, old_cell = numbers(400, BATCH, STATE_SIZE), numbers(500, BATCH, STATE_SIZE)

    def loss_of(new_h, new_cell):
        return (new_h.square().sum() + new_cell.square().sum()) / 2

    new_h, new_cell = lltm(input, weights, bias, old_h, old_cell)
    loss = loss_of(new_h, new_cell)
    loss.backward()
    with torch.no_grad():
        weights -= LEARNING_RATE * weights.grad
        bias -= LEARNING_RATE * bias.grad
        loss_after = loss_of(*lltm(input, weights, bias, old_h, old_cell))
    return {
        "new_h": new_h,
        "new_cell": new_cell,
        "weights_after": weights,
        "bias_after": bias,
        "loss_before": loss,
        "loss_after": loss_after,
    }


def header():
    lines = ["/* examples/c/golden.h: the numbers of one LLTM training step; written by golden.py, not by hand. */", ""]
    for name in ("BATCH", "INPUT_SIZE", "STATE_SIZE", "LEARNING_RATE"):
        lines.append(f"#define {name} {globals()[name]}")
    for name, tensor in step().items():
        values = [f"{value:.8e}f" for value in tensor.detach().flatten().tolist()]
        lines += ["", f"static const float golden_{name}[{len(values)}] = {{"]
        lines += ["    " + ", ".join(values[i : i + 6]) + "," for i in range(0, len(values), 6)]
        lines.append("};")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(header(), end="")
