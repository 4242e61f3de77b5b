# bindings/ruby/lib/my_lib/tensor.rb: an array of floats with a shape, and the checks of shapes.
module MyLib
  # Contiguous, row-major. The floats lie in memory of their own, never in a String: Ruby lets Strings share bytes, so
  # that C would write into copies too.
  class Tensor
    FLOAT = Fiddle::SIZEOF_FLOAT

    # +shape+: its sizes; +pointer+: the floats, a Fiddle::Pointer, nil without elements; +sizes+: the shape for C.
    attr_reader :shape, :count, :ndim, :pointer, :sizes

    # +values+: numbers, in nested arrays or a flat one, which are copied; a String of floats, which is copied; a
    # Fiddle::Pointer with a size, which is used as it is and must live as long; nil for zeros.
    def initialize(shape, values = nil)
      @shape = Array(shape).dup.freeze
      unless @shape.all? { |size| size.is_a?(Integer) && size >= 0 }
        raise Error.new(MY_LIB_ERROR_INVALID_SIZE, "shape: expected integers >= 0, got #{shape.inspect}")
      end

      @count = @shape.inject(1, :*)
      @ndim = @shape.size
      values = values.flatten.pack("f*") if values.is_a?(Array)
      @pointer = memory_of(values)
      @sizes = Tensor.allocate_memory(8 * @ndim, @shape.pack("q*")) unless @ndim.zero?
    end

    # The elements as Floats.
    def to_a
      bytes.unpack("f*")
    end

    # The elements as bytes, four each, in this machine's order.
    def bytes
      @pointer ? @pointer[0, FLOAT * @count] : "".b
    end

    # The element at a position of the flat array.
    def [](index)
      @pointer[FLOAT * position(index), FLOAT].unpack1("f")
    end

    def []=(index, value)
      @pointer[FLOAT * position(index), FLOAT] = [value].pack("f")
    end

    def inspect
      "#<#{self.class} #{Tensor.text(@shape)}>"
    end

    # As (2, 3) and (3,).
    def self.text(shape)
      "(#{shape.join(', ')}#{',' if shape.size == 1})"
    end

    # Zeroed memory, or such with the given content, that is freed with the pointer.
    def self.allocate_memory(size, content = "\0" * size)
      pointer = Fiddle::Pointer.malloc(size, Fiddle::RUBY_FREE)
      pointer[0, size] = content
      pointer
    end

    # Raises unless the argument +name+ is a tensor.
    def self.expect_tensor(name, tensor)
      return if tensor.is_a?(Tensor)

      raise Error.new(MY_LIB_ERROR_NULL_POINTER, "#{name}: expected a tensor, got #{tensor.inspect}")
    end

    # Raises unless the argument +name+ is a tensor of the shape.
    def self.expect(name, tensor, *shape)
      expect_tensor(name, tensor)
      return if tensor.shape == shape

      raise Error.new(MY_LIB_ERROR_SHAPE_MISMATCH,
                      "#{name}: expected shape #{text(shape)}, got #{text(tensor.shape)}")
    end

    def self.expect_if_given(name, tensor, *shape)
      expect(name, tensor, *shape) unless tensor.nil?
    end

    # The shape of the argument +name+, a tensor of +ndim+ sizes.
    def self.sizes(name, tensor, ndim)
      expect_tensor(name, tensor)
      return tensor.shape if tensor.ndim == ndim

      raise Error.new(MY_LIB_ERROR_SHAPE_MISMATCH,
                      "#{name}: expected #{ndim} dimensions, got shape #{text(tensor.shape)}")
    end

    private

    def position(index)
      return index if index.is_a?(Integer) && index >= 0 && index < @count

      raise IndexError, "index: expected an integer from 0 to #{@count - 1}, got #{index.inspect}"
    end

    def memory_of(values)
      given = case values
              when nil then FLOAT * @count
              when String then values.bytesize
              when Fiddle::Pointer then values.size
              else
                raise Error.new(MY_LIB_ERROR_INVALID_VALUE,
                                "values: expected numbers, a String, a Fiddle::Pointer or nil, got #{values.inspect}")
              end
      if given != FLOAT * @count
        raise Error.new(MY_LIB_ERROR_SHAPE_MISMATCH,
                        format("values: expected the elements of shape %s, got %g elements", Tensor.text(@shape),
                               given.fdiv(FLOAT)))
      end
      return nil if @count.zero?
      return values if values.is_a?(Fiddle::Pointer)

      values ? Tensor.allocate_memory(given, values) : Tensor.allocate_memory(given)
    end
  end
end
