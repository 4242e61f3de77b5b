# bindings/ruby/lib/my_lib/error.rb: what every function raises.
module MyLib
  # +code+ is one of MY_LIB_ERROR_*, +name+ its name; the message names the argument.
  class Error < StandardError
    attr_reader :code, :name

    def initialize(code, message)
      super(message)
      @code = code
      @name = MyLib.text(:my_lib_error_name, code)
    end
  end

  # Raises what C reported, unless the status is success. Code and message are those of the thread, which no other
  # thread changes.
  def self.check(status)
    raise Error.new(call(:my_lib_last_error_code), text(:my_lib_last_error_message)) if status != 1
  end
  private_class_method :check
end
