# bindings/ruby/lib/my_lib/library.rb: the loaded library: version, threads, and calls of its functions.
module MyLib
  # The file that the environment variable MY_LIB names, else where the loader looks.
  C = declare(Fiddle::Handle.new(ENV.fetch("MY_LIB", "libmy_lib.so.1"))).transform_keys(&:to_sym).freeze

  class << self
    # Calls a function of C. Fiddle releases the interpreter's lock meanwhile.
    def call(function, *arguments)
      C.fetch(function).call(*arguments)
    end

    # The same, of a function that returns text.
    def text(function, *arguments)
      call(function, *arguments).to_s.force_encoding(Encoding::UTF_8)
    end

    # The version of the loaded library, "major.minor.patch".
    def version
      text(:my_lib_version)
    end

    # One line: version, CPU path, OpenMP run-time.
    def build_info
      text(:my_lib_build_info)
    end

    # How many threads a call may use, in the whole process; 0 follows OpenMP's own number.
    def num_threads=(count)
      check(call(:my_lib_set_num_threads, count))
    end

    def num_threads
      call(:my_lib_get_num_threads)
    end
  end
end
