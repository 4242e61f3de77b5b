# bindings/ruby/check/check.rb: the test program: vectors DIR, marks, threads, time, version.
require "my_lib"

def expect(what, got, expected)
  raise "#{what}: expected #{expected.inspect}, got #{got.inspect}" if got != expected
end

# ---- vectors ----

# Which arguments are positional; the others are keywords.
POSITIONAL = { "add_forward" => %i[input1 input2], "add_backward" => %i[grad_output],
               "linear_forward" => %i[input weight bias], "linear_backward" => %i[grad_output] }.freeze

def call(function, arguments)
  names = POSITIONAL.fetch(function, [])
  MyLib.public_send(function, *arguments.values_at(*names), **arguments.except(*names))
end

# The entries of index.txt. The shape of an array that is absent is nil.
def read_index(path)
  entries = []
  File.foreach(path, chomp: true) do |line|
    word, *fields = line.split(" ")
    case word
    when "case", "error" then entries << { kind: word, head: fields, sizes: [], arrays: [] }
    when "size" then entries.last[:sizes] << Integer(fields[1])
    when "in", "out"
      shape = fields[1] == "-1" ? nil : fields[2..].map { |size| Integer(size) }
      entries.last[:arrays] << { name: fields[0].to_sym, shape: shape, is_output: word == "out" }
    when "text" then entries.last[:text] = line.delete_prefix("text ")
    end
  end
  entries
end

def replay(folder, entry)
  name, function, file, rtol, atol = entry[:head]
  bytes = File.binread("#{folder}/#{file}")
  offset = 0
  expected = {}
  arguments = entry[:arrays].to_h do |array|
    next [array[:name], nil] unless array[:shape]

    count = array[:shape].inject(1, :*)
    values = bytes[offset, 4 * count].unpack("e*")
    offset += 4 * count
    expected[array[:name]] = values if array[:is_output]
    [array[:name], MyLib::Tensor.new(array[:shape], array[:is_output] ? [Float::NAN] * count : values)]
  end
  expect("#{name}: bytes", bytes.bytesize, offset)
  call(function, arguments)
  expected.each do |output, values|
    got = arguments[output].to_a
    expect("#{name}: #{output}: elements", got.size, values.size)
    values.each_with_index do |value, i|
      next if (got[i] - value).abs <= Float(atol) + Float(rtol) * value.abs

      raise "#{name}: #{output}[#{i}]: expected #{value}, got #{got[i]}"
    end
  end
end

# [code, name, message] of the last error of C, which a call must have reported.
def last_error(status)
  expect("status", status, 0)
  code = MyLib.call(:my_lib_last_error_code)
  [code, MyLib.text(:my_lib_error_name, code), MyLib.text(:my_lib_last_error_message)]
end

def provoke(entry)
  name, _, code, error = entry[:head]
  arrays = entry[:arrays].map { |array| MyLib::Tensor.new(array[:shape]) }
  got = case name
        when "add_forward-shapes"
          begin
            MyLib.add_forward(*arrays)
          rescue MyLib::Error => failure
            [failure.code, failure.name, failure.message]
          end
        when "linear_forward-negative"
          last_error(MyLib.call(:my_lib_linear_forward, nil, nil, nil, *entry[:sizes], nil, nil, 0))
        when "lltm_forward-workspace"
          batch, _, state_size = entry[:sizes]
          outputs = [[batch, state_size], [batch, state_size], [batch, 3 * state_size]].map { |s| MyLib::Tensor.new(s) }
          last_error(MyLib.call(:lltm_forward, *arrays.map(&:pointer), *entry[:sizes], *outputs.map(&:pointer), nil, 0))
        end
  expect(name, got, [Integer(code), error, entry[:text]])
end

def vectors(folder)
  entries = read_index("#{folder}/index.txt")
  entries.each { |entry| entry[:kind] == "case" ? replay(folder, entry) : provoke(entry) }
  counts = entries.map { |entry| entry[:kind] }.tally
  puts "vectors #{counts['case']}", "errors #{counts['error']}"
end

# ---- marks: whether C gets these very arrays ----

STEP = { input: [3, 5], weights: [12, 9], bias: [12], old_h: [3, 4], old_cell: [3, 4], new_h: [3, 4], new_cell: [3, 4],
         gates: [3, 12] }.freeze
MARKED = {
  "add_forward" => { input1: [2, 3], input2: [2, 3], output: [2, 3] },
  "linear_forward" => { input: [2, 3], weight: [4, 3], bias: [4], output: [2, 4] },
  "lltm_forward" => STEP,
  "lltm_sequence_forward" => { **STEP.slice(:weights, :bias, :old_h, :old_cell), input: [2, 3, 5], h: [2, 3, 4],
                               cell: [2, 3, 4], gates: [2, 3, 12] }
}.freeze

def marks
  count = MARKED.sum do |function, shapes|
    own = shapes.transform_values { |shape| Fiddle::Pointer.malloc(4 * shape.inject(:*), Fiddle::RUBY_FREE) }
    call(function, shapes.to_h { |name, shape| [name, MyLib::Tensor.new(shape, own[name])] })
    own.each { |name, pointer| expect("#{function}: #{name}", pointer[0, 4].unpack1("f"), 1234.5) }
    own.size
  end
  puts "marks #{count}"
end

# ---- threads ----

SIZE = 256

# [input, weight, bias, bytes of the output], other ones for each number. All values are small integers, so that sums
# are exact.
def linear_case(number)
  input = Array.new(SIZE) { |row| Array.new(SIZE) { |column| (row * SIZE + column) % 7 } }
  weight = Array.new(SIZE) { |row| Array.new(SIZE) { |column| (row * SIZE + column) % 5 + number } }
  # rows repeat after 7 and 5: 35 sums are all that differ
  sums = Array.new(7) { |i| Array.new(5) { |o| input[i].zip(weight[o]).sum { |a, b| a * b } } }
  expected = Array.new(SIZE * SIZE) { |i| sums[i / SIZE % 7][i % SIZE % 5] + number }
  [MyLib::Tensor.new([SIZE, SIZE], input), MyLib::Tensor.new([SIZE, SIZE], weight),
   MyLib::Tensor.new([SIZE], [number] * SIZE), expected.pack("f*")]
end

def work(number, rounds)
  large_calls = 20 # in a row, so that threads are in C at the same time
  small_calls = 200
  *arguments, expected = linear_case(number)
  small = MyLib::Tensor.new([2, 3], [number] * 6)
  other = MyLib::Tensor.new([2, number + 4])
  rounds.times do
    large_calls.times do
      raise "linear_forward: wrong values" if MyLib.linear_forward(*arguments).bytes != expected
    end

    small_calls.times do
      expect("add_forward", MyLib.add_forward(small, small).to_a, [2 * number] * 6)
      message = begin
        MyLib.add_forward(small, other)
      rescue MyLib::Error => failure
        failure.message
      end
      expect("add_forward", message, "input2: expected shape (2, 3), got (2, #{number + 4})")
    end
  end
  rounds * (large_calls + 2 * small_calls)
end

def threads
  calls = Array.new(8) do |number|
    Thread.new do
      Thread.current.report_on_exception = false
      work(number, 10)
    end
  end.sum(&:value)
  children = Array.new(2) do |number|
    fork do
      work(number, 3) # after large calls that OpenMP has shared
    rescue StandardError => failure
      abort(failure.message)
    end
  end
  children.each { |child| expect("child", Process.wait2(child).last.exitstatus, 0) }
  puts "threads #{calls + 2 * 3 * calls / 80}"
end

# ---- time ----

def time
  calls = 50 # a loop takes less than 0.5 ms
  input1, input2 = [1.5, 2.5].map { |value| MyLib::Tensor.new([25], [value] * 25) }
  output = MyLib::Tensor.new([25])
  least = Array.new(1000) do
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    calls.times { MyLib.add_forward(input1, input2, output: output) }
    Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - start
  end.min
  expect("add_forward", output.to_a, [4.0] * 25)
  puts format("time %.1f", least.fdiv(calls))
end

# ---- ----

begin
  case ARGV
  in ["vectors", folder] then vectors(folder)
  in ["marks"] then marks
  in ["threads"] then threads
  in ["time"] then time
  in ["version"] then puts "version #{MyLib.version}"
  end
rescue NoMatchingPatternError
  abort("expected vectors DIR, marks, threads, time or version, got #{ARGV.join(' ')}")
rescue StandardError => failure
  abort(failure.message)
end
