-- bindings/luajit/my_lib.lua: libmy_lib for LuaJIT: arrays with shapes, and the operators.
--
-- The environment variable MY_LIB names the library's file; without it the system's search path is taken.
--
-- An array is contiguous and row-major, of float. Functions of up to four arrays take them in C's order, the others by
-- C's names in a table. Outputs are overwritten; a gradient that is nil is not computed. Shapes are checked before C is
-- called. Errors are tables with code, name and message, raised with error().
local ffi = require("ffi")
require("my_lib_c")

local C = ffi.load(os.getenv("MY_LIB") or "libmy_lib.so.1")
local int64s, floats, bytes = ffi.typeof("int64_t[?]"), ffi.typeof("float[?]"), ffi.typeof("uint8_t[?]")
local SIZE_MAX = 0xffffffffffffffffULL

local my_lib = { C = C }

-- ---- Errors ----

local Error = {}
Error.__index = Error
Error.__tostring = function(self) return self.message end

local function fail(code, format, ...)
  error(setmetatable({ code = code, name = ffi.string(C.my_lib_error_name(code)), message = format:format(...) }, Error))
end

local function check(status)
  if status ~= 1 then fail(C.my_lib_last_error_code(), "%s", ffi.string(C.my_lib_last_error_message())) end
end

-- ---- Arrays ----

-- Fields: data (float cdata), sizes (table), shape (the sizes for C), ndim, count (of elements), text (such as
-- "(2, 3)": two shapes are equal when these strings are the same object).
local Array = {}
Array.__index = Array

local function text(sizes)
  return "(" .. table.concat(sizes, ", ") .. (#sizes == 1 and ",)" or ")")
end

-- An array of these sizes, which may be a single number. values: a table of numbers, which are copied; a cdata of
-- floats, which is used as it is and must live as long as the array; or nil for zeros.
function my_lib.array(sizes, values)
  sizes = type(sizes) == "table" and { unpack(sizes) } or { sizes }
  local count = 1
  for _, size in ipairs(sizes) do
    if type(size) ~= "number" or size < 0 or size % 1 ~= 0 then
      fail(C.MY_LIB_ERROR_INVALID_SIZE, "sizes: expected integers >= 0, got %s", tostring(size))
    end
    count = count * size
  end
  local kind, given, data = type(values), count, values
  if kind == "cdata" then
    local ctype = tostring(ffi.typeof(values))
    if not ctype:find("^ctype<float ") then
      fail(C.MY_LIB_ERROR_INVALID_VALUE, "values: expected floats, got %s", ctype)
    end
    if ctype:find("%[") then given = ffi.sizeof(values) / 4 end -- nobody knows how many a pointer points to
  elseif kind == "table" then
    given = #values
  elseif kind ~= "nil" then
    fail(C.MY_LIB_ERROR_INVALID_VALUE, "values: expected a table, a cdata or nil, got %s", kind)
  end
  if given ~= count then
    fail(C.MY_LIB_ERROR_SHAPE_MISMATCH, "values: expected the elements of shape %s, got %d elements", text(sizes), given)
  end
  if kind ~= "cdata" then
    data = floats(count)
    for i = 1, values and count or 0 do data[i - 1] = values[i] end
  end
  return setmetatable({ data = data, sizes = sizes, shape = int64s(#sizes, sizes), ndim = #sizes, count = count,
                        text = text(sizes) }, Array)
end

local function expect_array(name, array)
  if getmetatable(array) ~= Array then
    fail(C.MY_LIB_ERROR_NULL_POINTER, "%s: expected an array, got %s", name, tostring(array))
  end
end

-- A third size may be nil.
local function expect(name, array, first, second, third)
  expect_array(name, array)
  local sizes = array.sizes
  if sizes[1] ~= first or sizes[2] ~= second or sizes[3] ~= third or sizes[4] then
    local expected = text({ first, second, third })
    fail(C.MY_LIB_ERROR_SHAPE_MISMATCH, "%s: expected shape %s, got %s", name, expected, array.text)
  end
end

local function expect_if_given(name, array, first, second, third)
  if array ~= nil then expect(name, array, first, second, third) end
end

-- The sizes of an array of two or three dimensions.
local function sizes_of(name, array, ndim)
  expect_array(name, array)
  if array.ndim ~= ndim then
    fail(C.MY_LIB_ERROR_SHAPE_MISMATCH, "%s: expected %d dimensions, got shape %s", name, ndim, array.text)
  end
  return unpack(array.sizes)
end

local function data(array)
  return array and array.data or nil
end

-- ---- Workspace ----

-- A Lua state belongs to one thread at a time, so that one workspace is enough for it.
local workspace, workspace_size = nil, 0

-- Makes it at least as large as a *_workspace_size function says.
local function reserve(needed)
  if needed == SIZE_MAX then check(0) end
  if needed > workspace_size then
    workspace, workspace_size = bytes(tonumber(needed)), tonumber(needed)
  end
end

-- ---- The library ----

-- The version of the loaded library, "major.minor.patch".
function my_lib.version() return ffi.string(C.my_lib_version()) end

-- One line: version, CPU path, OpenMP run-time.
function my_lib.build_info() return ffi.string(C.my_lib_build_info()) end

-- How many threads a call may use, in the whole process; 0 follows OpenMP's own number.
function my_lib.set_num_threads(count) check(C.my_lib_set_num_threads(count)) end

function my_lib.num_threads() return C.my_lib_get_num_threads() end

-- ---- Addition ----

-- output = input1 + input2; all of one shape. output may be input1 or input2; nil makes a new array. Returns output.
function my_lib.add_forward(input1, input2, output)
  expect_array("input1", input1)
  expect_array("input2", input2)
  if output == nil then output = my_lib.array(input1.sizes) end
  expect_array("output", output)
  if output.text ~= input1.text then
    fail(C.MY_LIB_ERROR_SHAPE_MISMATCH, "output: expected shape %s, got %s", input1.text, output.text)
  end
  check(C.my_lib_add_forward(input1.data, input1.shape, input1.ndim, input2.data, input2.shape, input2.ndim,
                             output.data))
  return output
end

-- grad_input1 = grad_output, grad_input2 = grad_output.
function my_lib.add_backward(grad_output, grad_input1, grad_input2)
  expect_array("grad_output", grad_output)
  for name, array in pairs({ grad_input1 = grad_input1, grad_input2 = grad_input2 }) do
    expect_array(name, array)
    if array.text ~= grad_output.text then
      fail(C.MY_LIB_ERROR_SHAPE_MISMATCH, "%s: expected shape %s, got %s", name, grad_output.text, array.text)
    end
  end
  check(C.my_lib_add_backward(grad_output.data, grad_output.shape, grad_output.ndim, data(grad_input1),
                              data(grad_input2)))
end

-- ---- Linear ----

-- output = input weight^T + bias: input (batch, in_features), weight (out_features, in_features), bias (out_features)
-- or nil, output (batch, out_features) or nil for a new array. Returns output.
function my_lib.linear_forward(input, weight, bias, output)
  local batch, in_features = sizes_of("input", input, 2)
  local out_features = sizes_of("weight", weight, 2)
  expect("weight", weight, out_features, in_features)
  expect_if_given("bias", bias, out_features)
  if output == nil then output = my_lib.array({ batch, out_features }) end
  expect("output", output, batch, out_features)
  reserve(C.my_lib_linear_forward_workspace_size(batch, in_features, out_features))
  check(C.my_lib_linear_forward(input.data, weight.data, data(bias), batch, in_features, out_features, output.data,
                                workspace, workspace_size))
  return output
end

-- Of a table with grad_output (batch, out_features), input and weight as above; writes grad_input, grad_weight and
-- grad_bias. weight is needed only for grad_input, input only for grad_weight.
function my_lib.linear_backward(a)
  local batch, out_features = sizes_of("grad_output", a.grad_output, 2)
  local in_features = 0 -- without input and weight only grad_bias is possible
  if a.input or a.weight then
    local _
    _, in_features = sizes_of(a.input and "input" or "weight", a.input or a.weight, 2)
  end
  expect_if_given("input", a.input, batch, in_features)
  expect_if_given("weight", a.weight, out_features, in_features)
  expect_if_given("grad_input", a.grad_input, batch, in_features)
  expect_if_given("grad_weight", a.grad_weight, out_features, in_features)
  expect_if_given("grad_bias", a.grad_bias, out_features)
  reserve(C.my_lib_linear_backward_workspace_size(batch, in_features, out_features))
  check(C.my_lib_linear_backward(a.grad_output.data, data(a.input), data(a.weight), batch, in_features, out_features,
                                 data(a.grad_input), data(a.grad_weight), data(a.grad_bias), workspace, workspace_size))
end

-- ---- LLTM ----

-- The arrays that every function of the LLTM reads. Returns state_size.
local function expect_lltm(a, batch, input_size)
  local _, state_size = sizes_of("old_h", a.old_h, 2)
  expect("old_h", a.old_h, batch, state_size)
  expect("weights", a.weights, 3 * state_size, state_size + input_size)
  return state_size
end

local function expect_gradients(a, batch, input_size, state_size)
  expect_if_given("d_weights", a.d_weights, 3 * state_size, state_size + input_size)
  expect_if_given("d_bias", a.d_bias, 3 * state_size)
  expect_if_given("d_old_h", a.d_old_h, batch, state_size)
  expect_if_given("d_old_cell", a.d_old_cell, batch, state_size)
end

-- One step, of a table with input (batch, input_size), weights (3 * state_size, state_size + input_size), bias
-- (3 * state_size), old_h and old_cell (batch, state_size). Writes new_h, new_cell (batch, state_size), for which nil
-- makes new arrays, and gates (batch, 3 * state_size), which backward needs. Returns new_h, new_cell.
function my_lib.lltm_forward(a)
  local batch, input_size = sizes_of("input", a.input, 2)
  local state_size = expect_lltm(a, batch, input_size)
  local new_h = a.new_h or my_lib.array({ batch, state_size })
  local new_cell = a.new_cell or my_lib.array({ batch, state_size })
  expect("bias", a.bias, 3 * state_size)
  expect("old_cell", a.old_cell, batch, state_size)
  expect("new_h", new_h, batch, state_size)
  expect("new_cell", new_cell, batch, state_size)
  expect_if_given("gates", a.gates, batch, 3 * state_size)
  reserve(C.lltm_forward_workspace_size(batch, input_size, state_size))
  check(C.lltm_forward(a.input.data, a.weights.data, a.bias.data, a.old_h.data, a.old_cell.data, batch, input_size,
                       state_size, new_h.data, new_cell.data, data(a.gates), workspace, workspace_size))
  return new_h, new_cell
end

-- Of a table with grad_h, grad_cell, new_cell (batch, state_size), gates, input, old_h and weights; writes d_input,
-- d_weights, d_bias, d_old_h and d_old_cell, which have the shapes of what they are gradients of.
function my_lib.lltm_backward(a)
  local batch, input_size = sizes_of("input", a.input, 2)
  local state_size = expect_lltm(a, batch, input_size)
  expect("grad_h", a.grad_h, batch, state_size)
  expect("grad_cell", a.grad_cell, batch, state_size)
  expect("new_cell", a.new_cell, batch, state_size)
  expect("gates", a.gates, batch, 3 * state_size)
  expect_if_given("d_input", a.d_input, batch, input_size)
  expect_gradients(a, batch, input_size, state_size)
  reserve(C.lltm_backward_workspace_size(batch, input_size, state_size))
  check(C.lltm_backward(a.grad_h.data, a.grad_cell.data, a.new_cell.data, a.gates.data, a.input.data, a.old_h.data,
                        a.weights.data, batch, input_size, state_size, data(a.d_input), data(a.d_weights),
                        data(a.d_bias), data(a.d_old_h), data(a.d_old_cell), workspace, workspace_size))
end

-- seq_len steps: input, h, cell and gates have seq_len as a further, first size. Writes h and cell, for which nil makes
-- new arrays, and gates. Returns h, cell.
function my_lib.lltm_sequence_forward(a)
  local seq_len, batch, input_size = sizes_of("input", a.input, 3)
  local state_size = expect_lltm(a, batch, input_size)
  local h = a.h or my_lib.array({ seq_len, batch, state_size })
  local cell = a.cell or my_lib.array({ seq_len, batch, state_size })
  expect("bias", a.bias, 3 * state_size)
  expect("old_cell", a.old_cell, batch, state_size)
  expect("h", h, seq_len, batch, state_size)
  expect("cell", cell, seq_len, batch, state_size)
  expect_if_given("gates", a.gates, seq_len, batch, 3 * state_size)
  reserve(C.lltm_sequence_forward_workspace_size(seq_len, batch, input_size, state_size))
  check(C.lltm_sequence_forward(a.input.data, a.weights.data, a.bias.data, a.old_h.data, a.old_cell.data, seq_len, batch,
                                input_size, state_size, h.data, cell.data, data(a.gates), workspace, workspace_size))
  return h, cell
end

-- Of a table with grad_h, cell, h (seq_len, batch, state_size), gates, input, old_h, old_cell and weights; grad_last_h
-- and grad_last_cell (batch, state_size) are further gradients of the last state, nil counts as zero. Writes what
-- lltm_backward writes.
function my_lib.lltm_sequence_backward(a)
  local seq_len, batch, input_size = sizes_of("input", a.input, 3)
  local state_size = expect_lltm(a, batch, input_size)
  expect("grad_h", a.grad_h, seq_len, batch, state_size)
  expect("cell", a.cell, seq_len, batch, state_size)
  expect("h", a.h, seq_len, batch, state_size)
  expect("gates", a.gates, seq_len, batch, 3 * state_size)
  expect("old_cell", a.old_cell, batch, state_size)
  expect_if_given("grad_last_h", a.grad_last_h, batch, state_size)
  expect_if_given("grad_last_cell", a.grad_last_cell, batch, state_size)
  expect_if_given("d_input", a.d_input, seq_len, batch, input_size)
  expect_gradients(a, batch, input_size, state_size)
  reserve(C.lltm_sequence_backward_workspace_size(seq_len, batch, input_size, state_size))
  check(C.lltm_sequence_backward(a.grad_h.data, data(a.grad_last_h), data(a.grad_last_cell), a.cell.data, a.gates.data,
                                 a.input.data, a.h.data, a.old_h.data, a.old_cell.data, a.weights.data, seq_len, batch,
                                 input_size, state_size, data(a.d_input), data(a.d_weights), data(a.d_bias),
                                 data(a.d_old_h), data(a.d_old_cell), workspace, workspace_size))
end

return my_lib
