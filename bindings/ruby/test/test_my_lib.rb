# bindings/ruby/test/test_my_lib.rb: tensors, shapes, and the messages of the errors.
require "minitest/autorun"
require "my_lib"

class TestMyLib < Minitest::Test
  MISMATCH = "MY_LIB_ERROR_SHAPE_MISMATCH"
  NULL = "MY_LIB_ERROR_NULL_POINTER"
  VALUE = "MY_LIB_ERROR_INVALID_VALUE"

  def setup
    @a = MyLib::Tensor.new([2, 3], [[1, 2, 3], [4, 5, 6]])
    @b = tensor(3, 2)
  end

  def tensor(*shape)
    MyLib::Tensor.new(shape)
  end

  def fails(name, message, &block)
    error = assert_raises(MyLib::Error, &block)
    assert_equal [name, MyLib.const_get(name), message], [error.name, error.code, error.message]
  end

  def test_values
    assert_equal [2, 4, 6, 8, 10, 12], MyLib.add_forward(@a, @a).to_a
    assert_same @a, MyLib.add_forward(@a, @a, output: @a)
    assert_equal 12, @a[5]
    assert_equal [7], MyLib::Tensor.new([], [7]).to_a
    assert_equal [], tensor(2, 0).to_a
    @a[0] = 0.5
    assert_equal 0.5, @a.to_a[0]
    assert_raises(IndexError) { @a[6] }
  end

  def test_a_string_is_copied_and_a_pointer_is_not
    text = [1, 2].pack("f*")
    MyLib::Tensor.new([2], text)[0] = 5
    assert_equal [1, 2].pack("f*"), text
    pointer = Fiddle::Pointer.malloc(8, Fiddle::RUBY_FREE)
    pointer[0, 8] = text
    MyLib::Tensor.new([2], pointer)[0] = 5
    assert_equal [5, 2], pointer[0, 8].unpack("f*")
  end

  def test_errors_of_tensors
    fails("MY_LIB_ERROR_INVALID_SIZE", "shape: expected integers >= 0, got [2, -1]") { tensor(2, -1) }
    fails(MISMATCH, "values: expected the elements of shape (2,), got 1 elements") { MyLib::Tensor.new([2], [1]) }
    fails(MISMATCH, "values: expected the elements of shape (1,), got 0.75 elements") { MyLib::Tensor.new([1], "abc") }
    fails(VALUE, "values: expected numbers, a String, a Fiddle::Pointer or nil, got 7") { MyLib::Tensor.new([1], 7) }
  end

  def test_errors_of_operators
    fails(NULL, "input2: expected a tensor, got nil") { MyLib.add_forward(@a, nil) }
    fails(NULL, "bias: expected a tensor, got [1, 2]") { MyLib.linear_forward(@a, @a, [1, 2]) }
    fails(MISMATCH, "output: expected shape (2, 3), got (3, 2)") { MyLib.add_forward(@a, @a, output: @b) }
    fails(MISMATCH, "grad_input2: expected shape (2, 3), got (3, 2)") { MyLib.add_backward(@a, grad_input2: @b) }
    fails(MISMATCH, "input: expected 2 dimensions, got shape (3,)") { MyLib.linear_forward(tensor(3), @a) }
    fails(MISMATCH, "weight: expected shape (3, 3), got (3, 2)") { MyLib.linear_forward(@a, @b) }
    fails(MISMATCH, "bias: expected shape (2,), got (3,)") { MyLib.linear_forward(@a, @a, tensor(3)) }
    fails(NULL, "input: expected an array, got NULL") do
      MyLib.linear_backward(@a, weight: @b, grad_weight: tensor(3, 2))
    end
    fails(VALUE, "num_threads: expected at least 0, got -1") { MyLib.num_threads = -1 }
  end

  def test_errors_of_the_lltm
    step = { input: tensor(2, 5), weights: tensor(9, 8), bias: tensor(9), old_h: @a, old_cell: tensor(2, 4) }
    fails(MISMATCH, "old_cell: expected shape (2, 3), got (2, 4)") { MyLib.lltm_forward(**step) }
    fails(NULL, "bias: expected a tensor, got nil") { MyLib.lltm_forward(**step, bias: nil) }
    fails(MISMATCH, "weights: expected shape (9, 8), got (3, 2)") { MyLib.lltm_forward(**step, weights: @b) }
    backward = { grad_h: @a, grad_cell: @a, new_cell: @a, gates: tensor(2, 9), input: tensor(2, 5), old_h: @a,
                 weights: tensor(9, 8) }
    fails(MISMATCH, "d_bias: expected shape (9,), got (8,)") { MyLib.lltm_backward(**backward, d_bias: tensor(8)) }
    assert_raises(ArgumentError) { MyLib.lltm_backward(**backward, d_b: tensor(9)) }
  end

  def test_each_thread_has_a_workspace
    batch, size, seq_len = 64, 64, 16
    cases = Array.new(8) do |number|
      random = Random.new(number)
      values = ->(*shape) { MyLib::Tensor.new(shape, Array.new(shape.inject(:*)) { random.rand - 0.5 }) }
      { input: values.(seq_len, batch, size), weights: values.(3 * size, 2 * size), bias: values.(3 * size),
        old_h: values.(batch, size), old_cell: values.(batch, size) }
    end
    forward = ->(arguments) { MyLib.lltm_sequence_forward(**arguments).map(&:bytes) }
    expected = cases.map(&forward)
    threads = cases.map { |arguments| Thread.new { Array.new(50) { forward.(arguments) }.uniq } }
    assert expected.map { |states| [states] } == threads.map(&:value), "expected what one thread computes"
  end

  def test_threads_and_versions
    MyLib.num_threads = 1
    assert_equal 1, MyLib.num_threads
    assert_includes MyLib.build_info, MyLib.version
  ensure
    MyLib.num_threads = 0
  end
end
