# bindings/ruby/lib/my_lib/linear.rb: the linear layer.
#
# input (batch, in_features), weight (out_features, in_features), bias (out_features), output (batch, out_features); a
# gradient has the shape of what it is the gradient of.
module MyLib
  class << self
    # output = input weight^T + bias. A nil output makes a new one. Returns output.
    def linear_forward(input, weight, bias = nil, output: nil)
      batch, in_features = Tensor.sizes("input", input, 2)
      out_features, = Tensor.sizes("weight", weight, 2)
      Tensor.expect("weight", weight, out_features, in_features)
      Tensor.expect_if_given("bias", bias, out_features)
      output ||= Tensor.new([batch, out_features])
      Tensor.expect("output", output, batch, out_features)
      call_with_workspace(:my_lib_linear_forward, [input, weight, bias], [batch, in_features, out_features], [output])
      output
    end

    # The gradients that are given. weight is needed only for grad_input, input only for grad_weight.
    def linear_backward(grad_output, input: nil, weight: nil, grad_input: nil, grad_weight: nil, grad_bias: nil)
      batch, out_features = Tensor.sizes("grad_output", grad_output, 2)
      # without input and weight only grad_bias is possible
      in_features = 0
      in_features = Tensor.sizes("weight", weight, 2).last if weight
      in_features = Tensor.sizes("input", input, 2).last if input
      Tensor.expect_if_given("input", input, batch, in_features)
      Tensor.expect_if_given("weight", weight, out_features, in_features)
      Tensor.expect_if_given("grad_input", grad_input, batch, in_features)
      Tensor.expect_if_given("grad_weight", grad_weight, out_features, in_features)
      Tensor.expect_if_given("grad_bias", grad_bias, out_features)
      call_with_workspace(:my_lib_linear_backward, [grad_output, input, weight], [batch, in_features, out_features],
                          [grad_input, grad_weight, grad_bias])
      nil
    end
  end
end
