# What the rules beside that of Functions change, in code that gives numbers.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch._six import inf, string_classes
from torch.autograd import Variable
from torch.nn.init import constant


def evaluated(net, x):
    x = Variable(x, volatile=True)
    out = net(x)
    assert not out.requires_grad
    return out


def of_volatile():
    torch.manual_seed(1)
    net = nn.Linear(3, 2)
    nn.init.uniform(net.weight)
    constant(net.bias, 1)
    return [evaluated(net, torch.ones(4, 3)).data, net(Variable(torch.ones(4, 3))).data]


def of_losses():
    torch.manual_seed(2)
    x = Variable(torch.randn(3, 4), requires_grad=True)
    loss = F.mse_loss(F.tanh(x), Variable(torch.zeros(3, 4)), size_average=False)
    loss.backward(retain_variables=True)
    loss.backward()
    total = 0
    total += loss.data[0]
    norm = nn.utils.clip_grad_norm([x], 1.0)
    assert loss.creator is not None
    return [torch.FloatTensor([total, norm]), x.grad.data]


def of_integers():
    values, indices = torch.FloatTensor([[1, 7, 3, 9, 5, 2], [8, 2, 4, 6, 1, 3]]).topk(3)
    rows = indices / 2
    numbers = torch.LongTensor([-7, -2, 3, 9])
    halves = numbers / 2 / 1
    numbers /= 4
    return [rows, halves, numbers, values / 2, indices.div(3)]


def of_corners():
    image = Variable(torch.arange(16).float().view(1, 1, 4, 4))
    theta = Variable(torch.FloatTensor([[[0.5, 0.1, 0], [0, 0.7, 0.2]]]))
    return [F.grid_sample(image, F.affine_grid(theta, torch.Size((1, 1, 3, 3)))).data]


def of_six():
    assert isinstance("text", string_classes)
    return [torch.FloatTensor([min(inf, 3)])]
