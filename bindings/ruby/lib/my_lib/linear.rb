# bindings/ruby/lib/my_lib/linear.rb: the linear layer.
#
# input (batch, in_features), weight (out_features, in_features), bias (out_features), output (batch, out_features); a
# gradient has the shape of what it is the gradient of.
module MyLib
  class << self
    # output = input weight^T + bias. A nil output makes a new one. Returns output.
    def linear_forward(input, weight, bias = nil, output: nil)
      Tensor.expect_tensor("input", input)
      Tensor.expect_tensor("weight", weight)
      batch, in_features = input.expect_ndim("input", 2)
      out_features, = weight.expect_ndim("weight", 2)
      weight.expect("weight", out_features, in_features)
      bias&.expect("bias", out_features)
      output ||= Tensor.new([batch, out_features])
      output.expect("output", batch, out_features)
      call_with_workspace(:my_lib_linear_forward, [input, weight, bias], [batch, in_features, out_features], [output])
      output
    end

    # The gradients that are given. weight is needed only for grad_input, input only for grad_weight.
    def linear_backward(grad_output, input: nil, weight: nil, grad_input: nil, grad_weight: nil, grad_bias: nil)
      Tensor.expect_tensor("grad_output", grad_output)
      batch, out_features = grad_output.expect_ndim("grad_output", 2)
      # without input and weight only grad_bias is possible
      in_features = (input&.expect_ndim("input", 2) || weight&.expect_ndim("weight", 2) || [0]).last
      input&.expect("input", batch, in_features)
      weight&.expect("weight", out_features, in_features)
      grad_input&.expect("grad_input", batch, in_features)
      grad_weight&.expect("grad_weight", out_features, in_features)
      grad_bias&.expect("grad_bias", out_features)
      call_with_workspace(:my_lib_linear_backward, [grad_output, input, weight], [batch, in_features, out_features],
                          [grad_input, grad_weight, grad_bias])
      nil
    end
  end
end
