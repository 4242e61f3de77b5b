import unittest

import torch
from resampling.functional import by_name, shifted_back
from torch.autograd import Variable


class ByNameTest(unittest.TestCase):
    def test_by_name(self):
        x = Variable(torch.FloatTensor([[1, 2]]), requires_grad=True)
        self.assertEqual(by_name("repeat", x, 2).data.tolist(), [[1, 1, 2, 2]])
        y = by_name("shift", x, 1)
        self.assertEqual(y.data.tolist(), [[0, 1]])
        y.sum().backward()
        self.assertEqual(x.grad.data.tolist(), [[1, 0]])

    def test_shifted_back(self):
        x = Variable(torch.FloatTensor([[1, 2, 3]]))
        self.assertEqual(shifted_back(x).data.tolist(), [[0, 2, 3]])
        self.assertEqual(shifted_back(x, by=2, fill=5).data.tolist(), [[5, 5, 2]])


if __name__ == "__main__":
    unittest.main()
