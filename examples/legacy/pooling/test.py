"""test.py: values against plain torch, gradients against differences, and errors."""

import sys

import torch
import torch.nn.functional as F
from _ext import pooling
from functions.pooling import MaxUnpoolFunction, library
from modules.pooling import MaxPool, MaxUnpool, RobustLoss
from torch.autograd import Variable, gradcheck


def same(a, b):
    return a.size() == b.size() and (a.double() - b.double()).abs().max() < 1e-6


def test_values():
    for kernel, stride in ((2, 2), (3, 1), (3, 2)):
        input = Variable(torch.randn(2, 3, 7, 9))
        output, indices = MaxPool(kernel, stride)(input)
        expected, places = F.max_pool2d(input, kernel, stride, return_indices=True)
        assert same(output.data, expected.data) and same(indices.data, places.data)


def test_layouts():
    image = torch.randn(2, 9, 7, 3)
    pool = MaxPool(2)
    for other in (image.transpose(1, 3), image[:, 1:, 2:], image.transpose(2, 3)):
        output, indices = pool(Variable(other))
        expected, places = pool(Variable(other.clone().contiguous()))
        assert same(output.data, expected.data) and same(indices.data, places.data)
        unpooled = MaxUnpool()(output, indices, other.size())
        expected = F.max_unpool2d(output, indices, 2, output_size=other.size())
        assert same(unpooled.data, expected.data)
        turned = MaxUnpool()(output.transpose(2, 3), indices.transpose(2, 3), other.size())
        assert same(turned.data, expected.data)
        swapped = MaxUnpool()(output.transpose(0, 1), indices.transpose(0, 1), other.size())
        assert same(swapped.data, expected.data.transpose(0, 1))


def test_gradient():
    image = Variable(torch.randperm(2 * 2 * 5 * 6).double().view(2, 2, 5, 6), requires_grad=True)
    assert gradcheck(lambda x: MaxPool(3, 1)(x)[0], (image,), eps=1e-3)
    values, indices = MaxPool(2)(image)
    values = Variable(values.data, requires_grad=True)
    assert gradcheck(lambda x: MaxUnpoolFunction.apply(x, indices, 5, 6), (values,))
    assert gradcheck(lambda x: RobustLoss(0.5)(x, image.detach()), (image * 0.9,))


def test_against_torch():
    image = torch.randn(2, 3, 8, 8)
    results = []
    for pool in (MaxPool(3, 2), lambda x: F.max_pool2d(x, 3, 2, return_indices=True)):
        input = Variable(image.clone(), requires_grad=True)
        output, indices = pool(input)
        (output * output).sum().backward()
        results.append(input.grad.data)
    assert same(*results)


def test_labels():
    labels = torch.ByteTensor([[1, 2], [3, 4]]).view(1, 1, 2, 2)
    places = torch.LongTensor([[0, 3], [12, 15]]).view(1, 1, 2, 2)
    expected = [[1, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0], [3, 0, 0, 4]]
    for name in ("Byte", "Char", "Short", "Int", "Long", "Float", "Double"):
        typed = labels.type("torch.%sTensor" % name)
        output = typed.new()
        assert library(typed, "unpool")(typed, places, output, 4, 4) == 1
        assert output.type() == typed.type() and output[0][0].tolist() == expected


def test_training():
    torch.manual_seed(0)
    pool, unpool, loss_function = MaxPool(2), MaxUnpool(), RobustLoss(0.1)
    weight = Variable(torch.ones(1), requires_grad=True)
    image = Variable(torch.randn(4, 2, 6, 6))
    target = F.max_pool2d(image, 2) * 3
    losses = []
    for _ in range(100):
        output, indices = pool(image * weight)
        loss = loss_function(output, target)
        loss.backward()
        weight.data -= 0.002 * weight.grad.data
        weight.grad.data.zero_()
        losses.append(loss.data.sum())
    assert unpool(output, indices, image.size()).size() == image.size()
    assert (weight.data - 3).abs().sum() < 0.1 and losses[-1] < 0.2 * losses[0]


def test_errors():
    wrong = (
        (lambda: MaxPool(2)(Variable(torch.randn(3, 4))), "invalid argument 1: expected a batch of images (4D), got 2D"),
        (lambda: MaxPool(5)(Variable(torch.randn(1, 1, 4, 4))), "invalid argument 1: images are smaller"),
        (lambda: MaxPool(2, -1)(Variable(torch.randn(1, 1, 4, 4))), "invalid argument 5: expected a positive stride"),
        (lambda: pooling.pooling_Float_unpool(torch.ones(1, 1, 1, 1), torch.LongTensor([9]).view(1, 1, 1, 1),
                                              torch.FloatTensor(), 3, 3), "invalid argument 2: an index is outside"),
        (lambda: RobustLoss(0)(Variable(torch.ones(1)), Variable(torch.ones(1))), "invalid argument 3"),
    )
    for call, message in wrong:
        try:
            call()
        except torch.FatalError as error:
            assert message in str(error), str(error)
        else:
            raise AssertionError("no error: " + message)


if __name__ == "__main__":
    assert pooling.pooling_version() == 2
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            test()
            print(name)
    sys.stdout.write("ok\n")
