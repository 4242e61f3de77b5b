"""use.py: each function gives numbers, which must be the same before and after."""

import torch
from layers.any_number import Ignores, Joined, Polynomial, View
from layers.families import Cube, Fifth, Fourth, Mean, Power, Square, Twice, Weighted
from layers.kinds import Half, HandsOn, InPlace, Largest, Many, Needed, Optional, Plain, Scale, Third
from layers.native import NativeScale, StaticScale
from torch import nn
from torch.autograd import Function, Variable


def leaves(count=1):
    torch.manual_seed(3)
    return [Variable(torch.randn(3, 4), requires_grad=True) for _ in range(count)]


def gradients(inputs, output):
    (output * output).sum().backward()
    return [output.data, *(input.grad.data for input in inputs if input.grad is not None)]


class Net(nn.Module):
    def __init__(self, factor):
        super(Net, self).__init__()
        self.scale = Scale(factor, squared=True)
        self.many = Many(shift=2, weight=3)
        self.plain = Plain()
        self.optional = Optional(k=4)
        self.listed = [Scale(k) for k in (1, 2, 3)]

    def forward(self, x, y):
        x = self.optional(self.scale(x))
        for scale in self.listed:
            x = scale(x)
        return self.plain(self.many(x, y), y)


def half(factor):
    return Half(factor, bias=1.0)


def of_net():
    x, y = leaves(2)
    return gradients((x, y), Net(2)(x, y))


def of_direct_calls():
    x, y = leaves(2)
    z = Plain()(x, y)
    z = Scale(3)(z)
    z = Scale(bias=2.0, factor=3)(z)
    z = Many(2)(z, y, x)
    return gradients((x, y), Optional(3)(z, y))


def of_inheritance():
    x, = leaves()
    return gradients((x,), Third(3)(half(2)(x)))


def of_any_number_of_arguments():
    x, = leaves()
    sizes = 2, 6
    return gradients((x,), View(12)(View(2, 3, *sizes[:1])(View(*sizes)(x))))


def of_arguments_and_keywords():
    x, y = leaves(2)
    options = {"shift": 5}
    z = Polynomial()(x) + Polynomial(2)(x) + Polynomial(2, 1, 0.5)(x) + Polynomial(3, 1, 2, shift=1, times=2)(y)
    return gradients((x, y), z + Polynomial(scale=2, times=3)(y) + Polynomial(1, *(2, 3), **options)(x))


def of_many_of_both():
    x, y = leaves(2)
    weights = [2, 3]
    z = Joined(*weights)(x, y) + Joined(1, 2, by=3)(x, y) + Joined(4)(x)
    return gradients((x, y), Ignores(3)(z))


def of_keywords_that_are_kept():
    x, = leaves()
    f = Polynomial(1, 2, 3, times=4)
    fs = [Polynomial(k, *range(k), shift=k) for k in (1, 2)]
    return gradients((x,), f(x) + f(x) + sum(g(x) for g in fs))


def of_kept_in_a_variable():
    x, y = leaves(2)
    f = Needed(3)
    g = f
    return gradients((x, y), f(x, g(x.detach(), y)))


def called(x, y, k):
    f = Needed(
        k)  # k is the factor
    if k:
        return f(x, y)
    return f(y, x)


def of_kept_in_a_function():
    x, y = leaves(2)
    return gradients((x, y), called(x, y, 3))


def of_two_outputs():
    x, = leaves()
    values, indices = Largest(1)(x)
    return gradients((x,), values) + [indices]


def of_an_input_in_place():
    x, = leaves()
    return gradients((x,), InPlace(3)(x * 1))


def of_c_behind_a_sum():
    x, = leaves()
    NativeScale(3)(x).sum().backward()
    y, = leaves()
    StaticScale.apply(y, 2).sum().backward()
    return [x.grad.data, y.grad.data]


def of_arguments_on_lines():
    x, y = leaves(2)
    return gradients((x, y), Needed(
        2,  # the factor
    )(
        x,  # the first
        y,
    ))


def power_of(factor):
    """A Function with variables of the function that defines it."""
    class Inner(Function):
        def __init__(self, power=1):
            self.power = power

        def forward(self, x):
            self.save_for_backward(x)
            return factor * x ** self.power

        def slope(self, x):
            return factor * self.power * x ** (self.power - 1)

        def backward(self, grad):
            x, = self.saved_tensors
            return grad * self.slope(x)

    return Inner(3)


class Inside(nn.Module):
    def forward(self, x):
        factor = 5

        class Inner(Function):
            def __init__(self, shift): self.shift = shift

            def forward(self, x):
                return x * factor + self.shift

            def backward(self, grad):
                return grad * factor

        class Below(Half):
            pass

        return Below(2)(Inner(2)(x))


def of_functions_inside_of_functions():
    x, = leaves()
    return gradients((x,), Inside()(power_of(2)(x)))


def of_arguments_that_are_handed_on():
    x, = leaves()
    return gradients((x,), HandsOn()(HandsOn(2)(x)))


def of_several_inits():
    x, y = leaves(2)
    square = Square(2, 1)
    z = Power(3)(x, y) + Power(2, scale=3)(y) + square(x) + Square(1, 2, 3, times=4)(y, x)
    z = z + Cube()(x) + Cube(-2)(y) + Fourth(3)(x) + Fifth(scale=2)(y) + Fifth()(x)
    return gradients((x, y), z + Mean(by=3)(y))


def of_an_init_below_forward():
    x, y = leaves(2)
    return gradients((x, y), Weighted(3)(x, y) + Twice(3)(x, y) + Twice(2)(y))


from values import *  # noqa: E402, F403

CASES = {name: value for name, value in globals().items() if name.startswith("of_")}
