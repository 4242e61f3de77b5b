import unittest

import torch
from resampling import Pyramid, Shift, Weighted, repeat, shift, weighted
from torch.autograd import Variable


def leaf(*rows):
    return Variable(torch.FloatTensor(rows), requires_grad=True)


class ResamplingTest(unittest.TestCase):
    def check(self, output, rows):
        self.assertEqual(output.data.tolist(), rows)

    def test_repeat(self):
        x = leaf([1, 2], [3, 4])
        y = repeat(x, 2)
        self.check(y, [[1, 1, 2, 2], [3, 3, 4, 4]])
        y.sum().backward()
        self.check(x.grad, [[2, 2], [2, 2]])
        self.check(repeat(x), [[1, 2], [3, 4]])

    def test_repeat_twice_and_scaled(self):
        x = leaf([1, 2])
        y = repeat(x, 2, 3, scale=0.5)
        self.check(y, [[0.25] * 6 + [0.5] * 6])
        y.sum().backward()
        self.check(x.grad, [[1.5, 1.5]])

    def test_unknown_option(self):
        self.assertRaises(TypeError, repeat, leaf([1]), 2, scales=2)

    def test_shift(self):
        x = leaf([1, 2, 3])
        self.check(shift(x), [[0, 1, 2]])
        y = shift(x, 2, fill=7)
        self.check(y, [[7, 7, 1]])
        y.sum().backward()
        self.check(x.grad, [[1, 0, 0]])
        self.check(Shift(-1, fill=9)(x), [[2, 3, 9]])
        self.check(Shift()(x), [[0, 1, 2]])

    def test_weighted(self):
        x, y = leaf([1, 2]), leaf([10, 20])
        z = Weighted(0.5, 2)(x, y)
        self.check(z, [[20.5, 41]])
        z.sum().backward()
        self.check(x.grad, [[0.5, 0.5]])
        self.check(y.grad, [[2, 2]])
        self.check(weighted([x, y, x], [1, 1, 1]), [[12, 24]])

    def test_pyramid(self):
        x = leaf([4, 8])
        for output, rows in zip(Pyramid(2, 4)(x), ([[2, 2, 4, 4]], [[1] * 4 + [2] * 4], [[4] * 8 + [8] * 8])):
            self.check(output, rows)


if __name__ == "__main__":
    unittest.main()
