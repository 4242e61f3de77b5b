# bindings/ruby/lib/my_lib/lltm.rb: the LLTM, one step and a sequence.
#
# input (batch, input_size), weights (3 * state_size, state_size + input_size), bias (3 * state_size), a state (batch,
# state_size), gates (batch, 3 * state_size); of a sequence input, h, cell and gates have seq_len as a further, first
# size. A gradient has the shape of what it is the gradient of.
module MyLib
  class << self
    # One step. nil for new_h or new_cell makes a new one; backward needs gates. Returns [new_h, new_cell].
    def lltm_forward(input:, weights:, bias:, old_h:, old_cell:, new_h: nil, new_cell: nil, gates: nil)
      sizes = lltm_sizes(2, { input: input, weights: weights, old_h: old_h })
      batch, _, state_size = sizes
      state = [batch, state_size]
      new_h ||= Tensor.new(state)
      new_cell ||= Tensor.new(state)
      expect_all({ bias: bias, old_cell: old_cell }, bias: [3 * state_size], old_cell: state)
      new_h.expect("new_h", *state)
      new_cell.expect("new_cell", *state)
      gates&.expect("gates", batch, 3 * state_size)
      call_with_workspace(:lltm_forward, [input, weights, bias, old_h, old_cell], sizes, [new_h, new_cell, gates])
      [new_h, new_cell]
    end

    # The gradients that are given, d_*. new_cell and gates are what forward gave.
    def lltm_backward(grad_h:, grad_cell:, new_cell:, gates:, input:, old_h:, weights:, **gradients)
      sizes = lltm_sizes(2, { input: input, weights: weights, old_h: old_h })
      batch, _, state_size = sizes
      state = [batch, state_size]
      expect_all({ grad_h: grad_h, grad_cell: grad_cell, new_cell: new_cell, gates: gates },
                 grad_h: state, grad_cell: state, new_cell: state, gates: [batch, 3 * state_size])
      written = lltm_gradients(gradients, input, weights, state)
      call_with_workspace(:lltm_backward, [grad_h, grad_cell, new_cell, gates, input, old_h, weights], sizes, written)
      nil
    end

    # seq_len steps. nil for h or cell makes a new one; backward needs gates. Returns [h, cell].
    def lltm_sequence_forward(input:, weights:, bias:, old_h:, old_cell:, h: nil, cell: nil, gates: nil)
      sizes = lltm_sizes(3, { input: input, weights: weights, old_h: old_h })
      seq_len, batch, _, state_size = sizes
      states = [seq_len, batch, state_size]
      h ||= Tensor.new(states)
      cell ||= Tensor.new(states)
      expect_all({ bias: bias, old_cell: old_cell }, bias: [3 * state_size], old_cell: [batch, state_size])
      h.expect("h", *states)
      cell.expect("cell", *states)
      gates&.expect("gates", seq_len, batch, 3 * state_size)
      call_with_workspace(:lltm_sequence_forward, [input, weights, bias, old_h, old_cell], sizes, [h, cell, gates])
      [h, cell]
    end

    # The gradients that are given, d_*. grad_last_h and grad_last_cell are further gradients of the last state, and nil
    # counts as zero; h, cell and gates are what forward gave.
    def lltm_sequence_backward(grad_h:, cell:, gates:, input:, h:, old_h:, old_cell:, weights:, grad_last_h: nil,
                               grad_last_cell: nil, **gradients)
      sizes = lltm_sizes(3, { input: input, weights: weights, old_h: old_h })
      seq_len, batch, _, state_size = sizes
      state = [batch, state_size]
      states = [seq_len, *state]
      expect_all({ grad_h: grad_h, cell: cell, gates: gates, h: h, old_cell: old_cell },
                 grad_h: states, cell: states, gates: [seq_len, batch, 3 * state_size], h: states, old_cell: state)
      grad_last_h&.expect("grad_last_h", *state)
      grad_last_cell&.expect("grad_last_cell", *state)
      written = lltm_gradients(gradients, input, weights, state)
      call_with_workspace(:lltm_sequence_backward,
                          [grad_h, grad_last_h, grad_last_cell, cell, gates, input, h, old_h, old_cell, weights],
                          sizes, written)
      nil
    end

    private

    # Checks the arguments that every function has. Returns the sizes, those of input and state_size.
    def lltm_sizes(ndim, arguments)
      arguments.each { |name, tensor| Tensor.expect_tensor(name, tensor) }
      input, weights, old_h = arguments.values
      sizes = input.expect_ndim("input", ndim)
      _, state_size = old_h.expect_ndim("old_h", 2)
      old_h.expect("old_h", sizes[-2], state_size)
      weights.expect("weights", 3 * state_size, state_size + sizes[-1])
      [*sizes, state_size]
    end

    def expect_all(tensors, **shapes)
      tensors.each do |name, tensor|
        Tensor.expect_tensor(name, tensor)
        tensor.expect(name, *shapes[name])
      end
    end

    # The outputs of backward in C's order, nil where not wanted.
    def lltm_gradients(gradients, input, weights, state)
      shapes = { d_input: input.shape, d_weights: weights.shape, d_bias: [weights.shape[0]], d_old_h: state,
                 d_old_cell: state }
      unknown = gradients.keys - shapes.keys
      raise ArgumentError, "unknown keyword: #{unknown.first.inspect}" unless unknown.empty?

      shapes.map do |name, shape|
        gradients[name]&.expect(name, *shape)
        gradients[name]
      end
    end
  end
end
