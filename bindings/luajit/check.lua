-- bindings/luajit/check.lua: the test program: vectors DIR, marks, threads, time, version.
local ffi = require("ffi")
local my_lib = require("my_lib")
local C = my_lib.C

local function expect(what, got, expected)
  if got ~= expected then error(("%s: expected %s, got %s"):format(what, tostring(expected), tostring(got)), 0) end
end

-- ---- vectors ----

-- The entries of index.txt. An array that is absent has no sizes.
local function read_index(folder)
  local entries, entry = {}, nil
  for line in io.lines(folder .. "/index.txt") do
    local fields = {}
    for field in line:gmatch("%S+") do fields[#fields + 1] = field end
    local word = fields[1]
    if word == "case" or word == "error" then
      entry = { kind = word, head = fields, sizes = {}, arrays = {} }
      entries[#entries + 1] = entry
    elseif word == "size" then
      entry.sizes[fields[2]] = tonumber(fields[3])
    elseif word == "in" or word == "out" then
      local sizes = {}
      for i = 4, #fields do sizes[#sizes + 1] = tonumber(fields[i]) end
      local is_present = fields[3] ~= "-1"
      local array = { name = fields[2], sizes = is_present and sizes or nil, is_output = word == "out" }
      entry.arrays[#entry.arrays + 1] = array
    elseif word == "text" then
      entry.text = line:sub(#"text " + 1)
    end
  end
  return entries
end

local POSITIONAL = {
  add_forward = { "input1", "input2", "output" }, add_backward = { "grad_output", "grad_input1", "grad_input2" },
  linear_forward = { "input", "weight", "bias", "output" },
}

local function replay(folder, entry)
  local name, call, file_name, rtol, atol = unpack(entry.head, 2)
  local file = assert(io.open(folder .. "/" .. file_name, "rb"))
  local bytes, offset = file:read("*a"), 0
  file:close()
  local arguments, expected = {}, {}
  for _, array in ipairs(entry.arrays) do
    if array.sizes then
      local made = my_lib.array(array.sizes)
      ffi.copy(made.data, ffi.cast("const char *", bytes) + offset, 4 * made.count)
      offset = offset + 4 * made.count
      if array.is_output then
        expected[array.name] = made
        made = my_lib.array(array.sizes)
        for i = 0, made.count - 1 do made.data[i] = 0 / 0 end
      end
      arguments[array.name] = made
    end
  end
  local order = POSITIONAL[call]
  if order then
    my_lib[call](arguments[order[1]], arguments[order[2]], arguments[order[3]], arguments[order[4]])
  else
    my_lib[call](arguments)
  end
  for output, wanted in pairs(expected) do
    local got = arguments[output].data
    for i = 0, wanted.count - 1 do
      local value = wanted.data[i]
      if not (math.abs(got[i] - value) <= atol + rtol * math.abs(value)) then
        error(("%s: %s[%d]: expected %g, got %g"):format(name, output, i, value, got[i]), 0)
      end
    end
  end
end

local PROVOKE = {}

PROVOKE["add_forward-shapes"] = function(arrays)
  local succeeded, failure = pcall(my_lib.add_forward, arrays[1], arrays[2])
  expect("add_forward-shapes", succeeded, false)
  return failure.code, failure.name, failure.message
end

local function last_error(status)
  expect("status", status, 0)
  local code = C.my_lib_last_error_code()
  return code, ffi.string(C.my_lib_error_name(code)), ffi.string(C.my_lib_last_error_message())
end

PROVOKE["linear_forward-negative"] = function(_, sizes)
  return last_error(C.my_lib_linear_forward(nil, nil, nil, sizes.batch, sizes.in_features, sizes.out_features, nil, nil,
    0))
end

PROVOKE["lltm_forward-workspace"] = function(arrays, sizes)
  local state = my_lib.array({ sizes.batch, sizes.state_size })
  local cell, gates = my_lib.array(state.sizes), my_lib.array({ sizes.batch, 3 * sizes.state_size })
  return last_error(C.lltm_forward(arrays[1].data, arrays[2].data, arrays[3].data, arrays[4].data, arrays[5].data,
    sizes.batch, sizes.input_size, sizes.state_size, state.data, cell.data, gates.data, nil, 0))
end

local function provoke(entry)
  local arrays = {}
  for i, array in ipairs(entry.arrays) do arrays[i] = my_lib.array(array.sizes) end
  local code, name, message = PROVOKE[entry.head[2]](arrays, entry.sizes)
  expect(entry.head[2], code, tonumber(entry.head[4]))
  expect(entry.head[2], name, entry.head[5])
  expect(entry.head[2], message, entry.text)
end

local function vectors(folder)
  local counts = { case = 0, error = 0 }
  for _, entry in ipairs(read_index(folder)) do
    if entry.kind == "case" then replay(folder, entry) else provoke(entry) end
    counts[entry.kind] = counts[entry.kind] + 1
  end
  print(("vectors %d\nerrors %d"):format(counts.case, counts.error))
end

-- ---- marks: whether C gets these very arrays ----

local function marks()
  local count = 0
  local function marked(call, arrays)
    for name, array in pairs(arrays) do
      expect(call .. ": " .. name, array.data[0], 1234.5)
      count = count + 1
    end
  end
  local array = my_lib.array
  local input1, input2, output = array({ 2, 3 }), array({ 2, 3 }, ffi.new("float[6]")), array({ 2, 3 })
  my_lib.add_forward(input1, input2, output)
  marked("add_forward", { input1, input2, output })
  local input, weight, bias, result = array({ 2, 3 }), array({ 4, 3 }), array(4), array({ 2, 4 })
  my_lib.linear_forward(input, weight, bias, result)
  marked("linear_forward", { input, weight, bias, result })
  local step = { input = array({ 3, 5 }), weights = array({ 12, 9 }), bias = array(12), old_h = array({ 3, 4 }),
                 old_cell = array({ 3, 4 }), new_h = array({ 3, 4 }), new_cell = array({ 3, 4 }),
                 gates = array({ 3, 12 }) }
  my_lib.lltm_forward(step)
  marked("lltm_forward", step)
  local sequence = { input = array({ 2, 3, 5 }), weights = array({ 12, 9 }), bias = array(12), old_h = array({ 3, 4 }),
                     old_cell = array({ 3, 4 }), h = array({ 2, 3, 4 }), cell = array({ 2, 3, 4 }),
                     gates = array({ 2, 3, 12 }) }
  my_lib.lltm_sequence_forward(sequence)
  marked("lltm_sequence_forward", sequence)
  print("marks " .. count)
end

-- ---- time ----

ffi.cdef [[
struct check_timespec { long sec, nsec; };
int clock_gettime(int, struct check_timespec *);
]]

local function time()
  local LOOPS, CALLS, CLOCK_MONOTONIC = 1000, 1000, 1 -- a loop takes about 20 us, so that some are not interrupted
  local input1, input2, output = my_lib.array(25), my_lib.array(25), my_lib.array(25)
  for i = 0, 24 do input1.data[i], input2.data[i] = 1.5, 2.5 end
  local at = ffi.new("struct check_timespec")
  local function now()
    ffi.C.clock_gettime(CLOCK_MONOTONIC, at)
    return tonumber(at.sec) * 1e9 + tonumber(at.nsec)
  end
  local least = math.huge
  for _ = 1, LOOPS do
    local start = now()
    for _ = 1, CALLS do my_lib.add_forward(input1, input2, output) end
    least = math.min(least, now() - start)
  end
  for i = 0, 24 do expect("add_forward", output.data[i], 4) end
  print(("time %.2f"):format(least / CALLS))
end

-- ---- ----

local function version()
  print("version " .. my_lib.version())
end

local programs = { vectors = vectors, marks = marks, time = time, version = version,
                   threads = function() require("check_threads").run() end }
local program = programs[arg[1]]
if not program then error("expected vectors DIR, marks, threads, time or version, got " .. tostring(arg[1]), 0) end
local succeeded, failure = pcall(program, arg[2])
if not succeeded then
  io.stderr:write(tostring(failure), "\n")
  os.exit(1)
end
