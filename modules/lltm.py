"""modules/lltm.py: the LLTM cell."""

import math

import torch
from torch import nn

from functions.lltm import lltm


class LLTMBase(nn.Module):
    """The parameters that one step and a whole sequence share, drawn uniformly from ±1/sqrt(state_size).

    ``weights`` (3 * state_size, state_size + input_size) and ``bias`` (3 * state_size): see lltm_forward in my_lib.h.
    """

    def __init__(self, input_size, state_size, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.state_size = state_size
        shape = 3 * state_size, state_size + input_size
        self.weights = nn.Parameter(torch.empty(shape, device=device, dtype=dtype))
        self.bias = nn.Parameter(torch.empty(3 * state_size, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1 / math.sqrt(self.state_size) if self.state_size > 0 else 0
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def weights_and_bias(self):
        """Both parameters; ``nn.Module.__getattr__`` would take 1 of the 15 microseconds of a small step."""
        try:
            return self._parameters["weights"], self._parameters["bias"]
        except KeyError:  # torch.nn.utils.parametrize, prune and others turn a parameter into something else
            return self.weights, self.bias

    def extra_repr(self):
        return f"input_size={self.input_size}, state_size={self.state_size}"


class LLTM(LLTMBase):
    """``LLTM(input_size, state_size)(input, (h, c)) -> (new_h, new_cell)``, one step.

    input (batch, input_size); h, c and both results (batch, state_size).
    """

    def forward(self, input, state):
        old_h, old_cell = pair(state)
        return lltm(input, *self.weights_and_bias(), old_h, old_cell)


def pair(state):
    """``state`` itself; a tensor would unpack into its rows."""
    if not isinstance(state, (tuple, list)):
        raise TypeError(f"state: expected a pair (h, cell), got {type(state).__name__}")
    if len(state) != 2:
        raise ValueError(f"state: expected a pair (h, cell), got {len(state)} values")
    return state
