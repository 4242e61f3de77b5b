# bindings/ruby/lib/my_lib/add.rb: the addition; all tensors of a call have one shape.
module MyLib
  class << self
    # output = input1 + input2. output may be input1 or input2; nil makes a new one. Returns output.
    def add_forward(input1, input2, output: nil)
      Tensor.expect_tensor("input1", input1)
      Tensor.expect_tensor("input2", input2)
      output ||= Tensor.new(input1.shape)
      Tensor.expect("output", output, *input1.shape)
      check(C[:my_lib_add_forward].call(input1.pointer, input1.sizes, input1.ndim, input2.pointer, input2.sizes,
                                        input2.ndim, output.pointer))
      output
    end

    # grad_input1 = grad_output, grad_input2 = grad_output: into those that are given.
    def add_backward(grad_output, grad_input1: nil, grad_input2: nil)
      Tensor.expect_tensor("grad_output", grad_output)
      Tensor.expect_if_given("grad_input1", grad_input1, *grad_output.shape)
      Tensor.expect_if_given("grad_input2", grad_input2, *grad_output.shape)
      check(call(:my_lib_add_backward, grad_output.pointer, grad_output.sizes, grad_output.ndim,
                 grad_input1&.pointer, grad_input2&.pointer))
      nil
    end
  end
end
