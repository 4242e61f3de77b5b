"""tests/guide/test_autograd_functions.py: lessons on torch.autograd.Function, one test for each."""

import pytest
import torch
from torch.autograd import Function, gradcheck, gradgradcheck
from torch.autograd.function import once_differentiable

import functions


def leaf(*shape):
    return torch.randn(shape, dtype=torch.float64, requires_grad=True)


# -- two ways to write forward


class CombinedLinear(Function):
    """y = x W^T + b, with ``ctx`` as the first argument of forward."""

    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_output.mm(weight) if ctx.needs_input_grad[0] else None
        grad_weight = grad_output.t().mm(input) if ctx.needs_input_grad[1] else None
        grad_bias = grad_output.sum(0) if bias is not None and ctx.needs_input_grad[2] else None
        return grad_input, grad_weight, grad_bias


class SeparateLinear(Function):
    """The same with ``setup_context``: forward knows nothing of autograd, so torch.func can transform it."""

    generate_vmap_rule = True

    @staticmethod
    def forward(input, weight, bias):
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    backward = CombinedLinear.backward


def test_combined_forward_and_setup_context_agree():
    input, weight, bias = leaf(3, 4), leaf(5, 4), leaf(5)
    combined, separate = CombinedLinear.apply(input, weight, bias), SeparateLinear.apply(input, weight, bias)
    ours = functions.LinearFunction.apply(input, weight, bias)
    torch.testing.assert_close(combined, separate)
    torch.testing.assert_close(combined, ours)
    for function in (CombinedLinear, SeparateLinear, functions.LinearFunction):
        assert gradcheck(function.apply, (input, weight, bias))
        assert gradgradcheck(function.apply, (input, weight, bias))


def test_only_setup_context_serves_torch_func():
    input, weight, bias = torch.randn(3, 4), torch.randn(5, 4), torch.randn(5)

    def loss(function):
        return torch.func.grad(lambda weight: function.apply(input, weight, bias).sum())(weight)

    for function in (SeparateLinear, functions.LinearFunction):  # the latter's apply takes another Function for this
        torch.testing.assert_close(loss(function), torch.ones(3, 5).t() @ input)
    with pytest.raises(RuntimeError, match="setup_context"):
        loss(CombinedLinear)


@pytest.mark.parametrize("needs", [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1) if a or b or c])
@pytest.mark.parametrize("function", [CombinedLinear, SeparateLinear, functions.LinearFunction])
def test_needs_input_grad_subsets(function, needs):
    arguments = [
        tensor.detach().requires_grad_(bool(need)) for tensor, need in zip((leaf(3, 4), leaf(5, 4), leaf(5)), needs)
    ]
    output = function.apply(*arguments)
    assert output.grad_fn.needs_input_grad == tuple(map(bool, needs))
    gradients = function.backward(output.grad_fn, torch.ones_like(output))
    assert tuple(gradient is not None for gradient in gradients) == tuple(map(bool, needs))


# -- gradients that are not there


def test_materialize_grads_turns_missing_gradients_into_zeros():
    seen = []

    class Pair(Function):
        @staticmethod
        def forward(ctx, x, materialize):
            ctx.set_materialize_grads(materialize)
            return x.clone(), x.clone()

        @staticmethod
        def backward(ctx, first, second):
            seen.append((first, second))
            return first, None

    for materialize in (True, False):
        Pair.apply(leaf(2), materialize)[0].sum().backward()
    assert torch.equal(seen[0][1], torch.zeros(2, dtype=torch.float64))
    assert seen[1][1] is None


def test_mul_constant_passes_none_through():
    class Undefined(Function):  # its input gets no gradient, so neither does what stands before it
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad_output):
            return None

    x = leaf(3)
    Undefined.apply(functions.MulConstantFunction.apply(x, 2.0)).sum().backward()
    assert x.grad is None


# -- what forward has to declare


class AddOne(Function):
    """In place: x += 1."""

    @staticmethod
    def forward(ctx, x, declare):
        x.add_(1)
        if declare:
            ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None


def test_mark_dirty():
    start = leaf(3)
    x = start.clone()
    y = AddOne.apply(x, True)
    assert y is x and type(y.grad_fn).__name__ == "AddOneBackward"
    y.pow(2).sum().backward()
    torch.testing.assert_close(start.grad, 2 * (start + 1))


def test_mark_dirty_guards_what_was_saved_before():
    x = leaf(3).clone()
    square = x.pow(2)  # saves x
    AddOne.apply(x, True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        square.sum().backward()


def test_without_mark_dirty_the_result_is_a_view_and_not_the_input():
    x = leaf(3).clone()
    assert AddOne.apply(x, False) is not x


def test_mark_dirty_refuses_a_leaf():
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        AddOne.apply(leaf(3), True)


def test_mark_non_differentiable():
    class Sort(Function):
        @staticmethod
        def forward(ctx, x):
            values, index = x.sort()
            ctx.mark_non_differentiable(index)
            ctx.save_for_backward(index)
            return values, index

        @staticmethod
        def backward(ctx, grad_values, grad_index):
            (index,) = ctx.saved_tensors
            assert torch.equal(grad_index, torch.zeros_like(index))  # materialised, and to be ignored
            return torch.zeros_like(grad_values).index_put((index,), grad_values)

    x = leaf(5)
    values, index = Sort.apply(x)
    assert values.requires_grad and not index.requires_grad
    assert gradcheck(lambda x: Sort.apply(x)[0], (x,))


# -- gradients of gradients


class WrongCube(Function):
    """x^3 whose backward is right once only: 3 x^2 is computed in forward, where autograd does not see it."""

    @staticmethod
    def forward(ctx, x):
        ctx.derivative = 3 * x**2
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.derivative


def test_wrong_cube_fails_gradgradcheck():
    x = leaf(4)
    assert gradcheck(WrongCube.apply, (x,))
    with pytest.raises(RuntimeError, match="not reentrant|Jacobian mismatch|differentiable"):
        gradgradcheck(WrongCube.apply, (x,))
    # The second derivative is not an error but a wrong number, which is worse: 0 for 6 x.
    (first,) = torch.autograd.grad(WrongCube.apply(x).sum(), x, create_graph=True)
    assert not first.requires_grad


def test_right_cube_passes_gradgradcheck():
    x = leaf(4)
    assert gradgradcheck(lambda x: functions.CubeFunction.apply(x), (x,))
    (first,) = torch.autograd.grad(functions.CubeFunction.apply(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    torch.testing.assert_close(second, 6 * x)


def penalised(function, x):
    """f(x) + f'(x)^2, summed, and its gradient. By hand for f = exp: e^x + 2 e^2x."""
    value = function.apply(x).sum()
    (slope,) = torch.autograd.grad(value, x, create_graph=True)
    (gradient,) = torch.autograd.grad(value + slope.square().sum(), x)
    return gradient


def make_exp(decorator):
    class Exp(Function):
        @staticmethod
        def forward(ctx, x):
            output = x.exp()
            ctx.save_for_backward(output)
            return output

        @staticmethod
        @decorator
        def backward(ctx, grad_output):
            (output,) = ctx.saved_tensors
            return grad_output * output

    return Exp


def test_second_backward_through_once_differentiable_is_an_error():
    x, grad_output = leaf(3), leaf(3)
    (gradient,) = torch.autograd.grad(make_exp(once_differentiable).apply(x), x, grad_output, create_graph=True)
    with pytest.raises(RuntimeError, match="differentia"):
        gradient.sum().backward()


def test_behind_a_sum_once_differentiable_gives_a_wrong_value():
    x = leaf(3)
    right = penalised(make_exp(lambda backward: backward), x)
    torch.testing.assert_close(right, x.exp() + 2 * (2 * x).exp())
    # PyTorch's decorator looks at grad_output only, and behind .sum() that is a constant.
    assert not torch.allclose(penalised(make_exp(once_differentiable), x), right)


# -- z = 2 x + y


def test_z_is_two_x_plus_y():
    x, y = leaf(3), leaf(3)
    z = functions.ScaleAddFunction.apply(x, y)
    torch.testing.assert_close(z, 2 * x + y)
    z.backward(torch.tensor([1.0, 10.0, 100.0], dtype=torch.float64))
    assert x.grad.tolist() == [2.0, 20.0, 200.0]
    assert y.grad.tolist() == [1.0, 10.0, 100.0]


def test_add_passes_grad_output_through_where_the_old_sample_wrote_ones():
    x, y = leaf(3), leaf(3)
    (3 * functions.MyAddFunction.apply(x, y)).sum().backward()
    assert x.grad.tolist() == y.grad.tolist() == [3.0, 3.0, 3.0]
