# bindings/ruby/lib/my_lib/lltm.rb: the LLTM, one step and a sequence.
#
# input (batch, input_size), weights (3 * state_size, state_size + input_size), bias (3 * state_size), a state (batch,
# state_size), gates (batch, 3 * state_size); of a sequence input, h, cell and gates have seq_len as a further, first
# size. A gradient has the shape of what it is the gradient of.
module MyLib
  class << self
    # One step. nil for new_h or new_cell makes a new one; backward needs gates. Returns [new_h, new_cell].
    def lltm_forward(input:, weights:, bias:, old_h:, old_cell:, new_h: nil, new_cell: nil, gates: nil)
      sizes = lltm_sizes(2, input, weights, old_h)
      batch, _, state_size = sizes
      state = [batch, state_size]
      new_h ||= Tensor.new(state)
      new_cell ||= Tensor.new(state)
      Tensor.expect("bias", bias, 3 * state_size)
      Tensor.expect("old_cell", old_cell, *state)
      Tensor.expect("new_h", new_h, *state)
      Tensor.expect("new_cell", new_cell, *state)
      Tensor.expect_if_given("gates", gates, batch, 3 * state_size)
      call_with_workspace(:lltm_forward, [input, weights, bias, old_h, old_cell], sizes, [new_h, new_cell, gates])
      [new_h, new_cell]
    end

    # The gradients that are given, d_*. new_cell and gates are what forward gave.
    def lltm_backward(grad_h:, grad_cell:, new_cell:, gates:, input:, old_h:, weights:, d_input: nil,
                      d_weights: nil, d_bias: nil, d_old_h: nil, d_old_cell: nil)
      sizes = lltm_sizes(2, input, weights, old_h)
      batch, _, state_size = sizes
      state = [batch, state_size]
      Tensor.expect("grad_h", grad_h, *state)
      Tensor.expect("grad_cell", grad_cell, *state)
      Tensor.expect("new_cell", new_cell, *state)
      Tensor.expect("gates", gates, batch, 3 * state_size)
      written = [d_input, d_weights, d_bias, d_old_h, d_old_cell]
      expect_gradients(written, input, weights, state)
      call_with_workspace(:lltm_backward, [grad_h, grad_cell, new_cell, gates, input, old_h, weights], sizes, written)
      nil
    end

    # seq_len steps. nil for h or cell makes a new one; backward needs gates. Returns [h, cell].
    def lltm_sequence_forward(input:, weights:, bias:, old_h:, old_cell:, h: nil, cell: nil, gates: nil)
      sizes = lltm_sizes(3, input, weights, old_h)
      seq_len, batch, _, state_size = sizes
      states = [seq_len, batch, state_size]
      h ||= Tensor.new(states)
      cell ||= Tensor.new(states)
      Tensor.expect("bias", bias, 3 * state_size)
      Tensor.expect("old_cell", old_cell, batch, state_size)
      Tensor.expect("h", h, *states)
      Tensor.expect("cell", cell, *states)
      Tensor.expect_if_given("gates", gates, seq_len, batch, 3 * state_size)
      call_with_workspace(:lltm_sequence_forward, [input, weights, bias, old_h, old_cell], sizes, [h, cell, gates])
      [h, cell]
    end

    # The gradients that are given, d_*. grad_last_h and grad_last_cell are further gradients of the last state, and nil
    # counts as zero; h, cell and gates are what forward gave.
    def lltm_sequence_backward(grad_h:, cell:, gates:, input:, h:, old_h:, old_cell:, weights:, grad_last_h: nil,
                               grad_last_cell: nil, d_input: nil, d_weights: nil, d_bias: nil, d_old_h: nil,
                               d_old_cell: nil)
      sizes = lltm_sizes(3, input, weights, old_h)
      seq_len, batch, _, state_size = sizes
      state = [batch, state_size]
      states = [seq_len, *state]
      Tensor.expect("grad_h", grad_h, *states)
      Tensor.expect("cell", cell, *states)
      Tensor.expect("gates", gates, seq_len, batch, 3 * state_size)
      Tensor.expect("h", h, *states)
      Tensor.expect("old_cell", old_cell, *state)
      Tensor.expect_if_given("grad_last_h", grad_last_h, *state)
      Tensor.expect_if_given("grad_last_cell", grad_last_cell, *state)
      written = [d_input, d_weights, d_bias, d_old_h, d_old_cell]
      expect_gradients(written, input, weights, state)
      call_with_workspace(:lltm_sequence_backward,
                          [grad_h, grad_last_h, grad_last_cell, cell, gates, input, h, old_h, old_cell, weights],
                          sizes, written)
      nil
    end

    private

    # Checks the arguments that every function has. Returns the sizes, those of input and state_size.
    def lltm_sizes(ndim, input, weights, old_h)
      sizes = Tensor.sizes("input", input, ndim)
      _, state_size = Tensor.sizes("old_h", old_h, 2)
      Tensor.expect("old_h", old_h, sizes[-2], state_size)
      Tensor.expect("weights", weights, 3 * state_size, state_size + sizes[-1])
      [*sizes, state_size]
    end

    def expect_gradients(gradients, input, weights, state)
      names = %w[d_input d_weights d_bias d_old_h d_old_cell]
      shapes = [input.shape, weights.shape, [weights.shape[0]], state, state]
      names.zip(gradients, shapes) { |name, tensor, shape| Tensor.expect_if_given(name, tensor, *shape) }
    end
  end
end
