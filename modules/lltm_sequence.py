"""modules/lltm_sequence.py: the LLTM over whole sequences."""

from torch.overrides import has_torch_function_unary

from functions.lltm_sequence import lltm_sequence

from .lltm import LLTMBase, pair


class LLTMLayer(LLTMBase):
    """``LLTMLayer(input_size, state_size, batch_first=False)(x, state=None) -> (output, (h, c))``.

    x (seq_len, batch, input_size) and output (seq_len, batch, state_size), or both with batch before seq_len when
    ``batch_first``. ``state`` is (h, c) before the first step, zeros by default; h and c in it and in the result
    are (batch, state_size). The state_dict is that of ``LLTM``.
    """

    def __init__(self, input_size, state_size, batch_first=False, device=None, dtype=None):
        super().__init__(input_size, state_size, device=device, dtype=dtype)
        self.batch_first = batch_first

    def forward(self, x, state=None):
        words = ("batch", "seq_len") if self.batch_first else ("seq_len", "batch")
        # A tensor-like type is handled in lltm_sequence.
        if not has_torch_function_unary(x) and x.dim() != 3:
            raise ValueError(f"x: expected shape ({', '.join(words)}, input_size), got {tuple(x.shape)}")
        if self.batch_first:
            x = x.transpose(0, 1)
        if state is None:
            zeros = x.new_zeros(x.shape[1], self.state_size)
            state = zeros, zeros
        old_h, old_cell = pair(state)
        output, h, cell = lltm_sequence(x, *self.weights_and_bias(), old_h, old_cell)
        if self.batch_first:
            output = output.transpose(0, 1)
        return output, (h, cell)

    def extra_repr(self):
        return super().extra_repr() + (", batch_first=True" if self.batch_first else "")
